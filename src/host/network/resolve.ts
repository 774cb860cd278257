/** Looking names up, on the main thread: it alone may ask, and it dials nothing. */

import { lookup } from "node:dns/promises";

/** What a name stands for, IPv4 first; or why that cannot be said. */
export type Resolved =
  | { readonly addresses: readonly string[] }
  | { readonly failure: string; /** There is no such name. */ readonly isNone?: true };

/** By the system's own rules (`/etc/hosts`, its name servers). Never throws. */
export async function resolveHost(host: string): Promise<Resolved> {
  try {
    const found = await lookup(host, { all: true });
    const addresses = found.toSorted((a, b) => a.family - b.family).map(({ address }) => address);
    return addresses.length === 0 ? { failure: "it has no address" } : { addresses };
  } catch (error) {
    const failure = reasonOf(error);
    return failure === NO_NAME ? { failure, isNone: true } : { failure };
  }
}

const NO_NAME = "no such name";

/** getaddrinfo(3) */
function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  switch (code) {
    case "ENOTFOUND":
    case "ENODATA":
      return NO_NAME;
    case "EAI_AGAIN":
      return "the name servers do not answer";
    default:
      return error instanceof Deno.errors.NotCapable
        ? "this build may not look it up"
        : "it could not be looked up";
  }
}
