/**
 * The thread that hears a pipe, begun before the policies that it hears for are loaded: starting one is mostly what it takes
 * whoever it is for. It knows nothing, and does no work until it is taken.
 */

import { startWorker } from "../../engine/pool/begun_threads.ts";

/** Bundled builds have all their modules in one folder. */
const WORKER = import.meta.resolve(
  Deno.build.standalone ? "./listener_worker.js" : "./listener_worker.ts",
);

/** Starts one with the runtime's set. Throws RESOURCE_LIMIT. */
export function startListener(permissions: Deno.PermissionOptions): Worker {
  return startWorker(WORKER, "listener", permissions);
}

/** One that waits to be told what it is for. */
export class BegunListener {
  /** The runtime's set that it was begun with, as JSON. */
  readonly #permissions: string;
  /** Null where it is another's, or ended. */
  #worker: Worker | null;

  private constructor(worker: Worker, permissions: Deno.PermissionOptions) {
    this.#worker = worker;
    this.#permissions = JSON.stringify(permissions);
    worker.onerror = (event) => {
      event.preventDefault();
      this.end();
    };
  }

  /** Null where none can be had: whoever needs one asks again. */
  static begin(permissions: Deno.PermissionOptions): BegunListener | null {
    try {
      return new BegunListener(startListener(permissions), permissions);
    } catch {
      return null;
    }
  }

  /** It, where it was begun with the very set; else it is ended, and null. */
  take(permissions: Deno.PermissionOptions): Worker | null {
    if (JSON.stringify(permissions) !== this.#permissions) this.end();
    const worker = this.#worker;
    this.#worker = null;
    return worker;
  }

  /** Ends it where nobody has taken it. */
  end(): void {
    this.#worker?.terminate();
    this.#worker = null;
  }
}
