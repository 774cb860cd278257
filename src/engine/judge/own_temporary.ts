/** Which names in /tmp stand for a folder of Toolgate's own: all that the policy says nothing of. */

import type { IsOwnTemporary } from "../../core/line_scope.ts";
import type { Rulebook } from "../../policy/rulebook.ts";
import { isWithin } from "../../sandbox/within.ts";

const FOLDER = "/tmp";
/** What the folders of runs are called there. */
const RUNS = /^toolgate-/;

/** The workspace and what rules name mean themselves, wherever they lie; so does a name that leads over `..`. */
export function ownTemporary(
  { settings: { workspace, sandbox }, scope: { read, write } }: Pick<
    Rulebook,
    "settings" | "scope"
  >,
): IsOwnTemporary {
  const named = [workspace, ...read, ...write, ...sandbox.system ?? []];
  if (!sandbox.temporary || named.some((path) => isWithin(path, FOLDER))) return () => false;
  const taken = new Set(named.filter((path) => isWithin(FOLDER, path)).map(firstBelow));
  return (path, open) => {
    const name = firstBelow(path);
    const whole = !open || path.indexOf("/", FOLDER.length + 1) !== -1;
    return !path.split("/").includes("..") && !taken.has(name) && !RUNS.test(name) &&
      (whole || taken.size === 0);
  };
}

function firstBelow(path: string): string {
  return path.split("/").filter((part) => part !== "" && part !== ".")[1] ?? "";
}
