/** Results for people, on a terminal: text as it is, lists as tables, diffs in colour, errors with what to do. */

import { isObject } from "../../core/json_value.ts";
import type { ResultError } from "../../core/errors.ts";
import { jsonText, type Result } from "../../core/result.ts";
import { clip, plain, textWidth } from "./plain_text.ts";
import { outlinedFiles, renderOutline } from "./_outline.ts";
import { cellText, renderTable } from "./_table.ts";
import { NO_SCREEN, type Screen } from "./screen.ts";
import { diffLine, styleOf } from "./style.ts";

/** What goes to standard output, and what to standard error. */
export interface Rendered {
  readonly output: string;
  readonly problem: string | null;
}

/** Where each of the two is shown. */
export interface Screens {
  readonly output: Screen;
  readonly problem: Screen;
}

type Fields = Readonly<Record<string, unknown>>;

/** `shown`: what a program said was shown while it said it, and is not to be shown again. */
export function renderResult(
  result: Result,
  screens: Screens = { output: NO_SCREEN, problem: NO_SCREEN },
  shown = false,
): Rendered {
  const output: unknown = JSON.parse(jsonText(result.output));
  const { error } = result;
  const said = shown && isObject(output) && typeof output["stdout"] === "string";
  const text = output === null || said ? "" : renderOutput(output, screens.output);
  return { output: text, problem: error === null ? null : renderError(error, screens.problem) };
}

function renderError({ code, message, rule }: ResultError, screen: Screen): string {
  const style = styleOf(screen);
  const cited = rule === null
    ? []
    : [`rule: ${rule.file} ${rule.index}${rule.reason === undefined ? "" : ` (${rule.reason})`}`];
  return [
    `${style.failure(`${code}:`)} ${plain(message)}`,
    ...cited.map((line) => style.faint(`  ${plain(line)}`)),
  ].join("\n");
}

function renderOutput(output: unknown, screen: Screen): string {
  if (!isObject(output)) return plain(typeof output === "string" ? output : JSON.stringify(output));
  const { content, stdout, stderr, timestamp, help, diff, graph, ...rest } = output;
  for (const text of [content, help, timestamp, graph]) {
    if (typeof text === "string") return plain(text).replace(/\n$/, "");
  }
  if (typeof diff === "string" && diff !== "") {
    return [renderDiff(diff, screen), ...summary(rest, screen)].join("\n");
  }
  if (typeof stdout === "string" && typeof stderr === "string") {
    const between = stdout === "" || stdout.endsWith("\n") ? "" : "\n";
    return plain(stdout + between + stderr).replace(/\n$/, "");
  }
  const { files, ...others } = output;
  const outlined = outlinedFiles(files);
  if (outlined !== null) {
    return `${renderOutline(outlined, screen)}\n${renderFields(others, screen)}`;
  }
  return renderFields(output, screen);
}

function renderDiff(diff: string, screen: Screen): string {
  const style = styleOf(screen);
  return plain(diff).replace(/\n$/, "").split("\n").map((line) => diffLine(line, style)).join("\n");
}

/** Lists that hold something, then the rest on a line. */
function renderFields(output: Fields, screen: Screen): string {
  const lists = Object.entries(output).filter((entry): entry is [string, readonly unknown[]] =>
    Array.isArray(entry[1]) && entry[1].length > 0
  );
  if (lists.length === 0) return pairs(output, screen);
  const listed = new Set(lists.map(([key]) => key));
  const rest = Object.fromEntries(Object.entries(output).filter(([key]) => !listed.has(key)));
  const style = styleOf(screen);
  return [
    ...lists.flatMap(([key, list]) => [
      ...(lists.length > 1 ? [style.heading(`${plain(key)}:`)] : []),
      renderList(list, screen),
    ]),
    ...summary(rest, screen),
  ].join("\n");
}

function renderList(list: readonly unknown[], screen: Screen): string {
  if (!list.every(isObject)) return list.map((value) => plain(inline(value))).join("\n");
  const inner = list.flatMap((row) => Object.entries(row)).find(([, value]) => isRecords(value));
  if (inner === undefined) return renderTable(list, screen);
  // Records within records: a heading for each, and below it its own table.
  const [key] = inner;
  const narrower = screen.columns === null
    ? screen
    : { ...screen, columns: Math.max(1, screen.columns - 2) };
  return list.map(({ [key]: nested, ...row }) => {
    const heading = Object.values(row).map(cellText).join("  ");
    const below = isRecords(nested) ? renderList(nested, narrower) : cellText(nested ?? "");
    return [styleOf(screen).heading(heading), ...below.split("\n").map((line) => `  ${line}`)]
      .join("\n");
  }).join("\n");
}

/** All on one line where it fits there, else a line each. */
function summary(rest: Fields, screen: Screen): readonly string[] {
  const line = Object.entries(rest).map(([key, value]) => `${plain(key)}: ${cellText(value)}`)
    .join("  ");
  if (line === "") return [];
  const fits = screen.columns === null || textWidth(line) <= screen.columns;
  return [styleOf(screen).faint(fits ? line : pairs(rest, screen))];
}

function pairs(output: Fields, { columns }: Screen): string {
  const width = Math.max(0, ...Object.keys(output).map((key) => key.length)) + 2;
  return Object.entries(output).map(([key, value]) => {
    const line = `${`${plain(key)}:`.padEnd(width)}${cellText(value)}`.trimEnd();
    return columns === null ? line : clip(line, columns);
  }).join("\n");
}

function inline(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function isRecords(value: unknown): value is readonly Fields[] {
  return Array.isArray(value) && value.length > 0 && value.every(isObject);
}

/** Text of a program as it comes. */
export function renderEvent(text: string): string {
  return plain(text);
}
