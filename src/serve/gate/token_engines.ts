/** The engines behind tokens: one for all who come with the same token, one after the other as well. */

import { ToolError } from "../../core/errors.ts";
import type { StayingEngine } from "../../engine/create_engine.ts";
import type { Token } from "./token.ts";

/** An engine beside the gate's own. */
export interface FurtherEngine {
  readonly engine: StayingEngine;
  readonly close: () => Promise<void>;
}

/** Each has threads of its own, held to what the token leaves. */
const MOST = 32;
/** Those of them that wait for who comes with the token again. */
const MOST_IDLE = 4;

/** How an engine is kept that nobody uses. */
export interface Keeping {
  /** For how long. */
  readonly ms: number;
  /** Has `end` called when the token ends; gives what takes that back, or null where it is over already. */
  readonly follow: (token: Token, end: () => void) => (() => void) | null;
}

interface Used<E> {
  readonly opened: Promise<E>;
  users: number;
  /** Takes back that it waits; null while somebody uses it. */
  wake: (() => void) | null;
}

/** Opens and closes them. */
export class TokenEngines<E extends FurtherEngine> {
  readonly #open: (token: Token) => Promise<E>;
  readonly #keeping: Keeping | null;
  /** Whose engine waits longest is the first of those that wait. */
  readonly #used = new Map<Token, Used<E>>();

  /**
   * `open`: an engine under the gate's policies and those of the token. `keeping`: null where none outlives who uses it. One
   * that is kept spares who comes by the call its threads' start, and this process what the runtime leaves open of each
   * thread that has ended (an epoll, an event descriptor and the executable in Deno 2.7).
   */
  constructor(open: (token: Token) => Promise<E>, keeping: Keeping | null = null) {
    this.#open = open;
    this.#keeping = keeping;
  }

  /** Throws RESOURCE_LIMIT where as many tokens are in use as may be. */
  async use(token: Token): Promise<E> {
    const used = this.#used.get(token) ?? this.#begin(token);
    used.wake?.();
    used.wake = null;
    used.users++;
    try {
      const opened = await used.opened;
      const engine = spending(opened.engine, token);
      return { ...opened, engine, close: once(() => this.#leave(token, used)) };
    } catch (error) {
      await this.#leave(token, used, { fails: true });
      throw error;
    }
  }

  #begin(token: Token): Used<E> {
    if (this.#used.size >= MOST) void this.#endIdle(0);
    if (this.#used.size >= MOST) {
      const message =
        `as many tokens as may be in use at a time are (${MOST}); end some connections`;
      throw new ToolError("RESOURCE_LIMIT", message);
    }
    const used = { opened: this.#open(token), users: 0, wake: null };
    this.#used.set(token, used);
    return used;
  }

  async #leave(token: Token, used: Used<E>, { fails = false } = {}): Promise<void> {
    if (--used.users > 0) return;
    if (fails || !this.#keep(token, used)) await this.#end(token, used);
  }

  /** Whether it waits from now on. */
  #keep(token: Token, used: Used<E>): boolean {
    const end = () => void this.#end(token, used);
    const unfollow = this.#keeping?.follow(token, end) ?? null;
    if (unfollow === null) return false;
    const timer = setTimeout(end, this.#keeping?.ms);
    Deno.unrefTimer(timer);
    used.wake = () => {
      clearTimeout(timer);
      unfollow();
    };
    this.#used.delete(token);
    this.#used.set(token, used);
    void this.#endIdle(MOST_IDLE);
    return true;
  }

  /** Ends those that nobody uses. */
  async close(): Promise<void> {
    await this.#endIdle(0);
  }

  /** But for so many. */
  async #endIdle(most: number): Promise<void> {
    const idle = [...this.#used].filter(([, { wake }]) => wake !== null);
    const over = idle.slice(0, Math.max(0, idle.length - most));
    await Promise.all(over.map(([token, used]) => this.#end(token, used)));
  }

  async #end(token: Token, used: Used<E>): Promise<void> {
    used.wake?.();
    used.wake = null;
    this.#used.delete(token);
    const opened = await used.opened.catch(() => null);
    await opened?.close();
  }
}

function spending(engine: StayingEngine, { budget }: Token): StayingEngine {
  return { ...engine, budgets: budget };
}

function once(close: () => Promise<void>): () => Promise<void> {
  let closing: Promise<void> | null = null;
  return () => closing ??= close();
}
