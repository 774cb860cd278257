/** What is odd about where and as whom Toolgate runs: worth a word before anything else happens. */

import type { Libc } from "../sandbox/kernel/libc.ts";
import type { CanonicalPath } from "../core/capability.ts";
import { complain } from "./stdio.ts";

/** What is looked at. */
export interface Circumstances {
  readonly workspace: CanonicalPath;
  /** Null where the platform has none. */
  readonly user: number | null;
  /** The home folder as the environment names it; null where it does not. */
  readonly home: string | null;
}

/** Those of this process. `libc`: null where the C library cannot be called; the runtime's own way takes a permission. */
export function circumstancesOf(workspace: CanonicalPath, libc: Libc | null): Circumstances {
  return {
    workspace,
    user: libc === null ? null : libc.call(libc.numbers.geteuid),
    home: homeFolder(),
  };
}

/** A sealed build may not be let to read the variable. */
function homeFolder(): string | null {
  const { state } = Deno.permissions.querySync({ name: "env", variable: "HOME" });
  return state === "granted" ? Deno.env.get("HOME") ?? null : null;
}

/** One sentence each; none where all is as it should be. */
export function warningsOf({ workspace, user, home }: Circumstances): readonly string[] {
  return [
    ...aboutWorkspace(workspace, home),
    ...(user === 0
      ? [
        "it runs as root: what the kernel leaves to file modes and owners holds nobody; use an ordinary user",
      ]
      : []),
  ];
}

function aboutWorkspace(workspace: CanonicalPath, home: string | null): readonly string[] {
  if (workspace === "/") {
    return ["the workspace is /, the whole machine: name a project with --root"];
  }
  if (workspace !== home?.replace(/(?<=.)\/+$/, "")) return [];
  return ["the workspace is the home folder, with all that lies in it: name a project with --root"];
}

/** Says on standard error what is odd about where a single call works; as whom is doctor's and serve's to say. */
export function warnOfWorkspace(workspace: CanonicalPath): void {
  for (const warning of aboutWorkspace(workspace, homeFolder())) complain(`toolgate: ${warning}`);
}

/** Says on standard error what is odd, and to who sits at a terminal what is waited for. */
export function greet(workspace: CanonicalPath, libc: Libc | null, awaited: string): void {
  for (const warning of warningsOf(circumstancesOf(workspace, libc))) {
    complain(`toolgate: ${warning}`);
  }
  if (Deno.stdin.isTerminal()) complain(`toolgate: waiting for ${awaited}. Ctrl-D ends it.`);
}
