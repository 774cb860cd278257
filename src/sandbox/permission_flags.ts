/** The flags of `deno compile` that bake one policy's ceiling into a sealed binary. */

import { processReach } from "./network_reach.ts";
import { keyPlaces, ownFiles, type OwnSettings } from "./own_files.ts";
import { SYSTEM_PATHS } from "./system_paths.ts";
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
  "TOOLGATE_GATE",
  "XDG_STATE_HOME",
  "PATH",
  "HOME",
  "TERM",
  "NO_COLOR",
  "COLUMNS",
] as const;

/**
 * Where a program that a policy names without a folder is found: the folders of the search path that a system has. The
 * bare name is baked only where the policy adds folders of its own to the system: the runtime looks it up over the PATH
 * of each start, one after the other, and ends where there is no PATH.
 */
const PROGRAM_FOLDERS = [
  "/usr/local/bin",
  "/usr/bin",
  "/bin",
  "/usr/local/sbin",
  "/usr/sbin",
  "/sbin",
] as const;

/** What the runtime is to let a process do, by kind; "any": all of that kind, an empty list: nothing. */
export interface PermissionLists {
  readonly read: readonly string[];
  readonly denyRead: readonly string[];
  readonly write: readonly string[];
  readonly denyWrite: readonly string[];
  readonly run: readonly string[] | "any";
  readonly net: readonly string[] | "any";
  readonly env: readonly string[];
  readonly ffi: "any";
}

/**
 * Exactly what the policy can allow. Paths in the workspace are relative (`.`): Deno resolves them when the binary starts,
 * against the directory it is started in. `ffi` has no paths because the C library is found by the loader; it is given
 * up before anything else runs.
 */
export function permissionLists(
  scope: PolicyScope,
  settings:
    & Pick<Settings, "workspace" | "environment">
    & Partial<Pick<Settings, "web" | "secrets">>
    & {
      readonly sandbox: Pick<Settings["sandbox"], "system">;
    },
): PermissionLists {
  const relative = (path: string): string => {
    if (path === settings.workspace) return ".";
    if (settings.workspace === "/" || !isWithin(settings.workspace, path)) return path;
    return `./${path.slice(settings.workspace.length + 1)}`;
  };
  const elsewhere = (settings.sandbox.system ?? []).some((path) => !SYSTEM_PATHS.includes(path));
  const startsOf = (program: string): readonly string[] =>
    program.includes("/") ? [program] : [
      ...(elsewhere ? [program] : []),
      ...PROGRAM_FOLDERS.map((folder) => `${folder}/${program}`),
    ];
  const paths = (list: readonly string[]) => [...new Set(list.map(relative))];
  return {
    read: paths([...scope.read, ...scope.write, ...ownFiles(settings)]),
    denyRead: paths(scope.denyRead),
    write: paths(scope.write),
    denyWrite: paths(scope.denyWrite),
    run: scope.programs === "any" ? "any" : [...new Set(scope.programs.flatMap(startsOf))],
    net: processReach(scope),
    env: [
      ...new Set([...OWN_VARIABLES, ...settings.environment.pass, ...keysOf(settings)]),
    ],
    ffi: "any",
  };
}

/**
 * The same as flags. A kind of which nothing is let has none, and is denied. Deno refuses characters in no path, but
 * separates by commas: a path with a comma is doubled there, as it wants.
 */
export function permissionFlags(lists: PermissionLists): readonly string[] {
  return [
    ...flag("--allow-read", lists.read),
    ...flag("--deny-read", lists.denyRead),
    ...flag("--allow-write", lists.write),
    ...flag("--deny-write", lists.denyWrite),
    ...flag("--allow-run", lists.run),
    ...flag("--allow-net", lists.net),
    ...flag("--allow-env", lists.env),
    ...flag("--allow-ffi", lists.ffi),
  ];
}

/** The variables with keys. */
function keysOf(settings: OwnSettings): readonly string[] {
  return keyPlaces(settings).flatMap((key) => "env" in key ? [key.env] : []);
}

/** No flag for an empty list, which would mean "all". */
function flag(name: string, values: readonly string[] | "any"): readonly string[] {
  if (values === "any") return [name];
  if (values.length === 0) return [];
  return [`${name}=${values.map((value) => value.replaceAll(",", ",,")).join(",")}`];
}
