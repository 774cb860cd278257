/** The refusal of a text that is not in the file, with what it takes to mend the request in one step. */

import { ToolError } from "../../../core/errors.ts";
import { closestPassage } from "./closest_passage.ts";
import { type Comparison, lineAt, lineFor, type Lines, linesOf } from "./compare_passage.ts";
import { finderOf } from "./_find_text.ts";
import { describeDifference, quotedLine } from "./difference.ts";
import type { Edit } from "./edit_arguments.ts";
import type { TextFile } from "./text_file.ts";

/** Lines and characters of the closest passage that are shown. */
const MAX_LINES = 200;
const MAX_CHARACTERS = 8 * 1024;
/** Characters of a line that are shown and compared, and how many of them stand before the place. */
const LONGEST = 2000;
const BEFORE = 200;

/** Characters of a text for which the closest passage is sought: 15 MB of line ends took half a minute. */
const LONGEST_COMPARED = 1 << 18;

/** An edit whose text is not there, and all that may explain why. */
export interface Search {
  readonly original: TextFile;
  /** As the edits before this one left it. */
  readonly body: Uint8Array;
  readonly edits: readonly Edit[];
  readonly index: number;
  readonly path: string;
  readonly prefix: (index: number) => string;
}

/** TEXT_NOT_FOUND; `details`: `edit`, and `closest` {line, end_line, text, differs {line, file, old, how}} or null. */
export function notFound(search: Search): ToolError {
  const { original, body, edits, index, path } = search;
  const wanted = plain(edits[index]?.old ?? "");
  const lines = linesOf(plain(original.codec.decode(body)));
  const compared = wanted.length <= LONGEST_COMPARED ? wanted.split("\n") : null;
  const found = compared === null ? null : closestPassage(lines, compared);
  const closest = found === null || compared === null ? null : describe(lines, found, compared);
  const reasons = [madeBefore(lines, search), changedBefore(wanted, search)].join("");
  const near = compared === null
    ? "it is too long for what is like it to be sought; read_file shows what is there"
    : closest === null
    ? "nothing in the file is like it; read_file shows what is there"
    : `the closest ${
      closest.line === closest.end_line
        ? `is line ${closest.line}`
        : `are lines ${closest.line} to ${closest.end_line}`
    }; ${closest.words}`;
  return new ToolError(
    "TEXT_NOT_FOUND",
    `${search.prefix(index)}old is not in ${path}${reasons}: ${near}. Nothing was written`,
    {
      details: {
        edit: index,
        closest: closest === null ? null : {
          line: closest.line,
          end_line: closest.end_line,
          text: closest.text,
          differs: closest.differs,
        },
      },
    },
  );
}

function plain(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

function describe(lines: Lines, { from, to, first }: Comparison, wanted: readonly string[]) {
  const end = Math.max(from + 1, Math.min(to, countOf(lines)));
  const column = first?.column ?? 0;
  const place = { line: from + 1, end_line: end, text: textOf(lines, from, end, column) };
  if (first === null) return { ...place, differs: null, words: "only line ends differ" };
  const asked = wanted[first.wanted] ?? "";
  const line = Math.min(first.line, countOf(lines)) + 1;
  const whole = lineFor(asked, lines, first.line);
  const file = whole === undefined ? null : cut(whole, column);
  const old = cut(asked, 0);
  const how = whole === undefined
    ? howItEnds(lines, asked, first.count)
    : howOf(first, whole.slice(column, column + LONGEST), asked.slice(0, LONGEST), wanted.length);
  const shown = file === null
    ? "the file ends"
    : `the file has ${quotedLine(whole?.slice(column) ?? "")}`;
  return {
    ...place,
    differs: { line, file, old, how },
    words: `at line ${line}, the first that differs, ${shown} where old has ${
      quotedLine(asked)
    }: ${how}`,
  };
}

function howItEnds(lines: Lines, asked: string, count: number): string {
  if (asked !== "" || count > 1) return `the file ends before ${countLines(count)} of old`;
  return lines.text.endsWith("\n")
    ? "old has an empty line at its end"
    : "the last line of the file has no line end";
}

/** What stands behind the last line end is a line only where it is something. */
function countOf({ text, starts }: Lines): number {
  return text.endsWith("\n") ? starts.length - 1 : starts.length;
}

function countLines(count: number): string {
  return count === 1 ? "a line" : `${count} lines`;
}

/** Of the first line that is wanted the file's may hold more before it, of the last more behind it. */
function howOf(
  { kind, count, wanted }: NonNullable<Comparison["first"]>,
  file: string,
  old: string,
  lines: number,
): string {
  if (kind === "extra") return `the file has ${countLines(count)} there that old has not`;
  if (kind === "missing") return `old has ${countLines(count)} there that the file has not`;
  if (old.trim() === "" && file.trim() !== "") return "old has an empty line there";
  const edges = { begins: wanted > 0 || /^\s/.test(old), ends: wanted < lines - 1 };
  return describeDifference(file, old, edges) || "the line goes on where that of old ends";
}

/** The lines as they are, long ones cut around `column`. */
function textOf(lines: Lines, from: number, to: number, column: number): string {
  const shown: string[] = [];
  let length = 0;
  for (let index = from; index < to; index++) {
    const line = cut(lineAt(lines, index) ?? "", column);
    length += line.length + 1;
    if (index - from === MAX_LINES || length > MAX_CHARACTERS) {
      shown.push("…");
      break;
    }
    shown.push(line);
  }
  return shown.join("\n");
}

/** Up to 200 characters before `column` and 1,800 from there on; `…` where something is missing. */
function cut(line: string, column: number): string {
  if (line.length <= LONGEST) return line;
  const from = Math.max(0, column - BEFORE);
  const part = line.slice(from, from + LONGEST).toWellFormed();
  return (from > 0 ? "…" : "") + part + (from + LONGEST < line.length ? "…" : "");
}

/** Whoever sends an edit twice finds only what it made. */
function madeBefore({ text }: Lines, { edits, index }: Search): string {
  const made = plain(edits[index]?.new ?? "");
  // Shorter texts are there by chance.
  if (made.trim().length < 8) return "";
  const at = finderOf(made)(text, 0);
  if (at < 0) return "";
  return ` (new is there already, at line ${
    text.slice(0, at).split("\n").length
  }: perhaps this was done before)`;
}

function changedBefore(wanted: string, { original, index }: Search): string {
  if (index === 0) return "";
  if (finderOf(wanted)(plain(original.codec.decode(original.body)), 0) < 0) return "";
  return " any more: the edits before it changed that place, and each is made on what those before it left";
}
