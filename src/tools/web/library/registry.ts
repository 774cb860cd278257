/** Asking a registry: where it is, what it answers, and packages that are what they are said to be. */

import { ToolError } from "../../../core/errors.ts";
import type { Network, WebAnswer, WebSettings } from "../../../core/network.ts";
import { printable } from "../../../core/printable.ts";
import { isObject } from "../../../core/json_value.ts";
import { isWeb } from "../../../core/web_address.ts";
import type { ProviderPlace } from "../_provider.ts";
import type { Ecosystem } from "./library.ts";

/** How to find out which registry it is that a machine asks. */
const FOUND_BY: Readonly<Record<Ecosystem, string>> = {
  npm: "what `npm config get registry` prints",
  pypi: "the address above /simple of what pip asks",
  crates: "where rustdoc's JSON of crates is served, or a mirror of that and of the crates",
  go: "the first address of what `go env GOPROXY` prints",
};

/** Where a registry is asked. Throws PROVIDER_NOT_CONFIGURED. */
export function registryPlace(ecosystem: Ecosystem, web: WebSettings | undefined): ProviderPlace {
  const url = web?.registries[ecosystem];
  if (url !== undefined) return { url, named: true };
  throw new ToolError(
    "PROVIDER_NOT_CONFIGURED",
    `fetch_api_docs: no policy names a registry of ${ecosystem}; web.registries does, as ` +
      `{ ${ecosystem}: { url: … } }: ${FOUND_BY[ecosystem]}`,
  );
}

/** An object of an answer, whose members may be anything. */
export type Fields = Readonly<Record<string, unknown>>;

/** One registry, for one call. */
export class Registry {
  readonly #network: Network;
  readonly #place: ProviderPlace;
  readonly #timeLeft: () => number;

  /** `timeLeft`: milliseconds that the call still has. */
  constructor(network: Network, place: ProviderPlace, timeLeft: () => number) {
    this.#network = network;
    this.#place = place;
    this.#timeLeft = timeLeft;
  }

  /** Below the base address. */
  at(path: string): string {
    return this.#place.url.replace(/\/+$/, "") + path;
  }

  /** Any status but those of a failing server. Throws as the door, HTTP_ERROR. */
  async fetch(url: string, accept = "*/*"): Promise<WebAnswer> {
    const own = new URL(url).origin === new URL(this.#place.url).origin;
    const answer = await this.#network.fetch({
      url,
      headers: { accept },
      timeoutMs: Math.max(1, this.#timeLeft()),
      cache: true,
      ...(own ? { provider: true } : {}),
    });
    const { status } = answer;
    if (status === 200 || status === 404 || status === 410) return answer;
    throw new ToolError(
      "HTTP_ERROR",
      `${new URL(url).host}: it answers with status ${status}${
        status === 429 ? "; it was asked too often" : ""
      }`,
      { details: { status } },
    );
  }

  /** The members of a JSON object; null where there is no such thing there. Throws as `fetch`. */
  async json(url: string, accept = "application/json"): Promise<Fields | null> {
    const answer = await this.fetch(url, accept);
    if (answer.status !== 200) return null;
    if (answer.truncated) throw this.tooLong();
    const value = parsed(new TextDecoder().decode(answer.body));
    if (isObject(value)) return value;
    throw this.unreadable();
  }

  /** HTTP_ERROR: what it answers to status 200 says nothing of what it was asked for. */
  unreadable(): ToolError {
    const { host } = new URL(this.#place.url);
    return new ToolError("HTTP_ERROR", `${host}: its answer is not the JSON that it should be`, {
      details: { status: 200 },
    });
  }

  /** RESOURCE_LIMIT */
  tooLong(): ToolError {
    const { host } = new URL(this.#place.url);
    return new ToolError("RESOURCE_LIMIT", `${host}: its answer is longer than limits.response`);
  }

  /**
   * A package, whole and with the digest that the registry gives for it (`sha512-…` in base64 as npm writes it, or
   * `sha256:` in hexadecimal digits; null for none); or why there is none to read.
   */
  async package(
    url: string,
    digest: string | null,
  ): Promise<{ readonly bytes: Uint8Array } | { readonly without: string }> {
    const at = URL.parse(url);
    // What a registry writes there is no argument of the caller's.
    if (at === null || !isWeb(at) || at.username !== "" || at.password !== "") {
      return { without: "the registry does not say where its package is" };
    }
    const { host } = at;
    let answer;
    try {
      answer = await this.fetch(url);
    } catch (error) {
      // What describes a library is worth having without it.
      if (!(error instanceof ToolError) || error.code !== "NETWORK_DENIED") throw error;
      return { without: `its package was not read: ${printable(error.message, 400)}` };
    }
    if (answer.status !== 200) return { without: `${host} does not have its package` };
    if (answer.truncated) {
      return { without: "its package was not read: it is longer than limits.response" };
    }
    if (digest !== null && !await hasDigest(answer.body, digest)) {
      throw new ToolError(
        "NETWORK_ERROR",
        `${host}: the package is not the one that the registry describes: its digest differs`,
        { details: { reason: "digest", place: host } },
      );
    }
    return { bytes: answer.body };
  }
}

/** There is no such library. */
export function unknownLibrary(name: string, ecosystem: Ecosystem, hint = ""): ToolError {
  return new ToolError(
    "HTTP_ERROR",
    `${printable(name, 200)}: ${ecosystem} has no library of that name${hint}`,
    { details: { status: 404 } },
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

async function hasDigest(bytes: Uint8Array, digest: string): Promise<boolean> {
  const [, name, value] = /^(sha256|sha384|sha512)[-:](.+)$/.exec(digest) ?? [];
  if (name === undefined || value === undefined) return true;
  const hash = await crypto.subtle.digest(`SHA-${name.slice(3)}`, bytes.slice());
  const found = new Uint8Array(hash);
  return digest[name.length] === ":"
    ? found.toHex() === value.toLowerCase()
    : found.toBase64() === value;
}
