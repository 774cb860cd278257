import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { ToolError } from "../../../../src/core/errors.ts";
import { decideAtRun } from "../../../../src/engine/judge/decide_at_run.ts";
import type { LineCommand } from "../../../../src/host/run/line/line_host.ts";
import { createProgramFinder } from "../../../../src/host/run/program_search.ts";
import { SYSTEM_PATHS } from "../../../../src/sandbox/system_paths.ts";
import type { Policy } from "../../../../src/policy/model.ts";
import type { AgreedCommand } from "../../../../src/policy/grant.ts";
import type { Subject } from "../../../../src/policy/rulebook.ts";
import { Workspace } from "../../../binary/toolgate.ts";
import { grantOf } from "../../host/_rulebook.ts";
import { canonical, commandRule, pathRule, program, RUNNER } from "../../policy/_fixtures.ts";
import { LIBC as libc } from "../../sandbox/_libc.ts";
import { openEngine } from "../_stand_ins.ts";

const OPEN: Partial<Policy> = {
  risk: { allow: "dangerous", ask: "dangerous" },
  paths: [
    pathRule("allow", ["**"]),
    pathRule("deny", ["shut/**"]),
    pathRule("ask", ["asked/**"]),
  ],
  commands: [
    commandRule("allow", ["cat", "tee", "rm a.txt"]),
    commandRule("ask", ["touch"]),
    commandRule("deny", ["rm -rf", "shut"]),
  ],
  agents: { root: { permissions: ["all"] } },
};

async function judged(
  command: Partial<LineCommand>,
  subject: Subject = RUNNER,
  sections: Partial<Policy> = {},
  lay: (root: string) => void = () => {},
  agreed: readonly AgreedCommand[] = [],
) {
  await using workspace = new Workspace({ "a.txt": "x", "shut/b.txt": "y" });
  Deno.symlinkSync("shut/b.txt", workspace.path("link"));
  lay(workspace.root);
  const { rulebook } = openEngine(workspace.root, { ...OPEN, ...sections });
  const root = canonical(workspace.root);
  const spawn = ["cat", "tee", "touch", "rm", "timeout", "nice"].map((name) => ({
    argv: [name],
    program: program(name),
    cwd: root,
  }));
  const { find } = createProgramFinder(root, SYSTEM_PATHS);
  const grant = { ...grantOf(root, { spawn }), agreedCommands: agreed };
  return await decideAtRun({ rulebook, subject, grant, libc, find }, {
    argv: null,
    directory: root,
    redirections: [],
    variables: [],
    ...command,
  });
}

Deno.test("what a path in a command leads to when it runs is what is judged", async () => {
  const commands = [
    commandRule("allow", ["timeout", "nice", "./**"]),
    commandRule("deny", ["touch"]),
  ];
  const lay = (root: string) => {
    Deno.symlinkSync("/usr/bin/touch", `${root}/t`);
    Deno.writeTextFileSync(`${root}/own`, "#!/bin/sh\n", { mode: 0o755 });
  };
  const cases: readonly (readonly [readonly string[], string | null])[] = [
    [["timeout", "5", "./own", "x"], null],
    [["nice", "timeout", "5", "./own"], null],
    // Nothing there: it would not start.
    [["timeout", "5", "./later"], null],
    [["timeout", "5", "./t", "x"], "COMMAND_DENIED"],
    [["nice", "timeout", "5", "./t"], "COMMAND_DENIED"],
    [["timeout", "5", "/usr/bin/touch", "x"], "COMMAND_DENIED"],
    [["timeout", "5", "/usr/bin/rm", "x"], "COMMAND_DENIED"],
    [["timeout", "5", "../outside/x"], "COMMAND_DENIED"],
  ];
  for (const [argv, code] of cases) {
    const refused = await judged({ argv }, RUNNER, { commands }, lay);
    assertEquals(codeOf(refused), code, argv.join(" "));
  }
});

Deno.test("a command that is known only when it runs is judged like any other, and asked for", async () => {
  const cases: readonly (readonly [readonly string[], string | null])[] = [
    [["cat", "a.txt"], null],
    [["cat", "shut/b.txt"], "PATH_DENIED"],
    [["cat", "link"], "PATH_DENIED"],
    [["cat", "../outside/sentinel.txt"], "PATH_OUTSIDE_WORKSPACE"],
    [["rm", "a.txt"], null],
    [["rm", "-rf", "a.txt"], "COMMAND_DENIED"],
    [["touch", "c.txt"], "ask"],
    // Not there: a shell says so, and nothing starts. What rules name they name all the same.
    [["unknown"], null],
    [["shut"], "COMMAND_DENIED"],
    [["./unknown"], "COMMAND_DENIED"],
    [["timeout", "1", "unknown"], "COMMAND_DENIED"],
  ];
  for (const [argv, code] of cases) {
    const error = await judged({ argv });
    assertEquals(codeOf(error), code, argv.join(" "));
    if (error instanceof ToolError) assertStringIncludes(error.message, "known only when it ran");
  }
  const denied = await judged({ argv: ["rm", "-rf", "a.txt"] });
  assert(denied instanceof ToolError);
  assertEquals(denied.rule?.index, "commands[2]");
});

Deno.test("a redirection is judged as what the file tools do, and named as what it is", async () => {
  const cases = [
    ["read", "a.txt", null],
    ["read", "shut/b.txt", "PATH_DENIED"],
    ["write", "new.txt", null],
    ["write", "shut/new.txt", "PATH_DENIED"],
    ["append", "link", "PATH_DENIED"],
    ["write", "/dev/null", null],
    ["write", "asked/a", "ask"],
  ] as const;
  for (const [kind, target, code] of cases) {
    const error = await judged({ redirections: [{ kind, target }] });
    assertEquals(codeOf(error), code, `${kind} ${target}`);
    if (error instanceof ToolError) {
      assertStringIncludes(error.message, "a redirection of the line");
    }
  }
  const both = {
    argv: ["cat", "a.txt"],
    redirections: [{ kind: "write", target: "shut/c" }],
  } as const;
  const error = await judged(both);
  assert(error instanceof ToolError);
  assertEquals(error.code, "PATH_DENIED");
  assertStringIncludes(error.message, "a command of the line");
});

Deno.test("a redirection alone is as risky as a write, and an agent without the permission may not", async () => {
  const write = { redirections: [{ kind: "write", target: "new.txt" }] } as const;
  const risk = { allow: "moderate", ask: "dangerous" } as const;
  assertEquals(await judged(write, RUNNER, { risk }), null);
  // No less either.
  const safe = await judged(write, RUNNER, { risk: { allow: "safe", ask: "safe" } });
  assertEquals(codeOf(safe), "RISK_DENIED");
  const stranger = await judged(write, { ...RUNNER, agent: "stranger" });
  assertEquals(codeOf(stranger), "PERMISSION_DENIED");
});

Deno.test("what cannot be resolved is refused, not thrown", async () => {
  const error = await judged({ argv: ["cat", ...Array(10_001).fill("-")] });
  assertEquals(codeOf(error), "COMMAND_UNPARSABLE");
});

Deno.test("who agreed to a line agreed to how risky its commands are, and to what the same rules ask for", async () => {
  const risk = { allow: "moderate", ask: "dangerous" } as const;
  const commands = [
    commandRule("allow", ["rm", "cat"]),
    commandRule("ask", ["touch"]),
    commandRule("ask", ["tee"]),
  ];
  const agreed = [
    { argv: ["rm", "-r", "$D"], open: [2], rules: [] },
    { argv: ["touch", "$X"], open: [1], rules: ["p1.yaml commands[1]"] },
    { argv: ["tee", "$X"], open: [1], rules: ["p1.yaml commands[1]"] },
    { argv: ["rm", "$X"], open: [1], rules: [] },
  ];
  const cases: readonly (readonly [argv: readonly string[], typeof agreed, string | null])[] = [
    [["rm", "-r", "a.txt"], agreed, null],
    [["rm", "-r", "a.txt"], [], "ask"],
    [["rm", "-r", "a.txt"], agreed.slice(1), "ask"],
    [["rm", "-r", "shut"], agreed, "PATH_DENIED"],
    [["rm", "-r", "asked/x"], agreed, "ask"],
    [["rm", "-r", "-f", "a.txt"], agreed, "ask"],
    [["touch", "c.txt"], agreed, null],
    [["touch", "c.txt"], agreed.slice(2), "ask"],
    [["touch", "-a"], agreed, "ask"],
    [["touch", "asked/x"], agreed, "ask"],
    // By another rule.
    [["tee", "c.txt"], agreed, "ask"],
  ];
  for (const [argv, given, code] of cases) {
    const error = await judged({ argv }, RUNNER, { risk, commands }, layAsked, given);
    assertEquals(codeOf(error), code, argv.join(" "));
  }
});

function layAsked(root: string): void {
  Deno.mkdirSync(`${root}/asked`);
  Deno.writeTextFileSync(`${root}/asked/x`, "");
}

function codeOf(judged: Awaited<ReturnType<typeof decideAtRun>>): string | null {
  return judged instanceof ToolError ? judged.code : judged;
}
