/** The text of an answer: by the charset that it says (WHATWG Encoding, HTML 13.2.3.2). */

import { ToolError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import type { WebAnswer } from "../../core/network.ts";

/** Type and parameters of a Content-Type, in lower case; `type` "" where there is none. */
export interface ContentType {
  readonly type: string;
  readonly charset: string | null;
}

/** RFC 9110, 8.3 */
export function contentTypeOf({ headers }: Pick<WebAnswer, "headers">): ContentType {
  const [type = "", ...parameters] = (headers["content-type"] ?? "").split(";");
  const charset = parameters
    .map((one) => /^\s*charset\s*=\s*"?([^"\s]+)"?\s*$/i.exec(one)?.[1])
    .find((one) => one !== undefined);
  return { type: type.trim().toLowerCase(), charset: charset?.toLowerCase() ?? null };
}

/** What is read of a page for the charset that it gives itself (HTML, 13.2.3.2). */
const PRESCANNED = 1024;

/** Throws INVALID_ENCODING for a charset that nobody knows. */
export function decodeText(body: Uint8Array, { type, charset }: ContentType): string {
  const label = markOf(body) ?? charset ?? (isHtml(type) ? prescan(body) : null) ?? "utf-8";
  let decoder: TextDecoder;
  try {
    decoder = new TextDecoder(label);
  } catch {
    throw new ToolError(
      "INVALID_ENCODING",
      `the answer says that its charset is ${
        printable(label, 60)
      }, which is none; format: bytes gives it as it is`,
      { details: { charset: printable(label, 60) } },
    );
  }
  return decoder.decode(body);
}

/** Whether it is a page. */
export function isHtml(type: string): boolean {
  return type === "text/html" || type === "application/xhtml+xml";
}

/** Whether people could read it as it is. */
export function isText(type: string): boolean {
  return type.startsWith("text/") || /[/+](?:json|xml|yaml|toml)$/.test(type) ||
    /^application\/(?:json|xml|x?-?javascript|ecmascript|x-sh|x-yaml|sql|graphql|x-ndjson|ld\+json)/
      .test(type);
}

/** Whether bytes of an unsaid type look like text: no NUL among the first. */
export function looksLikeText(body: Uint8Array): boolean {
  return !body.subarray(0, PRESCANNED).includes(0);
}

/** A byte order mark speaks before all else. */
function markOf(body: Uint8Array): string | null {
  const [a, b, c] = body;
  if (a === 0xef && b === 0xbb && c === 0xbf) return "utf-8";
  if (a === 0xfe && b === 0xff) return "utf-16be";
  return a === 0xff && b === 0xfe ? "utf-16le" : null;
}

function prescan(body: Uint8Array): string | null {
  const start = new TextDecoder("latin1").decode(body.subarray(0, PRESCANNED));
  return /<meta\s[^>]*?charset\s*=\s*["']?\s*([^"'\s/>;]+)/i.exec(start)?.[1] ?? null;
}
