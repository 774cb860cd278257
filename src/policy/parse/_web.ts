/** The section `web`: how the tools of the web behave, and whom they ask. */

import { converted, list, object, optional, otherwise, required } from "../../config/collection.ts";
import { duration, type Field, oneOf, size, text } from "../../config/field.ts";
import { PROVIDER_URLS, SEARCH_PROVIDERS, type WebKey } from "../../core/network.ts";
import { hostOf } from "../match/addresses.ts";
import type { WebRule } from "../model.ts";
import { absolute, DAY, MiB, variable } from "./section.ts";

const address = text({
  what: "an http or https address",
  pattern: "^https?://",
  check: wrongAddress,
});

/** Where a key is: a variable of Toolgate's own, or a file with nothing else in it. */
export const key: Field<WebKey> = converted(
  object({
    env: optional(variable, "the variable of Toolgate's own environment that holds it"),
    file: optional(text({ what: "an absolute path" }), "the file that holds it, alone"),
  }),
  ({ env, file }, place) => {
    if (env !== undefined && file === undefined) return { env };
    if (file !== undefined && env === undefined && file.startsWith("/")) return { file };
    return place.report("does not say where it is; write env, or file with an absolute path");
  },
);

const provider = {
  url: otherwise(address, null, "its address; its own where left out"),
  key: otherwise(key, null, "where its key is: { env: NAME } or { file: PATH }"),
};

/** `web`. */
export const web: Field<WebRule> = converted(
  object({
    robots: otherwise(
      oneOf(["honor", "ignore"]),
      null,
      "honor: what a host's robots.txt disallows is not fetched",
    ),
    user_agent: otherwise(
      text({
        what: "a User-Agent",
        pattern: "^[ -~]{1,200}$",
        check: (value) =>
          /^[ -~]{1,200}$/.test(value) ? null : "is no User-Agent: printable ASCII, at most 200",
      }),
      null,
      "what requests say of themselves",
    ),
    cache: otherwise(
      object({
        size: otherwise(size({ min: 0, max: 512 * MiB }), null, "bytes that are kept; 0 for none"),
        age: otherwise(duration({ min: 0, max: 365 * DAY }), null, "for how long at most"),
      }),
      null,
      "answers that a pipe keeps in memory",
    ),
    authorities: otherwise(
      list(absolute),
      [],
      "files with further certificate authorities, in PEM",
    ),
    proxy: otherwise(
      converted(
        object({
          url: required(
            text({
              what: "the address of a proxy",
              pattern: "^http://",
              check: (value) => proxyAt(value) === null ? WRONG_PROXY : null,
            }),
            "where it listens: http://proxy.example.org:3128",
          ),
          names: otherwise(
            oneOf(["here", "proxy"]),
            "here",
            "here: it is asked for addresses, as they were judged. proxy: it looks names up, which takes allow_private of " +
              "their rules, since nobody here knows what they stand for",
          ),
          key: otherwise(
            key,
            null,
            "where user:password for it is: { env: NAME } or { file: PATH }",
          ),
        }),
        ({ url, names, key }, place) => {
          const at = proxyAt(url);
          return at === null ? place.report(WRONG_PROXY) : { ...at, names, key };
        },
      ),
      null,
      "the proxy by which all connections go, those of programs too, but to this machine itself",
    ),
    search: otherwise(
      converted(
        object({
          provider: required(oneOf(SEARCH_PROVIDERS), "who answers searches"),
          ...provider,
        }),
        (search, place) =>
          search.url === null && PROVIDER_URLS[search.provider] === null
            ? place.in("url").report(`is missing; ${search.provider} is where you run it`)
            : search,
      ),
      null,
      "the provider behind web_search",
    ),
    github: otherwise(
      converted(
        object({
          url: provider.url,
          token: otherwise(key, null, "where its token is: { env: NAME } or { file: PATH }"),
        }),
        ({ url, token }) => ({ url, key: token }),
      ),
      null,
      "what search_github asks",
    ),
    stackoverflow: otherwise(object(provider), null, "what search_stackoverflow asks"),
    registries: otherwise(
      object({
        npm: optional(registry("npm"), "of npm"),
        pypi: optional(registry("PyPI"), "of PyPI"),
        crates: optional(registry("crates and their documentation"), "of crates"),
        go: optional(registry("the Go module proxy"), "of Go modules"),
      }),
      null,
      "what fetch_api_docs asks",
    ),
  }),
  ({ user_agent, cache, ...rest }) => ({
    ...rest,
    userAgent: user_agent,
    cache: cache === null ? null : { size: cache.size, ageMs: cache.age },
  }),
);

function registry(name: string): Field<string> {
  return converted(
    object({ url: required(address, `the address of ${name}`) }),
    ({ url }) => url,
  );
}

const WRONG_PROXY =
  "is no address of a proxy: http, a host and a port, without user or path, such as http://proxy.example.org:3128";

function proxyAt(text: string): { readonly host: string; readonly port: number } | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  const host = url === null ? null : hostOf(url.hostname);
  if (url === null || host === null || url.protocol !== "http:" || url.username !== "") return null;
  if (url.password !== "" || url.pathname !== "/" || url.search !== "" || url.hash !== "") {
    return null;
  }
  return { host: host.text, port: url.port === "" ? 80 : Number(url.port) };
}

function wrongAddress(value: string): string | null {
  return /^https?:\/\//i.test(value) && URL.canParse(value)
    ? null
    : "is no http or https address, such as https://search.example.org";
}
