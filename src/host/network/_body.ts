/** The body of an answer: unframed, decompressed, and never more of it than is wanted. */

import { gunzipSync, inflateSync } from "node:zlib";
import { joinedBytes } from "../../core/bytes.ts";
import { networkError } from "./_failure.ts";
import { type Framing, LONGEST_HEAD } from "./_head.ts";

/** What can still be read, a line or a piece at a time. */
export interface Incoming {
  /** At most `most` bytes; null at the end. */
  take(most: number): Promise<Uint8Array | null>;
  /** Up to a line feed, without it and a CR before it. Throws where it is longer than `longest`, or ends before. */
  line(longest: number): Promise<string>;
}

/** Whole, or the first `limit` bytes of more. */
export interface Body {
  readonly bytes: Uint8Array;
  readonly truncated: boolean;
}

/** RFC 9112, 7.1: digits of a chunk's length, and bytes of its line with extensions. */
const CHUNK_LENGTH = /^([0-9A-Fa-f]{1,13})[ \t]*(?:;.*)?$/;
const LONGEST_CHUNK_LINE = 4096;
/** Inflating makes a thousand bytes of one: pieces are small, so that the limit is looked at in time. */
const DEFLATED_PIECE = 4096;
/** What is inflated in one go, at most and a step: streams take thrice as long for a page. */
const MOST_AT_ONCE = 8 * 1024 * 1024;
const STEP = 128 * 1024;
/** Room for what says not how long it is, and at most for what does. */
const FIRST_BYTES = 1 << 14;
const MOST_EXPECTED = 1 << 20;

/** Reads to the end or the limit. Throws NETWORK_ERROR where the answer ends before its own length. */
export async function readBody(
  from: Incoming,
  framing: Framing,
  { limit, codings, place }: {
    readonly limit: number;
    /** Of Content-Encoding. */
    readonly codings: readonly string[];
    readonly place: string;
  },
): Promise<Body> {
  const [coding = "identity", ...further] = codings.map((one) => one.toLowerCase());
  const format = FORMATS.get(coding);
  if (format === undefined || further.length > 0) {
    throw networkError(
      "compression",
      place,
      `its answer is encoded as ${codings.join(", ")}, ` +
        "which was not asked for",
    );
  }
  const kept = new Kept(limit, framing.kind === "length" ? framing.length : FIRST_BYTES);
  if (framing.kind === "length") {
    // The usual way, without the steps of a generator.
    for (let left = framing.length; left > 0 && !kept.truncated;) {
      const piece = await pieceOf(from, left, place);
      left -= piece.length;
      kept.add(piece);
    }
  } else {
    for await (const piece of unframed(from, framing, place)) {
      kept.add(piece);
      if (kept.truncated) break;
    }
  }
  const framed = kept.body;
  if (format === null || framed.bytes.length === 0) return framed;
  const inflated = inflateAtOnce(framed, format, limit) ?? await inflate(framed, format, limit);
  if (inflated === null) {
    throw networkError("compression", place, "its answer is not compressed as it says");
  }
  return inflated;
}

const FORMATS: ReadonlyMap<string, CompressionFormat | null> = new Map([
  ["identity", null],
  ["gzip", "gzip"],
  ["x-gzip", "gzip"],
  ["deflate", "deflate"],
]);

/**
 * In one place that grows: a body may come a byte at a time. `expected`: how much it says that it is, which is believed up
 * to a bound, since nobody reserves what another only promises.
 */
class Kept {
  readonly #limit: number;
  #bytes: Uint8Array;
  #length = 0;
  /** More came than is wanted. */
  truncated = false;

  constructor(limit: number, expected: number) {
    this.#limit = limit;
    this.#bytes = new Uint8Array(Math.min(expected, limit, MOST_EXPECTED));
  }

  add(piece: Uint8Array): void {
    const room = this.#limit - this.#length;
    this.truncated = piece.length > room;
    const taken = this.truncated ? piece.subarray(0, room) : piece;
    const length = this.#length + taken.length;
    if (length > this.#bytes.length) {
      const larger = new Uint8Array(Math.min(this.#limit, Math.max(length, 2 * this.#length)));
      larger.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = larger;
    }
    this.#bytes.set(taken, this.#length);
    this.#length = length;
  }

  get body(): Body {
    const whole = this.#length === this.#bytes.length;
    const bytes = whole ? this.#bytes : this.#bytes.slice(0, this.#length);
    return { bytes, truncated: this.truncated };
  }
}

/** What it carries, piece by piece, without its framing. Throws NETWORK_ERROR where that is broken. */
export async function* unframed(
  from: Incoming,
  framing: Framing,
  place: string,
): AsyncGenerator<Uint8Array> {
  switch (framing.kind) {
    case "none":
      return;
    case "close":
      for (;;) {
        const piece = await from.take(Infinity);
        if (piece === null) return;
        yield piece;
      }
    case "length":
      yield* exactly(from, framing.length, place);
      return;
    case "chunked":
      for (;;) {
        const length = CHUNK_LENGTH.exec(await from.line(LONGEST_CHUNK_LINE))?.[1];
        if (length === undefined) throw networkError("protocol", place, "a chunk has no length");
        if (/^0+$/.test(length)) break;
        yield* exactly(from, parseInt(length, 16), place);
        if (await from.line(0) !== "") {
          throw networkError("protocol", place, "a chunk is longer than it says");
        }
      }
      for (let left = LONGEST_HEAD;;) {
        const line = await from.line(left);
        if (line === "") return;
        left -= line.length;
      }
  }
}

async function* exactly(
  from: Incoming,
  length: number,
  place: string,
): AsyncGenerator<Uint8Array> {
  for (let left = length; left > 0;) {
    const piece = await pieceOf(from, left, place);
    left -= piece.length;
    yield piece;
  }
}

/** Throws NETWORK_ERROR at the end: there should be `left` bytes more. */
async function pieceOf(from: Incoming, left: number, place: string): Promise<Uint8Array> {
  const piece = await from.take(left);
  if (piece !== null) return piece;
  throw networkError("length", place, `its answer ended ${left} bytes before its length`);
}

/** Null where it is cut, broken, or more than is wanted: how much of it can be had is for the stream to say. */
function inflateAtOnce(
  { bytes, truncated }: Body,
  format: CompressionFormat,
  limit: number,
): Body | null {
  if (truncated || limit > MOST_AT_ONCE) return null;
  const inflater = format === "gzip" ? gunzipSync : inflateSync;
  try {
    const { buffer, engine } = inflater(bytes, {
      chunkSize: STEP,
      maxOutputLength: limit,
      info: true,
    }) as unknown as Inflated;
    if (engine.bytesWritten !== bytes.length) return null;
    // A Buffer, whose methods are not those of other bytes.
    const { buffer: memory, byteOffset, length } = buffer;
    return { bytes: new Uint8Array(memory, byteOffset, length), truncated };
  } catch {
    return null;
  }
}

/** What `info` of Node's zlib asks for, which its types do not have. */
interface Inflated {
  readonly buffer: Uint8Array;
  /** Of what was given, what it took: the rest is no part of it. */
  readonly engine: { readonly bytesWritten: number };
}

/** Null where it is not of the format. What was cut on the way in is cut on the way out. */
async function inflate(
  { bytes, truncated }: Body,
  format: CompressionFormat,
  limit: number,
): Promise<Body | null> {
  const stream = new DecompressionStream(format);
  const writer = stream.writable.getWriter();
  const feed = async () => {
    for (let at = 0; at < bytes.length; at += DEFLATED_PIECE) {
      await writer.write(bytes.slice(at, at + DEFLATED_PIECE));
    }
    await writer.close();
  };
  // What fails here fails there, too.
  const feeding = feed().catch(() => {});
  const reader = stream.readable.getReader();
  const kept: Uint8Array[] = [];
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      const room = limit - length;
      kept.push(value.subarray(0, room));
      length += Math.min(value.length, room);
      if (value.length > room) {
        reader.cancel().catch(() => {});
        return { bytes: joined(kept), truncated: true };
      }
    }
    await feeding;
    return { bytes: joined(kept), truncated };
  } catch {
    return truncated ? { bytes: joined(kept), truncated } : null;
  }
}

/** One piece is not copied: nobody else has it. */
function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const [only] = pieces;
  return pieces.length === 1 && only !== undefined ? only : joinedBytes(pieces);
}
