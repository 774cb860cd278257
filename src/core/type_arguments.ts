/** `KEY=VALUE` words of a command line, typed by a tool's schema. */

import { didYouMean, nearestOf } from "./nearest.ts";
import { type ArgumentProblem } from "./parse_arguments.ts";
import { quoted } from "./printable.ts";
import type { JsonSchema, Schema } from "./schema.ts";

/** The arguments as `parseArguments` takes them, or all that is wrong with the words. */
export type TypedArguments =
  | { readonly value: Readonly<Record<string, unknown>> }
  | { readonly problems: readonly ArgumentProblem[] };

/**
 * Types each word by the property it names:
 * - strings verbatim, all that follows the first `=`;
 * - `true`, `false`, `null`, and numbers as JSON writes them;
 * - arrays as `a,b,c`, as a repeated key (then each value whole, commas and all), or as JSON (`["a","b"]`);
 *   an empty value is the empty array;
 * - objects as JSON;
 * - where several forms are allowed, the first that the text fits.
 * The values are typed, not judged: `parseArguments` comes next.
 */
export function typeArguments(schema: Schema<unknown>, words: readonly string[]): TypedArguments {
  const problems: ArgumentProblem[] = [];
  const properties = new Map(Object.entries(schema.properties ?? {}));
  const known = [...properties.keys()];
  const texts = new Map<string, string[]>();
  for (const word of words) {
    const split = word.indexOf("=");
    const key = split < 0 ? word : word.slice(0, split);
    if (split < 0) {
      problems.push({ path: "", message: strayWord(word, words, known, schema.required ?? []) });
      // What follows would be said to be the same.
      if (known[0] === "command") break;
    } else if (!properties.has(key)) {
      problems.push({ path: "", message: unknownKey(key, known) });
    } else {
      const given = texts.get(key) ?? [];
      given.push(word.slice(split + 1));
      texts.set(key, given);
    }
  }
  const typed: [string, unknown][] = [];
  for (const [key, values] of texts) {
    const outcome = typeValues(properties.get(key) ?? {}, values);
    if ("problem" in outcome) problems.push({ path: key, message: outcome.problem });
    else typed.push([key, outcome.value]);
  }
  return problems.length === 0 ? { value: Object.fromEntries(typed) } : { problems };
}

type Typed = { readonly value: unknown } | { readonly problem: string };

function unknownKey(key: string, known: readonly string[]): string {
  return `unknown argument ${quoted(key)}.${didYouMean(nearestOf(key, known, 1))} ` +
    (known.length === 0 ? "None is taken" : `Known: ${known.join(", ")}`);
}

function typeValues(schema: JsonSchema, texts: readonly string[]): Typed {
  if (schema.type === "array" && texts.length > 1) return typeEach(schema.items ?? {}, texts);
  const text = texts[0];
  if (text === undefined || texts.length > 1) {
    return { problem: `given ${texts.length} times; it takes one value` };
  }
  return typeText(schema, text);
}

function typeText(schema: JsonSchema, text: string): Typed {
  switch (schema.type) {
    case "string":
      return { value: text };
    case "boolean":
      if (text === "true" || text === "false") return { value: text === "true" };
      return { problem: `expected true or false, got ${quoted(text)}` };
    case "null":
      return text === "null" ? { value: null } : { problem: `expected null, got ${quoted(text)}` };
    case "integer":
    case "number":
      return typeNumber(schema.type, text);
    case "object":
      return typeJson(text, "an object", "{");
    case "array":
      if (text.startsWith("[")) return typeJson(text, "an array", "[");
      return text === "" ? { value: [] } : typeEach(schema.items ?? {}, text.split(","));
    default:
      return typeFree(schema, text);
  }
}

/** A number in JSON's grammar (RFC 8259, section 6): no `0x10`, no `1_000`, no blanks. */
function typeNumber(type: "integer" | "number", text: string): Typed {
  const isNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text);
  const value = isNumber ? Number(text) : NaN;
  if (type === "integer" ? Number.isInteger(value) : Number.isFinite(value)) return { value };
  return {
    problem: `expected ${type === "integer" ? "an integer" : "a number"}, got ${quoted(text)}`,
  };
}

function typeJson(text: string, what: string, opening: "{" | "["): Typed {
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value) === (opening === "[") && typeof value === "object" && value !== null) {
      return { value };
    }
  } catch {
    // told below, with what was given
  }
  return { problem: `expected ${what} as JSON, got ${quoted(text)}` };
}

function typeEach(items: JsonSchema, texts: readonly string[]): Typed {
  const values: unknown[] = [];
  for (const text of texts) {
    const typed = typeText(items, text);
    if ("problem" in typed) return typed;
    values.push(typed.value);
  }
  return { value: values };
}

/** No single type: the first form that fits, a member of `enum` by its text, else the text itself. */
function typeFree(schema: JsonSchema, text: string): Typed {
  const forms = schema.oneOf ?? [];
  for (const form of forms) {
    const typed = typeText(form, text);
    if (!("problem" in typed)) return typed;
  }
  if (forms.length > 0) return { problem: `fits none of the forms allowed here: ${quoted(text)}` };
  const members = schema.enum?.filter((candidate) => String(candidate) === text) ?? [];
  return { value: members.length > 0 ? members[0] : text };
}

/** A value without its key: which one it may be of; of a tool that takes a command line, all of them as one. */
function strayWord(
  word: string,
  words: readonly string[],
  known: readonly string[],
  required: readonly string[],
): string {
  const wrong = `${quoted(word)} is no KEY=VALUE`;
  if (known.includes(word)) return `${wrong}; write ${word}=…`;
  const name = known.find((each) => required.includes(each)) ?? known[0] ?? "KEY";
  const line = name === "command" ? words.slice(words.indexOf(word)).join(" ") : word;
  return `${wrong}; did you mean ${name}=${asValue(line)}?`;
}

/** As a shell takes it. */
function asValue(text: string): string {
  if (/^[\w./:@%+,-]+$/.test(text)) return text;
  return /[\p{Cc}']/u.test(text) ? "…" : `'${text}'`;
}
