/** The first line of a connection, where there is something to say ahead of all others. */

import type { ResultError } from "../../core/errors.ts";
import { UsageError } from "../usage_error.ts";
import type { GateClient } from "./client.ts";

/** What the gate answers, as far as it is looked at. */
interface Answer {
  readonly success?: boolean;
  readonly error?: ResultError | null;
}

/** Says what is spoken; null, or why the gate hears nobody. */
export function sayHello(client: GateClient, protocol: "ndjson" | "mcp"): ResultError | null {
  client.send(JSON.stringify({ op: "hello", protocol }));
  const line = client.next();
  if (line === null) throw new UsageError("--gate: the gate ended the connection");
  const answer = JSON.parse(line) as Answer;
  return answer.success === true ? null : answer.error ?? null;
}
