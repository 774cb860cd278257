/** The ground of programs: a tool's own writes where the tool says, and who is shown processes. */

import { assertEquals } from "@std/assert";
import { groundOf, viewsProcesses } from "../../../../src/engine/programs/_program_ground.ts";
import { canonical, program } from "../../policy/_fixtures.ts";

const GROUND = { read: [canonical("/w")], write: [canonical("/w")], fingerprint: "w" };

Deno.test("a tool's own program writes where the tool says, and nowhere else", () => {
  // deno-lint-ignore no-explicit-any
  const of = (use: unknown) => groundOf({ use } as any, GROUND as any);
  assertEquals(of(undefined) as unknown, GROUND);
  assertEquals(of({ writes: [canonical("/w/.git")] }) as unknown, {
    ...GROUND,
    write: [],
    change: ["/w/.git"],
  });
});

Deno.test("who lists processes is known by the name that it was found by", () => {
  const cases: readonly (readonly [string, boolean])[] = [
    ["ps", true],
    ["pgrep", true],
    ["pkill", false],
    ["cat", false],
    ["psql", false],
  ];
  for (const [name, views] of cases) assertEquals(viewsProcesses(program(name)), views, name);
});
