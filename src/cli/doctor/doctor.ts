/** `doctor`: what enforces the policy on this machine, each layer and kind tried for real in a temporary folder. */

import type { CanonicalPath, ResolvedCapability } from "../../core/capability.ts";
import { EXIT } from "../../core/errors.ts";
import type { CommandEngine } from "../../engine/create_engine.ts";
import { detectBubblewrap } from "../../sandbox/bubblewrap.ts";
import { probeLandlock } from "../../sandbox/landlock.ts";
import { socketsMissing } from "../../host/broker/sockets_missing.ts";
import { handingMissing } from "../../sandbox/broker/notifications.ts";
import { type Libc, openLibc } from "../../sandbox/kernel/libc.ts";
import { SYSTEM_PATHS } from "../../sandbox/system_paths.ts";
import { type Finding, finding, isHealthy, notEnforced, table } from "./_findings.ts";
import { circumstancesOf, warningsOf } from "../circumstances.ts";
import type { Invocation } from "../invocation.ts";
import { openScreen } from "../render/screen.ts";
import { openEngine, openSession, type Session } from "../session.ts";
import { print } from "../stdio.ts";

/** Exit 1 where the policy requires what is not there, or a layer that is there let something through. */
export async function doctor(invocation: Invocation): Promise<number> {
  const session = await openSession(invocation);
  const engine = openEngine(session, invocation);
  const { kernel, bubblewrap } = engine.rulebook.settings.sandbox;
  const libc = openLibc();
  const abi = libc === null ? 0 : probeLandlock(libc);
  const { sealed, version } = invocation.embedded;
  const findings = [
    ...await policyFindings(engine),
    ...await layerFindings(engine, session, { sealed, abi }),
    namesFinding(libc),
    socketsFinding(libc, engine.rulebook.settings.sandbox.network === "allow"),
    await bubblewrapFinding(engine),
  ];
  await engine.runner.close();
  const healthy = isHealthy(findings, { kernel, bubblewrap });
  const open = notEnforced(Deno.build.os, findings);
  const circumstances = circumstancesOf(session.workspace, libc);
  const warnings = warningsOf(circumstances);
  if (session.format === "json") {
    print(JSON.stringify({
      version,
      platform: `${Deno.build.os} ${Deno.build.arch}`,
      sealed,
      user: circumstances.user,
      workspace: session.workspace,
      warnings,
      policies: session.policies.map(({ source }) => source),
      kernel,
      bubblewrap,
      landlock_abi: abi,
      healthy,
      layers: findings,
      not_enforced: open,
    }));
  } else {
    print([
      `toolgate ${version}${sealed ? ", sealed" : ""} on ${Deno.build.os} ${Deno.build.arch}`,
      `user ${circumstances.user ?? "unknown"}, workspace ${session.workspace}`,
      `policy ${session.policies.map(({ source }) => source).join(", ")}`,
      "",
      table(findings, openScreen("stdout").columns),
      "",
      ...warnings.map((warning) => `warning: ${warning}`),
      ...open.map((line) => `not enforced: ${line}`),
      `sandbox.kernel: ${kernel}, sandbox.bubblewrap: ${bubblewrap}; ${
        healthy ? "all that they need is here" : "something they need is missing"
      }`,
    ].join("\n"));
  }
  return healthy ? EXIT.success : EXIT.failed;
}

/** Asked of the kernel: that it is done is seen by the first program that is started. */
function namesFinding(libc: Libc | null): Finding {
  const missing = libc === null ? "the C library cannot be called" : handingMissing(libc);
  const attempt = "programs hand over what they name, where the policy denies names";
  return missing === null
    ? finding("launcher", "names", attempt, true, "the kernel has it (seccomp user notification)")
    : {
      ...finding("launcher", "names", attempt, false, `${missing}: folders are closed instead`),
      absent: true,
    };
}

/** Likewise. */
function socketsFinding(libc: Libc | null, network: boolean): Finding {
  const attempt = "programs of one call serve each other, and reach nobody else";
  if (network) {
    return finding(
      "launcher",
      "sockets",
      attempt,
      null,
      "the policy lets commands use the network",
    );
  }
  const missing = libc === null
    ? "the C library cannot be called"
    : handingMissing(libc) ?? socketsMissing(libc);
  return missing === null
    ? finding("launcher", "sockets", attempt, true, "the kernel has it (pidfd_getfd, sock_diag)")
    : {
      ...finding(
        "launcher",
        "sockets",
        attempt,
        false,
        `${missing}: they have no sockets, and those that network rules name are not started`,
      ),
      absent: true,
    };
}

async function layerFindings(
  engine: CommandEngine,
  session: Session,
  { sealed, abi }: { readonly sealed: boolean; readonly abi: number },
): Promise<readonly Finding[]> {
  if (sealed) {
    const { trySealed } = await import("./_sealed.ts");
    return await trySealed(engine, session);
  }
  const { tryThreads } = await import("./_threads.ts");
  return await tryThreads(engine, session, abi);
}

/** Where no policy that leaves anything closed would let it through. */
const NOWHERE = "/toolgate-doctor/nowhere" as CanonicalPath;

/** Each kind of request that no rule names, judged. */
async function policyFindings({ rulebook }: CommandEngine): Promise<readonly Finding[]> {
  const { workspace } = rulebook.settings;
  const file = { path: NOWHERE, requested: NOWHERE, tree: false };
  const program = { argv: ["toolgate-doctor"], cwd: workspace, program: null, operands: [] };
  const asked: readonly (readonly [Finding["kind"], string, ResolvedCapability])[] = [
    ["file read", "judge a path that no rule names", { kind: "fs.read", ...file }],
    ["file write", "judge writing a path that no rule names", { kind: "fs.write", ...file }],
    ["program start", "judge a program that no rule names", { kind: "process.spawn", ...program }],
    ["network connect", "judge a host that no rule names", {
      kind: "net.connect",
      host: "doctor.invalid",
      port: 443,
    }],
    ["environment", "judge a variable that no rule names", {
      kind: "env.read",
      name: "TOOLGATE_DOCTOR",
    }],
  ];
  await rulebook.prepare(asked.map(([, , capability]) => capability));
  const subject = {
    tool: "doctor",
    agent: "root",
    risk: "safe",
    permission: null,
    riskOfPrograms: false,
  } as const;
  return asked.map(([kind, attempt, capability]) => {
    const effect = rulebook.decide(subject, [capability]).verdicts[0]?.verdict.effect ?? "deny";
    return effect === "deny"
      ? finding("policy", kind, attempt, true, "judged: deny")
      : finding("policy", kind, attempt, null, `the policy names it, by a wildcard: ${effect}`);
  });
}

async function bubblewrapFinding({ rulebook }: CommandEngine): Promise<Finding> {
  const { sandbox } = rulebook.settings;
  const attempt = "start a program in namespaces of its own";
  if (Deno.build.os !== "linux") {
    return finding("bubblewrap", "namespaces", attempt, null, "there is none on this platform");
  }
  const found = await detectBubblewrap(sandbox.system ?? SYSTEM_PATHS);
  const detail = found.works ? "it can be made" : found.reason;
  if (sandbox.bubblewrap !== "off") {
    return finding("bubblewrap", "namespaces", attempt, found.works, detail);
  }
  return finding(
    "bubblewrap",
    "namespaces",
    attempt,
    null,
    `the policy does not use it; ${detail}`,
  );
}
