/** SOCKS version 5 (RFC 1928), the side of the proxy: connections alone, names not looked up by whoever asks. */

import { hostOf } from "../../policy/match/addresses.ts";
import type { Connection } from "./_connection.ts";
import { BadRequest, type Destination } from "./_request.ts";
import type { Reader } from "./_reader.ts";

/** The first byte of all that it says. */
export const SOCKS_VERSION = 5;
const NO_AUTHENTICATION = 0;
const NO_METHOD = 0xff;
const CONNECT = 1;
const ADDRESS = { four: 1, name: 3, six: 4 } as const;

/** Reply codes (RFC 1928, 6). */
export const REPLY = {
  granted: 0,
  failure: 1,
  refusedByRule: 2,
  unreachable: 4,
  refused: 5,
  noCommand: 7,
  noAddress: 8,
} as const;

/** Where it wants to go; null where it was answered that it cannot. Throws {@linkcode BadRequest}. */
export async function socksRequest(
  reader: Pick<Reader, "exactly">,
  client: Pick<Connection, "write">,
): Promise<Destination | null> {
  const take = async (count: number): Promise<Uint8Array> => {
    const bytes = await reader.exactly(count);
    if (bytes === null) throw new BadRequest("it ended within its greeting");
    return bytes;
  };
  const [, count = 0] = await take(2);
  const methods = await take(count);
  const method = methods.includes(NO_AUTHENTICATION) ? NO_AUTHENTICATION : NO_METHOD;
  await client.write(Uint8Array.of(SOCKS_VERSION, method));
  if (method === NO_METHOD) return null;
  const [version, command, , kind] = await take(4);
  if (version !== SOCKS_VERSION) throw new BadRequest("it changes its version");
  const host = kind === ADDRESS.four
    ? [...await take(4)].join(".")
    : kind === ADDRESS.six
    ? sixText(await take(16))
    : kind === ADDRESS.name
    ? new TextDecoder("latin1").decode(await take((await take(1))[0] ?? 0))
    : null;
  if (host === null) {
    await client.write(socksReply(REPLY.noAddress));
    return null;
  }
  const [high = 0, low = 0] = await take(2);
  if (command !== CONNECT) {
    await client.write(socksReply(REPLY.noCommand));
    return null;
  }
  const found = hostOf(host);
  const port = high * 256 + low;
  if (found === null || port === 0) throw new BadRequest("it names no host and port");
  return { host: found.text, port };
}

/** Says what became of it; the address that it was bound to is nobody's business. */
export function socksReply(code: number): Uint8Array {
  return Uint8Array.of(SOCKS_VERSION, code, 0, ADDRESS.four, 0, 0, 0, 0, 0, 0);
}

function sixText(bytes: Uint8Array): string {
  const groups = Array.from(
    { length: 8 },
    (_, at) => (bytes[2 * at]! * 256 + bytes[2 * at + 1]!).toString(16),
  );
  return `[${groups.join(":")}]`;
}
