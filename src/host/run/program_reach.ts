/** The network of programs that rules open hosts to: where their proxy is, and what tells them. */

import { ToolError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import type { Destination } from "../../core/tool.ts";
import { parseHostPattern } from "../../policy/match/host.ts";
import type { ProgramNetwork, Rulebook, Started } from "../../policy/rulebook.ts";
import { ERRNO } from "../../sandbox/kernel/errno.ts";
import { addressText, type InternetAddress } from "../broker/socket_address.ts";
import type { ProgramReach, WayOut } from "../broker/handed_rules.ts";
import {
  type DirectPlace,
  greetingOf,
  type OpenedRoute,
  PLACES,
  type ProxyReport,
  type Unreached,
} from "../network/proxy_route.ts";

/** Whoever has the proxy, on another thread. */
export interface ProgramProxies {
  /** A way out for one program that is started; a sentence where there is none. */
  open(command: Started): Promise<OpenedRoute | string>;
  /** A connection of a program's own, made before it is answered. `token`: of its way out. */
  reach(token: string, to: DirectPlace): Promise<OpenedRoute | Unreached>;
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
/** That of https. */
const HTTPS = 443;
const MOST_STAND_INS = 200;
/** Of name servers: programs ask the proxy for names, whichever server they mean. */
const NAMES_PORT = 53;

/** The way out of one program, opened with its first connection. */
export class OwnReach implements ProgramReach {
  readonly #proxies: ProgramProxies;
  readonly #command: Started;
  /** A rule opens a name server to it: then that is the one it means. */
  readonly #asksOthers: boolean;
  #opened: Promise<OpenedRoute | string> | null = null;

  constructor(proxies: ProgramProxies, command: Started, hosts: readonly string[]) {
    this.#proxies = proxies;
    this.#command = command;
    this.#asksOthers = hosts.map(parseHostPattern).some(({ port }) => port === NAMES_PORT);
  }

  placeOf({ address, port }: InternetAddress): number | null {
    if (port === NAMES_PORT && !this.#asksOthers) return PLACES.names;
    const four = addressText({ address }).split(".").map(Number);
    const [first, last] = [PROXY_ADDRESS.slice(0, -1), PROXY_ADDRESS.length - 1];
    if (!first.every((byte, at) => four[at] === byte)) return null;
    const place = four[last]! - PROXY_ADDRESS[last]!;
    if (place === 0) return port === PROXY_PORT ? PLACES.proxy : null;
    return port === STAND_IN_PORT && place > 0 && place <= MOST_STAND_INS ? place : null;
  }

  async open(place: number): Promise<WayOut> {
    const opened = await this.#open();
    if (typeof opened === "string") return ERRNO.ECONNREFUSED;
    return { port: opened.port, greeting: greetingOf(opened.token, place) };
  }

  async openTo(to: InternetAddress): Promise<WayOut> {
    const opened = await this.#open();
    if (typeof opened === "string") return ERRNO.ECONNREFUSED;
    const place = { address: addressText(to), port: to.port };
    const made = await this.#proxies.reach(opened.token, place);
    if (typeof made !== "string") {
      return { port: made.port, greeting: greetingOf(made.token, PLACES.dialled) };
    }
    return UNREACHED[made];
  }

  #open(): Promise<OpenedRoute | string> {
    return this.#opened ??= this.#proxies.open(this.#command);
  }

  /** Null where it never connected. */
  async token(): Promise<string | null> {
    const opened = await this.#opened;
    return opened === null || typeof opened === "string" ? null : opened.token;
  }
}

/** What connect(2) says. */
const UNREACHED = {
  denied: ERRNO.EACCES,
  refused: ERRNO.ECONNREFUSED,
  unreachable: ERRNO.EHOSTUNREACH,
  timeout: ERRNO.ETIMEDOUT,
} as const satisfies Record<Unreached, number>;

/** Names of the loopback that no proxy is asked for, unless a rule opens them. */
const OWN_NAMES = ["localhost", "127.0.0.1", "::1"] as const;

/**
 * The variables by which programs find the proxy: those of curl, git, Python, Go and most others in both spellings, and
 * those of npm, pip, Node and Yarn; and those by which the C library of programs that know no proxy asks for names over TCP,
 * without those of its search list first (resolv.conf(5)). What the policy passes or sets of them gives way: nothing else
 * would lead anywhere.
 */
export function proxyVariables(
  { hosts, secrets }: ProgramNetwork,
): Readonly<Record<string, string>> {
  const proxy = `http://${PROXY_ADDRESS.join(".")}:${PROXY_PORT}`;
  const standIns = secrets.slice(0, MOST_STAND_INS).map(({ variable }, at) => ({
    variable,
    address: standInAddress(at),
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
    RES_OPTIONS: "use-vc ndots:1",
    YARN_HTTP_PROXY: proxy,
    YARN_HTTPS_PROXY: proxy,
    ...Object.fromEntries(
      standIns.map(({ variable, address }) => [variable, `http://${address}`]),
    ),
  };
}

/**
 * Settings by which git that a tool starts goes to a stand-in wherever it would go to the host of a key, so that the key
 * is added on the way. `environment`: what it is started with otherwise.
 */
export function standInVariables(
  { secrets }: ProgramNetwork,
  environment: ReadonlyMap<string, string>,
): Readonly<Record<string, string>> {
  if (secrets.length === 0) return {};
  const settings = secrets.slice(0, MOST_STAND_INS).flatMap(({ host, port }, at) => {
    const standIn = `http://${standInAddress(at)}/`;
    const name = host.includes(":") ? `[${host}]` : host;
    const named = [...(port === HTTPS ? [name] : []), `${name}:${port}`];
    return [
      ...named.map((one) => [`url.${standIn}.insteadOf`, `https://${one}/`] as const),
      // Nobody who answers there sends it on to where nothing is encrypted.
      [`http.${standIn}.followRedirects`, "false"] as const,
    ];
  });
  const pairs = settings.flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${at}`, key],
    [`GIT_CONFIG_VALUE_${at}`, value],
  ]);
  const protocols = environment.get("GIT_ALLOW_PROTOCOL");
  return {
    GIT_CONFIG_COUNT: `${settings.length}`,
    ...Object.fromEntries(pairs),
    ...(protocols === "https" ? { GIT_ALLOW_PROTOCOL: "https:http" } : {}),
  };
}

/** Of what programs are given, what names the authorities that git trusts (git-config(1), http.sslCAInfo; OpenSSL's own). */
export function authoritiesOf(
  environment: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    AUTHORITIES.flatMap((name) => {
      const value = environment[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

const AUTHORITIES = ["GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "SSL_CERT_FILE", "SSL_CERT_DIR"] as const;

/** Of the host of a key, by its place among them. */
function standInAddress(at: number): string {
  return [...PROXY_ADDRESS.slice(0, -1), PROXY_ADDRESS[PROXY_ADDRESS.length - 1]! + at + 1]
    .join(".");
}

/**
 * NETWORK_DENIED where no rule opens a network to what a tool starts for its own use, and NATIVE_DENIED where nothing
 * holds programs to rules. `words`: those that rules are asked about.
 */
export function requireWayOut(
  { settings: { sandbox }, networkOf }: Pick<Rulebook, "settings" | "networkOf">,
  command: Started,
  { host, port }: Destination,
): void {
  if (sandbox.network === "allow" || networkOf(command) !== null) return;
  const words = printable(command.argv.slice(0, 2).join(" "), 80);
  const place = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  if (sandbox.kernel === "off") {
    throw new ToolError(
      "NATIVE_DENIED",
      `${words} was not started: it would reach ${place}, and with sandbox.kernel off nothing holds it to the hosts of ` +
        "network rules; sandbox.network: allow opens the network to programs",
    );
  }
  throw new ToolError(
    "NETWORK_DENIED",
    `no network rule opens a host to ${words}, which would reach ${place}; a rule that does: network: ` +
      `[{ allow: [${JSON.stringify(place)}], commands: [${JSON.stringify(words)}] }]`,
  );
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
