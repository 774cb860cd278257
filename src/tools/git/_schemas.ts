/** What the schemas of git tools share, and the checks of their arguments. */

import type { JsonSchema } from "../../core/schema.ts";
import { checkWord, invalid } from "../../toolkit/words.ts";
import { pathSchema } from "../../toolkit/path_schema.ts";

/** The argument that says which repository is meant. */
export const REPOSITORY = {
  ...pathSchema("A folder of the repository, relative to the workspace."),
  default: ".",
} as const satisfies JsonSchema;

/** A branch, a tag, a hash, or any other revision. */
export function revisionSchema(description: string) {
  return { type: "string", minLength: 1, maxLength: 500, description } as const;
}

/** Paths as arguments. */
export function pathsSchema(description: string) {
  return {
    type: "array",
    minItems: 1,
    maxItems: 10_000,
    items: { type: "string", minLength: 1, maxLength: 4095, description: "A file or a folder." },
    description,
  } as const;
}

/** What the policy keeps from the agent, and so from the answer. */
export const LEFT_OUT = {
  type: "array",
  items: { type: "string" },
  description: "Files that the policy denies: left out of all else.",
} as const satisfies JsonSchema;

/** That something was left out, in results. */
export const TRUNCATED = {
  type: "boolean",
  description: "Whether something was cut short at a limit.",
} as const satisfies JsonSchema;

/** A change of one file, as git's status letters have it (git-diff(1), --diff-filter). */
export const CHANGES: Readonly<Record<string, string>> = {
  A: "added",
  M: "modified",
  D: "deleted",
  R: "renamed",
  C: "copied",
  T: "type_changed",
  U: "conflicted",
};

/** What became of a file, in results. */
export const CHANGE = {
  type: "string",
  enum: Object.values(CHANGES),
  description: "What became of it.",
} as const satisfies JsonSchema;

/** INVALID_ARGUMENTS for what git could take for an option, or for several revisions. */
export function checkRevision(place: string, revision: string | undefined): void {
  if (revision === undefined) return;
  checkWord(place, revision);
  if (revision.startsWith("-")) throw invalid(place, "a revision never begins with -");
  if (/[\p{Cc} ]/u.test(revision) && !/[@^]\{/.test(revision)) {
    throw invalid(place, "a revision has no blanks and no control characters");
  }
  if (revision.startsWith("^") || /\.\./.test(revision)) {
    throw invalid(place, "one revision, and no range of them");
  }
}

/** git-check-ref-format(1), for the short name of a branch. */
export function checkBranch(place: string, name: string | undefined): void {
  if (name === undefined) return;
  checkWord(place, name);
  const wrong = name.startsWith("-") || name.startsWith("/") || name.endsWith("/") ||
    name.endsWith(".") || name === "@" || name === "HEAD" || /\/\/|\.\.|@\{/.test(name) ||
    /[\p{Cc} ~^:?*[\\]/u.test(name) ||
    name.split("/").some((part) => part.startsWith(".") || part.endsWith(".lock"));
  if (wrong) throw invalid(place, "git takes no branch of such a name (git-check-ref-format(1))");
}

/** Text that is one line at most where it stands, and of any kind. */
export function checkTexts(texts: Readonly<Record<string, string | undefined>>): void {
  for (const [place, text] of Object.entries(texts)) {
    if (text !== undefined) checkWord(place, text);
  }
}

/** Of previews, which ask nobody else. */
export const LAST_SEEN = {
  type: "boolean",
  description: "Of a preview, true where the remote is another machine: as it was seen last.",
} as const;
