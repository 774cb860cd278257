/** `policy test`: the cases beside a policy, judged by it; nothing runs. */

import { EXIT } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import { type CaseFailure, type CaseReport, decideCases } from "../../engine/judge/decide_cases.ts";
import { type CaseFile, parseCases } from "../../policy/cases.ts";
import { renderProblems } from "../../policy/parse/parse.ts";
import { layOut } from "../../config/layout.ts";
import { withWorkspace } from "../case_workspace.ts";
import type { Invocation } from "../invocation.ts";
import { formatOf } from "../format.ts";
import { policyFiles } from "../policy_files.ts";
import { openEngine, openSession, readPolicy } from "../session.ts";
import { print } from "../stdio.ts";
import { UsageError } from "../usage_error.ts";

/** A file of cases and the policies that judge it, the built-in one where there are none. */
interface Plan {
  readonly file: string;
  readonly policies: readonly string[];
}

/** What became of one file of cases. */
export interface Tested extends CaseReport {
  readonly file: string;
  readonly policies: readonly string[];
  readonly cases: number;
  /** Where case `index` begins, from 1; null where that is not known. */
  readonly lineOf: (index: number) => number | null;
}

/** Exit 0 where every case is judged as expected, else 1; 2 where a file cannot be read. */
export async function testPolicies(
  invocation: Invocation,
  words: readonly string[],
): Promise<number> {
  const tested: Tested[] = [];
  for (const plan of plansOf(invocation, words)) tested.push(await testFile(invocation, plan));
  const ok = tested.every(({ failures }) => failures.length === 0);
  if (formatOf(invocation) === "json") {
    print(JSON.stringify({
      ok,
      cases: sum(tested.map(({ cases }) => cases)),
      failed: sum(tested.map(({ failures }) => failures.length)),
      files: tested.map(shapeOf),
    }));
  } else {
    print(tested.flatMap(linesOf).join("\n"));
  }
  return ok ? EXIT.success : EXIT.failed;
}

/**
 * Named files are judged by all policies that are given together, or by the one beside them; without names, each
 * policy that is given by itself, with the cases beside it.
 */
function plansOf(invocation: Invocation, words: readonly string[]): readonly Plan[] {
  const given = policyFiles(invocation);
  if (words.length > 0) {
    return words.map((file) => ({ file, policies: given.length > 0 ? given : beside(file) }));
  }
  if (given.length === 0) {
    throw new UsageError(
      "policy test needs cases: policy test FILE, or --policy X.yaml with X.test.yaml beside it",
    );
  }
  return given.map((policy) => {
    const file = policy.replace(/\.ya?ml$/, "") + ".test.yaml";
    if (!isThere(file)) {
      throw new UsageError(`there are no cases for ${policy}: ${file} does not exist`);
    }
    return { file, policies: [policy] };
  });
}

/** `X.yaml` of `X.test.yaml`; none: the policy that holds without another. */
function beside(file: string): readonly string[] {
  const stem = file.replace(/\.test\.ya?ml$/, "");
  if (stem === file) return [];
  return [`${stem}.yaml`, `${stem}.yml`].filter(isThere).slice(0, 1);
}

function isThere(file: string): boolean {
  try {
    return Deno.statSync(file).isFile;
  } catch {
    return false;
  }
}

/** Judges one file of cases. Throws a UsageError where it, or a policy, cannot be used. */
export async function testFile(invocation: Invocation, { file, policies }: Plan): Promise<Tested> {
  const text = readPolicy(file);
  const parsed = parseCases(text, file);
  if ("problems" in parsed) {
    throw new UsageError(`the cases cannot be used\n${renderProblems(parsed.problems)}`);
  }
  const layout = layOut(text);
  const report = await judgeFile(invocation, parsed.cases, policies);
  return {
    ...report,
    file,
    policies,
    cases: parsed.cases.cases.length,
    lineOf: (index) => layout.lineOf(`cases[${index}]`) ?? null,
  };
}

function judgeFile(
  invocation: Invocation,
  { files, cases }: CaseFile,
  policies: readonly string[],
): Promise<CaseReport> {
  const root = invocation.values["root"]?.[0] ?? null;
  return withWorkspace(files, root, async (workspace) => {
    const values = {
      ...invocation.values,
      ...(policies.length === 0 ? {} : { policy: policies }),
      ...(workspace === null ? {} : { root: [workspace] }),
    };
    const session = await openSession({ ...invocation, values });
    const engine = openEngine(session, invocation);
    try {
      const embedded = invocation.embedded.sealed || policies.length === 0 ? 1 : 0;
      return await decideCases(engine, cases, policies.length + embedded);
    } finally {
      await engine.runner.close();
    }
  });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a + b, 0);
}

function shapeOf({ file, policies, cases, failures, missed, rules, lineOf }: Tested) {
  return {
    file,
    policies: policies.length === 0 ? ["(built in)"] : policies,
    cases,
    failures: failures.map((
      { index, case: { name = null, tool, args = {}, agent = "root", ...expected }, actual, wrong },
    ) => ({
      index,
      line: lineOf(index),
      name,
      request: { tool, args, agent },
      expected,
      actual,
      wrong,
    })),
    coverage: {
      rules,
      exercised: rules - missed.length,
      missed: missed.map(({ file, index, effect, match }) => ({ file, index, effect, match })),
    },
  };
}

function linesOf(tested: Tested): readonly string[] {
  const { file, cases, failures, missed, rules, lineOf } = tested;
  return [
    `${file}: ${cases - failures.length} of ${cases} cases as expected; ${
      rules - missed.length
    } of ${rules} rules decided one`,
    ...failures.flatMap((failure) => failureLines(failure, lineOf(failure.index))),
    ...missed.map(({ file: policy, index, effect, match }) =>
      `  no case: ${policy} ${index} ${effect} ${printable(match.join(" "), 100)}`
    ),
  ];
}

function failureLines(
  { index, case: one, actual, wrong }: CaseFailure,
  line: number | null,
): readonly string[] {
  const { name, tool, args = {}, agent } = one;
  const called = name ?? `${tool} ${JSON.stringify(args)}`;
  const where = line === null ? `case ${index + 1}` : `line ${line}`;
  const by = actual.rules.length === 0 ? "" : ` by ${actual.rules.join(", ")}`;
  const code = actual.code === null ? "" : ` ${actual.code}`;
  const asked = agent === undefined ? "" : ` (agent ${agent})`;
  return [
    `  FAILED ${where}: ${printable(called, 160)}${printable(asked, 140)}`,
    ...(wrong.includes("case")
      ? [`    the request itself is wrong: ${printable(actual.reason, 400)}`]
      : [
        `    expected ${expectation(one)}`,
        `    was      ${actual.effect}${code}${by}, risk ${actual.risk ?? "none"}: ${
          printable(actual.reason, 400)
        }`,
      ]),
  ];
}

function expectation({ effect, code, rule, risk }: CaseFailure["case"]): string {
  return [
    effect,
    ...(code === undefined ? [] : [code]),
    ...(rule === undefined ? [] : [`by ${printable(rule, 100)}`]),
    ...(risk === undefined ? [] : [`risk ${risk}`]),
  ].join(" ");
}
