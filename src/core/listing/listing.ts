/**
 * Programs that come to many files of which their words name a part alone (archives, patches): how they are had to say which,
 * before they do anything. Pure.
 */

import { baseName } from "../path_text.ts";
import type { Listing } from "./model.ts";
import { patchListing } from "./patch_words.ts";
import { tarListing } from "./tar_words.ts";
import { unzipListing } from "./unzip_words.ts";
import { zipListing } from "./zip_words.ts";

const LISTINGS: ReadonlyMap<string, (argv: readonly string[]) => Listing | null> = new Map([
  ["tar", tarListing],
  ["gtar", tarListing],
  ["zip", zipListing],
  ["unzip", unzipListing],
  ["patch", patchListing],
]);

/** Null for what comes to no more than its words name, or to all that lies below that. */
export function listingOf(argv: readonly string[]): Listing | null {
  return LISTINGS.get(baseName(argv[0] ?? ""))?.(argv) ?? null;
}
