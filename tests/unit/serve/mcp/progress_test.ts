import { assert, assertEquals } from "@std/assert";
import { Progress } from "../../../../src/serve/mcp/_progress.ts";
import type { JobEvent } from "../../../../src/engine/runner.ts";

const step = (done: number, total: number | null): JobEvent => ({
  event: "progress",
  done,
  total,
  unit: "files",
  message: "m",
});

Deno.test("each step is more than the one before, and none is more than its total", () => {
  const progress = Progress.wanted({ progressToken: "t" });
  assert(progress !== null);
  const events: readonly JobEvent[] = [
    step(500, 1000),
    { event: "stdout", data: "line\n" },
    step(500, 1000),
    step(0, 1),
    step(900, 1000),
    { event: "stderr", data: "x" },
  ];
  const steps = events.map((event) => progress.next(event));
  assertEquals(steps.map(({ progress }) => progress), [500, 501, 502, 503, 900, 901]);
  assertEquals(steps.map(({ total }) => total), [
    1000,
    undefined,
    1000,
    undefined,
    1000,
    undefined,
  ]);
});

Deno.test("tokens are texts and integers", () => {
  for (const progressToken of ["", "t", 0, -1]) assert(Progress.wanted({ progressToken }) !== null);
  for (const progressToken of [1.5, null, true, [], {}, NaN]) {
    assertEquals(Progress.wanted({ progressToken }), null);
  }
  for (const meta of [undefined, null, [], "x", {}]) assertEquals(Progress.wanted(meta), null);
});
