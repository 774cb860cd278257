/** What would make a denied or asked-for request allowed: the file to change, and the line to write. */

import { baseName } from "../../core/path_text.ts";
import type { CanonicalPath } from "../../core/capability.ts";
import { printable } from "../../core/printable.ts";
import { RISKS } from "../../core/tool.ts";
import type { Answered, Decision, Findings, PolicyFinding, Subject } from "../rulebook.ts";
import { networkKeyFor } from "./_network.ts";
import type { PathQuestion, Question } from "./question.ts";

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

/** What is to be mended: a decision and all that it came of. */
export interface RemedyQuestion {
  /** `subject.tool` is the canonical name. */
  readonly subject: Subject;
  readonly decision: Decision;
  readonly findings: Findings;
  /** The policies as messages name them, in their order; `passes`: each says which variables programs may have. */
  readonly policies: readonly { readonly source: string; readonly passes: boolean }[];
  readonly workspace: CanonicalPath;
}

/** All changes that are needed; none for what is allowed. */
export function remediesFor(question: RemedyQuestion): readonly Remedy[] {
  const { decision, findings } = question;
  if (decision.effect === "allow") return [];
  const all = [
    ...toolRemedies(question),
    ...agentRemedies(question),
    ...riskRemedies(question),
    ...findings.capabilities.flat().flatMap(({ question: asked, policies }: Answered) =>
      policies.flatMap((finding) => ruleRemedies(asked, finding, question.workspace))
    ),
    ...verdictRemedies(question),
  ];
  const distinct = new Map(all.map((remedy) => [JSON.stringify(remedy), remedy]));
  return [...distinct.values()];
}

function toolRemedies({ subject, decision: { code, rule } }: RemedyQuestion): readonly Remedy[] {
  if (code !== "TOOL_DENIED" || rule === null) return [];
  return [{
    file: rule.file,
    key: `${rule.index}.enabled`,
    add: null,
    how: `remove enabled: false for ${printable(subject.tool, 80)}`,
  }];
}

function agentRemedies(
  { subject: { agent }, findings: { agents } }: RemedyQuestion,
): readonly Remedy[] {
  return agents.flatMap(({ file, pattern, permissions, granted, lacking }) => {
    if (granted) return [];
    const wanted = [...permissions, ...lacking];
    return [{
      file,
      key: "agents",
      add: `${yaml(agent)}: { permissions: [${wanted.join(", ")}] }`,
      how: pattern === null
        ? `no rule of agents names ${yaml(agent)}; add one`
        : `agents.${pattern} lacks ${
          lacking.join(" and ")
        }; add it there, or a rule for the agent itself`,
    }];
  });
}

function riskRemedies(
  { decision: { risk }, subject: { tool }, findings: { thresholds } }: RemedyQuestion,
): readonly Remedy[] {
  return thresholds.flatMap(({ file, allow, ask: most }) => {
    if (RISKS.indexOf(risk) <= RISKS.indexOf(allow)) return [];
    const ask = RISKS.indexOf(most) < RISKS.indexOf(risk) ? risk : most;
    return [{
      file,
      key: "risk",
      add: `{ allow: ${risk}, ask: ${ask} }`,
      how: `lets all that is ${risk} run unasked; for this tool alone, in the first policy: ` +
        `tools: { ${printable(tool, 80)}: { risk: ${allow} } }`,
    }];
  });
}

function ruleRemedies(
  question: Question,
  finding: PolicyFinding,
  workspace: CanonicalPath,
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
        granting(finding, question, workspace),
        ...(asking === undefined ? [] : [liftOf(finding, asking.index, "ask")]),
        ...endingRemedies(finding, question),
      ];
    }
    default:
      return endingRemedies(finding, question);
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
function granting(
  { file }: PolicyFinding,
  question: Question,
  workspace: CanonicalPath,
): Remedy {
  switch (question.about) {
    case "command":
      return {
        file,
        key: "commands",
        add: `- { allow: [${yaml(asPattern(question.command.argv))}] }`,
        how: "allows this command with any further arguments; shorten it to allow more",
      };
    case "host": {
      const { connection: { host, port, method, by, command }, held } = question;
      const forProgram = held && by === "program" && command !== undefined && command.child !== true
        ? `, commands: [${yaml(asPattern(command.argv.slice(0, 1)))}]`
        : "";
      const methods = method === undefined ? "" : `, methods: [${method.toUpperCase()}]`;
      const shown = host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
      return {
        file,
        key: networkKeyFor(command),
        add: `- { allow: [${yaml(`${shown}:${port}`)}]${methods}${forProgram} }`,
        how: "allows this host; one on a private network also needs allow_private: true",
      };
    }
    default: {
      const { path } = question;
      const glob = asGlob(path, workspace);
      return {
        file,
        key: "paths",
        add: `- { allow: [${path.access}], match: [${yaml(glob ?? "/THE/REAL/PATH")}] }`,
        how: glob === null
          ? "allows it; it lies outside the workspace, so write where it really is, from /"
          : `allows ${path.access === "read" ? "reading" : "writing"} exactly this`,
      };
    }
  }
}

/** The policy that keeps tools off what governs the run, as `cli/guard.ts` names it. */
const GUARD = "toolgate";

function endingRemedies({ file, ending }: PolicyFinding, question: Question): readonly Remedy[] {
  if (ending === null || question.about === "command" || question.about === "host") return [];
  if (ending.denied !== null) {
    const how = `take ${yaml(ending.denied)} off the list`;
    return [{ file, key: ending.index, add: null, how }];
  }
  const { path } = question.path;
  const name = baseName(path).toLowerCase();
  const dot = name.lastIndexOf(".");
  return [{
    file,
    key: ending.index,
    add: dot > 0 ? `- ${yaml(name.slice(dot))}` : null,
    how: dot > 0
      ? "add this ending"
      : "names without an ending are not allowed where a list is given",
  }];
}

function verdictRemedies({ decision, policies }: RemedyQuestion): readonly Remedy[] {
  const file = policies[0]?.source ?? "";
  return decision.verdicts.flatMap(({ capability, verdict }): readonly Remedy[] => {
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
    return policies.filter(({ passes }) => passes).map(({ source }) => ({
      file: source,
      key: "environment.pass",
      add: `- ${yaml(capability.name)}`,
      how: "passes the variable on",
    }));
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
function asGlob({ path, requested }: PathQuestion, workspace: CanonicalPath): string | null {
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
