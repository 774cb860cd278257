/** `policy explain`: a request in, the whole chain of reasoning out; nothing runs. */

import { ERROR_CODES, type ErrorCode, EXIT, ToolError } from "../../core/errors.ts";
import { refusal } from "../../core/result.ts";
import type { CommandEngine } from "../../engine/create_engine.ts";
import { describeFailure } from "../../engine/run_tool.ts";
import { readCallArguments } from "../call/call_arguments.ts";
import { timeoutOf } from "../call/timeout.ts";
import { showResult } from "../call/call.ts";
import type { Invocation } from "../invocation.ts";
import { openAgentSession } from "../agent_session.ts";
import { openEngine, type Session } from "../session.ts";
import { print } from "../stdio.ts";
import { UsageError } from "../usage_error.ts";

/** Exits as `call` would. */
export async function explainCall(
  invocation: Invocation,
  words: readonly string[],
): Promise<number> {
  const [tool, ...pairs] = words;
  if (tool === undefined) throw new UsageError("policy explain needs a tool and its arguments");
  // Explaining makes nothing.
  const { session } = await openAgentSession(invocation, { make: false });
  const engine = openEngine(session, invocation);
  try {
    return await explainTo(engine, session, invocation, tool, pairs);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    const failure = describeFailure(tool, error);
    await showResult(refusal(tool, failure), session.format);
    return ERROR_CODES[failure.code];
  } finally {
    await engine.runner.close();
  }
}

async function explainTo(
  engine: CommandEngine,
  session: Session,
  invocation: Invocation,
  tool: string,
  pairs: readonly string[],
): Promise<number> {
  const { explain } = await import("../../engine/judge/explain.ts");
  const { explanation, effect } = await explain(engine, {
    id: null,
    tool,
    args: await readCallArguments(engine, tool, invocation, pairs),
    agent: session.agent.name,
    timeoutMs: timeoutOf(invocation),
    preview: invocation.switches.has("preview"),
    stream: false,
  });
  if (session.format === "text") {
    const { renderExplanation } = await import("../render/explanation.ts");
    print(renderExplanation(explanation));
  } else {
    print(JSON.stringify(explanation));
  }
  const code = explanation["code"] as ErrorCode | null;
  return effect === "allow" || code === null ? EXIT.success : ERROR_CODES[code];
}
