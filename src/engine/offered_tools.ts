/** The tools that a policy could allow an agent: what is shown to models, and listed for people. */

import type { ToolDescription } from "../core/tool.ts";
import { subjectOf } from "./judge/decide_call.ts";
import type { DecisionParts } from "./judge/decided_call.ts";

/** Another name for tools is offered where one of them is. */
export async function offeredTools(
  { registry, rulebook }: Pick<DecisionParts, "registry" | "rulebook">,
  agent: string,
): Promise<readonly ToolDescription[]> {
  const allowed = (await registry.listed())
    .filter(({ subject }) => rulebook.offers(subjectOf(subject, agent)));
  const own = new Set(
    allowed.filter(({ standsFor }) => standsFor === null).map(({ subject }) => subject.name),
  );
  return allowed
    .filter(({ standsFor }) => standsFor?.some((name) => own.has(name)) ?? true)
    .map(({ description }) => description);
}
