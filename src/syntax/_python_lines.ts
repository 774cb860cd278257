/** Follows strings and brackets through a Python text that the parser has judged, or fails to. */

/** A bracket, or the quotes that end a string, in which `format` lets `{` begin an expression. */
interface Opened {
  readonly at: number;
  readonly end: string;
  readonly kind: "bracket" | "string" | "format";
  /** Whether a string with expressions is open around it: no comment begins there. */
  readonly inFormat: boolean;
}

const CLOSING: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };
/** A string's prefix and quotes (Lexical analysis, "String and Bytes literals"). */
const STRING = /(?:(?<![\p{L}\p{N}_])([rbuft]{1,2}))?("""|'''|"|')/iuy;

/**
 * Offset of the first bracket that is still open where the text ends, in UTF-16 code units. Null where there is
 * none, and where the brackets do not match: then nothing can be said. `onLine` is told where each line begins
 * that goes on nothing before it: no bracket, no string, no backslash.
 */
export function findOpenBracket(
  text: string,
  onLine: (start: number) => void = () => {},
): number | null {
  const open: Opened[] = [];
  let at = 0;
  onLine(0);
  while (at < text.length) {
    const inner = open.at(-1);
    const inFormat = inner !== undefined && (inner.inFormat || inner.kind === "format");
    const character = text[at] ?? "";
    if (inner !== undefined && inner.kind !== "bracket") {
      at = inString(text, at, inner, open);
    } else if (character === inner?.end) {
      open.pop();
      at++;
    } else if (character in CLOSING) {
      open.push({ at, end: CLOSING[character] ?? "", kind: "bracket", inFormat });
      at++;
    } else if (character === ")" || character === "]" || character === "}") {
      return null;
    } else if (character === "#" && !inFormat) {
      at = lineEnd(text, at);
    } else if (character === "\\") {
      at += text.startsWith("\r\n", at + 1) ? 3 : 2;
    } else if (character === "\n" || character === "\r") {
      at += text.startsWith("\r\n", at) ? 2 : 1;
      if (inner === undefined) onLine(at);
    } else {
      at = afterCode(text, at, open, inFormat);
    }
  }
  return open.find(({ kind }) => kind === "bracket")?.at ?? null;
}

/** Python's lines end with `\n`, `\r` or both. */
function lineEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== "\n" && text[at] !== "\r") at++;
  return at;
}

/** Past one character of code, or into the string that begins there. */
function afterCode(text: string, at: number, open: Opened[], inFormat: boolean): number {
  STRING.lastIndex = at;
  const found = STRING.exec(text);
  if (found === null) return at + 1;
  const [whole, prefix = "", quotes = ""] = found;
  open.push({ at, end: quotes, kind: /[ft]/i.test(prefix) ? "format" : "string", inFormat });
  return at + whole.length;
}

function inString(text: string, at: number, { end, kind }: Opened, open: Opened[]): number {
  if (text.startsWith(end, at)) {
    open.pop();
    return at + end.length;
  }
  const character = text[at];
  if (character === "\\") return at + 2;
  // No string of one line goes on: the parser has seen it end, or says itself that it does not.
  if (character === "\n" && end.length === 1) open.pop();
  if (kind === "format" && character === "{") {
    if (text[at + 1] === "{") return at + 2;
    open.push({ at, end: "}", kind: "bracket", inFormat: true });
  }
  return at + 1;
}
