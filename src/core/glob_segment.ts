/** One segment of a glob, with wildcards: `*`, `?`, `[abc]`; matched without recursion. */

import { classEnd } from "./braces.ts";

/** A count of elementary comparisons, for tests that bound the work. */
export interface Steps {
  count: number;
}

interface CharacterClass {
  readonly negated: boolean;
  /** Inclusive ranges of code points. */
  readonly ranges: readonly (readonly [number, number])[];
}

const STAR = -1;
const ANY = -2;

/** A code point, STAR, ANY or a class. */
type Token = number | CharacterClass;

/** A segment with wildcards. `first`/`last`: the plain character it must begin or end with, if any. */
export interface SegmentPattern {
  readonly source: string;
  readonly tokens: readonly Token[];
  readonly first: string | null;
  readonly last: string | null;
}

/** Says what is wrong with a segment. */
export class SegmentError extends Error {
  override readonly name = "SegmentError";
}

/** The text of a segment without wildcards (escapes resolved), or its pattern. Throws {@linkcode SegmentError}. */
export function parseSegment(source: string): string | SegmentPattern {
  if (!/[*?[\\]/.test(source)) return source;
  const tokens: Token[] = [];
  let wild = false;
  let literal = "";
  let at = 0;
  while (at < source.length) {
    const character = String.fromCodePoint(source.codePointAt(at)!);
    if (character === "\\") {
      if (at + 1 >= source.length) throw new SegmentError("it ends in a lone backslash");
      const escaped = String.fromCodePoint(source.codePointAt(at + 1)!);
      literal += escaped;
      tokens.push(escaped.codePointAt(0)!);
      at += 1 + escaped.length;
      continue;
    }
    if (character === "*" || character === "?") {
      wild = true;
      const token = character === "*" ? STAR : ANY;
      if (token !== STAR || tokens[tokens.length - 1] !== STAR) tokens.push(token);
      at++;
    } else if (character === "[") {
      wild = true;
      const end = classEnd(source, at);
      if (end === -1) throw new SegmentError("[ is not closed; write \\[ for the character itself");
      tokens.push(parseClass(source.slice(at + 1, end - 1)));
      at = end;
    } else {
      literal += character;
      tokens.push(character.codePointAt(0)!);
      at += character.length;
    }
  }
  if (!wild) return literal;
  return { source, tokens, first: plain(tokens[0]), last: plain(tokens[tokens.length - 1]) };
}

function plain(token: Token | undefined): string | null {
  return typeof token === "number" && token >= 0 ? String.fromCodePoint(token) : null;
}

function parseClass(body: string): CharacterClass {
  const negated = body.startsWith("!") || body.startsWith("^");
  const points: { readonly point: number; readonly dash: boolean }[] = [];
  const characters = [...(negated ? body.slice(1) : body)];
  for (let index = 0; index < characters.length; index++) {
    let character = characters[index]!;
    if (character === "[" && ":.=".includes(characters[index + 1] ?? " ")) {
      throw new SegmentError(
        "named classes such as [:alpha:] are not known; write ranges, as in [a-z]",
      );
    }
    const dash = character === "-";
    if (character === "\\") character = characters[++index] ?? "\\";
    points.push({ point: character.codePointAt(0)!, dash });
  }
  const ranges: [number, number][] = [];
  for (let index = 0; index < points.length; index++) {
    const from = points[index]!.point;
    const to = points[index + 2];
    if (points[index + 1]?.dash && to !== undefined) {
      if (to.point < from) throw new SegmentError("a range in [] runs backwards; write [a-z]");
      ranges.push([from, to.point]);
      index += 2;
    } else {
      ranges.push([from, from]);
    }
  }
  if (ranges.length === 0) throw new SegmentError("[] holds no character");
  return { negated, ranges };
}

/**
 * Whether the whole of `name` matches. At most `name.length * tokens.length` steps: a mismatch goes
 * back to the last star alone, never further.
 */
export function matchesSegment(pattern: SegmentPattern, name: string, steps?: Steps): boolean {
  const { tokens } = pattern;
  let at = 0;
  let token = 0;
  let starToken = -1;
  let starAt = 0;
  while (at < name.length) {
    if (steps !== undefined) steps.count++;
    const wanted = tokens[token];
    if (wanted === STAR) {
      starToken = token++;
      starAt = at;
      continue;
    }
    const point = name.codePointAt(at)!;
    if (wanted !== undefined && accepts(wanted, point)) {
      token++;
      at += point > 0xffff ? 2 : 1;
      continue;
    }
    if (starToken === -1) return false;
    token = starToken + 1;
    starAt += name.codePointAt(starAt)! > 0xffff ? 2 : 1;
    at = starAt;
  }
  while (tokens[token] === STAR) token++;
  return token === tokens.length;
}

function accepts(token: Token, point: number): boolean {
  if (typeof token === "number") return token === ANY || token === point;
  for (const [from, to] of token.ranges) {
    if (point >= from && point <= to) return !token.negated;
  }
  return token.negated;
}

/** The pattern with its plain characters and the ends of its ranges folded by `fold`. */
export function foldSegment(
  pattern: SegmentPattern,
  fold: (text: string) => string,
): SegmentPattern {
  const tokens: Token[] = [];
  let run = "";
  const flush = () => {
    for (const character of fold(run)) tokens.push(character.codePointAt(0)!);
    run = "";
  };
  for (const token of pattern.tokens) {
    if (typeof token === "number" && token >= 0) {
      run += String.fromCodePoint(token);
      continue;
    }
    flush();
    tokens.push(typeof token === "number" ? token : foldClass(token));
  }
  flush();
  return {
    source: pattern.source,
    tokens,
    first: plain(tokens[0]),
    last: plain(tokens[tokens.length - 1]),
  };
}

/** Folded names are in lower case: a class also takes the lower-case forms of its ASCII capitals, and of single characters. */
function foldClass(original: CharacterClass): CharacterClass {
  const ranges: (readonly [number, number])[] = [...original.ranges];
  for (const [from, to] of original.ranges) {
    const low = Math.max(from, 0x41);
    const high = Math.min(to, 0x5a);
    if (low <= high) ranges.push([low + 0x20, high + 0x20]);
    if (from === to) {
      const lower = String.fromCodePoint(from).toLowerCase().codePointAt(0)!;
      ranges.push([lower, lower]);
    }
  }
  return { negated: original.negated, ranges };
}
