/** The head of an HTTP/1.1 answer (RFC 9112): read strictly, since what is lenient here is a hole elsewhere. */

import { flatText } from "../../core/flat_text.ts";
import { networkError } from "./_failure.ts";

/** Status and fields. Names in lower case, several values of one name in their order. */
export interface Head {
  readonly status: number;
  readonly fields: ReadonlyMap<string, readonly string[]>;
  /** The server leaves the connection open behind its answer (RFC 9112, 9.3). */
  readonly persistent: boolean;
}

/** Bytes of a head: what the large servers send at most (nginx 32 KiB, Node 16 KiB), doubled. */
export const LONGEST_HEAD = 64 * 1024;
/** Fields of a head. */
const MOST_FIELDS = 256;

/** RFC 9110, 5.6.2 */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const STATUS_LINE = /^HTTP\/1\.[01] ([1-9][0-9]{2})(?: [^\r\n]*)?$/;

/** Parses the text between the first byte and the empty line. Throws NETWORK_ERROR. */
export function parseHead(text: string, place: string): Head {
  const [first = "", ...lines] = text.split(/\r?\n/);
  const status = STATUS_LINE.exec(first)?.[1];
  if (status === undefined) throw broken(place, "its answer is no HTTP/1.1");
  if (lines.length > MOST_FIELDS) throw broken(place, `its answer has over ${MOST_FIELDS} headers`);
  const fields = new Map<string, string[]>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon);
    // deno-lint-ignore no-control-regex
    if (colon < 1 || !TOKEN.test(name) || /[\u0000-\u0008\u000a-\u001f\u007f]/.test(line)) {
      throw broken(place, "its answer has a malformed header");
    }
    const key = name.toLowerCase();
    const values = fields.get(key) ?? [];
    values.push(flatText(line.slice(colon + 1).replace(/^[ \t]+|[ \t]+$/g, "")));
    fields.set(key, values);
  }
  const options = listed(fields.get("connection")).map((option) => option.toLowerCase());
  const persistent = first.startsWith("HTTP/1.1") && !options.includes("close");
  return { status: Number(status), fields, persistent };
}

/** How the body ends. */
export type Framing =
  | { readonly kind: "none" | "chunked" | "close" }
  | { readonly kind: "length"; readonly length: number };

/** RFC 9112, 6.3; what it calls ambiguous is refused. Throws NETWORK_ERROR. */
export function framingOf({ status, fields }: Head, place: string): Framing {
  if (status === 204 || status === 304) return { kind: "none" };
  const codings = listed(fields.get("transfer-encoding"));
  const lengths = [...new Set(listed(fields.get("content-length")))];
  if (fields.has("transfer-encoding")) {
    if (fields.has("content-length")) throw broken(place, "its answer has two lengths");
    if (codings.length !== 1 || codings[0]?.toLowerCase() !== "chunked") {
      throw broken(place, "its answer has a transfer coding that was not asked for");
    }
    return { kind: "chunked" };
  }
  if (!fields.has("content-length")) return { kind: "close" };
  const [length = ""] = lengths;
  if (lengths.length !== 1 || !/^[0-9]{1,15}$/.test(length)) {
    throw broken(place, "its answer has no valid Content-Length");
  }
  return { kind: "length", length: Number(length) };
}

const NONE: readonly string[] = [];

/** The values of a field whose parts are separated by commas. */
export function listed(values: readonly string[] | undefined): readonly string[] {
  if (values === undefined) return NONE;
  return values.flatMap((value) => value.split(",")).map((part) => part.trim())
    .filter((part) => part !== "");
}

function broken(place: string, why: string) {
  return networkError("protocol", place, why);
}
