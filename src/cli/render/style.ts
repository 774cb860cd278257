/** Colours, by what they mean, as ECMA-48 writes them (SGR); none where the screen wants none. */

import type { Screen } from "./screen.ts";

/** Each takes text without escape sequences. */
export interface Style {
  heading(text: string): string;
  faint(text: string): string;
  failure(text: string): string;
  added(text: string): string;
  removed(text: string): string;
  place(text: string): string;
}

const PLAIN = (text: string): string => text;

const NO_STYLE: Style = {
  heading: PLAIN,
  faint: PLAIN,
  failure: PLAIN,
  added: PLAIN,
  removed: PLAIN,
  place: PLAIN,
};

const COLOURS: Style = {
  heading: (text) => sgr("1", text),
  faint: (text) => sgr("2", text),
  failure: (text) => sgr("1;31", text),
  added: (text) => sgr("32", text),
  removed: (text) => sgr("31", text),
  place: (text) => sgr("36", text),
};

/** The colours of a screen, or none. */
export function styleOf({ colour }: Screen): Style {
  return colour ? COLOURS : NO_STYLE;
}

function sgr(code: string, text: string): string {
  return text === "" ? "" : `\x1b[${code}m${text}\x1b[0m`;
}

/** A line of a unified diff. */
export function diffLine(line: string, style: Style): string {
  if (line.startsWith("+++") || line.startsWith("---")) return style.heading(line);
  if (line.startsWith("@@")) return style.place(line);
  if (line.startsWith("+")) return style.added(line);
  return line.startsWith("-") ? style.removed(line) : line;
}
