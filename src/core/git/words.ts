/** What the words of a git command say: where it begins, what it is, and what it is told. Pure. */

/** A command of git by its words. */
export interface GitWords {
  /** What its `-C` name, one after the other. */
  readonly folders: readonly string[];
  readonly subcommand: string;
  /** What follows the subcommand. */
  readonly rest: readonly string[];
}

/** Before the subcommand, without effect on what it changes (git(1)). */
const HARMLESS: ReadonlySet<string> = new Set([
  ...["--no-pager", "-P", "--paginate", "-p", "--literal-pathspecs", "--no-optional-locks"],
  ...["--no-replace-objects", "--no-lazy-fetch", "--no-advice"],
]);

/**
 * Settings that say who commits, how it is shown, how a first branch is called, that nothing is signed, and that nobody is
 * asked for words: nothing else changes (git-config(1)).
 */
const PLAIN =
  /^(?:user\.(?:name|email)|color\.[a-z.]+|advice\.[a-z]+|core\.(?:quotepath|abbrev)|log\.date|init\.defaultbranch)=|^(?:commit|tag)\.gpgsign=(?:false|no|off|0)$|^core\.editor=(?:true|:)$/i;

/** Null where it has no subcommand, or is told before it to look elsewhere or to do otherwise. */
export function gitWords(argv: readonly string[]): GitWords | null {
  const folders: string[] = [];
  for (let at = 1; at < argv.length; at++) {
    const word = argv[at]!;
    if (word === "-C") folders.push(argv[++at] ?? "");
    else if (word === "-c" && PLAIN.test(argv[at + 1] ?? "")) at++;
    else if (!word.startsWith("-")) return { folders, subcommand: word, rest: argv.slice(at + 1) };
    else if (!HARMLESS.has(word)) return null;
  }
  return null;
}

/**
 * What changes the repository's own folder. `records`: nothing else; `files`: working files too, which are looked at
 * before it is started, so that it is done whole or not at all.
 */
export const GIT_CHANGES: Readonly<Record<string, "records" | "files">> = {
  add: "records",
  commit: "records",
  branch: "records",
  fetch: "records",
  gc: "records",
  notes: "records",
  "pack-refs": "records",
  push: "records",
  reflog: "records",
  tag: "records",
  "update-index": "records",
  "update-ref": "records",
  // Objects alone, of which nothing is known yet.
  "commit-tree": "records",
  "hash-object": "records",
  mktag: "records",
  mktree: "records",
  "write-tree": "records",
  // They note in the index which files they found unchanged: what comes next goes by that.
  diff: "records",
  status: "records",
  am: "files",
  apply: "files",
  bisect: "files",
  checkout: "files",
  "cherry-pick": "files",
  clean: "files",
  merge: "files",
  mv: "files",
  rebase: "files",
  reset: "files",
  restore: "files",
  revert: "files",
  rm: "files",
  stash: "files",
  switch: "files",
};

/** Of git-remote(1) what fetches, or changes references alone: others write settings. */
const RECORDS_OF_REMOTES: ReadonlySet<string> = new Set(["update", "prune", "set-head"]);

/** Whether it changes the repository's own folder, beside its settings. */
export function changesRepository({ subcommand, rest }: GitWords): boolean {
  return subcommand === "remote"
    ? RECORDS_OF_REMOTES.has(rest.find((word) => !word.startsWith("-")) ?? "")
    : Object.hasOwn(GIT_CHANGES, subcommand);
}

/** Options with which settings are written too: those of a branch, and no others (`GitFolder.settles`). */
const SETTLING: Readonly<Record<string, RegExp>> = {
  branch: /^(?:-[a-zA-Z]*[mMcCutdD]|--(?:move|copy|delete|set-upstream|unset|edit-desc|track).*)/,
  checkout: /^(?:-t|--track.*)$/,
  switch: /^(?:-t|--track.*)$/,
  push: /^(?:-u|--set-upstream)$/,
};

/** Whether it changes the repository's settings beside what it records. */
export function changesSettings({ subcommand, rest }: GitWords): boolean {
  const pattern = SETTLING[subcommand];
  return pattern !== undefined && rest.some((word) => pattern.test(word));
}

/** Whether it says who commits in this repository, and nothing else (git-config(1)). */
export function namesUser({ subcommand, rest }: GitWords): boolean {
  const [key = "", value, ...more] = rest[0] === "--local" ? rest.slice(1) : rest;
  return subcommand === "config" && /^user\.(?:name|email)$/.test(key) && value !== undefined &&
    !value.startsWith("-") && more.length === 0;
}

/** The repositories that a command speaks with, as its words name them; null for what speaks with none. */
export function spokenTo({ subcommand, rest }: GitWords): GitPeers | null {
  const letters = VALUE_LETTERS[subcommand];
  if (letters === undefined) return null;
  const named = rest.filter((word, at) =>
    !word.startsWith("-") && !takesNext(rest[at - 1] ?? "", letters)
  );
  const has = (...options: readonly string[]) => rest.some((word) => options.includes(word));
  if (subcommand === "remote") return spokenToByRemote(named, has("-f", "--fetch"));
  if (subcommand === "push") {
    const said = valuesOf(rest, "--repo");
    return { remotes: [...named, ...said].slice(0, 1), written: true };
  }
  if (subcommand !== "ls-remote" && has("--all")) return { remotes: "all", written: false };
  const several = subcommand === "fetch" && has("--multiple", "-m");
  return { remotes: several ? named : named.slice(0, 1), written: false };
}

/** git-remote(1): the words after its own. */
function spokenToByRemote(named: readonly string[], fetches: boolean): GitPeers | null {
  const [does, ...more] = named;
  switch (does) {
    case "update":
      return { remotes: more.length === 0 ? "all" : more, written: false };
    case "add":
      return fetches ? { remotes: more.slice(1), written: false } : null;
    case "show":
    case "prune":
      return more.length === 0 ? null : { remotes: more, written: false };
    case "set-head":
      return { remotes: more.slice(0, 1), written: false };
    default:
      return null;
  }
}

/** What speaks with others, and its letters with a value: git-fetch(1), git-pull(1), git-push(1), git-ls-remote(1), git-remote(1). */
const VALUE_LETTERS: Readonly<Record<string, string>> = {
  fetch: "oj",
  pull: "ojsX",
  push: "o",
  "ls-remote": "o",
  remote: "tm",
};

/** Options of theirs with a value, which may stand apart. */
const VALUE_OPTIONS = [
  ...["--server-option", "--push-option", "--depth", "--jobs", "--sort", "--refmap", "--deepen"],
  ...["--shallow-since", "--shallow-exclude", "--filter", "--negotiation-tip", "--upload-pack"],
  ...["--receive-pack", "--exec", "--repo", "--strategy", "--strategy-option", "--cleanup"],
  ...["--track", "--master"],
];

/** Whether the next word is its value: letters may stand together, and long names be cut short (gitcli(7)). */
function takesNext(word: string, letters: string): boolean {
  if (word.startsWith("--")) {
    return word.length > 2 && VALUE_OPTIONS.some((option) => option.startsWith(word));
  }
  return /^-[a-zA-Z46]+$/.test(word) && letters.includes(word.at(-1) ?? "") &&
    ![...word.slice(1, -1)].some((letter) => letters.includes(letter));
}

/** The values of an option, in its word or behind it. */
function valuesOf(words: readonly string[], option: string): readonly string[] {
  return words.flatMap((word, at) =>
    word.startsWith(`${option}=`)
      ? [word.slice(option.length + 1)]
      : word === option
      ? words.slice(at + 1, at + 2)
      : []
  );
}

/** Whom a command speaks with. */
export interface GitPeers {
  /** Names of remotes, paths or addresses; none for the one that git takes by itself. */
  readonly remotes: readonly string[] | "all";
  /** Whether they are changed. */
  readonly written: boolean;
}

/** What a command that changes working files comes to; names are asked of git. */
export interface GitReach {
  /** Commits by their names: what differs between HEAD and each of them. */
  readonly trees: readonly string[];
  /** Commits by their names: what each of them has changed since HEAD and it parted. */
  readonly sides: readonly string[];
  /** Words of `git log`: what those commits changed, one by one. */
  readonly commits: readonly string[] | null;
  /** Among them are the commits that a search was told of, and the one that it began at. */
  readonly bisects: boolean;
  /** What differs between the working files, the index and HEAD; or that where no word names a commit. */
  readonly dirty: boolean | "without a commit";
  /** Words of `git ls-files`: those files themselves. */
  readonly files: readonly string[] | null;
  /** Words of `git apply`: what the patches in these files change. */
  readonly patches: readonly string[] | null;
  /** It reads from elsewhere what it will change: nobody can look at that before. */
  readonly unseen: boolean;
  /** Words of `git merge` with which it would start a script of the shell's; null for none. */
  readonly script: string | null;
}

const NOTHING: GitReach = {
  trees: [],
  sides: [],
  commits: null,
  bisects: false,
  dirty: false,
  files: null,
  patches: null,
  unseen: false,
  script: null,
};

/** Null for what changes no working file. A word that names no commit is one for nobody: more words than that are safe. */
export function gitReach({ subcommand, rest }: GitWords): GitReach | null {
  const has = (...options: readonly string[]) => rest.some((word) => options.includes(word));
  const cut = rest.indexOf("--");
  const words = (cut === -1 ? rest : rest.slice(0, cut)).flatMap(valuesIn);
  const goesOn = has("--continue", "--skip", "--abort", "--quit");
  switch (subcommand) {
    case "checkout":
    case "switch": {
      if (isBranchFromHere(rest)) return null;
      const over = cut !== -1 ||
        has("-f", "--force", "--discard-changes", "-m", "--merge", "--ours", "--theirs", "-p");
      // Without a commit among them they are files, as the index has them.
      return { ...NOTHING, trees: words, dirty: over || "without a commit" };
    }
    case "restore":
      return { ...NOTHING, trees: words, dirty: true };
    case "reset":
      return has("--hard", "--merge", "--keep") ? { ...NOTHING, trees: words, dirty: true } : null;
    case "merge":
      if (has("--quit")) return null;
      return goesOn ? { ...NOTHING, dirty: true } : {
        ...NOTHING,
        sides: words.length === 0 ? ["@{upstream}"] : words,
        script: mergeScript(rest),
      };
    case "rebase":
      if (has("--quit")) return null;
      return goesOn
        ? { ...NOTHING, dirty: true, commits: between(["rebase-merge/orig-head", "ORIG_HEAD"]) }
        : {
          ...NOTHING,
          trees: words,
          commits: between(words.length === 0 ? ["@{upstream}"] : words),
        };
    case "cherry-pick":
    case "revert":
      if (has("--quit")) return null;
      return goesOn
        ? { ...NOTHING, dirty: true, trees: ["sequencer/head"] }
        : { ...NOTHING, commits: rest.some(isRange) ? between(words) : single(words) };
    case "stash":
      return stashReach(rest, words);
    case "bisect":
      return bisectReach(rest, words);
    case "am":
      if (goesOn || has("--show-current-patch")) {
        return { ...NOTHING, dirty: true, trees: ["ORIG_HEAD"] };
      }
      return { ...NOTHING, patches: words, unseen: words.length === 0 || words.includes("-") };
    case "apply": {
      if (has("--check", "--stat", "--numstat", "--summary", "--cached") && !has("--apply")) {
        return null;
      }
      const named = words.filter((word) => word !== "-");
      // From standard input: by name, one file after the other.
      return named.length === 0 ? null : { ...NOTHING, patches: rest };
    }
    case "clean":
      return has("-n", "--dry-run") || clusters(rest).includes("n")
        ? null
        : { ...NOTHING, files: cleaned(rest) };
    case "rm":
      return has("--cached", "-n", "--dry-run") ? null : { ...NOTHING, files: listed(rest) };
    case "mv":
      return has("-n", "--dry-run") ? null : { ...NOTHING, files: listed(rest) };
    default:
      return null;
  }
}

/** A new branch where HEAD is: all files stay as they are, whatever has been changed in them (git-checkout(1), -b). */
function isBranchFromHere(rest: readonly string[]): boolean {
  const [option = "", name = "", ...more] = rest.filter((word) =>
    word !== "-q" && word !== "--quiet"
  );
  return /^(?:-q?[bBcC]|--create|--force-create)$/.test(option) && /^[^-]/.test(name) &&
    more.length === 0;
}

const MERGE_VALUES: ReadonlySet<string> = new Set([
  "-m",
  "-F",
  "--file",
  "-X",
  "-s",
  "--strategy",
  "--into-name",
]);

/** Several sides at a time, and these strategies, are done by scripts (git-merge(1), MERGE STRATEGIES). */
function mergeScript(rest: readonly string[]): string | null {
  const named = rest.find((word, at) =>
    /^(?:octopus|resolve)$/.test(word) && /^(?:-s|--strategy)$/.test(rest[at - 1] ?? "") ||
    /^(?:-s|--strategy=)(?:octopus|resolve)$/.test(word)
  );
  if (named !== undefined) return named;
  const sides = rest.filter((word, at) =>
    !word.startsWith("-") && !MERGE_VALUES.has(rest[at - 1] ?? "")
  );
  return sides.length > 1 ? sides.join(" ") : null;
}

/** What `stash` puts aside, or brings back (git-stash(1)). */
function stashReach(rest: readonly string[], words: readonly string[]): GitReach | null {
  const [action = "push", ...more] = rest;
  if (["list", "show", "drop", "clear", "create", "store"].includes(action)) return null;
  if (["pop", "apply", "branch"].includes(action)) {
    const named = words.slice(1).map((word) => /^\d+$/.test(word) ? `stash@{${word}}` : word);
    const stash = named.length === 0 ? ["stash@{0}"] : named;
    // The third parent has what git did not know.
    return { ...NOTHING, trees: stash, commits: single(stash.map((one) => `${one}^3`)) };
  }
  const options = clusters(action === "push" || action === "save" ? more : rest);
  const untracked = options.includes("u") || options.includes("a") ||
    rest.some((word) => word === "--include-untracked" || word === "--all");
  const all = options.includes("a") || rest.includes("--all");
  const files = untracked ? ["--others", ...(all ? [] : ["--exclude-standard"])] : null;
  return { ...NOTHING, dirty: true, files };
}

/** It goes from one commit to the next between those that it was told of, and back to where it began. */
function bisectReach([action]: readonly string[], words: readonly string[]): GitReach | null {
  if (["log", "terms", "help", "view", "visualize", undefined].includes(action)) return null;
  return {
    ...NOTHING,
    commits: between(words.slice(1)),
    bisects: true,
    unseen: action === "replay",
  };
}

/** Words that could name commits: no options, but their values. */
function valuesIn(word: string): readonly string[] {
  if (!word.startsWith("-")) return word.includes("..") ? word.split(/\.{2,3}/) : [word];
  if (word === "-") return ["@{-1}"];
  const value = /^--[a-z-]+=(.+)$/s.exec(word)?.[1];
  return value === undefined ? [] : [value];
}

/** What either side has changed since they parted: `HEAD` comes to them. */
function between(words: readonly string[]): readonly string[] {
  return ["--symmetric", ...words];
}

/** What lies between the ends of a range is among what changed since they parted. */
function isRange(word: string): boolean {
  return !word.startsWith("-") && word.includes("..");
}

/** Those alone. */
function single(words: readonly string[]): readonly string[] {
  return ["--no-walk", ...words];
}

function clusters(rest: readonly string[]): string {
  return rest.filter((word) => /^-[A-Za-z]+$/.test(word)).map((word) => word.slice(1)).join("");
}

/** What git-clean(1) would remove, and perhaps some more. */
function cleaned(rest: readonly string[]): readonly string[] {
  const options = clusters(rest);
  const which = options.includes("X")
    ? ["--ignored", "--exclude-standard"]
    : options.includes("x")
    ? []
    : ["--exclude-standard"];
  return ["--others", ...which, ...listed(rest)];
}

function listed(rest: readonly string[]): readonly string[] {
  return ["--", ...rest.filter((word) => !word.startsWith("-"))];
}
