/** The answer where a command is allowed by its words, but no such program is there to be started. */

import { ToolError } from "../../core/errors.ts";
import { didYouMean } from "../../core/nearest.ts";
import { quoted } from "../../core/printable.ts";
import type { DecidedCall } from "./decided_call.ts";
import type { CapabilityResolver } from "./resolve.ts";

/**
 * COMMAND_NOT_FOUND, with what may have been meant, for the one program of a call that was not found, null where it is there; where the line says what
 * follows then (`nope || true`), it goes on as with any shell (status 127).
 */
export function missingProgram(
  { tool, input, decision, sought = [] }: Pick<
    DecidedCall,
    "tool" | "input" | "decision" | "sought"
  >,
  { near }: Pick<CapabilityResolver, "near">,
): ToolError | null {
  if (tool.goesOn?.(input) === true) return null;
  const spawns = decision.verdicts.flatMap(({ capability }) =>
    capability.kind === "process.spawn" && capability.opened !== true ? [capability] : []
  );
  const [only] = spawns;
  if (only === undefined || spawns.length > 1 || only.program !== null) return null;
  const name = only.argv[0] ?? "";
  const where = name.includes("/")
    ? "there is no program that may be executed at that path"
    : "the search path leads to no program of that name in the folders that commands may use";
  const others = sought.filter((other) => other !== name).map((other) => quoted(other));
  const looked = others.length === 0 ? "" : `; looked for ${others.join(", ")} too`;
  const remedy = only.own === undefined ? "" : `; ${only.own.missing}`;
  const meant = only.own === undefined ? whatIsNear(name, near) : "";
  return new ToolError("COMMAND_NOT_FOUND", `${quoted(name)}: ${where}${looked}${remedy}${meant}`);
}

/** Why a call that the rules do not deny could only fail: a program is not there, or one lacks what it cannot do without. */
export function whyHopeless(
  call: Parameters<typeof missingProgram>[0],
  resolver: Pick<CapabilityResolver, "near" | "missingNetwork">,
): ToolError | null {
  const missing = missingProgram(call, resolver);
  if (missing !== null) return missing;
  for (const { capability } of call.decision.verdicts) {
    if (capability.kind !== "process.spawn" || capability.opened === true) continue;
    const without = resolver.missingNetwork(call.tool.name, capability);
    if (without !== null) return without;
  }
  return null;
}

/** A shim (of pyenv, nvm, asdf) lies where only the user's shell looks: the policy can have it looked there, too. */
function whatIsNear(name: string, near: CapabilityResolver["near"]): string {
  const { names, untrusted } = near(name);
  if (untrusted === null) return names.length === 0 ? "" : `.${didYouMean(names)}`;
  return `; ${quoted(untrusted)} has one, and is no folder that commands may use: ` +
    "add it to sandbox.system of the policy, with what it starts from there";
}
