/** The command rules of one policy, compiled: finds those that speak for a command without trying each. */

import type { Program } from "../../core/capability.ts";
import { fold } from "./_fold.ts";
import { subcommandPositions } from "../../programs/global_options.ts";
import { type CitedRule, referenceTo } from "./path_rules.ts";
import { matchesText, type TextPattern } from "./text_pattern.ts";
import { baseName, baseNames } from "../../programs/risk.ts";
import { type CommandPattern, matchesArguments, parseCommandPattern } from "./argv.ts";
import type { CommandRule, Effect } from "../model.ts";

interface Entry {
  readonly pattern: CommandPattern;
  readonly exact: boolean;
  readonly rule: CitedRule;
  /** Whether options may stand before its second token: not where that is an option itself. */
  readonly skips: boolean;
}

/** Entries of one program, by their second token where it is plain text. */
interface SecondIndex {
  readonly bySecond: Map<string, Entry[]>;
  readonly rest: Entry[];
}

interface WildEntry {
  readonly text: TextPattern;
  /** Written with a slash: for paths, not for names. */
  readonly path: boolean;
  readonly entry: Entry;
}

interface RuleIndex {
  readonly byProgram: Map<string, SecondIndex>;
  /** Rules for absolute paths, by the last name: for programs that were not looked up. */
  readonly byPathName: Map<string, SecondIndex>;
  readonly wild: WildEntry[];
}

/** What grants is looked up as written; what restricts also loosely, without regard to case where file systems are so. */
export interface CommandRules {
  readonly granting: Readonly<Record<"allow" | "ask", RuleIndex>>;
  readonly restricting: Readonly<Record<"ask" | "deny", RuleIndex>>;
  readonly fold: (name: string) => string;
  /** Patterns that allow or ask, as written, with the programs they name (empty for wildcards). */
  readonly granted: readonly { readonly text: string; readonly programs: readonly string[] }[];
}

/** A command as it is judged. `program`: null where nothing was found, or nothing was sought (`inner`). */
export interface JudgedCommand {
  readonly argv: readonly string[];
  readonly program: Program | null;
  readonly cwd: string;
}

export type CommandFinding =
  | { readonly effect: Effect; readonly rule: CitedRule }
  | { readonly effect: "unnamed" };

/** Compiles the rules. Throws `PatternError` for a pattern that the parser would have refused. */
export function compileCommandRules(
  rules: readonly CommandRule[],
  options: {
    readonly source: string;
    readonly workspace: string;
    readonly caseInsensitive: boolean;
  },
): CommandRules {
  const granting = { allow: createIndex(), ask: createIndex() };
  const restricting = { ask: createIndex(), deny: createIndex() };
  const asWritten = (name: string) => name;
  const folding = options.caseInsensitive ? fold : asWritten;
  const granted: { text: string; programs: readonly string[] }[] = [];
  rules.forEach((rule, order) => {
    const cited: CitedRule = {
      order,
      reference: referenceTo(options.source, `commands[${order}]`, rule.reason),
    };
    for (const text of rule.patterns) {
      const pattern = parseCommandPattern(text);
      if (rule.effect !== "deny") {
        const first = pattern.tokens[0]!;
        granted.push({ text, programs: first.wild.length > 0 ? [] : [...first.literals] });
      }
      const entry: Entry = {
        pattern,
        exact: rule.exact,
        rule: cited,
        skips: ![...(pattern.tokens[1]?.literals ?? [])].some((one) => one.startsWith("-")),
      };
      const { effect } = rule;
      if (effect !== "deny") addEntry(granting[effect], entry, options.workspace, asWritten);
      if (effect !== "allow") addEntry(restricting[effect], entry, options.workspace, folding);
    }
  });
  return { granting, restricting, fold: folding, granted };
}

function createIndex(): RuleIndex {
  return { byProgram: new Map(), byPathName: new Map(), wild: [] };
}

function addEntry(
  index: RuleIndex,
  entry: Entry,
  workspace: string,
  folding: (name: string) => string,
): void {
  const first = entry.pattern.tokens[0]!;
  for (const literal of first.literals) {
    const isPath = literal.includes("/");
    const key = folding(isPath ? absolute(literal, workspace) : literal);
    addSecond(index.byProgram, key, entry);
    if (isPath) addSecond(index.byPathName, folding(baseName(literal)), entry);
  }
  for (const text of first.wild) {
    const path = text.pieces.some((piece) => piece.includes("/"));
    index.wild.push({
      text: foldText(path ? rooted(text, workspace) : text, folding),
      path,
      entry,
    });
  }
}

function addSecond(map: Map<string, SecondIndex>, key: string, entry: Entry): void {
  let second = map.get(key);
  if (second === undefined) map.set(key, second = { bySecond: new Map(), rest: [] });
  const token = entry.pattern.tokens[1];
  if (token === undefined || token.wild.length > 0) {
    second.rest.push(entry);
    return;
  }
  for (const literal of token.literals) {
    const entries = second.bySecond.get(literal);
    if (entries === undefined) second.bySecond.set(literal, [entry]);
    else entries.push(entry);
  }
}

function foldText(text: TextPattern, folding: (name: string) => string): TextPattern {
  return { ...text, pieces: text.pieces.map(folding) };
}

/** A pattern with a slash that does not start at the root starts at the workspace. */
function rooted(text: TextPattern, workspace: string): TextPattern {
  const [head = "", ...rest] = text.pieces;
  if (head.startsWith("/")) return text;
  return { ...text, pieces: [join(workspace, head.replace(/^(?:\.\/+)+/, "")), ...rest] };
}

function join(folder: string, name: string): string {
  return folder === "/" ? `/${name}` : `${folder}/${name}`;
}

/** A path from a folder, with `.` and `..` taken by the letter. */
export function absolute(path: string, folder: string): string {
  const names: string[] = [];
  for (const name of (path.startsWith("/") ? path : `${folder}/${path}`).split("/")) {
    if (name === "..") names.pop();
    else if (name !== "" && name !== ".") names.push(name);
  }
  return `/${names.join("/")}`;
}

/** How a command fares by these rules. */
export function findCommand(rules: CommandRules, command: JudgedCommand): CommandFinding {
  const loose = looseKeys(rules, command);
  const names = baseNames(command.argv, command.program);
  const positions = subcommandPositions(globalOptionsName(names), command.argv);
  const denied = findFirst(rules.restricting.deny, command, loose, positions, true);
  if (denied !== null) return { effect: "deny", rule: denied };
  const strict = strictKeys(command);
  const granting = findFirst(rules.granting.allow, command, strict, [1], false) ??
    findFirst(rules.granting.ask, command, strict, [1], false);
  if (granting === null) return { effect: "unnamed" };
  const asked = findFirst(rules.restricting.ask, command, loose, positions, true);
  if (asked !== null) return { effect: "ask", rule: asked };
  return { effect: "allow", rule: granting };
}

/** The rule that denies a command or asks for it; null where none does. */
export function findRestricting(
  rules: CommandRules,
  command: JudgedCommand,
): { readonly effect: "ask" | "deny"; readonly rule: CitedRule } | null {
  const loose = looseKeys(rules, command);
  for (const effect of ["deny", "ask"] as const) {
    const rule = findFirst(rules.restricting[effect], command, loose, [1], true);
    if (rule !== null) return { effect, rule };
  }
  return null;
}

/** Versions aside (`pip3`, `python3.11`), the name that the table of global options knows. */
function globalOptionsName(names: readonly string[]): string | undefined {
  const last = names[names.length - 1];
  return last?.toLowerCase().replace(/-?[0-9.]+$/, "");
}

/** What a rule that grants may call the program: the names it was found to have, and where it lies. */
function strictKeys({ argv, program, cwd }: JudgedCommand): readonly string[] {
  if (program !== null) return [...new Set([...program.names, program.start, program.path])];
  const written = argv[0] ?? "";
  return [written.includes("/") ? absolute(written, cwd) : written];
}

/** All that a rule that denies or asks may call the program. */
function looseKeys(rules: CommandRules, command: JudgedCommand): readonly string[] {
  const keys = [
    ...strictKeys(command),
    command.argv[0] ?? "",
    ...baseNames(command.argv, command.program),
    // A multi-call binary is also denied by the name of its file.
    ...(command.program === null ? [] : [baseName(command.program.path)]),
  ];
  return [...new Set(keys.map(rules.fold))];
}

function findFirst(
  index: RuleIndex,
  command: JudgedCommand,
  keys: readonly string[],
  positions: readonly number[],
  loose: boolean,
): CitedRule | null {
  let best: CitedRule | null = null;
  const consider = (entry: Entry) => {
    if (best !== null && best.order <= entry.rule.order) return;
    const from = entry.skips ? positions : [1];
    if (from.some((at) => matchesArguments(entry.pattern, command.argv, at, entry.exact))) {
      best = entry.rule;
    }
  };
  const considerAll = (second: SecondIndex | undefined) => {
    if (second === undefined) return;
    for (const position of positions) {
      second.bySecond.get(command.argv[position] ?? "")?.forEach(consider);
    }
    second.rest.forEach(consider);
  };
  for (const key of keys) {
    considerAll(index.byProgram.get(key));
    if (loose && command.program === null) considerAll(index.byPathName.get(key));
  }
  for (const { text, path, entry } of index.wild) {
    const named = text.any ||
      keys.some((key) => (loose || path === key.includes("/")) && matchesText(text, key));
    if (named) consider(entry);
  }
  return best;
}
