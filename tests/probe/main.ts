/**
 * The probe binary: the real engine, threads and layers, with a tool that attacks them, and with layers opened on
 * purpose so that each is seen to hold alone. What opens them is in this module only; nothing of the shipped
 * binary imports it.
 *
 *     probe POLICY WORKSPACE [open-policy] [open-runtime] [main-reads=FILE]
 *
 * Requests come on standard input, as for `serve`. With `main-reads` the main thread reads that file all the
 * while, and the exit status is 9 where it could not each time.
 */

import type { CanonicalPath } from "../../src/core/capability.ts";
import { serveEngine } from "../../src/cli/serve_engine.ts";
import { loadPolicy } from "../../src/cli/session.ts";
import { createStayingEngine, type EngineParts } from "../../src/engine/create_engine.ts";
import { PERMISSION_GROUPS } from "../../src/core/tool.ts";
import type { EntryJudge, Rulebook, Verdict } from "../../src/policy/rulebook.ts";
import { probeRegistry } from "./probe_registry.ts";

const ALLOWED: Verdict = { effect: "allow", code: null, reason: "the probe allows", rule: null };
const ALLOWED_BELOW: EntryJudge = {
  effectOf: () => "allow",
  into: () => ALLOWED_BELOW,
  mayDeny: false,
  names: () => ({ rules: [], endings: [], usual: { file: "allow", directory: "allow" } }),
};
const MAIN_REFUSED = 9;

/** A policy layer that says yes to everything. */
function allowAll(rulebook: Rulebook): Rulebook {
  const decide: Rulebook["decide"] = (subject, capabilities) => ({
    ...ALLOWED,
    risk: subject.risk,
    verdicts: capabilities.map((capability) => ({ capability, verdict: ALLOWED })),
    findings: () => Promise.resolve({ capabilities: [], agents: [], thresholds: [] }),
  });
  return {
    ...rulebook,
    judgePath: () => ALLOWED,
    judgeBelow: () => ALLOWED_BELOW,
    mayDenyBelow: () => false,
    permissionsOf: () => PERMISSION_GROUPS,
    decide,
    *decideInSteps(subject, capabilities) {
      yield;
      return decide(subject, capabilities);
    },
    withFolder: (folder) => allowAll(rulebook.withFolder(folder)),
  };
}

/** Reads on the main thread, in both ways, until it is stopped: whether each read went through. */
async function readAllTheWhile(path: string, stop: AbortSignal): Promise<boolean> {
  let reads = 0;
  try {
    while (!stop.aborted) {
      Deno.readTextFileSync(path);
      await Promise.all(Array.from({ length: 4 }, () => Deno.readTextFile(path)));
      reads++;
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  } catch {
    return false;
  }
  return reads > 0;
}

function noLog(): never {
  throw new Error("the probe keeps no log");
}

/** Serves; gives the exit status. */
export async function runProbe(args: readonly string[]): Promise<number> {
  const [policy = "", root = "", ...words] = args;
  const loaded = await loadPolicy(policy);
  const workspace = Deno.realPathSync(root) as CanonicalPath;
  Deno.chdir(workspace);
  const parts: EngineParts = {
    registry: probeRegistry(),
    ...(words.includes("open-policy") ? { rulebook: allowAll } : {}),
    ...(words.includes("open-runtime") ? { permissionsOf: () => "inherit" as const } : {}),
  };
  const engine = await createStayingEngine(
    { policies: [{ ...loaded, workspace }], workspace, sealed: false, audit: noLog },
    parts,
  );
  engine.warm();
  const serving = () => serveEngine(engine, { name: "root", pinned: false });
  const file = words.find((word) => word.startsWith("main-reads="))?.slice("main-reads=".length);
  if (file === undefined) return await serving();
  const end = new AbortController();
  const reading = readAllTheWhile(file, end.signal);
  const status = await serving();
  end.abort();
  return await reading ? status : MAIN_REFUSED;
}
