/** What `profiling_data` is: a profile as text, one in base64, or the path of one. Decided by its looks alone. */

import { PATH_MAX } from "../../../core/path_text.ts";
import { ToolError } from "../../../core/errors.ts";
import { isCollapsed } from "./collapsed.ts";
import { hasKnownStart, isText } from "./recognise.ts";

/** A profile that was handed over, or where it lies. */
export type Given =
  | { readonly kind: "path"; readonly path: string }
  | { readonly kind: "bytes"; readonly bytes: Uint8Array };

/** `data:application/octet-stream;base64,` */
const DATA_URL = /^data:[\w.+/;=-]{0,100};base64,/;

/**
 * Tells them apart. What begins with `/` or `./` is a path, whatever follows, so that every file can be named. What has a
 * line end, or begins as JSON, or is one line of a stack and its count, is text. What decodes from base64 to
 * something that begins as a profile is that. All else is a path. Throws INVALID_ARGUMENTS.
 */
export function givenAs(name: string, data: string): Given {
  if (/^\.{0,2}\//.test(data) && !/[\r\n]/.test(data)) return pathOf(name, data);
  const url = DATA_URL.exec(data.slice(0, 200));
  if (url !== null) {
    const bytes = fromBase64(data.slice(url[0].length));
    if (bytes !== null) return { kind: "bytes", bytes };
    throw new ToolError("INVALID_ARGUMENTS", `${name}: what follows ";base64," is no base64`);
  }
  const bytes = fromBase64(data);
  if (bytes !== null && (data.length > PATH_MAX || begins(bytes))) {
    return { kind: "bytes", bytes };
  }
  const isWritten = /[\r\n]/.test(data) || /^\s*\{[\s"]/.test(data) ||
    (data.includes(";") && isCollapsed([data]));
  if (isWritten) return { kind: "bytes", bytes: new TextEncoder().encode(data) };
  return pathOf(name, data);
}

function pathOf(name: string, path: string): Given {
  if (path.length <= PATH_MAX && !path.includes("\0")) return { kind: "path", path };
  throw new ToolError(
    "INVALID_ARGUMENTS",
    `${name}: this is no profile as text, no base64 of one, and no path; hand over the text whole, base64, or a path`,
  );
}

function begins(bytes: Uint8Array): boolean {
  return hasKnownStart(bytes) ||
    // Text of some length does not come about by chance.
    (bytes.length >= 16 && isText(bytes) && bytes.includes(0x20));
}

/** Null where it is none. Line ends between its characters count for nothing. */
function fromBase64(data: string): Uint8Array | null {
  // A quick look saves decoding of megabytes that are something else.
  if (data.length < 8 || !/^[A-Za-z0-9+/\r\n]+={0,2}[\r\n]*$/.test(data)) return null;
  try {
    return Uint8Array.fromBase64(data);
  } catch {
    return null;
  }
}
