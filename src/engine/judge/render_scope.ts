/** The whole scope of a policy as the kernel's rules and as bubblewrap's arguments: what long-lived threads get. */

import { probeLandlock } from "../../sandbox/landlock.ts";
import { rulesOf } from "../../sandbox/landlock_rules.ts";
import { bubblewrapArguments } from "../../sandbox/bubblewrap.ts";
import { openLibc } from "../../sandbox/kernel/libc.ts";
import type { Boundary, SpawnBoundary } from "../../sandbox/boundary.ts";
import type { CommandEngine } from "../create_engine.ts";
import { namesOf, NEWEST_ABI } from "./_enforcement.ts";
import { createProgramSupport } from "../programs/program_support.ts";

/** A rule of the kernel's layer: a path, and the kernel's names of what it opens there. */
export interface RenderedRule {
  readonly path: string;
  readonly rights: readonly string[];
}

/** For the person who wrote the policy: paths as they are. */
export function renderScope({ rulebook }: CommandEngine) {
  const libc = openLibc();
  const probed = libc === null ? 0 : probeLandlock(libc);
  const abi = probed === 0 ? NEWEST_ABI : probed;
  const { scope, settings } = rulebook;
  const render = (boundary: Boundary): readonly RenderedRule[] =>
    rulesOf(boundary, abi).paths.map(({ path, rights }) => ({ path, rights: namesOf(rights) }));
  const plain = { read: scope.read, write: scope.write, connect: [] };
  const spawn = spawnBoundary(rulebook);
  return {
    landlock: {
      abi,
      probed: probed > 0,
      files: render({ ...plain, spawn: null }),
      programs: render({ read: [], write: [], connect: [], spawn }),
    },
    bubblewrap: bubblewrapArguments(spawn, settings.workspace, ["PROGRAM"]),
  };
}

function spawnBoundary(rulebook: CommandEngine["rulebook"]): SpawnBoundary {
  const { settings } = rulebook;
  // What bubblewrap would get is shown whether this machine has it or not.
  const sandbox = {
    ...settings.sandbox,
    bubblewrap: "auto",
    temporary: false,
    caches: "off",
  } as const;
  const support = createProgramSupport({
    ...rulebook,
    scope: rulebook.scope,
    settings: { ...settings, sandbox },
  }, null);
  try {
    return support.boundary().spawn;
  } finally {
    support.close();
  }
}
