/** Judges connections by the network rules of all policies. */

import type { ConnectCapability } from "../../core/capability.ts";
import { printable } from "../../core/printable.ts";
import type { CompiledPolicy } from "../_compiled.ts";
import { hostOf, isLoopbackHost } from "../match/addresses.ts";
import { findConnection, findRestriction } from "../match/network_rules.ts";
import { allowed, denied, type Judged, ruled, shortList, strictest } from "./_verdict.ts";

const WHY = {
  host: "no rule names this host",
  method: "no rule for this host names this method",
  private: "it lies on a private network and no rule for it sets allow_private",
  invalid: "this is no host and port",
} as const;

/**
 * Judges a connection, and says what the rules were asked. `own`: programs reach on the loopback what their own call's
 * programs serve and nothing else, so that no rule needs to allow it; those that deny or ask bind.
 */
export function judgeConnection(
  policies: readonly CompiledPolicy[],
  capability: ConnectCapability,
  { own }: { readonly own: boolean },
): Judged {
  const { host, port, method, addresses } = capability;
  const place = `${printable(host, 100)}:${port}`;
  const action = `connecting to ${place}${
    method === undefined ? "" : ` with ${printable(method, 20)}`
  }${addresses === undefined ? "" : `, which is ${printable(addresses.join(", "), 200)},`}`;
  const isOwn = own && isOwnServer(capability);
  const verdicts = policies.flatMap(({ network, source }) => {
    if (network === null) return [];
    const restriction = isOwn ? findRestriction(network, capability) : null;
    if (isOwn && restriction === null) return [];
    const finding = restriction ?? findConnection(network, capability);
    if (finding.effect !== "unnamed") {
      return [ruled(finding.effect, "NETWORK_DENIED", action, finding.rule.reference)];
    }
    const { granted } = network;
    const hint = granted.length === 0
      ? "no host is allowed"
      : `allowed hosts: ${shortList(granted)}`;
    return [denied(
      "NETWORK_DENIED",
      `${action} is not allowed by ${source} network: ${WHY[finding.because]}; ${hint}`,
      { file: source, index: "network" },
    )];
  });
  return {
    verdict: strictest(
      verdicts,
      allowed(`${action} is allowed${isOwn ? ", where its own call serves it" : ""}`),
    ),
    asked: () => [{ about: "host", connection: capability }],
  };
}

/** Whether a program means what its own call serves: on the loopback, at a port of programs'. */
export function isOwnServer({ by, host, port }: ConnectCapability): boolean {
  const found = hostOf(host);
  return by === "program" && port > 0 && found !== null && isLoopbackHost(found);
}
