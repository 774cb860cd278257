/** Starting `_held.ts` and reading its answer, and places for its files. */

import { fromFileUrl } from "@std/path";
import type { CanonicalPath } from "../../../src/core/capability.ts";
import type { Boundary, SpawnBoundary } from "../../../src/sandbox/boundary.ts";
import { SYSTEM_PATHS } from "../../../src/sandbox/system_paths.ts";
import type { HeldAnswer, HeldTask } from "./_held.ts";

export const SENTINEL = "sentinel-of-what-lies-outside";

/** Runs the steps in a worker of a process of its own, which has these permissions. */
export async function held(
  task: HeldTask,
  permissions: readonly string[] = ["-A"],
): Promise<HeldAnswer> {
  const { stdout, stderr, success } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--quiet",
      "--no-prompt",
      ...permissions,
      `--config=${fromFileUrl(new URL("../../../deno.json", import.meta.url))}`,
      "--no-lock",
      "--unstable-worker-options",
      fromFileUrl(import.meta.resolve("./_held.ts")),
      JSON.stringify(task),
    ],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).output();
  const text = new TextDecoder();
  if (!success) throw new Error(text.decode(stderr));
  return JSON.parse(text.decode(stdout)) as HeldAnswer;
}

/** A workspace and a folder beside it, each with files; removed with `remove`. */
export interface Places {
  readonly inside: CanonicalPath;
  readonly outside: CanonicalPath;
  remove(): void;
}

export function makePlaces(): Places {
  const root = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "toolgate-test-" }));
  const inside = `${root}/inside` as CanonicalPath;
  const outside = `${root}/outside` as CanonicalPath;
  Deno.mkdirSync(`${inside}/sub`, { recursive: true });
  Deno.mkdirSync(outside);
  Deno.writeTextFileSync(`${inside}/a.txt`, "inside");
  Deno.writeTextFileSync(`${outside}/secret.txt`, SENTINEL);
  Deno.writeTextFileSync(`${outside}/module.ts`, "export const secret = 1;");
  Deno.symlinkSync(`${outside}/secret.txt`, `${inside}/link.txt`);
  return { inside, outside, remove: () => Deno.removeSync(root, { recursive: true }) };
}

export function boundaryOf(parts: Partial<Boundary>): Boundary {
  return { read: [], write: [], spawn: null, connect: [], ...parts };
}

/** Programs that may do anything in `inside`, and Deno among what they may execute. */
export function spawnOf(inside: CanonicalPath, parts: Partial<SpawnBoundary> = {}): SpawnBoundary {
  return {
    programs: "any",
    system: [...SYSTEM_PATHS, Deno.execPath()],
    read: [inside],
    write: [inside],
    list: [],
    network: false,
    ...parts,
  };
}
