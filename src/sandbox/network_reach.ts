/** Where a thread may connect to, in the words of the runtime's permission set and of `--allow-net`. */

import { hostOf, isPrivateHost, publicIpv4Networks } from "../policy/match/addresses.ts";
import {
  ALL_NETWORKS,
  type ConnectPlace,
  type ConnectScope,
  type PolicyScope,
  PUBLIC_NETWORKS,
} from "../policy/rulebook.ts";

/**
 * Addresses and networks, each with the ports of the rules that lead there. No names: what a name stands for is judged
 * before it is dialled by its address, and a thread with these cannot dial a name at all. The runtime knows networks of
 * IPv4 alone, and takes an address as it is written: `127.1` and `::ffff:127.0.0.1` lie in none of them.
 */
export function networkReach(scope: ConnectScope): readonly string[] {
  return scope.flatMap(({ to, port }) =>
    networksOf(to).map((place) => port === null ? place : `${place}:${port}`)
  );
}

function networksOf(to: string): readonly string[] {
  if (to === ALL_NETWORKS) return ["0.0.0.0/0"];
  if (to === PUBLIC_NETWORKS) return publicIpv4Networks();
  return [to.includes(":") ? `[${to}]` : to];
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
  const { hosts, connect, programConnect } = scope;
  const reaches = (networks: string) => connect.some(({ to }) => to === networks);
  const ofAll = reaches(ALL_NETWORKS);
  if (hosts === "any" || !(ofAll || reaches(PUBLIC_NETWORKS))) return [];
  const liesOutside = ({ to }: ConnectPlace): boolean => {
    const host = hostOf(to);
    return host?.address === true && (to.includes(":") || (!ofAll && isPrivateHost(host)));
  };
  const own = new Set(networkReach(connect));
  const others = networkReach(programConnect.filter(liesOutside));
  const proxy = ofAll ? [] : [PROXY_LISTENS];
  return [...hosts, ...others, ...proxy].filter((place) =>
    !own.has(place) && !own.has(place.replace(/:\d+$/, ""))
  );
}
