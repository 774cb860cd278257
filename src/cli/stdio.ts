/** Standard output for results, standard error for people. */

import { joinedBytes } from "../core/bytes.ts";
import { readInput } from "../host/standard_input.ts";

const encoder = new TextEncoder();

/** Bytes that are read at once: what a pipe holds (pipe(7)). */
const READ_BYTES = 65_536;

/** Writes a line to standard output, whole. A reader that is gone ends it quietly. */
export function print(text: string): void {
  writeAll(Deno.stdout, encoder.encode(text + "\n"));
}

/** Writes bytes to standard output as they are. */
export function printBytes(bytes: Uint8Array): void {
  writeAll(Deno.stdout, bytes);
}

/** Writes a line to standard error. */
export function complain(text: string): void {
  writeAll(Deno.stderr, encoder.encode(text + "\n"));
}

/** Writes text as it is, to standard output or standard error. */
export function show(stream: "stdout" | "stderr", text: string): void {
  writeAll(stream === "stdout" ? Deno.stdout : Deno.stderr, encoder.encode(text));
}

function writeAll(to: { writeSync(bytes: Uint8Array): number }, bytes: Uint8Array): void {
  try {
    for (let done = 0; done < bytes.length;) done += to.writeSync(bytes.subarray(done));
  } catch (error) {
    if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
  }
}

/** All of standard input; null where that is more than `limit` bytes. */
export async function readStdin(limit: number): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const buffer = new Uint8Array(READ_BYTES);
    const count = await readInput(buffer);
    if (count === null) break;
    size += count;
    if (size > limit) return null;
    chunks.push(buffer.subarray(0, count));
  }
  return joinedBytes(chunks);
}
