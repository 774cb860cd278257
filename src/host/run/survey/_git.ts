/**
 * Looks at all that a git command would write among the working files, before it is started: what holds a name that the
 * policy denies is refused whole, by that name, and nothing has been changed.
 */

import { nameText } from "../../../core/name_text.ts";
import type { CanonicalPath } from "../../../core/capability.ts";
import { ToolError } from "../../../core/errors.ts";
import { gitMaking } from "../../../core/git/making.ts";
import { type GitReach, gitReach, gitWords, spokenTo } from "../../../core/git/words.ts";
import { baseName } from "../../../core/path_text.ts";
import { printable, quoted } from "../../../core/printable.ts";
import { surveyMaking } from "./_git_making.ts";
import type { GitLook, SurveyParts } from "./_parts.ts";

const MOST_NAMED = 100;

/** PATH_DENIED where it would write what the policy denies; RESOURCE_LIMIT where that is more than can be looked at. */
export async function surveyGit(
  argv: readonly string[],
  from: CanonicalPath,
  parts: SurveyParts,
): Promise<void> {
  if (baseName(argv[0] ?? "") !== "git") return;
  const words = gitWords(argv);
  if (words === null) return;
  const [making, reach, peers] = [gitMaking(words), gitReach(words), spokenTo(words)];
  if (making === null && reach === null && peers === null) return;
  const { rulebook } = parts;
  const directory = words.folders.reduce<CanonicalPath | null>(
    (at, folder) => at === null ? null : parts.resolve(at, folder),
    from,
  );
  if (directory === null) return;
  if (peers !== null) {
    const { surveyPeers } = await import("./_git_peer.ts");
    await surveyPeers(peers, { ...parts, argv, directory });
  }
  const denies = rulebook.scope.write.some((root) => rulebook.mayDenyBelow("write", root));
  if (making !== null) {
    const denied = await surveyMaking(making, { ...parts, argv, directory, denies });
    if (denied.length > 0) throw refused(argv, denied);
    return;
  }
  if (reach === null) return;
  const byItself = (): void => {
    if (reach.script !== null) throw byScript(words.subcommand, reach.script);
  };
  if (!denies) return byItself();
  const look = new Look(parts, directory, `git ${words.subcommand}`);
  const top = await look.top();
  // Git itself says so.
  if (top === null) return;
  if (reach.unseen) throw unseen(words.subcommand);
  const names = await look.names(reach);
  const denied = new Set<string>();
  for (const { name, base } of names) {
    // A link is written as such, whatever it leads to.
    const cut = name.lastIndexOf("/");
    const from = base === "top" ? top : directory;
    const folder = parts.resolve(from, name.slice(0, cut + 1) || ".");
    // What is a file now may be a folder then.
    const path = folder === null ? joined(from, name) : joined(folder, name.slice(cut + 1));
    if (rulebook.judgePath("write", path, "file").effect !== "allow") denied.add(name);
  }
  if (denied.size > 0) throw refused(argv, [...denied].sort());
  byItself();
}

function joined(folder: CanonicalPath, name: string): CanonicalPath {
  return `${folder === "/" ? "" : folder}/${name}` as CanonicalPath;
}

const LIST = ["ls-tree", "-r", "-z", "--name-only", "--full-tree"] as const;
const DIFFER = ["diff-tree", "-r", "-z", "--name-only", "--no-renames"] as const;

interface Named {
  readonly name: string;
  /** What it is relative to. */
  readonly base: "top" | "directory";
}

class Look {
  readonly #parts: SurveyParts;
  readonly #directory: CanonicalPath;
  readonly #doing: string;

  constructor(parts: SurveyParts, directory: CanonicalPath, doing: string) {
    this.#parts = parts;
    this.#directory = directory;
    this.#doing = doing;
  }

  /** Where the working files begin; null where there are none. */
  async top(): Promise<CanonicalPath | null> {
    const { status, bytes } = await this.#run(["rev-parse", "--show-cdup"]);
    if (status !== 0) return null;
    return this.#parts.resolve(this.#directory, textOf(bytes).trim() || ".");
  }

  /** All that it would write, and perhaps some more. */
  async names(
    { trees, sides, commits: ranges, bisects, dirty, files, patches }: GitReach,
  ): Promise<readonly Named[]> {
    const found: Named[] = [];
    const commits = ranges === null || !bisects ? ranges : [...ranges, ...await this.#bisected()];
    const add = async (words: readonly string[], base: Named["base"] = "top") => {
      const { status, bytes } = await this.#run([...words]);
      if (status !== 0) return;
      for (const name of textOf(bytes).split("\0")) if (name !== "") found.push({ name, base });
    };
    const isWalk = commits?.[0] === "--symmetric";
    const known = await this.#commits(["HEAD", ...trees, ...sides, ...commits?.slice(1) ?? []]);
    const head = known.get("HEAD") ?? null;
    const other = (names: readonly string[]) =>
      [...new Set(names.flatMap((name) => known.get(name) ?? []))].filter((one) => one !== head);
    for (const tree of other(trees)) {
      await add(head === null ? [...LIST, tree] : [...DIFFER, head, tree]);
    }
    for (const side of other(sides)) {
      const base = await this.#base(head === null ? [side] : [head, side]);
      await add(base === null ? [...LIST, side] : [...DIFFER, base, side]);
    }
    const named = commits === null
      ? []
      : [...new Set(commits.slice(1).flatMap((name) => known.get(name) ?? []))];
    if (named.length > 0) {
      const log = ["log", "-z", "--format=", "--name-only", "--no-renames", "-m", "--root"];
      const range = isWalk ? await this.#sinceTheyParted(head, named) : ["--no-walk", ...named];
      await add([...log, ...range, "--"]);
    }
    if (dirty === true || dirty !== false && !trees.some((name) => known.has(name))) {
      await add(["diff-files", "-z", "--name-only"]);
      if (head !== null) await add(["diff-index", "--cached", "-z", "--name-only", head, "--"]);
    }
    if (files !== null) await add(["ls-files", "-z", "--full-name", ...files]);
    if (patches !== null) {
      const words = patches.filter((word) => word !== "-R" && word !== "--reverse");
      // The names that files have then, and those that they had.
      for (const way of [[], ["-R"]]) {
        const look = await this.#run(["apply", "--numstat", "-z", ...way, ...words]);
        if (look.status === 0) found.push(...namesOfPatch(textOf(look.bytes)));
      }
    }
    return found;
  }

  /** What a search was told of, and where it began: a branch or a commit (git-bisect(1)). */
  async #bisected(): Promise<readonly string[]> {
    const refs = await this.#run(["for-each-ref", "--format=%(objectname)", "refs/bisect/"]);
    const folder = await this.#run(["rev-parse", "--absolute-git-dir"]);
    const start = this.#parts.text(`${textOf(folder.bytes).trim()}/BISECT_START`);
    return [...textOf(refs.bytes).split("\n"), start?.trim() ?? ""].filter((name) => name !== "");
  }

  async #sinceTheyParted(
    head: string | null,
    named: readonly string[],
  ): Promise<readonly string[]> {
    if (head === null) return named;
    const base = await this.#base([head, ...named]);
    return [head, ...named, ...(base === null ? [] : ["--not", base])];
  }

  /** The commit that all of them come from; null where there is none. */
  async #base(commits: readonly string[]): Promise<string | null> {
    const { status, bytes } = await this.#run(["merge-base", "--octopus", ...commits]);
    const base = textOf(bytes).trim();
    return status === 0 && base !== "" ? base : null;
  }

  /** The commits that words name, those that do. */
  async #commits(words: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const asked = [...new Set(words)].filter((word) => word !== "" && !word.includes("\n"));
    const stdin = asked.map((word) => `${word}^{commit}\n`).join("");
    const { bytes } = await this.#run(["cat-file", "--batch-check=%(objectname)"], stdin);
    const lines = textOf(bytes).split("\n");
    return new Map(
      asked.flatMap((word, index) => {
        const hash = lines[index] ?? "";
        return /^[0-9a-f]{40,64}$/.test(hash) ? [[word, hash] as const] : [];
      }),
    );
  }

  async #run(words: readonly string[], stdin = ""): Promise<GitLook> {
    const looked = await this.#parts.git(words, this.#directory, stdin);
    if (!looked.cut) return looked;
    throw new ToolError(
      "RESOURCE_LIMIT",
      `${this.#doing}: it would touch more names than are looked at`,
    );
  }
}

/** `added TAB deleted TAB name NUL` (git-apply(1), -z); of a rename the name that it has then. */
function namesOfPatch(text: string): readonly Named[] {
  return text.split("\0").map((record) => record.replace(/^(?:\d+|-)\t(?:\d+|-)\t/, ""))
    .filter((name) => name !== "").map((name) => ({ name, base: "directory" }));
}

function textOf(bytes: Uint8Array): string {
  return nameText(bytes);
}

function refused(argv: readonly string[], names: readonly string[]): ToolError {
  const few = names.slice(0, 5).map((name) => printable(name, 200)).join(", ");
  const more = names.length > 5 ? ` and ${names.length - 5} more` : "";
  return new ToolError(
    "PATH_DENIED",
    `${
      quoted(argv.join(" "))
    } would write ${few}${more}, which the policy's paths deny, or do not ` +
      "plainly allow; it was not started",
    { details: { denied: names.slice(0, MOST_NAMED) } },
  );
}

function byScript(subcommand: string, words: string): ToolError {
  return new ToolError(
    "PATH_DENIED",
    `git ${subcommand} was not started: ${
      printable(words, 100)
    } is merged by a script, which may write nothing in .git; merge one after the other, without -s`,
  );
}

function unseen(subcommand: string): ToolError {
  return new ToolError(
    "PATH_DENIED",
    subcommand === "bisect"
      ? "git bisect replay would take from a log what it changes, where nobody can look at it before; " +
        "say what is good and what is bad"
      : `git ${subcommand} would take from its standard input what it changes, where nobody can look at ` +
        "it before; name the file",
  );
}
