/** The output of a command substitution as text. */

import { ToolError } from "../../../core/errors.ts";

/** What is no UTF-8 cannot become an argument as it is, and must not become another. NUL ends strings. */
export function textOf(chunks: readonly Uint8Array[]): string {
  const bytes = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
      .replaceAll("\0", "");
  } catch {
    throw new ToolError(
      "INVALID_ENCODING",
      "a command substitution gave bytes that are no UTF-8 text; they cannot become arguments unchanged",
    );
  }
}
