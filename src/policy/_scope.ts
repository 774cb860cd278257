/** What the policies can allow at most, as plain paths and names: the source of the lower layers' rules. */

import type { CanonicalPath } from "../core/capability.ts";
import type { UpstreamProxy } from "../core/network.ts";
import { once } from "../core/once.ts";
import { intersectPaths, type PlacedPolicy } from "./_settings.ts";
import { parseCommandPattern } from "./match/argv.ts";
import { LOOPBACK, parseHostPattern } from "./match/host.ts";
import { DEEP } from "../core/glob.ts";
import { type GlobPath, parsePathGlob, rootedSegments } from "./match/path.ts";
import type { Access } from "./model.ts";
import { outermost } from "./match/path_sets.ts";
import { type Host, hostOf, leadsToLoopback } from "./match/addresses.ts";
import { providerPlaces } from "./_web.ts";
import {
  ALL_NETWORKS,
  type ConnectPlace,
  type ConnectScope,
  type PolicyScope,
  PUBLIC_NETWORKS,
} from "./rulebook.ts";

/**
 * Derives the scope. Every path, program and host that a decision could allow or ask for is within it; where
 * several policies speak, what all of them cover. Each part when it is first asked for: few calls take more than paths,
 * and there are hundreds of patterns of commands.
 */
export function scopeOf(policies: readonly PlacedPolicy[]): PolicyScope {
  return whenAsked({
    read: () => reachable(policies, "read"),
    write: () => reachable(policies, "write"),
    denyRead: () => deniedTrees(policies, "read"),
    denyWrite: () => deniedTrees(policies, "write"),
    programs: () => programsOf(policies),
    hosts: () => hostsOf(policies),
    connect: () => connectScopeOf(policies, "tools"),
    programConnect: () => connectScopeOf(policies, "programs"),
  });
}

/** An object whose members are made when they are first asked for. */
function whenAsked<T extends object>(members: { readonly [K in keyof T]: () => T[K] }): T {
  const getters = Object.entries<() => unknown>(members)
    .map(([name, make]) => [name, { enumerable: true, get: once(make) }] as const);
  return Object.defineProperties({}, Object.fromEntries(getters)) as T;
}

function reachable(policies: readonly PlacedPolicy[], access: Access): readonly CanonicalPath[] {
  let common: readonly CanonicalPath[] | null = null;
  policies.forEach(({ policy, workspace }, position) => {
    if (policy.paths === null && position > 0) return;
    const prefixes = globsOf(policy, access, (effect) => effect !== "deny")
      .map((path) => plainPrefix(path, workspace).path);
    common = common === null ? prefixes : intersectPaths<CanonicalPath>(common, prefixes);
  });
  return outermost(common ?? []);
}

function deniedTrees(policies: readonly PlacedPolicy[], access: Access): readonly CanonicalPath[] {
  const trees = policies.flatMap(({ policy, workspace }) =>
    globsOf(policy, access, (effect) => effect === "deny").flatMap((path) => {
      const { path: prefix, rest } = plainPrefix(path, workspace);
      // A denied name denies all below it, so `x` and `x/**` are one.
      return rest === 0 || (rest === 1 && path.segments[path.segments.length - 1] === DEEP)
        ? [prefix]
        : [];
    })
  );
  return outermost(trees);
}

function globsOf(
  policy: PlacedPolicy["policy"],
  access: Access,
  wanted: (effect: string) => boolean,
): readonly GlobPath[] {
  return (policy.paths ?? [])
    .filter((rule) => rule.access.includes(access) && wanted(rule.effect))
    .flatMap((rule) => rule.match.flatMap((text) => parsePathGlob(text).paths));
}

/** The path up to the first wildcard, and how many segments follow. */
function plainPrefix(
  glob: GlobPath,
  workspace: CanonicalPath,
): { readonly path: CanonicalPath; readonly rest: number } {
  const segments = rootedSegments(glob, workspace);
  const wild = segments.findIndex((segment) => typeof segment !== "string");
  const plain = wild === -1 ? segments : segments.slice(0, wild);
  // A prefix of canonical names; where it is a link, no canonical path lies below it and no rule matches there.
  return { path: `/${plain.join("/")}` as CanonicalPath, rest: segments.length - plain.length };
}

/**
 * The first tokens of patterns that allow or ask. For several policies those of the last, less the names
 * that another has not; a path may be another name of the same program, so it stays beside names.
 */
function programsOf(policies: readonly PlacedPolicy[]): readonly string[] | "any" {
  let common: readonly string[] | "any" | null = null;
  policies.forEach(({ policy }, position) => {
    if (policy.commands === null && position > 0) return;
    const own = (policy.commands ?? [])
      .filter(({ effect }) => effect !== "deny")
      .flatMap(({ patterns }) => patterns.map((text) => parseCommandPattern(text).tokens[0]!));
    const programs = own.some(({ wild }) => wild.length > 0)
      ? "any"
      : [...new Set(own.flatMap(({ literals }) => [...literals]))].sort();
    common = common === null ? programs : commonPrograms(common, programs);
  });
  return common ?? [];
}

function commonPrograms(
  a: readonly string[] | "any",
  b: readonly string[] | "any",
): readonly string[] | "any" {
  if (a === "any") return b;
  if (b === "any") return a;
  const isPath = (program: string) => program.includes("/");
  return b.filter((program) =>
    a.includes(program) || (isPath(program) ? a.length > 0 : a.some(isPath))
  );
}

function hostsOf(policies: readonly PlacedPolicy[]): readonly string[] | "any" {
  let common: readonly HostAndPort[] | "any" | null = null;
  policies.forEach(({ policy }, position) => {
    if (policy.network === null && position > 0) return;
    const patterns = [...policy.network ?? [], ...policy.children?.network ?? []]
      .filter(({ effect }) => effect !== "deny")
      .flatMap(({ hosts }) => hosts.map(parseHostPattern))
      .filter(({ kind }) => kind !== LOOPBACK);
    const own = patterns.some(({ kind }) => kind !== "exact") ? "any" : patterns;
    common = common === null ? own : commonHosts(common, own);
  });
  const found = common as readonly HostAndPort[] | "any" | null;
  if (found === "any") return found;
  const web = policies[0]?.policy.web ?? null;
  const own = [...found ?? [], ...web?.proxy ? [web.proxy] : []].map(({ host }) => hostOf(host));
  const named = [...own, ...providerPlaces(web).map(({ host }) => host)];
  return [...new Set(named.flatMap((host) => host === null || host.address ? [] : [host.text]))]
    .sort();
}

/** Of the first policy: what a further one narrows is narrowed by the policy layer alone. */
function connectScopeOf(
  [first]: readonly PlacedPolicy[],
  who: "tools" | "programs",
): ConnectScope {
  const rules = [
    ...(first?.policy.network ?? [])
      .filter(({ commands }) => (commands === undefined) === (who === "tools")),
    ...(who === "programs" ? first?.policy.children?.network ?? [] : []),
  ].filter(({ effect }) => effect !== "deny");
  const patterns = rules.flatMap(({ hosts, allowPrivate }) =>
    hosts.map((text) => ({ ...parseHostPattern(text), allowPrivate }))
  ).filter(({ kind }) => kind !== LOOPBACK);
  const provided = first === undefined || who === "programs"
    ? []
    : providerPlaces(first.policy.web);
  const named: readonly Place[] = [
    ...patterns.map(({ kind, host, port, allowPrivate }) => ({
      host: kind === "exact" ? hostOf(host) : null,
      port,
      allowPrivate,
    })),
    ...provided,
  ];
  const proxy = first?.policy.web?.proxy ?? null;
  const places = proxy === null ? named : byProxy(proxy, named);
  return withoutCovered(
    places.map(({ host, port, allowPrivate }): ConnectPlace => ({
      to: host?.address === true ? host.text : allowPrivate ? ALL_NETWORKS : PUBLIC_NETWORKS,
      port,
    })),
  );
}

/** Each once, and none beside one that is the same at any port, or all networks at its own. */
function withoutCovered(places: readonly ConnectPlace[]): ConnectScope {
  const keyOf = ({ to, port }: ConnectPlace) => `${to} ${port ?? "any"}`;
  const distinct = new Map(places.map((place) => [keyOf(place), place]));
  const has = (to: string, port: number | null) => distinct.has(keyOf({ to, port }));
  return [...distinct.values()].filter(({ to, port }) =>
    !(port !== null && has(to, null)) &&
    !(to === PUBLIC_NETWORKS && (has(ALL_NETWORKS, null) || has(ALL_NETWORKS, port)))
  );
}

/** Where a rule leads. `host`: null for any. `port`: null for any. */
interface Place {
  readonly host: Host | null;
  readonly port: number | null;
  readonly allowPrivate: boolean;
}

/** What is dialled where all goes by a proxy: that, and what may be this machine itself. */
function byProxy(
  { host, port, names }: UpstreamProxy,
  places: readonly Place[],
): readonly Place[] {
  const own = places.filter((place) =>
    place.allowPrivate &&
    (place.host === null || leadsToLoopback(place.host) ||
      (names === "here" && !place.host.address))
  );
  // Whoever names a proxy may mean one on their own network.
  return places.length === 0 ? [] : [...own, { host: hostOf(host), port, allowPrivate: true }];
}

interface HostAndPort {
  readonly host: string;
  /** Null: any. */
  readonly port: number | null;
}

function commonHosts(
  a: readonly HostAndPort[] | "any",
  b: readonly HostAndPort[] | "any",
): readonly HostAndPort[] | "any" {
  if (a === "any") return b;
  if (b === "any") return a;
  return a.flatMap((one) =>
    b.filter((other) => one.host === other.host).flatMap((other) => {
      if (one.port !== null && other.port !== null && one.port !== other.port) return [];
      return [{ host: one.host, port: one.port ?? other.port }];
    })
  );
}
