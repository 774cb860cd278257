/** Test results as programs print them for people: what a script of the project happens to run. */

import { readCargoTest } from "./cargo_test.ts";
import { readDenoTest } from "./deno_test.ts";
import { readGoTest } from "./go_test.ts";
import { readJest } from "./jest.ts";
import { readMocha } from "./mocha.ts";
import { readPytest } from "./pytest.ts";
import type { Output, TestReport } from "./report.ts";
import { readTap } from "./tap.ts";
import { count } from "./text.ts";
import { readUnittest } from "./unittest.ts";

/** Reads whatever is recognised, the more exact first; null where nothing is. */
export function readAny(output: Output): TestReport | null {
  const readers = [
    readJest,
    readMocha,
    (given: Output) => readGoTest(given, ""),
    readTap,
    readPytest,
    readUnittest,
    readDenoTest,
    readCargoTest,
    readSummary,
  ];
  for (const read of readers) {
    const report = read(output);
    if (report !== null) return report;
  }
  return null;
}

/** Jest, Vitest, Mocha and node's spec reporter, by their last lines: counts, and the names of what failed. */
function readSummary({ stdout, stderr }: Output): TestReport | null {
  const all = `${stdout}\n${stderr}`;
  const last = (pattern: RegExp) => [...all.matchAll(pattern)].at(-1)?.[1];
  const number = (text: string, word: string) =>
    count(new RegExp(`(\\d+) ${word}`).exec(text)?.[1]);
  // `Tests:  1 failed, 2 passed, 3 total` (Jest), `Tests  1 failed | 2 passed (3)` (Vitest).
  const tests = last(/^\s*Tests:? +((?:\d+ \w+(?:, | \| )?)+)/gm);
  if (tests !== undefined) {
    return {
      passed: number(tests, "passed"),
      failed: number(tests, "failed"),
      skipped: number(tests, "skipped") + number(tests, "todo"),
      failures: names(all, /^ +● (.+ › .+|\S.*)$|^ *FAIL +\S+ > (.+)$/gm),
    };
  }
  // `ℹ pass 2` (node).
  const passed = last(/^[ℹ#] pass (\d+)$/gm);
  if (passed !== undefined) {
    return {
      passed: count(passed),
      failed: count(last(/^[ℹ#] fail (\d+)$/gm)),
      skipped: count(last(/^[ℹ#] skipped (\d+)$/gm)) + count(last(/^[ℹ#] todo (\d+)$/gm)),
      failures: names(
        all.slice(all.lastIndexOf("failing tests:")),
        /^✖ (.+?)(?: \([\d.]+ms\))?$/gm,
      ),
    };
  }
  // `2 passing (3ms)` (Mocha).
  const passing = last(/^ +(\d+) passing(?: \(.*\))?$/gm);
  if (passing === undefined) return null;
  return {
    passed: count(passing),
    failed: count(last(/^ +(\d+) failing$/gm)),
    skipped: count(last(/^ +(\d+) pending$/gm)),
    failures: names(all.slice(all.lastIndexOf(" passing")), /^ +\d+\) (.+?):?$/gm),
  };
}

function names(text: string, pattern: RegExp): TestReport["failures"] {
  const found = [...text.matchAll(pattern)].map(([, one, other]) => one ?? other ?? "");
  return [...new Set(found)].map((name) => ({ name, message: "" }));
}
