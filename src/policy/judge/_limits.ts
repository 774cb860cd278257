/** What a program may use: as the rules that grant it say, else as the policy's limits do. */

import { baseName } from "../../core/path_text.ts";
import { PROGRAM_LIMITS, type ProgramLimits } from "../../core/tool.ts";
import { assessCommand, type CommandKnowledge } from "../../programs/risk.ts";
import type { CompiledPolicy } from "../_compiled.ts";
import { findLimits, type JudgedCommand, type RuleLimits } from "../match/command_rules.ts";

import type { CitedRule } from "../match/path_rules.ts";
import type { CommandLimits, Started } from "../rulebook.ts";

/** A value, and the rule that says so; null: the policy's own. */
interface Said {
  readonly value: number;
  readonly rule: CitedRule | null;
}

type Key = keyof RuleLimits;
const KEYS: readonly Key[] = [...PROGRAM_LIMITS, "timeout"];

/**
 * The least of what policies say, each by its rules or, where none says, by its `limits`. A command that starts others
 * (`timeout 5 npm test`) is given what they are, and what its own rules say. Null where no rule says anything.
 */
export function limitsOf(
  policies: readonly CompiledPolicy[],
  { argv, program, cwd }: Started,
  knowledge: CommandKnowledge,
): CommandLimits | null {
  const { inner } = assessCommand({ argv }, program, knowledge);
  const commands: readonly Starting[] = [
    { command: { argv, program, cwd }, starts: inner.length > 0 },
    ...inner.map((argv) => ({
      command: { argv, program: null, cwd },
      starts: assessCommand({ argv }, null, knowledge).inner.length > 0,
    })),
  ];
  let least: ReadonlyMap<Key, Said> = new Map();
  for (const policy of policies) {
    const said = commands
      .map((one) => saidOf(policy, one))
      .reduce<ReadonlyMap<Key, Said>>(leastOfBoth, new Map());
    // Of what starts others, none of which anything is known of, the policy's own count.
    least = leastOfBoth(least, withOwn(policy, said));
  }
  const rules = Object.fromEntries(
    [...least].flatMap(([key, { rule }]) => rule === null ? [] : [[key, rule.reference]]),
  );
  if (Object.keys(rules).length === 0) return null;
  const valueOf = (key: Key): number => least.get(key)?.value ?? Infinity;
  const limits: ProgramLimits = {
    memory: valueOf("memory"),
    processes: valueOf("processes"),
    file: valueOf("file"),
    cpu: valueOf("cpu"),
  };
  return { limits, timeoutMs: least.get("timeout")?.value ?? null, rules };
}

interface Starting {
  readonly command: JudgedCommand;
  /** It starts others, whose limits are its own then. */
  readonly starts: boolean;
}

/** What one policy says of a command. */
function saidOf(policy: CompiledPolicy, { command, starts }: Starting): ReadonlyMap<Key, Said> {
  const own = leastOf(policy, command);
  const all = starts ? own : withOwn(policy, own);
  const [written = "", ...rest] = command.argv;
  if (command.program !== null || !written.includes("/")) return all;
  // Nobody has looked what lies at its path: it may be what rules call by its name.
  const named = leastOf(policy, { ...command, argv: [baseName(written), ...rest] });
  return leastOfBoth(all, named);
}

function leastOf({ commands }: CompiledPolicy, command: JudgedCommand): ReadonlyMap<Key, Said> {
  const least = new Map<Key, Said>();
  for (const { limits, rule } of commands === null ? [] : findLimits(commands, command)) {
    for (const key of KEYS) {
      const value = limits[key];
      if (value !== undefined && value < (least.get(key)?.value ?? Infinity)) {
        least.set(key, { value, rule });
      }
    }
  }
  return least;
}

function withOwn(
  { limits }: CompiledPolicy,
  said: ReadonlyMap<Key, Said>,
): ReadonlyMap<Key, Said> {
  const all = new Map(said);
  for (const key of PROGRAM_LIMITS) {
    const value = limits[key];
    if (value !== undefined && !all.has(key)) all.set(key, { value, rule: null });
  }
  return all;
}

function leastOfBoth(
  one: ReadonlyMap<Key, Said>,
  other: ReadonlyMap<Key, Said>,
): ReadonlyMap<Key, Said> {
  const least = new Map(one);
  for (const [key, said] of other) {
    if (said.value < (least.get(key)?.value ?? Infinity)) least.set(key, said);
  }
  return least;
}
