/** What comes over a connection, a line or a piece at a time. */

import { joinedBytes } from "../../core/bytes.ts";
import type { Incoming } from "./_body.ts";
import type { Connection } from "./_connection.ts";
import { networkError } from "./_failure.ts";
import { LONGEST_HEAD } from "./_head.ts";

/** What has come in and was not taken yet. */
export class Reader implements Incoming {
  readonly #connection: Connection;
  readonly #place: string;
  readonly #onHeard: () => void;
  #left: Uint8Array = new Uint8Array();
  /** Whether anything came at all. */
  heard = false;

  constructor(connection: Connection, place: string, onHeard: () => void = () => {}) {
    this.#connection = connection;
    this.#place = place;
    this.#onHeard = onHeard;
  }

  /** Whether all that came was taken. */
  get isEmpty(): boolean {
    return this.#left.length === 0;
  }

  async take(most: number): Promise<Uint8Array | null> {
    if (this.#left.length === 0) {
      const piece = await this.#connection.read();
      if (piece === null) return null;
      if (!this.heard) this.#onHeard();
      this.heard = true;
      this.#left = piece;
    }
    const taken = this.#left.subarray(0, most);
    this.#left = this.#left.subarray(taken.length);
    return taken;
  }

  async line(longest: number): Promise<string> {
    const text = await this.#until((bytes) => {
      const at = bytes.indexOf(LF);
      return at === -1 ? null : at + 1;
    }, longest + 2);
    return text.replace(/\r?\n$/, "");
  }

  /** Up to the empty line, and that. */
  async head(): Promise<string> {
    return await this.#until(endOfHead, LONGEST_HEAD);
  }

  /** So many bytes; null where it ends before. */
  async exactly(count: number): Promise<Uint8Array | null> {
    const whole = new Uint8Array(count);
    for (let at = 0; at < count;) {
      const piece = await this.take(count - at);
      if (piece === null) return null;
      whole.set(piece, at);
      at += piece.length;
    }
    return whole;
  }

  /** The next byte, which stays to be taken; null at the end. */
  async peek(): Promise<number | null> {
    const piece = await this.take(Infinity);
    if (piece === null) return null;
    this.#left = piece;
    return piece[0] ?? null;
  }

  /** What is there already is looked at where it lies: a body may come in a million lines. */
  async #until(end: (bytes: Uint8Array) => number | null, longest: number): Promise<string> {
    let before: Uint8Array | null = null;
    for (;;) {
      const piece = await this.take(Infinity);
      if (piece === null) {
        throw networkError("no answer", this.#place, "the connection ended too early");
      }
      const whole: Uint8Array = before === null ? piece : joinedBytes([before, piece]);
      const at = end(whole);
      if (at !== null && at <= longest) {
        this.#left = whole.subarray(at);
        return LATIN.decode(whole.subarray(0, at));
      }
      if (at !== null || whole.length > longest) {
        throw networkError(
          "protocol",
          this.#place,
          "it sends a line or head that is too long",
        );
      }
      // The next piece overwrites this one.
      before = before === null ? piece.slice() : whole;
    }
  }
}

const LF = 10;
const CR = 13;
/** Bytes of heads are no UTF-8: each is a character. */
const LATIN = new TextDecoder("latin1");

function endOfHead(bytes: Uint8Array): number | null {
  for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, at + 1)) {
    if (bytes[at + 1] === LF) return at + 2;
    if (bytes[at + 1] === CR && bytes[at + 2] === LF) return at + 3;
  }
  return null;
}
