/** What a call can do without: granted where the agent could do it by a tool of its own, left out where not. */

import type { ResolvedCapability } from "../../core/capability.ts";
import type { Rulebook, Subject } from "../../policy/rulebook.ts";

/** The tool that stands for each access: what it may not do, an optional capability does not give. */
const PLAIN_TOOLS = {
  "fs.read": { tool: "read_file", permission: "file_read", risk: "safe" },
  "fs.write": { tool: "write_file", permission: "file_write", risk: "moderate" },
} as const satisfies Readonly<Record<string, Omit<Subject, "agent" | "riskOfPrograms">>>;

/** The capabilities without those optional ones that the policy does not plainly allow this agent. */
export function withoutRefusedOptions(
  rulebook: Rulebook,
  agent: string,
  capabilities: readonly ResolvedCapability[],
): readonly ResolvedCapability[] {
  return capabilities.filter((capability) => {
    if (capability.kind !== "fs.read" && capability.kind !== "fs.write") return true;
    if (capability.optional !== true) return true;
    const subject = { ...PLAIN_TOOLS[capability.kind], agent, riskOfPrograms: false };
    return rulebook.decide(subject, [capability]).effect === "allow";
  });
}
