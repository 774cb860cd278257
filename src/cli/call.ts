/** `call`: one tool, one result, one exit status. */

import { ERROR_CODES, EXIT, ToolError } from "../core/errors.ts";
import type { CallRequest } from "../core/request.ts";
import { encodeResult, refusal, type Result } from "../core/result.ts";
import type { CommandEngine } from "../engine/create_engine.ts";
import { execute } from "../engine/execute.ts";
import { createCallApprover } from "./approvers.ts";
import { readCallArguments, timeoutOf } from "./call_arguments.ts";
import type { Invocation } from "./invocation.ts";
import { openEngine, openSession, type Session } from "./session.ts";
import { approvalStore } from "./state_folder.ts";
import { complain, print, show } from "./stdio.ts";
import { UsageError } from "./usage_error.ts";

export async function call(invocation: Invocation): Promise<number> {
  const [tool, ...pairs] = invocation.words;
  if (tool === undefined) {
    throw new UsageError("call needs a tool: toolgate call TOOL [KEY=VALUE ...]");
  }
  const session = await openSession(invocation);
  const engine = openEngine(session, invocation);
  const live = new LiveOutput();
  const result = await answer(engine, invocation, [tool, ...pairs], session, live);
  await engine.runner.close();
  await live.end();
  await showResult(result, session.format, live.shown);
  return exitStatus(result);
}

/** What programs say, shown while they say it. */
class LiveOutput {
  shown = false;
  #lineOpen: "stdout" | "stderr" | null = null;
  #last: Promise<void> = Promise.resolve();

  take(stream: "stdout" | "stderr", data: string): void {
    this.shown = true;
    this.#lineOpen = data.endsWith("\n") ? null : stream;
    this.#last = this.#last.then(async () => {
      const { renderEvent } = await import("./render.ts");
      show(stream, renderEvent(data));
    });
  }

  /** All is out, and the next begins on a line of its own. */
  async end(): Promise<void> {
    await this.#last;
    if (this.#lineOpen !== null) show(this.#lineOpen, "\n");
  }
}

async function answer(
  engine: CommandEngine,
  invocation: Invocation,
  [tool = "", ...pairs]: readonly string[],
  session: Session,
  live: LiveOutput,
): Promise<Result> {
  let args: CallRequest["args"];
  try {
    args = await readCallArguments(engine, tool, invocation, pairs);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return refusal(tool, error.toResultError());
  }
  const request: CallRequest = {
    id: null,
    tool,
    args,
    agent: session.agent.name,
    timeoutMs: timeoutOf(invocation),
    preview: invocation.switches.has("preview"),
    stream: session.format === "text" && !session.quiet,
  };
  return await execute(engine, request, {
    onEvent: (event) => {
      if (event.event !== "progress") live.take(event.event, event.data);
      else if (Deno.stderr.isTerminal()) complain(`${tool}: ${event.message}`);
    },
    approver: createCallApprover({
      approve: invocation.switches.has("approve"),
      approval: invocation.values["approval"]?.[0] ?? null,
      store: () => approvalStore(engine.rulebook),
      terminal: Deno.stdin.isTerminal() && Deno.stderr.isTerminal(),
    }),
    onRunning: (cancel) => {
      for (const signal of ["SIGINT", "SIGTERM"] as const) Deno.addSignalListener(signal, cancel);
    },
  });
}

/** The exit status of INTERFACE.md for a result. */
export function exitStatus(result: Result): number {
  return result.error === null ? EXIT.success : ERROR_CODES[result.error.code];
}

export async function showResult(
  result: Result,
  format: "json" | "text",
  shown = false,
): Promise<void> {
  if (format === "json") {
    print(encodeResult(null, result));
    return;
  }
  const { renderResult } = await import("./render.ts");
  const { output, problem } = renderResult(result, shown);
  if (output !== "") print(output);
  if (problem !== null) complain(problem);
}
