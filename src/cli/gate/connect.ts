/** The first line of a connection, where there is something to say ahead of all others. */

import type { ResultError } from "../../core/errors.ts";
import type { CommandLine } from "../flags.ts";
import { UsageError } from "../usage_error.ts";
import { readToken } from "./_token_file.ts";
import { GateClient } from "./client.ts";

/** What the gate answers, as far as it is looked at. */
interface Answer {
  readonly success?: boolean;
  readonly error?: ResultError | null;
}

/** A connection that is heard, or why the gate hears nobody. */
export type Connected =
  | { readonly client: GateClient; readonly refused: null }
  | { readonly refused: ResultError };

/** Connects, and says what is spoken and by which token. Throws a UsageError. */
export async function connectTo(
  { values }: CommandLine,
  path: string,
  protocol: "ndjson" | "mcp" = "ndjson",
): Promise<Connected> {
  const [source] = values["token"] ?? [];
  const token = source === undefined ? null : await readToken(source, { ...values, protocol });
  const client = GateClient.connect(path);
  if (protocol === "ndjson" && token === null) return { client, refused: null };
  client.send(JSON.stringify({ op: "hello", protocol, ...(token === null ? {} : { token }) }));
  const line = client.next();
  if (line === null) throw new UsageError("--gate: the gate ended the connection");
  const { success, error = null } = JSON.parse(line) as Answer;
  if (success === true || error === null) return { client, refused: null };
  client.close();
  return { refused: error };
}
