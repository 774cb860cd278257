/** The network rules of one policy, compiled, and how a connection fares by them. */

import type { ConnectCapability } from "../../core/capability.ts";
import {
  type CommandRules,
  compileCommandRules,
  findCommand,
  findRestricting,
  type JudgedCommand,
} from "./command_rules.ts";
import {
  type Host,
  hostOf,
  isPrivateHost,
  isSpecialAddress,
  leadsToLoopback,
} from "./addresses.ts";
import { type CitedRule, inOrder, type Match, referenceTo } from "./path_rules.ts";
import { type HostPattern, LOOPBACK, matchesHost, parseHostPattern } from "./host.ts";
import type { Effect, NetworkRule } from "../model.ts";

/** A rule with its hosts parsed. */
interface Entry {
  readonly effect: Effect;
  readonly hosts: readonly HostPattern[];
  readonly methods: readonly string[] | null;
  readonly allowPrivate: boolean;
  /** The programs that it is for; null: it is for tools. */
  readonly commands: CommandRules | null;
  /** It is for the programs of child agents, and for nothing else. */
  readonly child: boolean;
  readonly rule: CitedRule;
}

/** The rules in their order: few policies have more than some dozens. */
export interface NetworkRules {
  readonly entries: readonly Entry[];
  /** Hosts that are allowed or asked for, as written. */
  readonly granted: readonly string[];
  /** What stands for a rule where the policy names the host under `web`. */
  readonly provider: CitedRule;
}

/** How a connection fares by the rules alone. `unnamed`: no rule grants it. */
export type NetworkFinding =
  | { readonly effect: Effect; readonly rule: CitedRule }
  /** Why nothing grants it. */
  | {
    readonly effect: "unnamed";
    readonly because: "host" | "tools" | "method" | "private" | "invalid";
  };

/** Where the rules are written, as `compileCommandRules` wants to know. */
export type RulesPlace = Parameters<typeof compileCommandRules>[1];

/** Compiles the rules. Throws `HostError` for a pattern that the parser would have refused. */
export function compileNetworkRules(
  rules: readonly NetworkRule[],
  place: RulesPlace,
): NetworkRules {
  const entries = rules.map((rule, order) => entryOf(rule, order, place, false));
  const granted = rules.filter(({ effect, commands }) =>
    effect !== "deny" && commands === undefined
  )
    .flatMap(({ hosts }) => hosts);
  return { entries, granted, provider: providerOf(rules.length, place) };
}

/**
 * What holds for the programs of child agents: `children.network` and, of `network`, what it denies or asks for.
 * Throws as {@linkcode compileNetworkRules}.
 */
export function compileChildNetwork(
  own: readonly NetworkRule[],
  network: readonly NetworkRule[],
  place: RulesPlace,
): NetworkRules {
  const entries = [
    ...own.map((rule, order) => entryOf(rule, order, place, true)),
    ...network.map((rule, order) => entryOf(rule, order, place, false))
      .filter(({ effect }) => effect !== "allow"),
  ];
  return { entries, granted: [], provider: providerOf(own.length + network.length, place) };
}

function providerOf(order: number, { source }: RulesPlace): CitedRule {
  return { order, reference: { file: source, index: "web" } };
}

function entryOf(rule: NetworkRule, order: number, place: RulesPlace, child: boolean): Entry {
  const key = `${child ? "children.network" : "network"}[${order}]`;
  return {
    effect: rule.effect,
    hosts: rule.hosts.map(parseHostPattern),
    methods: rule.methods?.map((method) => method.toUpperCase()) ?? null,
    allowPrivate: rule.allowPrivate,
    commands: rule.commands === undefined ? null : compileNames(rule.commands, place),
    child,
    rule: { order, reference: referenceTo(place.source, key, rule.reason) },
  };
}

/** Programs that a rule is for. Rules that ask are looked up both ways: as those that grant are, and as those that restrict. */
export function compileNames(patterns: readonly string[], place: RulesPlace): CommandRules {
  const examples = { match: [], notMatch: [] };
  return compileCommandRules([{ effect: "ask", patterns, exact: false, examples }], place);
}

/** A command, and whether a gate started it as the program of a child agent. */
type JudgedProgram = JudgedCommand & { readonly child?: true };

/** The hosts that rules open to a program, as written: not what its own call serves, which takes no way out. */
export function hostsFor({ entries }: NetworkRules, command: JudgedProgram): readonly string[] {
  return entries.filter((entry) => entry.effect !== "deny" && isNamed(entry, command))
    .flatMap(({ hosts }) => hosts.filter(({ kind }) => kind !== LOOPBACK))
    .map(({ source }) => source);
}

/** Whether a rule that grants names the command, under a name that it was found to have. */
function isNamed({ commands, child }: Entry, command: JudgedProgram): boolean {
  if (child || command.child === true) return child && command.child === true;
  return commands !== null && findCommand(commands, command).effect !== "unnamed";
}

/** Whether a rule that restricts could mean the command, by any name. */
function mayMean({ commands, child }: Entry, { by, command }: ConnectCapability): boolean {
  if (child) return command?.child === true;
  if (commands === null) return true;
  if (by !== "program") return false;
  return command === undefined || findRestricting(commands, command) !== null;
}

/** Whether a rule that grants is for whoever connects. `held`: programs have what is opened to them by name alone. */
function isFor(entry: Entry, { by, command }: ConnectCapability, held: boolean): boolean {
  if (entry.commands === null && !entry.child) return by !== "program" || !held;
  return by === "program" && command !== undefined && isNamed(entry, command);
}

/**
 * How a connection fares. A rule that grants must know the method where it names some, and speaks for private
 * addresses only with `allow_private`; a rule that restricts speaks where it could.
 */
export function findConnection(
  rules: NetworkRules,
  connection: ConnectCapability,
  { held }: { readonly held: boolean },
): NetworkFinding {
  const endpoint = endpointOf(connection);
  if (endpoint === null) return { effect: "unnamed", because: "invalid" };
  const { restricting, named, granting, byMethod, reaching } = sift(
    rules,
    endpoint,
    connection,
    held,
  );
  const denying = restricting.find(({ effect }) => effect === "deny");
  if (denying !== undefined) return { effect: "deny", rule: denying.rule };
  const grant = connection.provider === true
    ? { effect: "allow", rule: rules.provider } as const
    : reaching.find(({ effect }) => effect === "allow") ?? reaching[0];
  if (grant === undefined) {
    const because = named.length === 0
      ? "host"
      : granting.length === 0
      ? "tools"
      : byMethod.length === 0
      ? "method"
      : "private";
    return { effect: "unnamed", because };
  }
  const asking = restricting[0];
  if (asking !== undefined) return { effect: "ask", rule: asking.rule };
  return { effect: "allow", rule: grant.rule };
}

/** The rule that denies a connection or asks for it, whether or not one grants it; null for none. */
export function findRestriction(
  rules: NetworkRules,
  connection: ConnectCapability,
): { readonly effect: Effect; readonly rule: CitedRule } | null {
  const endpoint = endpointOf(connection);
  if (endpoint === null) return null;
  const { restricting } = sift(rules, endpoint, connection, true);
  return restricting.find(({ effect }) => effect === "deny") ?? restricting[0] ?? null;
}

/** All rules that speak for a connection, in their order: what `findConnection` draws its finding from. */
export function matchConnection(
  rules: NetworkRules,
  connection: ConnectCapability,
  { held }: { readonly held: boolean },
): readonly Match[] {
  const endpoint = endpointOf(connection);
  if (endpoint === null) return [];
  const { restricting, reaching } = sift(rules, endpoint, connection, held);
  const allowing = reaching.filter(({ effect }) => effect === "allow");
  return inOrder(
    [...restricting, ...allowing].flatMap(({ rule, effect, hosts }) =>
      hosts.filter((pattern) => matchesHost(pattern, endpoint.host.text, endpoint.port))
        .map(({ source }) => ({ rule, effect, pattern: source }))
    ),
  );
}

/** What a connection leads to; `method` in upper case. */
interface Endpoint {
  readonly host: Host;
  /** What it was found to stand for, in the normal form. */
  readonly addresses: readonly Host[];
  readonly port: number;
  readonly method: string | undefined;
}

/** Null where it is no host and port. */
function endpointOf(
  { host: written, port, method, addresses: found = [] }: ConnectCapability,
): Endpoint | null {
  const host = hostOf(written);
  if (host === null || !Number.isInteger(port) || port < 1 || port > 65_535) return null;
  const addresses = found.map(hostOf).filter((address) => address !== null);
  // What cannot be read as an address cannot be judged.
  if (addresses.length !== found.length || !addresses.every(({ address }) => address)) return null;
  return { host, port, method: method?.toUpperCase(), addresses };
}

/** `loopback` grants what a program's call serves itself: never what the proxy would reach, nor anything to tools. */
function mayGrant({ kind }: HostPattern, { by, proxied }: ConnectCapability): boolean {
  return kind !== LOOPBACK || (by === "program" && proxied !== true);
}

/**
 * The rules for the host and whoever connects: those that restrict there; those that grant it to anybody, of these those
 * that are for him, of these those that know the method, and of these those that reach it where it is private.
 */
function sift(
  { entries }: NetworkRules,
  { host, port, method, addresses }: Endpoint,
  connection: ConnectCapability,
  held: boolean,
) {
  const names = (hosts: readonly HostPattern[], { text }: Host): boolean =>
    hosts.some((pattern) => matchesHost(pattern, text, port));
  const restricting = entries.filter((entry) =>
    entry.effect !== "allow" &&
    (entry.methods === null || method === undefined || entry.methods.includes(method)) &&
    [host, ...addresses].some((one) => names(entry.hosts, one)) &&
    mayMean(entry, connection)
  );
  const named = entries.filter(({ effect, hosts }) =>
    effect !== "deny" && names(hosts.filter((one) => mayGrant(one, connection)), host)
  );
  const granting = named.filter((entry) => isFor(entry, connection, held));
  const byMethod = granting.filter(({ methods }) =>
    methods === null || (method !== undefined && methods.includes(method))
  );
  const secluded = isPrivateHost(host) || connection.elsewhere === true ||
    addresses.some(isSpecialAddress);
  const isOwn = [host, ...addresses].every(leadsToLoopback);
  const reaching = byMethod.filter(({ allowPrivate, hosts }) =>
    allowPrivate || !secluded ||
    (isOwn && hosts.some((one) => one.kind === LOOPBACK && mayGrant(one, connection)))
  );
  return { restricting, named, granting, byMethod, reaching };
}
