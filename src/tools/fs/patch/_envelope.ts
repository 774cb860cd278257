/** Patches in the envelope that some models are trained on: `*** Begin Patch`, files by name, hunks by content. */

import { patchError } from "./_error.ts";
import type { FilePatch, Hunk, PatchLine } from "./_model.ts";

const BEGIN = /^\*\*\* Begin Patch\s*$/;
const END = /^\*\*\* End Patch\s*$/;
const FILE = /^\*\*\* (Add|Update|Delete) File: (.+?)\s*$/;
const MOVE = /^\*\*\* Move to: (.+?)\s*$/;
const END_OF_FILE = /^\*\*\* End of File\s*$/;

/** Whether the patch is in an envelope: one of its lines is `*** Begin Patch`. */
export function isEnvelope(lines: readonly string[]): boolean {
  return lines.some((line) => BEGIN.test(line));
}

/** Throws PATCH_FAILED that names the line of the patch. */
export function parseEnvelope(lines: readonly string[]): readonly FilePatch[] {
  const patches: FilePatch[] = [];
  let at = lines.findIndex((line) => BEGIN.test(line)) + 1;
  const isEnd = (line: string | undefined) => line === undefined || END.test(line);
  // Each file's part builds on those before it.
  for (let stage = 0; !isEnd(lines[at]); stage++) {
    const [, action, path] = FILE.exec(lines[at] ?? "") ?? [];
    if (action === undefined || path === undefined) {
      if ((lines[at] ?? "").trim() === "") {
        at++;
        continue;
      }
      throw patchError(
        at + 1,
        "expected *** Add File: path, *** Update File: path, *** Delete File: path or *** End Patch",
      );
    }
    const start = at++;
    while (!isEnd(lines[at]) && !FILE.test(lines[at] ?? "")) at++;
    patches.push({ ...readFile(action, path, lines, start, at), stage });
  }
  if (patches.length === 0) throw patchError(at + 1, "the envelope names no file");
  return patches;
}

function readFile(
  action: string,
  path: string,
  lines: readonly string[],
  start: number,
  end: number,
): Omit<FilePatch, "stage"> {
  if (action === "Delete") {
    const rest = lines.slice(start + 1, end).findIndex((line) => line.trim() !== "");
    if (rest >= 0) throw patchError(start + rest + 2, "*** Delete File takes no lines");
    return { kind: "remove", from: path, to: path, hunks: [] };
  }
  if (action === "Add") {
    const added = lines.slice(start + 1, end);
    while (added.at(-1)?.trim() === "") added.pop();
    const wrong = added.findIndex((line) => !line.startsWith("+"));
    if (wrong >= 0) throw patchError(start + wrong + 2, "lines of an added file begin with +");
    const body = added.map((line): PatchLine => ({ sign: "+", text: line.slice(1), ended: true }));
    const hunks = body.length === 0 ? [] : [{ ...hunkAt(lines, start), oldStart: 0, lines: body }];
    return { kind: "add", from: path, to: path, hunks };
  }
  const to = MOVE.exec(lines[start + 1] ?? "")?.[1];
  const hunks = readHunks(lines, to === undefined ? start + 1 : start + 2, end);
  if (to === undefined && hunks.length === 0) {
    throw patchError(start + 1, "*** Update File without a change: lines that begin with + or -");
  }
  return to === undefined || to === path
    ? { kind: "modify", from: path, to: path, hunks }
    : { kind: "move", from: path, to, hunks };
}

/** Hunks are parted by lines that begin with `@@`; several of those in a row lead to the place step by step. */
function readHunks(lines: readonly string[], from: number, end: number): readonly Hunk[] {
  const hunks: Hunk[] = [];
  let at = from;
  while (at < end) {
    const start = at;
    const anchors: string[] = [];
    for (; at < end && lines[at]?.startsWith("@@"); at++) {
      const anchor = (lines[at] ?? "").slice(2).replace(/ @@$/, "").replace(/^ /, "");
      if (anchor.trim() !== "") anchors.push(anchor);
    }
    const body: PatchLine[] = [];
    for (; at < end && !lines[at]?.startsWith("@@") && !END_OF_FILE.test(lines[at] ?? ""); at++) {
      body.push(readLine(lines, at));
    }
    const atEnd = at < end && END_OF_FILE.test(lines[at] ?? "");
    if (atEnd) at++;
    if (!body.some(({ sign }) => sign !== " ")) {
      if (body.every(({ text }) => text.trim() === "") && anchors.length === 0) continue;
      throw patchError(
        start + 1,
        "this hunk changes nothing: it has no line that begins with + or -",
      );
    }
    hunks.push({ ...hunkAt(lines, start), anchors, atEnd, lines: withoutBlankEnd(body, atEnd) });
  }
  return hunks;
}

function readLine(lines: readonly string[], at: number): PatchLine {
  const raw = lines[at] ?? "";
  const sign = raw[0];
  if (sign === " " || sign === "+" || sign === "-") {
    return { sign, text: raw.slice(1), ended: true };
  }
  if (raw === "") return { sign: " ", text: "", ended: true };
  throw patchError(at + 1, "lines of a hunk begin with a space, - or +");
}

/** Lines quite empty at a hunk's end part it from the next, and are no context. */
function withoutBlankEnd(body: readonly PatchLine[], atEnd: boolean): readonly PatchLine[] {
  let end = body.length;
  while (!atEnd && body[end - 1]?.sign === " " && body[end - 1]?.text === "") end--;
  return body.slice(0, end);
}

function hunkAt(lines: readonly string[], start: number): Omit<Hunk, "lines"> {
  return {
    header: lines[start] ?? "",
    patchLine: start + 1,
    oldStart: null,
    anchors: [],
    atEnd: false,
    recounted: false,
  };
}
