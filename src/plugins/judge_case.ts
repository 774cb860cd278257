/** What a case expected and did not get. Pure. */

import { isObject } from "../core/json_value.ts";
import { ERROR_CODES, type ErrorCode, EXIT } from "../core/errors.ts";
import { parseArguments } from "../core/parse_arguments.ts";
import { printable } from "../core/printable.ts";
import type { Effect } from "../policy/model.ts";
import { expandCommand } from "./_expand.ts";
import { isModule, type PluginManifest } from "./manifest.ts";
import type { PluginCase } from "./parse_cases.ts";

/** What became of the call. */
export interface CaseOutcome {
  readonly code: ErrorCode | null;
  readonly message: string | null;
  readonly output: unknown;
  /** The text of a file afterwards; null where there is none. */
  readonly textOf: (path: string) => string | null;
}

/** One sentence for each thing that is not as expected. */
export function judgeCase(
  manifest: PluginManifest,
  expected: PluginCase,
  actual: CaseOutcome,
): readonly string[] {
  const { code = null, effect, output, contains = [], argv, after = {} } = expected;
  const wrong: string[] = [];
  if (actual.code !== code) {
    const ended = actual.code === null ? "succeeded" : `${actual.code}: ${actual.message}`;
    wrong.push(`code: expected ${code ?? "success"}, got ${ended}`);
  }
  const said = effectOf(actual.code);
  if (effect !== undefined && effect !== said) {
    wrong.push(`effect: expected ${effect}, got ${said}`);
  }
  if (argv !== undefined) wrong.push(...judgeWords(manifest, expected.args, argv));
  if (output !== undefined) wrong.push(...differences("output", output, actual.output));
  const texts = textsIn(actual.output);
  for (const part of contains) {
    if (!texts.some((text) => text.includes(part))) {
      wrong.push(`contains: ${shown(part)} stands nowhere in the output`);
    }
  }
  for (const [path, text] of Object.entries(after)) {
    const found = actual.textOf(path);
    if (found !== text) {
      const at = `after[${JSON.stringify(path)}]`;
      wrong.push(`${at}: expected ${shownFile(text)}, found ${shownFile(found)}`);
    }
  }
  return wrong;
}

/** What the policy has said, by how the call ended. */
function effectOf(code: ErrorCode | null): Effect {
  if (code === null) return "allow";
  const status = ERROR_CODES[code];
  return status === EXIT.denied ? "deny" : status === EXIT.approval ? "ask" : "allow";
}

function judgeWords(
  manifest: PluginManifest,
  args: PluginCase["args"],
  expected: readonly string[],
): readonly string[] {
  if (isModule(manifest)) return ["argv: a module starts no program"];
  const parsed = parseArguments(manifest.parameters, args);
  const expanded = "problems" in parsed ? parsed : expandCommand(manifest, parsed.value);
  if ("problems" in expanded) return ["argv: the arguments come to no command"];
  return differences("argv", expected, expanded.argv);
}

/** Mappings are compared by what is expected of them, all else whole. */
function differences(place: string, expected: unknown, actual: unknown): readonly string[] {
  if (isObject(expected) && isObject(actual)) {
    return Object.entries(expected).flatMap(([key, value]) =>
      differences(
        `${place}.${printable(key, 60)}`,
        value,
        Object.hasOwn(actual, key) ? actual[key] : undefined,
      )
    );
  }
  if (Array.isArray(expected) && Array.isArray(actual) && expected.length === actual.length) {
    return expected.flatMap((item, index) =>
      differences(`${place}[${index}]`, item, actual[index])
    );
  }
  return expected === actual ? [] : [`${place}: expected ${shown(expected)}, got ${shown(actual)}`];
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

function shown(value: unknown): string {
  return value === undefined ? "nothing" : printable(JSON.stringify(value), 200);
}

function shownFile(text: string | null): string {
  return text === null ? "no file" : shown(text);
}
