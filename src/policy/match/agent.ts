/** Which rule of `agents` speaks for an agent: the most specific pattern wins. */

import { matchesText, parseText, type TextPattern } from "./text_pattern.ts";

/** The patterns of one policy, most specific first. */
export interface AgentMatcher<R> {
  readonly exact: ReadonlyMap<string, { readonly pattern: string; readonly rule: R }>;
  readonly wild: readonly {
    readonly pattern: string;
    readonly text: TextPattern;
    readonly rule: R;
  }[];
}

/** Compiles the keys of `agents`: names, with `*` for any run of characters. */
export function compileAgents<R>(rules: Readonly<Record<string, R>>): AgentMatcher<R> {
  const exact = new Map<string, { readonly pattern: string; readonly rule: R }>();
  const wild: { pattern: string; text: TextPattern; rule: R }[] = [];
  for (const [pattern, rule] of Object.entries(rules)) {
    const text = parseText(pattern);
    if (typeof text === "string") exact.set(text, { pattern, rule });
    else wild.push({ pattern, text, rule });
  }
  wild.sort((a, b) => b.text.weight - a.text.weight);
  return { exact, wild };
}

/** The rule for an agent, with the pattern as written; null where none matches. A name beats any pattern, more plain characters beat fewer. */
export function matchAgent<R>(
  matcher: AgentMatcher<R>,
  agent: string,
): { readonly pattern: string; readonly rule: R } | null {
  const named = matcher.exact.get(agent);
  if (named !== undefined) return named;
  return matcher.wild.find(({ text }) => matchesText(text, agent)) ?? null;
}
