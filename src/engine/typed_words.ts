/** Arguments that are words of a command line, typed as the schema of their tool says. */

import { invalidArguments } from "../core/parse_arguments.ts";
import type { CallRequest } from "../core/request.ts";
import { typeArguments } from "../core/type_arguments.ts";
import type { Registry } from "../tools/registry.ts";

/** `given`, and what `words` (`KEY=VALUE` each) say beside it. Throws UNKNOWN_TOOL; INVALID_ARGUMENTS. */
export async function withWords(
  registry: Registry,
  tool: string,
  given: CallRequest["args"],
  words: readonly string[],
): Promise<CallRequest["args"]> {
  if (words.length === 0) return given;
  const { name, input } = await registry.get(tool);
  const typed = typeArguments(input, words);
  if ("problems" in typed) throw invalidArguments(name, typed.problems);
  const twice = Object.keys(typed.value).find((key) => Object.hasOwn(given, key));
  if (twice !== undefined) {
    throw invalidArguments(name, [{ path: twice, message: "given as JSON and as KEY=VALUE" }]);
  }
  return { ...given, ...typed.value };
}
