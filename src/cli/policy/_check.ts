/** `policy check`: all that is wrong with policies, and what they may not mean. */

import { EXIT } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import type { CommandEngine } from "../../engine/create_engine.ts";
import { parsePolicy, type PolicyProblem, renderProblems } from "../../policy/parse/parse.ts";
import { layOut } from "../../config/layout.ts";
import { type PolicyWarning, reviewPolicies } from "../../policy/review/review.ts";
import type { Invocation } from "../invocation.ts";
import { reviewPlaces } from "./_places.ts";
import { formatOf } from "../format.ts";
import { policyFiles } from "../policy_files.ts";
import { openEngine, openSession, readPolicy, type Session } from "../session.ts";
import { complain, print } from "../stdio.ts";
import { UsageError } from "../usage_error.ts";

/** A policy as the command line names it; `text` null for the one that is built in. */
interface Named {
  readonly file: string;
  readonly text: string | null;
}

/** A warning as it is printed. */
interface Shown {
  readonly file: string;
  readonly key: string;
  readonly message: string;
  readonly line?: number;
  readonly accepted?: string;
}

/** Most entries of one list that are printed: what comes after explains itself by what comes before. */
const MOST_SHOWN = 1000;

/** Exit 0 where all policies load and hold together, with warnings too unless `--strict`; else 1. */
export async function checkPolicies(
  asked: Invocation,
  words: readonly string[],
): Promise<number> {
  const { policy = [], ...values } = asked.values;
  const invocation = words.length === 0
    ? asked
    : { ...asked, values: { ...values, policy: [...policy, ...words] } };
  const format = formatOf(invocation);
  const files = policyFiles(invocation).map((file): Named => ({ file, text: readPolicy(file) }));
  const { sealed, policy: embedded } = invocation.embedded;
  const named = sealed || files.length === 0
    ? [{ file: embedded.source, text: null }, ...files]
    : files;
  const problems = files.flatMap(({ file, text }) => {
    const parsed = parsePolicy(text ?? "", file);
    return "problems" in parsed ? parsed.problems : [];
  });
  if (problems.length > 0) return refuse(problems, format);
  const session = await openSession(invocation);
  let engine: CommandEngine;
  try {
    engine = openEngine(session, invocation);
  } catch (error) {
    // Each is right by itself, and they do not hold together.
    if (!(error instanceof UsageError)) throw error;
    const source = "the policies together";
    return refuse([{ source, key: "", message: error.message }], format);
  }
  const all = await review(session, engine, named);
  const warnings = all.filter(({ accepted }) => accepted === undefined);
  const accepted = all.filter(({ accepted }) => accepted !== undefined);
  if (format === "json") {
    const policies = named.map(({ file }) => file);
    print(JSON.stringify({
      ok: true,
      policies,
      warnings: warnings.slice(0, MOST_SHOWN),
      accepted: accepted.slice(0, MOST_SHOWN),
    }));
  } else {
    for (const warning of warnings.slice(0, MOST_SHOWN)) complain(`warning: ${render(warning)}`);
    if (warnings.length > MOST_SHOWN) complain(`and ${warnings.length - MOST_SHOWN} more`);
    print(named.map(({ file }) => `${file}: ok${noted(file, warnings, accepted)}`).join("\n"));
  }
  return invocation.switches.has("strict") && warnings.length > 0 ? EXIT.failed : EXIT.success;
}

function refuse(problems: readonly PolicyProblem[], format: Session["format"]): number {
  if (format === "json") {
    const shown = problems.slice(0, MOST_SHOWN)
      .map(({ source, ...rest }) => ({ file: source, ...rest }));
    print(JSON.stringify({ ok: false, problems: shown, warnings: [] }));
  } else {
    complain(renderProblems(problems));
  }
  return EXIT.failed;
}

async function review(
  { policies }: Session,
  { rulebook, registry }: CommandEngine,
  named: readonly Named[],
): Promise<readonly Shown[]> {
  await rulebook.prepare([{ kind: "process.spawn" }]);
  const reviewed = named.length;
  const warnings = [
    ...reviewPolicies(policies, { reviewed, rulebook, tools: registry }),
    ...reviewPlaces(policies.slice(0, reviewed)),
  ];
  const layouts = new Map<number, ReturnType<typeof layOut>>();
  return warnings.map((warning) => shown(warning, named, layouts));
}

function shown(
  { policy, key, message, accepted }: PolicyWarning,
  named: readonly Named[],
  layouts: Map<number, ReturnType<typeof layOut>>,
): Shown {
  const { file, text } = named[policy] as Named;
  let layout = layouts.get(policy);
  if (layout === undefined) layouts.set(policy, layout = layOut(text ?? ""));
  const line = layout.lineOf(key);
  return {
    file,
    key,
    message,
    ...(line === undefined ? {} : { line }),
    ...(accepted === undefined ? {} : { accepted }),
  };
}

function render({ file, key, message, line }: Shown): string {
  const where = key === "" ? "" : `${key}: `;
  return `${file}:${line === undefined ? "" : `${line}:`} ${where}${printable(message, 1000)}`;
}

function noted(file: string, warnings: readonly Shown[], accepted: readonly Shown[]): string {
  const count = warnings.filter((one) => one.file === file).length;
  const meant = accepted.filter((one) => one.file === file).map(({ key }) => key);
  const notes = [
    ...(count > 0 ? [`${count} ${count === 1 ? "warning" : "warnings"}`] : []),
    ...(meant.length > 0 ? [`accepted with a reason: ${meant.slice(0, 10).join(", ")}`] : []),
  ];
  return notes.length === 0 ? "" : ` (${notes.join("; ")})`;
}
