/** The tokens of a gate: made, shown, ended. What is kept of a secret is its hash alone. */

import { timingSafeEqual } from "node:crypto";
import { ToolError } from "../../core/errors.ts";
import { sha256 } from "../../core/sha256.ts";
import { requireHandedWorkspace } from "../../engine/judge/own_workspace.ts";
import type { TokenTerms } from "../_read_token.ts";
import { Minders } from "./minders.ts";
import { delegate, isBelow, type Maker, type Token, type TokenPlace } from "./token.ts";

/** Bytes of a secret, and what it begins with: 256 bits are not guessed. */
const SECRET_BYTES = 32;
const PREFIX = "tg_";
/** Tokens that are good at a time, and those of one maker. */
const MOST = 1024;
const MOST_OF_ONE = 256;

/** What is told of a token, to who may know of it. */
export interface TokenReport {
  readonly token: string;
  readonly agent: string;
  readonly uid: number;
  readonly maker: string;
  /** The token that it was made with. */
  readonly made_with: string | null;
  readonly spent: number;
  readonly tokens: number | null;
  readonly expires: string | null;
  readonly connections: number;
}

/** Whoever ends with a token; `engine`: what is kept for who comes with it again. */
interface Follower {
  readonly kind: "connection" | "child" | "engine";
  readonly end: () => void;
}

interface Live {
  readonly token: Token;
  readonly digest: Uint8Array;
  /** By performance.now(): the clock on the wall can be set back. */
  readonly until: number;
  readonly timer: number | null;
  /** Who is asked for its bearers; null where it was made with another, whose minders are asked. */
  readonly minders: Minders | null;
  /** Those who came with it, and the child agents that they have. */
  readonly followers: Set<Follower>;
}

/** Makes tokens, and knows those that are good. */
export class Tokens {
  readonly #place: TokenPlace;
  readonly #live = new Map<string, Live>();
  #last = 0;

  constructor(place: TokenPlace) {
    this.#place = place;
  }

  /** The secret is given once and kept by nobody here. Throws what {@linkcode delegate} throws, and RESOURCE_LIMIT. */
  make(maker: Maker, terms: TokenTerms): { readonly secret: string; readonly token: Token } {
    const own = [...this.#live.values()].filter(({ token }) => isOf(token, maker)).length;
    if (this.#live.size >= MOST || own >= MOST_OF_ONE) {
      throw new ToolError("RESOURCE_LIMIT", "as many tokens as are kept are good; revoke some");
    }
    this.#minds(maker);
    const id = `tk_${++this.#last}`;
    const minders = maker.token === null ? new Minders(maker.approver) : null;
    const token = delegate({ ...maker, approver: minders ?? maker.approver }, terms, {
      id,
      alive: () => this.#requireAlive(id),
      place: this.#place,
    });
    requireHandedWorkspace(maker, maker.agent.name, token.agent);
    const secret = PREFIX + crypto.getRandomValues(new Uint8Array(SECRET_BYTES))
      .toBase64({ alphabet: "base64url", omitPadding: true });
    const ms = token.expiresAt === null ? null : token.expiresAt - this.#place.now();
    const timer = ms === null ? null : setTimeout(() => this.#end(token), Math.max(0, ms));
    if (timer !== null) Deno.unrefTimer(timer);
    this.#live.set(id, {
      token,
      digest: digestOf(secret),
      until: ms === null ? Infinity : performance.now() + ms,
      timer,
      minders,
      followers: new Set(),
    });
    return { secret, token };
  }

  /** The token of a secret that a user shows; null for one that was never given, is over, or is another's. */
  shown(secret: string, uid: number): Token | null {
    const digest = digestOf(secret);
    let found: Live | null = null;
    // All of them, so that the time it takes tells nothing of which one it is.
    for (const live of this.#live.values()) {
      if (timingSafeEqual(live.digest, digest)) found = live;
    }
    return found !== null && found.token.uid === uid && this.#isAlive(found) ? found.token : null;
  }

  /** Has `end` called when the token ends; gives what takes that back, or null where it is over already. */
  follow(token: Token, follower: Follower): (() => void) | null {
    const live = this.#live.get(token.id);
    if (live === undefined || !this.#isAlive(live)) return null;
    live.followers.add(follower);
    return () => live.followers.delete(follower);
  }

  /** Ends a token that `maker` made, or came with, and all below it; whether there was one. */
  revoke(id: string, maker: Maker): boolean {
    const live = this.#live.get(id);
    if (live === undefined || !(isOf(live.token, maker) || rules(maker))) return false;
    this.#end(live.token);
    return true;
  }

  /** Those that `maker` may revoke. From now on he is asked for the bearers of his own where whom they were made by is gone. */
  report(maker: Maker): readonly TokenReport[] {
    this.#minds(maker);
    const mine = [...this.#live.values()].filter(({ token }) => rules(maker) || isOf(token, maker));
    return mine.map(({ token, followers }) => ({
      token: token.id,
      agent: token.agent,
      uid: token.uid,
      maker: token.maker.agent,
      made_with: token.above?.id ?? null,
      spent: token.budget.report()[0]?.spent ?? 0,
      tokens: token.tokens,
      expires: token.expiresAt === null ? null : new Date(token.expiresAt).toISOString(),
      connections: [...followers].filter(({ kind }) => kind === "connection").length,
    }));
  }

  /** Who came with a token agrees to nothing for others. */
  #minds(maker: Maker): void {
    if (maker.token !== null) return;
    for (const { token, minders } of this.#live.values()) {
      if (isOf(token, maker)) minders?.add(maker.approver);
    }
  }

  /** Ends all. */
  close(): void {
    for (const { token } of [...this.#live.values()]) this.#end(token);
  }

  #isAlive({ token, until }: Live): boolean {
    return this.#live.has(token.id) && performance.now() < until &&
      (token.expiresAt === null || this.#place.now() < token.expiresAt);
  }

  #requireAlive(id: string): void {
    const live = this.#live.get(id);
    if (live !== undefined && this.#isAlive(live)) return;
    throw new ToolError("PERMISSION_DENIED", TOKEN_OVER);
  }

  #end(token: Token): void {
    for (const live of [...this.#live.values()]) {
      if (!isBelow(live.token, token)) continue;
      this.#live.delete(live.token.id);
      if (live.timer !== null) clearTimeout(live.timer);
      for (const { end } of live.followers) end();
    }
  }
}

/** What is said where a token was good and is not any more. */
export const TOKEN_OVER = "the token has expired or was revoked; nothing more is done with it";

/** Of equal length, whatever was shown. */
function digestOf(secret: string): Uint8Array {
  return new TextEncoder().encode(sha256(secret));
}

/** Who may end any: the gate's own user, unless he came with a token. */
function rules({ operator, token }: Maker): boolean {
  return operator && token === null;
}

/** Whether a token is what `maker` made or came with, or was made with such a one. */
function isOf(token: Token, { uid, agent, token: own }: Maker): boolean {
  if (own !== null) return isBelow(token, own);
  let first = token;
  while (first.above !== null) first = first.above;
  return first.maker.uid === uid && first.maker.agent === agent.name;
}
