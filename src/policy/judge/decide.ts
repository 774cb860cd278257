/** The decision on a whole request: every judge is heard, the strictest wins. Pure. */

import type {
  CanonicalPath,
  EnvironmentCapability,
  ResolvedCapability,
  ResolvedFileCapability,
  ResolvedSpawnCapability,
} from "../../core/capability.ts";
import { printable } from "../../core/printable.ts";
import { isForbiddenToCalls, steersLines, steersPrograms } from "../../core/steering_variables.ts";
import { type Risk, RISKS } from "../../core/tool.ts";
import type { CompiledPolicy } from "../_compiled.ts";
import { groupsOf } from "./groups.ts";
import { judgePath } from "./path.ts";
import type { PathQuestion } from "./question.ts";
import { effectiveRisk, judgeAgent, judgeRisk, judgeTool } from "./subject.ts";
import { allowed, denied, type Judged, stricter } from "./_verdict.ts";
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

/** Judging in steps, each ended by a `yield`: whoever has others to answer lets them have their turn in between. */
export type Judging<T> = Generator<void, T, void>;

/** To its end, at once. */
export function atOnce<T>(judging: Judging<T>): T {
  for (;;) {
    const step = judging.next();
    if (step.done === true) return step.value;
  }
}

/** Judges a request, step by step. `subject.tool` is the canonical name. */
export function* decideInSteps(
  judges: Judges,
  subject: Subject,
  capabilities: readonly ResolvedCapability[],
): Judging<Decision> {
  const assessments: Weighed[] = [];
  const found: Judged[] = [];
  for (const capability of capabilities) {
    found.push(
      capability.kind === "process.spawn"
        ? yield* judgeCommand(judges, capability, assessments)
        : judgeCapability(judges, capability),
    );
    yield;
  }
  return conclude(judges, subject, capabilities, found, assessments);
}

/** The same at once: without steps where there are no programs to judge. */
export function decide(
  judges: Judges,
  subject: Subject,
  capabilities: readonly ResolvedCapability[],
): Decision {
  if (!startNothing(capabilities)) return atOnce(decideInSteps(judges, subject, capabilities));
  const found: Judged[] = [];
  for (const capability of capabilities) found.push(judgeCapability(judges, capability));
  return conclude(judges, subject, capabilities, found, NONE_ASSESSED);
}

/** What needs no program to be looked at. */
type PlainCapability = Exclude<ResolvedCapability, ResolvedSpawnCapability>;

function startNothing(
  capabilities: readonly ResolvedCapability[],
): capabilities is readonly PlainCapability[] {
  for (const { kind } of capabilities) if (kind === "process.spawn") return false;
  return true;
}

const NONE_ASSESSED: readonly Weighed[] = [];

/** `found`: of each capability, in their order. */
function conclude(
  judges: Judges,
  subject: Subject,
  capabilities: readonly ResolvedCapability[],
  found: readonly Judged[],
  assessments: readonly Weighed[],
): Decision {
  const { policies } = judges;
  const verdicts: { capability: ResolvedCapability; verdict: Verdict }[] = [];
  for (const capability of capabilities) {
    verdicts.push({ capability, verdict: found[verdicts.length]!.verdict });
  }
  const { risk, verdict: riskVerdict } = weigh(policies, subject, assessments, capabilities);
  const groups = groupsOf(subject.permission, capabilities);
  const lacking = judges.settings.recovery.permission === "ask" ? "ask" : "deny";
  let worst = judgeTool(policies, subject.tool);
  for (const group of groups) {
    worst = stricter(worst, judgeAgent(policies, subject.agent, group, lacking));
  }
  for (const { verdict } of verdicts) worst = stricter(worst, verdict);
  worst = stricter(worst, riskVerdict);
  // Few ask why: what it takes to say so is loaded, and gone through, only then.
  const findings: Decision["findings"] = async (run = atOnce) => {
    const { findingsOf } = await import("./_findings.ts");
    return await run(findingsOf(policies, subject.agent, groups, found.map(({ asked }) => asked)));
  };
  if (worst.effect !== "allow") {
    const reason = worst.reason + temporaryHint(judges.settings, subject, capabilities, worst);
    return { ...worst, reason, risk, verdicts, findings };
  }
  const reason = verdicts[0]?.verdict.reason ?? riskVerdict.reason;
  return { effect: "allow", code: null, reason, rule: null, risk, verdicts, findings };
}

/** What to write in place of a name in a folder for temporary files that everybody shares. */
function temporaryHint(
  { sandbox }: Settings,
  { permission }: Subject,
  capabilities: readonly ResolvedCapability[],
  { code }: Verdict,
): string {
  const named = sandbox.temporary && permission === "code_execution" &&
    code === "PATH_OUTSIDE_WORKSPACE" &&
    capabilities.some((one) => "path" in one && SHARED_TEMPORARY.test(one.path));
  return named
    ? "; a line has a /tmp of its own where it says /tmp in redirections and files of its commands alone, not in " +
      "code, patterns or texts; else write $TMPDIR/NAME, which is gone after the call, " +
      "and a file of the workspace for what is to stay"
    : "";
}

const SHARED_TEMPORARY = /^\/(?:var\/)?tmp(?:\/|$)/;

/** A risk, and what makes it so. */
type Reasoned = Pick<CommandAssessment, "risk" | "because">;

/** What is found of one command. `risks`: as each policy counts it, in their order; null where all count it alike. */
interface Weighed extends Reasoned, Pick<CommandAssessment, "steeredBy"> {
  readonly risks: readonly Reasoned[] | null;
}

function weigh(
  policies: readonly CompiledPolicy[],
  subject: Subject,
  assessments: readonly Weighed[],
  capabilities: readonly ResolvedCapability[],
): { readonly risk: Risk; readonly verdict: Verdict } {
  const { leastRisk } = subject;
  const changes = capabilities.some(({ kind }) => kind === "fs.write");
  const further = subject.riskOfPrograms ? steered(assessments, capabilities) : [];
  const weighed = (risks: readonly Reasoned[]): Reasoned => {
    // What the programs are, and what they and their redirections change.
    const base: Reasoned = subject.riskOfPrograms
      ? { risk: changes ? "moderate" : "safe", because: "" }
      : changes && subject.risk === "safe"
      ? { risk: "moderate", because: "it writes a file" }
      : { risk: subject.risk, because: "" };
    const found = subject.riskOfPrograms ? [...risks, ...further].reduce(riskier, base) : base;
    return leastRisk === undefined
      ? found
      : riskier(found, { risk: leastRisk, because: "so it says of itself" });
  };
  const intrinsic = weighed(assessments);
  const { risk, rule } = effectiveRisk(policies, subject.tool, intrinsic.risk);
  const action = printable(subject.tool, 80);
  if (rule !== null) {
    const because = `set by ${rule.file} ${rule.index}`;
    return { risk, verdict: judgeRisk(policies, action, () => ({ risk, because })) };
  }
  const counted = subject.riskOfPrograms
    ? (at: number) => weighed(assessments.map((one) => one.risks?.[at] ?? one))
    : () => intrinsic;
  return { risk, verdict: judgeRisk(policies, action, counted) };
}

function riskier(one: Reasoned, other: Reasoned): Reasoned {
  return RISKS.indexOf(other.risk) > RISKS.indexOf(one.risk) ? other : one;
}

/** make(1) takes variables of its environment for its own, and expands what stands in them. */
function steered(
  assessments: readonly Weighed[],
  capabilities: readonly ResolvedCapability[],
): readonly Reasoned[] {
  const changes = capabilities.some((one) =>
    one.kind === "env.read" && one.change === true && one.local !== true
  );
  const name = assessments.find(({ steeredBy }) => steeredBy !== null)?.steeredBy;
  return changes && name !== undefined
    ? [{ risk: "dangerous", because: `a variable that the call sets may tell ${name} what to run` }]
    : [];
}

function judgeCapability(
  { policies, settings, actions, system }: Judges,
  capability: PlainCapability,
): Judged {
  switch (capability.kind) {
    case "fs.read":
    case "fs.write":
      return judgeFile(policies, capability, system);
    case "net.connect":
      return actions().judgeConnection(policies, capability, { held: holdsSockets(settings) });
    case "env.read": {
      const verdict = capability.change === true
        ? judgeChange(settings, capability)
        : judgeVariable(settings, capability.name);
      return { verdict, asked: () => [] };
    }
  }
}

/** `assessments`: what is found of commands on the way is added there. */
function* judgeCommand(
  { policies, actions, system, knowledge }: Judges,
  capability: ResolvedSpawnCapability,
  assessments: Weighed[],
): Judging<Judged> {
  const { assessCommand, judgeOpened, judgeOwn, judgeSpawn, risksFor } = actions();
  if (capability.opened === true) return judgeOpened(policies, capability);
  if (capability.own !== undefined) {
    const { risk, because } = capability.own;
    assessments.push({ risk, because, steeredBy: null, risks: null });
    return judgeOwn(policies, capability);
  }
  const { started = [] } = capability;
  const assessment = assessCommand(
    capability,
    capability.program,
    knowledge(),
    (path) => started.find(({ name }) => name === path)?.program,
  );
  const { risk, because, steeredBy } = assessment;
  const risks = risksFor(policies, capability, assessment);
  assessments.push({ risk, because, steeredBy, risks });
  return yield* judgeSpawn(policies, capability, assessment, system);
}

/** Whether the policy has programs held to their own call's sockets: who starts them sees that they are. */
function holdsSockets(settings: Pick<Settings, "sandbox">): boolean {
  return holdsPrograms(settings) && settings.sandbox.bubblewrap !== "required";
}

/** Whether programs have no network but what rules give them. */
export function holdsPrograms({ sandbox }: Pick<Settings, "sandbox">): boolean {
  return sandbox.network === "deny" && sandbox.kernel !== "off";
}

/** Of a tree its root is judged: what below is stricter, walks and the kernel leave out. */
function judgeFile(
  policies: readonly CompiledPolicy[],
  { kind, path, directory, requested, backups, by }: ResolvedFileCapability,
  system: readonly string[],
): Judged {
  const access = kind === "fs.read" ? "read" : "write";
  const question: PathQuestion = {
    access,
    path,
    kind: directory === true ? "directory" : "file",
    requested,
    ...(by === "program" && access === "read" ? { open: system } : {}),
  };
  const verdict = judgePath(policies, question);
  if (backups !== true) return { verdict, asked: () => [{ about: "path", path: question }] };
  // What ends in .bak is what it is a copy of: its name is judged by the path rules, as a directory's is.
  const backup: PathQuestion = {
    access,
    path: `${path}.bak` as CanonicalPath,
    kind: "directory",
    requested: `${requested}.bak`,
  };
  return {
    verdict: stricter(verdict, judgePath(policies, backup)),
    asked: () => [{ about: "path", path: question }, { about: "path", path: backup }],
  };
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
function judgeChange(
  { environment }: Settings,
  { name, local }: Pick<EnvironmentCapability, "name" | "local">,
): Verdict {
  const action = `setting the environment variable ${printable(name, 80)}`;
  if (Object.hasOwn(environment.set, name)) {
    return denied(
      "COMMAND_DENIED",
      `${action} is not allowed: environment.set of the policy sets it`,
    );
  }
  if (local === true && !environment.pass.includes(name) && !steersLines(name)) {
    return allowed(`${action} is allowed: no program gets it`);
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
