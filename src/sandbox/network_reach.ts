/** Where a thread may connect to, in the words of the runtime's permission set and of `--allow-net`. */

import { hostOf, isPrivateHost, publicIpv4Networks } from "../policy/match/addresses.ts";
import type { ConnectScope, PolicyScope } from "../policy/rulebook.ts";

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

/** Any port that is free: the proxy for programs, see `Proxy`. */
const PROXY_LISTENS = "127.0.0.1:0";

/**
 * What a whole process may reach under a policy: the names are looked up by it (a name with a port the runtime looks up
 * for nobody), the addresses are what is then dialled, for tools and for programs. A wildcard stands for names that nobody
 * knows beforehand: "any".
 */
export function processReach(
  { hosts, connect, programConnect }: Pick<PolicyScope, "hosts" | "connect" | "programConnect">,
): readonly string[] | "any" {
  if (hosts === "any") return "any";
  const forPrograms = networkReach(programConnect);
  const proxy = forPrograms.length === 0 ? [] : [PROXY_LISTENS];
  return [...new Set([...hosts, ...networkReach(connect), ...forPrograms, ...proxy])];
}

/**
 * What a thread that connects for tools gives up where it has its process's own set: names, which it would look up by
 * itself, and addresses that are for programs alone. Not those that lie in a network of its own: giving up an address
 * gives up all networks that it lies in. Networks cannot be given up, so that those of programs stay, at their ports.
 */
export function surplusReach(
  scope: Pick<PolicyScope, "hosts" | "connect" | "programConnect">,
): readonly string[] {
  const { hosts, connect: { names }, programConnect } = scope;
  if (hosts === "any" || names === "none") return [];
  const liesOutside = (address: string): boolean => {
    const host = hostOf(address);
    return address.includes(":") || (names === "public" && host !== null && isPrivateHost(host));
  };
  const own = new Set(networkReach(scope.connect));
  const addresses = programConnect.addresses.filter(liesOutside);
  const others = networkReach({ ...programConnect, names: "none", addresses });
  const proxy = names === "public" ? [PROXY_LISTENS] : [];
  return [...hosts, ...others, ...proxy].filter((place) =>
    !own.has(place) && !own.has(place.replace(/:\d+$/, ""))
  );
}
