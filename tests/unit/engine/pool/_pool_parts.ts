/** Parts of pools that note what they are asked, and start nothing. */

import type { Preparation } from "../../../../src/engine/judge/preparation.ts";
import { createPluginRegistry } from "../../../../src/engine/plugin_registry.ts";
import type { Boundaries } from "../../../../src/engine/pool/boundaries.ts";
import type { PoolParts } from "../../../../src/engine/pool/open_pool.ts";
import type { Job, Runner } from "../../../../src/engine/runner.ts";
import type { Policy } from "../../../../src/policy/model.ts";
import type { Boundary } from "../../../../src/sandbox/boundary.ts";
import { grantOf } from "../../host/_rulebook.ts";
import { canonical, rulebook, WORKSPACE } from "../../policy/_fixtures.ts";
import { NOTHING, registryOf, toolOf } from "../_stand_ins.ts";
import { jobOf } from "./_stand_in_threads.ts";

export const BOUNDARY: Boundary = {
  read: [canonical("/w/project/only")],
  write: [],
  connect: [],
  spawn: null,
};

/** Parts that note what they are asked. */
export function partsOf(sections: Partial<Policy> = {}) {
  const steps: string[] = [];
  const boundaries: Boundaries = {
    ofLane(lane) {
      steps.push(`lane ${lane}`);
      return { boundary: BOUNDARY, state: "lane" };
    },
    ofJob({ tool }) {
      steps.push(`job ${tool.name}`);
      return BOUNDARY;
    },
    shownOf: () => BOUNDARY,
    learn: () => Promise.resolve(false),
  };
  const preparation: Preparation = {
    prepare: () => null,
    files: () => Promise.reject(new Error("no files here")),
    programs: () => {
      throw new Error("no programs here");
    },
    close: () => steps.push("close preparation"),
  };
  const permitted: Boundary[] = [];
  const plugins = createPluginRegistry(registryOf(toolOf()), []);
  let last = 0;
  const parts: PoolParts = {
    number: () => ++last,
    rulebook: rulebook([sections]),
    compiled: rulebook([sections]),
    policies: [],
    plugins,
    preparation,
    boundaries,
    permissionsOf(boundary) {
      permitted.push(boundary);
      return "none";
    },
  };
  const free: Runner = {
    run({ tool }) {
      steps.push(`free ${tool.name}`);
      return { outcome: Promise.resolve(NOTHING), cancel: () => {} };
    },
    close: () => Promise.resolve(),
  };
  return { parts, free, steps, permitted, plugins };
}

/** A job that needs no power. */
export const FREE: Job = { ...jobOf("read"), grant: grantOf(canonical(WORKSPACE), {}) };
