/** Engines of agents that work in folders of their own, as one who speaks has them: taken with his first call, given back with him. */

import type { StayingEngine } from "../engine/create_engine.ts";

/** An engine of one agent, and how it is given back. */
export interface ApartEngine {
  readonly engine: StayingEngine;
  readonly close: () => Promise<void>;
}

/** Null for who works where everybody does. Rejects with what makes it impossible. */
export type UseApart = (agent: string) => Promise<ApartEngine> | null;

/** Of one who speaks. */
export class ApartEngines {
  readonly #use: UseApart;
  readonly #as: (engine: StayingEngine) => StayingEngine;
  readonly #taken = new Map<string, Promise<StayingEngine> | null>();
  readonly #given: ApartEngine[] = [];
  #closed = false;

  /** `as`: the engine as he has it. */
  constructor(use: UseApart, as: (engine: StayingEngine) => StayingEngine) {
    this.#use = use;
    this.#as = as;
  }

  /** As {@linkcode UseApart}. What could not be had is tried again with the next call. */
  of(agent: string): Promise<StayingEngine> | null {
    const known = this.#taken.get(agent);
    if (known !== undefined) return known;
    const used = this.#use(agent);
    const taken = used === null ? null : this.#take(used);
    this.#taken.set(agent, taken);
    taken?.catch(() => this.#taken.delete(agent));
    return taken;
  }

  async #take(used: Promise<ApartEngine>): Promise<StayingEngine> {
    const apart = await used;
    if (this.#closed) void apart.close();
    else this.#given.push(apart);
    return this.#as(apart.engine);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#given.splice(0).map((apart) => apart.close()));
  }
}
