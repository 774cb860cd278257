/**
 * The compiled form of one or more policies: what `decide()`, the layers and the engine ask.
 * Compiled once; every question is pure.
 */

import type { Durability } from "../core/files.ts";
import type { GitSettings } from "../core/git/settings.ts";
import type {
  CanonicalPath,
  Capability,
  Program,
  ResolvedCapability,
  SpawnCapability,
} from "../core/capability.ts";
import type { ErrorCode, RuleReference } from "../core/errors.ts";
import type { WebSettings } from "../core/network.ts";
import type { Limits, PermissionGroup, ProgramLimits, Risk } from "../core/tool.ts";
import type { Effects } from "../programs/effects.ts";
import type { EndingRefusal, Question } from "./judge/question.ts";
import type { NameRule } from "./match/name_filter.ts";
import type {
  Access,
  AgentRule,
  ApprovalTimes,
  AuditRule,
  BackupLimits,
  CallerRule,
  ChildrenRule,
  Effect,
  Recovery,
  Sandbox,
  SecretRule,
  SyncMode,
} from "./model.ts";

export type { Effects, FileEffect, Starts } from "../programs/effects.ts";

/** What is asked of the policy, beside the capabilities. */
export interface Subject {
  /** Its canonical name; policies may name it by an alias. */
  readonly tool: string;
  readonly agent: string;
  readonly risk: Risk;
  readonly permission: PermissionGroup | null;
  /** Judge the risk of the programs that the capabilities start instead of `risk`. */
  readonly riskOfPrograms: boolean;
  /** It counts as this much at least, whatever the programs are. */
  readonly leastRisk?: Risk;
}

/** What one judge says, and the rule behind it. `code` and `rule` speak where the effect is not allow. */
export interface Verdict {
  readonly effect: Effect;
  readonly code: ErrorCode | null;
  readonly reason: string;
  readonly rule: RuleReference | null;
}

/** The decision on a whole request: the strictest of its verdicts, and what they came of. */
export interface Decision extends Verdict {
  /** The risk that was judged: of the tool, or of what the command would do. */
  readonly risk: Risk;
  readonly verdicts: readonly {
    readonly capability: ResolvedCapability;
    readonly verdict: Verdict;
  }[];
  /**
   * Why: every rule that spoke. Gone through when it is asked for, by the very rules that decided; `run` lets others have
   * their turn between the steps, where somebody waits.
   */
  findings(run?: RunSteps): Promise<Findings>;
}

/** Takes the steps of a piece of work to their end. */
export type RunSteps = <T>(steps: Generator<void, T, void>) => T | Promise<T>;

/** A rule that speaks for what was asked. */
export interface MatchedRule {
  /** `paths[3]` */
  readonly index: string;
  readonly effect: Effect;
  /** The glob, command pattern or host that matches, as written. */
  readonly pattern: string;
}

/** How one policy judges one question by its rules. */
export interface PolicyFinding {
  readonly file: string;
  /** The position of the policy among all, from 0. */
  readonly policy: number;
  /**
   * `unnamed`: no rule grants it, which denies. `silent`: the policy has no such rules, or none that counts, and
   * leaves it to others. `system`: no rule names it, and commands may read it by `sandbox.system`.
   */
  readonly effect: Effect | "unnamed" | "silent" | "system";
  /** The rule that decides (`paths[3]`); null where none does. */
  readonly winner: string | null;
  /** How many rules were looked at. */
  readonly tried: number;
  /** Those of them that match, in their order. */
  readonly matching: readonly MatchedRule[];
  /** What is against the ending of a file's name, whatever the rules say of its path. */
  readonly ending: EndingRefusal | null;
}

/** A question with what each policy says to it. */
export interface Answered {
  readonly question: Question;
  readonly policies: readonly PolicyFinding[];
}

/** All that a decision came of. */
export interface Findings {
  /** One entry a capability, as in `Decision.verdicts`; reading the environment asks nothing of rules. */
  readonly capabilities: readonly (readonly Answered[])[];
  /** The rules of agents, policy by policy; those that are silent are left out. */
  readonly agents: readonly {
    readonly file: string;
    /** The pattern that names the agent, as written; null where none does. */
    readonly pattern: string | null;
    readonly permissions: AgentRule["permissions"];
    /** Whether the agent is known and has the permissions that the call needs. */
    readonly granted: boolean;
    /** Those that it does not have. */
    readonly lacking: readonly PermissionGroup[];
  }[];
  /** The thresholds of risk, policy by policy; those that are silent are left out. */
  readonly thresholds: readonly {
    readonly file: string;
    readonly allow: Risk;
    readonly ask: Risk;
  }[];
}

/** What a policy can allow at most: the source of the lower layers' rules. */
export interface PolicyScope {
  /** Static prefixes of the globs that allow or ask, canonical where they exist. */
  readonly read: readonly CanonicalPath[];
  readonly write: readonly CanonicalPath[];
  /** Subtrees wholly denied (`.git/**`), for layers that know denial. */
  readonly denyRead: readonly CanonicalPath[];
  readonly denyWrite: readonly CanonicalPath[];
  /** Program names or paths as the rules write them; "any" where a wildcard stands for the program. */
  readonly programs: readonly string[] | "any";
  /** Names that may be looked up, those of providers too, in their normal form; "any" where a rule has a wildcard. */
  readonly hosts: readonly string[] | "any";
  /** Where tools may connect to, in the words that the layers below know. */
  readonly connect: ConnectScope;
  /** Where the proxy may for programs, likewise. */
  readonly programConnect: ConnectScope;
}

/** Each place that a rule names, with its own port: no place twice, none that another covers. */
export type ConnectScope = readonly ConnectPlace[];

/** No layer below the policy knows names: for one stands what it may stand for. */
export interface ConnectPlace {
  /** {@linkcode ALL_NETWORKS} or {@linkcode PUBLIC_NETWORKS}; an address that a rule names itself, of IPv6 without brackets. */
  readonly to: string;
  /** Null where the rule names the host without a port. */
  readonly port: number | null;
}

/** What a name may stand for where its rule lets that be a private address. */
export const ALL_NETWORKS = "all";
/** And where it does not. */
export const PUBLIC_NETWORKS = "public";

/** Everything that a run must honour; the strictest of all policies. */
export interface Settings {
  readonly workspace: CanonicalPath;
  readonly limits: Limits;
  readonly backups: BackupLimits;
  readonly durability: Durability;
  readonly timeoutMs: number;
  readonly killGraceMs: number;
  readonly environment: {
    readonly pass: readonly string[];
    readonly set: Readonly<Record<string, string>>;
  };
  readonly sandbox: Sandbox;
  readonly shell: "direct" | "sh";
  readonly approvals: ApprovalTimes;
  readonly recovery: Recovery;
  readonly web: WebSettings;
  readonly secrets: readonly SecretRule[];
  /** Null: no policy names a log. */
  readonly audit: AuditSettings | null;
  readonly git: GitSettings;
  /** How child agents are started; null: no policy says. */
  readonly children: ChildrenRule | null;
  /** Who may connect to a gate, and as whom; null: the gate's own user alone. */
  readonly callers: readonly CallerRule[] | null;
}

/** The log that the policies want, `redact` of all of them together. */
export interface AuditSettings extends Pick<AuditRule, "redact"> {
  /** Relative to the workspace, or absolute. */
  readonly file: string;
  readonly required: boolean;
  readonly sync: SyncMode;
  readonly maxSize: number;
}

/** How the entries of one directory fare. */
export interface EntryJudge {
  effectOf(name: string, kind: "file" | "directory"): Effect;
  /** The judge of the directory of that name: this one where they fare alike. */
  into(name: string): EntryJudge;
  /** As `Rulebook.mayDenyBelow`. */
  readonly mayDeny: boolean;
  /** What sets some names apart from all others here; null where each has to be asked about. */
  names(): EntryNames | null;
}

/** How most names of a directory fare, and which might not. */
export interface EntryNames {
  /** For `createNameFilter`, as are `endings`. */
  readonly rules: readonly NameRule[];
  /** Of files alone. */
  readonly endings: readonly string[];
  /** Of each name that no rule and no ending fits; `into` gives judges alike for all of these. */
  readonly usual: Readonly<Record<"file" | "directory", Effect>>;
}

/** The effects of a command; `ruled`: what it may start is said by a rule, not by the table of programs. */
export interface RuledEffects extends Effects {
  readonly ruled: boolean;
}

/** What starting a program would touch beside the program itself. */
export interface Reach {
  /** Files (`by: "program"`) and hosts that the table of programs knows the arguments to name. */
  readonly capabilities: readonly Capability[];
  /** Arguments of which the table knows nothing: where they name something that is there, they count as read. */
  readonly probe: readonly string[];
  /** It runs code that lies in files, or nothing is known of it. */
  readonly runsFiles: boolean;
  /** Paths of programs that it would start. */
  readonly paths: readonly string[];
  /** Names of files that it runs where no word names one. */
  readonly project: readonly string[];
}

/** A program as it is started. */
export interface Started {
  readonly argv: readonly string[];
  readonly program: Program | null;
  readonly cwd: CanonicalPath;
  /** A gate started it as the program of a child agent: `children.network` is for it, and nothing else. */
  readonly child?: true;
}

/** What rules open to a program. */
export interface ProgramNetwork {
  /** Hosts as they are written, of each policy that speaks of any. */
  readonly hosts: readonly string[];
  /** Keys that the proxy adds for it, each with its stand-in. */
  readonly secrets: readonly SecretRule[];
}

/** What a program may use, where a rule says so. */
export interface CommandLimits {
  readonly limits: ProgramLimits;
  /** Milliseconds; null: as long as its call. */
  readonly timeoutMs: number | null;
  /** The rule behind a value; none behind one that is the policy's own. */
  readonly rules: Partial<Record<keyof ProgramLimits | "timeout", RuleReference>>;
}

/** Why a program is refused an address of the loopback where its own call's programs are; null where it is not. */
export type DeniedLoopback = (
  access: "connect" | "listen",
  place: { readonly host: string; readonly port: number },
) => Verdict | null;

/** All policies as one, to be asked. */
export interface Rulebook {
  readonly settings: Settings;
  readonly scope: PolicyScope;
  /**
   * Judges a path by the path rules and extensions alone: what tree walks filter by. Extensions are rules
   * for files: they are not asked for a directory. `file` unless told otherwise.
   */
  judgePath(access: Access, path: CanonicalPath, kind?: "file" | "directory"): Verdict;
  /** As `judgePath`, for what lies in a directory, and the effect alone: quick for many. */
  judgeBelow(access: Access, directory: CanonicalPath): EntryJudge;
  /** Whether something below this directory could be other than allowed for `access`; true when unsure. */
  mayDenyBelow(access: Access, directory: CanonicalPath): boolean;
  /** Loads what judging these takes, to be awaited before `decide`; null where nothing is missing. */
  prepare(
    capabilities: readonly { readonly kind: ResolvedCapability["kind"] }[],
  ): Promise<void> | null;
  /**
   * What the command would read, write and connect to by its arguments, those of commands it starts in turn
   * included. Pure; `prepare` goes before it. `program`: what was found for `argv[0]`.
   */
  reach(command: SpawnCapability, program: Program | null): Reach;
  /**
   * The network of a program that rules name; null for those that have none, and where the policy does not hold programs
   * to one. What it reaches of that is judged when it does.
   */
  networkOf(command: Started): ProgramNetwork | null;
  /** What rules deny a program of what its own call serves, which it reaches without a rule; null where none does. */
  deniedLoopbackOf(command: Started): DeniedLoopback | null;
  /** What rules say that a program may use, with all that it starts; null where `settings.limits` are for it. */
  limitsOf(command: Started): CommandLimits | null;
  /** Whether a rule says what programs may start or use, or opens hosts to some by their names: then no shell is handed a line whose programs it would start. */
  readonly limitsRuns: boolean;
  /**
   * As `reach`, in full and not as capabilities: what it would do to files, and what it may start, as the rules that
   * grant it say or else the table of programs.
   */
  effects(command: SpawnCapability, program: Program | null): RuledEffects;
  /**
   * The same rules, with a folder beside them that may be read and written as far as no rule speaks of it: what one
   * call's programs have as their TMPDIR.
   */
  withFolder(folder: CanonicalPath): Rulebook;
  /** Pure; strictest wins; no match denies. */
  decide(subject: Subject, capabilities: readonly ResolvedCapability[]): Decision;
  /** The same in steps, for whoever has others to answer in between. */
  decideInSteps(
    subject: Subject,
    capabilities: readonly ResolvedCapability[],
  ): Generator<void, Decision, void>;
  /** False where the policy disables the tool or could never allow it to the agent. */
  offers(subject: Subject): boolean;
  /** What all policies together grant an agent; null for one that they do not know. */
  permissionsOf(agent: string): readonly PermissionGroup[] | null;
  /** Tokens that the policies give an agent, the least of them; null where none says. */
  tokensOf(agent: string): number | null;
  /** Whether a policy gives the agent a worktree of its own. */
  worksApart(agent: string): boolean;
  /** Milliseconds for the tool of this canonical name: its own timeout, or the default. */
  timeoutOf(tool: string): number;
}
