/** The output of a command substitution as text. */

import { joinedBytes } from "../../../core/bytes.ts";
import { nameText } from "../../../core/name_text.ts";
import { ToolError } from "../../../core/errors.ts";
import { close, openPipe, setNonBlocking } from "../../kernel/pipes.ts";
import { Output } from "../_output.ts";
import type { LineHost } from "./line_host.ts";

/**
 * What is written to the descriptor that `run` is handed, without its last newlines; null where the line was stopped.
 * `release` lets go of it. Throws RESOURCE_LIMIT where it is more than the limit.
 */
export async function outputOf(
  host: LineHost,
  run: (output: number, release: () => void) => Promise<void>,
): Promise<string | null> {
  const { libc, poller, outputLimit, buffer } = host;
  const pipe = openPipe(libc);
  setNonBlocking(libc, pipe.read);
  const chunks: Uint8Array[] = [];
  let size = 0;
  const output = new Output({ libc, poller, buffer }, pipe.read, (bytes) => {
    size += bytes.length;
    if (size <= outputLimit) chunks.push(bytes.slice());
  });
  try {
    await run(pipe.write, once(() => close(libc, pipe.write)));
    await Promise.race([output.ended, host.stopping]);
  } finally {
    output.close();
  }
  if (host.stopped()) return null;
  if (size > outputLimit) {
    throw new ToolError(
      "RESOURCE_LIMIT",
      `a command substitution gave more than ${outputLimit} bytes; write it to a file and read that`,
    );
  }
  return textOf(chunks).replace(/\n+$/, "");
}

/** An action that is done the first time alone. */
export function once(action: () => void): () => void {
  let done = false;
  return () => {
    if (!done) action();
    done = true;
  };
}

/** As `nameText` has it, so that it can become an argument unchanged. NUL ends strings. */
export function textOf(chunks: readonly Uint8Array[]): string {
  return nameText(joinedBytes(chunks)).replaceAll("\0", "");
}
