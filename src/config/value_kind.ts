/** How messages name a value that was found where another was expected. */

import { quoted } from "../core/printable.ts";

/** Longest text that is shown. */
const LONGEST = 40;

/** `the text "yes"`, `the number 5`, `true`, `a list`, `a mapping`, `nothing`. */
export function found(value: unknown): string {
  switch (typeof value) {
    case "string":
      return `the text ${quoted(value, LONGEST)}`;
    case "number":
      return `the number ${value}`;
    case "boolean":
      return String(value);
    default:
      return kindOf(value);
  }
}

/** As {@linkcode found}, without the value: for what may be secret. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  switch (typeof value) {
    case "string":
      return "a text";
    case "number":
      return "a number";
    case "boolean":
      return "true or false";
    default:
      return "a mapping";
  }
}

/** `a`, `a or b`, `a, b or c`. */
export function either(words: readonly string[]): string {
  const last = words.at(-1) ?? "nothing";
  return words.length < 2 ? last : `${words.slice(0, -1).join(", ")} or ${last}`;
}
