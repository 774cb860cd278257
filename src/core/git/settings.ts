/**
 * What git is started with, by tools and in command lines alike: settings that stand above those of the repository,
 * whose configuration is somebody else's data. Names: git(1) "Environment Variables", git-config(1).
 */

import { gitWords } from "./words.ts";

/** Transports of git (git(1), `GIT_ALLOW_PROTOCOL`); `file` is a path of this machine. */
export const GIT_PROTOCOLS = ["https", "http", "ssh", "git", "file"] as const;
/** One of {@linkcode GIT_PROTOCOLS}. */
export type GitProtocol = (typeof GIT_PROTOCOLS)[number];

/** Those that the git tools speak: over their proxy, or among repositories of the workspace. */
export const SPOKEN_PROTOCOLS = ["https", "http", "file"] as const satisfies readonly GitProtocol[];

/** Filters of contents that a policy can let run: what is meant by each name is known here, whatever a repository says. */
export const GIT_FILTERS = ["lfs"] as const;
/** One of {@linkcode GIT_FILTERS}. */
export type GitFilter = (typeof GIT_FILTERS)[number];

/**
 * The program of each, which speaks the protocol of gitattributes(5), "Long Running Filter Process", and keeps contents in
 * a folder of that name (git-lfs-config(5), `lfs.storage`).
 */
export const FILTER_PROGRAMS: Readonly<Record<GitFilter, readonly [string, string]>> = {
  lfs: ["git-lfs", "filter-process"],
};

/** Whose commits those are. */
export interface GitIdentity {
  readonly name: string;
  readonly email: string;
}

/** Of a workspace that is an agent's own worktree: where the repository is that it belongs to, outside of it. */
export interface GitHome {
  /** Whose worktree it is: no other agent works in it. */
  readonly agent: string;
  /** The `.git` of the repository: objects, refs and settings. An absolute path, as is the next. */
  readonly common: string;
  /** The folder below it that is this worktree's own: its HEAD and index. */
  readonly own: string;
}

/** The policy's `git`, as it holds. */
export interface GitSettings {
  /** `allow`: hooks of repositories run as the programs that they are, where rules let those run. */
  readonly hooks: "allow" | "deny";
  /** Filters that the git tools let git run, as far as rules let their programs run. */
  readonly filters: readonly GitFilter[];
  readonly protocols: readonly GitProtocol[];
  /** Relative to the workspace. */
  readonly worktrees: string;
  readonly identity: GitIdentity | null;
  /** Null where the workspace is no agent's own worktree. */
  readonly home: GitHome | null;
}

/** Variables that settle what no setting of a repository can change; those of the policy's protocols come to them. */
export const GIT_ENVIRONMENT: Readonly<Record<string, string>> = {
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_TERMINAL_PROMPT: "0",
  GIT_ASKPASS: "/bin/false",
  GIT_PAGER: "cat",
  GIT_EDITOR: ":",
  GIT_SEQUENCE_EDITOR: ":",
  // Reading must not fetch, and no object stands in for another.
  GIT_NO_LAZY_FETCH: "1",
  GIT_NO_REPLACE_OBJECTS: "1",
};

/** Keys that run programs, read other files or change what is printed; a repository's own values do not count. */
export const GIT_KEYS = {
  "core.fsmonitor": "false",
  "core.hooksPath": "/dev/null",
  "core.sshCommand": "false",
  "core.askPass": "",
  "core.alternateRefsCommand": "",
  "core.attributesFile": "/dev/null",
  "core.excludesFile": "/dev/null",
  "core.gitProxy": "",
  "core.quotePath": "false",
  "credential.helper": "",
  "uploadpack.packObjectsHook": "",
  "interactive.diffFilter": "",
  "gpg.program": "false",
  "gpg.ssh.program": "false",
  "gpg.ssh.defaultKeyCommand": "false",
  "gpg.x509.program": "false",
  "commit.gpgSign": "false",
  "tag.gpgSign": "false",
  "push.gpgSign": "false",
  "log.showSignature": "false",
  "merge.verifySignatures": "false",
  "gc.auto": "0",
  "maintenance.auto": "false",
  "safe.bareRepository": "explicit",
  "submodule.recurse": "false",
  "push.recurseSubmodules": "no",
  "fetch.recurseSubmodules": "false",
  "color.ui": "false",
  "diff.external": "",
  "diff.orderFile": "/dev/null",
  "diff.submodule": "short",
  // A diff in a file of the repository's own, and objects that a patch names.
  "commit.verbose": "false",
  "am.threeWay": "false",
  // What git did not know when it was put aside.
  "stash.showIncludeUntracked": "false",
  "diff.noprefix": "false",
  "diff.mnemonicPrefix": "false",
  "grep.patternType": "default",
  "mailmap.file": "/dev/null",
  "i18n.logOutputEncoding": "UTF-8",
  "user.useConfigOnly": "true",
  "advice.detachedHead": "false",
  // Both would write settings once the branch is made.
  "branch.autoSetupMerge": "false",
  "checkout.guess": "false",
} as const satisfies Readonly<Record<string, string>>;

/**
 * Of those, what a line's git is not given: how people are shown things, who commits, and keys whose empty value is an
 * error where no option of ours stands beside it. That nothing runs the kernel's rules see to.
 */
const NOT_FOR_LINES: ReadonlySet<string> = new Set([
  ...["core.quotePath", "core.excludesFile", "color.ui", "diff.noprefix", "diff.mnemonicPrefix"],
  ...["grep.patternType", "mailmap.file", "i18n.logOutputEncoding", "user.useConfigOnly"],
  ...["advice.detachedHead", "diff.external", "interactive.diffFilter", "core.gitProxy"],
  ...["core.alternateRefsCommand", "uploadpack.packObjectsHook"],
]);

/** Which transports git may use, as variables. None of them: `protocol.*.allow` of the repository is not asked. */
export function protocolVariables(protocols: readonly string[]): Readonly<Record<string, string>> {
  return {
    GIT_ALLOW_PROTOCOL: protocols.join(":"),
    GIT_SSH_COMMAND: protocols.includes("ssh") ? "ssh" : "/bin/false",
  };
}

/**
 * Settings as git(1) hands those of `-c` on to what it starts: what is told by `-c` comes to them, and stands above them. Git
 * before 2.31 knows no other way (`GIT_CONFIG_COUNT`). Quoted as for a shell (quote.c, `sq_quote_buf`); no key has a `=`.
 */
function parametersOf(
  settings: readonly (readonly [key: string, value: string])[],
): Readonly<Record<string, string>> {
  const quoted = settings.map(([key, value]) =>
    `'${`${key}=${value}`.replace(/['!]/g, "'\\$&'")}'`
  );
  return { GIT_CONFIG_PARAMETERS: quoted.join(" ") };
}

/** Commands of git that clean what they record (gitattributes(5), "filter") before they change anything. */
const CLEANING: ReadonlySet<string> = new Set(["add", "stage", "commit", "update-index"]);

/**
 * In a line a filter that the policy lets the tools run does not: git is given one that nobody can start, by a name that git
 * says then. Left alone it would record whole what the filter keeps elsewhere. What lays files out is left alone: it would
 * be cut short by it.
 */
function filterKeys(
  { filters }: Pick<GitSettings, "filters">,
  subcommand: string,
): readonly (readonly [string, string])[] {
  if (!CLEANING.has(subcommand)) return [];
  return filters.flatMap((name) => [
    [`filter.${name}.process`, `git_add-and-the-other-git-tools-run-${FILTER_PROGRAMS[name][0]}`],
    [`filter.${name}.required`, "true"],
  ]);
}

/**
 * The variables of a program of a line that is git, or starts it. `git config` shows a repository's own settings and runs
 * nothing by them: ours would stand among them.
 */
export function lineVariables(
  { filters, protocols }: Pick<GitSettings, "filters" | "protocols">,
  argv: readonly string[] = [],
  /** Where it finds hooks; nowhere unless given. */
  hooksPath: string = GIT_KEYS["core.hooksPath"],
): Readonly<Record<string, string>> {
  const isGit = /(?:^|\/)git$/.test(argv[0] ?? "");
  const subcommand = isGit ? gitWords(argv)?.subcommand ?? "" : "";
  const shows = subcommand === "config";
  const keys = [
    ...Object.entries(GIT_KEYS).filter(([key]) => !shows && !NOT_FOR_LINES.has(key)),
    ...filterKeys({ filters }, subcommand),
  ];
  return {
    ...GIT_ENVIRONMENT,
    // Who asks to edit a list of commits by hand and cannot is told so: left as it is, it would look edited.
    GIT_SEQUENCE_EDITOR: "false",
    ...protocolVariables(protocols),
    // A new repository has nothing that somebody else laid ready, hooks above all (git-init(1), "TEMPLATE DIRECTORY").
    GIT_TEMPLATE_DIR: "",
    ...parametersOf(
      keys.map(([key, value]) => [key, key === "core.hooksPath" ? hooksPath : value]),
    ),
  };
}

/** Of the keys those that run programs. */
const RUNNING = [
  ...["core.fsmonitor", "core.hooksPath", "core.sshCommand", "core.askPass", "credential.helper"],
  ...[
    "gpg.program",
    "gpg.ssh.program",
    "gpg.ssh.defaultKeyCommand",
    "gpg.x509.program",
    "commit.gpgSign",
    "tag.gpgSign",
  ],
  ...["push.gpgSign", "log.showSignature", "merge.verifySignatures", "core.attributesFile"],
  ...["gc.auto", "maintenance.auto"],
] as const satisfies readonly (keyof typeof GIT_KEYS)[];

/**
 * The variables of a program that may start git without its words saying so: a script, make, an interpreter. What only keeps
 * git in a line from what the policy denies by name is none of it, nor where a new repository has its files from, nor how a
 * bare one is named: scripts make repositories for themselves. Hooks that the policy lets run are part of the program there.
 */
export function scriptVariables(
  { hooks, protocols }: Pick<GitSettings, "hooks" | "protocols">,
): Readonly<Record<string, string>> {
  const keys = RUNNING.filter((key) => hooks === "deny" || key !== "core.hooksPath");
  return {
    ...GIT_ENVIRONMENT,
    GIT_SEQUENCE_EDITOR: "false",
    ...protocolVariables(protocols),
    ...parametersOf(keys.map((key) => [key, GIT_KEYS[key]])),
  };
}

const EDITORS: ReadonlySet<string> = new Set(
  ["EDITOR", "VISUAL", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR"],
);

/** The variables with `:` for an editor that is `true`: git starts none then, and could not start that (git-var(1)). */
export function withoutIdleEditors(
  variables: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const idle = [...variables].filter(([name, value]) => EDITORS.has(name) && value === "true");
  return idle.length === 0
    ? variables
    : new Map([...variables, ...idle.map(([name]) => [name, ":"] as const)]);
}

/** Whether one of these words is git, or a text that may start it. */
export function namesGit(argv: readonly string[]): boolean {
  return argv.some((word) => /(?:^|[^\w.-])git(?![\w.-])/.test(word));
}
