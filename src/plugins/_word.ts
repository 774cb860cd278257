/** The words of a command template: `{name}`, `{name...}`, `{-name}`, and `{{` `}}` for braces themselves. */

import type { Placeholder, Word } from "./manifest.ts";

/** What is wrong with a word, to follow on its place. */
export class WordError extends Error {
  override readonly name = "WordError";
}

/** Names that parameters may have: those that a placeholder can name. */
export const PARAMETER_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

const PLACEHOLDER = /^(-?)([A-Za-z_][A-Za-z0-9_]{0,63})((?:\.\.\.)?)$/;

/** Throws {@linkcode WordError}. */
export function parseWord(text: string): Word {
  const pieces: (string | Placeholder)[] = [];
  let plain = "";
  for (let at = 0; at < text.length;) {
    const character = text[at] ?? "";
    if ((character === "{" || character === "}") && text[at + 1] === character) {
      plain += character;
      at += 2;
    } else if (character === "{") {
      const end = text.indexOf("}", at);
      if (end === -1) throw new WordError("has a { that nothing closes; write {{ for the brace");
      if (plain !== "") pieces.push(plain);
      plain = "";
      pieces.push(parsePlaceholder(text.slice(at + 1, end)));
      at = end + 1;
    } else if (character === "}") {
      throw new WordError("has a } that nothing opens; write }} for the brace");
    } else {
      plain += character;
      at++;
    }
  }
  if (plain !== "") pieces.push(plain);
  if (pieces.length > 1 && pieces.filter(isPlaceholder).length > 1 && pieces.some(isEach)) {
    throw new WordError("has another placeholder beside {name...}, which stands for many words");
  }
  return pieces;
}

function parsePlaceholder(text: string): Placeholder {
  const [, dash, parameter, each] = PLACEHOLDER.exec(text) ?? [];
  if (parameter === undefined) {
    throw new WordError(
      "has a placeholder that names no parameter; write {name}, {name...} for a list, " +
        "{-name} where it may begin with a dash, and {{ for the brace",
    );
  }
  return { parameter, each: each !== "", dash: dash !== "" };
}

/** Whether a piece of a word stands for an argument. */
export function isPlaceholder(piece: string | Placeholder): piece is Placeholder {
  return typeof piece !== "string";
}

function isEach(piece: string | Placeholder): boolean {
  return isPlaceholder(piece) && piece.each;
}

/** The placeholders of a word, in their order. */
export function placeholdersOf(word: Word): readonly Placeholder[] {
  return word.filter(isPlaceholder);
}

/** The text of a word that has no placeholders; null where it has some. */
export function literalText(word: Word): string | null {
  return word.some(isPlaceholder) ? null : word.join("");
}
