/** The JSON Schema of the policy language, for editors: made from the definition that the parser reads by. */

import { policyDocument } from "./_document.ts";
import type { SchemaNode } from "../../config/field.ts";

/**
 * JSON Schema (draft 2020-12). It knows shapes, words and units; what needs more (globs, examples, thresholds
 * in order) is found by `policy check` alone.
 */
export function policyJsonSchema(): SchemaNode {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Toolgate policy",
    ...policyDocument.schema,
  };
}
