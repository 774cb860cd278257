/**
 * Looks through the folders that a program would go through to take away, change or copy all that is in them, before it is
 * started: it would do that one by one, up to a name that the policy denies, and leave the rest half done.
 */

import type { CanonicalPath } from "../../../core/capability.ts";
import { ToolError } from "../../../core/errors.ts";
import { shownName } from "../../../core/name_text.ts";
import { baseName, parentOf } from "../../../core/path_text.ts";
import { printable, quoted } from "../../../core/printable.ts";
import type { Access } from "../../../policy/model.ts";
import type { FileEffect, Rulebook } from "../../../policy/rulebook.ts";
import type { Libc } from "../../../sandbox/kernel/libc.ts";
import { isWithin } from "../../../sandbox/within.ts";
import type { PathEntry } from "../../paths/canonicalize.ts";
import { deniedBelow, isDenied, type LookedThrough } from "../../scan/denied_below.ts";

/** What looking takes. */
export interface TreeSurveyParts {
  readonly libc: Libc;
  readonly rulebook: Pick<Rulebook, "judgePath" | "judgeBelow" | "settings">;
  readonly resolve: (directory: CanonicalPath, path: string) => CanonicalPath | null;
  readonly entryAt: (path: string) => PathEntry;
}

/** What a program goes through, its paths as they are written. */
export interface Trees {
  readonly read: readonly FileEffect[];
  readonly changed: readonly FileEffect[];
  readonly removed: readonly FileEffect[];
}

/** Denied names that are found. */
const MOST_NAMED = 5;

/** PATH_DENIED by the first names that are denied; RESOURCE_LIMIT where more would have to be looked at than can be. */
export async function surveyTrees(
  parts: TreeSurveyParts,
  { read, changed, removed }: Trees,
  argv: readonly string[],
  directory: CanonicalPath,
): Promise<void> {
  const { libc, rulebook, resolve } = parts;
  const at = (path: string) => resolve(directory, path);
  const roots = [
    ...read.flatMap((file) => rootsOf(parts, file, at(file.path), "read", directory)),
    ...changed.flatMap((file) => rootsOf(parts, file, at(file.path), "write", directory)),
    ...removed.flatMap((file) =>
      rootsOf(parts, file, withLink(parts, directory, file.path), "write", directory)
    ),
  ];
  const denied = await deniedBelow(libc, rulebook, roots);
  if (denied === "too many") throw tooMany(argv);
  if (denied.length > 0) throw halfDone(parts, denied, argv);
}

/** The first of these that the policy denies: of each folder its judge is asked once. */
export function deniedOf(
  { rulebook, entryAt }: Pick<TreeSurveyParts, "rulebook" | "entryAt">,
  paths: readonly CanonicalPath[],
  access: Access,
): readonly CanonicalPath[] {
  const judges = new Map<string, (name: string) => boolean>();
  const denied: CanonicalPath[] = [];
  for (const path of paths) {
    const folder = parentOf(path);
    let allows = judges.get(folder);
    if (allows === undefined) {
      const judged = (access === "write" ? ["read", "write"] as const : ["read"] as const)
        .map((one) => rulebook.judgeBelow(one, folder));
      allows = (name) => judged.every((judge) => judge.effectOf(name, "file") === "allow");
      judges.set(folder, allows);
    }
    if (allows(baseName(path))) continue;
    const kind = entryAt(path) === "directory" ? "directory" : "file";
    if (!isDenied(rulebook, path, kind, access)) continue;
    denied.push(path);
    if (denied.length === MOST_NAMED) break;
  }
  return denied;
}

/** A folder, and the same as what is to come of it. */
function rootsOf(
  parts: TreeSurveyParts,
  { through }: FileEffect,
  path: CanonicalPath | null,
  access: LookedThrough["access"],
  directory: CanonicalPath,
): readonly LookedThrough[] {
  if (path === null || parts.entryAt(path) !== "directory") return [];
  const own = { path, as: path, access };
  const into = through?.into ?? null;
  const target = into === null ? null : parts.resolve(directory, into);
  if (target === null) return [own];
  const as = parts.entryAt(target) === "directory" ? joined(target, baseName(path)) : target;
  return [own, { path, as, access: "write" }];
}

/** What would be done to some of it and not to the rest, by the first names of that. */
export function halfDone(
  parts: Pick<TreeSurveyParts, "rulebook" | "entryAt">,
  denied: readonly CanonicalPath[],
  argv: readonly string[],
): ToolError {
  const { workspace } = parts.rulebook.settings;
  const named = denied.map((path) =>
    shownName(
      isWithin(workspace, path) ? path.slice(workspace === "/" ? 1 : workspace.length + 1) : path,
    )
  );
  const [first] = denied;
  const why = first === undefined ? null : verdictOf(parts, first);
  return new ToolError(
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
export function withLink(
  { resolve }: Pick<TreeSurveyParts, "resolve">,
  directory: CanonicalPath,
  path: string,
): CanonicalPath | null {
  const name = baseName(path);
  if (["", ".", ".."].includes(name)) return resolve(directory, path);
  const cut = path.lastIndexOf("/");
  const folder = resolve(directory, path.slice(0, cut + 1) || ".");
  return folder === null ? null : joined(folder, name);
}

function joined(folder: CanonicalPath, name: string): CanonicalPath {
  return `${folder === "/" ? "" : folder}/${name}` as CanonicalPath;
}

function verdictOf(
  { rulebook, entryAt }: Pick<TreeSurveyParts, "rulebook" | "entryAt">,
  path: CanonicalPath,
) {
  const kind = entryAt(path) === "directory" ? "directory" : "file";
  const write = rulebook.judgePath("write", path, kind);
  return write.effect === "deny" ? write : rulebook.judgePath("read", path, kind);
}

/** More than can be looked at. */
export function tooMany(argv: readonly string[]): ToolError {
  return new ToolError(
    "RESOURCE_LIMIT",
    `${quoted(argv.join(" "), 200)} would go through more folders than can be looked at ` +
      "before, in which the policy may deny some; it was not started: name smaller parts",
  );
}
