/** `--json JSON|@FILE|-`: the arguments of a call as one JSON object. */

import { ToolError } from "../../core/errors.ts";
import { readStdin } from "../stdio.ts";
import { UsageError } from "../usage_error.ts";

/** At most `limit` bytes. Throws INVALID_JSON, INVALID_ARGUMENTS, REQUEST_TOO_LARGE; a UsageError for no such file. */
export async function readJsonArguments(
  tool: string,
  source: string,
  limit: number,
): Promise<Readonly<Record<string, unknown>>> {
  const text = await readText(source, limit);
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
