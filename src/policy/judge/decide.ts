/** The decision on a whole request: every judge is heard, the strictest wins. Pure. */

import type {
  CanonicalPath,
  ResolvedCapability,
  ResolvedFileCapability,
} from "../../core/capability.ts";
import { printable } from "../../core/printable.ts";
import { isForbiddenToCalls, steersPrograms } from "../../core/steering_variables.ts";
import { type Risk, RISKS } from "../../core/tool.ts";
import type { CompiledPolicy } from "../_compiled.ts";
import { judgePath, onSystem } from "./path.ts";
import { effectiveRisk, judgeAgent, judgeRisk, judgeTool } from "./subject.ts";
import { allowed, denied, strictest } from "./_verdict.ts";
import type { CommandAssessment, CommandKnowledge } from "../../programs/risk.ts";
import type { Decision, Settings, Subject, Verdict } from "../rulebook.ts";

/** What the judges read. */
export interface Judges {
  /** In the order they were given; never empty. */
  readonly policies: readonly CompiledPolicy[];
  readonly settings: Settings;
  readonly actions: () => typeof import("./actions.ts");
  /** Paths beyond the workspace that commands may read. */
  readonly system: readonly string[];
  /** What is known of programs, that of the policies included. */
  readonly knowledge: () => CommandKnowledge;
}

/** Judges a request. `subject.tool` is the canonical name. */
export function decide(
  judges: Judges,
  subject: Subject,
  capabilities: readonly ResolvedCapability[],
): Decision {
  const { policies } = judges;
  const assessments: CommandAssessment[] = [];
  const verdicts = capabilities.map((capability) => {
    if (capability.kind !== "process.spawn") {
      return { capability, verdict: judgeCapability(judges, capability) };
    }
    const { assessCommand, judgeOpened, judgeSpawn } = judges.actions();
    if (capability.opened === true) {
      return { capability, verdict: judgeOpened(policies, capability) };
    }
    const assessment = assessCommand(capability, capability.program, judges.knowledge());
    assessments.push(assessment);
    return { capability, verdict: judgeSpawn(policies, capability, assessment, judges.system) };
  });
  const { risk, verdict: riskVerdict } = weigh(policies, subject, assessments, capabilities);
  const worst = strictest([
    judgeTool(policies, subject.tool),
    judgeAgent(
      policies,
      subject.agent,
      subject.permission,
      judges.settings.recovery.permission === "ask" ? "ask" : "deny",
    ),
    ...verdicts.map(({ verdict }) => verdict),
    riskVerdict,
  ], allowed(""));
  if (worst.effect !== "allow") return { ...worst, risk, verdicts };
  const reason = verdicts[0]?.verdict.reason ?? riskVerdict.reason;
  return { effect: "allow", code: null, reason, rule: null, risk, verdicts };
}

function weigh(
  policies: readonly CompiledPolicy[],
  subject: Subject,
  assessments: readonly CommandAssessment[],
  capabilities: readonly ResolvedCapability[],
): { readonly risk: Risk; readonly verdict: Verdict } {
  let intrinsic = subject.risk;
  let because = "";
  if (subject.riskOfPrograms) {
    // What the programs are, and what they and their redirections change.
    const changes = capabilities.some(({ kind }) => kind === "fs.write");
    const base = { risk: changes ? "moderate" : "safe", because: "" } as const;
    ({ risk: intrinsic, because } = assessments.reduce<Pick<CommandAssessment, "risk" | "because">>(
      (a, b) => RISKS.indexOf(b.risk) > RISKS.indexOf(a.risk) ? b : a,
      base,
    ));
  }
  const { leastRisk } = subject;
  if (leastRisk !== undefined && RISKS.indexOf(leastRisk) > RISKS.indexOf(intrinsic)) {
    intrinsic = leastRisk;
    because = "so it says of itself";
  }
  const { risk, rule } = effectiveRisk(policies, subject.tool, intrinsic);
  if (rule !== null) because = `set by ${rule.file} ${rule.index}`;
  return { risk, verdict: judgeRisk(policies, printable(subject.tool, 80), risk, because) };
}

function judgeCapability(
  { policies, settings, actions, system }: Judges,
  capability: Exclude<ResolvedCapability, { readonly kind: "process.spawn" }>,
): Verdict {
  switch (capability.kind) {
    case "fs.read":
    case "fs.write":
      return judgeFile(policies, capability, system);
    case "net.connect":
      return actions().judgeConnection(policies, capability);
    case "env.read":
      return capability.change === true
        ? judgeChange(settings, capability.name)
        : judgeVariable(settings, capability.name);
  }
}

/** Of a tree its root is judged: what below is stricter, walks and the kernel leave out. */
function judgeFile(
  policies: readonly CompiledPolicy[],
  { kind, path, directory, requested, backups, by }: ResolvedFileCapability,
  system: readonly string[],
): Verdict {
  const access = kind === "fs.read" ? "read" : "write";
  const question = {
    access,
    path,
    kind: directory === true ? "directory" : "file",
    requested,
  } as const;
  const own = by === "program" && access === "read"
    ? judgePath(policies, question, (path) => onSystem(system, path))
    : judgePath(policies, question);
  if (backups !== true) return own;
  // What ends in .bak is what it is a copy of: its name is judged by the path rules, as a directory's is.
  const backup = judgePath(policies, {
    access,
    path: `${path}.bak` as CanonicalPath,
    kind: "directory",
    requested: `${requested}.bak`,
  });
  return strictest([own, backup], own);
}

function judgeVariable({ environment }: Settings, name: string): Verdict {
  const action = `reading the environment variable ${printable(name, 80)}`;
  if (environment.pass.includes(name) || Object.hasOwn(environment.set, name)) {
    return allowed(`${action} is allowed by environment`);
  }
  return denied(
    "PERMISSION_DENIED",
    `${action} is not allowed: environment.pass of every policy and environment.set do not name it`,
  );
}

/** A call may give programs a variable of its own, unless that could make them do something else. */
function judgeChange({ environment }: Settings, name: string): Verdict {
  const action = `setting the environment variable ${printable(name, 80)}`;
  if (Object.hasOwn(environment.set, name)) {
    return denied(
      "COMMAND_DENIED",
      `${action} is not allowed: environment.set of the policy sets it`,
    );
  }
  if (!steersPrograms(name)) return allowed(`${action} is allowed: it steers no program`);
  const why = "it can make programs load code, run others or look elsewhere";
  if (isForbiddenToCalls(name)) {
    return denied("COMMAND_DENIED", `${action} is not allowed: ${why}; leave it out`);
  }
  if (environment.pass.includes(name)) return allowed(`${action} is allowed by environment.pass`);
  return denied(
    "COMMAND_DENIED",
    `${action} is not allowed: ${why}, and environment.pass does not name it; leave it out`,
  );
}
