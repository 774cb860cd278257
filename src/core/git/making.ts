/** Commands of git that make repositories and worktrees, by their words: what they make, and where. Pure. */

import { baseName } from "../path_text.ts";
import type { GitWords } from "./words.ts";

/** What such a command makes or takes away. Paths are as they are written. */
export type GitMaking =
  | {
    readonly kind: "repository";
    /** The folder of its working files. */
    readonly into: string;
    /** It has no `.git`: all of it lies in that folder. */
    readonly bare: boolean;
    /** What it is a copy of; null for an empty one. */
    readonly from: string | null;
    /** What is checked out, by the names that it may have there; null for nothing. */
    readonly trees: readonly string[] | null;
  }
  | {
    readonly kind: "worktree";
    readonly into: string;
    /** As above, the first of them that is a commit. */
    readonly trees: readonly string[] | null;
  }
  | { readonly kind: "worktree removal"; readonly at: string }
  /** It changes what the repository keeps of its worktrees, and no file of theirs. */
  | { readonly kind: "worktree records" }
  /** It would have to write what git alone is not given; `why` ends a sentence. */
  | { readonly kind: "beyond"; readonly why: string };

/** What is understood of a subcommand's options: all others could write settings, hooks, or somewhere else. */
interface Options {
  readonly flags: string;
  readonly valued: string;
}

const INIT: Options = {
  flags: "-q --quiet --bare",
  valued: "-b --initial-branch --object-format",
};
const CLONE: Options = {
  flags:
    "-q --quiet -v --verbose --progress --no-progress -n --no-checkout -l --local --no-local " +
    "--no-hardlinks --single-branch --no-single-branch --no-tags --bare",
  valued: "-b --branch -o --origin --depth",
};
const WORKTREES: Readonly<Record<string, Options>> = {
  add: {
    flags: "-f --force -d --detach --checkout --no-checkout --lock -q --quiet --no-track",
    valued: "-b -B --reason",
  },
  remove: { flags: "-f --force", valued: "" },
  prune: { flags: "-n --dry-run -v --verbose", valued: "--expire" },
  lock: { flags: "", valued: "--reason" },
  unlock: { flags: "", valued: "" },
};
/** Of the scripts and commands that write a repository's settings at every turn. */
const SETTLING_COMMANDS: Readonly<Record<string, string>> = {
  pull: "fetch and merge, one after the other, or the tool git_pull",
  submodule: "clone it without --recurse-submodules, where it may lie",
};
/** Of submodule: what reads alone (git-submodule(1)). */
const SUBMODULE_LOOKS: ReadonlySet<string> = new Set(["status", "summary", "foreach"]);

/** Null for what makes no repository and no worktree, or says only how it is used. */
export function gitMaking({ subcommand, rest }: GitWords): GitMaking | null {
  if (rest.some((word) => word === "-h" || word === "--help")) return null;
  switch (subcommand) {
    case "init":
      return init(rest);
    case "clone":
      return clone(rest);
    case "worktree":
      return worktree(rest);
    case "submodule": {
      const action = rest.find((word) => !word.startsWith("-"));
      return action === undefined || SUBMODULE_LOOKS.has(action)
        ? null
        : beyond(`git submodule ${action} writes settings; ${SETTLING_COMMANDS.submodule}`);
    }
    case "pull":
      return beyond(`git pull is not looked through; ${SETTLING_COMMANDS.pull}`);
    default:
      return null;
  }
}

function beyond(why: string): GitMaking {
  return { kind: "beyond", why };
}

interface Read {
  readonly operands: readonly string[];
  readonly has: (...options: readonly string[]) => boolean;
  readonly values: (...options: readonly string[]) => readonly string[];
}

/** The words by what they are; the first option that is not known where there is one. */
function read(rest: readonly string[], { flags, valued }: Options): Read | string {
  const [known, valuedOnes] = [new Set(flags.split(" ")), new Set(valued.split(" "))];
  const operands: string[] = [];
  const given: (readonly [option: string, value: string])[] = [];
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at]!;
    if (word === "--") {
      operands.push(...rest.slice(at + 1));
      break;
    }
    const [, long, value] = /^(--[a-z-]+)=(.*)$/s.exec(word) ?? [];
    const [, short, attached] = /^(-[A-Za-z])(.+)$/s.exec(word) ?? [];
    const letters = /^-[A-Za-z]+$/.test(word) ? [...word.slice(1)].map((one) => `-${one}`) : [word];
    if (!word.startsWith("-") || word === "-") operands.push(word);
    else if (known.has(word)) given.push([word, ""]);
    else if (letters.every((one) => known.has(one))) {
      given.push(...letters.map((one) => [one, ""] as const));
    } else if (valuedOnes.has(word)) given.push([word, rest[++at] ?? ""]);
    else if (long !== undefined && valuedOnes.has(long)) given.push([long, value ?? ""]);
    else if (short !== undefined && valuedOnes.has(short)) given.push([short, attached ?? ""]);
    else return word;
  }
  return {
    operands,
    has: (...options) => given.some(([option]) => options.includes(option)),
    values: (...options) =>
      given.filter(([option]) => options.includes(option)).map(([, value]) => value),
  };
}

function init(rest: readonly string[]): GitMaking | null {
  const words = read(rest, INIT);
  if (typeof words === "string") return unknown("init", words, INIT);
  const [into = ".", ...more] = words.operands;
  if (more.length > 0) return null;
  return { kind: "repository", into, bare: words.has("--bare"), from: null, trees: null };
}

function clone(rest: readonly string[]): GitMaking | null {
  const words = read(rest, CLONE);
  if (typeof words === "string") return unknown("clone", words, CLONE);
  const [from, named, ...more] = words.operands;
  if (from === undefined || more.length > 0) return null;
  const bare = words.has("--bare");
  const branch = words.values("-b", "--branch").at(-1);
  const name = baseName(from.replace(/\/+$/, "").replace(/\/\.git$/, "")).replace(/\.git$/, "");
  const into = named ?? (bare ? `${name}.git` : name);
  // Git says so itself.
  if (/^\.{0,2}$/.test(into) && named === undefined) return null;
  const checksOut = !bare && !words.has("-n", "--no-checkout");
  const trees = branch === undefined ? ["HEAD"] : [`refs/heads/${branch}`, `refs/tags/${branch}`];
  return { kind: "repository", into, bare, from, trees: checksOut ? trees : null };
}

function worktree([action = "", ...rest]: readonly string[]): GitMaking | null {
  const options = Object.hasOwn(WORKTREES, action) ? WORKTREES[action] : undefined;
  if (options === undefined) {
    return action === "move" || action === "repair"
      ? beyond(`git worktree ${action} rewrites where worktrees lie; remove it and add it anew`)
      : null;
  }
  const words = read(rest, options);
  if (typeof words === "string") return unknown(`worktree ${action}`, words, options);
  const [path, commit, ...more] = words.operands;
  if (action === "prune" || action === "lock" || action === "unlock") {
    return { kind: "worktree records" };
  }
  if (path === undefined || more.length > 0) return null;
  if (action === "remove") return { kind: "worktree removal", at: path };
  const named = commit === "-" ? "@{-1}" : commit;
  // Without a commit it is the branch of the folder's name, where there is one and no other is made.
  const own = words.has("-b", "-B", "-d", "--detach") ? [] : [`refs/heads/${baseName(path)}`];
  const trees = named === undefined ? [...own, "HEAD"] : [named];
  return { kind: "worktree", into: path, trees: words.has("--no-checkout") ? null : trees };
}

function unknown(subcommand: string, option: string, { flags, valued }: Options): GitMaking {
  const taken = `${flags} ${valued}`.trim().split(/\s+/).join(", ");
  return beyond(
    `git ${subcommand} ${option.split("=")[0]} could write more than git is given; options taken: ${
      taken || "none"
    }`,
  );
}
