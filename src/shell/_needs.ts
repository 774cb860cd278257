/** What is collected of a plan: what each of its parts asks for, and where it stands. */

import type { Capability } from "../core/capability.ts";
import type { PlanNode, Redirection, SimplePlan } from "../core/plan.ts";
import { certainText } from "./certain.ts";

/** The directory that a command stands in if all before it succeed; null behind a `cd` that is known only when it runs. */
export type KnownFolder = string | null;

/** What is asked for one part of a plan. */
export type Need =
  | { readonly kind: "program"; readonly simple: SimplePlan; readonly place: KnownFolder }
  | { readonly kind: "ready"; readonly capability: Capability };

/** What is asked for a plan, in the order in which it is found. */
export interface Needs {
  readonly found: Need[];
  /** Whether anything in the plan may change the directory. */
  readonly moves: boolean;
  /** Collects what a node within it needs; answers the directory that what follows it stands in. */
  lower(node: PlanNode, cwd: KnownFolder): KnownFolder;
}

/** What opening a file for a command needs. `/dev/null` needs nothing. */
export function lowerRedirection(
  kind: Extract<Redirection, { readonly target: unknown }>["kind"],
  path: string,
): readonly Capability[] {
  if (path === "/dev/null") return [];
  return [
    ...(kind === "read" || kind === "read-write"
      ? [{ kind: "fs.read", path, tree: false } as const]
      : []),
    ...(kind === "read" ? [] : [{ kind: "fs.write", path, tree: false } as const]),
  ];
}

/** A path from a directory, in words that the host resolves part by part: `..` is left to it. */
export function from(cwd: string, path: string): string {
  return path.startsWith("/") || cwd === "." ? path : `${cwd}/${path}`;
}

/** Null where that is not known. */
export function placeOf(cwd: KnownFolder, path: string): KnownFolder {
  return cwd === null && !path.startsWith("/") ? null : from(cwd ?? ".", path);
}

/** A variable that programs get. */
export function change(name: string): Need {
  return ready({ kind: "env.read", name, change: true });
}

/** Whether programs have one of that name is known to the policy, and for what else they get when the line runs. */
export function localChange(name: string): Need {
  return ready({ kind: "env.read", name, change: true, local: true });
}

/** What needs no more to be known. */
export function ready(capability: Capability): Need {
  return { kind: "ready", capability };
}

/** The files that redirections surely name. */
export function certainTargets(redirections: readonly Redirection[]) {
  return redirections.flatMap((one) => {
    if (!("target" in one)) return [];
    const target = certainText(one.target);
    // An empty name is no file: it fails when it runs.
    return target === null || target === "" ? [] : [{ kind: one.kind, target }];
  });
}
