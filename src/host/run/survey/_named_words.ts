/** What the objects are that words of a git command name. */

import { colonOf, partsOf } from "../../../core/git/revision_words.ts";
import type { Named } from "./_history.ts";

/** Trees that hold nothing (git-hash-object(1), of either kind of hash). */
const EMPTY_TREES: ReadonlySet<string> = new Set([
  "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
  "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
]);

/** Of a range that of its ends; null for a word that names nothing. */
export function typeOf(word: string, named: ReadonlyMap<string, Named>): string | null {
  const types = partsOf(word).map((part) => named.get(part)?.type);
  return types.includes("blob") ? "blob" : types.find((type) => type !== undefined) ?? null;
}

/** Whether the names in it are those from the top. */
export function isRoot(word: string, named: ReadonlyMap<string, Named>): boolean {
  const isHash = /^[0-9a-f]+$/.test(word);
  return partsOf(word).every((part) => {
    const found = named.get(part);
    return found?.type !== "tree" || EMPTY_TREES.has(found.hash) ||
      part.endsWith("^{tree}") && !isHash && colonOf(part) === -1 &&
        named.get(part.slice(0, -"^{tree}".length))?.type !== "tree";
  });
}
