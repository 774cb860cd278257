/** How much there is to read in a script, before anybody reads it: parsers take time by words and signs, not by length. */

/** Of one line, scripts within it included; 32,500 `<<E` took the parser 4 s, 60,000 words a third of one. */
export const MOST_PIECES = 10_000;

/** What a here-document counts for. */
const DOCUMENT_PIECES = 100;

/** Expansions in braces, one in the other: 4,000 that are never closed took the parser 90 ms. */
const MOST_OPEN = 500;

/** What is part of a word, or of a path, however long. */
const PLAIN = /[\w./,:@%-]+/y;
/** Where a here-document is named: its delimiter, quoted or not. */
const DOCUMENT = /<<(-?)[ \t]*(?:'([^'\n]*)'|"([^"\n]*)"|\\?([\w.+-]+))/y;
/** What begins something within double quotes or a here-document. */
const SIGNS = /[$`\\]/g;

/**
 * Signs, blanks and beginnings of quotes in a script, and the signs within double quotes and here-documents: at least as
 * many as it has words and operators. A script that is read otherwise (of another shell, or one that is none) may count
 * for more. Ends counting soon after `most`.
 */
export function piecesOf(source: string, most = MOST_PIECES): number {
  if (isOpenTooOften(source)) return most + 1;
  let count = 0;
  let at = 0;
  /** Here-documents whose bodies begin behind the next newline. */
  let waiting: { readonly delimiter: string; readonly strips: boolean; readonly plain: boolean }[] =
    [];
  const signsIn = (text: string) => {
    for (const _ of text.matchAll(SIGNS)) if (++count > most) return;
  };
  while (at < source.length && count <= most) {
    PLAIN.lastIndex = at;
    if (PLAIN.test(source)) {
      at = PLAIN.lastIndex;
      continue;
    }
    count++;
    const character = source[at];
    if (character === "'") at = endOf(source, "'", at + 1);
    else if (character === '"') {
      const end = quoteEnd(source, at + 1);
      signsIn(source.slice(at + 1, end));
      at = end;
    } else if (character === "\\") at += 2;
    else if (source.startsWith("<<<", at)) at += 3;
    else if (character === "<") {
      DOCUMENT.lastIndex = at;
      const found = DOCUMENT.exec(source);
      if (found !== null) {
        // The parser, and the end of it here, look through all that follows for each.
        count += DOCUMENT_PIECES;
        const [, strips, single, double, bare] = found;
        const plain = bare === undefined || source[DOCUMENT.lastIndex - bare.length - 1] === "\\";
        const delimiter = single ?? double ?? bare ?? "";
        waiting.push({ delimiter, strips: strips === "-", plain });
      }
      at = found === null ? at + 1 : DOCUMENT.lastIndex;
    } else if (character === "\n") {
      at++;
      for (const { delimiter, strips, plain } of waiting) {
        const end = bodyEnd(source, at, delimiter, strips);
        if (!plain) signsIn(source.slice(at, end));
        at = end;
      }
      waiting = [];
    } else at++;
  }
  return count;
}

/** Wherever they stand: what is no expansion is closed as often, or seldom opened. */
function isOpenTooOften(source: string): boolean {
  let open = 0;
  for (const [sign] of source.matchAll(/\$\{|\}/g)) {
    open = sign === "}" ? Math.max(0, open - 1) : open + 1;
    if (open > MOST_OPEN) return true;
  }
  return false;
}

/** Behind the next of that character, or at the end. */
function endOf(source: string, character: string, from: number): number {
  const found = source.indexOf(character, from);
  return found === -1 ? source.length : found + 1;
}

function quoteEnd(source: string, from: number): number {
  for (let at = source.indexOf('"', from); at !== -1; at = source.indexOf('"', at + 1)) {
    let slashes = 0;
    while (source[at - 1 - slashes] === "\\" && at - 1 - slashes >= from) slashes++;
    if (slashes % 2 === 0) return at + 1;
  }
  return source.length;
}

/** Behind the line that ends a here-document; at its beginning where none does. */
function bodyEnd(source: string, from: number, delimiter: string, strips: boolean): number {
  for (let at = source.indexOf(delimiter, from); at !== -1;) {
    const end = at + delimiter.length;
    let start = at;
    while (strips && start > from && source[start - 1] === "\t") start--;
    const whole = source[start - 1] === "\n" && (end === source.length || source[end] === "\n");
    if (whole) return Math.min(end + 1, source.length);
    at = end < source.length ? source.indexOf(delimiter, at + 1) : -1;
  }
  return from;
}
