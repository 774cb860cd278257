import { assertEquals } from "@std/assert";
import { ownProgram } from "../../../../src/engine/modules/own_program.ts";
import { canonical } from "../../policy/_fixtures.ts";

// What a compiled one answers is tried in tests/binary: here the executable is Deno, which is not Toolgate.
Deno.test("from source there is no program that could be started as a module's process", () => {
  assertEquals(Deno.build.standalone, false);
  assertEquals(ownProgram(canonical("/w/project")), null);
});
