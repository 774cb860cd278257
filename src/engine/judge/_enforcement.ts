/** What each layer below the policy would enforce on one call, in words that may be shown to whoever asked for it. */

import type { CanonicalPath } from "../../core/capability.ts";
import { ToolError } from "../../core/errors.ts";
import type { Grant } from "../../policy/grant.ts";
import type { Sandbox } from "../../policy/model.ts";
import type { Boundary } from "../../sandbox/boundary.ts";
import { bubblewrapArguments } from "../../sandbox/bubblewrap.ts";
import { DENIED_CALLS } from "../../sandbox/denied_calls.ts";
import { probeLandlock } from "../../sandbox/landlock.ts";
import { RIGHTS, rulesOf } from "../../sandbox/landlock_rules.ts";
import { openLibc } from "../../sandbox/kernel/libc.ts";
import { permissionSetOf } from "../../sandbox/permission_set.ts";
import { DEVICES, SYSTEM_PATHS } from "../../sandbox/system_paths.ts";
import { isWithin } from "../../sandbox/within.ts";

/** What one call was granted, and how its layers are drawn from that. */
export interface EnforcementQuestion {
  readonly grant: Grant;
  readonly sandbox: Sandbox;
  /** Throws a ToolError where the machine cannot give what the policy requires. */
  readonly boundary: () => Boundary;
}

/** Longest list of paths that is shown. */
const MOST_SHOWN = 50;
/** The newest ABI that rules are rendered for where the kernel cannot be asked. */
export const NEWEST_ABI = 7;

/** Plain data for JSON. */
export function enforcementOf({ grant, sandbox, boundary: draw }: EnforcementQuestion) {
  let boundary: Boundary;
  try {
    boundary = draw();
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return { refused: { code: error.code, message: error.message } };
  }
  const shown = displayOf(grant, sandbox);
  return {
    runtime: runtimeOf(boundary, shown),
    landlock: landlockOf(boundary, sandbox, shown),
    seccomp: boundary.spawn === null ? null : {
      mode: sandbox.kernel,
      refused_calls: Object.keys(DENIED_CALLS).length,
      network: boundary.spawn.network,
    },
    bubblewrap: bubblewrapOf(grant, boundary, sandbox, shown),
  };
}

type Shown = (path: string) => string;

/**
 * Paths of the workspace from there; those outside as they were asked for, never as they are; of the rest, what
 * every machine has.
 */
function displayOf({ workspace, read, write, spawn }: Grant, { system }: Sandbox): Shown {
  const asked = new Map(
    [...read, ...write].map(({ path, requested }) => [path as string, requested]),
  );
  const open = new Set([
    ...SYSTEM_PATHS,
    ...system ?? [],
    ...DEVICES.map(({ path }) => path),
    ...spawn.map(({ program }) => program.start),
  ]);
  return (path) => {
    if (path === workspace) return ".";
    if (isWithin(workspace, path)) {
      return `./${path.slice(workspace === "/" ? 1 : workspace.length + 1)}`;
    }
    const requested = asked.get(path);
    if (requested !== undefined) return requested;
    for (const [inside, words] of asked) {
      if (isWithin(path, inside)) return `(the folder of ${words})`;
    }
    const known = open.has(path) || [...open].some((folder) => isWithin(folder, path));
    return known ? path : "(a path outside the workspace)";
  };
}

function list(paths: readonly string[], shown: Shown): readonly string[] {
  const names = [...new Set(paths.map(shown))];
  const more = names.length - MOST_SHOWN;
  return more > 0 ? [...names.slice(0, MOST_SHOWN), `and ${more} more`] : names;
}

function runtimeOf(boundary: Boundary, shown: Shown) {
  const { read, write, run, net } = permissionSetOf(boundary);
  const paths = (value: unknown) =>
    Array.isArray(value) ? list(value.map(String), shown) : value ?? false;
  return {
    read: paths(read),
    write: paths(write),
    run: paths(run),
    net: Array.isArray(net) ? net : net ?? false,
    env: false,
    sys: false,
    import: false,
    ffi: "given up once the kernel's rules hold",
  };
}

function landlockOf(boundary: Boundary, { kernel }: Sandbox, shown: Shown) {
  if (kernel === "off") return { mode: kernel, abi: null, rules: [] };
  const libc = openLibc();
  const abi = libc === null ? 0 : probeLandlock(libc);
  const { paths, ports, scoped } = rulesOf(boundary, abi === 0 ? NEWEST_ABI : abi);
  const isSystem = ({ path }: { readonly path: string }) => SYSTEM_PATHS.includes(path);
  const own = paths.filter((rule) => !isSystem(rule));
  const [system] = paths.filter(isSystem);
  const rules = own.slice(0, MOST_SHOWN).map(({ path, rights }) => ({
    path: shown(path),
    rights: namesOf(rights),
  }));
  if (system !== undefined) {
    const count = paths.length - own.length;
    const path = `(sandbox.system: ${count} folders and files of the system)`;
    rules.push({ path, rights: namesOf(system.rights) });
  }
  const more = own.length - MOST_SHOWN;
  return {
    mode: kernel,
    /** 0: this kernel has none, and nothing of this holds. */
    abi,
    rules,
    ...(more > 0 ? { more } : {}),
    connect_ports: ports,
    signals_and_abstract_sockets: scoped === 0 ? "open" : "own domain only",
  };
}

/** `read_file`, `make_dir`: the kernel's names. */
export function namesOf(rights: number): readonly string[] {
  return Object.entries(RIGHTS).filter(([, bit]) => (rights & bit) !== 0)
    .map(([name]) => name.toLowerCase());
}

function bubblewrapOf(
  { spawn, workspace }: Grant,
  boundary: Boundary,
  { bubblewrap }: Sandbox,
  shown: Shown,
) {
  if (boundary.spawn === null) return null;
  if (bubblewrap === "off") return { mode: bubblewrap, argv: null };
  const [first] = spawn;
  const cwd: CanonicalPath = first?.cwd ?? workspace;
  const options = bubblewrapArguments(boundary.spawn, cwd, [])
    .map((word) => word.startsWith("/") ? shown(word) : word);
  return { mode: bubblewrap, argv: ["bwrap", ...options, ...first?.argv ?? []] };
}
