/** Text for a terminal: made harmless, measured in columns, cut and wrapped. */

import { once } from "../../core/once.ts";

export { printableText as plain } from "../../core/printable.ts";

/** Characters that take two columns: East Asian wide ones, and pictures (Unicode, UAX #11 and UTS #51). */
const wide = once(() =>
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18aff}\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u
);
/** Characters that take none: marks on the one before, and joiners. */
const narrow = once(() => /[\p{Mn}\p{Me}\p{Cf}]/u);

// deno-lint-ignore no-control-regex
const ASCII = /^[\x00-\x7f]*$/;

function columnsOf(character: string): number {
  return narrow().test(character) ? 0 : wide().test(character) ? 2 : 1;
}

/** Columns that a line of text takes. */
export function textWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += columnsOf(character);
  return width;
}

/** The text cut to `width` columns, its end (or beginning) replaced by `…` where something is missing. */
export function clip(text: string, width: number, keep: "start" | "end" = "start"): string {
  if (text.length <= width && ASCII.test(text)) return text;
  if (textWidth(text) <= width) return text;
  if (width < 1) return "";
  const characters = [...text];
  if (keep === "end") characters.reverse();
  const kept: string[] = [];
  let used = 1;
  for (const character of characters) {
    used += columnsOf(character);
    if (used > width) break;
    kept.push(character);
  }
  return keep === "end" ? `…${kept.reverse().join("")}` : `${kept.join("")}…`;
}

/** Words in lines of at most `width` columns; a longer word has a line of its own. */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/[ \n]+/)) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && textWidth(longer) > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}
