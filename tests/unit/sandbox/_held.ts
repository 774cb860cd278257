/**
 * What a test does on a thread that is held: run as a program of its own, since there is no way back. Reads a
 * `HeldTask` from the argument, answers with JSON on stdout.
 */

import type { CanonicalPath } from "../../../src/core/capability.ts";
import type { SandboxMode } from "../../../src/policy/model.ts";
import type { Boundary } from "../../../src/sandbox/boundary.ts";
import type { Entered } from "../../../src/sandbox/enter.ts";
import { permissionSetOf } from "../../../src/sandbox/permission_set.ts";

export interface HeldTask {
  readonly boundary: Boundary;
  readonly kernel: SandboxMode;
  /** The worker gets the boundary's own permission set, not all permissions. */
  readonly narrow?: boolean;
  /** Hide the C library. */
  readonly withoutLibc?: boolean;
  readonly steps: readonly Step[];
  /** Read by the free main thread all the while. */
  readonly outside?: string;
}

export type Step =
  | { readonly do: "read" | "readAsync" | "import" | "list" | "remove"; readonly path: string }
  | { readonly do: "write" | "append"; readonly path: string }
  /** Through the file handles, by system calls. */
  | { readonly do: "handleRead" | "handleWrite" | "handleWalk"; readonly path: string }
  | { readonly do: "rename" | "link"; readonly path: string; readonly to: string }
  | { readonly do: "run"; readonly argv: readonly string[]; readonly cwd?: string }
  | { readonly do: "runMany"; readonly argv: readonly string[]; readonly count: number }
  | { readonly do: "connect"; readonly port: number; readonly hostname?: string }
  | { readonly do: "ffi" | "env" };

/** What became of one step: its result, or the name of its error. */
export interface StepResult {
  readonly ok: boolean;
  readonly value: string;
}

export interface HeldAnswer {
  readonly entered: Omit<Entered, "libc" | "spawner" | "own" | "memory"> | null;
  readonly failure: { readonly code: string; readonly message: string } | null;
  readonly results: readonly StepResult[];
  /** Whether the main thread could read outside each time it tried. */
  readonly mainIsFree: boolean;
}

/** Where the worker's modules lie: from source it must be able to load them. */
const MODULES = new URL("../../../", import.meta.url).pathname as CanonicalPath;

function permissionsOf({ narrow, boundary }: HeldTask): Deno.PermissionOptions {
  if (narrow !== true) return "inherit";
  return permissionSetOf({ ...boundary, read: [...boundary.read, MODULES] });
}

function onMain(task: HeldTask): void {
  const worker = new Worker(import.meta.resolve("./_held_worker.ts"), {
    type: "module",
    deno: { permissions: permissionsOf(task) },
  });
  let mainIsFree = true;
  const look = setInterval(() => {
    try {
      if (task.outside !== undefined) Deno.readTextFileSync(task.outside);
    } catch {
      mainIsFree = false;
    }
  }, 2);
  worker.onmessage = (event: MessageEvent<Omit<HeldAnswer, "mainIsFree">>) => {
    clearInterval(look);
    worker.terminate();
    console.log(JSON.stringify({ ...event.data, mainIsFree }));
  };
  worker.postMessage(task);
}

onMain(JSON.parse(Deno.args[0] ?? "") as HeldTask);
