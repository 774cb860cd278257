/** What several policies say of the web, made one: the first names providers, a further one only narrows. */

import { type Host, hostOf } from "./match/addresses.ts";
import { PROVIDER_URLS, type WebKey, WebSettings } from "../core/network.ts";
import { type PlacedPolicy, PolicyConflict } from "./_placed.ts";
import { DEFAULTS, type Policy, type WebRule } from "./model.ts";

/** What only the first policy that speaks of it can say: whoever names another place takes questions there. */
const FIXED = [
  "userAgent",
  "authorities",
  "proxy",
  "search",
  "github",
  "stackoverflow",
  "registries",
] as const;

/** Throws {@linkcode PolicyConflict} where a further policy names what the first does not. */
export function combineWebs([first, ...further]: readonly PlacedPolicy[]): WebSettings {
  const start = first?.policy.web ?? null;
  let robots = start?.robots ?? DEFAULTS.web.robots;
  let size = start?.cache?.size ?? DEFAULTS.web.cache.size;
  let ageMs = start?.cache?.ageMs ?? DEFAULTS.web.cache.ageMs;
  for (const { source, policy: { web } } of further) {
    if (web === null) continue;
    for (const key of FIXED) {
      if (isSilent(web[key]) || JSON.stringify(web[key]) === JSON.stringify(start?.[key])) continue;
      throw new PolicyConflict(
        `${source} web.${
          keyOf(key)
        }: ${first?.source} does not say so; a further policy can only narrow the web`,
      );
    }
    if (web.robots === "honor") robots = "honor";
    size = Math.min(size, web.cache?.size ?? Infinity);
    ageMs = Math.min(ageMs, web.cache?.ageMs ?? Infinity);
  }
  return {
    robots,
    userAgent: start?.userAgent ?? DEFAULTS.web.userAgent,
    cache: { size, ageMs },
    authorities: start?.authorities ?? [],
    proxy: start?.proxy ?? null,
    search: start?.search ?? null,
    github: start?.github ?? null,
    stackoverflow: start?.stackoverflow ?? null,
    registries: start?.registries ?? {},
  };
}

function isSilent(value: WebRule[typeof FIXED[number]]): boolean {
  return value === null || (Array.isArray(value) && value.length === 0);
}

function keyOf(key: typeof FIXED[number]): string {
  return key === "userAgent" ? "user_agent" : key;
}

/** The variables that hold keys. */
export function keyVariables(policies: readonly Policy[]): ReadonlySet<string> {
  return new Set(
    policies.flatMap(({ web, secrets }) =>
      [...keysOf(web), ...(secrets ?? []).map(({ key }) => key)]
        .flatMap((key) => key !== null && "env" in key ? [key.env] : [])
    ),
  );
}

function keysOf(web: WebRule | null): readonly (WebKey | null)[] {
  if (web === null) return [];
  return [web.search, web.github, web.stackoverflow, web.proxy].map((one) => one?.key ?? null);
}

/** The hosts that the section names, by name or by naming their provider. */
export function providerPlaces(
  web: WebRule | null,
): readonly {
  readonly host: Host | null;
  readonly port: number;
  readonly allowPrivate: boolean;
}[] {
  if (web === null) return [];
  const { search, github, stackoverflow, registries } = web;
  const urls = [
    search === null ? null : search.url ?? PROVIDER_URLS[search.provider],
    github === null ? null : github.url ?? PROVIDER_URLS.github,
    stackoverflow === null ? null : stackoverflow.url ?? PROVIDER_URLS.stackoverflow,
    ...Object.values(registries ?? {}),
  ];
  return urls.flatMap((text) => {
    if (text === null || text === undefined) return [];
    const { hostname, port, protocol } = new URL(text);
    const number = port === "" ? (protocol === "https:" ? 443 : 80) : Number(port);
    // Whoever names an address of their own may mean one on their own network.
    return [{ host: hostOf(hostname), port: number, allowPrivate: true }];
  });
}
