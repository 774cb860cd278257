import { assertEquals } from "@std/assert";
import { createTimestamps } from "../../../src/audit/timestamps.ts";
import { Random } from "../../random.ts";

Deno.test("timestamps are those of Date, within a second, across seconds, and when clocks go back", () => {
  const random = new Random(3);
  let time = 0;
  const now = createTimestamps(() => time);
  const expect = () => assertEquals(now(), new Date(time).toISOString());
  const days = [0, 1, 9, 10, 99, 100, 999, 1000, -1, -1000, 951_782_399_999, 253_402_300_799_999];
  for (time of days) expect();
  for (let i = 0; i < 20_000; i++) {
    time = random.once(4)
      ? random.below(2 ** 31) * 1000 + random.below(1000)
      : time + random.below(400) - (random.once(9) ? 500 : 0);
    expect();
  }
});
