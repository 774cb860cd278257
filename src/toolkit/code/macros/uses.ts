/**
 * Uses of macros that a grammar cannot place, since it does not know what they become: found by where they stand among
 * other words. `API int f(void);`, `BEGIN_NAMESPACE` on a line of its own, `each(list, i) {`.
 */

import type { MacroTable } from "../languages/language.ts";
import type { Part } from "./conditions.ts";
import { bracketsOf, PAUSE, TOKEN, type Token } from "./tokens.ts";

/** What to read in place of a part of the text: as long as that, or shorter and then filled up with blanks. */
export interface Edit extends Part {
  readonly by: string;
}

/** The words of a {@linkcode MacroTable}, to be looked up. */
export interface MacroWords {
  readonly isMacro: (name: string) => boolean;
  /** Whether the arguments of a macro may be code, and not types alone. */
  readonly isCode: (name: string) => boolean;
  readonly keywords: ReadonlySet<string>;
  readonly types: ReadonlySet<string>;
  readonly declares: ReadonlySet<string>;
  readonly typeKeys: ReadonlySet<string>;
}

/** Looks the table's words up once for all texts. */
export function macroWords(table: MacroTable): MacroWords {
  const shape = new RegExp(table.shape);
  const names = new Set(table.names);
  const types = new Set(table.types);
  const declares = new Set([...table.declares, ...table.typeKeys]);
  return {
    isCode: (name) => !names.has(name),
    isMacro: (name) => shape.test(name) || names.has(name),
    types,
    declares,
    typeKeys: new Set(table.typeKeys),
    keywords: new Set([...table.keywords, ...types, ...declares]),
  };
}

/** What a brace's code is: of files and namespaces, of a type, of a function, or values. */
type Room = "file" | "type" | "function" | "values";

/** Tokens looked back at for what a brace is of. */
const FAR = 40;

/** Macros in a row before a declaration. */
const MOST_MACROS = 8;

/** Directives that may be left out where no grammar takes them. */
const LOOSE: ReadonlySet<string> = new Set([
  "include",
  "pragma",
  "undef",
  "error",
  "warning",
  "line",
]);

/** Finds uses in the tokens that are left when conditions have been passed over. */
export function usesOfMacros(
  tokens: readonly Token[],
  words: MacroWords,
  pause: () => void,
): readonly Edit[] {
  return new Uses(tokens, words).find(pause);
}

class Uses {
  readonly #tokens: readonly Token[];
  readonly #words: MacroWords;
  readonly #partners: Int32Array;
  readonly #edits: Edit[] = [];
  readonly #rooms: Room[] = ["file"];
  /** The last token that was passed over: what stands behind it begins where it began. */
  #passed = -1;
  #begins = true;

  constructor(tokens: readonly Token[], words: MacroWords) {
    this.#tokens = tokens;
    this.#words = words;
    this.#partners = bracketsOf(tokens);
  }

  find(pause: () => void): readonly Edit[] {
    for (let at = 0; at < this.#tokens.length; at++) {
      if (at % PAUSE === 0) pause();
      const { type, text } = this.#tokens[at] as Token;
      if (type === TOKEN.sign) {
        if (text === "{") this.#rooms.push(this.#roomOf(at));
        else if (text === "}" && this.#rooms.length > 1) this.#rooms.pop();
      } else if (type === TOKEN.directive) {
        const isWithin = this.#rooms.at(-1) === "values" ||
          ["=", "(", ","].includes(this.#text(at - 1));
        if (isWithin && LOOSE.has(text)) this.#pass(at, at, false);
      } else if (type === TOKEN.word) {
        const last = this.#take(at, text);
        if (last >= at) at = last;
      }
    }
    return this.#edits;
  }

  #text(at: number): string {
    const token = this.#tokens[at];
    return token === undefined || token.type === TOKEN.directive ? "" : token.text;
  }

  /** The bracket's other half; -1 where there is none. */
  #partner(at: number): number {
    return this.#partners[at] ?? -1;
  }

  #isWord(at: number): boolean {
    return this.#tokens[at]?.type === TOKEN.word;
  }

  /** A word that is none of the language's own. */
  #isName(at: number): boolean {
    const token = this.#tokens[at];
    return token?.type === TOKEN.word && !this.#words.keywords.has(token.text);
  }

  #isMacro(at: number): boolean {
    return this.#isName(at) && this.#words.isMacro(this.#text(at));
  }

  /** Whether a statement, or a declaration, begins here. */
  #isStart(at: number): boolean {
    if (at === 0 || (at - 1 === this.#passed && this.#begins)) return true;
    const before = this.#tokens[at - 1] as Token;
    if (before.type === TOKEN.directive) return true;
    if (before.text === ":") return this.#text(at - 2) !== ")" && this.#text(at - 2) !== "?";
    return before.text === ";" || before.text === "{" || before.text === "}";
  }

  #pass(first: number, last: number, begins: boolean): number {
    // Word by word: comments among them stay what they are.
    for (const { start, end } of this.#tokens.slice(first, last + 1)) {
      this.#edits.push({ start, end, by: "" });
    }
    this.#passed = last;
    this.#begins = begins;
    return last;
  }

  /** The last token of a use that begins here, and was seen to; -1 where none does. */
  #take(at: number, text: string): number {
    const { types, typeKeys, declares } = this.#words;
    if (typeKeys.has(text)) return this.#betweenKeyAndName(at);
    if (!this.#isName(at)) return -1;
    const before = this.#text(at - 1);
    if (before === "::" || before === "." || before === "->" || before === "#") return -1;
    const begins = this.#isStart(at);
    const next = at + 1;
    const follows = this.#text(next);
    if (types.has(follows)) return this.#pass(at, at, begins);
    const isMacro = this.#words.isMacro(text);
    const last = follows === "(" ? this.#partner(next) : at;
    if (last < 0) return -1;
    // What `va_arg` takes for a type no grammar takes for an argument.
    if (isMacro && last > next + 1 && !this.#words.isCode(text)) {
      this.#pass(next + 1, last - 1, false);
      return last;
    }
    const taken = isMacro ? this.#macro(at, last, begins) : -1;
    if (taken >= 0) return taken;
    if (last > at && begins && this.#rooms.at(-1) === "function") {
      // `each(list, i) {`, `every(1000) call();`: a call, and then a statement.
      const behind = this.#text(last + 1);
      if (behind === "{" || this.#isWord(last + 1)) return this.#endStatement(last);
    }
    if (this.#isName(next) && !declares.has(follows)) return this.#threeNames(at, begins);
    return -1;
  }

  /** `class API Name {` */
  #betweenKeyAndName(key: number): number {
    const at = key + 1;
    // `enum : unsigned long {`, of which the grammar of C++ takes one word.
    const colon = this.#text(at) === ":" ? at : at + 1;
    if (this.#text(colon) === ":" && this.#words.types.has(this.#text(colon + 2))) {
      let last = colon + 1;
      while (this.#words.types.has(this.#text(last + 1))) last++;
      return this.#pass(colon + 1, last - 1, false);
    }
    if (!this.#isMacro(at)) return -1;
    const last = this.#text(at + 1) === "(" ? this.#partner(at + 1) : at;
    if (last < 0 || !this.#isName(last + 1)) return -1;
    const behind = this.#text(last + 2);
    const hasBody = behind === "{" || behind === ":" || behind === "final" || behind === "<";
    return hasBody ? this.#pass(at, last, false) : -1;
  }

  /** A word in the shape of a macro, `last` of its arguments where it has some. */
  #macro(at: number, last: number, begins: boolean): number {
    const next = last + 1;
    const follows = this.#text(next);
    const before = this.#text(at - 1);
    const room = this.#rooms.at(-1);
    const hasArguments = last > at;
    if (this.#declaresBehind(next)) return this.#pass(at, last, begins);
    if (before === "<" || before === ",") {
      if (hasArguments && this.#isTemplate(at)) return this.#replace(at, last, "int");
    }
    if (this.#isString(at - 1) || (hasArguments && this.#isString(next))) {
      return this.#pass(at, last, false);
    }
    const isAlone = this.#isAlone(last, next) && (hasArguments || !this.#isType(next));
    if (begins && isAlone && follows !== "{") {
      return room === "function" ? this.#endStatement(last) : this.#pass(at, last, true);
    }
    if (room !== "function" && room !== "values" && this.#isBehindDeclarator(at)) {
      if ([";", "{", "=", ":", ""].includes(follows) || this.#isMacro(next)) {
        return this.#pass(at, last, false);
      }
    }
    if (hasArguments && this.#isName(next) && before !== ")") {
      // A type, of which the name alone is left.
      return this.#pass(at + 1, last, false);
    }
    if (!hasArguments && this.#isDeclared(this.#behindMacros(next))) {
      return this.#pass(at, at, begins);
    }
    if (!hasArguments && room !== "function" && this.#isName(next) && !begins) {
      const { types } = this.#words;
      if (types.has(before) || before === "*" || before === "&") return this.#pass(at, at, false);
    }
    return -1;
  }

  /** The first token that is no more a macro's use. */
  #behindMacros(first: number): number {
    let at = first;
    for (let count = 0; count < MOST_MACROS && this.#isMacro(at); count++) {
      const last = this.#text(at + 1) === "(" ? this.#partner(at + 1) : at;
      if (last < 0) return at;
      at = last + 1;
    }
    return at;
  }

  /** `type (*name)(…)`, `type& operator=(…)`, `Type(…) : field(…)` */
  #isDeclared(at: number): boolean {
    if (!this.#isName(at)) return false;
    const end = this.#endOfTypeName(at);
    if (this.#text(end) === "operator") return true;
    if (this.#text(end) !== "(") return false;
    if (this.#text(end + 1) === "*") return true;
    const close = this.#partner(end);
    return close > 0 && [":", "noexcept"].includes(this.#text(close + 1));
  }

  /** A declaration's own words, perhaps behind more macros. */
  #declaresBehind(first: number): boolean {
    const at = this.#behindMacros(first);
    const text = this.#text(at);
    if (text === "~" || this.#words.types.has(text)) return true;
    if (text !== "const") return this.#words.declares.has(text);
    const behind = this.#text(at + 2);
    return this.#words.types.has(this.#text(at + 1)) ||
      (this.#isName(at + 1) && (["*", "&", "::", "<"].includes(behind) || this.#isName(at + 2)));
  }

  /** Of three names in a row, or of two of which a type's is long, the first is none: `API Type name`. */
  #threeNames(at: number, begins: boolean): number {
    const second = at + 1;
    const end = this.#endOfTypeName(second);
    if (end < 0 || !this.#isName(end)) return -1;
    if (["final", "override"].includes(this.#text(end))) return -1;
    const before = this.#text(at - 1);
    if (this.#isMacro(end) && !this.#words.isMacro(this.#text(at))) {
      // `size_t used GUARDED_BY(mutex);`
      const last = this.#text(end + 1) === "(" ? this.#partner(end + 1) : end;
      if (last >= end && [";", "="].includes(this.#text(last + 1))) {
        return this.#pass(end, last, false);
      }
    }
    if (before === "=" || before === "return") return this.#pass(second, second, false);
    // `TYPE API name(…)`, but `API API type name(…)`
    const isType = end === second + 1 && this.#isMacro(second) &&
      !this.#isName(this.#endOfTypeName(end));
    return isType ? this.#pass(second, second, false) : this.#pass(at, at, begins);
  }

  /** Behind `a::b<c> *&`. */
  #endOfTypeName(start: number): number {
    let at = start + 1;
    while (this.#text(at) === "::" && this.#isName(at + 1)) at += 2;
    if (this.#text(at) === "<") {
      let depth = 0;
      for (const first = at; at < first + FAR; at++) {
        const text = this.#text(at);
        if (text === "<") depth++;
        else if (text === ">" && --depth === 0) break;
        else if (text === "" || text === ";" || text === "{") return -1;
      }
      if (depth !== 0) return -1;
      at++;
    }
    if (at === start + 1 && this.#text(at) !== "*" && this.#text(at) !== "&") return at;
    while (["*", "&", "&&"].includes(this.#text(at))) at++;
    return at;
  }

  /** `)`, `]`, or a name, of what a declaration declares. */
  #isBehindDeclarator(at: number): boolean {
    const before = this.#text(at - 1);
    // `char *const NAME = "";`: that of a pointer, which has its name behind it.
    if (before === "const" && ["*", "&"].includes(this.#text(at - 2))) return false;
    if (["const", "noexcept", "override", "final", "]"].includes(before)) return true;
    if (before !== ")") {
      return this.#isName(at - 1) &&
        (this.#isName(at - 2) || ["*", "&", ">"].includes(this.#text(at - 2)) ||
          (this.#text(at - 2) === "const" && ["*", "&"].includes(this.#text(at - 3))) ||
          this.#words.types.has(this.#text(at - 2)));
    }
    const open = this.#partner(at - 1);
    return open > 0 && (this.#isName(open - 1) || this.#text(open - 1) === ")");
  }

  /** The name of a type in a line of its own, as GNU writes it: a declaration follows. */
  #isType(at: number): boolean {
    return (this.#isName(at) && ["(", ";", "=", "[", ","].includes(this.#text(at + 1))) ||
      ["*", "(", "::", "<", "=", ".", "->", "[", ";", ")", ","].includes(this.#text(at));
  }

  #isTemplate(at: number): boolean {
    let depth = 1;
    for (let back = at - 1; back > Math.max(0, at - FAR); back--) {
      const text = this.#text(back);
      if (text === ">") depth++;
      else if (text === "<" && --depth === 0) return this.#text(back - 1) === "template";
      else if (text === ";" || text === "{" || text === "}") return false;
    }
    return false;
  }

  /** Whether what comes next begins anew in another line. */
  #isAlone(last: number, next: number): boolean {
    const token = this.#tokens[next];
    if (token === undefined || token.type === TOKEN.directive || token.text === "}") return true;
    const isBeginning = token.type === TOKEN.word || ["~", "[", "::"].includes(token.text);
    return isBeginning && token.line > (this.#tokens[last] as Token).line;
  }

  #isString(at: number): boolean {
    const token = this.#tokens[at];
    return token?.type === TOKEN.literal && token.text === '"';
  }

  #replace(at: number, last: number, by: string): number {
    const { start } = this.#tokens[at] as Token;
    this.#edits.push({ start, end: (this.#tokens[last] as Token).end, by });
    this.#passed = last;
    this.#begins = false;
    return last;
  }

  /** A `;` in the blank behind a token. */
  #endStatement(last: number): number {
    const { end } = this.#tokens[last] as Token;
    const next = this.#tokens[last + 1];
    if (next === undefined || next.start === end) return -1;
    this.#edits.push({ start: end, end: end + 1, by: ";" });
    this.#passed = last;
    this.#begins = true;
    return last;
  }

  #roomOf(at: number): Room {
    const before = this.#text(at - 1);
    const around = this.#rooms.at(-1) ?? "file";
    if (["=", ",", "(", "[", "return"].includes(before) || around === "values") return "values";
    if (before === ")" || before === "else" || before === "do" || around === "function") {
      return "function";
    }
    for (let back = at - 1; back >= Math.max(0, at - FAR); back--) {
      const text = this.#text(back);
      if (text === "" && this.#tokens[back]?.type === TOKEN.directive) break;
      if ([";", "{", "}"].includes(text)) break;
      if (text === "namespace" || text === "extern") return "file";
      if (text === "enum") return "values";
      if (this.#words.typeKeys.has(text)) return "type";
    }
    return around === "file" || around === "type" ? "function" : around;
  }
}
