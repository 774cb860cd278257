/** Which policy files a command line and the environment name. */

import { variable } from "./environment.ts";
import type { Invocation } from "./invocation.ts";

/** The policy of a machine, taken where neither a flag nor the environment names one. */
const SYSTEM_POLICY = "/etc/toolgate/policy.yaml";

/** Policy files in the order they count: flags, then the environment, which so can only tighten. */
export function policyFiles(
  { embedded, values }: Pick<Invocation, "embedded" | "values">,
): readonly string[] {
  const files = [...values["policy"] ?? [], ...variable("policy")?.split(":") ?? []];
  return files.length === 0 && !embedded.sealed && isThere(SYSTEM_POLICY) ? [SYSTEM_POLICY] : files;
}

function isThere(file: string): boolean {
  try {
    Deno.lstatSync(file);
    return true;
  } catch (error) {
    // What may not be looked at may be there: then it must be read, and the failure seen.
    return !(error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory ||
      error instanceof Deno.errors.NotCapable);
  }
}
