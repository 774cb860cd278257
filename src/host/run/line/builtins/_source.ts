/** What builtins read from: a descriptor that programs of the line have, too. */

import { READABLE } from "../../../kernel/poller.ts";
import { statOf } from "../../../kernel/stat.ts";
import type { ReadOptions } from "../../../../shell/commands/read_options.ts";
import type { Around } from "./builtin.ts";

/** In place of a count: nothing came in time. */
const LATE = -1;
const NEWLINE = 0x0a;
const BACKSLASH = 0x5c;
/** A longer line is read in vain. */
const LONGEST_LINE = 1 << 20;
/** A pipe's capacity (pipe(7)). */
const CHUNK_BYTES = 1 << 16;
/** FIONREAD (include/uapi/asm-generic/ioctls.h) */
const FIONREAD = 0x541b;

/** A descriptor that programs read from too: no byte is taken of it that does not belong to the line. */
export class Source {
  readonly #host: Around["host"];
  readonly #input: number;
  readonly #byte = new Uint8Array(1);

  constructor(host: Around["host"], input: number) {
    this.#host = host;
    this.#input = input;
  }

  /**
   * Up to the delimiter, which is left out; `most`: so many characters at most, past delimiters where it is `exact`.
   * Without `raw` a delimiter behind a backslash is no end. `late`: the time was over first.
   */
  async line(
    raw: boolean,
    { delimiter, most = null, exact = false, patienceMs = null }:
      & Pick<ReadOptions, "delimiter">
      & Partial<ReadOptions>,
  ): Promise<{ readonly bytes: Uint8Array; readonly ended: boolean; readonly late: boolean }> {
    const bytes: number[] = [];
    const { libc } = this.#host;
    const stat = statOf(libc, this.#input);
    const waits = typeof stat === "number" || stat.type !== "file";
    const mark = exact ? -1 : delimiter.charCodeAt(0);
    const until = patienceMs === null ? null : performance.now() + patienceMs;
    const done = (ended: boolean, late = false) => ({ bytes: Uint8Array.from(bytes), ended, late });
    let [ready, escaped, count] = [0, false, 0];
    while (bytes.length < LONGEST_LINE) {
      if (waits && ready-- <= 0) ready = await this.#ready(until);
      if (ready === LATE) return done(true, true);
      const got = libc.transfer(libc.numbers.read, this.#input, this.#byte, 1);
      if (got <= 0) return done(true);
      const [byte = 0] = this.#byte;
      if (byte === mark && (raw || !escaped)) return done(false);
      const escapes = byte === BACKSLASH && !escaped && !raw;
      // What goes on a character (UTF-8) is none, nor a backslash before one, nor a line that goes on.
      const continues = (byte & 0xc0) === 0x80 || escapes || (escaped && byte === NEWLINE);
      escaped = escapes;
      bytes.push(byte);
      if (!continues) count++;
      if (most !== null && count === most && !escapes && isWhole(bytes)) return done(false);
    }
    return done(true);
  }

  /** What can be read now, or comes next; null at the end, or where the line is to end. */
  async some(): Promise<Uint8Array | null> {
    const { libc } = this.#host;
    const stat = statOf(libc, this.#input);
    const waits = typeof stat === "number" || stat.type !== "file";
    const there = waits ? await this.#ready(null) + 1 : CHUNK_BYTES;
    if (this.#host.stopped()) return null;
    const bytes = new Uint8Array(Math.min(there, CHUNK_BYTES));
    const got = libc.transfer(libc.numbers.read, this.#input, bytes, bytes.length);
    return got <= 0 ? null : bytes.subarray(0, got);
  }

  /** How many bytes can be read without waiting, less the one that is read next; 0 at the end, too. */
  async #ready(until: number | null): Promise<number> {
    const { libc: { call, numbers, struct, structAddress }, poller, stopping } = this.#host;
    const there = (): number => {
      struct.setInt32(0, 0, true);
      return call(numbers.ioctl, this.#input, FIONREAD, structAddress) < 0
        ? 0
        : struct.getInt32(0, true);
    };
    const first = there();
    if (first > 0) return first - 1;
    const { promise, resolve } = Promise.withResolvers<void>();
    const watch = poller.watch(this.#input, READABLE, resolve);
    const late = Promise.withResolvers<"late">();
    const timer = until === null
      ? null
      : setTimeout(() => late.resolve("late"), Math.max(0, until - performance.now()));
    const how = await Promise.race([promise, stopping, late.promise]);
    if (timer !== null) clearTimeout(timer);
    watch.close();
    return how === "late" && there() === 0 ? LATE : Math.max(0, there() - 1);
  }
}

/** Whether the last character (UTF-8) has all its bytes. */
function isWhole(bytes: readonly number[]): boolean {
  let at = bytes.length - 1;
  while (at > 0 && (bytes[at]! & 0xc0) === 0x80) at--;
  const lead = bytes[at] ?? 0;
  const wanted = lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  return bytes.length - at >= wanted;
}
