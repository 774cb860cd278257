/** `call --gate`: the words of the command line go to a gate, and its answer comes back. */

import { ERROR_CODES, EXIT, ToolError } from "../../core/errors.ts";
import {
  encodeResult,
  type JsonText,
  refusal,
  type Result,
  resultError,
} from "../../core/result.ts";
import { readJsonArguments } from "../call/json_argument.ts";
import { timeoutOf } from "../call/timeout.ts";
import { formatOf } from "../format.ts";
import type { CommandLine } from "../flags.ts";
import { complain, print, show } from "../stdio.ts";
import { UsageError } from "../usage_error.ts";
import { CALL } from "./_plain_words.ts";
import type { GateClient } from "./client.ts";
import { connectTo } from "./connect.ts";

/** What a gate takes unless its policy says otherwise: more is refused there. */
const MOST_JSON = 16 * 1024 * 1024;

/** Names what is said to questions: what comes back for it is not the call's answer. */
const ANSWER = "answer";

/** An answer or an event, as far as it tells which. */
interface Said {
  readonly id?: unknown;
  readonly event?: string;
  readonly data?: string;
}

/** An answer: a result in the words of the protocol. */
type Answer = Omit<Result, "output" | "latencyMs"> & {
  readonly output: unknown;
  readonly latency_ms: number;
};

/** One call; gives the exit status that `call` itself would. */
export async function callThrough(invocation: CommandLine, path: string): Promise<number> {
  const [tool, ...words] = invocation.words;
  if (tool === undefined) {
    throw new UsageError("call needs a tool: toolgate call TOOL [KEY=VALUE ...]");
  }
  const text = formatOf(invocation) === "text";
  const connected = await connectTo(invocation, path);
  if (connected.refused !== null) {
    return await end(refusal(tool, connected.refused), { text, shown: false });
  }
  const { client } = connected;
  const [source] = invocation.values["json"] ?? [];
  let args: Readonly<Record<string, unknown>>;
  try {
    args = source === undefined ? {} : await readJsonArguments(tool, source, MOST_JSON);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return await end(refusal(tool, error.toResultError()), { text, shown: false });
  }
  const [agent] = invocation.values["agent"] ?? [];
  const timeoutMs = timeoutOf(invocation);
  const stream = text && !invocation.switches.has("quiet");
  client.send(JSON.stringify({
    id: CALL,
    tool,
    args,
    ...(words.length === 0 ? {} : { words }),
    ...(agent === undefined ? {} : { agent }),
    ...(timeoutMs === null ? {} : { timeout_ms: timeoutMs }),
    ...(invocation.switches.has("preview") ? { preview: true } : {}),
    ...(stream ? { stream } : {}),
  }));
  return await answerThrough(invocation, client);
}

/** What comes of a call that was sent; gives the exit status. */
export async function answerThrough(
  invocation: CommandLine,
  client: GateClient,
): Promise<number> {
  const [tool = ""] = invocation.words;
  const text = formatOf(invocation) === "text";
  const asks = await answererOf(invocation);
  // Who cannot agree to anything says so at once: the gate then does not wait.
  if (asks === null) client.endSending();
  let shown = false;
  for (let line = client.next(); line !== null; line = client.next()) {
    const said = JSON.parse(line) as Said;
    // That it was told of an answer: what the call's programs say may come before that.
    if (said.id === ANSWER) continue;
    if (said.event === undefined) return await end(resultOf(said as Answer), { text, shown });
    if ((said.event === "stdout" || said.event === "stderr") && said.data !== undefined) {
      const { renderEvent } = await import("../render/render.ts");
      show(said.event, renderEvent(said.data));
      shown = true;
    } else if (said.event === "approval_required") {
      const answer = await asks?.(said as Asked) ?? null;
      if (answer === null) client.endSending();
      else client.send(JSON.stringify({ id: ANSWER, ...answer }));
    }
  }
  const ended = resultError("CANCELLED", `${tool}: the gate ended before it answered`);
  return await end(refusal(tool, ended), { text, shown });
}

/** What encodes the same again, as a gate's texts are those of JSON.stringify. */
function resultOf({ output, latency_ms: latencyMs, ...said }: Answer): Result {
  return { ...said, output: JSON.stringify(output) as JsonText, latencyMs };
}

/** Prints it as a call that asks nobody does: the name that it was sent with is no caller's. */
async function end(
  result: Result,
  { text, shown }: { readonly text: boolean; readonly shown: boolean },
): Promise<number> {
  if (!text) {
    print(encodeResult(null, result));
  } else {
    const { renderResult } = await import("../render/render.ts");
    const { openScreen } = await import("../render/screen.ts");
    const screens = { output: openScreen("stdout"), problem: openScreen("stderr") };
    const { output, problem } = renderResult(result, screens, shown);
    if (output !== "") print(output);
    if (problem !== null) complain(problem);
  }
  const { error } = result;
  return error === null ? EXIT.success : ERROR_CODES[error.code] ?? EXIT.failed;
}

/** What is asked, in the words of the protocol. */
interface Asked {
  readonly id: unknown;
  readonly approval: string;
  readonly tool: string;
  readonly agent: string;
  readonly description: string;
  readonly risk: "safe" | "moderate" | "dangerous";
  readonly reason: string;
  readonly preview: unknown;
  readonly once_because?: string;
  readonly while_running?: boolean;
  readonly expires_at: string;
}

type Reply = Readonly<Record<string, unknown>>;

/** How it is answered; null where nobody can. A reply that is null leaves the question to nobody. */
async function answererOf(
  { switches, values }: CommandLine,
): Promise<((asked: Asked) => Promise<Reply | null>) | null> {
  const approve = (approval: string): Reply => ({ op: "approve", approval });
  if (switches.has("approve")) {
    // Words that nobody knew then are for who has seen them, and so is what child agents ask.
    return ({ id, approval, while_running: running }) =>
      Promise.resolve(running === true || id !== CALL ? null : approve(approval));
  }
  const [named] = values["approval"] ?? [];
  if (named !== undefined) {
    return ({ approval }) => Promise.resolve(approval === named ? approve(approval) : null);
  }
  if (!Deno.stdin.isTerminal() || !Deno.stderr.isTerminal()) return null;
  const { createCallApprover } = await import("../call/approvers.ts");
  const approver = createCallApprover({
    approve: false,
    approval: null,
    store: () => null,
    terminal: true,
  });
  return async (asked) => {
    const { approval, once_because: onceBecause = null, expires_at: expires, preview } = asked;
    const { answer } = await approver.ask({
      ...asked,
      id: approval,
      preview: JSON.stringify(preview) as JsonText,
      onceBecause,
      expiresAt: Date.parse(expires),
    });
    return answer === "approved" ? approve(approval) : { op: "reject", approval };
  };
}
