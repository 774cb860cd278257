/** The arguments of `call` and `policy explain`: KEY=VALUE words, and one JSON object. */

import type { Engine } from "../../engine/execute.ts";
import { withWords } from "../../engine/typed_words.ts";
import type { Invocation } from "../invocation.ts";
import { readJsonArguments } from "./json_argument.ts";

/**
 * Arguments of a call as its schema will judge them. Throws a ToolError for what a caller may get wrong
 * (UNKNOWN_TOOL, INVALID_JSON, INVALID_ARGUMENTS, REQUEST_TOO_LARGE).
 */
export async function readCallArguments(
  engine: Engine,
  tool: string,
  invocation: Invocation,
  words: readonly string[],
): Promise<Readonly<Record<string, unknown>>> {
  const source = invocation.values["json"]?.[0];
  const { request } = engine.rulebook.settings.limits;
  const given = source === undefined ? {} : await readJsonArguments(tool, source, request);
  return await withWords(engine.registry, tool, given, words);
}
