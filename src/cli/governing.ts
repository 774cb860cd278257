/** Which files govern a run, and the policy that keeps tools off them. */

import { resolve } from "@std/path";
import type { CanonicalPath } from "../core/capability.ts";
import { guardOf } from "../engine/guard.ts";
import { canonicalize } from "../host/paths/canonicalize.ts";
import { linksTo } from "../host/paths/links_to.ts";
import type { PlacedPolicy } from "../policy/compile_rulebook.ts";
import { keyFiles } from "../sandbox/own_files.ts";
import type { Invocation } from "./invocation.ts";
import { parsedPoliciesFolder } from "./parsed_policies.ts";
import type { LoadedPlugins } from "./plugin/loaded_plugins.ts";

/**
 * With what keeps tools off the files that govern this run: the policies with their keys, authorities and custom tools, the
 * log, the socket, the binary. A link that leads to one counts like it: who changes that chooses what is read next.
 */
export function guarded(
  policies: PlacedPolicy[],
  files: readonly string[],
  plugins: LoadedPlugins,
  invocation: Invocation,
): readonly PlacedPolicy[] {
  const { workspace } = policies.at(-1) as PlacedPolicy;
  const log = policies.map(({ policy }) => policy.audit?.file ?? null).find((file) =>
    file !== null
  );
  const keys = policies.flatMap(({ policy }) => keyFiles(policy));
  const authorities = policies.flatMap(({ policy }) => policy.web?.authorities ?? []);
  const read = [...files, ...authorities, ...socketOf(invocation)];
  const led = [...read, ...keys, ...log === undefined ? [] : [resolve(workspace, log)]];
  const guard = guardOf(policies, workspace, {
    unwritable: [...[...read, Deno.execPath()].map(realPath), ...led.flatMap(linksTo)],
    keys: keys.map(realPath),
    manifests: plugins.governing,
    kept: parsedPoliciesFolder(),
    log: log === undefined ? null : canonicalize(workspace, log),
  });
  return guard === null ? policies : [...policies, guard];
}

/** The socket that is listened on, where one is. */
function socketOf({ values }: Invocation): readonly string[] {
  return (values["listen"] ?? []).map((place) => place.replace(/^unix:/, ""));
}

/** Of a file that was read or is run: where it is out of sight by now, as it was named. */
export function realPath(file: string): CanonicalPath {
  try {
    return Deno.realPathSync(file) as CanonicalPath;
  } catch {
    return canonicalize(Deno.cwd() as CanonicalPath, file);
  }
}
