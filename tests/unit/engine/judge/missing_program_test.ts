import { assertEquals } from "@std/assert";
import { missingProgram } from "../../../../src/engine/judge/missing_program.ts";
import { parseLine } from "../../../../src/shell/parse_line.ts";
import runCommand from "../../../../src/tools/exec/run_command.ts";
import { commandRule, file, rulebook, RUNNER, spawn } from "../../policy/_fixtures.ts";

const book = rulebook([{
  risk: { allow: "dangerous", ask: "dangerous" },
  commands: [commandRule("allow", ["*"])],
}]);

const CALL = { tool: runCommand, input: { plan: null } };

Deno.test("what a line says about a program that is not there comes to pass", async () => {
  const decision = book.decide(RUNNER, [spawn(["nope"], { program: null })]);
  for (const line of ["nope || true", "nope; echo $?", "! nope", "(nope)", "X=1; nope"]) {
    const call = { tool: runCommand, input: { plan: await parseLine(line) }, decision };
    assertEquals(missingProgram(call), null, line);
  }
  for (const line of ["nope", "nope 2>/dev/null", "X=1 nope"]) {
    const call = { tool: runCommand, input: { plan: await parseLine(line) }, decision };
    assertEquals(missingProgram(call)?.code, "COMMAND_NOT_FOUND", line);
  }
});

Deno.test("an allowed command whose program is not there is not found", () => {
  for (const name of ["nope", "./nope"]) {
    const decision = book.decide(RUNNER, [spawn([name], { program: null })]);
    assertEquals(decision.effect, "allow");
    assertEquals(missingProgram({ ...CALL, decision })?.code, "COMMAND_NOT_FOUND", name);
  }
});

Deno.test("what was found, and what is no command, passes", () => {
  const decision = book.decide(RUNNER, [spawn(["ls"]), file("fs.read", "a")]);
  assertEquals(missingProgram({ ...CALL, decision }), null);
});
