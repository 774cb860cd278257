/** Connections that a request left whole, for the next one to the same place. */

import type { Connection, Destination } from "./_connection.ts";

/** Milliseconds without a request: servers end theirs after five seconds (Node) or more. */
const IDLE_MS = 4_000;
/** All in all. */
const MOST = 16;

interface Kept {
  readonly key: string;
  readonly connection: Connection;
  readonly timer: number;
}

/**
 * Kept by the name that they were judged and certified for, and by the address and port that was judged and dialled: who
 * takes one has been judged anew for just that.
 */
export class KeptConnections {
  readonly #kept: Kept[] = [];
  readonly #idleMs: number;

  /** `idleMs`: for how long each is kept; 0 for not at all. */
  constructor(idleMs = IDLE_MS) {
    this.#idleMs = idleMs;
  }

  /** The one used last: servers let go of it last. Null where there is none. */
  take(to: Destination, signal: AbortSignal): Connection | null {
    const key = keyOf(to);
    const at = this.#kept.findLastIndex((one) => one.key === key);
    const [found] = at === -1 ? [] : this.#kept.splice(at, 1);
    if (found === undefined) return null;
    clearTimeout(found.timer);
    found.connection.bind(signal);
    return found.connection;
  }

  /** Takes it over. */
  keep(to: Destination, connection: Connection): void {
    connection.bind(null);
    if (this.#idleMs === 0) return connection.close();
    if (this.#kept.length >= MOST) this.#end(this.#kept[0]);
    const timer = setTimeout(() => this.#end(kept), this.#idleMs);
    // Nobody waits for it.
    Deno.unrefTimer(timer);
    const kept: Kept = { key: keyOf(to), connection, timer };
    this.#kept.push(kept);
  }

  /** Lets go of all. */
  close(): void {
    while (this.#kept.length > 0) this.#end(this.#kept[0]);
  }

  #end(kept: Kept | undefined): void {
    if (kept === undefined) return;
    const at = this.#kept.indexOf(kept);
    if (at === -1) return;
    this.#kept.splice(at, 1);
    clearTimeout(kept.timer);
    kept.connection.close();
  }
}

function keyOf({ address, port, secure, place }: Destination): string {
  return JSON.stringify([address, port, secure, place]);
}
