/**
 * A text file as its bytes and what they mean, so that an edit can be made on the bytes: those that it does not
 * touch survive it whatever they are.
 */

import { ToolError } from "../../../core/errors.ts";
import { quoted } from "../../../core/printable.ts";
import { firstInvalidByte } from "../../../core/utf8.ts";
import { BINARY_WINDOW, byteOrderMark, decoderOf } from "../../../toolkit/decode.ts";
import { type Encode, encoderOf } from "../_encode.ts";

/** One encoding, in both directions. */
export interface Codec {
  /** Canonical WHATWG name. */
  readonly encoding: string;
  /** Bytes of one unit. */
  readonly width: 1 | 2;
  /**
   * The bytes as a string of units, one code unit for each: different bytes give different strings whether they
   * are text or not, and `\r` and `\n` are themselves. Not to be shown.
   */
  units(bytes: Uint8Array): string;
  /** Throws INVALID_ENCODING for what the encoding cannot write, named as the argument it came in. */
  readonly encode: Encode;
  /** The text, U+FFFD for what is none. */
  decode(bytes: Uint8Array): string;
}

/** A file's contents: the byte order mark, then the text. */
export interface TextFile {
  readonly codec: Codec;
  /** Empty where the file has none. */
  readonly mark: Uint8Array;
  readonly body: Uint8Array;
}

/** The windows-1252 of the Encoding Standard gives each of the 256 bytes a character of its own. */
const BYTES = new TextDecoder("windows-1252");

/** The codec of a WHATWG label. Throws INVALID_ARGUMENTS for what cannot be both read and written as text. */
export function codecOf(label: string): Codec {
  if (label === "base64") {
    throw new ToolError(
      "INVALID_ARGUMENTS",
      "encoding: base64 is no text to edit; write_file takes it for whole files",
    );
  }
  const encode = encoderOf(label);
  const { encoding } = decoderOf(label);
  const decoder = new TextDecoder(encoding, { ignoreBOM: true });
  const decode = (bytes: Uint8Array): string => decoder.decode(bytes);
  return encoding.startsWith("utf-16")
    ? { encoding, width: 2, units: (b) => utf16Units(b, encoding === "utf-16le"), encode, decode }
    : { encoding, width: 1, units: (b) => BYTES.decode(b), encode, decode };
}

/**
 * What the bytes hold, by their byte order mark, else by `label`, else UTF-8. Bytes that are no text there are
 * left to `requireValid`. Throws BINARY_FILE (a NUL in the first 8 KiB), and INVALID_ENCODING where `label`
 * contradicts the mark or the last character is cut in half.
 */
export function openText(path: string, bytes: Uint8Array, label?: string): TextFile {
  const found = byteOrderMark(bytes);
  const codec = codecOf(found?.encoding ?? label ?? "utf-8");
  if (found !== null && label !== undefined && codecOf(label).encoding !== found.encoding) {
    throw new ToolError(
      "INVALID_ENCODING",
      `${path} begins with the byte order mark of ${found.encoding}, not ${quoted(label)}; ` +
        "leave encoding out",
      { details: { encoding: found.encoding } },
    );
  }
  // A copy: what was read is valid until the next read only.
  const mark = bytes.slice(0, found?.length ?? 0);
  const body = bytes.subarray(mark.length);
  if (body.length % codec.width !== 0) throw invalid(path, codec.encoding, bytes.length - 1);
  if (codec.units(body.subarray(0, BINARY_WINDOW)).includes("\0")) {
    throw new ToolError(
      "BINARY_FILE",
      `${path} is a binary file of ${bytes.length} bytes (a NUL in the first 8 KiB) and is not edited ` +
        'as text; if it is UTF-16 without a byte order mark, say so with encoding: "utf-16le" or "utf-16be"',
      { details: { size: bytes.length } },
    );
  }
  return { codec, mark, body };
}

/** Throws INVALID_ENCODING with the offset where UTF-8 ends to be it. */
export function requireValid(path: string, { codec, mark, body }: TextFile): void {
  if (codec.encoding !== "utf-8") return;
  const at = firstInvalidByte(body);
  if (at < body.length) throw invalid(path, codec.encoding, mark.length + at);
}

/** All bytes of the file with another body. */
export function withBody({ mark }: TextFile, body: Uint8Array): Uint8Array {
  if (mark.length === 0) return body;
  const bytes = new Uint8Array(mark.length + body.length);
  bytes.set(mark);
  bytes.set(body, mark.length);
  return bytes;
}

function invalid(path: string, encoding: string, offset: number): ToolError {
  return new ToolError(
    "INVALID_ENCODING",
    `${path} is no valid ${encoding}: the byte at offset ${offset} begins no character; ` +
      'name the encoding it has (such as "latin1")',
    { details: { encoding, offset } },
  );
}

/** Code units as they are, halves of surrogate pairs too, which a decoder would replace. */
function utf16Units(bytes: Uint8Array, littleEndian: boolean): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const codes = Uint16Array.from(
    { length: bytes.length >> 1 },
    (_, index) => view.getUint16(2 * index, littleEndian),
  );
  const CHUNK = 8192;
  const parts: string[] = [];
  for (let from = 0; from < codes.length; from += CHUNK) {
    parts.push(String.fromCharCode(...codes.subarray(from, from + CHUNK)));
  }
  return parts.join("");
}
