/** Expands `{a,b}` groups, nested ones too, into the plain alternatives: shared by globs and command patterns. */

/** What the expansion may come to; a pattern beyond it is a mistake or an attack on whoever loads it. */
const MAX_ALTERNATIVES = 1024;
const MAX_NESTING = 16;

/** What a brace is taken for: globs, the shell and policies differ. */
export interface BraceOptions {
  /** Braces and commas inside `[…]` are plain. */
  readonly classes: boolean;
  /** A group may have one alternative, which it then stands for. */
  readonly single?: boolean;
}

/** Says what is wrong with the pattern; the caller wraps it in its own error type. */
export class BraceError extends Error {
  override readonly name = "BraceError";
}

/**
 * The alternatives of `text` in order, escapes (`\x`) kept as they are.
 * Throws {@linkcode BraceError} on an unclosed or unopened brace, a group of one, or too many alternatives.
 */
export function expandBraces(text: string, options: BraceOptions): string[] {
  if (!text.includes("{") && !text.includes("}") && !text.includes("[")) return [text];
  // Policies have some hundred of these: a character at a time takes a start longer, and V8 compiles the loop for it.
  const plain = /[^\\[{},]+/y;
  let at = 0;

  function copyClass(): string {
    const end = classEnd(text, at);
    if (end === -1) throw new BraceError("[ is not closed; write \\[ for the character itself");
    const whole = text.slice(at, end);
    at = end;
    return whole;
  }

  function sequence(depth: number): string[] {
    let done = [""];
    while (at < text.length) {
      const character = text[at]!;
      if (depth > 0 && (character === "," || character === "}")) break;
      let pieces: string[];
      if (character === "\\") {
        pieces = [text.slice(at, at + 2)];
        at += 2;
      } else if (character === "[" && options.classes) {
        pieces = [copyClass()];
      } else if (character === "{") {
        pieces = group(depth + 1);
      } else if (character === "}") {
        throw new BraceError("} without its {; write \\} for the character itself");
      } else {
        plain.lastIndex = at;
        const [run] = plain.exec(text) ?? [character];
        at += run.length;
        pieces = [run];
      }
      if (done.length * pieces.length > MAX_ALTERNATIVES) throw tooMany();
      const [only] = pieces;
      done = pieces.length === 1
        ? done.map((start) => start + only)
        : done.flatMap((start) => pieces.map((piece) => start + piece));
    }
    return done;
  }

  function group(depth: number): string[] {
    if (depth > MAX_NESTING) {
      throw new BraceError(`more than ${MAX_NESTING} groups inside each other`);
    }
    at++;
    const alternatives: string[] = [];
    let count = 0;
    for (;;) {
      for (const alternative of sequence(depth)) alternatives.push(alternative);
      count++;
      if (alternatives.length > MAX_ALTERNATIVES) throw tooMany();
      if (at >= text.length) {
        throw new BraceError("{ is not closed; write \\{ for the character itself");
      }
      if (text[at++] === "}") break;
    }
    if (count < 2 && options.single !== true) {
      throw new BraceError(
        "a group needs two alternatives, as in {a,b}; write \\{ for the brace itself",
      );
    }
    return alternatives;
  }

  return sequence(0);
}

/** The index just after the `]` that closes the class opened at `start`, or -1. */
export function classEnd(text: string, start: number): number {
  let at = start + 1;
  if (text[at] === "!" || text[at] === "^") at++;
  if (text[at] === "]") at++;
  while (at < text.length) {
    if (text[at] === "\\") at += 2;
    else if (text[at] === "]") return at + 1;
    else at++;
  }
  return -1;
}

function tooMany(): BraceError {
  return new BraceError(`its groups come to more than ${MAX_ALTERNATIVES} alternatives`);
}
