/** Boundaries of threads: drawn from one grant for a single call, from what the policy can allow for many. */

import { dirname } from "@std/path";
import type { CanonicalPath } from "../core/capability.ts";
import type { Rulebook } from "../policy/rulebook.ts";
import { type Carver, createCarver } from "../host/carve.ts";
import type { ProgramFinder } from "../host/programs.ts";
import type { Boundary, SpawnBoundary } from "../sandbox/boundary.ts";
import { SYSTEM_PATHS } from "../sandbox/system_paths.ts";
import type { Lane } from "./lanes.ts";
import type { Job } from "./runner.ts";
import type { ProgramSurroundings } from "./thread_parts.ts";
import type { LaneBoundary } from "./worker_pool.ts";

/** The state of boundaries that never change. */
const FIXED = "fixed";

export interface Boundaries {
  /** For a thread of many calls. */
  ofLane(lane: Lane): LaneBoundary;
  /** For the one call of a process. */
  ofJob(job: Job): Boundary;
}

export function createBoundaries(
  rulebook: Rulebook,
  programs: ProgramFinder,
  surroundings: () => ProgramSurroundings,
): Boundaries {
  const { scope, settings } = rulebook;
  const { workspace, sandbox } = settings;
  let carver: Carver | null = null;

  const spawnBoundary = (): { readonly spawn: SpawnBoundary; readonly state: string } => {
    carver ??= createCarver(rulebook);
    const { read, write, list, fingerprint } = carver.carve();
    const temporary = surroundings().temporaryRoot;
    const found = scope.programs === "any"
      ? "any" as const
      : [...new Set(scope.programs.flatMap((name) => programs.find(name, workspace)?.start ?? []))];
    return {
      spawn: {
        programs: found,
        system: sandbox.system ?? SYSTEM_PATHS,
        read,
        write: temporary === null ? write : [...write, temporary as CanonicalPath],
        list,
        network: sandbox.network === "allow",
      },
      state: fingerprint,
    };
  };

  return {
    ofLane(lane) {
      switch (lane) {
        case "read":
        case "read-long":
          return { boundary: reading(scope.read), state: FIXED };
        case "write": {
          const write = [...new Set(scope.write.map(deepestExisting))];
          return { boundary: { ...reading(scope.read), write }, state: write.join("\0") };
        }
        case "spawn": {
          const { spawn, state } = spawnBoundary();
          return { boundary: { read: [], write: [], connect: [], spawn }, state };
        }
      }
    },
    ofJob({ grant, preview }) {
      const read = grant.read.map(({ path }) => path);
      const write = grant.write.map(({ path }) => path);
      if (preview) return reading([...read, ...write]);
      if (grant.spawn.length > 0) {
        const { spawn } = spawnBoundary();
        const starts = grant.spawn.map(({ program }) => program.start);
        return { read, write, connect: grant.connect, spawn: { ...spawn, programs: starts } };
      }
      // A file is written by making another beside it: the folder is what must be writable.
      const folders = [
        ...new Set(write.map((path) => deepestExisting(dirname(path) as CanonicalPath))),
      ];
      return { read, write: folders, connect: grant.connect, spawn: null };
    },
  };
}

function reading(read: readonly CanonicalPath[]): Boundary {
  return { read, write: [], connect: [], spawn: null };
}

/** The kernel's rules name what is there: for what is not yet, the folder in which it would begin. */
function deepestExisting(path: CanonicalPath): CanonicalPath {
  for (let at = path;; at = dirname(at) as CanonicalPath) {
    try {
      Deno.lstatSync(at);
      return at;
    } catch {
      if (dirname(at) === at) return at;
    }
  }
}
