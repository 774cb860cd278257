/** All that a running tool sees, made from one grant. */

import { ToolError } from "../core/errors.ts";
import type { Durability } from "../core/files.ts";
import type { Network } from "../core/network.ts";
import type { Syntax } from "../core/syntax_tree.ts";
import type { Catalogue, Processes, ToolContext } from "../core/tool.ts";
import type { Grant } from "../policy/grant.ts";
import type { Rulebook } from "../policy/rulebook.ts";
import type { Libc } from "../sandbox/kernel/libc.ts";
import type { FileBackend, Timed } from "./files/file_backend.ts";
import { createFiles } from "./files/files.ts";
import type { ProgramOptions } from "./run/program_options.ts";
import { timed } from "./scan/timed.ts";
import { createLinuxReading } from "./files/linux/reading.ts";
import type { ScanShare } from "./scan/scan_sharing.ts";

/** What a context is made of. */
export interface ContextOptions {
  readonly grant: Grant;
  readonly rulebook: Rulebook;
  readonly catalogue: Catalogue;
  /** One for all calls of a thread: it keeps the validators that it loaded. */
  readonly syntax: Syntax;
  /** For who listens: aborted with the reason "TIMEOUT", or with any other for a cancellation. */
  readonly signal: () => AbortSignal;
  readonly checkpoint: () => void;
  /** Milliseconds until it is ended: its time began before this was made, and stands still while somebody is asked. */
  readonly left: () => number;
  readonly count: ToolContext["count"];
  readonly progress: ToolContext["progress"];
  /** Null where the call starts none. */
  readonly programs: ProgramOptions | null;
  /** Null or left out where the call was granted no connection. */
  readonly network?: Network | null;
  /** One for all calls of a thread, from {@linkcode createFileBackend}: it keeps its buffer. */
  readonly files: FileBackend;
  /** Where its scans are shared with another thread; null or left out: nowhere. */
  readonly scanShare?: ScanShare | null;
}

/**
 * The files of this thread: by system calls where it has them. It opens nothing yet, and loads what changes files only
 * where there is something to `write`; without, that is refused with NATIVE_DENIED, as the layers below would.
 */
export async function createFileBackend(
  libc: Libc | null,
  { write = true, durability }: {
    readonly write?: boolean;
    readonly durability?: Durability;
  } = {},
): Promise<FileBackend> {
  if (libc !== null && !write) return { ...createLinuxReading(libc), ...NO_WRITING };
  if (libc !== null) {
    const { createLinuxFiles } = await import("./files/linux/files.ts");
    return createLinuxFiles(libc, durability);
  }
  const { createPortableFiles } = await import("./files/portable/files.ts");
  return createPortableFiles(durability);
}

const NO_WRITING = {
  write: refuseToWrite,
  append: refuseToWrite,
  apply: refuseToWrite,
  backUp: refuseToWrite,
  writeKeeping: refuseToWrite,
  restore: refuseToWrite,
  remove: refuseToWrite,
  copy: refuseToWrite,
  move: refuseToWrite,
  createDirectory: refuseToWrite,
  settle: () => {},
};

function refuseToWrite(): never {
  throw new ToolError("NATIVE_DENIED", "this call was granted nothing to write");
}

const NO_NETWORK: Network = {
  fetch: () =>
    Promise.reject(new ToolError("NETWORK_DENIED", "this call was granted no connection")),
  holdOff: () => {},
};

/** Made when they are asked for. */
function started(processes: () => Processes): Processes {
  return {
    run: async (argv, request) => await processes().run(argv, request),
    runOwn: async (argv, request) => await processes().runOwn(argv, request),
    runHook: async (argv, request) => await processes().runHook(argv, request),
    asFile: async (argv) => await processes().asFile(argv),
    hold: (argv, folder) => processes().hold(argv, folder),
    removeBare: (argv, folder, file) => processes().removeBare(argv, folder, file),
    makeFolder: (argv, folder) => processes().makeFolder(argv, folder),
    withScratch: async (work) => await processes().withScratch(work),
    runLine: async (plan, request) => await processes().runLine(plan, request),
    runModule: async (request) => await processes().runModule(request),
  };
}

/** Of most calls, which start none. */
const NO_PROCESSES = started(() => {
  throw new ToolError("COMMAND_DENIED", "this call was granted no programs");
});

/** The context of one call. */
export function createContext(options: ContextOptions): ToolContext {
  return new CallContext(options);
}

/**
 * A class, since V8 gives each object that is written down with a getter a shape of its own: each call left one behind, which
 * only a collection of the whole heap took away, and none of the code that was handed it stayed quick.
 */
class CallContext implements ToolContext {
  readonly files: ToolContext["files"];
  readonly processes: Processes;
  readonly network: Network;
  readonly web: ToolContext["web"];
  readonly syntax: Syntax;
  readonly limits: ToolContext["limits"];
  readonly checkpoint: () => void;
  readonly timed: Timed;
  readonly progress: ToolContext["progress"];
  readonly count: ToolContext["count"];
  readonly now = (): Date => new Date();
  readonly git: ToolContext["git"];
  readonly catalogue: Catalogue;
  readonly #left: () => number;

  constructor(options: ContextOptions) {
    const { grant, rulebook, programs, checkpoint, left, scanShare = null } = options;
    const inTime: Timed = (work) => timed(work, this.timeoutMs, checkpoint);
    this.#left = left;
    this.files = createFiles(grant, rulebook, options.files, checkpoint, {
      scanShare,
      timed: inTime,
    });
    this.processes = programs === null
      ? NO_PROCESSES
      : started(() => programs.create({ ...programs, grant, rulebook, signal: options.signal() }));
    this.network = options.network ?? NO_NETWORK;
    this.web = rulebook.settings.web;
    this.syntax = options.syntax;
    this.limits = grant.limits;
    this.checkpoint = checkpoint;
    this.timed = inTime;
    this.progress = options.progress;
    this.count = options.count;
    this.git = grant.git;
    this.catalogue = options.catalogue;
  }

  get timeoutMs(): number {
    return Math.max(0, Math.ceil(this.#left()));
  }
}
