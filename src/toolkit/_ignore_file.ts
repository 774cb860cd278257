/** One ignore file, compiled (gitignore(5)): which of its lines speaks last of a name. */

import { DEEP, type GlobPlace, type GlobSegment, startOf } from "../core/glob.ts";
import {
  matchesSegment,
  parseSegment,
  SegmentError,
  type SegmentPattern,
} from "../core/glob_segment.ts";

/** What an ignore file says of an entry; null where no line names it. */
export type IgnoreVerdict = "ignored" | "kept" | null;

/** An ignore file as one directory sees it. */
export interface IgnoreView {
  verdict(name: string, isDirectory: boolean): IgnoreVerdict;
  /** As the directory of that name sees it, this one where that is alike; null where it can say nothing below. */
  into(name: string): IgnoreView | null;
}

/** The number of the last line for directories alone, and of the last for all entries; -1 for none. */
interface Last {
  all: number;
  directories: number;
}

const NEVER: Readonly<Last> = { all: -1, directories: -1 };

/** A line with wildcards that is held against names. */
interface NameRule {
  readonly number: number;
  readonly directories: boolean;
  readonly pattern: SegmentPattern;
  /** What each name that matches holds: quicker to look for. */
  readonly piece: string;
}

type Line = Pick<NameRule, "number" | "directories">;

/** A line that is held against paths: where it stands. */
interface PathRule {
  readonly number: number;
  readonly directories: boolean;
  readonly place: GlobPlace;
}

/** The lines that are held against names, wherever they stand. Most are plain names and endings: they are looked up. */
interface NameRules {
  readonly names: Map<string, Last>;
  /** Which lengths they have: most names of files need no look. */
  readonly nameLengths: Set<number>;
  readonly endings: Map<string, Last>;
  /** Which lengths the endings have that end in a unit. */
  readonly endingLengths: Map<number, number[]>;
  /** `*` */
  readonly everything: Last;
  readonly patterns: NameRule[];
  /** Which lines begin with `!`. */
  readonly negated: boolean[];
}

/** No path is longer (PATH_MAX, linux/limits.h). */
const LONGEST = 4096;

const ANYTHING = parseSegment("*");

/** Compiles an ignore file for the directory that it lies in; null where no line of it says anything. */
export function compileIgnoreFile(bytes: Uint8Array): IgnoreView | null {
  const rules: NameRules = {
    names: new Map(),
    nameLengths: new Set(),
    endings: new Map(),
    endingLengths: new Map(),
    everything: { ...NEVER },
    patterns: [],
    negated: [],
  };
  const paths: PathRule[] = [];
  for (const text of new TextDecoder().decode(bytes).split("\n")) addLine(rules, paths, text);
  return viewOf(rules, paths);
}

function addLine(rules: NameRules, paths: PathRule[], text: string): void {
  let line = trimmed(text);
  if (line.startsWith("#")) return;
  const negated = line.startsWith("!");
  if (negated) line = line.slice(1);
  const directories = line.endsWith("/");
  if (directories) line = line.slice(0, -1);
  if (line === "" || line.length > LONGEST) return;
  const number = rules.negated.length;
  rules.negated.push(negated);
  try {
    if (line.includes("/")) {
      paths.push({ number, directories, place: startOf([segmentsOf(line)]) });
    } else addName(rules, line, { number, directories });
  } catch (error) {
    // A class that is not closed, a lone backslash: such a line matches nothing.
    if (!(error instanceof SegmentError)) throw error;
  }
}

function addName(
  { names, nameLengths, endings, endingLengths, everything, patterns }: NameRules,
  line: string,
  rule: Line,
): void {
  if (line === "*") {
    record(everything, rule);
    return;
  }
  if (/^\*[^*?[\\]*$/.test(line)) {
    const ending = line.slice(1);
    const unit = ending.charCodeAt(ending.length - 1);
    const lengths = endingLengths.get(unit) ?? [];
    if (!lengths.includes(ending.length)) endingLengths.set(unit, [...lengths, ending.length]);
    record(lastOf(endings, ending), rule);
    return;
  }
  const segment = parseSegment(line);
  if (typeof segment === "string") {
    nameLengths.add(segment.length);
    record(lastOf(names, segment), rule);
  } else patterns.push({ ...rule, pattern: segment, piece: longestPiece(line) });
}

/** The longest run of plain characters in a line with wildcards. */
function longestPiece(line: string): string {
  if (line.includes("\\")) return "";
  const runs = line.replaceAll(/\[[!^]?\]?[^\]]*\]/g, "*").split(/[*?]/);
  return runs.reduce((longest, run) => run.length > longest.length ? run : longest, "");
}

function lastOf(map: Map<string, Last>, key: string): Last {
  let last = map.get(key);
  if (last === undefined) map.set(key, last = { ...NEVER });
  return last;
}

function record(last: Last, { number, directories }: Line): void {
  if (directories) last.directories = number;
  else last.all = number;
}

/** Without the blanks at its end, of which a backslash keeps one, and the `\r` of files from Windows. */
function trimmed(text: string): string {
  const line = text.endsWith("\r") ? text.slice(0, -1) : text;
  let end = line.length;
  while (end > 0 && line[end - 1] === " ") end--;
  if (end === line.length) return line;
  let backslashes = 0;
  while (line[end - 1 - backslashes] === "\\") backslashes++;
  return line.slice(0, end + backslashes % 2);
}

function segmentsOf(line: string): readonly GlobSegment[] {
  const segments: GlobSegment[] = [];
  for (const part of (line.startsWith("/") ? line.slice(1) : line).split("/")) {
    if (part !== "**") segments.push(parseSegment(part));
    else if (segments.at(-1) !== DEEP) segments.push(DEEP);
  }
  // `a/**` is all that lies in `a`, not `a`.
  if (segments.at(-1) === DEEP) segments.push(ANYTHING);
  return segments;
}

function viewOf(rules: NameRules, paths: readonly PathRule[]): IgnoreView | null {
  const { names, endings, everything, patterns } = rules;
  const named = names.size + endings.size + patterns.length > 0 ||
    Math.max(everything.all, everything.directories) >= 0;
  if (!named && paths.length === 0) return null;
  return {
    verdict(name, isDirectory) {
      let number = named ? lastOfName(rules, name, isDirectory) : -1;
      for (const rule of paths) {
        if (rule.number <= number || (rule.directories && !isDirectory)) continue;
        if (rule.place.matches(name)) number = rule.number;
      }
      return number < 0 ? null : rules.negated[number] === true ? "kept" : "ignored";
    },
    into(name) {
      if (paths.length === 0) return this;
      const below = paths.flatMap((rule) => {
        const place = rule.place.into(name);
        if (place === null) return [];
        return place === rule.place ? rule : { ...rule, place };
      });
      const same = below.length === paths.length && below.every((rule, at) => rule === paths[at]);
      return same ? this : viewOf(rules, below);
    },
  };
}

function lastOfName(
  { names, nameLengths, endings, endingLengths, everything, patterns }: NameRules,
  name: string,
  isDirectory: boolean,
): number {
  let number = numberOf(everything, isDirectory);
  if (nameLengths.has(name.length)) {
    number = Math.max(number, numberOf(names.get(name), isDirectory));
  }
  const lengths = endingLengths.get(name.charCodeAt(name.length - 1));
  for (let index = 0; lengths !== undefined && index < lengths.length; index++) {
    const start = name.length - (lengths[index] as number);
    if (start < 0) continue;
    number = Math.max(number, numberOf(endings.get(name.slice(start)), isDirectory));
  }
  for (let index = patterns.length - 1; index >= 0; index--) {
    const rule = patterns[index] as NameRule;
    if (rule.number <= number) break;
    if ((rule.directories && !isDirectory) || !name.includes(rule.piece)) continue;
    if (matchesSegment(rule.pattern, name)) return rule.number;
  }
  return number;
}

function numberOf(last: Last | undefined, isDirectory: boolean): number {
  if (last === undefined) return -1;
  return isDirectory ? Math.max(last.all, last.directories) : last.all;
}
