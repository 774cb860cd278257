/**
 * Long texts of a call's input on their way to its thread: each follows the message in pieces that are made when there is
 * room for them, so that 15 MB of escapes take nobody's turn (JSON.stringify: 80 ms at once, 320 of halves of letters).
 */

/** An input with marks in place of its long texts, and these in the order of their marks. */
export interface ParsedOut {
  readonly input: unknown;
  readonly texts: readonly string[];
}

/** Characters of a text that is sent by itself, and of its pieces: some 0.3 ms, 1.5 of halves of letters. */
const PIECE = 1 << 16;
/** Begins a mark; where an input has marks, any text that begins so is sent with one more. */
const MARK = "\0";
/** Ends a text: JSON writes line ends as escapes. */
const END = "\n";

/** The input itself where there is nothing long in it. */
export function takeTexts(input: unknown): ParsedOut {
  if (!isLong(input)) return { input, texts: [] };
  const texts: string[] = [];
  const marked = replaced(input, (text) => {
    if (text.length <= PIECE) return text.startsWith(MARK) ? MARK + text : text;
    texts.push(text);
    return `${MARK}${texts.length - 1}`;
  });
  return { input: marked, texts };
}

/** What follows the header of a message with these texts. */
export function* piecesOf(texts: readonly string[]): Generator<string, void> {
  for (const text of texts) {
    yield `${END}"`;
    for (let at = 0; at < text.length; at += PIECE) {
      yield JSON.stringify(text.slice(at, at + PIECE)).slice(1, -1);
    }
    yield '"';
  }
}

/** The input as it was. `lines`: what came behind the header. */
export function putTexts(input: unknown, lines: string): unknown {
  const texts = lines.split(END).map((line) => JSON.parse(line) as string);
  return replaced(input, (text) => {
    if (!text.startsWith(MARK)) return text;
    return text.startsWith(MARK + MARK) ? text.slice(1) : texts[Number(text.slice(1))] ?? "";
  });
}

function isLong(value: unknown): boolean {
  if (typeof value === "string") return value.length > PIECE;
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(isLong);
  for (const name in value) if (isLong((value as Record<string, unknown>)[name])) return true;
  return false;
}

/** A copy with other texts. Inputs are checked by a schema: they are as deep as that lets them be. */
function replaced(value: unknown, other: (text: string) => string): unknown {
  if (typeof value === "string") return other(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => replaced(one, other));
  const copy: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    const put = replaced(member, other);
    if (name !== "__proto__") copy[name] = put;
    else Object.defineProperty(copy, name, { value: put, enumerable: true });
  }
  return copy;
}
