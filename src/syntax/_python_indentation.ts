/** Compares indentations of tabs and spaces as CPython's tokenizer does (Parser/lexer/lexer.c, `tok_get_normal_mode`). */

import { findOpenBracket } from "./_python_lines.ts";

/** A tab goes to the next multiple of eight, and counts as one character: both readings must lead to one order. */
interface Indentation {
  readonly column: number;
  readonly characters: number;
}

const TAB = 8;
/** MAXINDENT, which counts the lines that are not indented as a level. */
const MOST_LEVELS = 100;

/** Only texts with these can be judged otherwise by CPython than by the parser here. */
const WORTH_A_LOOK = /^[ \f]*\t|^[ \t\f]{99}/m;

/** The first line of a text that parses whose indentation CPython refuses: offset in UTF-16 code units, and why. */
export function findIndentationProblem(
  text: string,
): { readonly offset: number; readonly message: string } | null {
  if (!WORTH_A_LOOK.test(text)) return null;
  const levels: Indentation[] = [{ column: 0, characters: 0 }];
  let found: { readonly offset: number; readonly message: string } | null = null;
  findOpenBracket(text, (start) => {
    if (found !== null) return;
    const { length, ...indentation } = measure(text, start);
    if (/^(?:[#\r\n]|$)/.test(text.slice(start + length, start + length + 1))) return;
    const message = enter(levels, indentation);
    if (message !== null) found = { offset: start + length, message };
  });
  return found;
}

/** Goes to the level of a line. Null, or why there is none. */
function enter(levels: Indentation[], { column, characters }: Indentation): string | null {
  const top = (): Indentation => levels.at(-1) ?? { column: 0, characters: 0 };
  if (column > top().column) {
    if (characters <= top().characters) return MIXED;
    if (levels.length >= MOST_LEVELS) return "more than 99 levels of indentation";
    levels.push({ column, characters });
    return null;
  }
  while (column < top().column) levels.pop();
  if (column !== top().column) {
    return "the indentation is that of no line that this one could belong to";
  }
  return characters === top().characters ? null : MIXED;
}

const MIXED = "tabs and spaces are mixed: how deep this line is depends on the width of a tab";

function measure(text: string, start: number): Indentation & { readonly length: number } {
  let column = 0;
  let characters = 0;
  let at = start;
  for (;; at++) {
    const character = text[at];
    if (character === " ") column++;
    else if (character === "\t") column = (Math.floor(column / TAB) + 1) * TAB;
    else if (character !== "\f") return { column, characters, length: at - start };
    characters++;
    if (character === "\f") column = characters = 0;
  }
}
