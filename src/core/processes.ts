/** How a tool has programs run, and what it learns of them. */

import type { ErrorCode, RuleReference, ToolError } from "./errors.ts";
import type { Plan } from "./plan.ts";

/** A limit of the policy that all programs of a run share. */
export type ProgramLimit = "memory" | "processes" | "cpu";

/** A rule of `commands` that says what its programs may use. */
export interface LimitingRule {
  readonly rule: RuleReference;
  readonly limit: ProgramLimit | "timeout";
  /** In the unit of the limit: bytes, processes, milliseconds. */
  readonly value: number;
  /** The value as the rule writes it: `2GiB`. */
  readonly text: string;
}

/** A name that a program asked for and was refused. */
export interface DeniedName {
  /** As it is below the workspace, or absolute; for sockets an address and its port too. */
  readonly path: string;
  readonly access: "read" | "write" | "connect" | "listen";
  readonly code: ErrorCode;
  /** Which rule, and why. */
  readonly reason: string;
  readonly rule: RuleReference | null;
}

/** What became of a program, or of the programs of a line. Bytes are what was kept under the output limit. */
export interface ProcessOutcome {
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
  /** Bytes that were written and not kept. */
  readonly dropped: { readonly stdout: number; readonly stderr: number };
  /** Of the program, or of the line as a shell gives it; null where a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  readonly cancelled: boolean;
  /** The limit that it went over, for which it was killed. */
  readonly exceeded: ProgramLimit | null;
  /** The rule that set what it went over, of its time too; absent where the policy's own limits, or the call's time, did. */
  readonly limitedBy?: LimitingRule;
  /** What ended a line before its end: a command that was refused, or could not be started. */
  readonly refusal: ToolError | null;
  readonly durationMs: number;
  /** Layers that held the programs. */
  readonly sandbox: readonly string[];
  /** Names that the policy refused to programs while they ran, the first of them. */
  readonly denied: readonly DeniedName[];
  /** Hooks of repositories that were run for git; absent where there are none. */
  readonly hooksRun?: readonly string[];
  /** Those that git would run, and that were not; absent where there are none. */
  readonly hooksSkipped?: readonly string[];
  /** Names that were left out of what git showed, as the policy denies them to be read; absent where there are none. */
  readonly leftOut?: readonly string[];
  /** Hosts that programs reached by way of Toolgate's proxy, with bytes both ways; absent where there are none. */
  readonly reached?: readonly {
    readonly host: string;
    readonly connections: number;
    readonly sent: number;
    readonly received: number;
  }[];
  /** What was written to the file of `spill`; null where none was asked for. */
  readonly spilled: {
    readonly bytes: number;
    /** False where the file could not take all of it (a full disk, the limit of a file's size). */
    readonly complete: boolean;
  } | null;
}

/** A host and a port of it. */
export interface Destination {
  readonly host: string;
  readonly port: number;
}

/** How programs are to be started. */
export interface ProcessRequest {
  readonly cwd: string;
  /** Beside what the policy passes. */
  readonly env: Readonly<Record<string, string>>;
  /** What they read; null for nothing. */
  readonly stdin: Uint8Array | null;
  readonly timeoutMs: number;
  /**
   * A file that all output is written to whole, standard output and errors as they come: a path that the
   * call named as `fs.write`. What it held is gone.
   */
  readonly spill?: string;
}

/**
 * Starting the programs that the capabilities named. Whatever happens, nothing of it runs on when the outcome is there.
 * Throws COMMAND_DENIED, COMMAND_NOT_FOUND, NATIVE_DENIED, RESOURCE_LIMIT, CANCELLED where nothing was started.
 */
export interface Processes {
  /** One program, by its words. */
  run(argv: readonly string[], request: ProcessRequest): Promise<ProcessOutcome>;
  /**
   * The program of a capability with `own`, with any words behind its name and no variables but these. `writes`: folders
   * that it may write in, below the workspace; none where the use was judged as reading. `connects`: where it goes by the
   * network, as far as rules open that to the words of the capability. Throws NETWORK_DENIED where none does.
   */
  runOwn(
    argv: readonly string[],
    request: ProcessRequest & {
      readonly writes: readonly string[];
      readonly scratch?: string;
      readonly connects?: Destination;
      /** Words of `asFile`, whose file it may start beside. */
      readonly startsToo?: readonly [string, string];
    },
  ): Promise<ProcessOutcome>;
  /**
   * A hook of a repository: the program of a capability, which is held as every program is and has git's own variables
   * beside; null where the call was not granted it. `words` stand behind those that were judged.
   */
  runHook(argv: readonly string[], request: HookRequest): Promise<HookOutcome | null>;
  /**
   * A file that starts the program of a capability with exactly these two words, for a program that names what it starts
   * without a shell: null where the call was not granted that, or there is no place for one.
   */
  asFile(argv: readonly [string, string]): Promise<string | null>;
  /**
   * Lends a folder outside the workspace, of nobody else's, to the runs that name it as `scratch`, whatever their use was
   * judged as: they may write in it. It is gone afterwards. Throws NATIVE_DENIED where there is no place for one.
   */
  withScratch<T>(work: (folder: string) => Promise<T>): Promise<T>;
  /**
   * Holds a folder in which the program of a capability with `own` may write, as one that this call changes; null where
   * another call does, of whatever process, where the use was judged as reading, and where the kernel cannot do that. A
   * process that is gone holds nothing: what it had begun there is nobody's any more.
   */
  hold(argv: readonly string[], folder: string): Hold | null;
  /**
   * Removes a folder in which the program of a capability with `own` may write, and which holds nothing but empty folders and
   * perhaps a short file of that name: false where anything else is in it, which stays, and where the use was judged as reading.
   */
  removeBare(argv: readonly string[], folder: string, file: string): boolean;
  /**
   * Makes a folder in which such a program may write, and those above it: false where it is not there afterwards. Git shows
   * nothing of one that was made.
   */
  makeFolder(argv: readonly string[], folder: string): boolean;
  /**
   * A command line, without a shell (or by `/bin/sh` where the policy's `shell.mode` is `sh`). Commands that are
   * known only when they run are judged then; one that is not plainly allowed ends the line (`refusal`).
   * `request.env` was judged as variables that the call changes.
   */
  runLine(plan: Plan, request: ProcessRequest): Promise<ProcessOutcome>;
  /**
   * A module, in a process of its own that the kernel and the runtime hold to the files of the grant: it starts
   * nothing, connects to nothing, and has no environment but what it is handed.
   */
  runModule(request: ModuleRequest): Promise<ModuleOutcome>;
}

/** A folder that is held. */
export interface Hold {
  /** Whether a file is this user's, and nobody on this machine has it open for writing. */
  isLeftAlone(path: string): boolean;
  /**
   * Whether a program goes on, anywhere, that is called as that which holds the folder and was there before a file was; true
   * where nobody can tell. `idle`: parts of it that make no such file.
   */
  mayBeHeld(path: string, idle: readonly string[]): boolean;
  /** Writes a small file of that name in it, at once in place of what is there: false where it cannot be. */
  write(name: string, text: string): boolean;
  /** Removes the file of that name in it, where one is there. */
  remove(name: string): void;
  release(): void;
}

/** What a hook is run with. */
export interface HookRequest extends Omit<ProcessRequest, "env" | "spill"> {
  readonly words: readonly string[];
  /** Where it runs: a linked worktree's is not where it was judged, which is `cwd`. */
  readonly directory: string;
  /** A text that it may change, in a file of its own, whose name is the first word behind its own. */
  readonly message?: string;
}

/** What became of it. */
export interface HookOutcome extends ProcessOutcome {
  /** The text as it left it; null where there was none, or where what it left is none. */
  readonly message: string | null;
}

/** A module of a custom tool, and what its process is handed. Which files it has is the grant's to say. */
export interface ModuleRequest {
  /** JavaScript without imports but those of the runtime. */
  readonly code: string;
  /** What its errors call it. */
  readonly file: string;
  /** The function that is called: one of its exports. */
  readonly entry: "default" | "preview";
  readonly args: Readonly<Record<string, unknown>>;
  /** What it is told of the call it is for. */
  readonly tool: string;
  /** Variables that it is handed, of those that programs get. */
  readonly env: readonly string[];
  readonly timeoutMs: number;
}

/** What a module answered: a value as JSON text, or why there is none. */
export type ModuleAnswer =
  | { readonly kind: "value"; readonly json: string }
  /** It does not export the function that was asked for. */
  | { readonly kind: "no entry" }
  /** The value is no JSON, or longer than `limits.output` lets pass. */
  | { readonly kind: "no value" | "too long"; readonly message: string }
  /** It could not be loaded, or it threw; the message has no path outside the workspace. */
  | { readonly kind: "not loaded" | "thrown"; readonly message: string }
  /** The process could not be held as it must be. */
  | { readonly kind: "not held"; readonly message: string };

/** What became of a module's process; `stderr` is all that it printed. */
export interface ModuleOutcome extends ProcessOutcome {
  /** Null where it ended without one. */
  readonly answer: ModuleAnswer | null;
}
