import { assertEquals } from "@std/assert";
import { missingProgram } from "../../../../src/engine/judge/missing_program.ts";
import { commandRule, file, rulebook, RUNNER, spawn } from "../../policy/_fixtures.ts";

const book = rulebook([{
  risk: { allow: "dangerous", ask: "dangerous" },
  commands: [commandRule("allow", ["*"])],
}]);

Deno.test("an allowed command whose program is not there is not found", () => {
  for (const name of ["nope", "./nope"]) {
    const decision = book.decide(RUNNER, [spawn([name], { program: null })]);
    assertEquals(decision.effect, "allow");
    assertEquals(missingProgram({ decision })?.code, "COMMAND_NOT_FOUND", name);
  }
});

Deno.test("what was found, and what is no command, passes", () => {
  const decision = book.decide(RUNNER, [spawn(["ls"]), file("fs.read", "a")]);
  assertEquals(missingProgram({ decision }), null);
});
