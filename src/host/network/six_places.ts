/**
 * Places that have addresses of IPv6 alone. The runtime's permissions know no networks of those, so that a thread reaches
 * them where its set writes each out: a thread that was refused one is made anew with what its name was found to stand for.
 */

import type { ConnectCapability } from "../../core/capability.ts";
import { ToolError } from "../../core/errors.ts";
import type { WebSettings } from "../../core/network.ts";
import { hostOf } from "../../policy/match/addresses.ts";
import { candidatesOf } from "./_hop.ts";
import { providerOrigins } from "./_secret.ts";
import type { Resolved } from "./resolve.ts";

/** By whom it is judged anew, since what a thread says of itself is not believed. */
export interface SixPlaceParts {
  /** Throws NETWORK_DENIED. */
  readonly judge: (connection: ConnectCapability) => void;
  readonly resolve: (host: string) => Promise<Resolved>;
  readonly web: WebSettings;
  /** What its call was granted: `host:port`. */
  readonly granted: readonly string[];
}

const METHODS = ["GET", "POST"] as const;

/** What a place (`host:port`) stands for, as `[address]:port`; nothing where it has others too, or the policies say no. */
export async function addressesOfSix(
  place: string,
  { judge, resolve, web, granted }: SixPlaceParts,
): Promise<readonly string[]> {
  const colon = place.lastIndexOf(":");
  const [host, port] = [place.slice(0, colon), Number(place.slice(colon + 1))];
  const found = hostOf(host);
  if (found === null || found.address) return [];
  const isProvider = granted.includes(place) && isOneOf(providerOrigins(web), place);
  const judged = (method: string, addresses?: readonly string[]) =>
    judge({
      kind: "net.connect",
      host,
      port,
      method,
      ...(isProvider ? { provider: true } : {}),
      ...(addresses === undefined ? {} : { addresses }),
    });
  for (const method of METHODS) {
    try {
      // By its name first: what no rule names is not even looked up.
      judged(method);
      const resolved = await resolve(host);
      if ("failure" in resolved) return [];
      const { addresses } = resolved;
      judged(method, addresses);
      if (!addresses.every((address) => address.includes(":"))) return [];
      return candidatesOf(addresses).map((address) => `[${address}]:${port}`);
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
    }
  }
  return [];
}

function isOneOf(origins: ReadonlySet<string>, place: string): boolean {
  return ["http", "https"].some((scheme) => {
    const url = `${scheme}://${place}`;
    return URL.canParse(url) && origins.has(new URL(url).origin);
  });
}
