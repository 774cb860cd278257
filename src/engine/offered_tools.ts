/** The tools that a policy could allow an agent: what is shown to models, and listed for people. */

import type { ToolDescription } from "../core/tool.ts";
import { subjectOf } from "./judge/decide_call.ts";
import type { DecisionParts } from "./judge/decided_call.ts";

/** Another name for tools is offered where one of them is. */
export async function offeredTools(
  { registry, rulebook }: Pick<DecisionParts, "registry" | "rulebook">,
  agent: string,
): Promise<readonly ToolDescription[]> {
  const tools = await registry.list();
  const allowed = tools.filter((tool) => rulebook.offers(subjectOf(tool, agent)));
  const own = new Set(allowed.filter((tool) => !tool.standsFor).map(({ name }) => name));
  const names = new Set(
    allowed.filter(({ standsFor }) => standsFor?.tools.some((name) => own.has(name)) ?? true)
      .map(({ name }) => name),
  );
  return (await registry.catalogue.all()).filter(({ name }) => names.has(name));
}
