/** The arguments of `call` and `policy explain`: KEY=VALUE words, and one JSON object. */

import { ToolError } from "../../core/errors.ts";
import { invalidArguments } from "../../core/parse_arguments.ts";
import { typeArguments } from "../../core/type_arguments.ts";
import type { Engine } from "../../engine/execute.ts";
import { parseDuration } from "../../config/duration.ts";
import type { Invocation } from "../invocation.ts";
import { readStdin } from "../stdio.ts";
import { UsageError } from "../usage_error.ts";

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
  const given = source === undefined ? {} : await readJson(engine, tool, source);
  if (words.length === 0) return given;
  const { name, input } = await engine.registry.get(tool);
  const typed = typeArguments(input, words);
  if ("problems" in typed) throw invalidArguments(name, typed.problems);
  const twice = Object.keys(typed.value).find((key) => Object.hasOwn(given, key));
  if (twice !== undefined) {
    throw invalidArguments(name, [{ path: twice, message: "given in --json and as KEY=VALUE" }]);
  }
  return { ...given, ...typed.value };
}

async function readJson(
  engine: Engine,
  tool: string,
  source: string,
): Promise<Readonly<Record<string, unknown>>> {
  const { request } = engine.rulebook.settings.limits;
  const text = await readText(source, request);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const why = error instanceof SyntaxError ? `: ${error.message.slice(0, 120)}` : "";
    throw new ToolError("INVALID_JSON", `${tool}: --json is not one JSON value${why}`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new ToolError("INVALID_ARGUMENTS", `${tool}: --json must be an object of arguments`);
  }
  return value as Readonly<Record<string, unknown>>;
}

async function readText(source: string, limit: number): Promise<string> {
  if (source !== "-" && !source.startsWith("@")) return source;
  const bytes = source === "-" ? await readStdin(limit) : readFile(source.slice(1), limit);
  if (bytes === null || bytes.length > limit) {
    throw new ToolError("REQUEST_TOO_LARGE", `--json ${source}: at most ${limit} bytes`);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new ToolError("INVALID_JSON", `--json ${source}: not UTF-8 text`);
  }
}

function readFile(file: string, limit: number): Uint8Array | null {
  try {
    if (Deno.statSync(file).size > limit) return null;
    return Deno.readFileSync(file);
  } catch (error) {
    const why = error instanceof Deno.errors.NotFound ? "no such file" : "cannot be read";
    throw new UsageError(`--json @${file}: ${why}`);
  }
}

/** `--timeout` in milliseconds, or null. */
export function timeoutOf(invocation: Invocation): number | null {
  const text = invocation.values["timeout"]?.[0];
  if (text === undefined) return null;
  try {
    const ms = parseDuration(text);
    if (ms > 0) return ms;
  } catch (error) {
    throw new UsageError(`--timeout: ${error instanceof Error ? error.message : "no duration"}`);
  }
  throw new UsageError("--timeout: must be above 0");
}
