/** YAML text → a policy, or all that is wrong with it. Pure: who reads files is `cli`. */

import type { Policy } from "../model.ts";
import { policyDocument } from "./_document.ts";
import type { Field } from "../../config/field.ts";
import { layOut } from "../../config/layout.ts";
import { type PolicyProblem, topOf } from "../../config/key_position.ts";
import { type Expected, yamlMapping } from "../../config/yaml_value.ts";

export type { PolicyProblem } from "../../config/key_position.ts";

/** A whole policy, or at least one problem; never a part of a policy. */
export type ParsedPolicy =
  | { readonly policy: Policy }
  | { readonly problems: readonly PolicyProblem[] };

/**
 * Reads a policy. `source` is what its problems call it. All problems of a text that is YAML are found at
 * once; of one that is not, those up to the first place where it is not. Never throws for any text.
 */
export function parsePolicy(text: string, source: string): ParsedPolicy {
  const parsed = parseDocument(text, source, { field: policyDocument, what: "policy" });
  return "value" in parsed ? { policy: parsed.value } : parsed;
}

/** As {@linkcode parsePolicy}, for a document of any kind. */
export function parseDocument<T>(
  text: string,
  source: string,
  { field, ...expected }: { readonly field: Field<T> } & Expected,
): { readonly value: T } | { readonly problems: readonly PolicyProblem[] } {
  const problems: PolicyProblem[] = [];
  const report = (key: string, message: string, line?: number) => {
    problems.push({ source, key, message, ...(line === undefined ? {} : { line }) });
  };
  const top = topOf(report);
  const mapping = yamlMapping(text, top, report, expected);
  const value = mapping === undefined ? undefined : field.read(mapping, top);
  if (value !== undefined && problems.length === 0) return { value };
  return { problems: withLines(problems, text) };
}

/**
 * Problems with the lines of their keys, as they follow each other in the text. Only made where there are problems:
 * policies that load pay nothing.
 */
function withLines(problems: readonly PolicyProblem[], text: string): readonly PolicyProblem[] {
  const known = problems.every(({ line, key }) => line !== undefined || key === "");
  const layout = known ? null : layOut(text);
  return problems.map((problem) => {
    const line = problem.line ?? layout?.lineOf(problem.key);
    return line === undefined ? problem : { ...problem, line };
  }).toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
}

/** Most problems that are written out; the first ones explain the others often enough. */
const MOST_RENDERED = 50;

/** Problems for people, one a line: `policy/x.yaml:12: commands[3].allow: …`. */
export function renderProblems(problems: readonly PolicyProblem[]): string {
  const lines = problems.slice(0, MOST_RENDERED).map(({ source, key, message, line }) =>
    `${source}:${line === undefined ? "" : `${line}:`} ${key === "" ? "" : `${key}: `}${message}`
  );
  const more = problems.length - lines.length;
  if (more > 0) lines.push(`and ${more} more`);
  return lines.join("\n");
}
