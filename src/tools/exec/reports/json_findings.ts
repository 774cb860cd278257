/** Findings that come as JSON: ruff, pylint, eslint, deno lint, pyright, cargo. */

import { findJson, jsonLines, list, member, text } from "./partial_json.ts";
import type { Finding, Output, Severity } from "./report.ts";
import { count, message, position } from "./text.ts";

/** `ruff check --output-format=json-lines`: a cut output costs the last line only. */
export function readRuff({ stdout }: Output): readonly Finding[] {
  return [...jsonLines(stdout)].flatMap((entry) => {
    const file = text(entry, "filename");
    if (file === "") return [];
    const place = member(entry, "location");
    return [{
      file,
      line: position(member(place, "row")),
      column: position(member(place, "column")),
      rule: text(entry, "code") || null,
      severity: severityOf(text(entry, "severity")),
      message: message(text(entry, "message")),
    }];
  });
}

/** `pylint --output-format=json`; its columns count from 0. */
export function readPylint({ stdout }: Output): readonly Finding[] {
  return items(findJson(stdout)).map((entry) => ({
    file: text(entry, "path"),
    line: position(member(entry, "line")),
    column: fromZero(member(entry, "column")),
    rule: text(entry, "symbol") || text(entry, "message-id") || null,
    severity: severityOf(text(entry, "type")),
    message: message(text(entry, "message")),
  }));
}

/** `eslint -f json`: severity 2 is an error, 1 a warning. */
export function readEslint({ stdout }: Output): readonly Finding[] {
  return items(findJson(stdout)).flatMap((file) =>
    list(file, "messages").map((entry): Finding => ({
      file: text(file, "filePath"),
      line: position(member(entry, "line")),
      column: position(member(entry, "column")),
      rule: text(entry, "ruleId") || null,
      severity: member(entry, "severity") === 1 ? "warning" : "error",
      message: message(text(entry, "message")),
    }))
  );
}

/** `deno lint --json`: columns from 0; what cannot be parsed stands apart, its place in its message. */
export function readDenoLint({ stdout }: Output): readonly Finding[] {
  const report = findJson(stdout);
  const diagnostics = list(report, "diagnostics").map((entry): Finding => {
    const start = member(member(entry, "range"), "start");
    const hint = text(entry, "hint");
    return {
      file: text(entry, "filename"),
      line: position(member(start, "line")),
      column: fromZero(member(start, "col")),
      rule: text(entry, "code") || null,
      severity: "error",
      message: message(text(entry, "message").replace(/\.$/, "") + (hint && `. ${hint}`)),
    };
  });
  const errors = list(report, "errors").map((entry): Finding => {
    const said = text(entry, "message");
    const place = /:(\d+):(\d+)$/m.exec(said.split("\n")[0] ?? "");
    return {
      file: text(entry, "file_path"),
      line: position(count(place?.[1])),
      column: position(count(place?.[2])),
      rule: null,
      severity: "error",
      message: message(said.replace(/ at \S+$/m, "")),
    };
  });
  return [...diagnostics, ...errors];
}

/** `pyright --outputjson`: lines and columns from 0. */
export function readPyright({ stdout }: Output): readonly Finding[] {
  return list(findJson(stdout), "generalDiagnostics").map((entry) => {
    const start = member(member(entry, "range"), "start");
    return {
      file: text(entry, "file"),
      line: fromZero(member(start, "line")),
      column: fromZero(member(start, "character")),
      rule: text(entry, "rule") || null,
      severity: severityOf(text(entry, "severity")),
      message: message(text(entry, "message")),
    };
  });
}

/** `cargo check` and `cargo clippy` with `--message-format=json`: the compiler's messages that have a place. */
export function readCargo({ stdout }: Output): readonly Finding[] {
  const found = new Map<string, Finding>();
  for (const entry of jsonLines(stdout)) {
    if (entry["reason"] !== "compiler-message") continue;
    const diagnostic = entry["message"];
    const span = list(diagnostic, "spans").find((one) => member(one, "is_primary") === true);
    if (span === undefined) continue;
    const finding: Finding = {
      file: text(span, "file_name"),
      line: position(member(span, "line_start")),
      column: position(member(span, "column_start")),
      rule: text(member(diagnostic, "code"), "code") || null,
      severity: severityOf(text(diagnostic, "level")),
      message: message(text(diagnostic, "message")),
    };
    // A library is compiled once for itself and once for its tests.
    found.set(JSON.stringify(finding), finding);
  }
  return [...found.values()];
}

function items(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function fromZero(value: unknown): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value + 1 : null;
}

/** Every checker's words for how bad it is. */
function severityOf(word: string): Severity {
  switch (word) {
    case "warning":
      return "warning";
    case "info":
    case "information":
    case "convention":
    case "refactor":
    case "note":
    case "help":
      return "info";
    default:
      return "error";
  }
}
