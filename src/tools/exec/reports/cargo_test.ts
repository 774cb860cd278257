/** The output of `cargo test`: its machine-readable one is not stable. */

import type { Output, TestFailure, TestReport } from "./report.ts";
import { count, message } from "./text.ts";

const RESULT = /^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored/;

/** The sums of all test programs of a run; null where it says nothing of tests. */
export function readCargoTest({ stdout, stderr }: Output): TestReport | null {
  const lines = stdout.split("\n");
  const results = lines.flatMap((line) => {
    const found = RESULT.exec(line);
    return found === null ? [] : [found.slice(1).map(count)];
  });
  // Of the first program of tests that cannot be built, cargo runs none.
  const broken = compileErrors(stderr);
  if (results.length === 0 && broken.length === 0) return null;
  const sum = (column: number) => results.reduce((total, row) => total + (row[column] ?? 0), 0);
  const sections = new Map<string, string[]>();
  let section: string[] | null = null;
  for (const line of lines) {
    const name = /^---- (.+) stdout ----$/.exec(line)?.[1];
    if (name !== undefined) sections.set(name, section = []);
    else if (line === "failures:" || RESULT.test(line)) section = null;
    else section?.push(line);
  }
  const failures = [...sections].map(([name, body]) => failureOf(name, body));
  return {
    passed: sum(0),
    failed: sum(1) + broken.length,
    skipped: sum(2),
    failures: [...failures, ...broken],
  };
}

function failureOf(name: string, body: readonly string[]): TestFailure {
  const trace = body.findIndex((line) => line === "stack backtrace:");
  const said = (trace === -1 ? body : body.slice(0, trace)).join("\n");
  const place = /(?:panicked at (?:'.*', )?|\bat )([^\s:]+\.rs):(\d+):\d+/.exec(said);
  const own = said.replaceAll(/^note: run with `RUST_BACKTRACE.*$/gm, "");
  return {
    name,
    ...(place === null ? {} : { file: place[1] ?? "", line: count(place[2]) }),
    message: message(own),
  };
}

function compileErrors(stderr: string): readonly TestFailure[] {
  const pattern = /^error(?:\[(E\d+)\])?: (.+)\n +--> (.+?):(\d+):\d+$/gm;
  return [...stderr.matchAll(pattern)].map(([, code, said = "", file = "", line]) => ({
    name: code ?? "error",
    file,
    line: count(line),
    message: message(said),
  }));
}
