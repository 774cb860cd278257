/** Command rules by program: an entry a pattern, of which no more is read than a command asks for. */

import { once } from "../../core/once.ts";
import { absolute, baseName } from "../../core/path_text.ts";
import type { ProgramLimits, Risk } from "../../core/tool.ts";
import type { Starts } from "../../programs/spec.ts";
import type { Effect } from "../model.ts";
import { type CommandPattern, parseCommandPattern, type TokenPattern } from "./argv.ts";
import { OWN_FOLDER } from "./own_folder.ts";
import type { CitedRule } from "./path_rules.ts";
import type { TextPattern } from "./text_pattern.ts";

/** One pattern of a rule. */
export interface Entry {
  /** The pattern, as it is written. */
  readonly text: string;
  readonly program: TokenPattern;
  readonly words: () => Words;
  readonly exact: boolean;
  readonly rule: CitedRule;
  readonly effect: Effect;
  /** Null where the rule does not say. */
  readonly runs: Starts | null;
  /** Null where the rule does not say. */
  readonly risk: Risk | null;
  /** Null where the rule says nothing of them. */
  readonly limits: RuleLimits | null;
}

/** What a rule says that its commands may use. */
export interface RuleLimits extends Partial<ProgramLimits> {
  /** How long one may run, in milliseconds. */
  readonly timeout?: number;
}

/** What an entry says beyond its program: read when a command is held against it, as few of hundreds ever are. */
interface Words {
  readonly pattern: CommandPattern;
  /** Whole commands that it does not speak for, as they are written. */
  readonly except: readonly CommandPattern[];
  /** Whether options may stand before its second token: not where that is an option itself. */
  readonly skips: boolean;
}

/** Entries of one program. */
export interface ProgramEntries {
  readonly all: Entry[];
  /** By their second token where it is plain text. */
  readonly index: () => SecondIndex;
}

/** The same entries, parted for a look-up. */
export interface SecondIndex {
  readonly bySecond: ReadonlyMap<string, readonly Entry[]>;
  readonly rest: readonly Entry[];
}

interface WildEntry {
  readonly text: TextPattern;
  /** Written with a slash: for paths, not for names. */
  readonly path: boolean;
  readonly entry: Entry;
}

/** Entries by what their programs are called. */
export interface RuleIndex {
  readonly byProgram: Map<string, ProgramEntries>;
  /** Rules for absolute paths, by the last name: for programs that were not looked up. */
  readonly byPathName: Map<string, ProgramEntries>;
  readonly wild: WildEntry[];
}

/** What a pattern says, beside the whole commands that its rule leaves out. */
export function wordsOf(text: string, except: readonly CommandPattern[]): Words {
  const pattern = parseCommandPattern(text);
  const second = [...pattern.tokens[1]?.literals ?? []];
  return { pattern, except, skips: !second.some((one) => one.startsWith("-")) };
}

/** One without entries. */
export function createIndex(): RuleIndex {
  return { byProgram: new Map(), byPathName: new Map(), wild: [] };
}

/** `folding`: as names are compared. */
export function addEntry(
  index: RuleIndex,
  entry: Entry,
  workspace: string,
  folding: (name: string) => string,
): void {
  const { literals, wild } = entry.program;
  for (const literal of literals) {
    const isPath = literal.includes("/");
    const isOwn = literal.startsWith(`${OWN_FOLDER}/`);
    const key = folding(isPath && !isOwn ? absolute(literal, workspace) : literal);
    addProgram(index.byProgram, key, entry);
    if (isPath) addProgram(index.byPathName, folding(baseName(literal)), entry);
  }
  for (const text of wild) {
    const path = text.pieces.some((piece) => piece.includes("/"));
    index.wild.push({
      text: foldText(path ? rooted(text, workspace) : text, folding),
      path,
      entry,
    });
  }
}

function addProgram(map: Map<string, ProgramEntries>, key: string, entry: Entry): void {
  const entries = map.get(key);
  if (entries !== undefined) {
    entries.all.push(entry);
    return;
  }
  const all = [entry];
  map.set(key, { all, index: once(() => secondIndex(all)) });
}

function secondIndex(all: readonly Entry[]): SecondIndex {
  const bySecond = new Map<string, Entry[]>();
  const rest: Entry[] = [];
  for (const entry of all) {
    const token = entry.words().pattern.tokens[1];
    if (token === undefined || token.wild.length > 0) {
      rest.push(entry);
      continue;
    }
    for (const literal of token.literals) {
      const entries = bySecond.get(literal);
      if (entries === undefined) bySecond.set(literal, [entry]);
      else entries.push(entry);
    }
  }
  return { bySecond, rest };
}

function foldText(text: TextPattern, folding: (name: string) => string): TextPattern {
  return { ...text, pieces: text.pieces.map(folding) };
}

/** A pattern with a slash that does not start at the root, or in the run's own folder, starts at the workspace. */
function rooted(text: TextPattern, workspace: string): TextPattern {
  const [head = "", ...rest] = text.pieces;
  if (head.startsWith("/") || head.startsWith(`${OWN_FOLDER}/`)) return text;
  return { ...text, pieces: [join(workspace, head.replace(/^(?:\.\/+)+/, "")), ...rest] };
}

function join(folder: string, name: string): string {
  return folder === "/" ? `/${name}` : `${folder}/${name}`;
}
