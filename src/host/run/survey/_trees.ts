/**
 * Looks through the folders that a program would go through to take away or change all that is in them, before it is
 * started: it would do that one by one, up to a name that the policy denies, and leave the rest half done.
 */

import type { CanonicalPath } from "../../../core/capability.ts";
import { ToolError } from "../../../core/errors.ts";
import { baseName } from "../../../core/path_text.ts";
import { printable, quoted } from "../../../core/printable.ts";
import type { Rulebook } from "../../../policy/rulebook.ts";
import type { Libc } from "../../../sandbox/kernel/libc.ts";
import { isWithin } from "../../../sandbox/within.ts";
import type { PathEntry } from "../../paths/canonicalize.ts";
import { deniedBelow } from "../../scan/denied_below.ts";

/** What looking takes. */
export interface TreeSurveyParts {
  readonly libc: Libc;
  readonly rulebook: Pick<Rulebook, "judgePath" | "judgeBelow" | "settings">;
  readonly resolve: (directory: CanonicalPath, path: string) => CanonicalPath | null;
  readonly entryAt: (path: string) => PathEntry;
}

/** What a program goes through: paths as they are written. */
export interface Trees {
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/** PATH_DENIED by the first names that are denied; RESOURCE_LIMIT where more would have to be looked at than can be. */
export async function surveyTrees(
  parts: TreeSurveyParts,
  { changed, removed }: Trees,
  argv: readonly string[],
  directory: CanonicalPath,
): Promise<void> {
  const { entryAt, resolve } = parts;
  const roots = [
    ...changed.map((path) => resolve(directory, path)),
    ...removed.map((path) => withLink(parts, directory, path)),
  ].filter((path): path is CanonicalPath => path !== null && entryAt(path) === "directory");
  const { libc, rulebook } = parts;
  const denied = await deniedBelow(libc, rulebook, [...new Set(roots)]);
  if (denied === "too many") throw tooMany(argv);
  if (denied.length === 0) return;
  const { workspace } = rulebook.settings;
  const named = denied.map((path) =>
    isWithin(workspace, path) ? path.slice(workspace === "/" ? 1 : workspace.length + 1) : path
  );
  const [first] = denied;
  const why = first === undefined ? null : verdictOf(parts, first);
  throw new ToolError(
    "PATH_DENIED",
    `${quoted(argv.join(" "), 200)} would come to ${
      named.map((name) => printable(name, 200)).join(", ")
    } and end half done: ${
      why?.reason ?? "that is denied"
    }; it was not started. Name what lies around that`,
    { rule: why?.rule ?? null, details: { denied: named } },
  );
}

/** What is taken away is the link and not what it leads to, unless a `/` or a dot at the end says so. */
function withLink(
  { resolve }: TreeSurveyParts,
  directory: CanonicalPath,
  path: string,
): CanonicalPath | null {
  const name = baseName(path);
  if (["", ".", ".."].includes(name)) return resolve(directory, path);
  const cut = path.lastIndexOf("/");
  const folder = resolve(directory, path.slice(0, cut + 1) || ".");
  return folder === null ? null : `${folder === "/" ? "" : folder}/${name}` as CanonicalPath;
}

function verdictOf({ rulebook, entryAt }: TreeSurveyParts, path: CanonicalPath) {
  const kind = entryAt(path) === "directory" ? "directory" : "file";
  const write = rulebook.judgePath("write", path, kind);
  return write.effect === "deny" ? write : rulebook.judgePath("read", path, kind);
}

function tooMany(argv: readonly string[]): ToolError {
  return new ToolError(
    "RESOURCE_LIMIT",
    `${quoted(argv.join(" "), 200)} would go through more folders than can be looked at ` +
      "before, in which the policy may deny some; it was not started: name smaller parts",
  );
}
