/** Mocha's JSON (`--reporter=json`). */

import { findJson, list, member, number, text } from "./partial_json.ts";
import type { Output, TestReport } from "./report.ts";
import { frameIn, message } from "./text.ts";

/** From `--reporter json`; null where there is no such report. */
export function readMocha({ stdout }: Output): TestReport | null {
  const report = findJson(stdout);
  const stats = member(report, "stats");
  if (member(stats, "passes") === undefined) return null;
  return {
    passed: number(stats, "passes"),
    failed: number(stats, "failures"),
    skipped: number(stats, "pending"),
    failures: list(report, "failures").map((test) => {
      const error = member(test, "err");
      const file = text(test, "file");
      // Its stacks name files from the folder that it runs in.
      const isOwn = (path: string) => path !== "" && (path === file || file.endsWith(`/${path}`));
      const line = frameIn(text(error, "stack"), isOwn)?.line;
      return {
        name: text(test, "fullTitle"),
        ...(file === "" ? {} : { file }),
        ...(line === undefined ? {} : { line }),
        message: message(text(error, "message")),
      };
    }),
  };
}
