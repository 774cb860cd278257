/** What an action would do, as the person is shown it before being asked: on a terminal, and in a client's question. */

import { printable } from "../../core/printable.ts";

/** Most lines of a preview that still leave the question on the screen. */
const MOST_LINES = 40;

/**
 * The lines of a preview (JSON), two columns in, where no line of the question itself begins: a diff as a diff, a command
 * as it would be typed, all else as JSON. `colour` is given each line of a diff. "" where there is nothing to show.
 */
export function previewText(preview: string, colour: (diffLine: string) => string): string {
  const value: unknown = JSON.parse(preview);
  if (typeof value !== "object" || value === null) return "";
  const { diff, ...rest } = value as Record<string, unknown>;
  const lines = typeof diff === "string" && diff !== ""
    ? diff.split("\n").map((line) => colour(printable(line, 200)))
    : (commandLines(rest) ?? JSON.stringify(rest, null, 2).split("\n"))
      .map((line) => printable(line, 400));
  const more = lines.length - MOST_LINES;
  return [...lines.slice(0, MOST_LINES), ...(more > 0 ? [`… ${more} more lines`] : [])]
    .map((line) => `  ${line}`).join("\n");
}

/** Of a preview of programs: each command, where it starts, and the variables that it is given; else null. */
function commandLines(
  { argv, commands, cwd, env }: Readonly<Record<string, unknown>>,
): readonly string[] | null {
  const all = isWords(argv) ? [argv] : Array.isArray(commands) ? commands : [];
  if (all.length === 0 || !all.every(isWords)) return null;
  return [
    ...all.map((words) => `$ ${words.map(shellWord).join(" ")}`),
    ...(typeof cwd === "string" && cwd !== "." ? [`in ${cwd}`] : []),
    ...(isWords(env) && env.length > 0 ? [`with ${env.join(", ")} set`] : []),
  ];
}

function isWords(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((word) => typeof word === "string");
}

/** A word that a shell reads as itself, quoted where it would not be (POSIX, Shell Command Language, 2.2.2). */
function shellWord(word: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
