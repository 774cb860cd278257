/** The JSON of Jest (`--json`) and of Vitest (`--reporter=json`), which is the same. */

import { findJson, list, member, number, text } from "./partial_json.ts";
import type { Output, TestFailure, TestReport } from "./report.ts";
import { frameIn, message } from "./text.ts";

/**
 * From `--json`, which Vitest writes, too; null where there is no such report. A file that does not load is one
 * failed.
 */
export function readJest({ stdout }: Output): TestReport | null {
  const report = findJson(stdout);
  if (member(report, "numTotalTests") === undefined) return null;
  const failures: TestFailure[] = [];
  let broken = 0;
  for (const file of list(report, "testResults")) {
    const name = text(file, "name");
    const tests = list(file, "assertionResults");
    for (const test of tests) {
      if (member(test, "status") === "failed") failures.push(failureOf(test, name));
    }
    if (tests.length === 0 && member(file, "status") === "failed") {
      broken++;
      const said = text(file, "message");
      const place = frameIn(said, (path) => path === name);
      failures.push({ name, file: name, ...place, message: message(said) });
    }
  }
  return {
    passed: number(report, "numPassedTests"),
    failed: number(report, "numFailedTests") + broken,
    skipped: number(report, "numPendingTests") + number(report, "numTodoTests"),
    failures,
  };
}

function failureOf(test: unknown, file: string): TestFailure {
  const path = [...list(test, "ancestorTitles"), text(test, "title")];
  const said = list(test, "failureMessages").filter((part) => typeof part === "string").join("\n");
  const line = frameIn(said, (path) => path === file || path === `file://${file}`)?.line;
  return {
    name: path.filter((part) => typeof part === "string" && part !== "").join(" > "),
    file,
    ...(line === undefined ? {} : { line }),
    // Below it stand the frames, most of them Jest's own.
    message: message(said.split(/\n +at /)[0] ?? ""),
  };
}
