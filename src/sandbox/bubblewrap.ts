/** bubblewrap: rendering what programs may do as its arguments, and finding out whether it works here. */

import type { SpawnBoundary } from "./boundary.ts";
import { DEVICES } from "./system_paths.ts";

/**
 * The arguments of `bwrap` that run `argv` in `cwd` within the boundary (bwrap(1)): namespaces of its own, no
 * capabilities, a root that holds what the boundary names and nothing else. Paths that are missing are left out.
 *
 * `filter` is the descriptor that it reads a system call filter from (struct sock_filter, one behind the other).
 *
 * It must be started by a thread that neither Landlock nor the system call filter holds: both forbid the
 * mounts that it makes. What `list` names shows no names here, since a mount has no such half-right.
 */
export function bubblewrapArguments(
  boundary: SpawnBoundary,
  cwd: string,
  argv: readonly string[],
  filter: number | null = null,
): readonly string[] {
  const bind = (option: string, paths: readonly string[]): string[] =>
    paths.flatMap((path) => [option, path, path]);
  return [
    ...(filter === null ? [] : ["--seccomp", String(filter)]),
    "--unshare-user-try",
    "--unshare-ipc",
    "--unshare-pid",
    "--unshare-uts",
    "--unshare-cgroup-try",
    ...(boundary.network ? [] : ["--unshare-net"]),
    "--cap-drop",
    "ALL",
    // Its end must not leave programs behind, nor may they type into the terminal it came from (CVE-2017-5226).
    "--die-with-parent",
    "--new-session",
    ...bind("--ro-bind-try", boundary.system.filter((path) => !path.startsWith("/proc"))),
    "--proc",
    "/proc",
    "--dir",
    "/dev",
    ...bind("--dev-bind-try", DEVICES.map(({ path }) => path)),
    "--tmpfs",
    "/tmp",
    // Outer before inner, and writable after readable: a later mount covers an earlier one.
    ...bind("--ro-bind-try", inOrder(boundary.read)),
    ...bind("--bind-try", inOrder(boundary.write)),
    "--remount-ro",
    "/",
    "--chdir",
    cwd,
    "--",
    ...argv,
  ];
}

function inOrder(paths: readonly string[]): readonly string[] {
  return [...paths].sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
}

/** Where bubblewrap is, or why it cannot be used. */
export type Bubblewrap =
  | { readonly works: true; readonly path: string }
  | { readonly works: false; readonly reason: string };

/** Runs a program to its end; throws what `Deno.Command` throws. */
export type RunToEnd = (
  path: string,
  args: readonly string[],
) => Promise<{ readonly success: boolean; readonly stderr: string }>;

const TRY_PATHS = ["/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap"] as const;

/** What the live try starts: it is there in every image that has bubblewrap. */
const HARMLESS = "/usr/bin/true";

/**
 * Tries bubblewrap for real, with the namespaces it would get: in many containers it is installed and may
 * not make them.
 */
export async function detectBubblewrap(
  system: readonly string[],
  run: RunToEnd = runToEnd,
): Promise<Bubblewrap> {
  const boundary: SpawnBoundary = {
    programs: [],
    system,
    read: [],
    write: [],
    list: [],
    network: false,
  };
  for (const path of TRY_PATHS) {
    try {
      const { success, stderr } = await run(
        path,
        bubblewrapArguments(boundary, "/", [HARMLESS]),
      );
      if (success) return { works: true, path };
      const [line = ""] = stderr.trim().split("\n");
      return {
        works: false,
        reason: `bubblewrap is here, and fails: ${line || "no reason given"}`,
      };
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) continue;
      const why = error instanceof Deno.errors.NotCapable
        ? "may not be started (the runtime's --allow-run)"
        : `cannot be started (${error instanceof Error ? error.name : "?"})`;
      return { works: false, reason: `bubblewrap ${why}` };
    }
  }
  return { works: false, reason: "bubblewrap (bwrap) is not installed" };
}

async function runToEnd(
  path: string,
  args: readonly string[],
): Promise<{ readonly success: boolean; readonly stderr: string }> {
  const { success, stderr } = await new Deno.Command(path, {
    args: [...args],
    clearEnv: true,
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).output();
  return { success, stderr: new TextDecoder().decode(stderr) };
}
