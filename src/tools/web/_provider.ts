/** Asking a provider that answers in JSON. */

import type { ConnectCapability } from "../../core/capability.ts";
import { ToolError } from "../../core/errors.ts";
import { isObject } from "../../core/json_value.ts";
import type { KeyUse, Network } from "../../core/network.ts";
import { addressOf, connectionTo } from "../../core/web_address.ts";

/** Where a provider is: `named`, where the policy names it under `web`. */
export interface ProviderPlace {
  readonly url: string;
  readonly named: boolean;
}

/** A question. */
export interface Question {
  /** Behind the base address. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** What is posted as JSON; a GET where left out. */
  readonly body?: unknown;
  readonly key: KeyUse;
}

/** The connection that asking takes. */
export function connectionOf({ url, named }: ProviderPlace, method: string): ConnectCapability {
  return { ...connectionTo(addressOf(url), method), ...(named ? { provider: true } : {}) };
}

/**
 * The answer, an object. Throws as the door does, HTTP_ERROR for another status than 200 and for what is no JSON,
 * RESOURCE_LIMIT where it is longer than `limits.response`.
 */
export async function ask(
  network: Network,
  { url, named }: ProviderPlace,
  { path, query, headers, body, key }: Question,
): Promise<Readonly<Record<string, unknown>>> {
  const address = `${url.replace(/\/+$/, "")}${path}`;
  const search = new URLSearchParams(query).toString();
  const answer = await network.fetch({
    url: search === "" ? address : `${address}?${search}`,
    headers: {
      accept: "application/json",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined
      ? {}
      : { method: "POST", body: new TextEncoder().encode(JSON.stringify(body)) }),
    ...(named ? { provider: true } : {}),
    key,
  });
  const { status } = answer;
  const { host } = new URL(url);
  if (status !== 200) {
    throw new ToolError(
      "HTTP_ERROR",
      `${host}: it answers with status ${status}${HINTS[status] ?? ""}`,
      {
        details: { status },
      },
    );
  }
  if (answer.truncated) {
    throw new ToolError("RESOURCE_LIMIT", `${host}: its answer is longer than limits.response`);
  }
  const value = parsed(new TextDecoder().decode(answer.body));
  if (!isObject(value)) {
    throw new ToolError("HTTP_ERROR", `${host}: its answer is not the JSON that it should be`, {
      details: { status },
    });
  }
  return value;
}

const HINTS: Readonly<Record<number, string>> = {
  401: "; its key is missing or wrong",
  403: "; its key is missing, may not, or has asked too often",
  429: "; it was asked too often",
};

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The objects of a list; what is none is passed over. */
export function objectsOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** A text, or "". */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** A number, or 0. */
export function numberOf(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

/** A field that is left out where it says nothing. */
export function given<K extends string>(key: K, text: string): { readonly [P in K]?: string } {
  return (text === "" ? {} : { [key]: text }) as { readonly [P in K]?: string };
}

/** HTML of an answer as one line. Loads what reads pages. */
export async function lineOf(html: string, longest: number): Promise<string> {
  if (!/[<&]/.test(html)) return shortened(html, longest);
  const { readPage } = await import("./page/page.ts");
  return shortened(readPage(html, "https://unknown.invalid/", true).text, longest);
}

function shortened(text: string, longest: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= longest ? line : `${line.slice(0, longest - 1).toWellFormed()}…`;
}
