/** What a tool is, and the handles it is given: it sees nothing else of the machine. */

import type { Capability } from "./capability.ts";
import type { Files, ReadFiles } from "./files.ts";
import type { Network, WebSettings } from "./network.ts";
import type { GitSettings } from "./git/settings.ts";
import type { LineScope } from "./line_scope.ts";
import type { Processes } from "./processes.ts";
import type { Infer, Schema } from "./schema.ts";
import type { Survey } from "./survey.ts";
import type { Syntax } from "./syntax_tree.ts";

export type * from "./files.ts";
export type * from "./processes.ts";

/** Risks in rising order. */
export const RISKS = ["safe", "moderate", "dangerous"] as const;
/** How much harm a call can do: `safe` changes nothing, `dangerous` may do what cannot be undone. */
export type Risk = (typeof RISKS)[number];

/** Groups that a policy grants to agents. */
export const PERMISSION_GROUPS = [
  "file_read",
  "file_write",
  "file_modify",
  "code_execution",
  "network_access",
  "git_operations",
  "agent_spawn",
] as const;
/** What an agent is granted: a tool without its group is refused. */
export type PermissionGroup = (typeof PERMISSION_GROUPS)[number];

/** Kinds of tools, each a folder of `src/tools`; `custom` are those of manifests. */
export const CATEGORIES = [
  "fs",
  "exec",
  "git",
  "web",
  "agent",
  "analysis",
  "util",
  "custom",
] as const;
/** A kind of tool. */
export type Category = (typeof CATEGORIES)[number];

/** Sizes in bytes, counts as counts, times in milliseconds; the policy's `limits`. */
export interface Limits {
  readonly read: number;
  readonly write: number;
  readonly output: number;
  readonly response: number;
  readonly request: number;
  readonly entries: number;
  readonly depth: number;
  readonly matches: number;
  readonly memory: number;
  readonly processes: number;
  /** Of one file that a program writes. */
  readonly file: number;
  /** Time on processors, of all programs of a run together. */
  readonly cpu: number;
  readonly concurrency: number;
}

/** Those that programs are held to: what a rule of `commands` can say for its own. */
export const PROGRAM_LIMITS = ["memory", "processes", "file", "cpu"] as const;
/** One value of each. */
export type ProgramLimits = Pick<Limits, (typeof PROGRAM_LIMITS)[number]>;

/** One call with a word on what it is good for. */
export interface ToolExample {
  readonly note: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** What a tool may say of another, for `get_help`. */
export interface ToolDescription {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly category: Category;
  readonly description: string;
  readonly risk: Risk;
  /** Whether any of its calls changes something: some of a safe tool's may, as one that writes what it found. */
  readonly changes: boolean;
  readonly permission: PermissionGroup | null;
  readonly input: Schema<unknown>;
  readonly output: Schema<unknown>;
  readonly examples: readonly ToolExample[];
}

/** The tools as `get_help` may ask for them. */
export interface Catalogue {
  /** By name or alias. */
  describe(name: string): Promise<ToolDescription | null>;
  /** Best first, by name, description and function. */
  search(text: string): Promise<readonly ToolDescription[]>;
  all(): Promise<readonly ToolDescription[]>;
  nearest(name: string): readonly string[];
}

/** What a preview gets: what reads, and nothing that changes anything. */
export interface ReadContext {
  readonly files: ReadFiles;
  readonly syntax: Syntax;
  readonly limits: Limits;
  /** Milliseconds left for this call; long loops look at it now and then through `checkpoint`. */
  readonly timeoutMs: number;
  /** Throws CANCELLED or TIMEOUT when the call is to end. Cheap. */
  checkpoint(): void;
  /**
   * Does work without checkpoints, such as matching a caller's pattern, and ends it wherever it is when the call's time
   * is over. For work that awaits nothing; costs some 40 µs.
   */
  timed<T>(work: () => T): T;
  progress(done: number, total: number | null, unit: string): void;
  readonly now: () => Date;
  /** What the policy says of the web. */
  readonly web: WebSettings;
  /** The policy's `git`. */
  readonly git: GitSettings;
  readonly catalogue: Catalogue;
}

/** All that a running tool sees. */
export interface ToolContext extends ReadContext {
  readonly files: Files;
  readonly processes: Processes;
  readonly network: Network;
  /** Adds to the `usage` of the result: `bytes_read`, `bytes_written`, … */
  count(name: string, amount: number): void;
}

/** What a call would do. `changes` is free of effect and made by the code that plans the change. */
export interface Preview {
  readonly [key: string]: unknown;
}

/** What capabilities are derived from beside the input. */
export interface Scope {
  /** Where commands start unless told otherwise: always `.` today. */
  readonly cwd: string;
  /** What the policy says of the web; left out: nothing. */
  readonly web?: WebSettings;
  /** What it says of git, likewise. */
  readonly git?: GitSettings;
}

/** How the calls of one tool are those of others. `capabilities` and `run` of the one are never asked then. */
export interface StandsFor<I> {
  /** Canonical names of the tools that `call` may answer with. */
  readonly tools: readonly string[];
  /** The call that is meant. Free of effects. Throws INVALID_ARGUMENTS. */
  call(input: I): { readonly tool: string; readonly args: Readonly<Record<string, unknown>> };
}

/** What a tool says and does, by what it is given and what it answers. */
interface ToolOf<I, O> {
  /** Its canonical name. Aliases stand in the registry alone, so that they resolve without loading it. */
  readonly name: string;
  readonly category: Category;
  /** One or two sentences for a model: what it does, what it answers, its limits. */
  readonly description: string;
  readonly risk: Risk;
  /** Null: harmless to all agents (`get_timestamp`). */
  readonly permission: PermissionGroup | null;
  /** "Edit file: src/a.ts" */
  describe(input: I): string;
  /** Calls worth imitating, for `get_help`; each passes the schema and `check`. */
  readonly examples?: readonly ToolExample[];
  /**
   * Loads the libraries that it else loads on first use: asked for before a thread loses sight of the
   * files they come from (run from source, not from a binary).
   */
  prepare?(): Promise<unknown>;
  /** Of a custom tool: plain data that other threads make the same tool from. */
  readonly definition?: unknown;
  /** Validation beyond the schema: throws INVALID_ARGUMENTS. Free of effects. */
  check?(input: I): void;
  /** Set where it is but another name for other tools: its calls are judged, run and counted as theirs. */
  readonly standsFor?: StandsFor<I>;
  /** The risk is that of the programs it would start, not its own; `risk` then is the highest it can be. */
  readonly riskOfPrograms?: boolean;
  /** Beside `riskOfPrograms`: it counts as this much at least. */
  readonly leastRisk?: Risk;
  /**
   * Whether the call goes on where a program of it is not there, as a line of several commands does (status 127, POSIX,
   * 2.8.2); else that is told before anything is asked or begun. Of the completed input.
   */
  goesOn?(input: I): boolean;
  /**
   * Whether all that the call does is start one program by words that are known: it opens no file for it and looks at
   * none, and so runs wherever programs are started. Of the completed input.
   */
  startsOne?(input: I): boolean;
  /** Whether it may start programs whose names are known only when it runs: each is judged then. */
  startsLater?(input: I): boolean;
  /** Whether some of what it does is known, and judged, only when it runs: what is decided before is not all. */
  judgedLater?(input: I): boolean;
  /** It runs as a module in a process of its own (`runModule`), and starts no programs. */
  readonly ownProcess?: boolean;
  /**
   * Whether what its programs print is what it answers, and so told as it comes to a caller who follows the call. Else
   * that is for the tool alone: git prints denied files, too, which its tools leave out of what they answer.
   */
  readonly tellsOutput?: boolean;
  /** May run for seconds without a pause: never shares a thread with short calls. */
  readonly long?: boolean;
  /** Where what it does depends on the workspace: looked at before `capabilities` is asked. */
  readonly survey?: Survey<I>;
  /**
   * The input with what is worked out of it once written in (`Chosen`): that is what is then described, judged, approved
   * and run. Free of effects. Throws as `capabilities`. `scope`: left out, names in /tmp are the machine's.
   */
  complete?(input: I, scope?: LineScope): I | Promise<I>;
  /** The call that shows what this one would change, judged and run like any other, in place of `preview`. */
  dryRun?(input: I): I;
  /** Exact, and free of effects. Throws COMMAND_UNPARSABLE where they cannot be derived. */
  capabilities(
    input: I,
    scope: Scope,
  ): readonly Capability[] | Promise<readonly Capability[]>;
  preview?(input: I, context: ReadContext): Promise<Preview> | Preview;
  /**
   * What `preview` looks at beside what the call itself needs. It does without what the policy does not plainly allow:
   * no preview is refused for it. Free of effects.
   */
  previewReads?(input: I): readonly { readonly path: string; readonly tree: boolean }[];
  /**
   * What a second thread does for a call that runs long, beside `run` and for its sake, where there is a thread to
   * spare. It may begin late, not at all, or break off: `run` comes to the same without it.
   */
  help?(input: I, context: ReadContext): Promise<void> | void;
  run(input: I, context: ToolContext): Promise<O> | O;
}

/**
 * One tool: one file under `src/tools/<category>/` that exports it as default, a `Tool<typeof input, typeof output>` of
 * its two schemas: what `run` takes and answers follows from them. `Chosen` is what its survey, or
 * `complete`, writes into the input.
 */
export type Tool<I extends Schema = Schema, O extends Schema = Schema, Chosen = unknown> =
  & ToolOf<Infer<I> & Chosen, Infer<O>>
  & { readonly input: I; readonly output: O };
