/**
 * Puts hashes in the place of the revisions that a command of git names: it shows then what was looked at, whatever branch
 * another command has moved since.
 */

import type { Standing } from "../../../core/git/showing.ts";
import { partsOf } from "../../../core/git/revision_words.ts";
import type { History, Named } from "./_history.ts";

/** A command's revisions by their hashes. */
export interface Pins {
  /** Those that it names, of tags what those are of. */
  readonly revisions: readonly string[];
  /** Those that stand nowhere among its words: taken by refs, or meant where none is named. */
  readonly besides: readonly string[];
  /** What follows its revisions before any `--`: paths. */
  readonly paths: readonly string[];
  /** Both, where that is one commit or tree at most; null where commits are compared with each other. */
  readonly compared: readonly string[] | null;
  /** Options without those that took commits by refs. */
  selecting(words: readonly string[]): readonly string[];
  /** The words behind the subcommand, with them. */
  of(rest: readonly string[]): readonly string[];
}

/** More refs than this are not named one by one. */
const MOST_REFS = 1_000;

/**
 * Null where a revision cannot be said by hashes, or a word may be one that nobody knows yet. `operands`: those before
 * `--`; `rest`: all words behind the subcommand.
 */
export async function pinsOf(
  { operands, standing, rest, named, history, isPath }: {
    readonly operands: readonly string[];
    readonly standing: Standing;
    readonly rest: readonly string[];
    readonly named: ReadonlyMap<string, Named>;
    readonly history: Pick<History, "tips">;
    /** Whether git takes a word for a path that names no object. */
    readonly isPath: (word: string) => boolean;
  },
): Promise<Pins | null> {
  const { refs, implied } = standing;
  const isRevision = (word: string) => partsOf(word).some((part) => named.has(part));
  // Behind a path there are paths alone.
  const end = operands.findIndex((word) => !isRevision(word));
  const revisions = end === -1 ? operands : operands.slice(0, end);
  const paths = operands.slice(revisions.length);
  if (!paths.every(isPath)) return null;
  const [places, moved] = [
    standing.places.slice(0, revisions.length),
    new Set(standing.places.slice(revisions.length, operands.length)),
  ];
  // What is a path now could be a branch when git reads it.
  const behind = moved.size === 0 ? [] : ["--", ...paths];
  if (refs.length > 0) {
    const standing = new Set([...refs, ...places]);
    const besides = await byRefs(rest, standing, history);
    if (besides === null) return null;
    const options = new Set(refs.map((at) => rest[at]!));
    return {
      revisions: [],
      besides,
      paths,
      compared: null,
      selecting: (words) => words.filter((word) => !options.has(word)),
      of: (words) => {
        const kept = words.filter((_, at) => !standing.has(at) && !moved.has(at));
        return [...besides, ...kept, ...behind];
      },
    };
  }
  const peeled = revisions.map((word) => hashed(word, named, "hash"));
  const hashes = revisions.map((word) => hashed(word, named, "own"));
  const known = peeled.filter((hash) => hash !== null);
  const meant = revisions.length === 0 ? implied : null;
  const own = meant === null ? null : named.get(meant.revision)?.own ?? null;
  if (known.length < peeled.length || meant !== null && own === null) return null;
  const besides = own === null ? [] : [own];
  const single = known.length < 2 && revisions.every((word) => named.has(word));
  const put = new Map(places.map((place, at) => [place, hashes[at]] as const));
  return {
    revisions: known,
    besides,
    paths,
    compared: single ? [...known, ...besides] : null,
    selecting: (words) => words,
    of(words) {
      const pinned = words.map((word, at) => put.get(at) ?? word)
        .filter((_, at) => !moved.has(at));
      const all = meant === null || own === null ? pinned : pinned.toSpliced(meant.at, 0, own);
      return [...all, ...behind];
    },
  };
}

/** One word of gitrevisions(7) with hashes for its names; null where it is one that cannot be. */
function hashed(
  word: string,
  named: ReadonlyMap<string, Named>,
  which: "hash" | "own",
): string | null {
  const whole = named.get(word);
  if (whole !== undefined) return whole[which];
  if (word.startsWith("^")) {
    const bare = hashed(word.slice(1), named, which);
    return bare === null ? null : `^${bare}`;
  }
  const [, base = "", mark = ""] = /^(.*?)(\^(?:[!@]|-\d*))$/s.exec(word) ?? [];
  if (mark !== "") {
    const bare = named.get(base);
    return bare === undefined ? null : `${bare[which]}${mark}`;
  }
  const [, from = "", dots = "", to = ""] = /^(.*?)(\.{2,3})(.*)$/s.exec(word) ?? [];
  if (dots === "") return null;
  const [first, last] = [from, to].map((end) => named.get(end === "" ? "HEAD" : end)?.[which]);
  return first === undefined || last === undefined ? null : `${first}${dots}${last}`;
}

/** What options and words take between them, `--not` turning round what follows it. */
async function byRefs(
  rest: readonly string[],
  standing: ReadonlySet<number | null>,
  history: Pick<History, "tips">,
): Promise<readonly string[] | null> {
  const found: string[] = [];
  let part: string[] = [];
  let sign = "";
  for (const [at, word] of [...rest.entries(), [-1, "--not"] as const]) {
    if (at !== -1 && !standing.has(at)) continue;
    if (word !== "--not") {
      if (/^\^|\.\.|\^(?:[!@]|-\d*)$/.test(word)) return null;
      part.push(word);
      continue;
    }
    const commits = part.length === 0 ? [] : await history.tips(part);
    if (commits === null) return null;
    found.push(...commits.map((commit) => `${sign}${commit}`));
    [part, sign] = [[], sign === "" ? "^" : ""];
  }
  if (found.length > MOST_REFS) return null;
  if (found.some((one) => !one.startsWith("^"))) return found;
  // Where refs are named and none is there git shows nothing, and would take HEAD if it were told of none.
  const isNamed = [...standing].some((at) => at !== null && rest[at] !== "--not");
  const one = found[0]?.slice(1) ?? (await history.tips(["HEAD"]))?.[0];
  return isNamed && one !== undefined ? [one, `^${one}`] : null;
}
