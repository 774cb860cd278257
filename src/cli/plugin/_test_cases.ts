/** `plugin test`: the cases of custom tools, each called through the whole engine in a throw-away workspace. */

import { EXIT } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import { jsonText } from "../../core/result.ts";
import type { CanonicalPath } from "../../core/capability.ts";
import { type CommandEngine, createEngine } from "../../engine/create_engine.ts";
import { execute } from "../../engine/execute.ts";
import type { PlacedPolicy } from "../../policy/compile_rulebook.ts";
import { type Policy, SILENT_POLICY } from "../../policy/model.ts";
import { renderProblems } from "../../policy/parse/parse.ts";
import { layOut } from "../../config/layout.ts";
import { judgeCase } from "../../plugins/judge_case.ts";
import type { PluginManifest } from "../../plugins/manifest.ts";
import { parsePluginCases, type PluginCase, type PluginCases } from "../../plugins/parse_cases.ts";
import { casesFileOf, manifestFilesOf } from "../../plugins/scaffold.ts";
import { auditRecorder } from "../audit/audit_log.ts";
import { withWorkspace } from "../case_workspace.ts";
import type { Invocation } from "../invocation.ts";
import { readManifests } from "./plugin_files.ts";
import { formatOf } from "../format.ts";
import { openSession, readPolicy } from "../session.ts";
import { print } from "../stdio.ts";
import { UsageError } from "../usage_error.ts";

/**
 * What holds where no policy is named: a custom tool may do in its throw-away workspace what it likes, held by the
 * kernel and without the network. What it may do elsewhere is for a policy to say, and for cases with --policy.
 */
const TEST_POLICY: Policy = {
  ...SILENT_POLICY,
  name: "plugin test",
  risk: { allow: "dangerous", ask: "dangerous" },
  paths: [{ effect: "allow", access: ["read", "write"], match: ["**"] }],
  commands: [{
    effect: "allow",
    patterns: ["*"],
    exact: false,
    examples: { match: [], notMatch: [] },
  }],
  agents: { "*": { permissions: ["all"] } },
};

interface Failure {
  /** From 0. */
  readonly index: number;
  readonly name: string | null;
  readonly line: number | null;
  readonly wrong: readonly string[];
}

interface Tested {
  readonly file: string;
  readonly tool: string;
  readonly cases: number;
  readonly failures: readonly Failure[];
}

/** Exit 0 where every case ends as expected, else 1; 2 where a file cannot be used. */
export async function testPlugins(
  invocation: Invocation,
  words: readonly string[],
): Promise<number> {
  const tested: Tested[] = [];
  for (const word of words) tested.push(await testPlugin(invocation, word));
  const ok = tested.every(({ failures }) => failures.length === 0);
  if (formatOf(invocation) === "json") {
    const cases = tested.reduce((total, one) => total + one.cases, 0);
    const failed = tested.reduce((total, { failures }) => total + failures.length, 0);
    print(JSON.stringify({ ok, cases, failed, files: tested }));
  } else {
    print(tested.flatMap(linesOf).join("\n"));
  }
  return ok ? EXIT.success : EXIT.failed;
}

/** `word`: a manifest with its cases beside it, or the cases with their manifest. */
async function testPlugin(invocation: Invocation, word: string): Promise<Tested> {
  const beside = manifestFilesOf(word);
  const file = beside.length === 0 ? word : beside.find(isThere) ?? beside[0] as string;
  const casesFile = beside.length === 0 ? casesFileOf(file) : word;
  const [manifest] = readManifests([file], (path) => readPolicy(path, "plugin"));
  const text = readPolicy(casesFile, "cases");
  const parsed = parsePluginCases(text, casesFile);
  if (manifest === undefined || "problems" in parsed) {
    const problems = "problems" in parsed ? renderProblems(parsed.problems) : "";
    throw new UsageError(`the cases cannot be used\n${problems}`);
  }
  const layout = layOut(text);
  const failures: Failure[] = [];
  for (const [index, one] of parsed.cases.cases.entries()) {
    const wrong = await runCase(invocation, { manifest, file }, parsed.cases, one);
    const line = layout.lineOf(`cases[${index}]`) ?? null;
    if (wrong.length > 0) failures.push({ index, name: one.name ?? null, line, wrong });
  }
  return {
    file: casesFile,
    tool: manifest.name,
    cases: parsed.cases.cases.length,
    failures,
  };
}

function isThere(file: string): boolean {
  try {
    return Deno.statSync(file).isFile;
  } catch {
    return false;
  }
}

function runCase(
  invocation: Invocation,
  { manifest, file }: { readonly manifest: PluginManifest; readonly file: string },
  { files }: PluginCases,
  expected: PluginCase,
): Promise<readonly string[]> {
  if (invocation.values["root"] !== undefined) {
    throw new UsageError("plugin test makes a workspace for each case; leave --root away");
  }
  return withWorkspace(files, null, async (workspace) => {
    if (workspace === null) {
      throw new UsageError("plugin test makes workspaces, and this build may make none");
    }
    const engine = await openTestEngine(invocation, manifest, workspace as CanonicalPath);
    try {
      const result = await callTool(engine, manifest, expected);
      return judgeCase(manifest, expected, {
        code: result.error?.code ?? null,
        message: result.error?.message ?? null,
        output: JSON.parse(jsonText(result.output)),
        textOf: (path) => textOf(`${workspace}/${path}`),
      });
    } finally {
      await engine.runner.close();
    }
  }).catch((error) => {
    if (error instanceof UsageError) throw new UsageError(`${file}: ${error.message}`);
    throw error;
  });
}

/** Under the policies that are named, or that a sealed build has; else under the one for tests. */
async function openTestEngine(
  invocation: Invocation,
  manifest: PluginManifest,
  workspace: CanonicalPath,
): Promise<CommandEngine> {
  const { embedded, values } = invocation;
  const named = values["policy"] !== undefined || embedded.sealed;
  const policies: readonly PlacedPolicy[] = named
    ? (await openSession({ ...invocation, values: { ...values, root: [workspace] } })).policies
    : [{ source: "(plugin test)", policy: TEST_POLICY, workspace }];
  return createEngine({
    policies,
    workspace,
    plugins: [manifest],
    sealed: embedded.sealed,
    audit: auditRecorder(workspace, {}),
  });
}

function callTool(engine: CommandEngine, { name }: PluginManifest, { args, agent }: PluginCase) {
  const request = {
    id: null,
    tool: name,
    args,
    agent: agent ?? "root",
    timeoutMs: null,
    preview: false,
    stream: false,
  };
  return execute(engine, request, {
    onEvent: () => {},
    onRunning: () => {},
    approver: {
      ask: () => Promise.resolve({ answer: "nobody", hint: "a case cannot be approved" }),
    },
  });
}

/** Null where there is no regular file; links are not followed out of the workspace. */
function textOf(path: string): string | null {
  try {
    return Deno.lstatSync(path).isFile ? Deno.readTextFileSync(path) : null;
  } catch {
    return null;
  }
}

function linesOf({ file, tool, cases, failures }: Tested): readonly string[] {
  const passed = cases - failures.length;
  return [
    ...failures.flatMap(({ index, name, line, wrong }) => {
      const place = line === null ? file : `${file}:${line}`;
      const called = name === null ? `case ${index + 1}` : printable(name, 100);
      return [`${place}: ${called}`, ...wrong.map((one) => `  ${one}`)];
    }),
    `${tool}: ${passed} of ${cases} cases ended as expected`,
  ];
}
