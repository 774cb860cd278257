/** What tools see of the network: one door, and what the policy says of the web. */

/** Who `web_search` can ask. */
export const SEARCH_PROVIDERS = ["searxng", "brave", "tavily", "kagi"] as const;
/** One of {@linkcode SEARCH_PROVIDERS}. */
export type SearchProvider = (typeof SEARCH_PROVIDERS)[number];

/** Where a key is: never the key. */
export type WebKey = { readonly env: string } | { readonly file: string };

/** A provider as the policy names it. `url` null: its own address. */
export interface WebProvider {
  readonly url: string | null;
  readonly key: WebKey | null;
}

/**
 * Where providers are by themselves: the documentation of each. SearXNG has no place of its own: a policy that names it
 * says where it is.
 */
export const PROVIDER_URLS = {
  searxng: null,
  brave: "https://api.search.brave.com",
  tavily: "https://api.tavily.com",
  kagi: "https://kagi.com",
  github: "https://api.github.com",
  stackoverflow: "https://api.stackexchange.com",
} as const;

/** A proxy of others by which all connections go. `names`: who looks names up. `key`: `user:password`, for Basic. */
export interface UpstreamProxy {
  /** In its normal form, IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  readonly names: "here" | "proxy";
  readonly key: WebKey | null;
}

/** Whose keys the door may add. */
export type KeyedProvider = "search" | "github" | "stackoverflow";

/** `web` of all policies together. */
export interface WebSettings {
  readonly robots: "honor" | "ignore";
  readonly userAgent: string;
  /** Bytes and milliseconds. */
  readonly cache: { readonly size: number; readonly ageMs: number };
  readonly authorities: readonly string[];
  readonly proxy: UpstreamProxy | null;
  readonly search: WebProvider & { readonly provider: SearchProvider } | null;
  readonly github: WebProvider | null;
  readonly stackoverflow: WebProvider | null;
  /** Addresses of registries. */
  readonly registries: {
    readonly npm?: string;
    readonly pypi?: string;
    readonly crates?: string;
    readonly go?: string;
  };
}

/** The key of a provider, which the door adds and the tool never sees. */
export interface KeyUse {
  readonly provider: KeyedProvider;
  /** Where it goes; the value is `prefix` and the key. */
  readonly in: "header" | "query";
  readonly name: string;
  readonly prefix: string;
  /** Whether the request goes without it where the policy names none. */
  readonly optional: boolean;
}

/** One request. */
export interface WebRequest {
  /** `http:` or `https:`, with a host. */
  readonly url: string;
  readonly method?: "GET" | "POST";
  /** Beside those that the door sets itself. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Milliseconds; the call's own time where left out. */
  readonly timeoutMs?: number;
  /** The base address is one that the policy names under `web`: no rule needs to allow it. */
  readonly provider?: true;
  readonly key?: KeyUse;
  /** Whether robots.txt is asked where the policy honours it. */
  readonly robots?: boolean;
  /** Whether an answer may come from memory, and be kept. */
  readonly cache?: boolean;
}

/** What came of it: any status. */
export interface WebAnswer {
  readonly status: number;
  /** Of the last request. */
  readonly url: string;
  /** Each address on the way there, the first one asked left out. */
  readonly redirects: readonly string[];
  /** Names in lower case; several of one name joined by a comma and a blank. */
  readonly headers: Readonly<Record<string, string>>;
  /** Decompressed, at most `limits.response`. */
  readonly body: Uint8Array;
  /** There was more. */
  readonly truncated: boolean;
  readonly fromCache: boolean;
}

/**
 * The one door. Each connection is judged by the policy, by name and by address, redirects too. Throws NETWORK_DENIED,
 * NETWORK_ERROR (`details.reason`), TIMEOUT, CANCELLED, PROVIDER_NOT_CONFIGURED.
 */
export interface Network {
  fetch(request: WebRequest): Promise<WebAnswer>;
  /** Whoever is behind the address asked to be left alone: until then its requests fail without being sent. */
  holdOff(url: string, seconds: number): void;
}

/** `details.reason` of NATIVE_DENIED, with the `place`: the runtime cannot let it through, and the policies may. */
export const SIX_ALONE = "IPv6 alone";
