/** How two lines differ, in words that tell what cannot be seen. */

import { quoted } from "../../../core/printable.ts";

/** Characters of a line that are quoted. */
const QUOTED = 120;
/** Characters quoted from where two lines part. */
const PARTED = 40;

/** Whether the line of `old` is one from its beginning, and to its end. */
export interface Edges {
  readonly begins: boolean;
  readonly ends: boolean;
}

/**
 * What the file's line has that `old` has not, and the other way round; empty where nothing is to be said. Blanks
 * are counted, since they look alike; so do letters in two compositions, and the many quotes and dashes.
 */
export function describeDifference(file: string, old: string, { begins, ends }: Edges): string {
  const [ours, theirs] = [(begins ? file : fromSameWord(file, old)).trim(), old.trim()];
  // The same between their blanks: then the blanks are it.
  const same = ours === theirs;
  const parts = [
    begins || same ? blanks("indentation", leading(file), leading(old)) : "",
    inside(ours, theirs),
    // A line of blanks begins and ends with the same ones.
    (ends || same) && ours !== ""
      ? blanks("the end of the line", trailing(file), trailing(old))
      : "",
  ];
  return parts.filter((part) => part !== "").join("; ");
}

/** A line as messages show it. */
export function quotedLine(line: string): string {
  return quoted(line, QUOTED);
}

/** The file's line from where it may begin to be that of `old`, which may begin in the middle of it. */
function fromSameWord(file: string, old: string): string {
  const word = /[\p{L}\p{N}_]+|\S/u.exec(old)?.[0] ?? "";
  return file.slice(Math.max(0, file.indexOf(word)));
}

function leading(line: string): string {
  return line.slice(0, line.length - line.trimStart().length);
}

function trailing(line: string): string {
  return line.slice(line.trimEnd().length);
}

function blanks(where: string, file: string, old: string): string {
  return file === old
    ? ""
    : `${where}: the file has ${countBlanks(file)}, old has ${countBlanks(old)}`;
}

/** `2 tabs, then 1 space`. */
function countBlanks(text: string): string {
  const runs = text.match(/(\s)\1*/g) ?? [];
  if (runs.length === 0) return "no blanks";
  const said = runs.slice(0, 4).map((run) => `${run.length} ${nameOf(run)}`);
  return said.join(", then ") + (runs.length > 4 ? ", …" : "");
}

function nameOf(run: string): string {
  const name = NAMES.get(run.charAt(0)) ??
    `U+${run.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
  return run.length === 1 ? name : `${name}s`;
}

const NAMES: ReadonlyMap<string, string> = new Map([
  [" ", "space"],
  ["\t", "tab"],
  ["\r", "carriage return"],
  ["\u00a0", "no-break space"],
]);

function inside(file: string, old: string): string {
  if (file === old) return "";
  const at = commonStart(file, old);
  const part = (text: string): string =>
    at >= text.length ? "nothing more" : quoted(text.slice(at), PARTED);
  const where = at === 0
    ? ""
    : `after ${quoted(file.slice(Math.max(0, at - PARTED), at).toWellFormed())} `;
  const parted = `${where}the file has ${part(file)}, old has ${part(old)}`;
  const kind = kindOf(file, old);
  return kind === null ? parted : `${kind}: ${parted}`;
}

/** What makes the two the same for a reader; null where nothing does. */
function kindOf(file: string, old: string): string | null {
  const same = (change: (text: string) => string): boolean => change(file) === change(old);
  if (file.includes("\ufffd") && !old.includes("\ufffd")) {
    return "the file has bytes there that are not in its encoding (name it with encoding)";
  }
  if (same((text) => text.replaceAll(/\s+/g, ""))) return "blanks inside the line";
  if (same((text) => text.toLowerCase())) return "upper and lower case";
  if (same((text) => text.normalize("NFC"))) return "the same letters composed in two ways";
  if (same(plainPunctuation)) return "quotes, dashes or spaces that look alike";
  return null;
}

/** General punctuation of Unicode that is taken for ASCII. */
function plainPunctuation(text: string): string {
  return text.replaceAll(/[\u2018\u2019\u201a\u201b\u2032]/g, "'")
    .replaceAll(/[\u201c\u201d\u201e\u201f\u2033]/g, '"')
    .replaceAll(/[\u2010-\u2015\u2212]/g, "-")
    .replaceAll("\u2026", "...")
    .replaceAll(/[\u200b\ufeff]/g, "")
    .replaceAll(/[\u00a0\u2000-\u200a\u202f]/g, " ");
}

/** Length of what both begin with, whole characters only. */
function commonStart(a: string, b: string): number {
  const room = Math.min(a.length, b.length);
  let at = 0;
  while (at < room && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  return at > 0 && /[\ud800-\udbff]/.test(a.charAt(at - 1)) ? at - 1 : at;
}
