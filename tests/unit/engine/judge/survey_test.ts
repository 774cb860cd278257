import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { ToolError } from "../../../../src/core/errors.ts";
import type { CallRequest } from "../../../../src/core/request.ts";
import type { Schema } from "../../../../src/core/schema.ts";
import type { Project } from "../../../../src/core/survey.ts";
import type { Tool } from "../../../../src/core/tool.ts";
import { createEngine } from "../../../../src/engine/create_engine.ts";
import { FOLLOW, noLog } from "../_stand_ins.ts";
import { execute } from "../../../../src/engine/execute.ts";
import { decideCall } from "../../../../src/engine/judge/decide_call.ts";
import type { DecidedCall } from "../../../../src/engine/judge/decided_call.ts";
import type { Policy } from "../../../../src/policy/model.ts";
import { registryOf } from "../_stand_ins.ts";
import { canonical, commandRule, pathRule, policy } from "../../policy/_fixtures.ts";

/** The C library is opened once a process and never closed. */
const LIBRARY_STAYS = { sanitizeResources: false };

interface Input {
  readonly program?: string;
  readonly check?: boolean;
}

/** A tool that offers to start each of these programs, and shows what it saw of the project. */
function offering(
  programs: readonly [string, ...string[]],
  see: (project: Project) => void = () => {},
) {
  const tool: Tool<Schema<Input>> = {
    name: "offer",
    category: "exec",
    description: "Offers ways.",
    risk: "dangerous",
    riskOfPrograms: true,
    permission: "code_execution",
    input: { type: "object", properties: {} },
    output: { type: "object" },
    describe: ({ program }) => `Offer ${program}`,
    survey: {
      folder: () => ".",
      files:
        () => ["seen.txt", "denied.txt", "link.txt", "folder", "missing.txt", "../outside.txt"],
      ways(input, project) {
        see(project);
        const [first, ...rest] = programs.map((program) => ({ ...input, program }));
        return [first ?? input, ...rest];
      },
    },
    dryRun: (input) => ({ ...input, check: true }),
    capabilities: ({ program = "" }) => [{ kind: "process.spawn", argv: [program], cwd: "." }],
    preview: () => ({}),
    run: (input) => ({ ran: input }),
  };
  return tool;
}

const REQUEST: CallRequest = {
  id: "1",
  tool: "offer",
  args: {},
  agent: "root",
  timeoutMs: null,
  preview: false,
  stream: false,
};

/** Judges a call of the tool in a folder of its own. */
async function judged(
  tool: Tool<Schema<Input>>,
  sections: Partial<Policy>,
  request: Partial<CallRequest> = {},
): Promise<DecidedCall> {
  const root = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "toolgate-test-" }));
  const workspace = join(root, "workspace");
  Deno.mkdirSync(join(workspace, "folder"), { recursive: true });
  for (const name of ["seen.txt", "denied.txt"]) {
    Deno.writeTextFileSync(join(workspace, name), name);
  }
  Deno.writeTextFileSync(join(root, "outside.txt"), "outside");
  Deno.symlinkSync("../outside.txt", join(workspace, "link.txt"));
  const engine = createEngine({
    policies: [{ source: "p.yaml", policy: policy(sections), workspace: canonical(workspace) }],
    workspace: canonical(workspace),
    sealed: false,
    audit: noLog,
  }, { registry: registryOf(tool as Tool) });
  try {
    return await decideCall(engine, { ...REQUEST, ...request });
  } finally {
    await engine.runner.close();
    Deno.removeSync(root, { recursive: true });
  }
}

const OPEN: Partial<Policy> = {
  risk: { allow: "dangerous", ask: "dangerous" },
  paths: [pathRule("allow", ["**"]), pathRule("deny", ["denied.txt"], ["read"])],
  agents: { root: { permissions: ["all"] }, runner: { permissions: ["code_execution"] } },
};

Deno.test(
  "of the ways the first is taken that is allowed and there, else the first that is asked for",
  LIBRARY_STAYS,
  async () => {
    const cases: readonly (readonly [readonly [string, ...string[]], string, string])[] = [
      [["cat", "ls"], "cat", "allow"],
      [["no-such-program", "ls"], "ls", "allow"],
      [["true", "no-such-program", "ls"], "ls", "allow"],
      [["false", "true"], "true", "ask"],
      [["true", "sleep"], "true", "ask"],
      [["sleep", "false"], "sleep", "deny"],
      [["no-such-program", "sleep"], "sleep", "deny"],
      [["no-such-program"], "no-such-program", "deny"],
    ];
    const commands = [
      commandRule("allow", ["cat", "ls"]),
      commandRule("ask", ["true"]),
      commandRule("deny", ["false"]),
    ];
    for (const [programs, taken, effect] of cases) {
      const { input, decision, grant } = await judged(offering(programs), { ...OPEN, commands });
      assertEquals([(input as Input).program, decision.effect], [taken, effect], programs.join());
      assertEquals(
        grant.spawn.map(({ argv }) => argv),
        effect === "deny" && taken.startsWith("no-") ? [] : [[taken]],
      );
    }
  },
);

Deno.test("a survey sees what the agent may read, and nothing else", LIBRARY_STAYS, async () => {
  const seen: unknown[] = [];
  const see = ({ text, names, program }: Project) =>
    seen.push([
      [
        "seen.txt",
        "denied.txt",
        "link.txt",
        "folder",
        "missing.txt",
        "../outside.txt",
        "unnamed.txt",
      ]
        .map(text),
      [...names].sort(),
      [program("cat"), program("no-such-program"), program("./seen.txt")],
    ]);
  await judged(offering(["cat"], see), OPEN);
  // Without the permission to read files, or where the tool for it is switched off: nothing.
  await judged(offering(["cat"], see), OPEN, { agent: "runner" });
  await judged(offering(["cat"], see), { ...OPEN, tools: { read_file: { enabled: false } } });
  const programs = [true, false, false];
  const nothing = [[null, null, null, null, null, null, null], [], programs];
  assertEquals(seen, [
    [
      ["seen.txt", null, null, null, null, null, null],
      ["folder", "link.txt", "seen.txt"],
      programs,
    ],
    nothing,
    nothing,
  ]);
});

Deno.test(
  "where no program is there, all that were looked for are named",
  LIBRARY_STAYS,
  async () => {
    const root = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "toolgate-test-" }));
    const engine = createEngine({
      policies: [{
        source: "p.yaml",
        policy: policy({ ...OPEN, commands: [commandRule("allow", ["none-a", "none-b"])] }),
        workspace: canonical(root),
      }],
      workspace: canonical(root),
      sealed: false,
      audit: noLog,
    }, { registry: registryOf(offering(["none-a", "none-b"]) as Tool) });
    const result = await execute(engine, REQUEST, FOLLOW);
    assertEquals(result.error?.code, "COMMAND_NOT_FOUND");
    assertStringIncludes(result.error?.message ?? "", '"none-a"');
    assertStringIncludes(result.error?.message ?? "", 'looked for "none-b" too');
    await engine.runner.close();
    Deno.removeSync(root, { recursive: true });
  },
);

Deno.test("a preview of a call with a dryRun is judged as that", LIBRARY_STAYS, async () => {
  const commands = [commandRule("allow", ["cat"])];
  const { input } = await judged(offering(["cat"]), { ...OPEN, commands }, { preview: true });
  assertEquals(input, { check: true, program: "cat" });
});

Deno.test("what a survey refuses is the answer", LIBRARY_STAYS, async () => {
  const tool = offering(["cat"], () => {
    throw new ToolError("COMMAND_NOT_FOUND", "nothing fits");
  });
  const error = await assertRejects(() => judged(tool, OPEN), ToolError);
  assertEquals([error.code, error.message], ["COMMAND_NOT_FOUND", "nothing fits"]);
});
