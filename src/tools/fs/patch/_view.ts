/** A file's lines as hunks are compared with them, and the way back to bytes: lines that stay keep every byte. */

import { joinedBytes } from "../../../core/bytes.ts";
import { ToolError } from "../../../core/errors.ts";
import { firstInvalidByte } from "../../../core/utf8.ts";
import type { LineEnd } from "../../../toolkit/line_ends.ts";
import type { PatchLine } from "./_model.ts";
import { type Codec, codecOf, openText, type TextFile, withBody } from "../edit/text_file.ts";

/** A line of the result: one of the file's by its index, or one that is added beside the file's line `near`. */
export type Piece = number | { readonly line: PatchLine; readonly near: number };

/** One way to read the file. */
export interface TextView {
  /**
   * What each line is compared by: its units without the line end. One that has no end has `\n` behind it, which
   * no other has.
   */
  readonly keys: readonly string[];
  readonly codec: Codec;
  keyOf(line: PatchLine): string;
  /** The lines as text, without their ends; U+FFFD for what is none. */
  texts(): readonly string[];
  render(pieces: readonly Piece[]): Uint8Array;
}

const MARK = "\ufeff";

/**
 * The ways in which a patch with these lines may have been meant, to be tried one after the other: in the file's
 * encoding, its line ends as they are or, where file and patch have other ones throughout, as the file has them.
 * Throws as `openText`.
 */
export function viewsOf(
  path: string,
  bytes: Uint8Array,
  patch: readonly PatchLine[],
): readonly TextView[] {
  const opened = openText(path, bytes);
  // Readers are not shown the mark: patches mean it only where they have it.
  const isMeant = patch.some(({ sign, text }) => sign !== "+" && text.startsWith(MARK));
  const file = isMeant ? { ...opened, mark: bytes.slice(0, 0), body: bytes } : opened;
  return codecsOf(file, patch).flatMap((codec) => {
    const lines = splitLines(codec, file.body);
    return lineEndsOf(lines, patch).map((ends) => createView({ ...file, codec }, lines, ends));
  });
}

/** Bytes that are no UTF-8 are most often windows-1252, which readers call latin1. */
function codecsOf({ codec, body }: TextFile, patch: readonly PatchLine[]): readonly Codec[] {
  // deno-lint-ignore no-control-regex -- ASCII is what all encodings share
  const isPlain = patch.every(({ text }) => /^[\x00-\x7f]*$/.test(text));
  if (isPlain || codec.encoding !== "utf-8" || firstInvalidByte(body) === body.length) {
    return [codec];
  }
  const single = codecOf("windows-1252");
  return patch.every(({ text }) => canEncode(single, text)) ? [codec, single] : [codec];
}

function canEncode(codec: Codec, text: string): boolean {
  try {
    codec.encode(text);
    return true;
  } catch (error) {
    if (error instanceof ToolError) return false;
    throw error;
  }
}

interface SplitLines {
  readonly units: string;
  /** Offsets in units where lines begin, and the length. */
  readonly starts: Uint32Array;
}

function splitLines(codec: Codec, body: Uint8Array): SplitLines {
  const units = codec.units(body);
  const starts = [0];
  for (let at = units.indexOf("\n"); at >= 0; at = units.indexOf("\n", at + 1)) starts.push(at + 1);
  if (starts.at(-1) !== units.length) starts.push(units.length);
  return { units, starts: Uint32Array.from(starts) };
}

/** `as-is`: a carriage return is a character like any other. `loose`: it belongs to the line end. */
type LineEnds = "as-is" | "loose";

function lineEndsOf(
  { units, starts }: SplitLines,
  patch: readonly PatchLine[],
): readonly LineEnds[] {
  const long = starts.reduce(
    (count, start) => units.startsWith("\r\n", start - 2) && start >= 2 ? count + 1 : count,
    0,
  );
  const ended = starts.length - 1 - (units === "" || units.endsWith("\n") ? 0 : 1);
  const patchLong = patch.filter(({ text }) => text.endsWith("\r")).length;
  const isSole = patchLong === 0 || patchLong === patch.length;
  if (ended === 0 || patch.length === 0 || !isSole) return ["as-is"];
  if (long > 0 && long < ended) return ["as-is", "loose"];
  return [(long > 0) === (patchLong > 0) ? "as-is" : "loose"];
}

function createView(file: TextFile, lines: SplitLines, ends: LineEnds): TextView {
  const { codec, body } = file;
  const { units, starts } = lines;
  const count = starts.length - 1;
  const startOf = (index: number): number => starts[Math.min(index, count)] ?? units.length;
  const isEnded = (index: number): boolean => units[startOf(index + 1) - 1] === "\n";
  const withoutReturn = (text: string): string =>
    ends === "loose" && text.endsWith("\r") ? text.slice(0, -1) : text;
  const keys = Array.from({ length: count }, (_, index) => {
    const [from, to] = [startOf(index), startOf(index + 1)];
    return isEnded(index) ? withoutReturn(units.slice(from, to - 1)) : `${units.slice(from, to)}\n`;
  });
  const bytesOf = (from: number, to: number): Uint8Array =>
    body.subarray(startOf(from) * codec.width, startOf(to) * codec.width);
  const endNear = (index: number): LineEnd => {
    for (const near of [index, index + 1, 0]) {
      const end = startOf(near + 1);
      if (near >= 0 && near < count && isEnded(near)) {
        return units.startsWith("\r\n", end - 2) ? "\r\n" : "\n";
      }
    }
    return "\n";
  };
  let texts: readonly string[] | null = null;
  const addedLine = ({ text, ended }: PatchLine, near: number): string => {
    if (!ended) return withoutReturn(text);
    return ends === "loose" ? withoutReturn(text) + endNear(near) : `${text}\n`;
  };

  return {
    keys,
    codec,
    keyOf: ({ text, ended }) =>
      codec.units(codec.encode(ended ? withoutReturn(text) : `${text}\n`)),
    texts: () => texts ??= codec.decode(body).split("\n").slice(0, count).map(plain),
    render(pieces) {
      const parts: Uint8Array[] = [];
      for (let at = 0; at < pieces.length; at++) {
        const piece = pieces[at] ?? 0;
        const isLast = at === pieces.length - 1;
        if (typeof piece !== "number") {
          const line = isLast ? piece.line : { ...piece.line, ended: true };
          parts.push(codec.encode(addedLine(line, piece.near)));
          continue;
        }
        let to = piece + 1;
        while (pieces[at + 1] === to) {
          to++;
          at++;
        }
        parts.push(bytesOf(piece, to));
        if (at < pieces.length - 1 && !isEnded(to - 1)) parts.push(codec.encode(endNear(to - 1)));
      }
      return withBody(file, joinedBytes(parts));
    },
  };
}

function plain(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}
