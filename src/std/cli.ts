/**
 * `@std/cli` with types; an edit of the import map alone replaces it by the original.
 * `unicodeWidth` is left out: the package that carries the module misses its table, and `mod.js`,
 * which needs the table too, cannot be loaded.
 */

// @ts-types="./_cli_parse_args.d.ts"
export { parseArgs } from "npm:deno-std@1.4.0/cli/parse_args.js";
// @ts-types="./_cli_prompt_secret.d.ts"
export { promptSecret } from "npm:deno-std@1.4.0/cli/prompt_secret.js";
export type { ParsedArgs, ParseOptions } from "./_cli_parse_args.d.ts";
export type { PromptSecretOptions } from "./_cli_prompt_secret.d.ts";
