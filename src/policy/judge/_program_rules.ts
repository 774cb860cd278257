/** What policies say of programs, laid over the built-in table. */

import { RISKS } from "../../core/tool.ts";
import type { CommandSpec, OptionRule, Place } from "../../programs/spec.ts";
import { builtInKnowledge, type CommandKnowledge } from "../../programs/risk.ts";
import type { ProgramRule } from "../model.ts";

/**
 * The table with the `programs` of all policies. The first policy tells how programs behave that the table does not
 * know; to what is known, of the table or of a policy before, each only adds: a higher risk, more options, and
 * operands where nothing was known of them.
 */
export function compileKnowledge(
  sections: readonly (Readonly<Record<string, ProgramRule>> | null)[],
): CommandKnowledge {
  const told = new Map<string, readonly { readonly rule: ProgramRule; readonly base: boolean }[]>();
  sections.forEach((section, position) => {
    for (const [name, rule] of Object.entries(section ?? {})) {
      const key = name.toLowerCase();
      told.set(key, [...told.get(key) ?? [], { rule, base: position === 0 }]);
    }
  });
  if (told.size === 0) return builtInKnowledge;
  return (name) =>
    (told.get(name.toLowerCase()) ?? []).reduce<CommandSpec | null>(
      (spec, { rule, base }) => extended(spec, rule, base),
      builtInKnowledge(name),
    );
}

function extended(before: CommandSpec | null, rule: ProgramRule, base: boolean): CommandSpec {
  const named = rule.risk ?? "safe";
  // Only the first policy may call a program harmless of which nothing is known.
  const floor = before?.risk ?? (base && rule.risk !== null ? rule.risk : "moderate");
  const risk = RISKS.indexOf(named) > RISKS.indexOf(floor) ? named : floor;
  const running = Object.keys(rule.options).filter((option) => rule.options[option] === "run");
  const rules: readonly OptionRule[] = running.length === 0 ? [] : [
    { options: running, risk: "dangerous", because: "runs a program", runs: true },
  ];
  const operands = before?.places?.operands ?? rule.operands?.join(" ");
  const options: Readonly<Record<string, Place>> = { ...rule.options, ...before?.places?.options };
  return {
    ...before,
    risk,
    ...(risk === "dangerous" && before?.because === undefined
      ? { because: "is called dangerous by the policy" }
      : {}),
    rules: [...before?.rules ?? [], ...rules],
    places: { ...before?.places, ...(operands === undefined ? {} : { operands }), options },
  };
}
