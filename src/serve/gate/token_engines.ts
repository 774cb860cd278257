/** The engines behind tokens: one for all who come with the same token, as long as one of them is there. */

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

interface Used<E> {
  readonly opened: Promise<E>;
  users: number;
}

/** Opens and closes them. */
export class TokenEngines<E extends FurtherEngine> {
  readonly #open: (token: Token) => Promise<E>;
  readonly #used = new Map<Token, Used<E>>();

  /** `open`: an engine under the gate's policies and those of the token. */
  constructor(open: (token: Token) => Promise<E>) {
    this.#open = open;
  }

  /** Throws RESOURCE_LIMIT where as many tokens are in use as may be. */
  async use(token: Token): Promise<E> {
    const used = this.#used.get(token) ?? this.#begin(token);
    used.users++;
    try {
      const opened = await used.opened;
      const engine = spending(opened.engine, token);
      return { ...opened, engine, close: once(() => this.#leave(token, used)) };
    } catch (error) {
      await this.#leave(token, used);
      throw error;
    }
  }

  #begin(token: Token): Used<E> {
    if (this.#used.size >= MOST) {
      const message =
        `as many tokens as may be in use at a time are (${MOST}); end some connections`;
      throw new ToolError("RESOURCE_LIMIT", message);
    }
    const used = { opened: this.#open(token), users: 0 };
    this.#used.set(token, used);
    return used;
  }

  async #leave(token: Token, used: Used<E>): Promise<void> {
    if (--used.users > 0) return;
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
