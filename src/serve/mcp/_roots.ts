/** MCP roots: folders that a client is about. They can only narrow what the policies allow. */

import { isObject } from "../../core/json_value.ts";
import type { CanonicalPath } from "../../core/capability.ts";
import { ToolError } from "../../core/errors.ts";
import { canonicalize } from "../../host/paths/canonicalize.ts";
import { plainGlob } from "../../engine/guard.ts";
import type { PlacedPolicy } from "../../policy/compile_rulebook.ts";
import { SILENT_POLICY } from "../../policy/model.ts";
import { isWithin } from "../../sandbox/within.ts";
import type { Params } from "./messages.ts";

/** More than any client has; each is a rule. */
const MOST_ROOTS = 100;

/**
 * One more policy that allows the roots alone. Null where nothing is narrowed: no roots, or one that holds the whole
 * workspace. Roots that are no local folders allow nothing.
 */
export function policyOfRoots(
  answer: Params | null,
  workspace: CanonicalPath,
): PlacedPolicy | null {
  const roots = answer?.["roots"];
  if (!Array.isArray(roots) || roots.length === 0) return null;
  const folders = roots.slice(0, MOST_ROOTS).flatMap((root) => {
    const folder = isObject(root) && typeof root["uri"] === "string" ? folderOf(root["uri"]) : null;
    return folder === null ? [] : [folder];
  });
  if (folders.some((folder) => isWithin(folder, workspace))) return null;
  // Named from the workspace, so that they are the same folders in the working files of a child agent.
  const match = folders.map((folder) => plainGlob(fromWorkspace(folder, workspace)))
    .flatMap((glob) => [glob, `${glob}/**`]);
  const paths = match.length === 0
    ? []
    : [{ effect: "allow" as const, access: ["read", "write"] as const, match }];
  return { source: "MCP roots", policy: { ...SILENT_POLICY, paths }, workspace };
}

function fromWorkspace(folder: CanonicalPath, workspace: CanonicalPath): string {
  if (!isWithin(workspace, folder)) return folder;
  return folder.slice(workspace === "/" ? 1 : workspace.length + 1);
}

function folderOf(uri: string): CanonicalPath | null {
  try {
    const { protocol, host, pathname } = new URL(uri);
    if (protocol !== "file:" || (host !== "" && host !== "localhost")) return null;
    return canonicalize("/" as CanonicalPath, decodeURIComponent(pathname));
  } catch (error) {
    if (error instanceof TypeError || error instanceof URIError || error instanceof ToolError) {
      return null;
    }
    throw error;
  }
}
