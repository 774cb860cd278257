/** What running a line takes from around it: the machine, the judgement, and the end. */

import type { CanonicalPath, Program } from "../../../core/capability.ts";
import type { Libc } from "../../../sandbox/kernel/libc.ts";
import type { OwnLimit } from "../../../sandbox/launcher/program_steps.ts";
import type { Spawner } from "../../../sandbox/spawner.ts";
import type { MarkedProcess } from "../../kernel/marked_processes.ts";
import type { Poller } from "../../kernel/poller.ts";
import type { Child } from "../_programs.ts";
import type { FileNamesWish } from "./file_names.ts";
import type { FileKind } from "./redirect.ts";

/** A file that a command reads from or writes to, by the word as it came out. */
export interface LineRedirection {
  readonly kind: FileKind;
  readonly target: string;
}

/** What is about to happen: a program with its files, or (`argv` null) files alone. */
export interface LineCommand {
  readonly argv: readonly string[] | null;
  readonly directory: CanonicalPath;
  readonly redirections: readonly LineRedirection[];
  /** Names that are set for it. */
  readonly variables: readonly string[];
  /** Whether they were not judged with the line, whatever of the command was. */
  readonly since?: boolean;
  /** What its first word leads to, where nothing was there when the line was judged: another command has made it since. */
  readonly made?: Program;
}

/**
 * A program that could not be started, as shells say it (POSIX, 2.8.2): 127 where there is none, 126 where what is there
 * cannot be executed. The line goes on.
 */
export interface NotStarted {
  readonly status: 126 | 127;
  /** The program, and what standard error of the command is told of it. */
  readonly name: string;
  readonly message: string;
}

/** All that running a line asks of the machine. */
export interface LineHost {
  readonly libc: Libc;
  readonly spawner: Spawner;
  readonly poller: Poller;
  /** For whoever reads: what was read is taken before the next read. */
  readonly buffer: Uint8Array;
  /** Bytes that a substitution may give. */
  readonly outputLimit: number;
  /** A descriptor that gives nothing. */
  readonly nothing: number;
  /** The names that a pattern stands for, sorted. */
  filesOf(pattern: string, directory: CanonicalPath, how: FileNamesWish): readonly string[];
  /** Where the program that a name means lies, as one writes it; null where there is none. */
  programOf(name: string, directory: CanonicalPath): string | null;
  /** Whether there is a program at this path in the workspace. */
  isProgram(path: string, directory: CanonicalPath): boolean;
  /** Told before the first that the line itself writes. */
  began(): void;
  /** Where a path leads from a directory; null where that cannot be found out. */
  resolve(directory: CanonicalPath, path: string): CanonicalPath | null;
  /**
   * A descriptor of the file, or an error number with its sign turned. `mask`: what the mode of a new one begins without;
   * this process's own where there is none.
   */
  open(kind: FileKind, path: CanonicalPath, mask?: number | null): Promise<number>;
  /** Why nothing may be done in the directory of this path, as shells say it; null where it may. */
  directoryFailure(path: CanonicalPath): string | null;
  /** Throws the ToolError that refuses it; else it may begin. `onAsk`: called where somebody is asked first. */
  allow(command: LineCommand, onAsk?: () => void): Promise<void>;
  /**
   * Where what a program reads says which files it comes to: all of that, looked at; null for others, at once for most. Throws the ToolError
   * that refuses it. `read`: takes it, up to so many bytes; null for more.
   */
  feed(
    argv: readonly string[],
    directory: CanonicalPath,
    read: (most: number) => Promise<Uint8Array | null>,
  ): Promise<Uint8Array | null> | null;
  /** Throws a ToolError where it was refused, or there is no room for it. */
  launch(launch: {
    readonly argv: readonly string[];
    readonly directory: CanonicalPath;
    readonly environment: ReadonlyMap<string, string>;
    readonly descriptors: readonly number[];
    /** What it may use at most, below what the policy says. */
    readonly lowered?: readonly OwnLimit[];
    /** What the modes of what it makes begin without, in place of this process's own (umask(2)). */
    readonly mask?: number;
    /** The words as they were judged, where they name pipes of the line. */
    readonly held?: readonly string[];
  }): Child | NotStarted;
  /** What the call has started, line and all, and has not ended; null where that cannot be told. */
  processes(): readonly MarkedProcess[] | null;
  /** Ends what runs. */
  stop(): void;
  /** Whether it is to end: nothing new begins. */
  stopped(): boolean;
  /** Resolves when it is to end. */
  readonly stopping: Promise<void>;
  /** Resolves when what was killed has had its time to be gone. */
  readonly gone: Promise<null>;
  /** Called when it has ended, whichever way. */
  onEnd(action: () => void): void;
}
