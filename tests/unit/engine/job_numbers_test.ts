import { assertEquals } from "@std/assert";
import { JobNumbers } from "../../../src/engine/job_numbers.ts";

Deno.test("each number is given once, handed on by whom it may be", () => {
  const numbers = new JobNumbers();
  const { next } = numbers;
  assertEquals([next(), numbers.next(), next()], [1, 2, 3]);
  assertEquals(new JobNumbers().next(), 1);
});
