/** Runs one tool with the handles of its grant and turns whatever happens into an outcome. */

import { type ErrorCode, type ResultError, ToolError } from "../core/errors.ts";
import { JSON_NULL, toJsonText } from "../core/result.ts";
import type { Tool, ToolContext } from "../core/tool.ts";
import type { Outcome } from "./runner.ts";

/** At once, where the tool does its work at once. Never throws. `usage` is read when the tool has ended. */
export function runTool(
  tool: Tool,
  input: unknown,
  context: ToolContext,
  options: { readonly preview: boolean; readonly usage: () => Outcome["usage"] },
): Outcome | Promise<Outcome> {
  const ended = (output: unknown): Outcome => ({
    output: toJsonText(output),
    error: null,
    usage: options.usage(),
  });
  const failed = (error: unknown): Outcome => ({
    output: error instanceof ToolError && error.output !== null
      ? toJsonText(error.output)
      : JSON_NULL,
    error: describeFailure(tool.name, error),
    usage: options.usage(),
  });
  try {
    const running = options.preview && tool.preview !== undefined
      ? tool.preview(input, context)
      : tool.run(input, context);
    return running instanceof Promise ? running.then(ended).catch(failed) : ended(running);
  } catch (error) {
    return failed(error);
  }
}

/** The error of a result for anything thrown: a lower layer's refusal is NATIVE_DENIED, the rest EXECUTION_ERROR. */
export function describeFailure(tool: string, error: unknown): ResultError {
  if (error instanceof ToolError) return error.toResultError();
  if (error instanceof Deno.errors.NotCapable) {
    return failure(
      "NATIVE_DENIED",
      `${tool}: the runtime's permission set refused what the policy layer had let through`,
    );
  }
  if (error instanceof Deno.errors.PermissionDenied) {
    return failure(
      "NATIVE_DENIED",
      `${tool}: the operating system refused what the policy layer had let through`,
    );
  }
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return failure("EXECUTION_ERROR", `${tool}: ${withoutPaths(text)}`);
}

function failure(code: ErrorCode, message: string): ResultError {
  return { code, message, details: null, rule: null };
}

/** Messages of the runtime carry absolute paths; a result must not. */
function withoutPaths(text: string): string {
  return text.replaceAll(/(?:file:\/\/)?\/[^\s'"`)]*/g, "…").slice(0, 500);
}
