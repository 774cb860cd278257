/** What a record may show of arguments, commands and messages: no secret, and nothing without end. */

import { sha256 } from "../core/sha256.ts";
import { isHarmless } from "./_harmless.ts";
import { REDACTED, withoutSecrets } from "./secrets.ts";

/** Names whose values are secrets, whatever a policy adds: letters alone count, so `api-key` is `apiKey`. */
const SECRET_NAMES =
  /(?:password|passwd|passphrase|secret|api_?key|private_?key|access_?key|auth_?token|access_?token|refresh_?token|id_?token|bearer|credential|authorization|cookie|session_?key|client_?secret|signing_?key|encryption_?key)/i;
/** Short ones that longer names hold by chance. */
const SECRET_WORDS = /(?:^|[^a-z])(?:token|pwd|pat|pin|otp|jwt|auth)(?:$|[^a-z])/i;

/** Longest text of arguments that is shown; a longer one by its beginning, its length and its hash. */
const LONGEST = 512;
const BEGINNING = 128;
/** Bounds of what is shown of one call: a hostile argument must not fill the log. */
const DEEPEST = 8;
const MOST_MEMBERS = 64;
/** Names whose judgement is kept, and how long they are: those of tools' parameters, of which there are few. */
const MOST_KEPT = 256;
const LONGEST_KEPT = 64;

/** Takes secrets out of what is recorded. */
export interface Redactor {
  /** A copy of JSON-like data in which secrets are replaced and long texts are cut. */
  value(data: unknown): unknown;
  /** One text: an error's message, a description. */
  text(text: string): string;
}

/** `patterns`: the policy's `audit.redact`, regular expressions over names, case ignored. */
export function createRedactor(patterns: readonly string[]): Redactor {
  const isSecret = remembered(secretNames(patterns));
  const clean = (text: string): string =>
    isHarmless(text, isSecret) ? text : cleaned(text, isSecret);

  function redact(data: unknown, depth: number): unknown {
    if (typeof data === "string") return shortened(data, clean);
    if (typeof data !== "object" || data === null) return data;
    if (depth >= DEEPEST) return "[deeper]";
    if (Array.isArray(data)) return redactList(data, depth);
    const names = Object.keys(data);
    const shown: Record<string, unknown> = {};
    for (const name of names.slice(0, MOST_MEMBERS)) {
      const value = (data as Record<string, unknown>)[name];
      const kept = isSecret(name) && value !== null ? REDACTED : redact(value, depth + 1);
      put(shown, clean(name.slice(0, LONGEST)), kept);
    }
    if (names.length > MOST_MEMBERS) put(shown, "[more]", names.length - MOST_MEMBERS);
    return shown;
  }

  /** In an argv the value may stand beside its option. */
  function redactList(list: readonly unknown[], depth: number): unknown {
    const shown = list.slice(0, MOST_MEMBERS).map((value, index) => {
      const option = list[index - 1];
      const led = typeof option === "string" && /^--?[A-Za-z][\w-]*$/.test(option) &&
        isSecret(option);
      return led && typeof value === "string" && !value.startsWith("-")
        ? REDACTED
        : redact(value, depth + 1);
    });
    const more = list.length - shown.length;
    return more > 0 ? [...shown, `[${more} more]`] : shown;
  }

  return { value: (data) => redact(data, 0), text: (text) => shortened(text, clean) };
}

/** Adds a member, one that is called `__proto__` too. */
function put(to: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== "__proto__") to[name] = value;
  else Object.defineProperty(to, name, { value, enumerable: true });
}

/**
 * Whether a name is a secret's, by itself or by the policy's patterns. What is longer than any name is one, so that a
 * text of a megabyte in a name's place is not sought through.
 */
export function secretNames(patterns: readonly string[]): (name: string) => boolean {
  const named = patterns.map((pattern) => new RegExp(pattern.replace(/^\(\?i\)/, ""), "i"));
  return (name) =>
    name.length > LONGEST || SECRET_NAMES.test(name.replaceAll("-", "_")) ||
    SECRET_WORDS.test(separated(name)) ||
    named.some((pattern) => pattern.test(name));
}

/** The same answers, those about the first short names by heart: a caller who sends ever new ones fills nothing. */
function remembered(judge: (name: string) => boolean): (name: string) => boolean {
  const known = new Map<string, boolean>();
  return (name) => {
    const before = known.get(name);
    if (before !== undefined) return before;
    const secret = judge(name);
    if (known.size < MOST_KEPT && name.length <= LONGEST_KEPT) known.set(name, secret);
    return secret;
  };
}

/** The close look: a text without the secrets known by their looks, and without what secrets' names lead. */
export function cleaned(text: string, isSecret: (name: string) => boolean): string {
  return withoutAssigned(withoutSecrets(text), isSecret);
}

/** `apiToken` as `api Token`, so that words in it are seen. */
function separated(name: string): string {
  return name.replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2").replaceAll("_", " ");
}

/** `NAME=value`, `--name=value`, `name: value`, `--name value` in running text: what a secret's name leads. */
const ASSIGNED =
  /((?:^|[\s;&|"'({[,?])-{0,2}([A-Za-z][\w.-]{1,60})["']?(?:\s{0,3}[=:]\s{0,3}))("[^"]{1,4000}"|'[^']{1,4000}'|[^\s"',;&|)}\]]{1,4000})/g;
const OPTION =
  /((?:^|\s)--?([A-Za-z][\w-]{1,60})\s{1,3})("[^"]{1,4000}"|'[^']{1,4000}'|[^\s"'-][^\s"']{0,4000})/g;

function withoutAssigned(text: string, isSecret: (name: string) => boolean): string {
  const keep = (whole: string, lead: string, name: string): string =>
    isSecret(name) ? `${lead}${REDACTED}` : whole;
  return text.replace(ASSIGNED, keep).replace(OPTION, keep);
}

/** Secrets are sought in all that is shown and a little further: one must not end up halved. */
function shortened(text: string, clean: (text: string) => string): string {
  if (text.length <= LONGEST) return clean(text);
  const beginning = clean(text.slice(0, 8 * BEGINNING)).slice(0, BEGINNING);
  const hash = sha256(new TextEncoder().encode(text));
  return `${beginning}… [${text.length} characters, sha256 ${hash}]`;
}
