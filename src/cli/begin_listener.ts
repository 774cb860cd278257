/** Begins what `serve` hears its pipe with ahead of all that is loaded for it, where it is plain what that may read. */

import type { CanonicalPath } from "../core/capability.ts";
import type { Policy } from "../policy/model.ts";
import { permissionSetOf } from "../sandbox/permission_set.ts";
import { BegunListener } from "../serve/listener/begun_listener.ts";
import { variable } from "./environment.ts";
import type { Invocation } from "./invocation.ts";
import { policyFiles } from "./policy_files.ts";

/**
 * Null where it is not plain yet. What is expected here decides nothing: who takes the thread has loaded the policies, and
 * takes it only where it has the very permissions that they come to.
 */
export function beginListener(invocation: Named): BegunListener | null {
  const path = Deno.build.standalone && Deno.build.os === "linux" ? expectedRead(invocation) : null;
  if (path === null) return null;
  return BegunListener.begin(
    permissionSetOf({ read: [path], write: [], connect: [], spawn: null }),
  );
}

/** What is known of it ahead. */
type Named = Pick<Invocation, "embedded" | "values">;

/**
 * The folder, where the built-in policy holds alone, wants a thread that only looks, and lets all of its workspace be read,
 * and no more.
 */
export function expectedRead(invocation: Named): CanonicalPath | null {
  const { embedded: { policy: { policy }, agent, telemetry }, values } = invocation;
  const isPlain = telemetry !== true && agent === undefined && values["listen"] === undefined &&
    ["agent", "audit"].every((flag) => values[flag] === undefined && variable(flag) === null) &&
    policy.audit === null && policy.recovery === null && policy.children === null &&
    readsWorkspace(policy) && policyFiles(invocation).length === 0;
  return isPlain ? workspaceOf(invocation) : null;
}

function readsWorkspace({ paths }: Policy): boolean {
  const readable = (paths ?? [])
    .filter(({ effect, access }) => effect !== "deny" && access.includes("read"))
    .flatMap(({ match }) => match);
  return readable.includes("**") && !readable.some((glob) => /^(?:[/~]|\.\.)/.test(glob));
}

/** The folder that `--root`, or the policy, names; null where there is none, or the environment has a say. */
function workspaceOf({ embedded: { policy: { policy } }, values }: Named): CanonicalPath | null {
  if (variable("root") !== null) return null;
  try {
    return Deno.realPathSync(values["root"]?.[0] ?? policy.workspace ?? ".") as CanonicalPath;
  } catch {
    return null;
  }
}
