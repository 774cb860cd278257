/** Splitting what words became into fields (POSIX, 2.6.5; bash(1), Word Splitting). */

import { escapePattern } from "./pattern.ts";

/**
 * A piece of an expanded word: as it is, a pattern, what is split and may hold patterns, or the place between two
 * words (`"$@"`).
 */
export interface Piece {
  readonly kind: "plain" | "pattern" | "split" | "break";
  readonly text: string;
}

const BLANKS = " \t\n";

/** Fields as patterns, what was plain escaped. `separators`: IFS. */
export function fieldsOf(pieces: readonly Piece[], separators: string): readonly string[] {
  const fields: string[] = [];
  let field: string | null = null;
  const finish = (): void => {
    if (field !== null) fields.push(field);
    field = null;
  };
  for (const { kind, text } of pieces) {
    if (kind === "break") finish();
    else if (kind === "plain") field = (field ?? "") + escapePattern(text);
    else if (kind === "pattern") field = (field ?? "") + text;
    else {
      for (let at = 0; at < text.length;) {
        const start = at;
        while (at < text.length && !separators.includes(text[at]!)) at++;
        // A backslash that was expanded is a character like others.
        if (at > start) field = (field ?? "") + text.slice(start, at).replaceAll("\\", "\\\\");
        if (at === text.length) break;
        // Blanks with one other separator among them are one; another begins the next.
        let hard = false;
        for (; at < text.length && separators.includes(text[at]!); at++) {
          if (BLANKS.includes(text[at]!)) continue;
          if (hard) break;
          hard = true;
        }
        if (hard) field ??= "";
        finish();
      }
    }
  }
  finish();
  return fields;
}
