/** Exact replacements in a text file, made on its bytes. */

import { ToolError } from "../../../core/errors.ts";
import type { Edit } from "./edit_arguments.ts";
import { finderOf, occurrences } from "./_find_text.ts";
import {
  endedLines,
  type LineEnd,
  pairedLineEnds,
  type Unified,
  unify,
} from "../../../toolkit/line_ends.ts";
import { notFound } from "./_not_found.ts";
import type { TextFile } from "./text_file.ts";

/** A body after its edits. */
export interface Replaced {
  readonly body: Uint8Array;
  readonly replacements: number;
  /** On which lines the first of the last edit's places begin, from 1. */
  readonly lines: readonly number[];
}

/** Places that are told of at most. */
const SHOWN_LINES = 10;

/** Replacements between two looks at whether the call is to end. */
const PAUSE = 4096;

/** What errors and limits of replacements need to know. */
export interface ReplaceOptions {
  /** The file, as results show it. */
  readonly path: string;
  /** Bytes that the body may have at most. */
  readonly limit: number;
  readonly checkpoint: () => void;
  /** How the arguments of an edit are named in errors: `edits[0].` */
  readonly prefix: (index: number) => string;
}

/**
 * Makes the edits one after the other, each on what those before it left. In `old`, `\n` stands for whatever line
 * end the file has there, and so it does in `new`, whose lines end as those they replace; where `old` holds a `\r`
 * and is found as it is, both are taken as they are. Throws TEXT_NOT_FOUND, TEXT_NOT_UNIQUE, FILE_TOO_LARGE and
 * INVALID_ENCODING; the `details` of the first two name the edit by its index.
 */
export function applyEdits(
  file: TextFile,
  edits: readonly Edit[],
  options: ReplaceOptions,
): Replaced {
  let { body } = file;
  let replacements = 0;
  let lines: readonly number[] = [];
  for (const [index, edit] of edits.entries()) {
    options.checkpoint();
    const made = applyEdit({ ...file, body }, edit, index, options);
    if (made === null) throw notFound({ original: file, body, edits, index, ...options });
    body = made.body;
    replacements += made.replacements;
    lines = made.lines;
  }
  return { body, replacements, lines };
}

/**
 * The body of the file with other content, in its encoding. Lines that end with `\n` alone end as those they
 * replace; content that holds a `\r` is taken as it is. Throws INVALID_ENCODING.
 */
export function replaceWhole(file: TextFile, content: string): Uint8Array {
  const units = file.codec.units(file.body);
  const edit = { old: "", new: content, replaceAll: false };
  return replacementFor(file, edit, locate(units, ""))(0, units.length, 0);
}

/** Null where there is no such text. */
function applyEdit(
  file: TextFile,
  edit: Edit,
  index: number,
  options: ReplaceOptions,
): Replaced | null {
  const { codec, body } = file;
  const prefix = options.prefix(index);
  const places = locate(codec.units(body), codec.units(codec.encode(edit.old, `${prefix}old`)));
  const { text, wanted } = places;
  const first = finderOf(wanted)(text, 0);
  if (first < 0) return null;
  if (!edit.replaceAll) requireOnlyOne(text, wanted, first, prefix, index);
  const replacement = replacementFor(file, edit, places, `${prefix}new`);
  const sink = createSink(options);
  const lines: number[] = [];
  let from = 0;
  let line = 1;
  let counted = 0;
  let replacements = 0;
  for (const at of edit.replaceAll ? occurrences(text, wanted) : [first]) {
    const start = places.toUnits(at);
    const end = places.toUnits(at + wanted.length);
    sink.add(body.subarray(from * codec.width, start * codec.width));
    sink.add(replacement(start, end, at + wanted.length));
    from = end;
    if (lines.length < SHOWN_LINES) {
      line += countBreaks(text, counted, at);
      counted = at;
      lines.push(line);
    }
    if (++replacements % PAUSE === 0) options.checkpoint();
  }
  sink.add(body.subarray(from * codec.width));
  return { body: sink.bytes(), replacements, lines };
}

/** Where to look for what. */
interface Places extends Pick<Unified, "text" | "endNear"> {
  readonly units: string;
  readonly wanted: string;
  readonly toUnits: (index: number) => number;
  /** Both texts as they are, `\r` included. */
  readonly literal: boolean;
}

function locate(units: string, old: string): Places {
  if (old.includes("\r") && finderOf(old)(units, 0) >= 0) {
    const same = (index: number): number => index;
    const endNear = (): LineEnd => "\n";
    return { units, text: units, wanted: old, toUnits: same, endNear, literal: true };
  }
  const { text, toOriginal, endNear } = unify(units);
  const wanted = old.replaceAll("\r\n", "\n");
  return { units, text, wanted, toUnits: toOriginal, endNear, literal: false };
}

/** The bytes that replace the units from `start` to `end`, `behind` being the index behind them in `text`. */
function replacementFor(
  { codec }: TextFile,
  edit: Edit,
  { units, literal, endNear }: Places,
  argument = "content",
): (start: number, end: number, behind: number) => Uint8Array {
  const asked = edit.old.includes("\r") ? edit.new.replaceAll("\r\n", "\n") : edit.new;
  const asIs = codec.encode(literal ? edit.new : asked, argument);
  if (literal || asked.includes("\r") || !asked.includes("\n") || !units.includes("\r\n")) {
    return () => asIs;
  }
  const long = codec.encode(asked.replaceAll("\n", "\r\n"));
  return (start, end, behind) => {
    const old = endedLines(units.slice(start, end));
    const near = old[0]?.end ?? endNear(behind);
    if (old.every((line) => line.end === near)) return near === "\n" ? asIs : long;
    const lines = asked.split("\n");
    const plain = codec.units(asIs).split("\n").slice(0, -1);
    const ends = pairedLineEnds(plain, old);
    return codec.encode(lines.map((line, at) => line + (ends[at] ?? "")).join(""));
  };
}

/** An overlap counts as another place: which of the two is meant cannot be known. */
function requireOnlyOne(
  text: string,
  wanted: string,
  first: number,
  prefix: string,
  edit: number,
): void {
  const second = finderOf(wanted)(text, first + 1);
  if (second < 0) return;
  const lines: number[] = [];
  let count = 0;
  let line = 1;
  let counted = 0;
  for (const at of second < first + wanted.length ? [first, second] : occurrences(text, wanted)) {
    count++;
    if (lines.length === SHOWN_LINES) continue;
    line += countBreaks(text, counted, at);
    counted = at;
    lines.push(line);
  }
  const all = prefix === "" ? "" : `, or set ${prefix}replace_all: true`;
  throw new ToolError(
    "TEXT_NOT_UNIQUE",
    `${prefix}old is there ${count} times, on lines ${lines.join(", ")}${
      count > lines.length ? ", …" : ""
    }; nothing was written. Add lines around it until only one place fits${all}`,
    { details: { edit, lines, count } },
  );
}

function countBreaks(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf("\n", from); at >= 0 && at < to; at = text.indexOf("\n", at + 1)) {
    count++;
  }
  return count;
}

/** Collects bytes; throws FILE_TOO_LARGE as soon as they are more than may be written. */
function createSink({ path, limit }: ReplaceOptions): {
  add(bytes: Uint8Array): void;
  bytes(): Uint8Array;
} {
  let kept = new Uint8Array(1024);
  let length = 0;
  return {
    add(bytes) {
      const total = length + bytes.length;
      if (total > limit) throw tooLarge(path, total, limit);
      if (total > kept.length) {
        const larger = new Uint8Array(Math.max(total, 2 * kept.length));
        larger.set(kept.subarray(0, length));
        kept = larger;
      }
      kept.set(bytes, length);
      length = total;
    },
    bytes: () => kept.subarray(0, length),
  };
}

function tooLarge(path: string, size: number, limit: number): ToolError {
  return new ToolError(
    "FILE_TOO_LARGE",
    `${path} would have ${size} bytes or more; the policy lets ${limit} be written at once`,
    { details: { size, limit } },
  );
}
