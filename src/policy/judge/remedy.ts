/** What would make a denied or asked-for request allowed: the file to change, and the line to write. */

import type { CanonicalPath } from "../../core/capability.ts";
import { printable } from "../../core/printable.ts";
import { RISKS } from "../../core/tool.ts";
import { compileAgents, matchAgent } from "../match/agent.ts";
import type { PlacedPolicy } from "../_settings.ts";
import { effectiveAgents, effectiveThresholds } from "./subject_rules.ts";
import type { Decision, Subject } from "../rulebook.ts";
import { isOnSystem, type PolicyFinding, type TracedSubject } from "./trace.ts";

/** One change. All that are named together are needed. */
export interface Remedy {
  /** The policy, as messages name it. */
  readonly file: string;
  /** Where in it: `paths`, `commands[3]`. */
  readonly key: string;
  /** The entry to add there, as YAML; null where something must go instead, or nothing helps. */
  readonly add: string | null;
  /** What to do, in a sentence. */
  readonly how: string;
}

export interface RemedyQuestion {
  /** `subject.tool` is the canonical name. */
  readonly subject: Subject;
  readonly decision: Decision;
  readonly traced: readonly TracedSubject[];
  readonly workspace: CanonicalPath;
  /** Paths beyond the workspace that commands may read. */
  readonly system: readonly string[];
}

/** All changes that are needed; none for what is allowed. */
export function remediesFor(
  policies: readonly PlacedPolicy[],
  question: RemedyQuestion,
): readonly Remedy[] {
  if (question.decision.effect === "allow") return [];
  const all = [
    ...policies.flatMap((placed, at) => [
      ...toolRemedies(placed, question),
      ...agentRemedies(placed, at, question),
      ...riskRemedies(placed, at, question),
    ]),
    ...question.traced.flatMap((subject) =>
      subject.findings.flatMap((finding) =>
        ruleRemedies(policies[finding.policy] as PlacedPolicy, subject, finding, question)
      )
    ),
    ...verdictRemedies(policies, question.decision),
  ];
  const distinct = new Map(all.map((remedy) => [JSON.stringify(remedy), remedy]));
  return [...distinct.values()];
}

function toolRemedies(
  { source, policy: { tools } }: PlacedPolicy,
  { subject, decision }: RemedyQuestion,
): readonly Remedy[] {
  const { rule } = decision;
  if (decision.code !== "TOOL_DENIED" || rule?.file !== source || tools === null) return [];
  return [{
    file: source,
    key: `${rule.index}.enabled`,
    add: null,
    how: `remove enabled: false for ${printable(subject.tool, 80)}`,
  }];
}

function agentRemedies(
  { source, policy }: PlacedPolicy,
  at: number,
  { subject: { agent, permission } }: RemedyQuestion,
): readonly Remedy[] {
  const agents = effectiveAgents(policy, at);
  if (agents === null) return [];
  const found = matchAgent(compileAgents(agents), agent);
  const granted = found?.rule.permissions ?? [];
  const has = permission === null || granted.includes("all") || granted.includes(permission);
  if (found !== null && has) return [];
  const permissions = permission === null ? granted : [...granted, permission];
  return [{
    file: source,
    key: "agents",
    add: `${yaml(agent)}: { permissions: [${permissions.join(", ")}] }`,
    how: found === null
      ? `no rule of agents names ${yaml(agent)}; add one`
      : `agents.${found.pattern} lacks ${permission}; add it there, or a rule for the agent itself`,
  }];
}

function riskRemedies(
  { source, policy }: PlacedPolicy,
  at: number,
  { decision: { risk }, subject: { tool } }: RemedyQuestion,
): readonly Remedy[] {
  const limits = effectiveThresholds(policy, at);
  if (limits === null || RISKS.indexOf(risk) <= RISKS.indexOf(limits.allow)) return [];
  const ask = RISKS.indexOf(limits.ask) < RISKS.indexOf(risk) ? risk : limits.ask;
  return [{
    file: source,
    key: "risk",
    add: `{ allow: ${risk}, ask: ${ask} }`,
    how: `lets all that is ${risk} run unasked; for this tool alone, in the first policy: ` +
      `tools: { ${printable(tool, 80)}: { risk: ${limits.allow} } }`,
  }];
}

function ruleRemedies(
  placed: PlacedPolicy,
  subject: TracedSubject,
  finding: PolicyFinding,
  question: RemedyQuestion,
): readonly Remedy[] {
  const { effect, winner, matching } = finding;
  switch (effect) {
    case "deny":
    case "ask":
      return [liftOf(finding, winner ?? "", effect)];
    case "unnamed": {
      // A rule that asks for all below a folder asks for this too, once something allows it.
      const asking = matching.find((rule) => rule.effect === "ask");
      return [
        ...grantOf(finding, subject, question),
        ...(asking === undefined ? [] : [liftOf(finding, asking.index, "ask")]),
        ...extensionRemedies(placed, subject),
      ];
    }
    default:
      return extensionRemedies(placed, subject);
  }
}

/** What restricts cannot be outdone by what allows. */
function liftOf(
  { file, matching }: PolicyFinding,
  index: string,
  effect: "ask" | "deny",
): Remedy {
  const patterns = matching.filter((rule) => rule.index === index).map(({ pattern }) =>
    yaml(pattern)
  );
  const what = effect === "deny"
    ? "no rule that allows can lift a rule that denies"
    : "it is asked for by this rule, whatever others allow";
  const how = file === GUARD
    ? "nothing helps: it governs this very run, and no tool may touch it"
    : `${what}: narrow or remove ${index} (${patterns.slice(0, 3).join(", ")})`;
  return { file, key: index, add: null, how };
}

/** What would grant it. */
function grantOf(
  { file }: PolicyFinding,
  subject: TracedSubject,
  { workspace, system }: RemedyQuestion,
): readonly Remedy[] {
  switch (subject.about) {
    case "command":
      return [{
        file,
        key: "commands",
        add: `- { allow: [${yaml(asPattern(subject.argv))}] }`,
        how: "allows this command with any further arguments; shorten it to allow more",
      }];
    case "host": {
      const { host, port, method } = subject;
      const methods = method === null ? "" : `, methods: [${method.toUpperCase()}]`;
      const shown = host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
      return [{
        file,
        key: "network",
        add: `- { allow: [${yaml(`${shown}:${port}`)}]${methods} }`,
        how: "allows this host; one on a private network also needs allow_private: true",
      }];
    }
    case "cwd":
      return [];
    default: {
      if (subject.about === "operand" && isOnSystem(subject.path, system)) return [];
      const glob = asGlob(subject, workspace);
      return [{
        file,
        key: "paths",
        add: `- { allow: [${subject.access}], match: [${yaml(glob ?? "/THE/REAL/PATH")}] }`,
        how: glob === null
          ? "allows it; it lies outside the workspace, so write where it really is, from /"
          : `allows ${subject.access === "read" ? "reading" : "writing"} exactly this`,
      }];
    }
  }
}

/** The policy that keeps tools off what governs the run, as `cli/guard.ts` names it. */
const GUARD = "toolgate";

function extensionRemedies(
  { source, policy: { extensions } }: PlacedPolicy,
  subject: TracedSubject,
): readonly Remedy[] {
  if (subject.about !== "path" && subject.about !== "operand") return [];
  const rule = extensions?.[subject.access] ?? null;
  if (rule === null || subject.kind === "directory") return [];
  const name = subject.path.slice(subject.path.lastIndexOf("/") + 1).toLowerCase();
  const key = `extensions.${subject.access}`;
  const denied = rule.deny.find((ending) => name.endsWith(ending));
  if (denied !== undefined) {
    return [{
      file: source,
      key: `${key}.deny`,
      add: null,
      how: `take ${yaml(denied)} off the list`,
    }];
  }
  const fits = rule.allow?.some((one) => name.endsWith(one) && name.length > one.length) ?? true;
  const dot = name.lastIndexOf(".");
  if (fits) return [];
  return [{
    file: source,
    key: `${key}.allow`,
    add: dot > 0 ? `- ${yaml(name.slice(dot))}` : null,
    how: dot > 0
      ? "add this ending"
      : "names without an ending are not allowed where a list is given",
  }];
}

function verdictRemedies(
  policies: readonly PlacedPolicy[],
  { verdicts }: Decision,
): readonly Remedy[] {
  const file = policies[0]?.source ?? "";
  return verdicts.flatMap(({ capability, verdict }): readonly Remedy[] => {
    if (verdict.effect !== "deny") return [];
    if (verdict.code === "COMMAND_UNPARSABLE") {
      return [{
        file,
        key: "",
        add: null,
        how: "no rule helps: the command must be written so that it can be judged",
      }];
    }
    if (capability.kind !== "env.read") return [];
    return policies.flatMap(({ source, policy: { environment } }, at) =>
      environment === null && at > 0 ? [] : [{
        file: source,
        key: "environment.pass",
        add: `- ${yaml(capability.name)}`,
        how: "passes the variable on",
      }]
    );
  });
}

/** A text as YAML: JSON's form, and nothing in it that is not seen. */
function yaml(text: string): string {
  return JSON.stringify(text).replaceAll(/[\x7f-\x9f\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => {
    const digits = (character.codePointAt(0) ?? 0).toString(16);
    return digits.length > 4 ? `\\U${digits.padStart(8, "0")}` : `\\u${digits.padStart(4, "0")}`;
  });
}

/** A glob for exactly this path; null where it cannot be told without telling where it really lies. */
function asGlob(
  { path, requested }: { readonly path: CanonicalPath; readonly requested: string },
  workspace: CanonicalPath,
): string | null {
  const escaped = (text: string) => text.replaceAll(/[\\*?[\]{},!]/g, "\\$&");
  if (path === workspace) return ".";
  if (path.startsWith(workspace === "/" ? "/" : `${workspace}/`)) {
    const relative = path.slice(workspace === "/" ? 1 : workspace.length + 1);
    return escaped(relative.startsWith("~") ? `./${relative}` : relative);
  }
  return path === requested ? escaped(path) : null;
}

/** The words that a pattern keeps: enough to see what is meant. */
const MOST_WORDS = 12;

/** A command pattern that these words match. */
function asPattern(argv: readonly string[]): string {
  return argv.slice(0, MOST_WORDS).map((word) =>
    /^[A-Za-z0-9_./:=@%+-]+$/.test(word) ? word : `"${word.replaceAll(/[\\"]/g, "\\$&")}"`
  ).join(" ");
}
