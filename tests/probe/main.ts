/**
 * The probe binary: the real engine, threads and layers, with a tool that attacks them, and with layers opened on
 * purpose so that each is seen to hold alone. What opens them is in this module only; nothing of the shipped
 * binary imports it.
 *
 *     probe POLICY WORKSPACE [open-policy] [open-runtime]   (requests on standard input, as for `serve`)
 */

import type { CanonicalPath } from "../../src/core/capability.ts";
import { serveEngine } from "../../src/cli/serve.ts";
import { loadPolicy } from "../../src/cli/session.ts";
import { createEngine, type EngineParts } from "../../src/engine/create_engine.ts";
import type { Rulebook } from "../../src/policy/rulebook.ts";
import { probeRegistry } from "./probe_registry.ts";

/** A policy layer that says yes to everything. */
function allowAll(rulebook: Rulebook): Rulebook {
  return {
    ...rulebook,
    judgePath: () => ({ effect: "allow", code: null, reason: "", rule: null }),
    mayDenyBelow: () => false,
    decide: (subject, capabilities) => ({
      effect: "allow",
      code: null,
      reason: "the probe's policy layer allows everything",
      rule: null,
      risk: subject.risk,
      verdicts: capabilities.map((capability) => ({
        capability,
        verdict: { effect: "allow", code: null, reason: "", rule: null },
      })),
    }),
  };
}

if (import.meta.main) {
  const [policy = "", root = "", ...open] = Deno.args;
  const loaded = await loadPolicy(policy);
  const workspace = Deno.realPathSync(root) as CanonicalPath;
  Deno.chdir(workspace);
  const parts: EngineParts = {
    registry: probeRegistry(),
    ...(open.includes("open-policy") ? { rulebook: allowAll } : {}),
    ...(open.includes("open-runtime") ? { permissionsOf: () => "inherit" as const } : {}),
  };
  const engine = createEngine(
    { policies: [{ ...loaded, workspace }], workspace, sealed: false, life: "stay" },
    parts,
  );
  Deno.exit(await serveEngine(engine, { name: "root", pinned: false }));
}
