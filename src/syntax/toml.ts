/** Judges TOML 1.0. */

import { parse, TomlError } from "smol-toml";
import { problemOnLine, type SyntaxProblem } from "./problem.ts";

/** The first problem of a text; null where it is TOML. Never throws for any text. */
export function checkToml(text: string): SyntaxProblem | null {
  const problem = firstProblem(text);
  if (problem !== null) return problem;
  const marked = withoutLateDays(text);
  return marked === text ? null : lateDay(text, marked);
}

function firstProblem(text: string): SyntaxProblem | null {
  try {
    parse(text, { integersAsBigInt: true });
    return null;
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const message = (error.message.split("\n", 1)[0] ?? "").replace(/^Invalid TOML document: /, "");
    return problemOnLine(text, error.line, error.column - 1, message);
  }
}

/** What may be a day that its month does not have. The parser takes these for days of the next month. */
const LATE_DAY = /(?<![0-9])([0-9]{4})-(02-(?:29|30|31)|(?:04|06|09|11)-31)/g;

/** The text with each such day made one that no month has: a date is then refused, a key or a string is not. */
function withoutLateDays(text: string): string {
  return text.replace(LATE_DAY, (date, year: string, day: string) => {
    if (day === "02-29" && isLeapYear(Number(year))) return date;
    return `${date.slice(0, 8)}${day.endsWith("29") ? "79" : day.endsWith("30") ? "80" : "81"}`;
  });
}

/** RFC 3339, appendix C, to which TOML refers for its dates. */
function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

function lateDay(text: string, marked: string): SyntaxProblem | null {
  const problem = firstProblem(marked);
  if (problem?.message !== "invalid date") return null;
  const { line, column } = problem;
  const start = [...(text.split("\n")[line - 1] ?? "")].slice(column - 1).join("");
  return { line, column, message: `there is no ${start.slice(0, 10)} in the calendar` };
}
