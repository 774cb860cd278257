/** Text that is sourced from what the line has open. */

import { ToolError } from "../../../../core/errors.ts";
import type { LineHost } from "../line_host.ts";
import { textOf } from "../_substitution.ts";
import { Source } from "./_source.ts";

/** Bytes that a line is read of at most. */
export const MOST_SOURCED = 128 * 1024;

/** The text of what the line itself gives (`<(…)`, its standard input), to its end. */
export async function readOpen(
  host: LineHost,
  descriptor: number,
  shown: string,
): Promise<string> {
  const source = new Source(host, descriptor);
  const chunks: Uint8Array[] = [];
  for (let size = 0;;) {
    const bytes = await source.some();
    if (bytes === null) return textOf(chunks);
    size += bytes.length;
    if (size > MOST_SOURCED) throw tooLong(shown);
    chunks.push(bytes);
  }
}

/** What is read has more. */
export function tooLong(shown: string): ToolError {
  return new ToolError("RESOURCE_LIMIT", `${shown} has more than ${MOST_SOURCED} bytes to be run`);
}
