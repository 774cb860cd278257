/** The policy as data: what `parse.ts` makes of YAML, plain enough to be sent to another thread or embedded. */

import type { Durability } from "../core/files.ts";
import type { GitFilter, GitIdentity, GitProtocol, GitSettings } from "../core/git/settings.ts";
import type { Starts } from "../programs/spec.ts";
import type { SearchProvider, WebKey, WebProvider, WebSettings } from "../core/network.ts";
import type { Limits, PermissionGroup, ProgramLimits, Risk } from "../core/tool.ts";

/** Effects in rising strictness: the strictest wins. */
export const EFFECTS = ["allow", "ask", "deny"] as const;
/** What a rule, a verdict or a decision comes to. */
export type Effect = (typeof EFFECTS)[number];

/** What a rule of `paths` or `extensions` is about. */
export type Access = "read" | "write";

/** One entry of `paths`. */
export interface PathRule {
  readonly effect: Effect;
  readonly access: readonly Access[];
  /** Globs relative to the workspace, or absolute. */
  readonly match: readonly string[];
  /** Of ask and deny: names of folders into which no `**` of `match` reaches. */
  readonly outside?: readonly string[];
  readonly reason?: string;
}

/** One entry of `commands`: argv prefixes, token by token. */
export interface CommandRule {
  readonly effect: Effect;
  /** Patterns as written: tokens split at blanks, quotes group. */
  readonly patterns: readonly string[];
  /** The prefix is the whole argv. */
  readonly exact: boolean;
  /** Of ask and deny: whole commands that the rule does not speak for. */
  readonly except?: readonly string[];
  readonly reason?: string;
  /** What the programs that it grants may start themselves; left out: what the table of programs says. */
  readonly runs?: Starts;
  /** As risky as this the commands that it allows may be by their own words, whatever `risk` says. */
  readonly risk?: Risk;
  /** What they get in the place of the policy's `limits`. */
  readonly limits?: Partial<ProgramLimits>;
  /** How long each may run. */
  readonly timeoutMs?: number;
  /** Examples that this rule must match, and must not; checked at load. */
  readonly examples: { readonly match: readonly string[]; readonly notMatch: readonly string[] };
}

/** What the arguments of a program may be said to name in `programs`. */
export const PROGRAM_PLACES = [
  "text",
  "read",
  "write",
  "folder",
  "into",
  "host",
  "run",
] as const;
/** One of {@linkcode PROGRAM_PLACES}. */
export type ProgramPlace = (typeof PROGRAM_PLACES)[number];

/** One entry of `programs`: what a program does with its arguments. */
export interface ProgramRule {
  readonly risk: Risk | null;
  /** Places of its operands, one of them with `...` for any number; null where nothing is said. */
  readonly operands: readonly string[] | null;
  /** Options with an argument: `-o`, `--output`. */
  readonly options: Readonly<Record<string, ProgramPlace>>;
}

/** One entry of `network`. */
export interface NetworkRule {
  readonly effect: Effect;
  /** `host`, `*.host`, `host:port`, addresses. */
  readonly hosts: readonly string[];
  /** Upper-case HTTP methods; null for any. */
  readonly methods: readonly string[] | null;
  readonly allowPrivate: boolean;
  /** Beginnings of the commands that it is for, as `commands` writes them; left out: it is for tools. */
  readonly commands?: readonly string[];
  readonly reason?: string;
}

/** One entry of `secrets`: a header that the proxy adds for a host, so that programs use a key that they never see. */
export interface SecretRule {
  /** In its normal form, IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  readonly header: string;
  /** What stands before the key. */
  readonly prefix: string;
  readonly key: WebKey;
  /** Beginnings of the commands that it is for. */
  readonly commands: readonly string[];
  /** The variable in which they find the address that stands for the host. */
  readonly variable: string;
}

/** What a file name may end with, for one access. Endings in lower case with their dot. */
export interface ExtensionRule {
  readonly allow: readonly string[] | null;
  readonly deny: readonly string[];
}

/** One entry of `tools`. What is left out stays as it is. */
export interface ToolRule {
  readonly enabled?: boolean;
  readonly risk?: Risk;
  readonly timeoutMs?: number;
}

/** One entry of `agents`: what the agents of that name or pattern may do, and how many tokens they may spend. */
export interface AgentRule {
  readonly permissions: readonly (PermissionGroup | "all")[];
  readonly tokens?: number;
  readonly worktree?: boolean;
}

/** `auto`: used where it works. `required`: else nothing runs. */
export type SandboxMode = "auto" | "required" | "off";

/** `sandbox`: the layers below the policy, and what programs have beyond the workspace. */
export interface Sandbox {
  readonly kernel: SandboxMode;
  readonly bubblewrap: SandboxMode;
  /** Whether commands may use the network. */
  readonly network: "allow" | "deny";
  /** Absolute folders and files that commands may read and execute beyond the workspace. Null: the built-in list. */
  readonly system: readonly string[] | null;
  /** A private TMPDIR for each call of a command. */
  readonly temporary: boolean;
  /**
   * Where what programs keep from call to call lies (`GOCACHE`, npm, pip, cargo), a folder a workspace. `auto`: below the
   * user's cache folder; `off`: in the temporary folder of the call, if anywhere; else an absolute path.
   */
  readonly caches: string;
}

/** What is kept of the backups of one file; null: all. */
export interface BackupLimits {
  /** The newest so many. */
  readonly keep: number | null;
  /** None older than so many milliseconds. */
  readonly ageMs: number | null;
}

/** From what promises least. */
export const DURABILITIES = ["atomic", "full"] as const satisfies readonly Durability[];

/** How long approvals are waited for, and how long one holds for the same action. Milliseconds. */
export interface ApprovalTimes {
  readonly rememberMs: number;
  readonly expireMs: number;
}

/** When what is written of the log must be on the disk before the call goes on. */
export const SYNC_MODES = ["never", "changes", "always"] as const;
/** One of {@linkcode SYNC_MODES}. */
export type SyncMode = (typeof SYNC_MODES)[number];

/** `audit`. What is null is left to another policy, or to the default. */
export interface AuditRule {
  /** Relative to the workspace, or absolute. */
  readonly file: string | null;
  /** Regular expressions over names, case ignored. */
  readonly redact: readonly string[];
  /** Whether nothing runs where the log cannot be written. */
  readonly required: boolean | null;
  /** `changes`: for all that is not risk safe. */
  readonly sync: SyncMode | null;
  /** Bytes after which the file is put aside and a new one begun. */
  readonly maxSize: number | null;
}

/**
 * `recovery`: what is tried where a call fails. `factor` multiplies the time of each retry, `backoffMs` is waited before
 * one.
 */
export interface Recovery {
  readonly timeout?: { readonly retries: number; readonly factor: number };
  readonly network?: { readonly retries: number; readonly backoffMs: number };
  readonly permission?: "ask" | "fail";
  readonly alternatives?: Readonly<Record<string, readonly string[]>>;
  /** Whether what a call that only looks had found when its time ran out counts as its answer. */
  readonly degraded?: boolean;
}

/** `web`. What is null is left to another policy, or to the default. */
export interface WebRule {
  readonly robots: WebSettings["robots"] | null;
  readonly userAgent: string | null;
  readonly cache: { readonly size: number | null; readonly ageMs: number | null } | null;
  /** Files with further certificate authorities, in PEM. */
  readonly authorities: readonly string[];
  readonly proxy: WebSettings["proxy"];
  readonly search: WebProvider & { readonly provider: SearchProvider } | null;
  readonly github: WebProvider | null;
  readonly stackoverflow: WebProvider | null;
  readonly registries: Partial<WebSettings["registries"]> | null;
}

/** `git`: how git is used. What is null is left to another policy, or to the default. */
export interface GitRule {
  /** Whether the git tools run hooks of repositories, as far as `commands` let these run. */
  readonly hooks: "allow" | "deny" | null;
  /** Filters that run, as far as `commands` lets their programs run. */
  readonly filters: readonly GitFilter[] | null;
  /** Transports that git may use. */
  readonly protocols: readonly GitProtocol[] | null;
  /** The folder of worktrees that Toolgate makes, relative to the workspace. */
  readonly worktrees: string | null;
  /** Whose commits those are where the repository names nobody. */
  readonly identity: GitIdentity | null;
}

/** `children`: how child agents are started, and how many. */
export interface ChildrenRule {
  /** The program and its arguments; `{task}` stands for what it is to do. */
  readonly command: readonly string[];
  /** What it speaks over its standard input and output: the pipe's protocol, or the Agent Client Protocol. */
  readonly protocol: "ndjson" | "acp";
  /** What its working files are: a worktree of the workspace's repository, or a repository of their own. */
  readonly isolation: "worktree" | "clone";
  /** Those that live at a time. */
  readonly max: number;
  /** How many stand above each other at most: with 1 no child has children. */
  readonly depth: number;
  /** How long one may live, in milliseconds. */
  readonly timeout: number;
  /** What its program reaches, and nothing else; null: what `network` opens to a program of its name. */
  readonly network: readonly NetworkRule[] | null;
}

/** One entry of `callers`: a user of this machine, and the agent that he is at a gate. */
export interface CallerRule {
  readonly uid: number;
  readonly agent: string;
}

/** `plugins`: custom tools. */
export interface PluginRule {
  /** Paths and globs of manifests, relative to the folder of the policy file. */
  readonly manifests: readonly string[];
  /** Whether a pipe may register more while it runs; null leaves it to the default, which is not. */
  readonly registration: "allow" | "deny" | null;
}

/**
 * One policy file. A section that the file leaves out is null: in the first policy that means its
 * default (nothing allowed, or the value in `DEFAULTS`), in a further one that it adds no restriction.
 */
export interface Policy {
  readonly version: 1;
  readonly name: string | null;
  /** As written; resolved against the directory Toolgate was started in. */
  readonly workspace: string | null;
  readonly risk: { readonly allow: Risk; readonly ask: Risk } | null;
  readonly paths: readonly PathRule[] | null;
  readonly extensions:
    | { readonly read: ExtensionRule | null; readonly write: ExtensionRule | null }
    | null;
  readonly commands: readonly CommandRule[] | null;
  /** By name of the program. */
  readonly programs: Readonly<Record<string, ProgramRule>> | null;
  readonly shell: { readonly mode: "direct" | "sh" } | null;
  readonly environment: {
    readonly pass: readonly string[];
    readonly set: Readonly<Record<string, string>>;
  } | null;
  readonly network: readonly NetworkRule[] | null;
  readonly secrets: readonly SecretRule[] | null;
  readonly tools: Readonly<Record<string, ToolRule>> | null;
  /** Milliseconds. */
  readonly timeouts: { readonly default: number | null; readonly killGrace: number | null } | null;
  readonly limits: Partial<Limits> | null;
  readonly backups: BackupLimits | null;
  readonly durability: Durability | null;
  readonly agents: Readonly<Record<string, AgentRule>> | null;
  readonly sandbox: Partial<Sandbox> | null;
  readonly approvals:
    | { readonly rememberMs: number | null; readonly expireMs: number | null }
    | null;
  readonly audit: AuditRule | null;
  readonly recovery: Recovery | null;
  readonly web: WebRule | null;
  readonly git: GitRule | null;
  readonly children: ChildrenRule | null;
  readonly callers: readonly CallerRule[] | null;
  readonly plugins: PluginRule | null;
}

/** A policy that says nothing: as a further one it restricts nothing, as the first it allows nothing. */
export const SILENT_POLICY: Policy = {
  version: 1,
  name: null,
  workspace: null,
  risk: null,
  paths: null,
  extensions: null,
  commands: null,
  programs: null,
  shell: null,
  environment: null,
  network: null,
  secrets: null,
  tools: null,
  timeouts: null,
  limits: null,
  backups: null,
  durability: null,
  agents: null,
  sandbox: null,
  approvals: null,
  audit: null,
  recovery: null,
  web: null,
  git: null,
  children: null,
  callers: null,
  plugins: null,
};

/** A policy with the name its messages use (`policy/default.yaml`, `(built in)`). */
export interface LoadedPolicy {
  readonly source: string;
  readonly policy: Policy;
}

const KiB = 1024;
const MiB = 1024 * KiB;

/** What holds where the first policy is silent: what `policy show` prints for it. */
export const DEFAULTS = {
  risk: { allow: "moderate", ask: "dangerous" },
  shell: { mode: "direct" },
  environment: {
    pass: [
      ...["PATH", "HOME", "LANG", "TERM", "TZ"],
      ...["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"],
    ],
    set: {},
  },
  timeouts: { default: 30_000, killGrace: 5_000 },
  approvals: { rememberMs: 600_000, expireMs: 300_000 },
  durability: "atomic",
  audit: { required: true, sync: "changes", maxSize: 64 * MiB },
  limits: {
    read: 1 * MiB,
    write: 10 * MiB,
    output: 1 * MiB,
    response: 5 * MiB,
    request: 16 * MiB,
    entries: 500,
    depth: 5,
    matches: 50,
    memory: 2048 * MiB,
    processes: 64,
    file: 1024 * MiB,
    cpu: 60 * 60 * 1000,
    concurrency: 8,
  },
  agents: { root: { permissions: ["all"] } },
  sandbox: {
    kernel: "auto",
    bubblewrap: "off",
    network: "deny",
    system: null,
    temporary: true,
    caches: "off",
  },
  web: {
    robots: "honor",
    userAgent: "Toolgate (tools of an agent, under a policy)",
    cache: { size: 50 * MiB, ageMs: 60 * 60 * 1000 },
  },
  git: {
    hooks: "deny",
    filters: [],
    protocols: ["https"],
    worktrees: ".toolgate/worktrees",
    identity: null,
    home: null,
  },
} as const satisfies {
  readonly risk: { readonly allow: Risk; readonly ask: Risk };
  readonly shell: { readonly mode: "direct" | "sh" };
  readonly environment: NonNullable<Policy["environment"]>;
  readonly timeouts: { readonly default: number; readonly killGrace: number };
  readonly approvals: ApprovalTimes;
  readonly durability: Durability;
  readonly audit: { readonly required: boolean; readonly sync: SyncMode; readonly maxSize: number };
  readonly limits: Limits;
  readonly agents: Readonly<Record<string, AgentRule>>;
  readonly git: GitSettings;
  readonly sandbox: Sandbox;
  readonly web: Pick<WebSettings, "robots" | "userAgent" | "cache">;
};
