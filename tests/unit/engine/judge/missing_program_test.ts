import { assertEquals, assertStringIncludes } from "@std/assert";
import { ToolError } from "../../../../src/core/errors.ts";
import { missingProgram, whyHopeless } from "../../../../src/engine/judge/missing_program.ts";
import { parseLine } from "../../../../src/shell/parse_line.ts";
import runCommand from "../../../../src/tools/exec/run_command.ts";
import { commandRule, file, rulebook, RUNNER, spawn } from "../../policy/_fixtures.ts";

const book = rulebook([{
  risk: { allow: "dangerous", ask: "dangerous" },
  commands: [commandRule("allow", ["*"])],
}]);

const NOWHERE = { near: () => ({ names: [], untrusted: null }) };
const CALL = { tool: runCommand, input: { plan: null } };

Deno.test("what a line says about a program that is not there comes to pass", async () => {
  const decision = book.decide(RUNNER, [spawn(["nope"], { program: null })]);
  for (const line of ["nope || true", "nope; echo $?", "! nope", "(nope)", "X=1; nope"]) {
    const call = { tool: runCommand, input: { plan: await parseLine(line) }, decision };
    assertEquals(missingProgram(call, NOWHERE), null, line);
  }
  for (const line of ["nope", "nope 2>/dev/null", "X=1 nope"]) {
    const call = { tool: runCommand, input: { plan: await parseLine(line) }, decision };
    assertEquals(missingProgram(call, NOWHERE)?.code, "COMMAND_NOT_FOUND", line);
  }
});

Deno.test("an allowed command whose program is not there is not found", () => {
  for (const name of ["nope", "./nope"]) {
    const decision = book.decide(RUNNER, [spawn([name], { program: null })]);
    assertEquals(decision.effect, "allow");
    assertEquals(missingProgram({ ...CALL, decision }, NOWHERE)?.code, "COMMAND_NOT_FOUND", name);
  }
});

Deno.test("what was found, and what is no command, passes", () => {
  const decision = book.decide(RUNNER, [spawn(["ls"]), file("fs.read", "a")]);
  assertEquals(missingProgram({ ...CALL, decision }, NOWHERE), null);
});

Deno.test("who asked for a program that is not there hears what may have been meant", () => {
  const cases: readonly (readonly [readonly string[], string | null, string])[] = [
    [[], null, "commands may use"],
    [["git"], null, 'commands may use. Did you mean "git"?'],
    [["git", "gtk"], null, 'Did you mean "git" or "gtk"?'],
    [["git"], "/home/u/.shims", '; "/home/u/.shims" has one, and is no folder'],
  ];
  for (const [names, untrusted, expected] of cases) {
    const decision = book.decide(RUNNER, [spawn(["gti"], { program: null })]);
    const { message } = missingProgram({ ...CALL, decision }, {
      near: () => ({ names, untrusted }),
    }) ?? { message: "" };
    assertStringIncludes(message, expected);
  }
});

Deno.test("one command of a line that lacks the network is enough, and what is not there comes first", () => {
  const without = new ToolError("NETWORK_DENIED", "none");
  const resolver = {
    ...NOWHERE,
    missingNetwork: (_tool: string, { argv }: { readonly argv: readonly string[] }) =>
      argv[0] === "npm" ? without : null,
  };
  const decided = (...all: Parameters<typeof spawn>[]) =>
    book.decide(RUNNER, all.map((one) => spawn(...one)));
  const codeOf = (decision: ReturnType<typeof decided>) =>
    whyHopeless({ ...CALL, decision }, resolver)?.code ?? null;
  assertEquals(codeOf(decided([["ls"]], [["npm", "i"]])), "NETWORK_DENIED");
  assertEquals(codeOf(decided([["npm"], { program: null }])), "COMMAND_NOT_FOUND");
  assertEquals(codeOf(decided([["ls"]])), null);
});
