/** Boundaries of threads: drawn from one grant for a single call, from what the policy can allow for many. */

import type { CanonicalPath } from "../core/capability.ts";
import { entryType } from "../host/entry_type.ts";
import type { Rulebook } from "../policy/rulebook.ts";
import type { Boundary } from "../sandbox/boundary.ts";
import type { Lane } from "./lanes.ts";
import type { ProgramSupport } from "./program_support.ts";
import type { Job } from "./runner.ts";
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
  programs: () => ProgramSupport,
): Boundaries {
  return {
    ofLane(lane) {
      switch (lane) {
        case "read":
        case "read-long":
          return { boundary: reading(rulebook.scope.read), state: FIXED };
        case "write": {
          const { read, write } = rulebook.scope;
          const writeFolders = [...new Set(write.map(deepestFolder))];
          const boundary = { ...reading(read), write, writeFolders };
          return { boundary, state: writeFolders.join("\0") };
        }
        case "spawn": {
          const { spawn, state } = programs().boundary();
          return { boundary: { read: [], write: [], connect: [], spawn }, state };
        }
      }
    },
    ofJob({ grant, preview }) {
      // Backups lie beside their file, under names that only its folder tells.
      const read = grant.read.map(({ path, backups }) => backups === true ? parentOf(path) : path);
      const write = grant.write.map(({ path }) => path);
      if (preview) return reading([...read, ...write]);
      if (grant.spawn.length > 0) {
        const { spawn } = programs().boundary();
        const starts = grant.spawn.map(({ program }) => program.start);
        return { read, write, connect: grant.connect, spawn: { ...spawn, programs: starts } };
      }
      // A file is written by making another beside it: the folder is what must be writable.
      const folders = [
        ...new Set(write.map((path) => deepestFolder(parentOf(path)))),
      ];
      return { read, write: folders, connect: grant.connect, spawn: null };
    },
  };
}

function reading(read: readonly CanonicalPath[]): Boundary {
  return { read, write: [], connect: [], spawn: null };
}

/**
 * The kernel's rules name what is there: for what is not yet, the folder in which it would begin; for a file the
 * folder that it lies in, where its replacement is made.
 */
function deepestFolder(path: CanonicalPath): CanonicalPath {
  let at = path;
  let type = entryType(at);
  for (; type === null && at !== "/"; type = entryType(at)) at = parentOf(at);
  return type === "file" ? parentOf(at) : at;
}

/** A canonical path has no trailing slash and no dots: its parent is what stands before the last slash. */
function parentOf(path: CanonicalPath): CanonicalPath {
  return (path.slice(0, path.lastIndexOf("/")) || "/") as CanonicalPath;
}
