/** What programs wanted of sockets and were refused. */

import type { Verdict } from "../../policy/rulebook.ts";

/** One of them, and why. */
export interface RefusedPlace {
  /** An address and a port, or a path. */
  readonly place: string;
  readonly access: "connect" | "listen";
  readonly verdict: Verdict;
}

/** Where none of the call's own is, or may be. */
export function refusedPlace(place: string, access: RefusedPlace["access"]): RefusedPlace {
  const reason = access === "connect"
    ? "programs connect to what the same call's programs serve, on the loopback or in a folder, and to nothing else"
    : "programs serve on the loopback, from port 1024 on, or in a folder that they may write, and nowhere else";
  return { place, access, verdict: { effect: "deny", code: "NETWORK_DENIED", reason, rule: null } };
}
