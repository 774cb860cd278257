/** What running programs takes from around it. */

import type { CanonicalPath, Program } from "../../core/capability.ts";
import type { ToolError } from "../../core/errors.ts";
import type { Processes } from "../../core/tool.ts";
import type { AgreedFile, Grant } from "../../policy/grant.ts";
import type { Rulebook } from "../../policy/rulebook.ts";
import type { OnGroup } from "./_programs.ts";
import type { LineCommand } from "./line/line_host.ts";
import type { WantedFile } from "./line/redirect.ts";
import type { OwnProgram } from "./module_protocol.ts";
import type { OutputListener } from "./output_listener.ts";
import type { ProgramHolds } from "./program_holds.ts";
import type { Starter } from "./starter.ts";
import type { RunFolders } from "./kept_folders.ts";
import type { ProgramProxies } from "./program_reach.ts";
import type { Wrapper } from "./wrapper.ts";

/** The run of a command that is judged while it runs. */
export interface JudgedRun {
  /** Its rules, where it has a folder of its own. */
  readonly rulebook: Rulebook | null;
  /** That folder. */
  readonly folder: CanonicalPath | null;
  /** Waits for somebody's answer: the time of the run stands still meanwhile. */
  readonly waiting: <T>(answer: Promise<T>) => Promise<T>;
}

/** What somebody agreed to while the line ran. */
export interface AgreedToRun {
  /** What the command may touch for that. */
  readonly files: readonly AgreedFile[];
  /** Throws APPROVAL_EXPIRED where what it would act on is not what it was then; `but`: words of its own that it has made since. */
  readonly compare: (but: readonly string[]) => void;
}

/** What a call's programs take from the thread and from the job that it belongs to. */
export interface ProgramOptions {
  /** `createProcesses`, which only threads that start programs load. */
  readonly create: (options: ProcessesOptions) => Processes;
  /** From `baseEnvironment`. */
  readonly environment: Readonly<Record<string, string>>;
  /** Layers that hold this thread, and so its programs. */
  readonly layers: readonly string[];
  /** Null where the C library cannot be called: then programs run alone, and lines not at all. */
  readonly starter: Starter | null;
  /** A directory for a private TMPDIR of each run; it must be among what programs may write. */
  readonly temporaryRoot: string | null;
  /** Folders there that the next run can have; null or absent where each has a new one. */
  readonly keptFolders?: RunFolders | null;
  /** What programs keep from call to call lies here; null: in the temporary directory of the run, where there is one. */
  readonly caches: string | null;
  /** Whose call it is. */
  readonly agent: string;
  /** Output as it comes, beside being kept; null where nobody asked. */
  readonly listener: OutputListener | null;
  /** Told the number of a process group when it begins, and what its programs may use, for whoever may have to end it from another thread. */
  readonly onGroup: OnGroup;
  /** Told when programs that left their group live on and hold the output; resolves when they were ended. */
  readonly onLeft: () => Promise<void>;
  /** Hears what was sent to this call meanwhile: why its programs were killed, say. */
  readonly listen: () => void;
  /**
   * Has a file opened for writing by a thread that may make it where the rules for programs do not let this one: its
   * descriptor, or an error number with its sign turned.
   */
  readonly openElsewhere: (file: WantedFile) => Promise<number>;
  /** `NAME=value` that marks all that a run starts, for whoever looks for what it left behind. */
  readonly marker: string | null;
  /** The same as a number, which nothing can take off: see `ProcessLimits`. */
  readonly mark: number | null;
  /** Looks for a program that was not there when the line was judged. `own`: the folder that the run has to itself. */
  readonly find: (
    name: string,
    directory: CanonicalPath,
    own: CanonicalPath | null,
  ) => Program | null;
  /** By what each program is held. */
  readonly holds: Omit<ProgramHolds, "prepare">;
  /** Judges a command that is known only now: the error that refuses it; null, or what somebody agreed to, where it may run. */
  readonly judge: (
    command: LineCommand,
    run: JudgedRun,
  ) => Promise<ToolError | AgreedToRun | null>;
  /** The way out of programs that rules open hosts to; null where there is none. */
  readonly proxies: ProgramProxies | null;
  /** What each program is started in; null where that is nothing. */
  readonly wrapper: Wrapper | null;
  /** How Toolgate is started once more, as the process of a module. */
  readonly own: OwnProgram | null;
  /** What lines are handed to where `shell.mode` is `sh`; null where there is none. */
  readonly shell: Program | null;
}

/** What the programs of one call are started by. */
export interface ProcessesOptions extends ProgramOptions {
  readonly grant: Grant;
  readonly rulebook: Pick<
    Rulebook,
    | "settings"
    | "scope"
    | "judgePath"
    | "judgeBelow"
    | "mayDenyBelow"
    | "limitsRuns"
    | "networkOf"
    | "limitsOf"
    | "deniedLoopbackOf"
    | "effects"
    | "withFolder"
  >;
  /** Ends the running programs as their timeout would. */
  readonly signal: AbortSignal;
}
