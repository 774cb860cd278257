/** Connections that a request left whole, for the next one to the same place. */

import type { Ending } from "../../core/ending.ts";
import type { Connection, Destination } from "./_connection.ts";

/** Milliseconds without a request: servers end theirs after five seconds (Node) or more. */
const IDLE_MS = 4_000;
/** All in all. */
const MOST = 16;

interface Kept {
  readonly key: string;
  readonly connection: Connection;
  /** `performance.now()` */
  readonly since: number;
}

/**
 * Kept by the name that they were judged and certified for, and by the address and port that was judged and dialled: who
 * takes one has been judged anew for just that.
 */
export class KeptConnections {
  readonly #kept: Kept[] = [];
  readonly #idleMs: number;
  /** One for all: it comes to who waits longest. */
  #timer: number | null = null;

  /** `idleMs`: for how long each is kept; 0 for not at all. */
  constructor(idleMs = IDLE_MS) {
    this.#idleMs = idleMs;
  }

  /** The one used last: servers let go of it last. Null where there is none. */
  take(to: Destination, signal: Ending): Connection | null {
    const key = keyOf(to);
    const at = this.#kept.findLastIndex((one) => one.key === key);
    const [found] = at === -1 ? [] : this.#kept.splice(at, 1);
    if (found === undefined) return null;
    found.connection.bind(signal);
    return found.connection;
  }

  /** Takes it over. */
  keep(to: Destination, connection: Connection): void {
    connection.bind(null);
    if (this.#idleMs === 0) return connection.close();
    if (this.#kept.length >= MOST) this.#end(this.#kept[0]);
    this.#kept.push({ key: keyOf(to), connection, since: performance.now() });
    if (this.#timer === null) this.#wake(this.#idleMs);
  }

  /** Lets go of all. */
  close(): void {
    while (this.#kept.length > 0) this.#end(this.#kept[0]);
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #wake(ms: number): void {
    this.#timer = setTimeout(() => {
      this.#timer = null;
      const before = performance.now() - this.#idleMs;
      while ((this.#kept[0]?.since ?? Infinity) <= before) this.#end(this.#kept[0]);
      const [next] = this.#kept;
      // At least a millisecond: a clock may be a little behind its timers.
      if (next !== undefined) this.#wake(Math.max(1, next.since - before));
    }, ms);
    // Nobody waits for it.
    Deno.unrefTimer(this.#timer);
  }

  #end(kept: Kept | undefined): void {
    if (kept === undefined) return;
    const at = this.#kept.indexOf(kept);
    if (at === -1) return;
    this.#kept.splice(at, 1);
    kept.connection.close();
  }
}

function keyOf({ address, port, secure, place }: Destination): string {
  return JSON.stringify([address, port, secure, place]);
}
