/** Reads a JavaScript regular expression as far as a search has to understand it, and tells foreign syntax by name. */

import {
  FOREIGN_ESCAPES,
  ForeignSyntax,
  HOW_TO_WRITE_A_BACKSLASH,
  POSIX_CLASSES,
} from "./_foreign.ts";

/** A part of an expression. `text` is one character; `any` something that is not looked into. */
export type Part =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "oneOf"; readonly texts: readonly string[] }
  | { readonly kind: "any" }
  /** Stands between characters: `^`, `\b`, lookaround. */
  | { readonly kind: "between" }
  | { readonly kind: "sequence"; readonly parts: readonly Part[] }
  | { readonly kind: "choice"; readonly parts: readonly Part[] }
  | { readonly kind: "repeat"; readonly part: Part; readonly min: number; readonly max: number };

const ANY: Part = { kind: "any" };
const BETWEEN: Part = { kind: "between" };

/** Deeper nesting is not looked into: nobody writes it, and reading it takes stack. */
const MAX_DEPTH = 100;
/** Larger classes are as good as any character. */
const MAX_CLASS = 4;

const CONTROLS: Readonly<Record<string, string>> = {
  t: "\t",
  n: "\n",
  v: "\v",
  f: "\f",
  r: "\r",
};

/**
 * The parts of an expression that JavaScript compiles, with the flag `u` or without. Throws
 * {@linkcode ForeignSyntax}; what it does not understand is `any`.
 */
export function readExpression(source: string, unicode: boolean): Part {
  return new Reader(source, unicode).whole();
}

class Reader {
  readonly #source: string;
  readonly #unicode: boolean;
  #at = 0;

  constructor(source: string, unicode: boolean) {
    this.#source = source;
    this.#unicode = unicode;
  }

  whole(): Part {
    const part = this.#choice(0);
    // A `)` too many: the compiler says so.
    return this.#at < this.#source.length ? ANY : part;
  }

  #take(text: string): boolean {
    if (!this.#source.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #match(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.#source);
    if (found !== null) this.#at += found[0].length;
    return found;
  }

  #choice(depth: number): Part {
    const parts = [this.#sequence(depth)];
    while (this.#take("|")) parts.push(this.#sequence(depth));
    return parts.length === 1 ? parts[0] as Part : { kind: "choice", parts };
  }

  #sequence(depth: number): Part {
    const parts: Part[] = [];
    while (this.#at < this.#source.length && !"|)".includes(this.#source[this.#at] as string)) {
      parts.push(this.#repeated(this.#single(depth)));
    }
    return { kind: "sequence", parts };
  }

  #repeated(part: Part): Part {
    const upTo = this.#match(/\{,(\d+)\}/y);
    if (upTo !== null) throw new ForeignSyntax(`${upTo[0]} is not known; write {0,${upTo[1]}}`);
    const found = this.#match(/(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})([?+]?)/y);
    if (found === null) return part;
    const [whole, sign, least, comma, most, more] = found;
    if (more === "+") {
      throw new ForeignSyntax(`${whole} (possessive) is not known; write ${whole.slice(0, -1)}`);
    }
    if (sign !== undefined) {
      return {
        kind: "repeat",
        part,
        min: sign === "+" ? 1 : 0,
        max: sign === "?" ? 1 : Infinity,
      };
    }
    const min = Number(least);
    const max = comma === undefined ? min : most === "" ? Infinity : Number(most);
    return { kind: "repeat", part, min, max };
  }

  #single(depth: number): Part {
    const point = this.#source.codePointAt(this.#at) ?? 0;
    const character = String.fromCodePoint(point);
    this.#at += character.length;
    switch (character) {
      case "(":
        return this.#group(depth + 1);
      case "[":
        return this.#class();
      case ".":
        return ANY;
      case "^":
      case "$":
        return BETWEEN;
      case "\\":
        return this.#escape();
    }
    return this.#text(character);
  }

  /** Without the flag `u` a character of two units is two, and a sign behind it is for the second. */
  #text(character: string): Part {
    return character.length > 1 && !this.#unicode ? ANY : { kind: "text", text: character };
  }

  #group(depth: number): Part {
    let wrap = (part: Part): Part => part;
    if (this.#take("?")) {
      const kind = this.#match(/[:=!]|<[=!]|<[^>]*>|[a-z]*(?:-[a-z]*)?:/yi)?.[0];
      if (kind === undefined) throw this.#foreignGroup();
      // Lookaround; and flags that hold in the group alone.
      if (/^(?:[=!]|<[=!])$/.test(kind)) wrap = () => BETWEEN;
      else if (kind !== ":" && !kind.startsWith("<")) wrap = () => ANY;
    } else if (this.#source[this.#at] === "*") {
      throw new ForeignSyntax("(*…) verbs are not known; leave it out");
    }
    const part = depth > MAX_DEPTH ? this.#skipGroup() : this.#choice(depth);
    this.#take(")");
    return wrap(part);
  }

  #foreignGroup(): ForeignSyntax {
    const rest = this.#source.slice(this.#at);
    if (rest.startsWith(">")) {
      return new ForeignSyntax("(?>…) (atomic) is not known; write (?:…)");
    }
    if (/^P[<=>]/.test(rest)) {
      return new ForeignSyntax("(?P…) is not known; write (?<name>…) and \\k<name>");
    }
    if (rest.startsWith("#")) return new ForeignSyntax("(?#…) is not known; leave it out");
    const flags = /^([a-zA-Z]+)(?:-[a-zA-Z]+)?\)/.exec(rest)?.[1];
    if (flags !== undefined) {
      return new ForeignSyntax(
        `(?${flags}) is taken at the very start alone, with i, m, s or u; write (?i:…) around a part`,
      );
    }
    return new ForeignSyntax("a group that begins with (? and this is not known; write (?:…)");
  }

  /** To the end of the group that was begun. */
  #skipGroup(): Part {
    for (let open = 1; this.#at < this.#source.length; this.#at++) {
      const character = this.#source[this.#at];
      if (character === "\\") this.#at++;
      else if (character === "[") {
        this.#at++;
        this.#class();
        this.#at--;
      } else if (character === "(") open++;
      else if (character === ")" && --open === 0) break;
    }
    return ANY;
  }

  #escape(): Part {
    const point = this.#source.codePointAt(this.#at) ?? 0;
    const character = String.fromCodePoint(point);
    this.#at += character.length;
    if (/[dDsSwWpP]/.test(character)) {
      if (/[pP]/.test(character)) this.#match(/\{[^}]*\}/y);
      return ANY;
    }
    if (/[bB]/.test(character)) return BETWEEN;
    if (/[1-9k]/.test(character)) {
      this.#match(/\d+|<[^>]*>/y);
      return ANY;
    }
    const text = this.#escapedText(character);
    return text === null ? ANY : this.#text(text);
  }

  /** What an escape stands for, in a class or outside; null where that is more than one character. */
  #escapedText(character: string): string | null {
    const control = CONTROLS[character];
    if (control !== undefined) return control;
    switch (character) {
      case "0":
        return this.#match(/\d+/y) === null ? "\0" : null;
      case "c":
        this.#match(/[A-Za-z]/y);
        return null;
      case "x":
        return this.#codePoint(/([0-9a-fA-F]{2})/y, "\\x takes two digits, as in \\x41; write");
      case "u": {
        const long = this.#unicode ? /\{([0-9a-fA-F]{1,6})\}|([0-9a-fA-F]{4})/y : null;
        return this.#codePoint(long ?? /([0-9a-fA-F]{4})/y, "\\u takes four digits; write");
      }
    }
    if (!/[A-Za-z]/.test(character)) return character;
    throw new ForeignSyntax(
      `\\${character} is not known; ${FOREIGN_ESCAPES[character] ?? HOW_TO_WRITE_A_BACKSLASH}`,
    );
  }

  #codePoint(digits: RegExp, otherwise: string): string | null {
    const found = this.#match(digits);
    if (found === null) throw new ForeignSyntax(`${otherwise} \\u{1f600} for any other character`);
    const point = parseInt(found[1] ?? found[2] ?? "", 16);
    const surrogate = point >= 0xd800 && point <= 0xdfff;
    return surrogate || point > 0x10ffff ? null : String.fromCodePoint(point);
  }

  /** Behind `[`, up to and with the `]`. */
  #class(): Part {
    const negated = this.#take("^");
    const texts: (string | null)[] = [];
    let range = false;
    while (this.#at < this.#source.length && !this.#take("]")) {
      const posix = this.#match(/\[:\^?([a-z]+):\]/y)?.[1];
      if (posix !== undefined) {
        const members = POSIX_CLASSES[posix] ?? "…";
        throw new ForeignSyntax(`[:${posix}:] is not known; write [${members}]`);
      }
      const point = this.#source.codePointAt(this.#at) ?? 0;
      const character = String.fromCodePoint(point);
      this.#at += character.length;
      if (character === "\\") texts.push(this.#classEscape());
      else {
        range ||= character === "-";
        texts.push(character.length > 1 && !this.#unicode ? null : character);
      }
    }
    const known = texts.filter((text) => text !== null);
    const some = known.length === texts.length && known.length <= MAX_CLASS && known.length > 0;
    return some && !negated && !range ? { kind: "oneOf", texts: known } : ANY;
  }

  #classEscape(): string | null {
    const point = this.#source.codePointAt(this.#at) ?? 0;
    const character = String.fromCodePoint(point);
    this.#at += character.length;
    if (/[pP]/.test(character)) this.#match(/\{[^}]*\}/y);
    if (/[bBdDsSwWpPkq1-9]/.test(character)) return null;
    return this.#escapedText(character);
  }
}
