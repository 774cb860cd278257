/** The command rules of one policy, compiled: finds those that speak for a command without trying each. */

import { once } from "../../core/once.ts";
import { absolute, baseName } from "../../core/path_text.ts";
import type { Program } from "../../core/capability.ts";
import { fold } from "./_fold.ts";
import {
  addEntry,
  createIndex,
  type Entry,
  type ProgramEntries,
  type RuleIndex,
  type RuleLimits,
  type SecondIndex,
  wordsOf,
} from "./_command_index.ts";
import { subcommandPositions } from "../../programs/subcommands.ts";
import { builtInKnowledge } from "../../programs/table.ts";
import { type CitedRule, inOrder, type Match, referenceTo } from "./path_rules.ts";
import { matchesText } from "./text_pattern.ts";
import { baseNames } from "../../programs/risk.ts";
import {
  type CommandPattern,
  matchesArguments,
  matchesToken,
  parseCommandPattern,
  parseProgramPattern,
} from "./argv.ts";
import type { Starts } from "../../programs/spec.ts";
import type { CommandRule, Effect } from "../model.ts";

import { type Risk, RISKS } from "../../core/tool.ts";

export type { RuleLimits };

/** What grants is looked up as written; what restricts also loosely, without regard to case where file systems are so. */
export interface CommandRules {
  readonly granting: Readonly<Record<"allow" | "ask", RuleIndex>>;
  readonly restricting: Readonly<Record<"ask" | "deny", RuleIndex>>;
  readonly fold: (name: string) => string;
  /** Patterns that allow or ask, as written, with the programs they name (empty for wildcards). */
  readonly granted: readonly { readonly text: string; readonly programs: readonly string[] }[];
  /** Whether a rule says what programs may start. */
  readonly limitsRuns: boolean;
  /** Whether a rule says how risky what it allows may be. */
  readonly bearsRisk: boolean;
  /** Whether a rule says what its commands may use. */
  readonly limitsUse: boolean;
  /** How many rules the policy has. */
  readonly count: number;
}

/** A command as it is judged. `program`: null where nothing was found, or nothing was sought (`inner`). */
export interface JudgedCommand {
  readonly argv: readonly string[];
  readonly program: Program | null;
  readonly cwd: string;
  /** Indexes of words that are known only when it runs, and judged once more then. */
  readonly open?: readonly number[];
}

/** How a command fares by the rules alone. `unnamed`: no rule grants it. */
export type CommandFinding =
  | { readonly effect: Effect; readonly rule: CitedRule }
  | { readonly effect: "unnamed" };

/**
 * Compiles the rules, whose patterns the parser has taken: throws `PatternError` for others, at the latest when a command is
 * held against them.
 */
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
    const except = once(() => (rule.except ?? []).map(parseCommandPattern));
    for (const text of rule.patterns) {
      const program = parseProgramPattern(text);
      if (rule.effect !== "deny") {
        granted.push({ text, programs: program.wild.length > 0 ? [] : [...program.literals] });
      }
      const entry: Entry = {
        text,
        program,
        words: once(() => wordsOf(text, except())),
        exact: rule.exact,
        rule: cited,
        effect: rule.effect,
        runs: rule.runs ?? null,
        risk: rule.risk ?? null,
        limits: limitsIn(rule),
      };
      const { effect } = rule;
      if (effect !== "deny") addEntry(granting[effect], entry, options.workspace, asWritten);
      if (effect !== "allow") addEntry(restricting[effect], entry, options.workspace, folding);
    }
  });
  const limitsRuns = rules.some(({ runs }) => runs !== undefined);
  const bearsRisk = rules.some(({ risk }) => risk !== undefined);
  const limitsUse = rules.some((rule) => limitsIn(rule) !== null);
  const count = rules.length;
  return { granting, restricting, fold: folding, granted, limitsRuns, bearsRisk, limitsUse, count };
}

/** What a rule says that its commands may use; null for nothing. */
export function limitsIn({ limits, timeoutMs }: CommandRule): RuleLimits | null {
  if (limits === undefined && timeoutMs === undefined) return null;
  return { ...limits, ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }) };
}

/** How a command fares by these rules. */
export function findCommand(rules: CommandRules, command: JudgedCommand): CommandFinding {
  const loose = looseLookup(rules, command);
  const denied = findFirst(rules.restricting.deny, command, loose);
  if (denied !== null) return { effect: "deny", rule: denied };
  const strict = strictLookup(command);
  const granting = findFirst(rules.granting.allow, command, strict) ??
    findFirst(rules.granting.ask, command, strict);
  if (granting === null) {
    // A rule for what it may become speaks when it has: what it is then is found here again.
    const later = findPossible(rules, command, strict);
    return later === null ? { effect: "unnamed" } : { effect: "allow", rule: later };
  }
  const asked = findFirst(rules.restricting.ask, command, loose);
  if (asked !== null) return { effect: "ask", rule: asked };
  return { effect: "allow", rule: granting };
}

const NO_SECOND: SecondIndex = { bySecond: new Map(), rest: [] };

/** The first rule that would grant the command with some words in the place of those that are not known yet. */
function findPossible(
  { granting }: CommandRules,
  { argv, open = [] }: JudgedCommand,
  { keys }: Lookup,
): CitedRule | null {
  const known = Math.min(...open);
  if (known === Infinity) return null;
  const fits = ({ words }: Entry): boolean =>
    words().pattern.tokens.slice(1, known)
      .every((token, index) => matchesToken(token, argv[index + 1] ?? ""));
  for (const effect of ["allow", "ask"] as const) {
    for (const key of keys) {
      const { bySecond, rest } = granting[effect].byProgram.get(key)?.index() ?? NO_SECOND;
      const found = [...bySecond.values(), rest].flat().find(fits);
      if (found !== undefined) return found.rule;
    }
  }
  return null;
}

/** What the rules that grant a command let it start, all of those that say; null where none does. */
export function findRuns(rules: CommandRules, command: JudgedCommand): Starts | null {
  if (!rules.limitsRuns) return null;
  const strict = strictLookup(command);
  let common: Starts | null = null;
  for (const effect of ["allow", "ask"] as const) {
    eachEntry(rules.granting[effect], command, strict, (entry) => {
      if (entry.runs !== null && speaks(entry, command, strict)) {
        common = commonStarts(common, entry.runs);
      }
    });
  }
  return common;
}

/** How risky the rules that allow a command let it be at most; null where none says. */
export function findRisk(rules: CommandRules, command: JudgedCommand): Risk | null {
  if (!rules.bearsRisk) return null;
  const strict = strictLookup(command);
  let most: Risk | null = null;
  eachEntry(rules.granting.allow, command, strict, (entry) => {
    const { risk } = entry;
    if (risk === null || !speaks(entry, command, strict)) return;
    if (most === null || RISKS.indexOf(risk) > RISKS.indexOf(most)) most = risk;
  });
  return most;
}

/** What the rules that grant a command say that it may use, each with itself. */
export function findLimits(
  rules: CommandRules,
  command: JudgedCommand,
): readonly { readonly limits: RuleLimits; readonly rule: CitedRule }[] {
  if (!rules.limitsUse) return [];
  const strict = strictLookup(command);
  const found: { limits: RuleLimits; rule: CitedRule }[] = [];
  for (const effect of ["allow", "ask"] as const) {
    eachEntry(rules.granting[effect], command, strict, (entry) => {
      const { limits, rule } = entry;
      if (limits !== null && speaks(entry, command, strict)) found.push({ limits, rule });
    });
  }
  return found;
}

/** What both let start; null lets anything. */
export function commonStarts(one: Starts | null, other: Starts | null): Starts | null {
  if (one === null || one === "any") return other ?? one;
  if (other === null || other === "any") return one;
  if (one === "none" || other === "none") return "none";
  const common = one.filter((name) => other.includes(name));
  return common.length === 0 ? "none" : common;
}

/** The rule that denies a command or asks for it; null where none does. */
export function findRestricting(
  rules: CommandRules,
  command: JudgedCommand,
): { readonly effect: "ask" | "deny"; readonly rule: CitedRule } | null {
  const loose = looseLookup(rules, command);
  for (const effect of ["deny", "ask"] as const) {
    const rule = findFirst(rules.restricting[effect], command, loose);
    if (rule !== null) return { effect, rule };
  }
  return null;
}

/** All rules that speak for a command, in their order: what `findCommand` draws its finding from, by the same look-up. */
export function matchCommand(rules: CommandRules, command: JudgedCommand): readonly Match[] {
  const matches: Match[] = [];
  const take = (index: RuleIndex, lookup: Lookup) =>
    eachEntry(index, command, lookup, (entry) => {
      if (!speaks(entry, command, lookup)) return;
      const { rule, effect, text } = entry;
      matches.push({ rule, effect, pattern: text });
    });
  const loose = looseLookup(rules, command);
  take(rules.restricting.deny, loose);
  take(rules.restricting.ask, loose);
  take(rules.granting.allow, strictLookup(command));
  return inOrder(matches);
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

/** What rules are looked up by. */
interface Lookup {
  /** Names and paths that the program goes by. */
  readonly keys: readonly string[];
  /** Where its second token may stand: behind options that stand for the whole program. */
  readonly positions: readonly number[];
  /** Whether a name is found where the rule has a path that ends in it. */
  readonly loose: boolean;
}

function strictLookup(command: JudgedCommand): Lookup {
  return { keys: strictKeys(command), positions: [1], loose: false };
}

function looseLookup(rules: CommandRules, command: JudgedCommand): Lookup {
  const names = baseNames(command.argv, command.program);
  const spec = builtInKnowledge(names[names.length - 1] ?? "");
  const positions = subcommandPositions(spec, command.argv);
  return { keys: looseKeys(rules, command), positions, loose: true };
}

function findFirst(index: RuleIndex, command: JudgedCommand, lookup: Lookup): CitedRule | null {
  let best: CitedRule | null = null;
  eachEntry(index, command, lookup, (entry) => {
    if (best !== null && best.order <= entry.rule.order) return;
    if (speaks(entry, command, lookup)) best = entry.rule;
  });
  return best;
}

/** Whether a rule whose program fits speaks for the arguments too. */
function speaks(
  { words, exact }: Entry,
  command: JudgedCommand,
  { positions }: Lookup,
): boolean {
  const { pattern, except, skips } = words();
  const from = skips ? positions : [1];
  return from.some((at) => matchesArguments(pattern, command.argv, at, exact)) &&
    !(except.length > 0 && isExcepted(except, command));
}

/** Looked up as what grants is, whatever the rule: nothing before the second word, and no other way to write a name. */
function isExcepted(except: readonly CommandPattern[], command: JudgedCommand): boolean {
  const keys = strictKeys(command);
  return except.some((pattern) =>
    keys.some((key) => matchesToken(pattern.tokens[0]!, key)) &&
    matchesArguments(pattern, command.argv, 1, true)
  );
}

/** The entries whose program fits, and whose second token may. */
function eachEntry(
  index: RuleIndex,
  { argv, program }: JudgedCommand,
  { keys, positions, loose }: Lookup,
  visit: (entry: Entry) => void,
): void {
  const visitAll = (entries: ProgramEntries | undefined) => {
    if (entries === undefined) return;
    const { bySecond, rest } = entries.index();
    for (const position of positions) bySecond.get(argv[position] ?? "")?.forEach(visit);
    rest.forEach(visit);
  };
  for (const key of keys) {
    visitAll(index.byProgram.get(key));
    if (loose && program === null) visitAll(index.byPathName.get(key));
  }
  for (const { text, path, entry } of index.wild) {
    const named = text.any ||
      keys.some((key) => (loose || path === key.includes("/")) && matchesText(text, key));
    if (named) visit(entry);
  }
}
