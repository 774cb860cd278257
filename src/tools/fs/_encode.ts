/** From text to the bytes of a file: the inverse of `_decode.ts`, for the encodings that can be written. */

import { ToolError } from "../../core/errors.ts";
import { printable, quoted } from "../../core/printable.ts";
import { decoderOf } from "../../toolkit/decode.ts";

/** Canonical names of the WHATWG encodings with one byte a character, all of which can be inverted. */
const SINGLE_BYTE = /^(?:ibm866|iso-8859-|koi8-|macintosh|windows-|x-mac-cyrillic|x-user-defined)/;

const UTF8 = new TextEncoder();

/** ArrivalOrder content into bytes; no byte order mark is added. `argument` names it in errors: `content` by itself. */
export type Encode = (content: string, argument?: string) => Uint8Array;

/** Throws INVALID_ARGUMENTS for what is no encoding or cannot be written. The encoder throws INVALID_ENCODING. */
export function encoderOf(label: string): Encode {
  if (label === "utf-8") return encodeUtf8;
  if (label === "base64") return decodeBase64;
  const { encoding } = decoderOf(label);
  if (encoding === "utf-8") return encodeUtf8;
  if (encoding.startsWith("utf-16")) {
    return (content, argument) => encodeUtf16(content, encoding === "utf-16le", argument);
  }
  if (SINGLE_BYTE.test(encoding)) {
    return (content, argument) => encodeSingleByte(content, encoding, argument);
  }
  throw new ToolError(
    "INVALID_ARGUMENTS",
    `encoding: ${quoted(label)} can be read but not written; take utf-8, utf-16le, utf-16be, an ` +
      "encoding of one byte a character (latin1, windows-1252, koi8-r, …), or base64",
  );
}

function encodeUtf8(content: string, argument?: string): Uint8Array {
  refuseLoneSurrogates(content, "utf-8", argument);
  return UTF8.encode(content);
}

function encodeUtf16(content: string, littleEndian: boolean, argument?: string): Uint8Array {
  refuseLoneSurrogates(content, littleEndian ? "utf-16le" : "utf-16be", argument);
  const view = new DataView(new ArrayBuffer(content.length * 2));
  for (let index = 0; index < content.length; index++) {
    view.setUint16(index * 2, content.charCodeAt(index), littleEndian);
  }
  return new Uint8Array(view.buffer);
}

/** Whether all 256 bytes are taken is the encoding's matter: those that are none decode to U+FFFD. */
function encodeSingleByte(content: string, encoding: string, argument = "content"): Uint8Array {
  const characters = new TextDecoder(encoding).decode(
    Uint8Array.from({ length: 256 }, (_, i) => i),
  );
  const bytes = new Map<string, number>();
  for (let byte = 0; byte < 256; byte++) {
    const character = characters[byte] ?? "";
    if (character !== "\ufffd") bytes.set(character, byte);
  }
  const encoded = new Uint8Array(content.length);
  for (let index = 0; index < content.length; index++) {
    const byte = bytes.get(content[index] ?? "");
    if (byte === undefined) {
      const character = String.fromCodePoint(content.codePointAt(index) ?? 0);
      throw new ToolError(
        "INVALID_ENCODING",
        `${argument}: "${
          printable(character)
        }" at index ${index} has no place in ${encoding}; write utf-8`,
        { details: { encoding, index } },
      );
    }
    encoded[index] = byte;
  }
  return encoded;
}

function decodeBase64(content: string): Uint8Array {
  try {
    return Uint8Array.fromBase64(content, { lastChunkHandling: "strict" });
  } catch {
    throw new ToolError(
      "INVALID_ENCODING",
      "content is no valid base64 (RFC 4648, section 4, padded with =)",
      { details: { encoding: "base64" } },
    );
  }
}

function refuseLoneSurrogates(content: string, encoding: string, argument = "content"): void {
  if (content.isWellFormed()) return;
  const index = /[\ud800-\udfff]/u.exec(content)?.index ?? 0;
  throw new ToolError(
    "INVALID_ENCODING",
    `${argument} holds half a surrogate pair at index ${index}, which ${encoding} cannot write`,
    { details: { encoding, index } },
  );
}
