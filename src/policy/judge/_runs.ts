/** What a command may start: as the rules that grant it say, else as the table of programs does. */

import { baseName } from "../../core/path_text.ts";
import type { Program, SpawnCapability } from "../../core/capability.ts";
import { type Effects, effectsOf } from "../../programs/effects.ts";
import { assessCommand, type CommandKnowledge } from "../../programs/risk.ts";
import type { Starts } from "../../programs/spec.ts";
import type { CompiledPolicy } from "../_compiled.ts";
import { commonStarts, findRuns, type JudgedCommand } from "../match/command_rules.ts";

/** The effects of a command, with `starts` as the policies have it. `ruled`: a rule says so. */
export function judgedEffects(
  policies: readonly CompiledPolicy[],
  command: SpawnCapability,
  program: Program | null,
  knowledge: CommandKnowledge,
): Effects & { readonly ruled: boolean } {
  const effects = effectsOf(command, program, knowledge);
  if (!limitsRuns(policies)) return { ...effects, ruled: false };
  const { argv, cwd } = command;
  const runs = runsOf(policies, { argv, program, cwd }) ??
    startsWithin(policies, command, knowledge);
  return runs === null ? { ...effects, ruled: false } : { ...effects, starts: runs, ruled: true };
}

/** Whether a policy says what programs may start. */
function limitsRuns(policies: readonly CompiledPolicy[]): boolean {
  return policies.some(({ commands }) => commands?.limitsRuns === true);
}

function runsOf(policies: readonly CompiledPolicy[], command: JudgedCommand): Starts | null {
  return policies.reduce<Starts | null>(
    (common, { commands }) =>
      commands === null ? common : commonStarts(common, findRuns(commands, command)),
    null,
  );
}

/**
 * Of a command that starts another (`timeout 5 npm test`): that other, and what its own rules let it start. Null where
 * none of them says.
 */
function startsWithin(
  policies: readonly CompiledPolicy[],
  command: SpawnCapability,
  knowledge: CommandKnowledge,
): Starts | null {
  const { inner } = assessCommand(command, null, knowledge);
  const { cwd } = command;
  const said = inner.map((argv) => runsOf(policies, { argv, program: null, cwd }));
  if (said.every((runs) => runs === null)) return null;
  const all = new Set<string>();
  for (const [at, argv] of inner.entries()) {
    const own = said[at] ?? effectsOf({ argv, cwd }, null, knowledge).starts;
    if (own === "any") return "any";
    const [name = ""] = argv;
    all.add(name.includes("/") ? name : baseName(name));
    if (own !== "none") own.forEach((name) => all.add(name));
  }
  return [...all];
}
