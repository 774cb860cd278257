import { assertEquals } from "@std/assert";
import {
  isAnyMark,
  isJobOf,
  isSameRun,
  jobOf,
  MARK_SHIFT,
  markOf,
  newToken,
  shareOf,
  SHARES,
} from "../../../../src/host/kernel/run_marks.ts";

Deno.test("a mark says whose it is, of which run, and of which share of it", () => {
  const token = newToken();
  for (const job of [0, 1, 4711, 2 ** 16 - 1, 2 ** 16, 2 ** 31]) {
    const mark = markOf(token, job);
    for (const share of [0, 1, SHARES - 1]) {
      const own = mark + share;
      const found = jobOf(own, token);
      assertEquals([found === null ? null : isJobOf(job, found), shareOf(own)], [true, share]);
      assertEquals([Number.isSafeInteger(own), isAnyMark(own)], [true, true]);
      assertEquals(Math.floor(own / 2 ** MARK_SHIFT), token);
      assertEquals(isSameRun(BigInt(own), BigInt(mark)), true);
    }
    assertEquals(isSameRun(BigInt(mark), BigInt(markOf(token, job + 1))), false);
    assertEquals(jobOf(mark, token === 2 ** 31 ? token + 1 : token - 1), null);
  }
  assertEquals([isAnyMark(999), isAnyMark(2 ** 32), jobOf(999, token)], [false, false, null]);
});
