/**
 * Threads that are begun before it is known what they may touch in the kernel's eyes: of what the runtime lets them there
 * are words alone, and starting one is mostly what it takes whoever it is for. They know nothing, and do no work until they
 * are taken.
 */

import { ToolError } from "../../core/errors.ts";
import type { Boundary } from "../../sandbox/boundary.ts";
import type { Lane } from "./lanes.ts";

/** Bundled builds have all their modules in one folder, the worker's entry among them. */
const WORKER = import.meta.resolve(Deno.build.standalone ? "./worker.js" : "./worker.ts");

/** What one that starts programs is told before its setup, or in place of it; null: it is to end. */
export interface ToBegun {
  /** A folder: what is made in it may be executed, as `SpareFiles`. */
  readonly spareIn: string | null;
}

/** One that waits to be told what it is for. */
interface BegunThread {
  readonly worker: Worker;
  /** The runtime's set that it was begun with, as JSON. */
  readonly permissions: string;
}

/** Those of a pool, at most one of each lane. */
export class BegunThreads {
  readonly #permissionsOf: (boundary: Boundary) => Deno.PermissionOptions;
  readonly #begun = new Map<Lane, BegunThread>();

  constructor(permissionsOf: (boundary: Boundary) => Deno.PermissionOptions) {
    this.#permissionsOf = permissionsOf;
  }

  /** Begins one ahead, with the runtime's set of this boundary. Throws RESOURCE_LIMIT. */
  begin(lane: Lane, boundary: Boundary): void {
    this.#drop(lane);
    const permissions = this.#permissionsOf(boundary);
    this.#begun.set(lane, {
      worker: startWorker(WORKER, `${lane} begun`, permissions),
      permissions: JSON.stringify(permissions),
    });
  }

  /** The one that was begun, where it was with the very set of this boundary, else a new one. Throws RESOURCE_LIMIT. */
  take(lane: Lane, boundary: Boundary): Worker {
    const permissions = this.#permissionsOf(boundary);
    const begun = this.#begun.get(lane);
    if (begun?.permissions !== JSON.stringify(permissions)) {
      this.#drop(lane);
      return startWorker(WORKER, lane, permissions);
    }
    this.#begun.delete(lane);
    return begun.worker;
  }

  /** Has the one that was begun for programs make, ahead, what they may become, of a folder that is there by now. */
  makeSpares(folder: string): void {
    const making: ToBegun = { spareIn: folder };
    this.#begun.get("spawn")?.worker.postMessage(making);
  }

  /** Ends those that nobody has taken. */
  close(): void {
    for (const lane of [...this.#begun.keys()]) this.#drop(lane);
  }

  #drop(lane: Lane): void {
    const worker = this.#begun.get(lane)?.worker;
    this.#begun.delete(lane);
    if (lane !== "spawn") return worker?.terminate();
    // What it has open is the process's: ended from outside it would leave it so.
    const ending: ToBegun = { spareIn: null };
    worker?.postMessage(ending);
  }
}

/** A thread that starts with this module, and the runtime's set. Throws RESOURCE_LIMIT. */
export function startWorker(
  module: string,
  name: string,
  permissions: Deno.PermissionOptions,
): Worker {
  requireDescriptors();
  return new Worker(module, { type: "module", name, deno: { permissions } });
}

/** More than the runtime opens for a thread before any of its code runs. */
const OPENED = 8;

/** Where the runtime finds no descriptors for a thread it ends the whole process (seen in Deno 2.7). */
function requireDescriptors(): void {
  const open: Deno.FsFile[] = [];
  try {
    for (let at = 0; at < OPENED; at++) open.push(Deno.openSync("/dev/null"));
  } catch (error) {
    // Where there is no such file, or it may not be opened, nobody can say.
    const none = error instanceof Error && /\(os error (?:23|24)\)/.test(error.message);
    if (!none) return;
    throw new ToolError(
      "RESOURCE_LIMIT",
      "no thread can be started for this call: this process, or the machine, has too many open files",
    );
  } finally {
    for (const file of open) file.close();
  }
}
