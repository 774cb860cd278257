/** Files that hold a pointer of git-lfs in place of their contents: whoever works with them must know. */

import { joinedBytes } from "../../core/bytes.ts";
import { splitNul, textOf } from "./names.ts";
import { shown } from "./paths.ts";
import { look, textIn, within } from "./place.ts";
import type { Repository } from "./repository.ts";

/** What is named of them, in results. */
export const LFS_POINTERS = {
  type: "array",
  items: { type: "string" },
  description:
    "Files that hold a git-lfs pointer in place of their contents, which are not here (git lfs pull of a person " +
    "brings them); the first 100.",
} as const;

/** In results; nothing where there are none. */
export interface PointersTold {
  readonly lfs_pointers?: readonly string[];
}

/** The file format of git-lfs (docs/spec.md, "The Pointer"): it begins so, and is shorter than this. */
const BEGINNING = "version https://git-lfs.github.com/spec/";
const LONGEST = 1024;

const MOST_NAMED = 100;

/** Of these files, those that attributes give to git-lfs and that hold a pointer. */
export async function pointersAmong(
  repository: Repository,
  paths: readonly Uint8Array[],
): Promise<PointersTold> {
  const { files, root } = repository;
  const small = paths.filter((path) => {
    const found = look(files, within(root, textOf(path)));
    return found?.type === "file" && found.size < LONGEST;
  });
  const pointers: string[] = [];
  for (const some of portions(small)) {
    for (const path of await filteredByLfs(repository, some)) {
      if (pointers.length === MOST_NAMED) break;
      if (!(textIn(files, within(root, textOf(path))) ?? "").startsWith(BEGINNING)) continue;
      pointers.push(shown(repository, path));
    }
  }
  return pointers.length === 0 ? {} : { lfs_pointers: pointers };
}

/** Answers that limits.output does not cut, as it usually is. */
function portions(paths: readonly Uint8Array[]): readonly (readonly Uint8Array[])[] {
  const portions: Uint8Array[][] = [];
  let left = 0;
  for (const path of paths) {
    left -= path.length + BESIDE;
    if (left < 0) portions.push([]);
    if (left < 0) left = PORTION;
    portions.at(-1)?.push(path);
  }
  return portions;
}

const PORTION = 256 << 10;
/** The attribute and its usual value, in bytes. */
const BESIDE = 24;

/** Git says what attributes give to a filter. What was done is done: where its answer was cut, nothing is said of the rest. */
async function filteredByLfs(
  repository: Repository,
  paths: readonly Uint8Array[],
): Promise<readonly Uint8Array[]> {
  const { bytes } = await repository.git(["check-attr", "-z", "--stdin", "filter"], {
    stdin: joinedBytes(paths.flatMap((path) => [path, NUL])),
  });
  // git-check-attr(1), OUTPUT: the path, the attribute and what it is.
  const records = splitNul(bytes);
  return paths.filter((_, at) => textOf(records[3 * at + 2] ?? NUL) === "lfs");
}

const NUL = Uint8Array.of(0);
