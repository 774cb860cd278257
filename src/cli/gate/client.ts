/** A caller's end of a gate: lines go out, lines come in, and it waits where it stands. No policy, no engine. */

import { ERRNO, errnoName } from "../../sandbox/kernel/errno.ts";
import { type Libc, openLibc } from "../../sandbox/kernel/libc.ts";
import { close, readSome, writeSome } from "../../host/kernel/pipes.ts";
import type { Begun } from "../../host/sockets/ask_once.ts";
import { connectTo, endSending, openSocket } from "../../host/sockets/unix_socket.ts";
import { UsageError } from "../usage_error.ts";

/** Bytes asked of the gate at once. */
const INPUT_BYTES = 1 << 16;

/** A connection to a gate. */
export class GateClient {
  readonly libc: Libc;
  readonly descriptor: number;
  readonly #input = new Uint8Array(INPUT_BYTES);
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #pieces: string[] = [];
  #lines: string[] = [];

  private constructor(libc: Libc, descriptor: number) {
    this.libc = libc;
    this.descriptor = descriptor;
  }

  /** `libc`: for who connects often. Throws a UsageError where nobody listens there. */
  static connect(path: string, libc = openLibc({ late: true })): GateClient {
    if (libc === null) throw new UsageError("--gate needs Linux with glibc");
    const descriptor = openSocket(libc, { blocking: true });
    if (descriptor < 0) throw new UsageError(`--gate: no socket (${errnoName(-descriptor)})`);
    const result = connect(libc, descriptor, path);
    if (result >= 0) return new GateClient(libc, descriptor);
    close(libc, descriptor);
    const gone = result === -ERRNO.ENOENT || result === -ERRNO.ECONNREFUSED;
    const why = gone ? "no gate listens there" : `cannot be reached (${errnoName(-result)})`;
    throw new UsageError(`--gate ${path}: ${why}`);
  }

  /** Goes on where a question was asked, with what came for it. */
  static goingOn({ descriptor, said }: Begun): GateClient {
    const libc = openLibc({ late: true });
    if (libc === null) throw new UsageError("--gate needs Linux with glibc");
    const client = new GateClient(libc, descriptor);
    client.#take(said);
    return client;
  }

  /** Waits until the gate has taken it; whether it did. */
  send(line: string): boolean {
    let bytes = new TextEncoder().encode(`${line}\n`);
    while (bytes.length > 0) {
      const sent = writeSome(this.libc, this.descriptor, bytes);
      if (sent === null) return false;
      bytes = bytes.subarray(sent);
    }
    return true;
  }

  /** Nothing more is sent: nobody will agree to anything any more. */
  endSending(): void {
    endSending(this.libc, this.descriptor);
  }

  /** The next line; null at the end. */
  next(): string | null {
    for (;;) {
      const line = this.#lines.shift();
      if (line !== undefined) return line;
      const count = readSome(this.libc, this.descriptor, this.#input) ?? 0;
      if (count === 0) return null;
      this.#take(this.#input.subarray(0, count));
    }
  }

  /** To be called where no line waits. */
  #take(bytes: Uint8Array): void {
    const parts = this.#decoder.decode(bytes, { stream: true }).split("\n");
    const last = parts.pop() as string;
    if (parts.length > 0) {
      parts[0] = this.#pieces.join("") + parts[0];
      this.#pieces = [];
      this.#lines = parts;
    }
    if (last !== "") this.#pieces.push(last);
  }

  /** What came behind the lines that were taken. */
  rest(): string {
    const text = [...this.#lines, this.#pieces.join("")].join("\n");
    this.#lines = [];
    this.#pieces = [];
    return text;
  }

  close(): void {
    close(this.libc, this.descriptor);
  }
}

function connect(libc: Libc, descriptor: number, path: string): number {
  try {
    return connectTo(libc, descriptor, path);
  } catch (error) {
    if (error instanceof RangeError) throw new UsageError(`--gate: ${error.message}`);
    throw error;
  }
}
