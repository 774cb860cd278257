/** The refusal of a patch that does not fit: every hunk of every file, with what it takes to mend it. */

import { ToolError } from "../../../core/errors.ts";
import { printable } from "../../../core/printable.ts";
import { closestPassage } from "../edit/closest_passage.ts";
import { linesOf } from "../edit/compare_passage.ts";
import { describeDifference, quotedLine } from "../edit/difference.ts";
import type { Misfit } from "./apply.ts";

/** One thing that does not fit. */
export interface PatchFailure {
  /** As results show it. */
  readonly file: string;
  readonly problem: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Failures that the message has in words; `details` has all. */
const MAX_TOLD = 5;
/** Characters of a line in `details`. */
const LONGEST = 500;
/** Share of equal lines from which the place that the hunk names is taken for the one that is meant. */
const ALIKE = 0.5;

/** PATCH_FAILED; `details.failures`: one for each hunk, or for each file that cannot be changed at all. */
export function patchFailed(failures: readonly PatchFailure[]): ToolError {
  const told = failures.slice(0, MAX_TOLD).map(({ file, problem }) =>
    `${printable(file)}: ${problem}`
  );
  const rest = failures.length - told.length;
  const more = rest > 0 ? `; and ${rest} more, in details` : "";
  return new ToolError("PATCH_FAILED", `nothing was written. ${told.join("; ")}${more}`, {
    details: {
      failures: failures.map(({ file, problem, details }) => ({ file, problem, ...details })),
    },
  });
}

/** `isApplied`: the file is as the patch would leave it. */
export function describeMisfit(file: string, misfit: Misfit, isApplied: boolean): PatchFailure {
  const { hunk, number, line, found } = misfit;
  const name = `hunk ${number} (line ${hunk.patchLine} of the patch)`;
  const base = { hunk: number, patch_line: hunk.patchLine, expected_line: line };
  if (isApplied) {
    const problem = `${name} was applied before: the file is as it would leave it`;
    return { file, problem, details: { ...base, applied_before: true } };
  }
  if (found !== null && "several" in found) {
    const { several: lines } = found;
    const problem =
      `${name} fits at lines ${lines.join(", ")}; give it more lines of context, or ` +
      "an @@ line with a line that stands before the right place";
    return { file, problem, details: { ...base, lines } };
  }
  if (found !== null && found.missing === "anchor") {
    const problem = `${name}: no line from ${line} on is ${
      quotedLine(found.anchor)
    }, as its @@ line says`;
    return { file, problem, details: { ...base, anchor: found.anchor.slice(0, LONGEST) } };
  }
  const { words, details } = describePlace(misfit);
  return { file, problem: `${name} ${words}`, details: { ...base, ...details } };
}

function describePlace({ hunk, line: expected, found, view }: Misfit): {
  readonly words: string;
  readonly details: Readonly<Record<string, unknown>>;
} {
  const old = hunk.lines.filter(({ sign }) => sign !== "+");
  const wanted = old.map(({ text }) => withoutReturn(text));
  const texts = view.texts();
  if (wanted.length === 0) {
    const words = `adds lines behind line ${expected - 1}, but the file has ${texts.length}`;
    return { words, details: { line: null, lines: texts.length } };
  }
  const where = found === null
    ? `was expected at line ${expected}`
    : `was sought from line ${expected} on`;
  const start = nearestPlace(texts, expected, wanted);
  if (start === null) {
    const [first = ""] = wanted;
    return {
      words: `${where}, and nothing in the file is like its first line, ${quotedLine(first)}`,
      details: { line: null, patch_has: first.slice(0, LONGEST), file_has: null },
    };
  }
  const place = start + 1 === expected ? where : `${where}; the nearest to it is line ${start + 1}`;
  const at = wanted.findIndex((text, index) => texts[start + index] !== text);
  const [patchHas = "", fileHas] = [wanted[at], texts[start + at]];
  const line = start + 1 + at;
  const details = {
    line,
    nearest_line: start + 1,
    patch_has: patchHas.slice(0, LONGEST),
    file_has: fileHas?.slice(0, LONGEST) ?? null,
  };
  if (at >= 0) {
    return { words: `${place}, but ${howLineDiffers(line, fileHas, patchHas)}`, details };
  }
  const odd = old.find((one, index) => view.keyOf(one) !== view.keys[start + index]);
  if (odd === undefined) {
    const words = `${where}; its lines stand at line ${start + 1}, but it cannot go there: hunks ` +
      "come in the order of the file and share no lines, and one with less context at one end belongs to that " +
      "end of the file";
    return { words, details: { line: null, nearest_line: start + 1 } };
  }
  const index = old.indexOf(odd);
  const ends = howEndsDiffer(view.keys[start + index] ?? "", view.keyOf(odd));
  return {
    words: `${place}, but line ${start + 1 + index} has another line end: ${ends}`,
    details: { ...details, line: start + 1 + index, patch_has: odd.text, file_has: odd.text },
  };
}

function howLineDiffers(line: number, fileHas: string | undefined, patchHas: string): string {
  if (fileHas === undefined) {
    return `the file ends before line ${line}, which is ${quotedLine(patchHas)} in the patch`;
  }
  const how = describeDifference(fileHas, patchHas, { begins: true, ends: true });
  return `line ${line} is ${quotedLine(fileHas)} where the old lines of the hunk have ` +
    `${quotedLine(patchHas)}${how === "" ? "" : ` (${how})`}`;
}

function howEndsDiffer(inFile: string, inPatch: string): string {
  const ends = `${endOf(inFile)} in the file, ${endOf(inPatch)} in the patch`;
  const mark = '"\\ No newline at end of file"';
  if (endOf(inFile) === "none") return `${ends}; write ${mark} behind it`;
  return endOf(inPatch) === "none" ? `${ends}; leave out ${mark} behind it` : ends;
}

function endOf(key: string): string {
  return key.endsWith("\n") ? "none" : key.endsWith("\r") ? "CR LF" : "LF";
}

/** Index of the line where the old lines seem to begin: as expected where they are much like it, else where most are. */
function nearestPlace(
  texts: readonly string[],
  expected: number,
  wanted: readonly string[],
): number | null {
  const telling = wanted.filter((text) => text.trim() !== "").length;
  const alike = (start: number): number =>
    wanted.filter((text, index) => text.trim() !== "" && texts[start + index] === text).length;
  const own = Math.max(0, expected - 1);
  if (alike(own) >= telling * ALIKE && own < texts.length) return own;
  const closest = closestPassage(linesOf(texts.join("\n")), wanted)?.from ?? null;
  if (closest !== null && alike(closest) >= alike(own)) return closest;
  return alike(own) > 0 || (closest === null && own < texts.length && telling === 0)
    ? own
    : closest;
}

function withoutReturn(text: string): string {
  return text.endsWith("\r") ? text.slice(0, -1) : text;
}
