/** Policies as they were parsed: a start that finds its own there loads no parser. */

import type { CanonicalPath } from "../core/capability.ts";
import { openParsedTexts, type ParsedTexts } from "../host/storage/parsed_texts.ts";
import { stateFolder } from "./state_folder.ts";

/** Their folder, which no tool may write; null where there is none. */
export function parsedPoliciesFolder(): CanonicalPath | null {
  // From source, what parses is not one file that could be told from another.
  if (!Deno.build.standalone) return null;
  try {
    const folder = stateFolder();
    return folder === null ? null : `${folder}/policies` as CanonicalPath;
  } catch {
    // A sealed binary may have no right to look.
    return null;
  }
}

/** Policies as this very binary parsed them; null where they cannot be kept. */
export function parsedPolicies(): ParsedTexts | null {
  const folder = parsedPoliciesFolder();
  if (folder === null) return null;
  try {
    const { size, mtime, ino } = Deno.statSync(Deno.execPath());
    return openParsedTexts(folder, `${size} ${mtime?.getTime()} ${ino}`);
  } catch {
    return null;
  }
}
