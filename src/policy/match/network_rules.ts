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
import {
  type HostPattern,
  LOOPBACK,
  matchesHost,
  namesLoopback,
  parseHostPattern,
} from "./host.ts";
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
function mayMean(
  { commands, child }: Entry,
  { by, command }: Pick<ConnectCapability, "by" | "command">,
): boolean {
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

/**
 * The rule that denies a connection to what the program's own call serves, or asks for it, whether or not one grants it; null
 * for none. By whatever it names the loopback: see `namesLoopback`.
 */
export function findOwnRestriction(
  rules: NetworkRules,
  connection: ConnectCapability,
): { readonly effect: Effect; readonly rule: CitedRule } | null {
  const endpoint = endpointOf(connection);
  if (endpoint === null) return null;
  const restricting = ownRestricting(rules, endpoint, connection);
  return restricting.find(({ effect }) => effect === "deny") ?? restricting[0] ?? null;
}

function ownRestricting(
  rules: NetworkRules,
  endpoint: Endpoint,
  connection: ConnectCapability,
): readonly Entry[] {
  const { restricting } = sift(rules, endpoint, connection, true);
  const isOwn = (pattern: HostPattern) => namesLoopback(pattern, endpoint.port);
  return rules.entries.filter((entry) =>
    restricting.includes(entry) ||
    restricts(entry, endpoint, connection) && entry.hosts.some(isOwn)
  );
}

/** A rule that denies programs what their own call serves. */
export interface LoopbackDenial {
  readonly denies: (port: number) => boolean;
  readonly rule: CitedRule;
}

/** Those that could mean a program: one of the commands that it is, and that it would start. */
export function loopbackDenials(
  { entries }: NetworkRules,
  commands: () => readonly JudgedProgram[],
): readonly LoopbackDenial[] {
  return entries.flatMap((entry) => {
    const { effect, rule } = entry;
    const hosts = effect === "deny"
      ? entry.hosts.filter((one) => namesLoopback(one, one.port ?? 0))
      : [];
    const isMeant = hosts.length > 0 &&
      commands().some((command) => mayMean(entry, { by: "program", command }));
    const denies = (port: number) => hosts.some((one) => namesLoopback(one, port));
    return isMeant ? [{ denies, rule }] : [];
  });
}

/**
 * All rules that speak for a connection, in their order: what `findConnection` draws its finding from. `own`: to what the
 * program's own call serves, as `findOwnRestriction` has it.
 */
export function matchConnection(
  rules: NetworkRules,
  connection: ConnectCapability,
  { held, own }: { readonly held: boolean; readonly own: boolean },
): readonly Match[] {
  const endpoint = endpointOf(connection);
  if (endpoint === null) return [];
  const { host: { text }, port } = endpoint;
  const { restricting, reaching } = sift(rules, endpoint, connection, held);
  const allowing = reaching.filter(({ effect }) => effect === "allow");
  const speaking = own ? ownRestricting(rules, endpoint, connection) : restricting;
  return inOrder(
    [...speaking, ...allowing].flatMap(({ rule, effect, hosts }) =>
      hosts.filter((pattern) =>
        matchesHost(pattern, text, port) ||
        own && effect !== "allow" && namesLoopback(pattern, port)
      ).map(({ source }) => ({ rule, effect, pattern: source }))
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

/** Whether a rule denies or asks, by a method that it could be and of whoever it could mean. */
function restricts(
  entry: Entry,
  { method }: Pick<Endpoint, "method">,
  connection: ConnectCapability,
): boolean {
  const { effect, methods } = entry;
  return effect !== "allow" &&
    (methods === null || method === undefined || methods.includes(method)) &&
    mayMean(entry, connection);
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
    restricts(entry, { method }, connection) &&
    [host, ...addresses].some((one) => names(entry.hosts, one))
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
