/** `gate`: the running gate itself: who is connected, and its end. */

import { ERROR_CODES, type ErrorCode, EXIT } from "../../core/errors.ts";
import { formatOf } from "../format.ts";
import type { Invocation } from "../invocation.ts";
import { complain, print } from "../stdio.ts";
import { UsageError } from "../usage_error.ts";
import { GateClient } from "./client.ts";

/** Operations of the protocol, by their words. */
const ACTIONS: Readonly<Record<string, string>> = { status: "gate", stop: "stop" };

/** What `status` answers. */
interface Status {
  readonly pid: number;
  readonly connections: readonly {
    readonly connection: number;
    readonly uid: number;
    readonly agent: string | null;
    readonly since: string;
    readonly running: number;
    readonly held_bytes: number;
  }[];
}

/** `gate status|stop`; gives the exit status. */
export async function gate(invocation: Invocation, path: string): Promise<number> {
  const [action = "status", ...rest] = invocation.words;
  const op = Object.hasOwn(ACTIONS, action) && rest.length === 0 ? ACTIONS[action] : undefined;
  if (op === undefined) throw new UsageError(`gate takes ${Object.keys(ACTIONS).join(" or ")}`);
  const client = GateClient.connect(path);
  client.send(JSON.stringify({ op }));
  const line = client.next();
  if (line === null) throw new UsageError("--gate: the gate ended before it answered");
  const { output, error } = JSON.parse(line) as {
    readonly output: unknown;
    readonly error: { readonly code: ErrorCode; readonly message: string } | null;
  };
  if (error !== null) {
    complain(`${error.code}: ${error.message}`);
    return ERROR_CODES[error.code] ?? EXIT.failed;
  }
  // It is over when the gate lets the connection go.
  if (op === "stop") { while (client.next() !== null); }
  if (formatOf(invocation) === "json") print(JSON.stringify(output));
  else print(op === "stop" ? "the gate has ended" : await statusText(output as Status));
  return EXIT.success;
}

/** Where no gate is named. */
export function gateWithout(_: Invocation): Promise<number> {
  throw new UsageError("gate needs to know which: --gate PATH, or TOOLGATE_GATE");
}

async function statusText({ pid, connections }: Status): Promise<string> {
  const { plain } = await import("../render/plain_text.ts");
  const lines = connections.map(({ connection, uid, agent, since, running }) =>
    `${connection}  uid ${uid}  ${plain(agent ?? "-")}  since ${since}  ${running} running`
  );
  return [`process ${pid}, ${connections.length} connected`, ...lines].join("\n");
}
