/** The first thing that runs on a thread: giving up all power that its boundary does not name. */

import { ToolError } from "../core/errors.ts";
import type { SandboxMode } from "../policy/model.ts";
import type { Boundary, Layer } from "./boundary.ts";
import { hardenProcess } from "./harden.ts";
import { probeLandlock, restrictThread } from "./landlock.ts";
import { rulesOf } from "./landlock_rules.ts";
import { type Libc, openLibc } from "./kernel/libc.ts";
import type { Architecture } from "./seccomp.ts";
import type { MemoryReader } from "./broker/memory_reader.ts";
import type { OwnCalls } from "./launcher/own_calls.ts";
import type { Spawner } from "./spawner.ts";

/** What holds the thread now. */
export interface Entered {
  readonly layers: readonly Layer[];
  /** The kernel's Landlock ABI; 0 where it has none or was not asked. */
  readonly abi: number;
  /** Why a layer that was wanted does not hold, one sentence each. */
  readonly reasons: readonly string[];
  /** System calls of this thread, for the file handles; null where FFI or glibc is missing. */
  readonly libc: Libc | null;
  /** Of a thread that starts programs; null where it must do so by the runtime alone. */
  readonly spawner: Spawner | null;
  /** For starting programs; null where the thread starts none, or this machine lets no memory be executed. */
  readonly own: OwnCalls | null;
  /** For reading the names in calls that programs hand over; null where the thread starts none. */
  readonly memory: MemoryReader | null;
}

/**
 * The C library of this thread, where the kernel has rules by which a thread can hold itself to files, and the policy wants
 * them; else null.
 */
export function libcThatHolds(sandbox: { readonly kernel: SandboxMode }): Libc | null {
  if (sandbox.kernel === "off") return null;
  const libc = openLibc();
  return libc !== null && probeLandlock(libc) > 0 ? libc : null;
}

/** What a thread that starts programs calls the system by. */
export type ProgramCalls = Pick<Entered, "libc" | "own" | "memory" | "spawner">;

/** Opened before `ffi` is given up, whatever the boundary is to be. `opened`: this thread's. */
export async function openProgramCalls(opened: Libc | null): Promise<ProgramCalls> {
  if (opened === null) return { libc: null, own: null, memory: null, spawner: null };
  const { openOwnCalls, withOwnCalls } = await import("./launcher/own_calls.ts");
  const { createMemoryReader } = await import("./broker/memory_reader.ts");
  const { openSpawner } = await import("./spawner.ts");
  const own = openOwnCalls(opened);
  const libc = withOwnCalls(opened, own);
  return { libc, own, memory: createMemoryReader(libc), spawner: openSpawner() };
}

/** The kernel does not hold the boundary. Nothing was given up: another thread can be bound to it. */
export class NotHeld extends Error {
  override readonly name = "NotHeld";
}

/**
 * Binds the calling thread to the boundary, for ever, and gives up `ffi` and every kind of permission that the
 * boundary has no use for. To be called before anything else runs on the thread.
 *
 * `wide`: the runtime's permissions are wider than the boundary and cannot be narrowed to it where they are, as those of
 * an unsealed binary's main thread. Kinds that the boundary has no use for are given up all the same; the rest is the
 * kernel's to hold, and `layers` has no "runtime": NotHeld is thrown where it cannot.
 *
 * Where programs are started in bubblewrap, that holds them, with the system call filter inside, and the thread itself
 * is left to the runtime's set and the judgement of every path that it opens.
 *
 * `calls`: of a thread that starts programs, where they are open already.
 *
 * With `kernel` "required" throws NATIVE_DENIED where the kernel cannot hold the boundary; "auto" goes on and
 * says so in `reasons`; "off" leaves the kernel out. The runtime's permissions are given up in each case.
 */
export async function enterBoundary(
  boundary: Boundary,
  sandbox: { readonly kernel: SandboxMode },
  open: () => Libc | null = openLibc,
  { wide = false, calls = null }: {
    readonly wide?: boolean;
    readonly calls?: ProgramCalls | null;
  } = {},
): Promise<Entered> {
  if (boundary.spawn !== null && !boundary.spawn.network && boundary.connect.length > 0) {
    throw new ToolError(
      "INTERNAL_ERROR",
      "one thread cannot connect and also start programs that may not: their sockets are the same to the kernel",
    );
  }
  // Loaded before the boundary closes, and only for threads that start programs.
  const seccomp = boundary.spawn === null ? null : await import("./seccomp.ts");
  const { libc, own, memory, spawner } = boundary.spawn === null
    ? { libc: open(), own: null, memory: null, spawner: null }
    : calls ?? await openProgramCalls(open());
  const layers: Layer[] = ["policy"];
  const reasons: string[] = [];
  let abi = 0;
  const { bubblewrap } = boundary.spawn ?? {};
  if (bubblewrap !== undefined && spawner !== null) {
    layers.push("bubblewrap", ...(seccomp === null ? [] : ["seccomp"] as const));
  } else if (sandbox.kernel === "off") {
    reasons.push("the policy switches the kernel layer off (sandbox.kernel: off)");
  } else if (libc === null) {
    reasons.push(
      "Landlock: the C library cannot be called (it takes glibc and the ffi permission)",
    );
  } else {
    abi = probeLandlock(libc);
    holdByKernel({ libc, abi, seccomp, spawner }, boundary, layers, reasons);
  }
  if (wide && !layers.includes("landlock")) throw new NotHeld(reasons.join("; "));
  // Programs are of this process's user: its memory and environment must not be theirs to read.
  if (boundary.spawn !== null && libc !== null) hardenProcess(libc);
  revokeUnused(boundary);
  if (!wide) layers.splice(1, 0, "runtime");
  if (sandbox.kernel === "required" && reasons.length > 0) {
    throw new ToolError(
      "NATIVE_DENIED",
      `sandbox.kernel is "required", and this machine cannot hold it: ${reasons.join("; ")}`,
    );
  }
  return { layers, abi, reasons, libc, spawner, own, memory };
}

function holdByKernel(
  { libc, abi, seccomp, spawner }: {
    readonly libc: Libc;
    readonly abi: number;
    readonly spawner: Spawner | null;
    readonly seccomp: typeof import("./seccomp.ts") | null;
  },
  boundary: Boundary,
  layers: Layer[],
  reasons: string[],
): void {
  if (abi === 0) {
    reasons.push("Landlock: this kernel has none, or it is not switched on (lsm=landlock)");
  } else {
    const failure = restrictThread(libc, rulesOf(boundary, abi));
    if (failure === null) layers.push("landlock");
    else reasons.push(`Landlock: ${failure}`);
  }
  if (boundary.spawn === null || seccomp === null) return;
  // Programs that are started by the launcher put it on themselves; others take it from their thread.
  const architecture = Deno.build.arch as Architecture;
  const failure = spawner === null
    ? seccomp.filterThread(libc, seccomp.filterFor(architecture, boundary.spawn))
    : seccomp.seccompMissing(libc);
  if (failure === null) layers.push("seccomp");
  else reasons.push(`seccomp: ${failure}`);
}

/** `revokeSync` drops kinds whole, and names and addresses, but no network; narrowing to these is the permission set's. */
function revokeUnused(boundary: Boundary): void {
  const revoke = (name: Deno.PermissionName): void => {
    Deno.permissions.revokeSync({ name });
  };
  for (const name of ["ffi", "env", "sys"] as const) revoke(name);
  // Deno 2.7 knows the kind, its types do not: modules of other hosts.
  Deno.permissions.revokeSync({ name: "import" } as unknown as Deno.PermissionDescriptor);
  if (boundary.connect.length === 0) revoke("net");
  for (const host of boundary.besides ?? []) Deno.permissions.revokeSync({ name: "net", host });
  if (boundary.spawn === null) revoke("run");
  if (boundary.write.length === 0) revoke("write");
  if (boundary.write.length === 0 && boundary.read.length === 0) revoke("read");
}
