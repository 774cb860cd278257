/** Connections of those who are told that nobody hears them, or who have yet to show a token. Strangers have few places. */

import type { Connection } from "./_connection.ts";

const MOST = 64;

/** They, who came first first. */
export class Unheard {
  readonly #all = new Set<Connection>();

  /** Whether another would be one too many. */
  get full(): boolean {
    if (this.#all.size < MOST) return false;
    for (const one of this.#all) if (one.agent !== null) this.#all.delete(one);
    return this.#all.size >= MOST;
  }

  /** Who goes for that, null for nobody: programs that have a token show it at once, and who has waited longest has none. */
  add(connection: Connection): Connection | null {
    const [oldest] = this.full ? this.#all : [];
    this.#all.add(connection);
    return oldest ?? null;
  }

  delete(connection: Connection): void {
    this.#all.delete(connection);
  }
}
