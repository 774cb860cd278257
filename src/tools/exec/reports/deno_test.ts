/** What `deno test` prints: its other reports leave out modules that fail while they load. */

import { readDenoCheck } from "./deno_check.ts";
import type { Output, TestFailure, TestReport } from "./report.ts";
import { count, message } from "./text.ts";

const SUMMARY =
  /^(?:ok|FAILED) \| (\d+) passed(?: \(\d+ steps?\))? \| (\d+) failed(?: \(\d+ steps?\))?(?: \| (\d+) ignored)?/;

/** By its last summary; null where it has none and does not fail by types. */
export function readDenoTest(output: Output): TestReport | null {
  const lines = output.stdout.split("\n");
  const last = lines.findLast((line) => SUMMARY.test(line));
  if (last === undefined) return ofTypeErrors(output);
  const [, passed, failed, ignored] = SUMMARY.exec(last) ?? [];
  const start = lines.findLastIndex((line) => line.trim() === "ERRORS");
  const end = lines.findLastIndex((line) => line.trim() === "FAILURES");
  return {
    passed: count(passed),
    failed: count(failed),
    skipped: count(ignored),
    failures: start === -1 ? [] : failuresIn(lines.slice(start + 1, end > start ? end : undefined)),
  };
}

function failuresIn(lines: readonly string[]): readonly TestFailure[] {
  const failures: { readonly heading: Omit<TestFailure, "message">; readonly body: string[] }[] =
    [];
  lines.forEach((line, index) => {
    const heading = lines[index + 1]?.startsWith("error:") === true ? headingOf(line) : null;
    if (heading !== null) failures.push({ heading, body: [] });
    else failures.at(-1)?.body.push(line);
  });
  return failures.map(({ heading, body }) => {
    const trace = body.findIndex((line) => line.startsWith("    at "));
    const said = (trace === -1 ? body : body.slice(0, trace)).join("\n").replace(/^error: /, "");
    return { ...heading, message: message(said) };
  });
}

function headingOf(line: string): Omit<TestFailure, "message"> | null {
  const test = /^(.+) => (.+):(\d+):\d+$/.exec(line);
  if (test !== null) return { name: test[1] ?? "", file: test[2] ?? "", line: count(test[3]) };
  const file = /^(.+) \(uncaught error\)$/.exec(line)?.[1];
  return file === undefined ? null : { name: file, file };
}

/** Where types are wrong nothing runs at all. */
function ofTypeErrors(output: Output): TestReport | null {
  const findings = readDenoCheck(output);
  if (findings.length === 0) return null;
  const failures = findings.map(({ file, line, rule, message }) => ({
    name: rule === null ? file : `${rule} in ${file}`,
    file,
    ...(line === null ? {} : { line }),
    message,
  }));
  return { passed: 0, failed: failures.length, skipped: 0, failures };
}
