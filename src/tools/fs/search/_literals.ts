/** Texts of which every match of an expression holds one: what lets a search pass over most files unread. */

import type { Part } from "./_syntax.ts";

/** Flags of the expression, as far as they bear on its literals. */
export interface LiteralOptions {
  /** The expression ignores case: texts come in lower case, of ASCII characters alone. */
  readonly ignoreCase: boolean;
  /** It has the flag `u`. */
  readonly unicode: boolean;
}

/** Of the texts of a group a match holds one. */
export type Group = readonly string[];

/** What must stand in whatever an expression matches. */
export interface Literals {
  /** A match holds one text of each group, the group that tells most first; none where nothing is known. */
  readonly groups: readonly Group[];
  /** Whatever holds a text of the first group matches, and begins there. */
  readonly sufficient: boolean;
}

/** What is known of the matches of a part. */
interface Known {
  /** All texts that it matches, with nothing else to it (`sure`) or if what stands around allows it. */
  readonly exact: Group | null;
  readonly sure: boolean;
  readonly holds: readonly Group[];
}

/** Further groups tell little. */
const MOST_GROUPS = 3;
/** Each text is sought in each file: a few are quicker than the expression, many are not. */
const MOST_TEXTS = 8;
/** Longer ones are cut: the rest would tell hardly more. */
const LONGEST = 64;
/** So many repetitions are written out. */
const MOST_REPEATS = 4;

const NOTHING_KNOWN: Known = { exact: null, sure: false, holds: [] };
const EMPTY: Known = { exact: [""], sure: true, holds: [] };

/**
 * Texts of which each line that the expression matches holds some, none of them empty. With `ignoreCase` it holds them
 * in some mixture of cases.
 */
export function requiredLiterals(part: Part, options: LiteralOptions): Literals {
  const { exact, sure, holds } = knownOf(part, options);
  const own = usable(exact);
  const groups = best(own === null ? holds : [own]).map((group) => [...new Set(group)]);
  // What ends a line is no part of it, though it stands in the text.
  const sufficient = own !== null && sure && !own.some((text) => text.includes("\r"));
  return { groups, sufficient };
}

/** Whether no match lies in one line: each would hold a line break. */
export function needsLineBreak(part: Part): boolean {
  switch (part.kind) {
    case "text":
      return part.text === "\n";
    case "oneOf":
      return part.texts.every((text) => text === "\n");
    case "sequence":
      return part.parts.some(needsLineBreak);
    case "choice":
      return part.parts.every(needsLineBreak);
    case "repeat":
      return part.min > 0 && needsLineBreak(part.part);
  }
  return false;
}

function knownOf(part: Part, options: LiteralOptions): Known {
  switch (part.kind) {
    case "text":
      return exactly([part.text], options);
    case "oneOf":
      return exactly(part.texts, options);
    case "any":
      return NOTHING_KNOWN;
    case "between":
      return { ...EMPTY, sure: false };
    case "sequence":
      return sequence(part.parts.map((one) => knownOf(one, options)));
    case "choice":
      return choice(part.parts.map((one) => knownOf(one, options)));
    case "repeat":
      return repeated(knownOf(part.part, options), part.min, part.max);
  }
}

function exactly(texts: Group, options: LiteralOptions): Known {
  if (!texts.every((text) => isCertain(text, options))) return NOTHING_KNOWN;
  const exact = options.ignoreCase ? texts.map((text) => text.toLowerCase()) : texts;
  return { exact, sure: true, holds: [] };
}

/**
 * Whether the bytes of a file show the character wherever its text has it: U+FFFD also stands for bytes that are no
 * UTF-8. Without regard to case ASCII letters alone are sought, and with `u` not those that are folded with others
 * (CaseFolding.txt: U+017F with s, U+212A with k).
 */
function isCertain(character: string, { ignoreCase, unicode }: LiteralOptions): boolean {
  if (!character.isWellFormed() || character === "\ufffd" || character === "\n") return false;
  return !ignoreCase || (character < "\x80" && !(unicode && /[ks]/i.test(character)));
}

function sequence(parts: readonly Known[]): Known {
  const holds: Group[] = [];
  // What the exact parts since the last one that was not come to.
  let run: Group = [""];
  let whole = true;
  const close = (next: Group) => {
    const group = usable(run);
    if (group !== null) holds.push(group);
    run = next;
  };
  for (const { exact, holds: inner } of parts) {
    const longer = exact === null ? null : product(run, exact);
    if (longer !== null) {
      run = longer;
      continue;
    }
    whole = false;
    close(exact ?? [""]);
    holds.push(...inner);
  }
  if (whole) return { exact: run, sure: parts.every(({ sure }) => sure), holds: [] };
  close([]);
  return { exact: null, sure: false, holds: best(holds) };
}

function choice(parts: readonly Known[]): Known {
  const exact = together(parts.map((part) => part.exact));
  if (exact !== null) return { exact, sure: parts.every(({ sure }) => sure), holds: [] };
  const group = together(parts.map((part) => usable(part.exact) ?? part.holds[0] ?? null));
  return { exact: null, sure: false, holds: group === null ? [] : [group] };
}

function repeated(part: Known, min: number, max: number): Known {
  const { exact } = part;
  if (exact !== null && max <= 1) {
    return min === 1 ? part : max === 0 ? EMPTY : choice([part, EMPTY]);
  }
  if (exact !== null && min === max && min <= MOST_REPEATS) {
    return sequence(Array.from({ length: min }, () => part));
  }
  if (min === 0) return NOTHING_KNOWN;
  if (exact === null) return { ...NOTHING_KNOWN, holds: part.holds };
  // One is held for sure, and so are so many in a row.
  const row = sequence(Array.from({ length: Math.min(min, MOST_REPEATS) }, () => part));
  const group = usable(row.exact ?? exact);
  return { ...NOTHING_KNOWN, holds: group === null ? [] : [group] };
}

/** Every text of one followed by every text of the other; null where that is too much. */
function product(first: Group, second: Group): Group | null {
  if (first.length * second.length > MOST_TEXTS) return null;
  const texts = first.flatMap((start) => second.map((end) => start + end));
  return texts.every((text) => text.length <= LONGEST) ? texts : null;
}

/** Null where one of them is, or there are too many. */
function together(groups: readonly (Group | null)[]): Group | null {
  const texts: string[] = [];
  for (const group of groups) {
    if (group === null) return null;
    texts.push(...group);
  }
  const distinct = [...new Set(texts)];
  return distinct.length <= MOST_TEXTS ? distinct : null;
}

function usable(texts: Group | null): Group | null {
  return texts === null || texts.length === 0 || texts.includes("") ? null : texts;
}

/** Those that fewest files hold, as far as one can tell from outside. */
function best(groups: readonly Group[]): readonly Group[] {
  return groups.toSorted((a, b) => worth(b) - worth(a)).slice(0, MOST_GROUPS);
}

/** Long texts are rare; each further one makes a hit likelier. */
function worth(texts: Group): number {
  return Math.min(...texts.map(weightOf)) - Math.log2(texts.length);
}

/** As many letters as it is worth: blanks stand everywhere, capitals, digits and signs are rarer than letters. */
function weightOf(text: string): number {
  let weight = 0;
  for (const character of text) {
    weight += /[ \t]/.test(character) ? 0.3 : /[a-z(){};.,]/.test(character) ? 1 : 1.4;
  }
  return weight;
}
