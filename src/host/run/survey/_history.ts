/** Asks git which names it would show contents of, and what its words stand for. */

import type { CanonicalPath } from "../../../core/capability.ts";
import { ToolError } from "../../../core/errors.ts";
import type { GitShowing } from "../../../core/git/showing.ts";
import type { GitLook, SurveyParts } from "./_parts.ts";

type Differences = Extract<GitShowing, { readonly kind: "differences" }>;

/** What a word stands for. */
export interface Named {
  readonly hash: string;
  readonly type: string;
  /** Its own hash, which is another where it is a tag. */
  readonly own: string;
}

/** Where commits begin to be told of that no branch leads to. */
const ALL = ["--all", "--reflog"] as const;
/** Each commit's own changes, of a merge what none of its parents has. */
const OWN = ["--format=", "-c", "--root", "--no-renames", "--no-ext-diff", "-z"] as const;

/** One repository, as a command that begins in `directory` sees it. */
export class History {
  readonly #git: SurveyParts["git"];
  readonly #directory: CanonicalPath;
  readonly #leading: readonly string[];
  readonly #doing: string;

  constructor(
    { git, directory, leading, doing }: {
      readonly git: SurveyParts["git"];
      readonly directory: CanonicalPath;
      /** Options before the subcommand. */
      readonly leading: readonly string[];
      /** For messages. */
      readonly doing: string;
    },
  ) {
    this.#git = git;
    this.#directory = directory;
    this.#leading = leading;
    this.#doing = doing;
  }

  /** The folder that names are relative to, as a path from the directory; null where no repository is there. */
  async top(): Promise<string | null> {
    const inside = await this.#run(["rev-parse", "--is-inside-work-tree", "--show-cdup"]);
    const [is, up = ""] = textOf(inside.bytes).split("\n");
    if (inside.status === 0 && is === "true") return up || ".";
    const { status, bytes } = await this.#run(["rev-parse", "--absolute-git-dir"]);
    if (status !== 0) return null;
    return textOf(bytes).replace(/\n$/, "").replace(/\/\.git$/, "") || "/";
  }

  /** What words stand for, those that stand for an object; of tags what those are of. */
  async named(words: readonly string[]): Promise<ReadonlyMap<string, Named>> {
    const asked = [...new Set(words)].filter((word) => word !== "" && !/[\n\0]/.test(word));
    if (asked.length === 0) return new Map();
    const { bytes } = await this.#run(
      ["cat-file", "--batch-check=%(objectname) %(objecttype)"],
      asked.map((word) => `${word}\n`).join(""),
    );
    const lines = textOf(bytes).split("\n");
    // A word that means several things is answered with more than one line.
    if (lines.length !== asked.length + 1) {
      if (asked.length === 1) return new Map();
      const each = await Promise.all(asked.map((word) => this.named([word])));
      return new Map(each.flatMap((one) => [...one]));
    }
    const found = new Map(asked.flatMap((word, index) => {
      const [, hash, type] = /^([0-9a-f]{40,64}) (\w+)$/.exec(lines[index] ?? "") ?? [];
      return hash === undefined || type === undefined
        ? []
        : [[word, { hash, type, own: hash }] as const];
    }));
    const tags = asked.filter((word) => found.get(word)?.type === "tag");
    const tagged = await this.named(tags.map((word) => `${word}^{}`));
    for (const word of tags) {
      const { own } = found.get(word)!;
      found.set(word, { ...(tagged.get(`${word}^{}`) ?? found.get(word)!), own });
    }
    return found;
  }

  /** The names that are shown the differences of; null where git cannot say. */
  async differing(
    { subcommand, selecting }: Differences,
    operands: readonly string[],
  ): Promise<readonly string[] | null> {
    const isLog = subcommand === "log" || subcommand === "show";
    const shape = isLog
      ? ["--format=", "-m"]
      : subcommand === "diff-tree"
      ? ["-m", "-r", "--root", "--no-commit-id"]
      : [];
    const words = [...shape, "--name-status", "-z", "--no-relative", "--no-ext-diff"];
    const { status, bytes } = await this.#run([subcommand, ...selecting, ...words, ...operands]);
    return status === 0 ? namesWithStatus(textOf(bytes)) : null;
  }

  /** The commits that words and options of git-rev-list(1) begin at; null where git cannot say. */
  async tips(words: readonly string[]): Promise<readonly string[] | null> {
    const { status, bytes } = await this.#run(["rev-list", "--no-walk=unsorted", ...words, "--"]);
    return status === 0 ? textOf(bytes).split("\n").filter((line) => line !== "") : null;
  }

  /** The names that differ between two trees; null where git cannot say. */
  async between(from: string, to: string): Promise<readonly string[] | null> {
    const words = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", from, to];
    const { status, bytes } = await this.#run(words);
    return status === 0 ? split(bytes) : null;
  }

  /** The names that a tree has otherwise than the index, or the index has not; null where git cannot say. */
  async wouldStage(tree: string, paths: readonly string[]): Promise<readonly string[] | null> {
    const words = ["diff", "--cached", "--no-renames", "--diff-filter=a", "--name-only", "-z"];
    const own = ["--no-relative", "--no-ext-diff", tree, "--"];
    const { status, bytes } = await this.#run([...words, ...own, ...paths]);
    return status === 0 ? split(bytes) : null;
  }

  /** The files of a tree; null where it is none. */
  async filesOf(tree: string): Promise<readonly string[] | null> {
    const { status, bytes } = await this.#run([
      "ls-tree",
      "-r",
      "-z",
      "--name-only",
      "--full-tree",
      tree,
    ]);
    return status === 0 ? split(bytes) : null;
  }

  /** The files that the index has; null where there is none to be had. */
  async filesOfIndex(): Promise<readonly string[] | null> {
    const { status, bytes } = await this.#run(["ls-files", "-z", "--full-name", "--", ":/"]);
    return status === 0 ? split(bytes) : null;
  }

  /**
   * By both their names, what patches in files speak of, relative to the directory, and whether one of them names objects
   * in place of what it changes; null where they are none.
   */
  async patched(
    words: readonly string[],
  ): Promise<{ readonly names: readonly string[]; readonly binary: boolean } | null> {
    const list = ["apply", "--numstat", "-z"];
    const forwards = words.filter((word) => word !== "-R" && word !== "--reverse");
    // The one has the names that files have then, the other those that they had.
    const ways = [[...list, ...forwards], [...list, "-R", ...forwards]];
    const looks = await Promise.all(ways.map((way) => this.#run(way)));
    if (looks.some(({ status }) => status !== 0)) return null;
    const records = looks.flatMap(({ bytes }) => split(bytes));
    return {
      names: records.map((record) => record.replace(/^(?:\d+|-)\t(?:\d+|-)\t/, "")),
      binary: records.some((record) => record.startsWith("-\t")),
    };
  }

  /** Every name that a commit or the index has ever had; null where git cannot say. */
  async everything(commits: readonly string[]): Promise<readonly string[] | null> {
    const walked = await this.#walk(["--name-only"], commits);
    const index = await this.filesOfIndex();
    return walked === null ? null : [...split(walked), ...index ?? []];
  }

  /** The names that each of these objects has in any commit or in the index. */
  async namesOf(hashes: ReadonlySet<string>): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
    const found = new Map<string, Set<string>>();
    const add = (hash: string, name: string) => {
      if (!hashes.has(hash)) return;
      const names = found.get(hash) ?? new Set();
      found.set(hash, names.add(name));
    };
    const records = split(await this.#walk(["--raw", "--no-abbrev"], []) ?? new Uint8Array());
    for (let at = 0; at + 1 < records.length; at += 2) {
      // `::modes hashes statuses`, then the name; the last hash is that of the commit itself.
      for (const hash of records[at]!.match(/\b[0-9a-f]{40,64}\b/g) ?? []) {
        add(hash, records[at + 1]!);
      }
    }
    const { bytes } = await this.#run(["ls-files", "-s", "-z", "--full-name", "--", ":/"]);
    for (const record of split(bytes)) {
      const [, hash = "", name = ""] = /^\d+ ([0-9a-f]+) \d\t(.*)$/s.exec(record) ?? [];
      add(hash, name);
    }
    return found;
  }

  async #walk(shape: readonly string[], commits: readonly string[]): Promise<Uint8Array | null> {
    const look = await this.#run(["log", ...ALL, ...OWN, ...shape, ...commits, "--"]);
    if (look.status === 0) return look.bytes;
    const any = await this.#run(["rev-list", "-n1", ...ALL, ...commits]);
    return any.status === 0 && any.bytes.length === 0 ? any.bytes : null;
  }

  async #run(words: readonly string[], stdin = ""): Promise<GitLook> {
    const looked = await this.#git([...this.#leading, ...words], this.#directory, stdin);
    if (!looked.cut) return looked;
    throw new ToolError(
      "RESOURCE_LIMIT",
      `${this.#doing}: it would show more names than are looked at; name commits or paths`,
    );
  }
}

/** `M NUL name NUL`, of renames and copies `R100 NUL from NUL to NUL`; null where it is something else. */
function namesWithStatus(text: string): readonly string[] | null {
  const records = text.split("\0");
  const names: string[] = [];
  for (let at = 0; at < records.length; at++) {
    const status = records[at]!;
    if (status === "") continue;
    if (!/^[ACDMRTUXB]\d*$/.test(status)) return null;
    const count = /^[RC]/.test(status) ? 2 : 1;
    const named = records.slice(at + 1, at + 1 + count);
    if (named.length < count) return null;
    names.push(...named);
    at += count;
  }
  return names;
}

function split(bytes: Uint8Array): readonly string[] {
  return textOf(bytes).split("\0").filter((record) => record !== "");
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
