/**
 * Looks at all that a program would pack, unpack or patch, by what it says of that itself, before it is started: where a name
 * among that is denied nothing is done.
 */

import { nameText } from "../../../core/name_text.ts";
import type { CanonicalPath } from "../../../core/capability.ts";
import type { Listing } from "../../../core/listing/model.ts";
import type { GitLook } from "./_parts.ts";
import { deniedOf, halfDone, tooMany, type TreeSurveyParts, withLink } from "./_trees.ts";

/** What looking takes. */
export interface ListedSurveyParts extends TreeSurveyParts {
  /** Has it said; `reads`: what that may read. */
  readonly ask: (
    argv: readonly string[],
    reads: readonly string[],
    input: Uint8Array,
  ) => Promise<GitLook>;
  /** What is in a file; null where it cannot be read. */
  readonly text: (path: CanonicalPath) => string | null;
}

/** PATH_DENIED by the first names that are denied. `input`: what it reads. */
export async function surveyListed(
  parts: ListedSurveyParts,
  listing: Listing,
  argv: readonly string[],
  { directory, input }: { readonly directory: CanonicalPath; readonly input: Uint8Array | null },
): Promise<void> {
  const text = await said(parts, listing, argv, { directory, input });
  if (text === null) return;
  const { access, follows } = listing;
  const paths = new Set(
    listing.namesIn(text).map((name) =>
      follows ? parts.resolve(directory, name) : withLink(parts, directory, name)
    ),
  );
  // What is read is there: of the places where a name may lie the others do not count.
  const meant = [...paths].filter((path) => path !== null)
    .filter((path) => access === "write" || parts.entryAt(path) !== "missing");
  const denied = deniedOf(parts, meant, access);
  if (denied.length > 0) throw halfDone(parts, denied, argv);
}

/** Null where nothing says it: it will fail by what it is given. */
async function said(
  { ask, text, resolve }: ListedSurveyParts,
  listing: Listing,
  argv: readonly string[],
  { directory, input }: { readonly directory: CanonicalPath; readonly input: Uint8Array | null },
): Promise<string | null> {
  if (listing.ask !== null) {
    const looked = await ask(listing.ask, listing.reads, input ?? new Uint8Array());
    if (looked.cut) throw tooMany(argv);
    return nameText(looked.bytes);
  }
  if (listing.fed) return nameText(input ?? new Uint8Array());
  const [file] = listing.reads;
  const path = file === undefined ? null : resolve(directory, file);
  return path === null ? null : text(path);
}
