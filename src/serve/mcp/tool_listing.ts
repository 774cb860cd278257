/** Tools as MCP lists them, and their results as MCP gives them. */

import { jsonText, type Result } from "../../core/result.ts";
import type { ToolDescription } from "../../core/tool.ts";
import type { Steps } from "../../engine/turns.ts";
import { type Revision, STATELESS_REVISION } from "./messages.ts";
import { SERVER_INFO, type ServerInfo } from "./_stateless_result.ts";

/** A tool in `tools/list`. Output schemas, and titles of their own, came with 2025-06-18. */
export function listedTool(tool: ToolDescription, revision: Revision): Record<string, unknown> {
  const { name, description, input, output, category } = tool;
  const title = titleOf(name);
  const hints = hintsOf(tool);
  const base = { name, description, inputSchema: input };
  return revision === "2025-03-26" ? { ...base, annotations: { title, ...hints } } : {
    ...base,
    annotations: hints,
    title,
    outputSchema: output,
    _meta: { "toolgate/category": category },
  };
}

/** What the risk means to a client: safe looks, moderate changes what can be changed back, dangerous is the rest. */
function hintsOf({ risk, changes, category }: ToolDescription): Record<string, boolean> {
  return {
    readOnlyHint: !changes,
    destructiveHint: risk === "dangerous",
    idempotentHint: !changes,
    openWorldHint: category === "web",
  };
}

function titleOf(name: string): string {
  const words = name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Characters that are written as JSON at once. */
const PART = 1 << 19;

/** A text as JSON, as `JSON.stringify` writes it, a part at a time: of megabytes it takes tens of milliseconds. */
function* quoted(text: string): Steps<string> {
  if (text.length <= PART) return JSON.stringify(text);
  let json = '"';
  for (let at = 0; at < text.length;) {
    let end = Math.min(at + PART, text.length);
    // Halves of a letter that are parted are written as escapes.
    if (end < text.length && /[\ud800-\udbff]/.test(text[end - 1]!)) end--;
    json += JSON.stringify(text.slice(at, end)).slice(1, -1);
    at = end;
    yield;
  }
  return `${json}"`;
}

/** The result of `tools/call`, as JSON text, in steps. Outputs are not parsed on the way. */
export function* callResult(
  result: Result,
  revision: Revision,
  serverInfo: ServerInfo,
): Steps<string> {
  const { success, error, latencyMs, usage, risk } = result;
  const output: string = jsonText(result.output);
  const rule = error?.rule ?? null;
  const cited = rule === null ? "" : `\nrule: ${rule.file} ${rule.index}`;
  const texts = [
    ...(error === null ? [] : [`${error.code}: ${error.message}${cited}`]),
    ...(output === "null" && error !== null ? [] : [output]),
  ];
  const contents: string[] = [];
  for (const text of texts) contents.push(`{"type":"text","text":${yield* quoted(text)}}`);
  const stateless = revision === STATELESS_REVISION;
  const meta = JSON.stringify({
    ...(stateless ? { [SERVER_INFO]: serverInfo } : {}),
    "toolgate/latency_ms": Number(latencyMs.toFixed(2)),
    "toolgate/risk": risk,
    "toolgate/usage": usage,
    ...(error === null ? {} : { "toolgate/error": error }),
    ...(result.recovery === undefined ? {} : { "toolgate/recovery": result.recovery }),
  });
  // A client may hold the structure against the output schema: only a success is bound to fit.
  const structured = success && revision !== "2025-03-26" && output.startsWith("{")
    ? `,"structuredContent":${output}`
    : "";
  const type = stateless ? '"resultType":"complete",' : "";
  return `{${type}"content":[${
    contents.join(",")
  }]${structured},"isError":${!success},"_meta":${meta}}`;
}
