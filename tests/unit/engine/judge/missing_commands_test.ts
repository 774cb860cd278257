import { assertEquals } from "@std/assert";
import { withoutPrograms } from "../../../../src/engine/judge/_missing_commands.ts";
import { commandRule, file, rulebook, RUNNER, spawn } from "../../policy/_fixtures.ts";

const book = rulebook([{
  risk: { allow: "moderate", ask: "dangerous" },
  commands: [
    commandRule("allow", ["ls", "pnpm"]),
    commandRule("ask", ["asked"]),
    commandRule("deny", ["shut"]),
  ],
}]);

Deno.test("a command that no rule names and that is not there starts nothing; rules that deny or ask hold", () => {
  const rows = [
    ["unnamed", null, "allow"],
    ["pnpm", null, "allow"],
    ["asked", null, "ask"],
    ["shut", null, "deny"],
    // By its path it is what lies there when it is come to.
    ["./unnamed", null, "deny"],
    ["unnamed", undefined, "deny"],
  ] as const;
  for (const [name, program, effect] of rows) {
    const whole = [spawn(["ls"]), spawn([name], program === undefined ? {} : { program })];
    assertEquals(book.decide(RUNNER, withoutPrograms(whole)).effect, effect, name);
  }
});

Deno.test("what is there, and what a tool uses itself, stays as it is", () => {
  const own = { access: "read", starts: [], risk: "safe", because: "", missing: "" } as const;
  const whole = [
    spawn(["ls"]),
    file("fs.read", "a"),
    spawn(["git"], { program: null, own }),
    spawn(["git"], { program: null, optional: true }),
  ];
  assertEquals(withoutPrograms(whole), whole);
});
