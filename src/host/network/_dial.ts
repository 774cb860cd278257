/** Dialling what was judged: a name is looked up once, all that it stands for is judged, and exactly that is dialled. */

import type { ConnectCapability } from "../../core/capability.ts";
import type { Ending } from "../../core/ending.ts";
import { hostOf, isLoopbackHost } from "../../policy/match/addresses.ts";
import type { Connection, Destination } from "./_connection.ts";
import { raced } from "./_deadline.ts";
import { networkError } from "./_failure.ts";
import { candidatesOf, mayHelp } from "./_hop.ts";
import type { Resolved } from "./resolve.ts";

/** Dials in the place of the real thing, for tests. */
export type Dial = (to: Destination, signal: Ending) => Promise<Connection>;

/** Whoever judges and looks up. */
export interface Judging {
  /** Throws NETWORK_DENIED. Asked before a name is looked up, and again with its addresses. */
  readonly judge: (connection: ConnectCapability) => void;
  /** Null: names are looked up by the proxy that all goes through. */
  readonly resolve: ((host: string) => Promise<Resolved>) | null;
  readonly signal: Ending;
}

/** Of this machine, which no proxy looks up. */
const OWN_ADDRESS = "127.0.0.1";

/** What the name stands for, all of it judged; the name itself where it is the proxy's to look up, and judged as that. */
export async function addressesOf(
  { judge, resolve, signal }: Judging,
  judged: ConnectCapability,
  place: string,
): Promise<readonly string[]> {
  const host = hostOf(judged.host);
  if (resolve === null && host !== null && !host.address && !isLoopbackHost(host)) {
    judge({ ...judged, elsewhere: true });
    return [host.text];
  }
  const resolved = host?.address === true
    ? { addresses: [host.text] }
    : resolve === null
    ? { addresses: [OWN_ADDRESS] }
    : await raced(resolve(judged.host), signal);
  if ("failure" in resolved) {
    throw networkError("dns", place, `${judged.host}: ${resolved.failure}`);
  }
  const { addresses } = resolved;
  judge({ ...judged, addresses });
  return addresses;
}

/** The first of them that answers. */
export async function dialFirst(
  dial: Dial,
  addresses: readonly string[],
  signal: Ending,
  to: Omit<Destination, "address">,
): Promise<Connection> {
  const candidates = candidatesOf(addresses);
  for (const [index, address] of candidates.entries()) {
    try {
      return await dial({ ...to, address }, signal);
    } catch (error) {
      if (index === candidates.length - 1 || signal.aborted || !mayHelp(error)) throw error;
    }
  }
  throw networkError("dns", to.place, "it has no address");
}
