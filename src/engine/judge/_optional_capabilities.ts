/** What a call can do without: granted where the agent could do it by another tool, left out where not. */

import type {
  ResolvedCapability,
  ResolvedFileCapability,
  ResolvedSpawnCapability,
} from "../../core/capability.ts";
import type { Rulebook, Subject } from "../../policy/rulebook.ts";
import type { Steps } from "../turns.ts";

/** The tool that stands for each access: what it may not do, an optional capability does not give. */
const PLAIN_TOOLS = {
  "fs.read": { tool: "read_file", permission: "file_read", risk: "safe" },
  "fs.write": { tool: "write_file", permission: "file_write", risk: "moderate" },
} as const satisfies Readonly<Record<string, Omit<Subject, "agent" | "riskOfPrograms">>>;

/** And for programs. */
const COMMANDS = {
  tool: "run_command",
  permission: "code_execution",
  risk: "dangerous",
} as const satisfies Omit<Subject, "agent" | "riskOfPrograms">;

/**
 * The capabilities without those optional ones that the policy does not plainly allow this agent; programs go with it that
 * it asks for.
 */
export function* withoutRefusedOptions(
  rulebook: Rulebook,
  agent: string,
  capabilities: readonly ResolvedCapability[],
): Steps<readonly ResolvedCapability[]> {
  if (!capabilities.some(isOptional)) return capabilities;
  const kept: ResolvedCapability[] = [];
  for (const capability of capabilities) {
    const stays = !isOptional(capability) || (yield* isAllowed(rulebook, agent, capability));
    if (stays) kept.push(capability);
  }
  return kept;
}

type OptionalCapability = ResolvedFileCapability | ResolvedSpawnCapability;

function isOptional(capability: ResolvedCapability): capability is OptionalCapability {
  return "optional" in capability && capability.optional === true;
}

function* isAllowed(
  rulebook: Rulebook,
  agent: string,
  capability: OptionalCapability,
): Steps<boolean> {
  if (capability.kind === "process.spawn") {
    if (capability.program === null) return false;
    const subject = { ...COMMANDS, agent, riskOfPrograms: true };
    // What is asked for is asked for with the call.
    return (yield* rulebook.decideInSteps(subject, [capability])).effect !== "deny";
  }
  const subject = { ...PLAIN_TOOLS[capability.kind], agent, riskOfPrograms: false };
  return (yield* rulebook.decideInSteps(subject, [capability])).effect === "allow";
}
