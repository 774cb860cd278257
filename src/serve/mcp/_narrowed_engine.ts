/** The engine under the roots that the client names, which change while it is there. */

import type { CanonicalPath } from "../../core/capability.ts";
import type { StayingEngine } from "../../engine/create_engine.ts";
import type { PlacedPolicy } from "../../policy/compile_rulebook.ts";
import type { Client } from "./_client.ts";
import { policyOfRoots } from "./_roots.ts";

/** What engines are made of where roots narrow them. */
export interface NarrowingOptions {
  readonly workspace: CanonicalPath;
  /** An engine under the session's policies and these. */
  readonly openEngine: (further: readonly PlacedPolicy[]) => Promise<StayingEngine>;
}

/** How long a client may take to name its roots before its calls are answered without. */
const ROOTS_MS = 5_000;

/** The engine of a session: the usual, until the client names roots, and then one under them. */
export class NarrowedEngine {
  readonly #options: NarrowingOptions;
  readonly #onChange: () => void;
  #engine: StayingEngine;
  /** Settled when it is known what the workspace is narrowed to. */
  #narrowed: Promise<void> = Promise.resolve();
  /** Whether somebody is about to ask: who has not asked yet hears of all changes so far. */
  #asking = false;
  /** What the engine is narrowed by, as text: threads are not ended for nothing. */
  #narrowing = "null";
  /** Requests that wait for the roots. */
  #waiting = 0;
  /** Requests that are served, and who wants to know when the last one is. */
  #users = 0;
  #onIdle: () => void = () => {};

  constructor(engine: StayingEngine, options: NarrowingOptions, onChange: () => void) {
    this.#engine = engine;
    this.#options = options;
    this.#onChange = onChange;
  }

  get current(): StayingEngine {
    return this.#engine;
  }

  /** Requests that are on a thread, or wait for the roots. */
  get busy(): number {
    return this.#waiting + this.#engine.runner.running;
  }

  /** Has a request served under the roots that were asked for; they stay as they are for as long as it takes. */
  async use<T>(request: (engine: StayingEngine) => Promise<T>): Promise<T> {
    this.#waiting++;
    try {
      await this.#narrowed;
    } finally {
      this.#waiting--;
    }
    this.#users++;
    try {
      return await request(this.#engine);
    } finally {
      this.#users--;
      if (this.#users === 0) this.#onIdle();
    }
  }

  /** Asks the client for its roots; requests from now on wait for them, and run under them. */
  narrow(client: Client): void {
    if (this.#asking) return;
    this.#asking = true;
    this.#narrowed = this.#narrow(client, this.#narrowed);
  }

  async #narrow(client: Client, before: Promise<void>): Promise<void> {
    await before;
    this.#asking = false;
    const answer = await client.ask("roots/list", {}, ROOTS_MS).answer;
    // Without an answer all stays as it is: what was narrowed is not widened by silence.
    if (answer === null) return;
    const policy = policyOfRoots(answer, this.#options.workspace);
    const narrowing = JSON.stringify(policy?.policy.paths ?? null);
    if (narrowing === this.#narrowing) return;
    // Each engine ends processes of this one that it knows nothing of: there are never two at work.
    if (this.#users > 0) await new Promise<void>((resolve) => this.#onIdle = resolve);
    await this.#engine.runner.close();
    this.#engine = await this.#options.openEngine(policy === null ? [] : [policy]);
    this.#engine.warm();
    this.#narrowing = narrowing;
    this.#onChange();
  }
}
