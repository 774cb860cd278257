/** All that a running tool sees, made from one grant. */

import type { Catalogue, Syntax, ToolContext } from "../core/tool.ts";
import type { Grant } from "../policy/grant.ts";
import type { Rulebook } from "../policy/rulebook.ts";
import type { Libc } from "../sandbox/libc.ts";
import type { FileBackend } from "./file_backend.ts";
import { createFiles } from "./files.ts";
import { createLinuxFiles } from "./files_linux.ts";

/** What a context is made of. */
export interface ContextOptions {
  readonly grant: Grant;
  readonly rulebook: Rulebook;
  /** From `enterBoundary`; without it files are handled over the runtime alone. */
  readonly libc: Libc | null;
  /** From `enterBoundary`: what the results of programs say held them. */
  readonly layers: readonly string[];
  readonly catalogue: Catalogue;
  /** One for all calls of a thread: it keeps the validators that it loaded. */
  readonly syntax: Syntax;
  /** Aborted with the reason "TIMEOUT", or with any other for a cancellation. */
  readonly signal: AbortSignal;
  readonly checkpoint: () => void;
  readonly count: ToolContext["count"];
  readonly progress: ToolContext["progress"];
  readonly onGroup: (id: number, alive: boolean) => void;
  readonly onOutput?: (stream: "stdout" | "stderr", bytes: Uint8Array) => void;
  /** The environment of programs: `baseEnvironment` of a thread that may read variables. */
  readonly environment: Readonly<Record<string, string>>;
  /** One for all calls of a thread, from {@linkcode createFileBackend}: it keeps its buffer. */
  readonly files: FileBackend;
  /** Where each program gets a TMPDIR of its own; among what programs may write. */
  readonly temporaryRoot: string | null;
}

/** The files of this thread: by system calls where it has them. */
export async function createFileBackend(libc: Libc | null): Promise<FileBackend> {
  if (libc !== null) return createLinuxFiles(libc);
  const { createPortableFiles } = await import("./files_portable.ts");
  return createPortableFiles();
}

/** The context of one call: its `timeoutMs` counts down from here. */
export function createContext(options: ContextOptions): ToolContext {
  const { grant, rulebook } = options;
  const end = performance.now() + grant.timeoutMs;
  return {
    files: createFiles(grant, rulebook, options.files, options.checkpoint),
    processes: {
      // Few calls start programs: the others do not load what that takes.
      async run(argv, request) {
        const { createProcesses } = await import("./processes.ts");
        return await createProcesses(options).run(argv, request);
      },
    },
    syntax: options.syntax,
    limits: grant.limits,
    get timeoutMs() {
      return Math.max(0, Math.ceil(end - performance.now()));
    },
    checkpoint: options.checkpoint,
    progress: options.progress,
    count: options.count,
    now: () => new Date(),
    catalogue: options.catalogue,
  };
}
