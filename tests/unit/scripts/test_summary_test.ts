import { assertEquals } from "@std/assert";
import { type Counts, summary } from "../../../scripts/_test_summary.ts";

const cases: [string, string, Counts | null][] = [
  ["a good end", "a ... ok (1ms)\n\nok | 12 passed | 0 failed (4s)\n\n", { passed: 12, failed: 0 }],
  ["a bad end", "FAILED | 3 passed | 2 failed (1ms)\n\nerror: Test failed\n", {
    passed: 3,
    failed: 2,
  }],
  ["steps", "ok | 7 passed (21 steps) | 0 failed (4s)\n", { passed: 7, failed: 0 }],
  ["failed steps", "FAILED | 7 passed (1 step) | 1 failed (2 steps) (4s)\n", {
    passed: 7,
    failed: 1,
  }],
  ["ignored tests", "ok | 7 passed | 0 failed | 2 ignored (4s)\n", { passed: 7, failed: 0 }],
  [
    "a test that prints such a line",
    "ok | 1 passed | 0 failed\nFAILED | 3 passed | 2 failed (1s)\n",
    {
      passed: 3,
      failed: 2,
    },
  ],
  ["tests that did not start", "error: Module not found\n", null],
  ["nothing", "", null],
];

for (const [name, text, expected] of cases) {
  Deno.test(`summary() of ${name}`, () => assertEquals(summary(text), expected));
}
