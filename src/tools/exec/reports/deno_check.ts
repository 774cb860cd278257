/** What `deno check` prints. */

import type { Finding, Output } from "./report.ts";
import { count, message } from "./text.ts";

/** Errors of types, and of modules that cannot be had. */
export function readDenoCheck({ stdout, stderr }: Output): readonly Finding[] {
  return [...typeErrors(`${stdout}\n${stderr}`), ...otherErrors(stderr)];
}

/** `TS2322 [ERROR]: …`, the source, then ` at file:///…:1:7`. */
function typeErrors(text: string): readonly Finding[] {
  const findings: Finding[] = [];
  let rule: string | null = null;
  let said: string[] = [];
  for (const line of text.split("\n")) {
    const start = /^\s*(?:(TS\d+) )?\[(?:ERROR|WARN)\]: (.*)$/.exec(line);
    if (start !== null) {
      rule = start[1] ?? "";
      said = [start[2] ?? ""];
      continue;
    }
    if (rule === null) continue;
    const place = /^\s+at (\S+?):(\d+):(\d+)$/.exec(line);
    if (place === null) {
      said.push(line);
      continue;
    }
    const [, file = "", row, column] = place;
    findings.push({
      file,
      line: count(row),
      column: count(column),
      rule: rule === "" ? null : rule,
      severity: "error",
      message: message(said.join("\n")),
    });
    rule = null;
  }
  return findings;
}

/** Modules that are no TypeScript at all, or not there. */
function otherErrors(stderr: string): readonly Finding[] {
  const pattern =
    /^error: (?!Type checking failed)(.*?)(?: at|\n +at) (file:\/\/\S+?):(\d+):(\d+)$/gm;
  return [...stderr.matchAll(pattern)].map(([, said = "", file = "", line, column]) => ({
    file,
    line: count(line),
    column: count(column),
    rule: null,
    severity: "error",
    message: message(said),
  }));
}
