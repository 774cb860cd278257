import { assertEquals } from "@std/assert";
import { ProcessorTime } from "../../../../src/engine/programs/_processor_time.ts";
import type { ProcessFacts } from "../../../../src/host/kernel/process_table.ts";

const process = (id: number, ownTicks: number, waited = 0, began = 1): ProcessFacts => ({
  id,
  state: "R",
  parent: 1,
  group: 1,
  session: 1,
  ticks: ownTicks + waited,
  ownTicks,
  threads: 1,
  began,
});

Deno.test("what has ended counts as it was last seen, whether it is waited for or not, and once", () => {
  const time = new ProcessorTime();
  assertEquals(time.ticks([process(1, 2), process(2, 30)]), 32);
  assertEquals(time.ticks([process(1, 2), process(2, 50)]), 52);
  // It has ended: nobody waits for it, or somebody does, who was told of ten more.
  assertEquals(time.ticks([process(1, 3)]), 53);
  assertEquals(time.ticks([process(1, 3, 60)]), 63);
  // It was out of sight for a look.
  assertEquals(time.ticks([]), 53);
  assertEquals(time.ticks([process(1, 3)]), 53);
  // Its number is another's.
  assertEquals(time.ticks([process(1, 3), process(2, 5, 0, 9)]), 58);
});
