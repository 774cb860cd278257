import { assertEquals } from "@std/assert";
import { ComingPrograms } from "../../../../src/engine/programs/coming_programs.ts";

Deno.test("a program is on its way until it is there, and is not asked again then", () => {
  const coming = new ComingPrograms();
  let there = false;
  let asked = 0;
  coming.add(7, () => (asked++, !there));
  assertEquals([coming.has(7), coming.has(8), asked], [true, false, 1]);
  there = true;
  assertEquals([coming.has(7), coming.has(7), asked], [false, false, 2]);
});
