/** All that a running tool sees, made from one grant. */

import type { Catalogue, ToolContext } from "../core/tool.ts";
import type { Grant } from "../policy/grant.ts";
import type { Rulebook } from "../policy/rulebook.ts";
import type { Libc } from "../sandbox/libc.ts";
import { baseEnvironment } from "./environment.ts";
import type { FileBackend } from "./file_backend.ts";
import { createFiles } from "./files.ts";
import { createLinuxFiles } from "./files_linux.ts";
import { createPortableFiles } from "./files_portable.ts";
import { createProcesses } from "./processes.ts";

/** What a context is made of. */
export interface ContextOptions {
  readonly grant: Grant;
  readonly rulebook: Rulebook;
  /** From `enterBoundary`; without it files are handled over the runtime alone. */
  readonly libc: Libc | null;
  /** From `enterBoundary`: what the results of programs say held them. */
  readonly layers: readonly string[];
  readonly catalogue: Catalogue;
  /** Aborted with the reason "TIMEOUT", or with any other for a cancellation. */
  readonly signal: AbortSignal;
  readonly checkpoint: () => void;
  readonly count: ToolContext["count"];
  readonly progress: ToolContext["progress"];
  readonly onGroup: (id: number, alive: boolean) => void;
  readonly onOutput?: (stream: "stdout" | "stderr", bytes: Uint8Array) => void;
  /**
   * The environment of programs, from `baseEnvironment` on a thread that may read variables. Without it this
   * thread's own is asked, which on a worker gives no more than what the policy sets.
   */
  readonly environment?: Readonly<Record<string, string>>;
  /** One for all calls of a thread keeps its buffer; made from `libc` where it is left out. */
  readonly files?: FileBackend;
  /** Where each program gets a TMPDIR of its own; among what programs may write. */
  readonly temporaryRoot?: string | null;
}

/** The files of this thread: by system calls where it has them. */
export function createFileBackend(libc: Libc | null): FileBackend {
  return libc === null ? createPortableFiles() : createLinuxFiles(libc);
}

/** The context of one call: its `timeoutMs` counts down from here. */
export function createContext(options: ContextOptions): ToolContext {
  const { grant, rulebook, libc } = options;
  const end = performance.now() + grant.timeoutMs;
  const backend = options.files ?? createFileBackend(libc);
  return {
    files: createFiles(grant, rulebook, backend),
    processes: {
      run(argv, request) {
        const environment = options.environment ?? baseEnvironment(rulebook.settings.environment);
        return createProcesses({ ...options, environment }).run(argv, request);
      },
    },
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
