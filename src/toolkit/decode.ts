/** From the bytes of a file to text, refusing what is no text in the encoding asked for. */

import { ToolError } from "../core/errors.ts";
import { quoted } from "../core/printable.ts";
import { firstInvalidByte } from "../core/utf8.ts";

/** Bytes looked at for a NUL: as far as `git` and `grep` look, near enough, to call a file binary. */
export const BINARY_WINDOW = 8 * 1024;

const UTF8 = new TextDecoder("utf-8", { fatal: true });
/** Four times as fast, and puts U+FFFD for what is no UTF-8 instead of throwing. */
const LENIENT_UTF8 = new TextDecoder("utf-8");

/** The decoder of a WHATWG label, fatal; throws INVALID_ARGUMENTS where no encoding has that label. */
export function decoderOf(label: string): TextDecoder {
  if (label === "utf-8") return UTF8;
  try {
    return new TextDecoder(label, { fatal: true });
  } catch {
    throw new ToolError(
      "INVALID_ARGUMENTS",
      `encoding: ${quoted(label)} is no known encoding; take utf-8, any label of the WHATWG ` +
        "Encoding Standard (utf-16le, windows-1252, shift_jis, …), or base64",
    );
  }
}

/** Whether a NUL byte stands in the first 8 KiB. */
export function looksBinary(bytes: Uint8Array): boolean {
  return (bytes.length > BINARY_WINDOW ? bytes.subarray(0, BINARY_WINDOW) : bytes).includes(0);
}

/** Throws BINARY_FILE for a file that `looksBinary`, unless the encoding writes NUL bytes itself. */
export function refuseBinary(path: string, bytes: Uint8Array, decoder: TextDecoder): void {
  if (decoder.encoding.startsWith("utf-16") || !looksBinary(bytes)) return;
  const mark = byteOrderMark(bytes)?.encoding ?? "utf-8";
  const hint = mark !== "utf-8"
    ? `it begins like UTF-16: read it with encoding: "${mark}"`
    : 'read it with encoding: "base64"';
  throw new ToolError(
    "BINARY_FILE",
    `${path} is a binary file of ${bytes.length} bytes (a NUL byte in the first 8 KiB); ${hint}`,
    { details: { size: bytes.length } },
  );
}

/**
 * The text of `bytes`, which start at `offset` in the file, without a leading byte order mark.
 * Throws INVALID_ENCODING with the offset of the first bad byte where the encoding is UTF-8.
 */
export function decode(
  path: string,
  bytes: Uint8Array,
  decoder: TextDecoder,
  offset: number,
): string {
  try {
    if (decoder.encoding !== "utf-8") return decoder.decode(bytes);
    const text = LENIENT_UTF8.decode(bytes);
    // The file may hold that character itself: the strict decoder tells.
    return text.includes("\ufffd") ? decoder.decode(bytes) : text;
  } catch {
    const { encoding } = decoder;
    const at = encoding === "utf-8" ? offset + firstInvalidByte(bytes) : null;
    throw new ToolError(
      "INVALID_ENCODING",
      `${path} is no valid ${encoding}` +
        (at === null ? "" : `: the byte at offset ${at} begins no character`) +
        '; read it with the encoding it has (such as "latin1"), or with "base64"',
      { details: { encoding, ...(at === null ? {} : { offset: at }) } },
    );
  }
}

/** The byte order mark that the bytes begin with, and the encoding it is of; null for none (Unicode 16, table 2-4). */
export function byteOrderMark(
  bytes: Uint8Array,
): { readonly encoding: "utf-8" | "utf-16le" | "utf-16be"; readonly length: number } | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    return { encoding: "utf-8", length: 3 };
  }
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return { encoding: "utf-16le", length: 2 };
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return { encoding: "utf-16be", length: 2 };
  return null;
}

/** Whether the bytes begin with the byte order mark that `decode` leaves out. */
export function hasByteOrderMark(bytes: Uint8Array, decoder: TextDecoder): boolean {
  return byteOrderMark(bytes)?.encoding === decoder.encoding;
}
