/** The collection as it is tried, and which of it is tried by every way and as every user. */

import { readAttacks } from "./_read_lines.ts";
import type { Trial } from "./_run_attacks.ts";

const ATTACKS = readAttacks();

/** All lines, in their order. */
export const TRIALS: readonly Trial[] = ATTACKS.map(({ line, marker, kind }) => ({
  line,
  closed: kind.startsWith("denied") || marker === "denied",
  ...(kind.startsWith("forbidden") ? { forbidding: marker } : {}),
}));

/** One line of each that was once seen to get through. */
const ONCE_SEEN = [
  /zip .*-TT/,
  /python3 -W/,
  /experimental_loader/,
  /makefi=-/,
  /make -sf-/,
  /sed \S*1e/,
  /awk.*system/,
  /checkpoint-action/,
  /to-command/,
  /use-compress-program/,
  /git grep -O/,
  /ls-remote --upload-pack/,
  /sed -i\.exe/,
  /gzip .*-S/,
  /mv -b/,
  /additional-suffix/,
  /mktemp.*suffix/,
] as const;

/**
 * More of the same kinds: code by options, programs refused by name, endings, names closed to writing and reading,
 * places outside. Spread over each kind.
 */
const KINDS: Readonly<Record<string, number>> = {
  "option": 16,
  "forbidden program": 16,
  "forbidden ending": 12,
  "outside read": 4,
  "outside write": 4,
  "denied read": 4,
  "denied write": 4,
};

/** What is tried by every way and as every user, whatever else is. */
export const EVERY_WAY: ReadonlySet<Trial> = new Set([
  ...ONCE_SEEN.map((pattern) => {
    const found = TRIALS.find(({ line }) => pattern.test(line));
    if (found === undefined) throw new Error(`no line has ${pattern}`);
    return found;
  }),
  ...Object.entries(KINDS).flatMap(([kind, count]) => {
    const of = TRIALS.filter((_, at) => ATTACKS[at]!.kind === kind);
    return Array.from({ length: count }, (_, at) => of[Math.floor(at * of.length / count)]!);
  }),
]);

/** Of each that was once seen and of each kind: a start for every line proves no more of the same judge. */
const SPREAD = 5;

/** What is tried by one `call` after the other as one of so many users: each has others. */
export function byCall(user: number, users: number): readonly Trial[] {
  const every = [...EVERY_WAY];
  const seen = every.slice(0, ONCE_SEEN.length);
  const spread = every.slice(ONCE_SEEN.length).filter((_, at) => at % SPREAD === 0);
  return [...seen, ...spread].filter((_, at) => at % users === user);
}
