/** Where a thread may connect to, in the words of the runtime's permission set and of `--allow-net`. */

import { publicIpv4Networks } from "../policy/match/addresses.ts";
import type { ConnectScope } from "../policy/rulebook.ts";

/**
 * Addresses and networks with their ports. No names: what a name stands for is judged before it is dialled by its
 * address, and a thread with these cannot dial a name at all. The runtime knows networks of IPv4 alone, and takes an
 * address as it is written: `127.1` and `::ffff:127.0.0.1` lie in none of them.
 */
export function networkReach({ ports, names, addresses }: ConnectScope): readonly string[] {
  const places = [
    ...(names === "all" ? ["0.0.0.0/0"] : names === "public" ? publicIpv4Networks() : []),
    ...addresses.map((address) => address.includes(":") ? `[${address}]` : address),
  ];
  return ports === "any"
    ? places
    : places.flatMap((place) => ports.map((port) => `${place}:${port}`));
}
