/** The flags of `deno compile` that bake one policy's ceiling into a sealed binary. */

import { isWithin } from "./within.ts";
import type { PolicyScope, Settings } from "../policy/rulebook.ts";

/** Variables that Toolgate itself reads: its own, which may tighten what a policy sets, and those of the terminal. */
const OWN_VARIABLES = [
  "TOOLGATE_POLICY",
  "TOOLGATE_ROOT",
  "TOOLGATE_SANDBOX",
  "TOOLGATE_AUDIT_LOG",
  "TOOLGATE_LIMITS",
  "TOOLGATE_AGENT",
  "TOOLGATE_FORMAT",
  "XDG_STATE_HOME",
  "PATH",
  "HOME",
  "TERM",
  "NO_COLOR",
  "COLUMNS",
] as const;

/**
 * Where a program that a policy names without a folder may be started from. The bare name is baked too: the
 * runtime looks it up over the PATH of each start, which alone would let a fake of the same name stand in for it.
 */
const PROGRAM_FOLDERS = ["/usr/local/bin", "/usr/bin", "/bin"] as const;

/**
 * Flags for exactly what the policy can allow; a kind that it gives no use to has no flag and is denied. Paths
 * in the workspace are relative (`.`): Deno resolves them when the binary starts, against the directory
 * it is started in. `--allow-ffi` has no paths because the C library is found by the loader; it is given
 * up before anything else runs. Deno refuses characters in no path, but separates by commas: a path with
 * a comma is doubled there, as it wants.
 */
export function permissionFlags(
  scope: PolicyScope,
  settings: Pick<Settings, "workspace" | "environment">,
): readonly string[] {
  const relative = (path: string): string => {
    if (path === settings.workspace) return ".";
    if (settings.workspace === "/" || !isWithin(settings.workspace, path)) return path;
    return `./${path.slice(settings.workspace.length + 1)}`;
  };
  const paths = (list: readonly string[]): readonly string[] => list.map(relative);
  return [
    ...flag("--allow-read", paths([...scope.read, ...scope.write])),
    ...flag("--deny-read", paths(scope.denyRead)),
    ...flag("--allow-write", paths(scope.write)),
    ...flag("--deny-write", paths(scope.denyWrite)),
    ...(scope.programs === "any"
      ? ["--allow-run"]
      : flag("--allow-run", scope.programs.flatMap(startsOf))),
    ...(scope.hosts === "any" ? ["--allow-net"] : flag("--allow-net", scope.hosts)),
    ...flag("--allow-env", [...OWN_VARIABLES, ...settings.environment.pass]),
    "--allow-ffi",
  ];
}

function startsOf(program: string): readonly string[] {
  if (program.includes("/")) return [program];
  return [program, ...PROGRAM_FOLDERS.map((folder) => `${folder}/${program}`)];
}

/** No flag for an empty list, which would mean "all". */
function flag(name: string, values: readonly string[]): readonly string[] {
  if (values.length === 0) return [];
  const escaped = [...new Set(values)].map((value) => value.replaceAll(",", ",,"));
  return [`${name}=${escaped.join(",")}`];
}
