/** YAML text → the one value in it, with every way to be no policy text reported. */

import { parse as parseYaml, YamlSyntaxError } from "@std/yaml";
import { printable } from "../core/printable.ts";
import { found } from "./value_kind.ts";
import { layOut } from "./layout.ts";
import type { KeyPosition } from "./key_position.ts";

/** Longest text, in characters: a policy of 10,000 rules has about one million. */
const LONGEST_TEXT = 4 * 1024 * 1024;
/** Values in a policy, those that aliases repeat counted each time: 10,000 rules have about 100,000. */
const MOST_VALUES = 500_000;
/** The language nests four deep. */
const DEEPEST = 16;

/** What reports at a line know of it. */
export type ReportLine = (key: string, message: string, line: number) => void;

/** What a text is to be. */
export interface Expected {
  /** In messages. */
  readonly what: string;
  /** Characters that are read of it at most, where that is fewer than of any text. */
  readonly longest?: number;
}

/** The mapping that `text` holds; undefined where a problem was reported. */
export function yamlMapping(
  text: string,
  top: KeyPosition,
  reportLine: ReportLine,
  { what, longest = LONGEST_TEXT }: Expected,
): object | undefined {
  if (text.length > longest) {
    return top.report(`is too long: ${text.length} characters, where ${longest} are read`);
  }
  // The YAML reader takes tabs for blanks of width one, so that what is seen is not what is meant.
  const tabbed = text.includes("\t") && reportTabs(text, reportLine);
  let value: unknown;
  try {
    value = parseYaml(text, { schema: "core" });
  } catch (error) {
    reportSyntax(error, { text, what }, top, reportLine);
    return undefined;
  }
  if (value === null || value === undefined) {
    return top.report(`is empty; a ${what} starts with version: 1`);
  }
  if (typeof value !== "object" || Array.isArray(value)) {
    return top.report(
      `holds ${found(value)}; a ${what} is a mapping that starts with version: 1`,
    );
  }
  return isBounded(value, top) && !tabbed ? value : undefined;
}

function reportTabs(text: string, reportLine: ReportLine): boolean {
  const layout = layOut(text);
  for (const line of layout.tabs) {
    reportLine(layout.keyOf(line), "is indented with a tab; indent with blanks", line);
  }
  return layout.tabs.length > 0;
}

function reportSyntax(
  error: unknown,
  { text, what }: { readonly text: string; readonly what: string },
  top: KeyPosition,
  reportLine: ReportLine,
): void {
  // Nothing but nesting takes the reader's stack.
  if (error instanceof RangeError) return top.report("nests too deeply");
  if (!(error instanceof YamlSyntaxError)) throw error;
  // The reader ends each text with a line break of its own: an error at the end may lie behind it.
  const line = Math.min(error.line, text.split(/\r\n|\r|\n/).length);
  const { column } = error;
  const [detail = ""] = error.message.split(/ at line [0-9]+, column [0-9]+|\n/, 1);
  const key = layOut(text).keyOf(line);
  if (detail.includes("duplicated key")) {
    return reportLine(
      key,
      `a key stands here for the second time (column ${column}); keep one`,
      line,
    );
  }
  if (detail.includes("more than 1 document")) {
    return reportLine("", `a second document starts here; a file holds one ${what}`, line);
  }
  reportLine(key, `is no YAML at column ${column}: ${printable(detail)}`, line);
}

/** Whether the value ends: aliases can make it contain itself, or grow beyond any memory. */
function isBounded(value: unknown, top: KeyPosition): boolean {
  let left = MOST_VALUES;
  const walk = (value: unknown, position: KeyPosition, depth: number): boolean => {
    if (--left < 0) {
      top.report(`holds more than ${MOST_VALUES} values, those that aliases repeat included`);
      return false;
    }
    if (typeof value !== "object" || value === null) return true;
    if (depth > DEEPEST) {
      position.report("nests too deeply (an alias inside of what it stands for?)");
      return false;
    }
    return Array.isArray(value)
      ? value.every((entry, index) => walk(entry, position.at(index), depth + 1))
      : Object.entries(value).every(([key, entry]) => walk(entry, position.in(key), depth + 1));
  };
  return walk(value, top, 0);
}
