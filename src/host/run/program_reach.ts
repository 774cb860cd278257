/** The network of programs that rules open hosts to: where their proxy is, and what tells them. */

import { ToolError } from "../../core/errors.ts";
import { parseHostPattern } from "../../policy/match/host.ts";
import type { ProgramNetwork, Started } from "../../policy/rulebook.ts";
import type { ProgramReach } from "../broker/handed_rules.ts";
import { greetingOf, type OpenedRoute, type ProxyReport } from "../network/proxy_route.ts";

/** Whoever has the proxy, on another thread. */
export interface ProgramProxies {
  /** A way out for one program that is started; a sentence where there is none. */
  open(command: Started): Promise<OpenedRoute | string>;
  /** Ends what goes by these ways, and says what did. */
  end(tokens: readonly string[]): Promise<ProxyReport>;
}

/**
 * Where programs find the proxy: an address of the loopback, at a port that proxies have, where nobody listens. Who
 * connects there is led to the port that the proxy has this time.
 */
const PROXY_ADDRESS = [127, 84, 71, 1] as const;
const PROXY_PORT = 3128;
/** The addresses behind it stand for hosts that keys are for, one each, at the port of http. */
const STAND_IN_PORT = 80;
const MOST_STAND_INS = 200;

/** The way out of one program, opened with its first connection. */
export class OwnReach implements ProgramReach {
  readonly #proxies: ProgramProxies;
  readonly #command: Started;
  #opened: Promise<OpenedRoute | string> | null = null;

  constructor(proxies: ProgramProxies, command: Started) {
    this.#proxies = proxies;
    this.#command = command;
  }

  placeOf({ address, port }: Parameters<ProgramReach["placeOf"]>[0]): number | null {
    const four = address.slice(-PROXY_ADDRESS.length);
    const [first, last] = [PROXY_ADDRESS.slice(0, -1), PROXY_ADDRESS.length - 1];
    if (!first.every((byte, at) => four[at] === byte)) return null;
    const place = four[last]! - PROXY_ADDRESS[last]!;
    if (place === 0) return port === PROXY_PORT ? 0 : null;
    return port === STAND_IN_PORT && place > 0 && place <= MOST_STAND_INS ? place : null;
  }

  async open(place: number): ReturnType<ProgramReach["open"]> {
    const opened = await (this.#opened ??= this.#proxies.open(this.#command));
    if (typeof opened === "string") return opened;
    return { port: opened.port, greeting: greetingOf(opened.token, place) };
  }

  /** Null where it never connected. */
  async token(): Promise<string | null> {
    const opened = await this.#opened;
    return opened === null || typeof opened === "string" ? null : opened.token;
  }
}

/** Names of the loopback that no proxy is asked for, unless a rule opens them. */
const OWN_NAMES = ["localhost", "127.0.0.1", "::1"] as const;

/**
 * The variables by which programs find the proxy: those of curl, git, Python, Go and most others in both spellings, and
 * those of npm, pip, Node and Yarn. What the policy passes or sets of them gives way: nothing else would lead anywhere.
 */
export function proxyVariables(
  { hosts, secrets }: ProgramNetwork,
): Readonly<Record<string, string>> {
  const proxy = `http://${PROXY_ADDRESS.join(".")}:${PROXY_PORT}`;
  const standIns = secrets.slice(0, MOST_STAND_INS).map(({ variable }, at) => ({
    variable,
    address: [...PROXY_ADDRESS.slice(0, -1), PROXY_ADDRESS[PROXY_ADDRESS.length - 1]! + at + 1]
      .join("."),
  }));
  const own = OWN_NAMES.filter((name) =>
    !hosts.map(parseHostPattern).some(({ kind, host }) => kind === "any" || host === name)
  );
  const none = [...own, ...standIns.map(({ address }) => address)].join(",");
  const both = (name: string, value: string) => ({ [name]: value, [name.toLowerCase()]: value });
  return {
    ...both("HTTP_PROXY", proxy),
    ...both("HTTPS_PROXY", proxy),
    ...both("ALL_PROXY", proxy),
    ...both("NO_PROXY", none),
    npm_config_proxy: proxy,
    npm_config_https_proxy: proxy,
    npm_config_noproxy: none,
    PIP_PROXY: proxy,
    NODE_USE_ENV_PROXY: "1",
    YARN_HTTP_PROXY: proxy,
    YARN_HTTPS_PROXY: proxy,
    ...Object.fromEntries(
      standIns.map(({ variable, address }) => [variable, `http://${address}`]),
    ),
  };
}

/** What a program is told that nothing here can hold to its rules. */
export function unreachable(name: string, { hosts }: ProgramNetwork, why: string): ToolError {
  return new ToolError(
    "NATIVE_DENIED",
    `"${name}" was not started: a network rule opens ${
      hosts.slice(0, 5).join(", ")
    } to it, and nothing ` +
      `here can hold it to that: ${why}; without the rule it runs without a network`,
  );
}
