/**
 * What a command of git would print, or give a new name to, of what commits and the index hold: that is nobody's file, and
 * so no rule on paths sees it. Told by the words; whatever is not understood counts as all that the repository holds. Pure.
 */

import { readOptions } from "./_show_options.ts";

/** What of the objects a command comes to. */
export type GitShowing =
  /** What commits, the index and working files differ by. */
  | {
    readonly kind: "differences";
    readonly subcommand: string;
    /** Options by which git selects those. */
    readonly selecting: readonly string[];
    /** What follows the options: revisions and paths. */
    readonly operands: readonly string[];
    /** Where among those `--` stands; null where there is none. */
    readonly cut: number | null;
    /** It goes on with the names that a file had before: that takes one path and no other. */
    readonly follows: boolean;
    /** Where no path is named, each commit is told of, whether anything of it is left or not. */
    readonly walks: boolean;
    /** It takes paths. */
    readonly narrows: boolean;
    /** Where its revisions stand, so that they can be put otherwise. */
    readonly standing: Standing;
    /** By what words it compares with working files or the index; null for commits alone. */
    readonly beside: "index" | "files" | null;
    /** It hangs on the time of day. */
    readonly timed: boolean;
  }
  /** The files of trees, or those that the index has. */
  | {
    readonly kind: "files";
    /** Words that may name trees. */
    readonly operands: readonly string[];
    readonly cut: number | null;
    /** Where none of them does. */
    readonly otherwise: "index" | "nothing";
    /** Paths stand behind a `--`; else it knows none. */
    readonly dashes: boolean;
    readonly standing: Standing;
  }
  /** Objects by their names: of a file the contents. */
  | {
    readonly kind: "objects";
    readonly operands: readonly string[];
    readonly standing: Standing;
  }
  /** A file by its path, one of these words. */
  | { readonly kind: "paths"; readonly words: readonly string[] }
  /** What the patches in these files speak of, by both their names; the words are those of git-apply(1). */
  | { readonly kind: "patches"; readonly words: readonly string[] }
  /** What the index is given of a commit, the first of these words; the others are paths. */
  | {
    readonly kind: "staging";
    readonly operands: readonly string[];
    readonly cut: number | null;
  }
  /** What nobody looks through, whatever this repository holds; `why` ends a sentence. */
  | { readonly kind: "elsewhere"; readonly why: string }
  /** Whatever the repository holds; `why` ends a sentence. */
  | { readonly kind: "anything"; readonly why: string; readonly operands: readonly string[] };

/** Where words stand behind the subcommand. */
export interface Standing {
  /** Of each operand; null for one that stands nowhere. */
  readonly places: readonly (number | null)[];
  /** Options that take commits by refs (git-rev-parse(1)), and their values. */
  readonly refs: readonly number[];
  /** The revision that is meant where none is named, and where it could stand; null where none is. */
  readonly implied: { readonly revision: string; readonly at: number } | null;
}

/** Options that a time of day stands behind (git-log(1)), before which commits come or go. */
const TIMES = /^--(?:since|until|after|before|max-age|min-age|since-as-filter)(?:=|$)/;

/** Before what a note is to be a copy of (git-notes(1)). */
const NOTE_OF = /^(?:-[A-Za-z]*[cC]|--re[a-z-]*=)/;

const READ: Readonly<Record<string, (rest: readonly string[]) => GitShowing | null>> = {
  log: (rest) => differences("log", rest),
  whatchanged: (rest) => {
    const showing = differences("log", rest);
    return showing?.kind === "differences"
      ? anything("counts what has changes alone", rest)
      : showing;
  },
  show: (rest) => differences("show", rest),
  diff: (rest) => rest.includes("--no-index") ? null : differences("diff", rest),
  "diff-tree": (rest) => differences("diff-tree", rest),
  "diff-index": (rest) => differences("diff-index", rest),
  "diff-files": (rest) => differences("diff-files", rest),
  "format-patch": patchSeries,
  grep: searched,
  archive: archived,
  blame: annotated,
  annotate: annotated,
  "cat-file": catFile,
  stash: (rest) => {
    const [action = "push", ...more] = rest;
    if (action === "show") return stashed(more);
    if (action === "list") return listed(more);
    return interactive(rest);
  },
  reflog: (rest) => {
    const [action = "show", ...more] = rest;
    if (["expire", "delete", "exists", "list", "drop"].includes(action)) return null;
    return listed(action === "show" ? more : rest);
  },
  apply: (rest) => patched(rest, rest),
  am: (rest) => {
    const goesOn = rest.some((word) => /^--(?:con|ski|abo|qui|show|res)/.test(word)) ||
      rest.includes("-r");
    return goesOn ? null : patched(rest, rest.filter((word) => !word.startsWith("-")));
  },
  add: interactive,
  checkout: interactive,
  reset: unstaged,
  restore: interactive,
  commit: (rest) =>
    lettersOf(rest).includes("v") || rest.some(isVerbose)
      ? anything("shows what it commits", [])
      : interactive(rest),
  status: (rest) =>
    lettersOf(rest).includes("v") || rest.some(isVerbose)
      ? anything("shows what is staged", [])
      : null,
  branch: formatted,
  tag: formatted,
  "for-each-ref": formatted,
  notes: (rest) =>
    rest.some((word) => /^(?:-[A-Za-z]*[cC]|--re)/.test(word))
      ? anything("makes a note of an object", rest.map((word) => word.replace(NOTE_OF, "")))
      : null,
  rebase: (rest) =>
    rest.some((word) => word.startsWith("--show-c"))
      ? anything("shows the commit that it stopped at", [])
      : execs(rest),
  bisect: ([action = "", ...rest]) =>
    ["view", "visualize"].includes(action) || action === "run" && startsGit(rest)
      ? anything("starts another program", [])
      : null,
  submodule: ([action = "", ...rest]) =>
    action === "foreach" && startsGit(rest)
      ? { kind: "elsewhere", why: "it starts git in other repositories; git -C goes there" }
      : rest.length > 0 && action === "summary"
      ? anything("shows other repositories", [])
      : null,
  fsck: (rest) =>
    rest.some((word) => /^--lo/.test(word))
      ? { kind: "elsewhere", why: "it makes files of contents that have no name" }
      : null,
  "hash-object": (rest) =>
    rest.some((word) => /^(?:-t|--lit)/.test(word))
      ? anything("makes objects of another kind", [])
      : null,
  "update-index": (rest) =>
    rest.some((word) => /^--(?:cac|index-i)/.test(word))
      ? anything("gives an object a name", rest.flatMap((word) => word.split(",")))
      : null,
  bundle: (rest) =>
    ["verify", "list-heads"].includes(rest[0] ?? "")
      ? null
      : anything("copies objects", rest.slice(2)),
  "merge-file": (rest) =>
    rest.some((word) => /^--obj/.test(word)) ? anything("merges objects", rest) : null,
};

/** What prints no contents of commits and names none anew: by what git(1) says of each, options aside that are above. */
const HARMLESS: ReadonlySet<string> = new Set(
  ("init clone config fetch pull push remote gc prune repack pack-refs worktree help version var check-ignore " +
    "check-attr check-mailmap check-ref-format ls-remote ls-files ls-tree rev-parse rev-list merge-base name-rev " +
    "show-ref show-branch symbolic-ref count-objects mv rm clean stripspace column write-tree commit-tree " +
    "sparse-checkout maintenance shortlog switch merge cherry-pick revert cherry describe update-ref " +
    "verify-commit verify-tag verify-pack diff-pairs get-tar-commit-id interpret-trailers mktag patch-id mailinfo " +
    "mailsplit update-server-info prune-packed commit-graph credential multi-pack-index " +
    "--version --help --exec-path --html-path --man-path --info-path").split(" "),
);

/** Null where that is nothing but names, messages and numbers. */
export function gitShowing(
  { subcommand, rest }: { readonly subcommand: string; readonly rest: readonly string[] },
): GitShowing | null {
  if (rest.length === 1 && (rest[0] === "-h" || rest[0] === "--help")) return null;
  if (Object.hasOwn(READ, subcommand)) return READ[subcommand]!(rest);
  if (HARMLESS.has(subcommand)) return null;
  return anything("is not looked through", rest);
}

function anything(why: string, rest: readonly string[]): GitShowing {
  return { kind: "anything", why, operands: rest.filter((word) => !word.startsWith("-")) };
}

function differences(subcommand: string, rest: readonly string[]): GitShowing | null {
  if (rest.some((word) => /^--submod.*=d/.test(word))) {
    return { kind: "elsewhere", why: "it shows other repositories; git -C goes there" };
  }
  const read = readOptions(subcommand === "log" || subcommand === "show" ? "log" : "diff", rest);
  if (typeof read === "string") return anything(`takes ${read}, which is not looked through`, rest);
  const { selecting, operands, cut, contents, follows, places, refs, others } = read;
  // These two show patches unless they are told otherwise, the others where they are told to.
  const asks = subcommand !== "show" && subcommand !== "diff";
  if (asks && !contents) return null;
  if (others !== null) return anything(`takes ${others}, which is not looked through`, rest);
  const walks = subcommand === "log" || subcommand === "show";
  const cached = selecting.includes("--cached") || selecting.includes("--staged");
  const implied = walks ? refs.length === 0 : subcommand === "diff" && cached;
  return {
    kind: "differences",
    subcommand,
    selecting,
    operands,
    cut,
    follows,
    walks,
    narrows: true,
    standing: { places, refs, implied: implied ? { revision: "HEAD", at: 0 } : null },
    beside: walks || subcommand === "diff-tree" ? null : cached ? "index" : "files",
    timed: selecting.some((word) => TIMES.test(word)),
  };
}

/** git-format-patch(1): of one revision what has come since, of several or of a range what those have. */
function patchSeries(rest: readonly string[]): GitShowing | null {
  const read = readOptions("format-patch", rest);
  if (typeof read === "string") return anything(`takes ${read}, which is not looked through`, rest);
  const { selecting, operands, cut, places, refs, others } = read;
  if (others !== null) return anything(`takes ${others}, which is not looked through`, rest);
  const [revision, ...more] = cut === null ? operands : operands.slice(0, cut);
  const counted = rest.some((word) => /^-(?:\d|-max)/.test(word) || word === "--root");
  const isPlain = revision !== undefined && more.length === 0 && !/\.\.|^\^/.test(revision);
  const parts = {
    kind: "differences",
    subcommand: "log",
    // Those are left out of a series, and so count for nothing.
    selecting: ["--no-merges", ...selecting],
    follows: false,
    walks: false,
    narrows: true,
    standing: { places, refs, implied: counted ? { revision: "HEAD", at: 0 } : null },
    beside: null,
    timed: selecting.some((word) => TIMES.test(word)),
  } as const;
  if (counted || !isPlain) return { ...parts, operands, cut };
  return { ...parts, operands: [`${revision}..HEAD`, ...operands.slice(1)], cut };
}

/** git-stash(1): what it has put aside, beside the commit that it stood on. */
function stashed(rest: readonly string[]): GitShowing {
  const read = readOptions("diff", rest);
  if (typeof read === "string") return anything(`takes ${read}, which is not looked through`, rest);
  const { selecting, operands: [named], places: [place] } = read;
  const stash = /^\d+$/.test(named ?? "0") ? `stash@{${named ?? 0}}` : named ?? "";
  return {
    kind: "differences",
    subcommand: "diff",
    selecting,
    operands: [`${stash}^1`, stash],
    cut: null,
    follows: false,
    walks: false,
    narrows: false,
    // Behind `show`, which is not among these words.
    standing: {
      places: [null, place === undefined ? null : place + 1],
      refs: [],
      implied: place === undefined ? { revision: stash, at: 1 } : null,
    },
    beside: null,
    timed: false,
  };
}

/** A log of what a name stood for: plain, or with contents. */
function listed(rest: readonly string[]): GitShowing | null {
  const read = readOptions("log", rest);
  if (typeof read === "string") return anything(`takes ${read}, which is not looked through`, rest);
  return read.contents ? anything("shows what each entry changed", rest) : null;
}

/** git-apply(1): what the patches change; in the index by the objects that they name. `words`: for git-apply itself. */
function patched(rest: readonly string[], words: readonly string[]): GitShowing | null {
  const named = words.some((word) => !word.startsWith("-") && word !== "-");
  if (!named) {
    return anything("reads what it changes where nobody sees it before; name the file", []);
  }
  const threeWays = lettersOf(rest).includes("3") ||
    rest.some((word) => word === "-3" || /^--3/.test(word));
  return threeWays ? anything("takes objects that a patch names", []) : { kind: "patches", words };
}

function searched(rest: readonly string[]): GitShowing | null {
  if (rest.some((word) => /^--recurse/.test(word))) {
    return { kind: "elsewhere", why: "it searches other repositories; git -C goes there" };
  }
  if (rest.includes("--no-index")) return null;
  const read = readOptions("grep", rest);
  if (typeof read === "string") return anything(`takes ${read}, which is not looked through`, rest);
  const { operands, cut, patterns } = read;
  const behind = patterns || operands.length === 0 || cut === 0 ? 0 : 1;
  return {
    kind: "files",
    operands: operands.slice(behind),
    cut: cut === null ? null : cut - behind,
    otherwise: "index",
    dashes: true,
    // It prints the words by which it was told of trees.
    standing: { places: [], refs: [], implied: null },
  };
}

function archived(rest: readonly string[]): GitShowing | null {
  if (rest.some((word) => /^--rem/.test(word))) {
    return { kind: "elsewhere", why: "it asks another repository; git -C goes there" };
  }
  if (rest.includes("-l") || rest.includes("--list")) return null;
  const read = readOptions("archive", rest);
  if (typeof read === "string") return anything(`takes ${read}, which is not looked through`, rest);
  return {
    kind: "files",
    operands: read.operands.slice(0, 1),
    cut: null,
    otherwise: "nothing",
    dashes: false,
    standing: { places: read.places.slice(0, 1), refs: [], implied: null },
  };
}

/** One file, as it is now or was in a commit: each word that could name it. */
function annotated(rest: readonly string[]): GitShowing {
  return { kind: "paths", words: rest.filter((word) => !word.startsWith("-")) };
}

function catFile(rest: readonly string[]): GitShowing | null {
  const batches = rest.filter((word) => word.startsWith("--b") && word !== "--buffer");
  const numbers = /^--batch-(?:check(?:=.*)?|all-objects)$/s;
  if (batches.some((word) => !numbers.test(word))) {
    return anything("prints the objects that it is told of", []);
  }
  if (batches.length > 0 || rest.some((word) => ["-t", "-s", "-e"].includes(word))) return null;
  const places = rest.flatMap((word, at) => word.startsWith("-") ? [] : [at]);
  return {
    kind: "objects",
    operands: places.map((at) => rest[at]!),
    standing: { places, refs: [], implied: null },
  };
}

/** `--format` can print whole objects (git-for-each-ref(1), "raw"). */
function formatted(rest: readonly string[]): GitShowing | null {
  return rest.some((word) => /%\(\*?raw/.test(word)) ? anything("prints whole objects", []) : null;
}

/** It shows what it asks about. */
function interactive(rest: readonly string[]): GitShowing | null {
  const asks =
    lettersOf(rest).some((letter) => letter === "p" || letter === "i" || letter === "e") ||
    rest.some((word) => /^--(?:pat|int|edi)/.test(word) && word !== "--edit");
  return asks ? anything("shows what it asks about", []) : null;
}

/** git-reset(1): the index becomes what a commit has, but for `--soft`. */
function unstaged(rest: readonly string[]): GitShowing | null {
  const asks = interactive(rest);
  if (asks !== null) return asks;
  if (rest.some((word) => /^--so/.test(word))) return null;
  const found = rest.indexOf("--");
  const before = (found === -1 ? rest : rest.slice(0, found)).filter((word) =>
    !word.startsWith("-")
  );
  const behind = found === -1 ? [] : rest.slice(found + 1);
  if (before.length === 0) return null;
  const cut = found === -1 ? null : before.length;
  return { kind: "staging", operands: [...before, ...behind], cut };
}

/** It starts what it is told to. */
function execs(rest: readonly string[]): GitShowing | null {
  const starts = lettersOf(rest).includes("x") || rest.some((word) => /^--ex/.test(word));
  return starts && startsGit(rest) ? anything("starts another git", []) : null;
}

/** Whether what it starts may be git by its words: of other programs, and what they start, those say nothing. */
function startsGit(rest: readonly string[]): boolean {
  return rest.some((word) => /(?:^|[^\w.-])git(?![\w.-])/.test(word));
}

function isVerbose(word: string): boolean {
  return /^--verb/.test(word);
}

/** Of words such as `-av`, before `--`. */
function lettersOf(rest: readonly string[]): readonly string[] {
  const cut = rest.indexOf("--");
  return (cut === -1 ? rest : rest.slice(0, cut))
    .filter((word) => /^-[A-Za-z]+$/.test(word)).flatMap((word) => [...word.slice(1)]);
}
