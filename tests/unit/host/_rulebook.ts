/** A rulebook of a real directory for the tests of what the policy's paths become. */

import type { CanonicalPath } from "../../../src/core/capability.ts";
import type { Grant } from "../../../src/policy/grant.ts";
import { DEFAULTS, type Policy } from "../../../src/policy/model.ts";
import { compileRulebook } from "../../../src/policy/compile_rulebook.ts";
import type { Rulebook } from "../../../src/policy/rulebook.ts";
import { SYSTEM_PATHS } from "../../../src/sandbox/system_paths.ts";
import { ACTIONS, policy } from "../policy/_fixtures.ts";

export function rulebookOf(workspace: CanonicalPath, sections: Partial<Policy>): Rulebook {
  return compileRulebook(
    [{ source: "test.yaml", policy: policy(sections), workspace }],
    { system: SYSTEM_PATHS, actions: ACTIONS },
  );
}

export function grantOf(workspace: CanonicalPath, parts: Partial<Grant>): Grant {
  return {
    workspace,
    read: [],
    write: [],
    spawn: [],
    connect: [],
    limits: DEFAULTS.limits,
    backups: { keep: null, ageMs: null },
    git: DEFAULTS.git,
    // Longer than any machine takes, however busy: what is to be over has a time of its own.
    timeoutMs: 600_000,
    killGraceMs: 600_000,
    ...parts,
  };
}
