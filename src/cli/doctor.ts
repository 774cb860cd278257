/** `doctor`: what enforces the policy on this machine, each layer tried for real in a temporary folder. */

import { join } from "@std/path";
import type { CanonicalPath, Program } from "../core/capability.ts";
import { EXIT } from "../core/errors.ts";
import type { CommandEngine } from "../engine/create_engine.ts";
import { tryLayer, type TryPlace } from "../engine/try_layer.ts";
import { createProgramFinder } from "../host/programs.ts";
import { SYSTEM_PATHS } from "../sandbox/system_paths.ts";
import type { Invocation } from "./invocation.ts";
import { openEngine, openSession, type Session } from "./session.ts";
import { print } from "./stdio.ts";

/** One line of the report. `holds` null: not tried, `detail` says why. */
interface Finding {
  readonly layer: string;
  readonly attempt: string;
  readonly holds: boolean | null;
  readonly detail: string;
}

/** Exit 1 where the policy requires what is not there, or a layer that was there let something through. */
export async function doctor(invocation: Invocation): Promise<number> {
  const session = await openSession(invocation);
  const engine = openEngine(session, invocation);
  const { kernel } = engine.rulebook.settings.sandbox;
  const findings = await examine(engine, session, invocation.embedded.sealed);
  const missing = findings.filter(({ holds }) => holds === false);
  const healthy = kernel === "required"
    ? missing.length === 0
    : missing.every(({ layer }) => layer !== "policy" && layer !== "runtime");
  if (session.format === "json") {
    print(JSON.stringify({
      version: invocation.embedded.version,
      platform: `${Deno.build.os} ${Deno.build.arch}`,
      sealed: invocation.embedded.sealed,
      policies: session.policies.map(({ source }) => source),
      kernel,
      healthy,
      layers: findings,
    }));
  } else {
    print(table(findings, kernel, healthy));
  }
  return healthy ? EXIT.success : EXIT.failed;
}

async function examine(
  engine: CommandEngine,
  { policies }: Session,
  sealed: boolean,
): Promise<readonly Finding[]> {
  const findings = [policyLayer(engine)];
  if (sealed) {
    const detail =
      "a sealed build reads its workspace alone: it cannot make the folder to try this in";
    return [
      ...findings,
      {
        layer: "runtime",
        attempt: "read a file outside",
        holds: sealedRuntimeHolds(),
        detail: "baked permissions",
      },
      { layer: "landlock", attempt: "read a file outside", holds: null, detail },
    ];
  }
  const base = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "toolgate-doctor-" }));
  try {
    const inside = join(base, "inside") as CanonicalPath;
    const outside = join(base, "outside") as CanonicalPath;
    for (const folder of [inside, outside]) {
      Deno.mkdirSync(folder);
      Deno.writeTextFileSync(join(folder, "file"), "doctor");
    }
    const place = { policies, inside, target: join(outside, "file") as CanonicalPath };
    findings.push(
      report("runtime", "read a file outside", await tryLayer(engine, "runtime", place)),
    );
    findings.push(
      report("landlock", "read a file outside", await tryLayer(engine, "landlock", place)),
    );
    const cat = createProgramFinder(inside, SYSTEM_PATHS).find("cat", inside);
    findings.push(await programs(engine, place, cat));
  } finally {
    Deno.removeSync(base, { recursive: true });
  }
  return findings;
}

function policyLayer(engine: CommandEngine): Finding {
  const outside = "/toolgate-doctor/outside" as CanonicalPath;
  const { effect } = engine.rulebook.judgePath("read", outside);
  const workspace = engine.rulebook.settings.workspace === "/";
  return {
    layer: "policy",
    attempt: "judge a path that no rule names",
    holds: workspace ? null : effect === "deny",
    detail: workspace ? "the workspace is the whole machine" : `judged: ${effect}`,
  };
}

function sealedRuntimeHolds(): boolean {
  return Deno.permissions.querySync({ name: "read", path: "/" }).state !== "granted";
}

function report(
  layer: string,
  attempt: string,
  tried: Awaited<ReturnType<typeof tryLayer>>,
): Finding {
  return { layer, attempt, holds: tried.holds, detail: tried.detail };
}

async function programs(
  engine: CommandEngine,
  place: TryPlace,
  cat: Program | null,
): Promise<Finding> {
  const attempt = "a program (cat) reads a file outside";
  if (cat === null) {
    return { layer: "landlock", attempt, holds: null, detail: "there is no cat to try it with" };
  }
  return report(
    "landlock",
    attempt,
    await tryLayer(engine, "programs", { ...place, program: cat }),
  );
}

function table(findings: readonly Finding[], kernel: string, healthy: boolean): string {
  const words = (holds: boolean | null) =>
    holds === null ? "not tried" : holds ? "holds" : "MISSING";
  const lines = findings.map(({ layer, attempt, holds, detail }) =>
    `${layer.padEnd(10)}${words(holds).padEnd(11)}${attempt.padEnd(38)}${detail}`
  );
  const verdict = healthy
    ? `sandbox.kernel: ${kernel}; all that it needs is here`
    : `sandbox.kernel: ${kernel}; something it needs is missing`;
  return [...lines, "", verdict].join("\n");
}
