/** `gate`: the running gate itself: who is connected, tokens for others, and its end. */

import { ERROR_CODES, type ErrorCode, EXIT } from "../../core/errors.ts";
import { formatOf } from "../format.ts";
import type { Invocation } from "../invocation.ts";
import { complain, print } from "../stdio.ts";
import { UsageError } from "../usage_error.ts";
import { connectTo } from "./connect.ts";

type Request = Readonly<Record<string, unknown>>;

/** What is asked of the gate, by the words of the command line; null for words that are none. */
async function requestOf(invocation: Invocation): Promise<Request | null> {
  const [action = "status", id, ...rest] = invocation.words;
  const { tokenRequest } = await import("./_token_request.ts");
  const request = action === "token" ? tokenRequest(invocation) : null;
  const own = Object.keys(request ?? {});
  const foreign = TOKEN_FLAGS.find((flag) => !own.includes(flag) && flag in invocation.values);
  if (foreign !== undefined) throw new UsageError(`--${foreign} is a flag of gate token`);
  if (rest.length > 0 || (action === "revoke") !== (id !== undefined)) return null;
  switch (action) {
    case "status":
      return { op: "gate" };
    case "stop":
      return { op: "stop" };
    case "revoke":
      return { op: "revoke", token: id };
    default:
      return request;
  }
}

const TOKEN_FLAGS = ["permissions", "paths", "commands", "tokens", "expires", "uid"];

/** What `status` answers. */
interface Status {
  readonly pid: number;
  readonly tokens: readonly {
    readonly token: string;
    readonly agent: string;
    readonly maker: string;
    readonly spent: number;
    readonly tokens: number | null;
    readonly expires: string | null;
    readonly connections: number;
  }[];
  readonly connections: readonly {
    readonly connection: number;
    readonly uid: number;
    readonly agent: string | null;
    readonly since: string;
    readonly running: number;
    readonly held_bytes: number;
  }[];
}

/** `gate status|token|revoke|stop`; gives the exit status. */
export async function gate(invocation: Invocation, path: string): Promise<number> {
  const request = await requestOf(invocation);
  if (request === null) throw new UsageError("gate takes status, token, revoke TOKEN or stop");
  const { op } = request;
  const connected = await connectTo(invocation, path);
  if (connected.refused !== null) return refused(connected.refused);
  const { client } = connected;
  client.send(JSON.stringify(request));
  const line = client.next();
  if (line === null) throw new UsageError("--gate: the gate ended before it answered");
  const { output, error } = JSON.parse(line) as {
    readonly output: unknown;
    readonly error: { readonly code: ErrorCode; readonly message: string } | null;
  };
  if (error !== null) return refused(error);
  // It is over when the gate lets the connection go.
  if (op === "stop") { while (client.next() !== null); }
  if (formatOf(invocation) === "json") print(JSON.stringify(output));
  else print(await textOf(op, output));
  return EXIT.success;
}

function refused(
  { code, message }: { readonly code: ErrorCode; readonly message: string },
): number {
  complain(`${code}: ${message}`);
  return ERROR_CODES[code] ?? EXIT.failed;
}

/** Of a token the token alone: what follows would be read with it. */
async function textOf(op: unknown, output: unknown): Promise<string> {
  switch (op) {
    case "stop":
      return "the gate has ended";
    case "token":
      return (output as { readonly token: string }).token;
    case "revoke":
      return "revoked, and what was made with it";
    default:
      return await statusText(output as Status);
  }
}

/** Where no gate is named. */
export function gateWithout(_: Invocation): Promise<number> {
  throw new UsageError("gate needs to know which: --gate PATH, or TOOLGATE_GATE");
}

async function statusText({ pid, connections, tokens }: Status): Promise<string> {
  const { plain } = await import("../render/plain_text.ts");
  const lines = connections.map(({ connection, uid, agent, since, running }) =>
    `${connection}  uid ${uid}  ${plain(agent ?? "-")}  since ${since}  ${running} running`
  );
  const given = tokens.map(({ token, agent, maker, spent, tokens: most, expires, connections }) =>
    `${token}  ${plain(agent)} by ${plain(maker)}  ${spent} of ${most ?? "any"} tokens spent  ` +
    `until ${expires ?? "the gate ends"}  ${connections} connected`
  );
  return [`process ${pid}, ${connections.length} connected`, ...lines, ...given].join("\n");
}
