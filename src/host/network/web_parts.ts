/** What the thread of the door is handed that it could not read itself: keys, certificate authorities. */

import type { KeyedProvider, WebKey, WebSettings } from "../../core/network.ts";

/** Read when the thread starts. A key that is not there is left out: only who needs it is told. */
export interface WebParts {
  readonly keys: Readonly<Partial<Record<KeyedProvider | "proxy", string>>>;
  /** In PEM. */
  readonly authorities: readonly string[];
  /** Files of authorities that could not be read. */
  readonly unread: readonly string[];
}

/** A key is one line; longer than that is some other file. */
const LONGEST_KEY = 4096;

/** Reads keys and authorities where the policy says that they are. */
export function readWebParts(web: WebSettings): WebParts {
  const keys: Partial<Record<KeyedProvider | "proxy", string>> = {};
  for (const name of ["search", "github", "stackoverflow"] as const) {
    const value = keyOf(web[name]?.key ?? null);
    if (value !== null) keys[name] = value;
  }
  const login = keyOf(web.proxy?.key ?? null, LOGIN);
  if (login !== null) keys.proxy = login;
  const texts = web.authorities.map((path) => ({ path, text: textOf(path) }));
  return {
    keys,
    authorities: texts.flatMap(({ text }) => text ?? []),
    unread: texts.flatMap(({ path, text }) => text === null ? [path] : []),
  };
}

/** What can stand in a header as it is. */
const KEY = /^[!-~]+$/;
/** RFC 7617, 2: user and password in any letters, since they are sent encoded. */
const LOGIN = /^\P{Cc}+$/u;

/** The key itself; null where it is not there. What is not `wanted` is none. */
export function keyOf(key: WebKey | null, wanted = KEY): string | null {
  if (key === null) return null;
  const text = ("env" in key ? variable(key.env) : textOf(key.file))?.trim() ?? "";
  return wanted.test(text) && text.length <= LONGEST_KEY ? text : null;
}

function variable(name: string): string | null {
  try {
    return Deno.env.get(name) ?? null;
  } catch {
    return null;
  }
}

function textOf(path: string): string | null {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return null;
  }
}
