import { assertEquals } from "@std/assert";
import { RunMemory } from "../../../../src/engine/programs/_run_memory.ts";
import { LIBC as libc } from "../../sandbox/_libc.ts";
import { comesToBe } from "../../../until.ts";
import { endAll, running, sleepMark, startScript, table } from "./_runs.ts";

Deno.test("what processes hold is measured together, and nothing of those that are gone", async () => {
  const memory = new RunMemory(libc, table);
  const word = sleepMark();
  const leader = startScript(`exec perl -e '$x = "x" x (64 << 20); sleep shift' ${word}`, 1);
  try {
    const facts = () => [leader].flatMap((id) => table.facts(id) ?? []);
    const isOver = (most: number) => memory.isOver(facts(), most, 0);
    await comesToBe(() => running(word).length === 1 && isOver(64 << 20));
    assertEquals([isOver(64 << 20), isOver(2 ** 40)], [true, false]);
    const gone = { ...facts()[0]!, id: table.mostNumber() + 1 };
    assertEquals(memory.isOver([gone], 1, 0), false);
    assertEquals(memory.isOver([], 1, 0), false);
  } finally {
    await endAll(leader);
  }
});
