/** Text with `*` for any run of characters: tokens of commands and names of agents. */

/** The plain pieces between the stars, the first anchored at the start, the last at the end. */
export interface TextPattern {
  readonly pieces: readonly string[];
  /** The pattern is `*` alone. */
  readonly any: boolean;
  /** Count of plain characters: how specific the pattern is. */
  readonly weight: number;
}

/** The plain text (escapes resolved) where there is no star, else the pattern. */
export function parseText(source: string): string | TextPattern {
  const pieces = source.includes("\\") ? splitEscaped(source) : source.split("*");
  const [only] = pieces;
  if (only !== undefined && pieces.length === 1) return only;
  const weight = pieces.reduce((sum, one) => sum + one.length, 0);
  return { pieces, any: weight === 0, weight };
}

function splitEscaped(source: string): readonly string[] {
  const pieces: string[] = [];
  let piece = "";
  for (let at = 0; at < source.length; at++) {
    const character = source[at]!;
    if (character === "\\" && at + 1 < source.length) piece += source[++at];
    else if (character === "*") {
      pieces.push(piece);
      piece = "";
    } else piece += character;
  }
  pieces.push(piece);
  return pieces;
}

/** Whether the whole text matches. Taking each piece at its first place is right where stars are the only wildcard. */
export function matchesText(pattern: TextPattern, text: string): boolean {
  const { pieces } = pattern;
  const first = pieces[0]!;
  const last = pieces[pieces.length - 1]!;
  if (text.length < first.length + last.length) return false;
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  const end = text.length - last.length;
  let at = first.length;
  for (let index = 1; index < pieces.length - 1; index++) {
    const found = text.indexOf(pieces[index]!, at);
    if (found === -1) return false;
    at = found + pieces[index]!.length;
    if (at > end) return false;
  }
  return at <= end;
}
