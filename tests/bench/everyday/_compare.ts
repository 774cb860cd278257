/** Whether a line came to the same by Toolgate as by bash. */

import type { Came } from "./_ground.ts";

/** ECMA-48, select graphic rendition. */
// deno-lint-ignore no-control-regex
const COLOUR = /\x1b\[[0-9;]*[A-Za-z]/g;

/** Times and names of temporary files differ from run to run. */
function plain(text: string): string {
  return text
    .replaceAll(COLOUR, "")
    // What mocha says behind a test that was slow, and behind no other.
    .replaceAll(/ \(\d+ms\)$/gm, "")
    .replaceAll(/\b\d+(?:\.\d+)?\s?(?:ms|s|m|µs|ns|seconds|secs?)\b/g, "TIME")
    .replaceAll(/\b\d\d:\d\d(?::\d\d)?\b/g, "TIME")
    .replaceAll(/"(?:duration|start|end|startTime|endTime)\w*":\s*[\d.]+/g, "TIME")
    .replaceAll(/\/(?:[\w.-]+\/)*tmp[\w./-]*/gi, "TEMPORARY");
}

/** What differs, by kind; null where nothing does. `again`: what bash comes to a second time, asked for only if needed. */
export function difference(expected: Came, came: Came, again: () => Came): string | null {
  if (came.status !== expected.status) return "status";
  if (isSame(expected, came)) return null;
  const second = again();
  if (second.status !== expected.status) return null;
  if (plain(came.stdout) !== plain(expected.stdout)) {
    const repeats = plain(second.stdout) === plain(expected.stdout);
    const lines = (text: string) => text.split("\n").length;
    if (repeats || lines(came.stdout) !== lines(expected.stdout)) return "output";
  }
  const names = new Set([...expected.files.keys(), ...came.files.keys()]);
  for (const name of names) {
    const [here, there] = [came.files.get(name), expected.files.get(name)];
    if (here !== there && second.files.get(name) === there) return `tree (${name})`;
  }
  return came.git !== expected.git && second.git === expected.git ? "git" : null;
}

function isSame(one: Came, other: Came): boolean {
  return plain(one.stdout) === plain(other.stdout) && one.git === other.git &&
    one.files.size === other.files.size &&
    [...one.files].every(([name, text]) => other.files.get(name) === text);
}
