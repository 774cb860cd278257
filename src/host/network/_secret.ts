/** Keys of providers: added to what is sent, taken out of what comes back. */

import {
  type KeyedProvider,
  type KeyUse,
  PROVIDER_URLS,
  type WebSettings,
} from "../../core/network.ts";
import { joinedBytes } from "../../core/bytes.ts";
import { ToolError } from "../../core/errors.ts";
import { KeyFilter } from "./_key_filter.ts";
import { KeyForms } from "./_key_forms.ts";

/** A key and where it goes. */
export interface Secret {
  readonly use: KeyUse;
  readonly key: string;
}

/** The origin that a provider's key is for, and no other; null where there is none. */
export function originOf(provider: KeyedProvider, web: WebSettings): string | null {
  const url = provider === "search"
    ? web.search === null ? null : web.search.url ?? PROVIDER_URLS[web.search.provider]
    : web[provider]?.url ?? PROVIDER_URLS[provider];
  return url === null ? null : new URL(url).origin;
}

/** The origins that the policy names: no rule needs to allow them. */
export function providerOrigins(web: WebSettings): ReadonlySet<string> {
  const named = (["search", "github", "stackoverflow"] as const)
    .filter((provider) => web[provider] !== null)
    .map((provider) => originOf(provider, web));
  const registries = Object.values(web.registries).map((url) => new URL(url).origin);
  return new Set([...named.filter((origin) => origin !== null), ...registries]);
}

/** The path and query as they are sent, and the headers. */
export function withKey(
  { pathname, search }: URL,
  headers: Readonly<Record<string, string>>,
  secret: Secret | null,
): { readonly target: string; readonly headers: Readonly<Record<string, string>> } {
  if (secret === null) return { target: pathname + search, headers };
  const { use, key } = secret;
  const value = use.prefix + key;
  if (use.in === "header") {
    return { target: pathname + search, headers: { ...headers, [use.name]: value } };
  }
  const query = `${use.name}=${encodeURIComponent(value)}`;
  return { target: `${pathname}${search}${search === "" ? "?" : "&"}${query}`, headers };
}

const HIDDEN = "[key]";

/** Text without the key, in whatever form. Of characters up to U+00FF, as addresses and headers are. */
export function hideKey(text: string, secret: Secret | null): string {
  if (secret === null) return text;
  const forms = new KeyForms(secret.key);
  const bytes = Uint8Array.from(text, (one) => one.charCodeAt(0));
  let shown = "";
  for (let at = 0; at < bytes.length;) {
    const found = forms.at(bytes, at, true);
    const isKey = typeof found === "number";
    shown += isKey ? HIDDEN : text[at];
    at += isKey ? found : 1;
  }
  return shown;
}

/** An error without the key: what an answer says of itself or leads to is named in it. */
export function errorWithoutKey(error: unknown, secret: Secret | null): unknown {
  if (secret === null || !(error instanceof ToolError)) return error;
  const { code, message, details, rule, output } = error;
  const hidden = Object.entries(details ?? {}).map(([name, value]) => [
    name,
    typeof value === "string" ? hideKey(value, secret) : value,
  ]);
  return new ToolError(code, hideKey(message, secret), {
    ...(details === null ? {} : { details: Object.fromEntries(hidden) }),
    rule,
    output,
  });
}

/** Whoever is asked may send back what it was sent, as it was or encoded. As long as it was. */
export function withoutKey(bytes: Uint8Array, key: string): Uint8Array {
  const filter = new KeyFilter(key);
  return joinedBytes([filter.next(bytes), filter.end()]);
}
