/** A profile from what a call names: read, unpacked within bounds, recognised. */

import { gunzipSync } from "node:zlib";
import { ToolError } from "../../../core/errors.ts";
import type { ReadContext } from "../../../core/tool.ts";
import type { Given } from "./given.ts";
import type { Profile } from "./model.ts";
import { isGzip, readAny } from "./recognise.ts";

/**
 * Profiles may be larger than what `read_file` shows, for they are read by a program: ten minutes of Node at a
 * sample a millisecond have some 10 MB. As JSON, that many bytes can take half a gigabyte.
 */
export const MOST_BYTES = 32 * 1024 * 1024;

/** Opens it. Throws UNKNOWN_PROFILE, RESOURCE_LIMIT, and what reading a file does. */
export function openProfile(
  given: Given,
  { files, checkpoint }: Pick<ReadContext, "files" | "checkpoint">,
): { readonly profile: Profile; readonly bytesRead: number } {
  const bytes = given.kind === "path" ? files.read(given.path, MOST_BYTES).bytes : given.bytes;
  const bytesRead = given.kind === "path" ? bytes.length : 0;
  const plain = isGzip(bytes) ? unpack(bytes) : bytes;
  return { profile: readAny(plain, { checkpoint }), bytesRead };
}

/**
 * Unpacks gzip, and stops where it becomes too much: a bomb is never there whole. (A `DecompressionStream` is no
 * guard: it hands over whatever became of a piece at once, a thousand times its size.)
 */
function unpack(packed: Uint8Array): Uint8Array {
  try {
    return gunzipSync(packed, { maxOutputLength: MOST_BYTES });
  } catch (error) {
    if (error instanceof RangeError) {
      throw new ToolError(
        "RESOURCE_LIMIT",
        `the profile has over ${MOST_BYTES} bytes when it is unpacked; record a shorter one`,
        { details: { limit: MOST_BYTES } },
      );
    }
    throw new ToolError(
      "UNKNOWN_PROFILE",
      "this begins as gzip, but it is damaged or cut off; hand over the whole file",
    );
  }
}
