/** Files that were being written when git was ended. */

import { textOf } from "./names.ts";
import { look, within } from "./place.ts";
import type { Repository } from "./repository.ts";

/** An entry of the index. */
export interface Side {
  readonly mode: string;
  readonly hash: string;
}

/** What there is of a file, and of which contents it is the beginning. */
export interface Part {
  readonly side: Side;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Longer ones are not compared with what they might be the beginning of. */
const LONGEST_PART = 16 << 20;

/** Null where it is the beginning of none of them. Throws as git does. */
export async function partOf(
  { root, files, git }: Repository,
  path: Uint8Array,
  sides: readonly Side[],
): Promise<Part | null> {
  const place = within(root, textOf(path));
  const found = look(files, place);
  if (found?.type !== "file" || found.size >= LONGEST_PART) return null;
  const bytes = files.read(place, LONGEST_PART).bytes.slice();
  for (const side of sides) {
    const { bytes: all } = await git(["cat-file", "blob", side.hash]);
    if (bytes.length < all.length && bytes.every((byte, at) => all[at] === byte)) {
      return { side, bytes };
    }
  }
  return null;
}
