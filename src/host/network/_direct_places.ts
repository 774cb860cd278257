/**
 * What a program reaches by connections of its own, which know no proxy: names that it looks up stand for addresses of the
 * loopback, each other address for itself. Either is judged and dialled before its connection is answered.
 */

import { ToolError } from "../../core/errors.ts";
import { hostOf, isLoopbackHost } from "../../policy/match/addresses.ts";
import { type HostPattern, matchesHost, parseHostPattern } from "../../policy/match/host.ts";
import type { Connection } from "./_connection.ts";
import { raced } from "./_deadline.ts";
import { networkError } from "./_failure.ts";
import type { Named } from "./_name_server.ts";
import { placeText, reach, type ReachParts } from "./_reach.ts";
import { type DirectPlace, NAME_ADDRESSES, type ProxyRoute } from "./proxy_route.ts";
import type { Resolved } from "./resolve.ts";

/** What it takes of all that reaching takes. */
export type DirectParts = Omit<ReachParts, "signal" | "judge">;

/** For how long what a name was found to stand for is dialled without another look, in milliseconds. */
const FRESH_MS = 60_000;
/** Names of rules that are looked up for an address, to see whether one of them stands for it. */
const MOST_CANDIDATES = 32;
/** Where a rule names no port. */
const USUAL_PORTS = [443, 80] as const;

interface Kept {
  readonly at: number;
  readonly resolved: Resolved;
}

/** Of one program. */
export class DirectPlaces {
  readonly #route: ProxyRoute;
  readonly #parts: DirectParts;
  readonly #opened: readonly HostPattern[];
  /** In the order of their stand-ins. */
  readonly #names: string[] = [];
  readonly #kept = new Map<string, Kept>();
  readonly #refused: string[] = [];

  constructor(route: ProxyRoute, parts: DirectParts) {
    this.#route = route;
    this.#parts = parts;
    this.#opened = route.hosts.map(parseHostPattern);
  }

  /** What a name stands for, for this program: an address of its own where rules open something there. */
  async lookUp(name: string, signal: AbortSignal): Promise<Named> {
    const host = hostOf(name);
    if (host === null || host.address) return "none";
    const known = this.#names.indexOf(host.text);
    if (known !== -1) return addressAt(known);
    if (!this.#isOpened(host.text)) return "none";
    const resolved = this.#parts.resolve === null ? null : await this.#resolve(host.text, signal);
    if (resolved !== null && "failure" in resolved) {
      return resolved.isNone === true ? "none" : "failed";
    }
    const at = this.#names.indexOf(host.text);
    if (at !== -1) return addressAt(at);
    if (this.#names.length >= NAME_ADDRESSES.count) return "failed";
    return addressAt(this.#names.push(host.text) - 1);
  }

  /** Whether a rule opens a port of it. Names are looked up for no others. */
  #isOpened(host: string): boolean {
    const patterns = this.#opened.filter((one) => matchesHost({ ...one, port: null }, host, 1));
    let refusal: ToolError | null = null;
    for (const port of patterns.flatMap(({ port }) => port === null ? USUAL_PORTS : [port])) {
      try {
        this.#route.judge({ host, port });
        return true;
      } catch (error) {
        if (!(error instanceof ToolError)) throw error;
        refusal ??= error;
      }
    }
    this.#tell(host, refusal);
    return false;
  }

  /** Of names without a dot, and of those that a search list makes of others (resolv.conf(5)), nobody needs to hear. */
  #tell(host: string, refusal: ToolError | null): void {
    const before = [...this.#names, ...this.#refused];
    if (!host.includes(".") || before.some((one) => host.startsWith(`${one}.`))) return;
    this.#refused.push(host);
    const reason = `looking up ${host}: no rule opens it to this program; allowed hosts: ${
      this.#route.hosts.slice(0, MOST_CANDIDATES).join(", ")
    }`;
    this.#parts.traffic.refused({
      host,
      reason: refusal?.message ?? reason,
      rule: refusal?.rule ?? null,
    });
  }

  async #resolve(host: string, signal: AbortSignal): Promise<Resolved> {
    const kept = this.#kept.get(host);
    if (kept !== undefined && performance.now() - kept.at < FRESH_MS) return kept.resolved;
    const { resolve } = this.#parts;
    if (resolve === null) return { failure: "it is the proxy's to look up" };
    const resolved = await raced(resolve(host), signal);
    this.#kept.set(host, { at: performance.now(), resolved });
    return resolved;
  }

  /** Throws NETWORK_DENIED, which is told of, and NETWORK_ERROR. */
  async dial(
    to: DirectPlace,
    signal: AbortSignal,
  ): Promise<{ readonly server: Connection; readonly place: string }> {
    const at = standInOf(to.address);
    const named = at === null ? undefined : this.#names[at];
    const host = named ?? await this.#hostOf(to, signal);
    const destination = { host: host ?? to.address, port: to.port };
    const place = placeText(destination);
    // Who waits for a server of their own asks again and again: where nobody is, nobody is there.
    if (host === null && isLoopbackHost({ text: to.address, address: true })) {
      throw networkError("refused", place, "no rule opens it to this program");
    }
    const server = await reach(
      {
        ...this.#parts,
        judge: this.#route.judge,
        signal,
        resolve: named === undefined
          ? () => Promise.resolve({ addresses: [to.address] })
          : this.#parts.resolve === null
          ? null
          : (host) => this.#resolve(host, signal),
      },
      destination,
      {},
    );
    return { server, place };
  }

  /**
   * The address where rules let it through, or the name of a rule that stands for it, as `/etc/hosts` may have told the
   * program; null where nothing does.
   */
  async #hostOf({ address, port }: DirectPlace, signal: AbortSignal): Promise<string | null> {
    const isAllowed = (host: string): boolean => {
      try {
        this.#route.judge({ host, port, addresses: [address] });
        return true;
      } catch {
        return false;
      }
    };
    if (isAllowed(address)) return address;
    const names = this.#opened.filter((one) =>
      one.kind === "exact" && (one.port ?? port) === port && hostOf(one.host)?.address === false
    );
    for (const { host } of names.slice(0, MOST_CANDIDATES)) {
      if (!isAllowed(host)) continue;
      const resolved = await this.#resolve(host, signal);
      if ("addresses" in resolved && resolved.addresses.includes(address)) return host;
    }
    return null;
  }
}

function addressAt(at: number): readonly number[] {
  const { first: [a, b, c, d] } = NAME_ADDRESSES;
  const last = c * 256 + d + at;
  return [a, b, last >> 8, last & 0xff];
}

/** Null for an address that stands for itself. */
function standInOf(address: string): number | null {
  const [a, b, c = 0, d = 0] = address.split(".").map(Number);
  const { first, count } = NAME_ADDRESSES;
  if (a !== first[0] || b !== first[1]) return null;
  const at = (c - first[2]) * 256 + d - first[3];
  return at >= 0 && at < count ? at : null;
}
