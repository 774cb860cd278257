import { assertEquals, assertStringIncludes } from "@std/assert";
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
    commandRule("deny", ["rm -rf"]),
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
    assertEquals(refused?.code ?? null, code, argv.join(" "));
  }
});

Deno.test("a command that is known only when it runs is judged like any other, and asked for by nobody", async () => {
  const cases: readonly (readonly [readonly string[], string | null])[] = [
    [["cat", "a.txt"], null],
    [["cat", "shut/b.txt"], "PATH_DENIED"],
    [["cat", "link"], "PATH_DENIED"],
    [["cat", "../outside/sentinel.txt"], "PATH_OUTSIDE_WORKSPACE"],
    [["rm", "a.txt"], null],
    [["rm", "-rf", "a.txt"], "COMMAND_DENIED"],
    // Nobody can be asked in the middle of a line.
    [["touch", "c.txt"], "COMMAND_DENIED"],
    [["unknown"], "COMMAND_DENIED"],
  ];
  for (const [argv, code] of cases) {
    const error = await judged({ argv });
    assertEquals(error?.code ?? null, code, `${argv.join(" ")}: ${error?.message}`);
    if (error !== null) assertStringIncludes(error.message, "known only when it ran");
  }
  const denied = await judged({ argv: ["rm", "-rf", "a.txt"] });
  assertEquals(denied?.rule?.index, "commands[2]");
});

Deno.test("a redirection is judged as what the file tools do, and named as what it is", async () => {
  const cases = [
    ["read", "a.txt", null],
    ["read", "shut/b.txt", "PATH_DENIED"],
    ["write", "new.txt", null],
    ["write", "shut/new.txt", "PATH_DENIED"],
    ["append", "link", "PATH_DENIED"],
    ["write", "/dev/null", null],
    ["write", "asked/a", "COMMAND_DENIED"],
  ] as const;
  for (const [kind, target, code] of cases) {
    const error = await judged({ redirections: [{ kind, target }] });
    assertEquals(error?.code ?? null, code, `${kind} ${target}: ${error?.message}`);
    if (error !== null) assertStringIncludes(error.message, "a redirection of the line");
  }
  const both = {
    argv: ["cat", "a.txt"],
    redirections: [{ kind: "write", target: "shut/c" }],
  } as const;
  const error = await judged(both);
  assertEquals(error?.code, "PATH_DENIED");
  assertStringIncludes(error?.message ?? "", "a command of the line");
});

Deno.test("a redirection alone is as risky as a write, and an agent without the permission may not", async () => {
  const write = { redirections: [{ kind: "write", target: "new.txt" }] } as const;
  const risk = { allow: "moderate", ask: "dangerous" } as const;
  assertEquals(await judged(write, RUNNER, { risk }), null);
  // No less either.
  const safe = await judged(write, RUNNER, { risk: { allow: "safe", ask: "safe" } });
  assertEquals(safe?.code, "RISK_DENIED");
  const stranger = await judged(write, { ...RUNNER, agent: "stranger" });
  assertEquals(stranger?.code, "PERMISSION_DENIED");
});

Deno.test("what cannot be resolved is refused, not thrown", async () => {
  const error = await judged({ argv: ["cat", ...Array(10_001).fill("-")] });
  assertEquals(error?.code, "COMMAND_UNPARSABLE");
});

Deno.test("how risky a command is was agreed to with the line that it stands in, what rules ask for was not", async () => {
  const risk = { allow: "moderate", ask: "dangerous" } as const;
  const commands = [commandRule("allow", ["rm", "cat"]), commandRule("ask", ["touch"])];
  const agreed = [
    { argv: ["rm", "-r", "$D"], open: [2] },
    { argv: ["touch", "$X"], open: [1] },
    { argv: ["rm", "$X"], open: [1] },
  ];
  const cases: readonly (readonly [argv: readonly string[], typeof agreed, string | null])[] = [
    [["rm", "-r", "a.txt"], agreed, null],
    [["rm", "-r", "a.txt"], [], "COMMAND_DENIED"],
    [["rm", "-r", "a.txt"], agreed.slice(1), "COMMAND_DENIED"],
    [["rm", "-r", "shut"], agreed, "PATH_DENIED"],
    [["rm", "-r", "asked/x"], agreed, "COMMAND_DENIED"],
    [["rm", "-r", "-f", "a.txt"], agreed, "COMMAND_DENIED"],
    [["touch", "c.txt"], agreed, "COMMAND_DENIED"],
  ];
  for (const [argv, given, code] of cases) {
    const error = await judged({ argv }, RUNNER, { risk, commands }, () => {}, given);
    assertEquals(error?.code ?? null, code, `${argv.join(" ")}: ${error?.message}`);
  }
});
