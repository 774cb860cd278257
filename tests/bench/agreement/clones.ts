/** Code that stands twice, beside jscpd. */

import { join } from "@std/path";
import { type Ask, compared, printed, sourcesOf } from "./_compared.ts";
import type { Agreement } from "./profiles.ts";

/**
 * Words that a finding of jscpd has at least, and those of ours that it is looked for among: the two part texts into words
 * each in its own way (jscpd counts spaces and signs of strings).
 */
const FOUND = 100;
const AMONG = 20;

/** Words of what is called a copy here, and held against its own text. */
const COPIED = 50;

interface Place {
  readonly file: string;
  readonly line: number;
  readonly end_line: number;
}

interface Group {
  readonly kind: string;
  readonly places: readonly Place[];
}

/** Lines that jscpd has, among ours; and copies of ours, word for word. Nothing where there is no source, or no jscpd. */
export function clones(ask: Ask): readonly Agreement[] {
  const root = sourcesOf("javascript");
  const theirs = root === null ? null : foundThere(root, FOUND);
  if (root === null || theirs === null) return [];
  const all = new Set(linesOf(groupsOf(ask, root, AMONG).flatMap(({ places }) => places)));
  const copies = groupsOf(ask, root, COPIED).filter(({ kind }) => kind === "exact");
  const same = copies.filter(({ places }) => isCopied(root, places));
  const names = (groups: readonly Group[]) => groups.map(({ places }) => JSON.stringify(places[0]));
  return [
    compared(
      "repeated lines of JavaScript",
      "jscpd",
      theirs,
      theirs.filter((line) => all.has(line)),
    ),
    compared("copies in JavaScript", "their own texts", names(copies), names(same)),
  ];
}

function groupsOf(ask: Ask, root: string, tokens: number): readonly Group[] {
  const { groups } = ask(root, "find_similar_code", { min_tokens: tokens, max_results: 100_000 });
  return groups as readonly Group[];
}

/** Whether the lines within all places are the same but for spaces and comments. */
function isCopied(root: string, places: readonly Place[]): boolean {
  const texts = places.map(({ file, line, end_line }) =>
    Deno.readTextFileSync(join(root, file)).split("\n").slice(line, end_line - 1).join("\n")
      .replaceAll(/\/\*[^]*?\*\/|(^|\s)\/\/.*$/gm, "").replaceAll(/\s+/g, "")
  );
  const shortest = texts.toSorted((a, b) => a.length - b.length)[0] ?? "";
  // A place may begin and end within a line.
  const inner = shortest.slice(20, -20);
  return texts.every((text) => text.includes(inner));
}

function linesOf(places: readonly Place[]): readonly string[] {
  // The first and the last may be but begun.
  const lines = places.flatMap(({ file, line, end_line }) =>
    Array.from({ length: Math.max(0, end_line - line - 1) }, (_, at) => `${file}:${line + 1 + at}`)
  );
  return [...new Set(lines)];
}

interface Duplicate {
  readonly firstFile: { readonly name: string; readonly start: number; readonly end: number };
  readonly secondFile: { readonly name: string; readonly start: number; readonly end: number };
}

function foundThere(root: string, tokens: number): readonly string[] | null {
  const folder = Deno.makeTempDirSync({ prefix: "toolgate-bench-" });
  try {
    const output = ["--reporters", "json", "--output", folder, "--silent"];
    const limits = ["--min-tokens", `${tokens}`, "--min-lines", "1", "--mode", "weak"];
    if (printed("jscpd", [...limits, ...output, "."], root) === null) return null;
    const text = Deno.readTextFileSync(join(folder, "jscpd-report.json"));
    const { duplicates } = JSON.parse(text) as { readonly duplicates: readonly Duplicate[] };
    return linesOf(
      duplicates.flatMap(({ firstFile, secondFile }) =>
        [firstFile, secondFile].map(({ name, start, end }) => ({
          file: name,
          line: start,
          end_line: end,
        }))
      ),
    );
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}
