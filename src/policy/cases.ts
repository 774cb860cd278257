/** Cases that a policy is tried with: YAML text → requests and what is expected of each, or all that is wrong with it. */

import { isObject } from "../core/json_value.ts";
import { ERROR_CODES, type ErrorCode } from "../core/errors.ts";
import { type Risk, RISKS } from "../core/tool.ts";
import { type Effect, EFFECTS } from "./model.ts";
import { type LaidOut, laidOutFiles } from "../config/laid_out.ts";
import { parseDocument, type PolicyProblem } from "./parse/parse.ts";
import { list, object, optional, otherwise, required } from "../config/collection.ts";
import { exactly, type Field, flag, oneOf, text } from "../config/field.ts";
import { found } from "../config/value_kind.ts";

/** One request, and what is expected of it. What is left out is not looked at. */
export interface PolicyCase {
  readonly name?: string;
  readonly tool: string;
  readonly args?: Readonly<Record<string, unknown>>;
  readonly agent?: string;
  readonly preview?: boolean;
  readonly effect: Effect;
  readonly code?: ErrorCode;
  /** `paths[2]`, or `default.yaml paths[2]`: the rule that decides. */
  readonly rule?: string;
  readonly risk?: Risk;
}

/** A file of cases, and the files that lie in the throw-away workspace where they are judged. */
export interface CaseFile {
  readonly version: 1;
  /** By path, relative to the throw-away workspace; parents are made. */
  readonly files: Readonly<Record<string, LaidOut>>;
  readonly cases: readonly PolicyCase[];
}

const name = text({ what: "a short name" });

/** Any mapping: a tool's schema judges what is in it. */
const freeMapping: Field<Readonly<Record<string, unknown>>> = {
  schema: { type: "object" },
  read: (value, place) =>
    isObject(value) ? value : place.report(`found ${found(value)}; write a mapping of arguments`),
};

const policyCase: Field<PolicyCase> = object({
  name: optional(name, "what the case is called where it fails"),
  tool: required(text({ what: "the name of a tool" }), "the tool that is asked for"),
  args: optional(freeMapping, "its arguments"),
  agent: optional(name, "who asks; root where left out"),
  preview: optional(flag(), "true: a preview is asked for"),
  effect: required(oneOf(EFFECTS), "what the policy is to say"),
  code: optional(
    oneOf(Object.keys(ERROR_CODES) as ErrorCode[]),
    "the code that the refusal is to carry",
  ),
  rule: optional(
    text({ what: "a rule such as paths[2] or default.yaml paths[2]" }),
    "the rule that is to decide",
  ),
  risk: optional(oneOf(RISKS), "the risk that is to be judged"),
});

const caseFile: Field<CaseFile> = object({
  version: required(exactly(1), "the version of this language; write version: 1"),
  files: otherwise(
    laidOutFiles,
    {},
    "what lies in the throw-away workspace: a text, { link: target }, or name/ for a folder",
  ),
  cases: required(list(policyCase, { min: 1 }), "the requests, each with what is expected of it"),
});

/** Reads a file of cases. Never throws for any text. */
export function parseCases(
  content: string,
  source: string,
): { readonly cases: CaseFile } | { readonly problems: readonly PolicyProblem[] } {
  const parsed = parseDocument(content, source, { field: caseFile, what: "file of cases" });
  return "problems" in parsed ? parsed : { cases: parsed.value };
}
