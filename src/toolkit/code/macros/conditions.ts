/**
 * `#if … #else … #endif` in a text. A grammar takes them where statements and declarations may stand, and in each branch
 * code that is whole. Where a branch is not, or the directives stand within something else, one branch is read alone, as a
 * compiler does: the first, as ctags does.
 */

import { bracketsOf, TOKEN, type Token } from "./tokens.ts";

/** A part of a text: where it begins, and ends. */
export interface Part {
  readonly start: number;
  readonly end: number;
}

/** What to pass over. */
export interface OddConditions {
  /** Directives, and branches that are not read. */
  readonly passed: readonly Part[];
  /** How many of the branches have code in them. */
  readonly dropped: number;
}

interface Group {
  /** Its directives so far, as places among the tokens. */
  readonly directives: number[];
  readonly depth: number;
  /** Its first branch's depth where that ends. */
  first: number | null;
  isOdd: boolean;
  /** The depth up to which its branch has closed brackets. */
  lowest: number;
}

const BEGINS: ReadonlySet<string> = new Set(["if", "ifdef", "ifndef"]);
const PARTS: ReadonlySet<string> = new Set(["elif", "else", "elifdef", "elifndef"]);

/** Behind these a statement, or a declaration, has ended. */
const ENDS: ReadonlySet<string> = new Set([";", "}", "{", ":"]);
/** Behind these a brace begins a list of values. */
const VALUES: ReadonlySet<string> = new Set(["=", "(", ",", "[", "return"]);

/** Tokens looked back at for what a brace is of. */
const FAR = 8;

/** Conditions that stand, or break off, in the midst of something. `isMacro`: by the name. */
export function oddConditions(
  text: string,
  tokens: readonly Token[],
  isMacro: (name: string) => boolean,
): OddConditions {
  const passed: Part[] = [];
  let dropped = 0;
  const groups: Group[] = [];
  const partners = bracketsOf(tokens);
  /** Whether each open bracket is one in which no directive may stand. */
  const brackets: boolean[] = [];
  const isWhole = (at: number): boolean => {
    const before = tokens[at - 1];
    if (before === undefined || before.type === TOKEN.directive || ENDS.has(before.text)) {
      return true;
    }
    const name = before.text === ")" ? tokens[(partners[at - 1] as number) - 1] : before;
    return name?.type === TOKEN.word && isMacro(name.text);
  };
  for (const [at, token] of tokens.entries()) {
    const group = groups.at(-1);
    if (token.type === TOKEN.sign) {
      if (token.text === "{") brackets.push(isList(tokens, at, brackets.at(-1) === true));
      else if (token.text === "(" || token.text === "[") brackets.push(true);
      else if (")]}".includes(token.text)) {
        brackets.pop();
        if (group !== undefined) group.lowest = Math.min(group.lowest, brackets.length);
      }
    }
    if (token.type !== TOKEN.directive) continue;
    if (BEGINS.has(token.text)) {
      const depth = brackets.length;
      const isOdd = brackets.at(-1) === true || !isWhole(at);
      groups.push({ directives: [at], depth, first: null, isOdd, lowest: depth });
    } else if (group !== undefined && (PARTS.has(token.text) || token.text === "endif")) {
      group.directives.push(at);
      const isEven = brackets.length === group.depth && group.lowest === group.depth;
      if (!isEven || !isWhole(at)) group.isOdd = true;
      group.first ??= brackets.length;
      const isOver = token.text === "endif";
      // What comes next goes on from where the condition began; what comes behind it, from what its first branch left.
      const depth = isOver ? group.first : group.depth;
      while (brackets.length < depth) brackets.push(false);
      brackets.length = depth;
      group.lowest = depth;
      if (!isOver) continue;
      groups.pop();
      const around = groups.at(-1);
      if (around !== undefined) around.lowest = Math.min(around.lowest, depth);
      if (group.isOdd) dropped += passOver(text, tokens, group, passed);
    }
  }
  return { passed, dropped };
}

/** Its directives, and all of its branches but one: how many of those have something in them. */
function passOver(
  text: string,
  tokens: readonly Token[],
  { directives }: Group,
  passed: Part[],
): number {
  let dropped = 0;
  const [first = 0] = directives;
  const condition = text.slice(tokens[first]?.start, tokens[first]?.end);
  const read = directives.length > 2 && /^#[ \t]*if[ \t]+0\b/.test(condition) ? 1 : 0;
  for (const [branch, at] of directives.entries()) {
    passed.push(tokens[at] as Token);
    const next = directives[branch + 1];
    if (branch === read || next === undefined) continue;
    // Word by word: comments among them stay what they are.
    for (let within = at + 1; within < next; within++) passed.push(tokens[within] as Token);
    if (next > at + 1) dropped++;
  }
  return dropped;
}

/** Whether a brace begins a list of values, or of an enumeration's names. */
function isList(tokens: readonly Token[], at: number, isWithinList: boolean): boolean {
  const before = tokens[at - 1];
  if (before === undefined) return false;
  if (VALUES.has(before.text)) return true;
  if (isWithinList && before.text === "{") return true;
  for (let back = at - 1; back >= Math.max(0, at - FAR); back--) {
    const { type, text } = tokens[back] as Token;
    if (type === TOKEN.directive || ENDS.has(text) && text !== ":") return false;
    if (text === "enum") return true;
  }
  return false;
}
