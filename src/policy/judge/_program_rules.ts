/** What policies say of programs, laid over the built-in table. */

import { RISKS } from "../../core/tool.ts";
import type { OptionSpec } from "../../programs/spec.ts";
import {
  builtInKnowledge,
  type CommandKnowledge,
  programOf,
  type ProgramSpec,
  withOptions,
} from "../../programs/table.ts";
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
    (told.get(name.toLowerCase()) ?? []).reduce<ProgramSpec | null>(
      (spec, { rule, base }) => extended(spec, rule, base),
      builtInKnowledge(name),
    );
}

/** What is known of the option stays; that it starts a program is added. */
const RUNNING = { risk: "dangerous", because: "runs a program" } as const;

function extended(before: ProgramSpec | null, rule: ProgramRule, base: boolean): ProgramSpec {
  const named = rule.risk ?? "safe";
  // Only the first policy may call a program harmless of which nothing is known.
  const floor = before?.risk ?? (base && rule.risk !== null ? rule.risk : "moderate");
  const risk = RISKS.indexOf(named) > RISKS.indexOf(floor) ? named : floor;
  const because = before?.because ??
    (risk === "dangerous" ? "is called dangerous by the policy" : undefined);
  const operands = before?.operands ?? rule.operands?.join(" ");
  const options = new Map<string, OptionSpec>(before?.options.bySpelling);
  for (const [option, place] of Object.entries(rule.options)) {
    const known = options.get(option);
    if (place === "run") options.set(option, { is: "command", ...known, ...RUNNING });
    else if (known === undefined) options.set(option, { is: place });
  }
  return {
    // What a policy says is which words are files, not that there are no others.
    ...withOptions(before ?? programOf({ risk, beyond: "workspace" }), options, operands),
    risk,
    ...(because === undefined ? {} : { because }),
  };
}
