import { assertEquals, assertThrows } from "@std/assert";
import { ToolError } from "../../../../src/core/errors.ts";
import { refuseMissingProgram } from "../../../../src/engine/judge/missing_program.ts";
import { commandRule, file, rulebook, RUNNER, spawn } from "../../policy/_fixtures.ts";

const book = rulebook([{
  risk: { allow: "dangerous", ask: "dangerous" },
  commands: [commandRule("allow", ["*"])],
}]);

Deno.test("an allowed command whose program is not there is not found", () => {
  for (const name of ["nope", "./nope"]) {
    const decision = book.decide(RUNNER, [spawn([name], { program: null })]);
    assertEquals(decision.effect, "allow");
    const error = assertThrows(() => refuseMissingProgram(decision), ToolError, name);
    assertEquals(error.code, "COMMAND_NOT_FOUND");
  }
});

Deno.test("what was found, and what is no command, passes", () => {
  refuseMissingProgram(book.decide(RUNNER, [spawn(["ls"]), file("fs.read", "a")]));
});
