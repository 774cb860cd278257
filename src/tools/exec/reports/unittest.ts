/** The output of `python3 -m unittest`, which goes to standard error. */

import type { Output, TestFailure, TestReport } from "./report.ts";
import { count, message } from "./text.ts";

/** unittest's own lines between its parts: 70 characters. */
const DOUBLE = "=".repeat(70);
const SINGLE = "-".repeat(70);

/** By its line `Ran N tests`; null where it has none. Expected failures count as skipped. */
export function readUnittest({ stderr }: Output): TestReport | null {
  const lines = stderr.split("\n");
  const ranAt = lines.findLastIndex((line) => /^Ran \d+ tests? in /.test(line));
  if (ranAt === -1) return null;
  const ran = count(/\d+/.exec(lines[ranAt] ?? "")?.[0]);
  const words = lines.slice(ranAt + 1).find((line) => /^(?:OK|FAILED|NO TESTS RAN)\b/.test(line));
  const counts = (name: string) => count(new RegExp(`[(, ]${name}=(\\d+)`).exec(words ?? "")?.[1]);
  const failures = failuresIn(lines.slice(0, ranAt));
  // A test may fail in several parts; what fails before its class has begun was not run.
  const failedTests = new Set(
    failures.filter(({ fixture }) => !fixture).map(({ test }) => test),
  );
  const skipped = counts("skipped") + counts("expected failures");
  return {
    passed: Math.max(0, ran - failedTests.size - skipped),
    failed: counts("failures") + counts("errors") + counts("unexpected successes"),
    skipped,
    failures: failures.map(({ failure }) => failure),
  };
}

interface ReportedFailure {
  /** The test without its subtest. */
  readonly test: string;
  /** Of a class or a module, not of a test. */
  readonly fixture: boolean;
  readonly failure: TestFailure;
}

function failuresIn(lines: readonly string[]): readonly ReportedFailure[] {
  const starts = lines.flatMap((line, index) => line === DOUBLE ? [index] : []);
  return starts.flatMap((start, index) => {
    const block = lines.slice(start + 1, starts[index + 1] ?? lines.length);
    const heading = /^(?:ERROR|FAIL|UNEXPECTED SUCCESS): (\S+)(?: \(([^)]*)\))?(.*)$/
      .exec(block[0] ?? "");
    if (heading === null) return [];
    const [, method = "", holder = "", subtest = ""] = heading;
    const test = holder === "" || holder.endsWith(`.${method}`)
      ? holder || method
      : `${holder}.${method}`;
    const fixture = /^(?:setUp|tearDown)(?:Class|Module)$/.test(method);
    const bodyAt = block.indexOf(SINGLE);
    const body = bodyAt === -1 ? [] : block.slice(bodyAt + 1);
    const end = body.indexOf(SINGLE);
    return [{
      test,
      fixture,
      failure: {
        name: test + subtest,
        ...traceOf(end === -1 ? body : body.slice(0, end)),
        ...(body.length === 0 ? { message: "passed, though it was expected to fail" } : {}),
      },
    }];
  });
}

/** The last frame that is not unittest's own, and what is said below the last frame. */
function traceOf(lines: readonly string[]): Omit<TestFailure, "name"> {
  const frames = lines.flatMap((line, index) => {
    const found = /^ {2}File "(.+)", line (\d+)/.exec(line);
    return found === null ? [] : [{ file: found[1] ?? "", line: count(found[2]), index }];
  });
  const own = frames.findLast(({ file }) => !file.includes("/unittest/"));
  const after = lines.slice((frames.at(-1)?.index ?? -1) + 1);
  const said = after.slice(Math.max(0, after.findIndex((line) => /^\S/.test(line))));
  return {
    ...(own === undefined ? {} : { file: own.file, line: own.line }),
    message: message(said.join("\n")),
  };
}
