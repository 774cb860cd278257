/** Talks to a program that answers NDJSON on pipes, with blocking calls so that little of the time is its own. */

import { join } from "@std/path";

const LINE_FEED = 10;

/** What to start, and where. */
export interface Program {
  readonly path: string;
  readonly args: readonly string[];
  readonly cwd: string;
}

export interface Client {
  readonly pid: number;
  /** Writes lines, each with its line feed. */
  send(text: string): void;
  /** Waits for at least one whole line and gives all that have come, checked to be answers of success. */
  receive(): number;
  /** Ends the input and waits for the end of the program. Throws Error for another status than 0. */
  close(): Promise<void>;
}

/** Starts the program with named pipes for standard input and output. */
export async function connect({ path, args, cwd }: Program): Promise<Client> {
  const folder = await Deno.makeTempDir({ prefix: "toolgate-bench-" });
  const [input, output] = [join(folder, "in"), join(folder, "out")];
  await new Deno.Command("mkfifo", { args: [input, output] }).output();
  const child = new Deno.Command("/bin/sh", {
    // A program that spins instead of answering is ended, and its output with it, after two minutes.
    args: ["-c", `ulimit -t 120; exec "$@" <"${input}" >"${output}"`, "sh", path, ...args],
    cwd,
    stdin: "null",
    stdout: "null",
    stderr: "inherit",
  }).spawn();
  // Each of the two waits for the other side, which opens them in this order.
  const writer = Deno.openSync(input, { write: true });
  const reader = Deno.openSync(output, { read: true });
  await Deno.remove(folder, { recursive: true });
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(1024 * 1024);
  let held = 0;
  return {
    pid: child.pid,
    send(text) {
      let bytes = encoder.encode(text);
      while (bytes.length > 0) bytes = bytes.subarray(writer.writeSync(bytes));
    },
    receive() {
      for (;;) {
        const count = reader.readSync(buffer.subarray(held));
        if (count === null) throw new Error(`${path} ended its output`);
        const start = held;
        held += count;
        const end = buffer.subarray(0, held).lastIndexOf(LINE_FEED);
        if (end < start) continue;
        const lines = decoder.decode(buffer.subarray(0, end)).split("\n");
        buffer.copyWithin(0, end + 1, held);
        held -= end + 1;
        for (const line of lines) {
          if (!line.includes('"success":true')) throw new Error(`${path} answered ${line}`);
        }
        return lines.length;
      }
    },
    async close() {
      writer.close();
      while (reader.readSync(buffer) !== null);
      reader.close();
      const { code } = await child.status;
      if (code !== 0) throw new Error(`${path} ended with ${code}`);
    },
  };
}
