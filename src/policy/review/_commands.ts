/** Rules on commands that can never be the ones that decide. */

import { absolute } from "../../core/path_text.ts";
import type { PlacedPolicy } from "../_settings.ts";
import { matchesText, type TextPattern } from "../match/text_pattern.ts";
import { parseCommandPattern, type TokenPattern } from "../match/argv.ts";
import type { CommandRule } from "../model.ts";
import { type Budget, spend } from "./_budget.ts";
import { textCovers } from "./_text_alphabet.ts";
import { cited, type PolicyWarning, quotedPattern, type RuleName } from "./_warning.ts";

/** One way to write one word of a pattern. */
type Word = string | TextPattern;

/** One of the plain patterns that a pattern with `{a,b}` stands for. `words[0]` is the program. */
interface Alternative {
  readonly words: readonly Word[];
  readonly exact: boolean;
  /** Whether options may stand before its second word, where it denies or asks. */
  readonly skips: boolean;
  readonly name: RuleName;
}

interface Entry {
  readonly rule: CommandRule;
  readonly name: RuleName;
  /** `commands[3].allow[0]` */
  readonly key: string;
  readonly text: string;
  /** Null where there are more than can be compared. */
  readonly alternatives: readonly Alternative[] | null;
}

/** Plain patterns that one pattern is taken apart into at most. */
const MOST_ALTERNATIVES = 256;

/** Patterns that never decide: all they match is caught by stricter ones, or an earlier rule says the same. */
export function reviewCommands(
  policies: readonly PlacedPolicy[],
  reviewed: number,
  budget: Budget,
): readonly PolicyWarning[] {
  const entries = policies.map(entriesOf);
  const denying = new PatternIndex(budget);
  const restricting = new PatternIndex(budget);
  for (const effect of ["deny", "ask"] as const) {
    for (const { rule, alternatives } of entries.flat()) {
      // What one leaves to others it does not decide.
      if (rule.effect !== effect || rule.except !== undefined) continue;
      for (const alternative of alternatives ?? []) {
        if (effect === "deny") denying.add(alternative);
        restricting.add(alternative);
      }
    }
  }
  const warnings: PolicyWarning[] = [];
  entries.slice(0, reviewed).forEach((own, policy) => {
    const earlier = {
      allow: new PatternIndex(budget),
      ask: new PatternIndex(budget),
      deny: new PatternIndex(budget),
    };
    for (const { rule: { effect, risk, except }, name, key, text, alternatives } of own) {
      if (alternatives === null) continue;
      const warn = (message: string) =>
        warnings.push({ policy, key, message: `${quotedPattern(text)} ${message}` });
      const denied = effect === "deny"
        ? null
        : denying.covering(alternatives, effect === "ask" ? "restricting" : "granting");
      const asked = effect === "allow" ? restricting.covering(alternatives, "granting") : null;
      // One that says how risky they may be says more than the one before it.
      const same = risk !== undefined || except !== undefined ? null : earlier[effect].covering(
        alternatives,
        effect === "allow" ? "equal" : "restricting",
      );
      const beyond = effect === "deny" ? null : notGranted(alternatives, entries.slice(0, policy));
      if (denied !== null) {
        warn(`can never ${effect}: ${cited(denied, name)} denies all that it matches`);
      } else if (asked !== null) {
        warn(`can never allow: ${cited(asked, name)} asks for, or denies, all that it matches`);
      } else if (beyond !== null) {
        warn(
          `can never ${effect}: ${beyond} allows none of what it matches, and a further policy can only tighten`,
        );
      } else if (same !== null) {
        warn(`never decides: ${cited(same, name)} says the same before it`);
      } else if (except === undefined) {
        for (const alternative of alternatives) earlier[effect].add(alternative);
      }
    }
  });
  return warnings;
}

function entriesOf(
  { policy: { commands }, workspace, source }: PlacedPolicy,
  policy: number,
): readonly Entry[] {
  return (commands ?? []).flatMap((rule, order) =>
    rule.patterns.map((text, at): Entry => {
      const name = { policy, source, index: `commands[${order}]` };
      const key = `commands[${order}].${rule.effect}[${at}]`;
      return { rule, name, key, text, alternatives: alternativesOf(text, rule, name, workspace) };
    })
  );
}

function alternativesOf(
  text: string,
  { exact }: CommandRule,
  name: RuleName,
  workspace: string,
): readonly Alternative[] | null {
  const { tokens } = parseCommandPattern(text);
  const second = tokens[1]?.literals ?? new Set();
  const skips = ![...second].some((word) => word.startsWith("-"));
  let lists: (readonly Word[])[] = [[]];
  for (const [at, token] of tokens.entries()) {
    const words = wordsOf(token, at === 0 ? workspace : null);
    if (lists.length * words.length > MOST_ALTERNATIVES) return null;
    lists = lists.flatMap((list) => words.map((word) => [...list, word]));
  }
  return lists.map((words) => ({ words, exact, skips, name }));
}

/** `workspace`: the word is a program, whose paths start there. */
function wordsOf({ literals, wild }: TokenPattern, workspace: string | null): readonly Word[] {
  const plain = [...literals].map((literal) =>
    workspace !== null && literal.includes("/") ? absolute(literal, workspace) : literal
  );
  return [...plain, ...wild];
}

function isWild(word: Word): word is TextPattern {
  return typeof word !== "string";
}

function holdsSlash(word: Word): boolean {
  return typeof word === "string"
    ? word.includes("/")
    : word.pieces.some((piece) => piece.includes("/"));
}

/**
 * How the patterns of the index and the one that is asked about are looked up: `granting`: that one only as it is
 * written, those of the index loosely; `restricting`: both loosely; `equal`: both as they are written.
 */
type Comparison = "granting" | "restricting" | "equal";

/** Patterns by program and second word. */
class PatternIndex {
  readonly #budget: Budget;
  readonly #byProgram = new Map<
    string,
    { rest: Alternative[]; bySecond: Map<string, Alternative[]> }
  >();
  readonly #wild: Alternative[] = [];

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  add(alternative: Alternative): void {
    const [program, second] = alternative.words;
    if (program === undefined) return;
    if (isWild(program)) {
      this.#wild.push(alternative);
      return;
    }
    let found = this.#byProgram.get(program);
    if (found === undefined) {
      this.#byProgram.set(program, found = { rest: [], bySecond: new Map() });
    }
    if (second === undefined || isWild(second)) found.rest.push(alternative);
    else {
      const same = found.bySecond.get(second);
      if (same === undefined) found.bySecond.set(second, [alternative]);
      else same.push(alternative);
    }
  }

  /** The rules that take, one or another, each of the alternatives; null where that could not be shown. */
  covering(alternatives: readonly Alternative[], by: Comparison): ReadonlySet<RuleName> | null {
    const used = new Set<RuleName>();
    for (const narrow of alternatives) {
      const wide = this.#candidates(narrow).find((candidate) =>
        spend(this.#budget, narrow.words.length) && coversAll(candidate, narrow, by, this.#budget)
      );
      if (wide === undefined) return null;
      used.add(wide.name);
    }
    return used;
  }

  #candidates({ words: [program, second] }: Alternative): readonly Alternative[] {
    if (program === undefined) return [];
    if (isWild(program)) return this.#wild;
    const found = this.#byProgram.get(program);
    const seconds = second === undefined || isWild(second) ? [] : found?.bySecond.get(second) ?? [];
    return [...found?.rest ?? [], ...seconds, ...this.#wild];
  }
}

/** Whether `wide` surely takes every command that `narrow` takes. */
function coversAll(
  wide: Alternative,
  narrow: Alternative,
  by: Comparison,
  budget: Budget,
): boolean {
  const { length } = wide.words;
  if (wide.exact ? !narrow.exact || narrow.words.length !== length : narrow.words.length < length) {
    return false;
  }
  if (by === "restricting" && narrow.skips && !wide.skips && length > 1) return false;
  return wide.words.every((word, at) => {
    const other = narrow.words[at] as Word;
    return at === 0 ? coversProgram(word, other, budget) : coversWord(word, other, budget);
  });
}

/** Patterns with a slash are for paths, those without for names; what else they may be is left open. */
function coversProgram(wide: Word, narrow: Word, budget: Budget): boolean {
  if (isWild(wide)) {
    if (wide.any) return true;
    return !holdsSlash(wide) && !holdsSlash(narrow) && coversWord(wide, narrow, budget);
  }
  return wide === narrow;
}

function coversWord(wide: Word, narrow: Word, budget: Budget): boolean {
  if (!isWild(wide)) return wide === narrow;
  if (wide.any) return true;
  return isWild(narrow) ? textCovers(wide, narrow, budget) : matchesText(wide, narrow);
}

/** The name of a policy before that allows nothing of it; null where each may. */
function notGranted(
  alternatives: readonly Alternative[],
  before: readonly (readonly Entry[])[],
): string | null {
  for (const [policy, entries] of before.entries()) {
    if (entries.length === 0 && policy > 0) continue;
    const met = entries.some((entry) =>
      entry.rule.effect !== "deny" &&
      (entry.alternatives === null ||
        entry.alternatives.some((theirs) => alternatives.some((own) => mayShare(own, theirs))))
    );
    if (!met) return entries[0]?.name.source ?? "the first policy";
  }
  return null;
}

/** Two programs may be one where a path or a wildcard stands for either. */
function mayShare(a: Alternative, b: Alternative): boolean {
  const [one, other] = [a.words[0], b.words[0]];
  if (
    typeof one === "string" && typeof other === "string" && !one.includes("/") &&
    !other.includes("/") && one !== other
  ) return false;
  return a.words.every((word, at) => {
    const theirs = b.words[at];
    if (at === 0 || theirs === undefined) return true;
    return isWild(word) || isWild(theirs) || word === theirs;
  });
}
