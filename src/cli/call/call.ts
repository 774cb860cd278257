/** `call`: one tool, one result, one exit status. */

import { ERROR_CODES, EXIT, ToolError } from "../../core/errors.ts";
import type { CallRequest } from "../../core/request.ts";
import { encodeResult, refusal, type Result } from "../../core/result.ts";
import type { Approver } from "../../engine/approvals/approvals.ts";
import type { CommandEngine } from "../../engine/create_engine.ts";
import { execute } from "../../engine/execute.ts";
import type { JobEvent } from "../../engine/runner.ts";
import { readCallArguments } from "./call_arguments.ts";
import { timeoutOf } from "./timeout.ts";
import type { Invocation } from "../invocation.ts";
import type { ProgressLine } from "./_progress_line.ts";
import type { Screens } from "../render/render.ts";
import { openAgentSession } from "../agent_session.ts";
import { warnOfWorkspace } from "../circumstances.ts";
import { openEngine, type Session } from "../session.ts";
import { complain, print, show } from "../stdio.ts";
import { UsageError } from "../usage_error.ts";

/** `call TOOL KEY=VALUE …`: one call, one result on standard output; gives the exit status. */
export async function call(invocation: Invocation): Promise<number> {
  const [tool, ...pairs] = invocation.words;
  if (tool === undefined) {
    throw new UsageError(
      "call needs a tool: toolgate call TOOL [KEY=VALUE ...]\n" +
        "  toolgate call read_file path=README.md\n" +
        "toolgate tools lists them; toolgate call TOOL --help says what one takes",
    );
  }
  const { session, release } = await openAgentSession(invocation);
  if (!session.quiet) warnOfWorkspace(session.workspace);
  const engine = openEngine(session, invocation);
  // A sealed build reads no variables any more once its call has run.
  const screens = session.format === "text" ? await openScreens() : null;
  const verbatim = session.format === "text" && !session.quiet;
  const live = new LiveOutput(await openProgress(tool, session), verbatim);
  const result = await answer(engine, invocation, [tool, ...pairs], session, live);
  await engine.runner.close();
  release();
  await live.end();
  await showResult(result, session.format, { screens, shown: live.shown });
  return exitStatus(result);
}

type Stream = "stdout" | "stderr";

/** What happens while a call runs, shown: what programs say where results are for people, and else that it goes on. */
class LiveOutput {
  shown = false;
  readonly #progress: ProgressLine | null;
  /** Whether what programs say is shown as it is. */
  readonly #verbatim: boolean;
  /** Those whose line has no end yet. */
  readonly #open = new Set<Stream>();
  #last: Promise<void> = Promise.resolve();

  constructor(progress: ProgressLine | null, verbatim: boolean) {
    this.#progress = progress;
    this.#verbatim = verbatim;
    progress?.start();
  }

  /** Whether programs need to send what they say while they say it. */
  get wanted(): boolean {
    return this.#verbatim || this.#progress !== null;
  }

  take(event: JobEvent): void {
    if (event.event === "progress" || !this.#verbatim) this.#progress?.take(event);
    else this.#show(event.event, event.data);
  }

  #show(stream: Stream, data: string): void {
    // What is said on the terminal shows by itself that the call goes on, and the two would mix.
    if ((stream === "stdout" ? Deno.stdout : Deno.stderr).isTerminal()) this.#progress?.end();
    this.shown = true;
    // One terminal has one line, whoever writes to it.
    if (Deno.stdout.isTerminal() && Deno.stderr.isTerminal()) this.#open.clear();
    if (data.endsWith("\n")) this.#open.delete(stream);
    else this.#open.add(stream);
    this.#last = this.#last.then(async () => {
      const { renderEvent } = await import("../render/render.ts");
      show(stream, renderEvent(data));
    });
  }

  /** Out of the way while somebody is asked. */
  async heldWhile<T>(work: () => Promise<T>): Promise<T> {
    return await (this.#progress?.heldWhile(work) ?? work());
  }

  /** All is out, and the next begins on a line of its own. */
  async end(): Promise<void> {
    this.#progress?.end();
    await this.#last;
    for (const stream of this.#open) show(stream, "\n");
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
    stream: live.wanted,
  };
  return await execute(engine, request, {
    onEvent: (event) => live.take(event),
    approver: {
      ask: (pending) =>
        live.heldWhile(async () => await (await openApprover(engine, invocation)).ask(pending)),
    },
    onRunning: (cancel) => {
      for (const signal of ["SIGINT", "SIGTERM"] as const) Deno.addSignalListener(signal, cancel);
    },
  });
}

/** Where somebody watches standard error on a terminal that can take a line back. */
async function openProgress(title: string, { quiet }: Session): Promise<ProgressLine | null> {
  if (quiet || !Deno.stderr.isTerminal()) return null;
  const { openScreen } = await import("../render/screen.ts");
  const { columns, erasable } = openScreen("stderr");
  if (!erasable || columns === null) return null;
  const { ProgressLine } = await import("./_progress_line.ts");
  return new ProgressLine({
    title,
    columns,
    write: (text) => show("stderr", text),
    now: () => performance.now(),
  });
}

async function openScreens(): Promise<Screens> {
  const { openScreen } = await import("../render/screen.ts");
  return { output: openScreen("stdout"), problem: openScreen("stderr") };
}

/** Few calls ask: the others load nothing for it. */
async function openApprover(engine: CommandEngine, invocation: Invocation): Promise<Approver> {
  const { createCallApprover } = await import("./approvers.ts");
  const { approvalStore } = await import("../kept_approvals.ts");
  return createCallApprover({
    approve: invocation.switches.has("approve"),
    approval: invocation.values["approval"]?.[0] ?? null,
    store: () => approvalStore(engine.rulebook),
    terminal: Deno.stdin.isTerminal() && Deno.stderr.isTerminal(),
  });
}

/** The exit status of `call` for a result: that of its code in {@linkcode ERROR_CODES}. */
export function exitStatus(result: Result): number {
  return result.error === null ? EXIT.success : ERROR_CODES[result.error.code];
}

/** `screens`: where text is shown, for who has looked already. `shown`: what a program said was shown while it said it. */
export async function showResult(
  result: Result,
  format: "json" | "text",
  { screens = null, shown = false }: { screens?: Screens | null; shown?: boolean } = {},
): Promise<void> {
  if (format === "json") {
    print(encodeResult(null, result));
    return;
  }
  const { renderResult } = await import("../render/render.ts");
  const { output, problem } = renderResult(result, screens ?? await openScreens(), shown);
  if (output !== "") print(output);
  if (problem !== null) complain(problem);
}
