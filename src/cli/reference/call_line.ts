/** A call as somebody would type it into a shell. */

import type { Schema } from "../../core/schema.ts";
import { typeArguments } from "../../core/type_arguments.ts";

/** `toolgate call read_file path=README.md`; with `--json` where words cannot say the arguments. */
export function callLine(
  { name, input }: { readonly name: string; readonly input: Schema<unknown> },
  args: Readonly<Record<string, unknown>>,
): string {
  const words = Object.entries(args).map(([key, value]) => `${key}=${wordOf(value)}`);
  const typed = typeArguments(input, words);
  // Line ends and the like are better read as JSON writes them.
  const meant = "value" in typed && JSON.stringify(typed.value) === JSON.stringify(args) &&
    !/\p{Cc}/u.test(words.join(""));
  const said = meant ? words : ["--json", JSON.stringify(args)];
  return ["toolgate", "call", name, ...said].map(shellWord).join(" ");
}

function wordOf(value: unknown): string {
  if (typeof value === "string") return value;
  const isPlainList = Array.isArray(value) && value.length > 0 &&
    value.every((item) => ["string", "number", "boolean"].includes(typeof item));
  const joined = isPlainList ? value.join(",") : "";
  const isSafe = isPlainList && joined.split(",").length === value.length && joined[0] !== "[";
  return isSafe ? joined : JSON.stringify(value);
}

/** Quoted as POSIX shells read it (Shell Command Language, 2.2.2), where it needs that. */
export function shellWord(word: string): string {
  return /^[A-Za-z0-9_.,:/@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
