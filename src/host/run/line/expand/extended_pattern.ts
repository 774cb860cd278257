/** Patterns of `[[ … == … ]]`: those of files, and alternatives (bash(1), Pattern Matching, extglob). */

import { ToolError } from "../../../../core/errors.ts";
import { compilePattern, only, readSet, type Test } from "./pattern.ts";

const STAR = Symbol("*");
/** `@(a|b)`: once, `?(…)`, `*(…)` and `+(…)` as often, `!(…)` what none of them is. */
interface Group {
  readonly operator: string;
  readonly alternatives: readonly Sequence[];
}
type Sequence = readonly (Test | typeof STAR | Group)[];

/** Positions that are gone through before a match is given up, and characters at most: some tens of milliseconds. */
const MOST_STEPS = 100_000;
const DEEPEST = 32;

/** Before a character that is to be plain. */
export function escapeExtended(text: string): string {
  return text.replace(/[\\*?[\]!^()|+@-]/g, "\\$&");
}

/** Whether a text is as the pattern says. Throws where that would take too long. */
export function matchesExtended(pattern: string, text: string, ignoresCase: boolean): boolean {
  if (!/[?*+@!]\(/.test(pattern.replace(/\\./gsu, ""))) {
    return compilePattern(pattern, ignoresCase).matches(text);
  }
  if (pattern.length + text.length > MOST_STEPS) throw tooMuch("is held against too long a text");
  const lower = (one: string) => ignoresCase ? one.toLowerCase() : one;
  const sequence = new Reader(lower(pattern)).sequence();
  const characters = [...lower(text)];
  return new Matcher(characters).after(sequence, new Set([0])).has(characters.length);
}

const any: Test = () => true;

function mayBeNothing({ operator, alternatives }: Group): boolean {
  return /[?*!]/.test(operator) ||
    alternatives.some((sequence) =>
      sequence.every((one) => one === STAR || (typeof one === "object" && mayBeNothing(one)))
    );
}

/** Whether a `*` stands at the end, with nothing but `?` behind it: there bash does not look at the text's very end. */
function isBehindStar(sequence: Sequence): boolean {
  const last = sequence.findLast((one) => one !== any);
  return last === STAR;
}

class Reader {
  readonly #characters: readonly string[];
  #at = 0;

  constructor(pattern: string) {
    this.#characters = [...pattern];
  }

  /** The pattern; within groups (`depth`) up to what ends an alternative. */
  sequence(depth = 0): Sequence {
    const found: (Test | typeof STAR | Group)[] = [];
    for (; this.#at < this.#characters.length; this.#at++) {
      const character = this.#characters[this.#at] as string;
      const next = this.#characters[this.#at + 1];
      const set = character === "[" ? readSet(this.#characters, this.#at) : null;
      if (depth > 0 && (character === "|" || character === ")")) return found;
      if ("?*+@!".includes(character) && next === "(") {
        const group = this.#group(character, depth + 1);
        if (isBehindStar(found) && mayBeNothing(group)) {
          throw odd("* before what may be nothing");
        }
        found.push(group);
      } else if (set !== null) {
        found.push(set.test);
        this.#at = set.end;
      } else if (depth > 0 && (character === "(" || character === "[")) {
        // Bash counts them where it looks for the end of a group, each by a way of its own.
        throw odd(`a ${character} that begins nothing`);
      } else if (character === "*") found.push(STAR);
      else if (character === "?") found.push(any);
      else if (character === "\\" && next !== undefined) {
        found.push(only(next));
        this.#at++;
      } else found.push(only(character));
    }
    if (depth > 0) throw odd("a bracket that is not closed");
    return found;
  }

  /** From its operator to its bracket. */
  #group(operator: string, depth: number): Group {
    if (depth > DEEPEST) throw tooMuch(`goes deeper than ${DEEPEST}`);
    const alternatives: Sequence[] = [];
    this.#at++;
    do {
      this.#at++;
      alternatives.push(this.sequence(depth));
    } while (this.#characters[this.#at] !== ")");
    if (alternatives.every(({ length }) => length === 0)) throw odd("no alternative");
    return { operator, alternatives };
  }
}

/** Follows all ways through a pattern at once: sets of places in the text, in the place of choices to take back. */
class Matcher {
  readonly #text: readonly string[];
  #steps = 0;

  constructor(text: readonly string[]) {
    this.#text = text;
  }

  /** Where one may be behind a sequence that begins at any of these places. */
  after(sequence: Sequence, starts: ReadonlySet<number>): ReadonlySet<number> {
    return sequence.reduce<ReadonlySet<number>>((places, one) => {
      this.#count(places.size);
      if (places.size === 0) return places;
      if (one === STAR) return this.#from(Math.min(...places));
      if (typeof one === "object") return this.#behind(one, places);
      const next = new Set<number>();
      for (const at of places) if (at < this.#text.length && one(this.#text[at]!)) next.add(at + 1);
      return next;
    }, starts);
  }

  #behind({ operator, alternatives }: Group, starts: ReadonlySet<number>): ReadonlySet<number> {
    const once = (from: ReadonlySet<number>): ReadonlySet<number> =>
      new Set(alternatives.flatMap((one) => [...this.after(one, from)]));
    if (operator === "@") return once(starts);
    if (operator === "?") return new Set([...starts, ...once(starts)]);
    if (operator === "!") {
      const found = new Set<number>();
      for (const start of starts) {
        const taken = once(new Set([start]));
        for (const end of this.#from(start)) if (!taken.has(end)) found.add(end);
      }
      return found;
    }
    const found = new Set(operator === "*" ? starts : []);
    for (let fresh = once(starts); fresh.size > 0;) {
      const added = new Set([...fresh].filter((at) => !found.has(at)));
      for (const at of added) found.add(at);
      fresh = added.size === 0 ? added : once(added);
    }
    return found;
  }

  #from(start: number): ReadonlySet<number> {
    this.#count(this.#text.length - start);
    return new Set(Array.from({ length: this.#text.length - start + 1 }, (_, at) => start + at));
  }

  #count(steps: number): void {
    this.#steps += steps + 1;
    if (this.#steps <= MOST_STEPS) return;
    throw tooMuch("takes too long here");
  }
}

/** What bash matches by how it goes through a pattern, and not by what that says. */
function odd(what: string): ToolError {
  return new ToolError(
    "COMMAND_UNPARSABLE",
    `the line was not run further: a pattern with alternatives holds ${what}; write [[ $NAME =~ … ]]`,
  );
}

function tooMuch(what: string): ToolError {
  return new ToolError(
    "RESOURCE_LIMIT",
    `a pattern with alternatives ${what}; write a regular expression ([[ $NAME =~ … ]]), or compare less`,
  );
}
