import { assertEquals } from "@std/assert";
import type { Tool } from "../../../src/core/tool.ts";
import { startsPrograms } from "../../../src/engine/runner.ts";
import type { SpawnGrant } from "../../../src/policy/grant.ts";
import { grantOf } from "../host/_rulebook.ts";
import { canonical, program, WORKSPACE } from "../policy/_fixtures.ts";
import { toolOf } from "./_stand_ins.ts";

const CAT: SpawnGrant = { argv: ["cat"], program: program("cat"), cwd: canonical(WORKSPACE) };

Deno.test("what may start a program runs where programs are started, a preview never", () => {
  const cases: readonly (readonly [Partial<Tool>, readonly SpawnGrant[], boolean, boolean])[] = [
    [{}, [], false, false],
    [{}, [CAT], false, true],
    [{ riskOfPrograms: true }, [], false, true],
    [{ riskOfPrograms: true }, [CAT], true, false],
  ];
  for (const [parts, spawn, preview, expected] of cases) {
    const grant = grantOf(canonical(WORKSPACE), { spawn });
    const job = { tool: toolOf(parts), input: {}, grant, preview, stream: false };
    assertEquals(startsPrograms(job), expected, JSON.stringify([parts, spawn.length, preview]));
  }
});
