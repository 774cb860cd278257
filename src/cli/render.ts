/** Results for people, on a terminal: text as it is, lists as columns, errors with what to do. */

import type { Result } from "../core/result.ts";

/** What goes to standard output, and what to standard error. */
export interface Rendered {
  readonly output: string;
  readonly problem: string | null;
}

/** Most characters of one cell. */
const MAX_CELL = 100;

/** `shown`: what a program said was shown while it said it, and is not to be shown again. */
export function renderResult(result: Result, shown = false): Rendered {
  const output: unknown = JSON.parse(result.output);
  const { error } = result;
  const said = shown && isRecord(output) && typeof output["stdout"] === "string";
  const text = output === null || said ? "" : renderOutput(output);
  if (error === null) return { output: text, problem: null };
  const rule = error.rule === null
    ? ""
    : `\n  rule: ${error.rule.file} ${error.rule.index}${
      error.rule.reason === undefined ? "" : ` (${error.rule.reason})`
    }`;
  return { output: text, problem: `${error.code}: ${plain(error.message)}${rule}` };
}

function renderOutput(output: unknown): string {
  if (!isRecord(output)) return plain(typeof output === "string" ? output : JSON.stringify(output));
  const { content, stdout, stderr, timestamp, help, diff } = output;
  for (const text of [content, help, timestamp, diff]) {
    if (typeof text === "string") return plain(text).replace(/\n$/, "");
  }
  if (typeof stdout === "string" && typeof stderr === "string") {
    return plain(stdout + (stdout === "" || stdout.endsWith("\n") ? "" : "\n") + stderr).replace(
      /\n$/,
      "",
    );
  }
  const list = Object.values(output).find((value) => Array.isArray(value) && value.every(isRecord));
  if (Array.isArray(list) && list.length > 0) {
    return table(list as Record<string, unknown>[], output);
  }
  return pairs(output);
}

function table(rows: readonly Record<string, unknown>[], output: Record<string, unknown>): string {
  const all = new Set(rows.flatMap((row) => Object.keys(row)));
  // A path ends with the name.
  if (all.has("path")) all.delete("name");
  const keys = [...all];
  const cells = rows.map((row) => keys.map((key) => cell(row[key])));
  const widths = keys.map((key, i) =>
    Math.max(key.length, ...cells.map((row) => (row[i] ?? "").length))
  );
  const line = (row: readonly string[]) =>
    row.map((text, i) => text.padEnd(widths[i] ?? 0)).join("  ").trimEnd();
  const rest = Object.entries(output).filter(([, value]) => !Array.isArray(value));
  const totals = rest.map(([key, value]) => `${key}: ${cell(value)}`).join("  ");
  return [line(keys), ...cells.map(line), ...(totals === "" ? [] : [totals])].join("\n");
}

function pairs(output: Record<string, unknown>): string {
  const width = Math.max(0, ...Object.keys(output).map((key) => key.length)) + 2;
  return Object.entries(output).map(([key, value]) => `${`${key}:`.padEnd(width)}${cell(value)}`)
    .join("\n");
}

function cell(value: unknown): string {
  const text = typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
  const line = plain(text).replaceAll("\n", "⏎");
  return line.length <= MAX_CELL ? line : `${line.slice(0, MAX_CELL - 1)}…`;
}

/** Text of a program as it comes. */
export function renderEvent(text: string): string {
  return plain(text);
}

/** Control characters of a file or a program must not steer the terminal (CVE-2003-0063 and its kin). */
function plain(text: string): string {
  // deno-lint-ignore no-control-regex
  return text.replaceAll(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, (character) => {
    return `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`;
  });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
