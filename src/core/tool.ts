/** What a tool is, and the handles it is given: it sees nothing else of the machine. */

import type { Capability } from "./capability.ts";
import type { Schema } from "./schema.ts";

/** Risks in rising order. */
export const RISKS = ["safe", "moderate", "dangerous"] as const;
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
export type PermissionGroup = (typeof PERMISSION_GROUPS)[number];

export const CATEGORIES = ["fs", "exec", "git", "web", "agent", "analysis", "util"] as const;
export type Category = (typeof CATEGORIES)[number];

/** Sizes in bytes, counts as counts; the policy's `limits`. */
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
  readonly concurrency: number;
}

export type FileType = "file" | "directory" | "symlink" | "other";

/** What `lstat` says of one entry. Times in ms since the epoch. `mode` holds the permission bits only. */
export interface FileInfo {
  readonly type: FileType;
  readonly size: number;
  readonly mode: number;
  readonly modified: number;
  readonly accessed: number;
  /** Birth time, where the file system keeps one. */
  readonly created: number | null;
  /** Where a symbolic link points, as it is written. */
  readonly target?: string;
}

/** One entry of a walk; `path` relative to the workspace, `name` its last part. */
export interface WalkEntry extends Pick<FileInfo, "type" | "size"> {
  readonly name: string;
  readonly path: string;
  /** Depth below the start: its direct children have 1. */
  readonly depth: number;
}

/** A whole file as read: its bytes (valid until the next read) and what the descriptor said. */
export interface FileContent {
  readonly bytes: Uint8Array;
  readonly info: FileInfo;
}

/** Reading handles. Every path is one the tool named in its capabilities, or below a `tree` of them. */
export interface ReadFiles {
  /** The path as results show it: relative to the workspace, `.` for itself. */
  display(path: string): string;
  /** A regular file, whole. Throws FILE_NOT_FOUND, NOT_A_FILE, FILE_TOO_LARGE (over `limit` bytes), NATIVE_DENIED. */
  read(path: string, limit: number): FileContent;
  /** At most the first `count` bytes of a regular file, and its info. Errors as `read`, but any size. */
  readStart(path: string, count: number): FileContent;
  /** What is at the path, links not followed. Throws FILE_NOT_FOUND. */
  info(path: string): FileInfo;
  /** As `info`, null where there is nothing. */
  find(path: string): FileInfo | null;
  /**
   * Walks a directory in path order, links never followed, denied entries left out unseen.
   * `enter` says whether to go into a directory. `sizes: false` leaves `size` at 0 and saves a stat each.
   * Throws FILE_NOT_FOUND and NOT_A_DIRECTORY, at the latest with the first entry asked for.
   */
  walk(
    path: string,
    options: {
      readonly maxDepth: number;
      readonly sizes: boolean;
      readonly enter?: (entry: WalkEntry) => boolean;
    },
  ): Iterable<WalkEntry>;
}

/** Writing handles: each write is atomic and synced. */
export interface Files extends ReadFiles {
  /**
   * Replaces or creates a regular file: temporary file beside it, sync, rename. Keeps mode and owner.
   * `expectedSha256` must match what is there (STALE_FILE). Throws NOT_A_FILE, FILE_NOT_FOUND (no parent
   * and `createParents` false), RESOURCE_LIMIT (disk full), NATIVE_DENIED.
   */
  write(
    path: string,
    bytes: Uint8Array,
    options: { readonly createParents: boolean; readonly expectedSha256?: string },
  ): { readonly created: boolean };
}

/** What became of a program. Bytes are what was kept under the output limit. */
export interface ProcessOutcome {
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
  /** Bytes the program wrote that were not kept. */
  readonly dropped: { readonly stdout: number; readonly stderr: number };
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  readonly cancelled: boolean;
  readonly durationMs: number;
  /** Layers that held the program. */
  readonly sandbox: readonly string[];
}

/** Starting the programs that the capabilities named. */
export interface Processes {
  run(
    argv: readonly string[],
    options: {
      readonly cwd: string;
      readonly env: Readonly<Record<string, string>>;
      readonly stdin: Uint8Array | null;
      readonly timeoutMs: number;
    },
  ): Promise<ProcessOutcome>;
}

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

/** What previews see: eyes, no hands. */
export interface ReadContext {
  readonly files: ReadFiles;
  readonly limits: Limits;
  /** Milliseconds left for this call; long loops look at it now and then through `checkpoint`. */
  readonly timeoutMs: number;
  /** Throws CANCELLED or TIMEOUT when the call is to end. Cheap. */
  checkpoint(): void;
  progress(done: number, total: number | null, unit: string): void;
  readonly now: () => Date;
  readonly catalogue: Catalogue;
}

/** All that a running tool sees. */
export interface ToolContext extends ReadContext {
  readonly files: Files;
  readonly processes: Processes;
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
}

/** One tool: one file under `src/tools/<category>/` that exports it as default. */
export interface Tool<I = unknown, O = unknown> {
  /** Its canonical name. Aliases stand in the registry alone, so that they resolve without loading it. */
  readonly name: string;
  readonly category: Category;
  /** One or two sentences for a model: what it does, what it answers, its limits. */
  readonly description: string;
  readonly risk: Risk;
  /** Null: harmless to all agents (`get_timestamp`). */
  readonly permission: PermissionGroup | null;
  readonly input: Schema<I>;
  readonly output: Schema<O>;
  /** "Edit file: src/a.ts" */
  describe(input: I): string;
  /** Calls worth imitating, for `get_help`; each passes the schema and `check`. */
  readonly examples?: readonly ToolExample[];
  /**
   * Loads the libraries that it else loads on first use: asked for before a thread loses sight of the
   * files they come from (run from source, not from a binary).
   */
  prepare?(): Promise<unknown>;
  /** Validation beyond the schema: throws INVALID_ARGUMENTS. Free of effects. */
  check?(input: I): void;
  /** The risk is that of the programs it would start, not its own; `risk` then is the highest it can be. */
  readonly riskOfPrograms?: boolean;
  /** May run for seconds without a pause: never shares a thread with short calls. */
  readonly long?: boolean;
  /** Exact, and free of effects. Throws COMMAND_UNPARSABLE where they cannot be derived. */
  capabilities(input: I, scope: Scope): readonly Capability[] | Promise<readonly Capability[]>;
  preview?(input: I, context: ReadContext): Promise<Preview> | Preview;
  run(input: I, context: ToolContext): Promise<O> | O;
}
