/** Host patterns of the policy: names, `*.name`, addresses, `loopback`, each with an optional port. */

import { hostOf, leadsToLoopback } from "./addresses.ts";

/** A host pattern that means nothing, with what would be right. The message does not repeat the pattern. */
export class HostError extends Error {
  override readonly name = "HostError";
}

/** What stands for this machine as its own programs see it: by every name and address of its loopback. */
export const LOOPBACK = "loopback";

/** A parsed pattern. `host`: the name or address in its one normal form; for `suffix` without `*.`. */
export interface HostPattern {
  readonly source: string;
  readonly kind: "exact" | "suffix" | "any" | typeof LOOPBACK;
  readonly host: string;
  /** Null: any port. */
  readonly port: number | null;
}

/**
 * Parses `host`, `*.host`, `*`, `loopback`, `host:port`, `1.2.3.4`, `[::1]`, `[::1]:443`, `::1`. Names are compared in
 * lower case, as Punycode, without a final dot; addresses in the form the URL standard gives them.
 * Throws {@linkcode HostError}.
 */
export function parseHostPattern(text: string): HostPattern {
  if (text === "") throw new HostError("is empty; write a host, as in api.example.com");
  if (/[/@\s]/.test(text)) throw noHost();
  const { name, port } = splitPort(text);
  if (name === "*") return { source: text, kind: "any", host: "", port };
  if (name === LOOPBACK) return { source: text, kind: LOOPBACK, host: "", port };
  const wild = name.startsWith("*.");
  const rest = wild ? name.slice(2) : name;
  if (rest.includes("*")) {
    throw new HostError("* stands only for whole leading labels, as in *.example.com");
  }
  const host = hostOf(rest);
  if (host === null) throw noHost();
  if (wild && host.address) throw new HostError("*. goes before a name, not before an address");
  return { source: text, kind: wild ? "suffix" : "exact", host: host.text, port };
}

/** Whether a host in its normal form (see `hostOf`) and a port match. */
export function matchesHost(pattern: HostPattern, host: string, port: number): boolean {
  if (pattern.port !== null && pattern.port !== port) return false;
  switch (pattern.kind) {
    case "any":
      return true;
    case "exact":
      return host === pattern.host;
    case "suffix":
      return host.endsWith(`.${pattern.host}`);
    case LOOPBACK: {
      const found = hostOf(host);
      return found !== null && leadsToLoopback(found);
    }
  }
}

/**
 * Whether a pattern names the loopback at a port, or a part of it: `localhost` is every address of it to whoever looks it up,
 * and who serves all addresses is reached by each.
 */
export function namesLoopback({ kind, host, port: own }: HostPattern, port: number): boolean {
  if (own !== null && own !== port) return false;
  if (kind === "any" || kind === LOOPBACK) return true;
  const found = hostOf(host);
  return found !== null && leadsToLoopback(found);
}

function noHost(): HostError {
  return new HostError("is no host name or address; write it without scheme, path or user");
}

function splitPort(text: string): { readonly name: string; readonly port: number | null } {
  const bracketed = /^(\[[^\]]*\])(?::([^:]*))?$/.exec(text);
  const plain = /^([^:]*):([^:]*)$/.exec(text);
  const found = bracketed ?? plain;
  if (found === null || found[2] === undefined) return { name: text, port: null };
  const digits = found[2];
  const port = Number(digits);
  if (!/^[0-9]{1,5}$/.test(digits) || port < 1 || port > 65_535) {
    throw new HostError("has no valid port; write 1 to 65535 after the colon");
  }
  return { name: found[1]!, port };
}
