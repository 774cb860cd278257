/** One hunk of a unified diff (POSIX `diff`, "Diff -u Output Format"), with the slips that people and models make. */

import type { Hunk, PatchLine } from "./_model.ts";
import { patchError } from "./_error.ts";

/** Numbers of more digits are no lines, and beyond 2^53 no longer exact. */
const HEADER = /^@@ -(\d{1,12})(?:,(\d{1,12}))? \+(\d{1,12})(?:,(\d{1,12}))? @@/;

/** Blank lines of context that a patch may have lost at its very end: as many as `patch` makes up for. */
const CHOPPED = 2;

/** Whether a hunk begins here. */
export function isHunkHeader(line: string | undefined): boolean {
  return line !== undefined && /^@@(?!@)/.test(line);
}

/** Whether a file's header begins here. */
export function isFileHeader(lines: readonly string[], at: number): boolean {
  const [old = "", now = ""] = [lines[at], lines[at + 1]];
  return /^--- ./.test(old) && /^\+\+\+ ./.test(now);
}

/**
 * Reads the hunk whose header is `lines[at]`. Where the header's counts are not those of the lines, the lines
 * count. Throws PATCH_FAILED.
 */
export function readHunk(
  lines: readonly string[],
  at: number,
): { readonly hunk: Hunk; readonly next: number } {
  const header = lines[at] ?? "";
  const numbers = HEADER.exec(header);
  if (numbers === null && /^@@ -\d/.test(header)) {
    throw patchError(at + 1, "this is no header of a hunk: @@ -line,count +line,count @@");
  }
  const counted = numbers === null
    ? null
    : readCounted(lines, at + 1, Number(numbers[2] ?? 1), Number(numbers[4] ?? 1));
  const { body, next } = counted ?? readAll(lines, at + 1);
  if (!body.some(({ sign }) => sign !== " ")) {
    throw patchError(at + 1, "this hunk changes nothing: it has no line that begins with + or -");
  }
  const anchor = numbers === null ? /^@@ ?(.*?)(?: @@)?$/.exec(header)?.[1] ?? "" : "";
  return {
    next,
    hunk: {
      header: numbers?.[0] ?? header,
      patchLine: at + 1,
      oldStart: numbers === null ? null : Number(numbers[1]),
      anchors: anchor.trim() === "" || /^(?:\.{3}|…)/.test(anchor) ? [] : [anchor],
      atEnd: false,
      recounted: numbers !== null && counted === null,
      lines: body,
    },
  };
}

interface Body {
  readonly body: readonly PatchLine[];
  readonly next: number;
}

/** As many lines as the header says; null where there are fewer, or where more follow. */
function readCounted(
  lines: readonly string[],
  from: number,
  oldCount: number,
  newCount: number,
): Body | null {
  const body: PatchLine[] = [];
  let [old, now, at] = [oldCount, newCount, from];
  while (old > 0 || now > 0) {
    const raw = lines[at];
    if (raw === undefined && old === now && old <= CHOPPED) {
      for (; old > 0; old--) body.push({ sign: " ", text: "", ended: true });
      return { body, next: at };
    }
    const line = raw === undefined ? null : readLine(raw);
    if (line === null) return null;
    at++;
    if (line === "unended") {
      if (!endWithoutLineEnd(body)) return null;
      continue;
    }
    if (line.sign !== "+" && --old < 0) return null;
    if (line.sign !== "-" && --now < 0) return null;
    body.push(line);
  }
  if (lines[at]?.startsWith("\\ ") && endWithoutLineEnd(body)) at++;
  return isMore(lines, at) ? null : { body, next: at };
}

/** Whether what stands behind a hunk looks like more of it: neither blank nor a rule, a signature, a header. */
function isMore(lines: readonly string[], at: number): boolean {
  const line = lines[at] ?? "";
  return /^(?:[+-]| \s*\S)/.test(line) && !/^-{3,}$/.test(line) && !isSignature(lines, at) &&
    !isFileHeader(lines, at);
}

/** All lines up to what cannot be one of a hunk, blank ones at the end left out. */
function readAll(lines: readonly string[], from: number): Body {
  const body: PatchLine[] = [];
  let at = from;
  for (let raw = lines[at]; raw !== undefined; raw = lines[++at]) {
    if (isSignature(lines, at) || (isFileHeader(lines, at) && isHunkHeader(lines[at + 2]))) break;
    const line = readLine(raw);
    if (line === null || (line === "unended" && !endWithoutLineEnd(body))) break;
    if (line !== "unended") body.push(line);
  }
  let next = at;
  while (body.length > 0 && lines[next - 1] === "") {
    body.pop();
    next--;
  }
  return { body, next: at };
}

/** The line before the signature of a mail that `git format-patch` made: Git's version. */
function isSignature(lines: readonly string[], at: number): boolean {
  return /^-- ?$/.test(lines[at] ?? "") && /^\d+\.\d+/.test(lines[at + 1] ?? "");
}

/** Null for what is no line of a hunk. A context line may have lost its one space, as `patch` allows. */
function readLine(raw: string): PatchLine | "unended" | null {
  switch (raw[0]) {
    case " ":
    case "-":
    case "+":
      return { sign: raw[0], text: raw.slice(1), ended: true };
    case "\\":
      return raw[1] === " " ? "unended" : null;
    case undefined:
    case "\t":
    case "\r":
      return { sign: " ", text: raw, ended: true };
    default:
      return null;
  }
}

/** Marks the last line as one without line end; false where there is none. */
function endWithoutLineEnd(body: PatchLine[]): boolean {
  const last = body.pop();
  if (last === undefined) return false;
  body.push({ ...last, ended: false });
  return true;
}
