/** The names of files in the headers of diffs (POSIX `diff -u`, `git diff`), and which of them is meant. */

import { baseName } from "../../../core/path_text.ts";

/** A name as a header has it; null for `/dev/null`. `epoch`: its time says that there is no file (`diff -N`). */
export interface HeaderName {
  readonly name: string | null;
  readonly epoch: boolean;
}

/** Escapes of one letter in names that Git quotes (git's quote.c documents them as those of C). */
const ESCAPES: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  t: 9,
  n: 10,
  v: 11,
  f: 12,
  r: 13,
  '"': 34,
  "\\": 92,
};

const TIME = /\s(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:[.,]\d+)?(?: ?([+-]\d\d):?(\d\d))?\s*$/;

/** What stands behind `--- ` or `+++ `. Null where there is no name, or one that is no UTF-8. */
export function readHeaderName(text: string): HeaderName | null {
  if (text.startsWith('"')) {
    const end = /^"(?:[^"\\]|\\.)*"/.exec(text)?.[0];
    const name = end === undefined ? null : unquote(end);
    return name === null || name === "" ? null : { name, epoch: isEpoch(text.slice(end?.length)) };
  }
  const tab = text.indexOf("\t");
  const name = (tab < 0 ? text : text.slice(0, tab)).replace(TIME, "").trimEnd();
  if (name === "") return null;
  return { name: name === "/dev/null" ? null : name, epoch: isEpoch(text) };
}

/** Midnight of 1 January 1970, UTC: how `diff -N` dates what is not there. */
function isEpoch(text: string): boolean {
  const [, date, time, hours = "+00", minutes = "00"] = TIME.exec(text) ?? [];
  return date !== undefined && Date.parse(`${date}T${time}${hours}:${minutes}`) === 0;
}

/** A name in double quotes, with C's escapes and octal bytes. Null where it is no UTF-8 or not well formed. */
export function unquote(quoted: string): string | null {
  const bytes: number[] = [];
  const inner = quoted.slice(1, -1);
  for (let at = 0; at < inner.length;) {
    if (inner[at] !== "\\") {
      const character = String.fromCodePoint(inner.codePointAt(at) ?? 0);
      bytes.push(...new TextEncoder().encode(character));
      at += character.length;
      continue;
    }
    const octal = /^[0-3][0-7]{2}/.exec(inner.slice(at + 1, at + 4))?.[0];
    const byte = octal === undefined ? ESCAPES[inner[at + 1] ?? ""] : parseInt(octal, 8);
    if (byte === undefined) return null;
    bytes.push(byte);
    at += 1 + (octal?.length ?? 1);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
      Uint8Array.from(bytes),
    );
  } catch {
    return null;
  }
}

/**
 * The one name behind `diff --git `, where both of the two there agree on it: without the first part where they
 * differ in that (`a/x b/x`, `i/x w/x`), whole where they do not (`--no-prefix`). Null where they do not agree.
 */
export function readGitNames(text: string): string | null {
  for (const [old, now] of splitsOf(text)) {
    const name = old === now ? old : commonName(old, now);
    if (name !== null) return name;
  }
  return null;
}

/** Names are quoted, or else may hold spaces: then every space may be the one between the two. */
function* splitsOf(text: string): Iterable<readonly [string, string]> {
  const quoted = /^("(?:[^"\\]|\\.)*"|[^"]+) ("(?:[^"\\]|\\.)*"|[^"]+)$/.exec(text);
  if (text.includes('"')) {
    const [, old = "", now = ""] = quoted ?? [];
    const both = [old, now].map((name) => name.startsWith('"') ? unquote(name) : name);
    if (both[0] && both[1]) yield [both[0], both[1]];
    return;
  }
  // Both names have one length but for their first parts: the space is not far from the middle.
  for (let at = text.indexOf(" "); at >= 0; at = text.indexOf(" ", at + 1)) {
    yield [text.slice(0, at), text.slice(at + 1)];
  }
}

/** What two names have in common behind their first parts; null where they differ there. */
export function commonName(old: string, now: string): string | null {
  const below = withoutFirst(old);
  return below !== null && below === withoutFirst(now) ? below : null;
}

function withoutFirst(path: string): string | null {
  const slash = path.indexOf("/");
  return slash <= 0 || slash === path.length - 1 ? null : path.slice(slash + 1);
}

/**
 * The file that both names of a plain diff mean: without `a/` and `b/` where they have them; of two different
 * names the one that `patch` prefers, with fewer parts or the shorter last one. Null where neither is better.
 */
export function meantName(old: string | null, now: string | null): string | null {
  if (old === null) return now === null ? null : withoutPrefix(now, "b/");
  if (now === null) return withoutPrefix(old, "a/");
  if (old === now) return old;
  const stripped = [old, now].every((name) => name.length > 2) && old.startsWith("a/") &&
    now.startsWith("b/");
  const [first, second] = stripped ? [old.slice(2), now.slice(2)] : [old, now];
  if (first === second) return first;
  const order = parts(first) - parts(second) || baseName(first).length - baseName(second).length;
  return order === 0 ? null : order < 0 ? first : second;
}

function withoutPrefix(name: string, prefix: string): string {
  return name.startsWith(prefix) && name.length > prefix.length ? name.slice(prefix.length) : name;
}

function parts(path: string): number {
  return path.split("/").length;
}
