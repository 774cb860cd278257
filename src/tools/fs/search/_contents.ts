/** From the bytes of a file to the text that is searched. */

import { BINARY_WINDOW } from "../../../toolkit/decode.ts";
import type { Scanner } from "./scanner.ts";

/** Whole lines of a file, in a text that has some more before and behind them. */
export interface Piece {
  readonly text: string;
  /** Where in the text they begin and end. */
  readonly start: number;
  readonly end: number;
}

/** `pieces` null: it holds no match, and was not decoded. They are valid until the next file is read. */
export interface Contents {
  readonly binary: boolean;
  readonly pieces: Iterable<Piece> | null;
}

const BINARY: Contents = { binary: true, pieces: null };
const NO_MATCH: Contents = { binary: false, pieces: null };

/** Larger files are decoded piece by piece: as text they may take twice their bytes. */
const PIECE_BYTES = 1024 * 1024;
const LINE_FEED = 0x0a;

/** Bytes that are no UTF-8 are shown as U+FFFD; byte order marks are left out. */
const UTF_8 = new TextDecoder();
/** For what stands within a file: there the mark is a character like others. */
const UTF_8_WITHIN = new TextDecoder("utf-8", { ignoreBOM: true });
const UTF_16 = { little: new TextDecoder("utf-16le"), big: new TextDecoder("utf-16be") };

/**
 * What the first `length` bytes of the scanner hold, with `context` lines around each piece. A NUL in the first 8 KiB
 * makes a file binary, unless it begins with the byte order mark of UTF-16; a later one ends its text, as ripgrep has
 * it.
 */
export function contentsOf(scanner: Scanner, length: number, context: number): Contents {
  const { bytes } = scanner;
  const wide = length < 2 ? undefined : decoderOf(bytes[0] as number, bytes[1] as number);
  // Views are made of files that are decoded alone: of most nothing but this is asked.
  const contents = () => bytes.subarray(0, length);
  if (wide !== undefined) return { binary: false, pieces: [pieceOf(wide.decode(contents()))] };
  if (scanner.holdsNul(Math.min(length, BINARY_WINDOW))) return BINARY;
  if (!scanner.holdsLiterals(length)) return NO_MATCH;
  const pieces = length <= PIECE_BYTES
    ? [pieceOf(UTF_8.decode(contents()))]
    : piecesOf(contents(), context);
  return { binary: false, pieces };
}

function* piecesOf(bytes: Uint8Array, context: number): Iterable<Piece> {
  for (let from = 0; from < bytes.length;) {
    const to = lineStartBehind(bytes, from + PIECE_BYTES);
    const first = linesBefore(bytes, from, context);
    let last = to;
    for (let count = 0; count < context; count++) last = lineStartBehind(bytes, last + 1);
    const decoder = from === 0 ? UTF_8 : UTF_8_WITHIN;
    const before = UTF_8_WITHIN.decode(bytes.subarray(first, from));
    const own = decoder.decode(bytes.subarray(from, to));
    const behind = UTF_8_WITHIN.decode(bytes.subarray(to, last));
    const piece = pieceOf(before + own + behind, before.length, before.length + own.length);
    yield piece;
    if (piece.end < before.length + own.length) return;
    from = to;
  }
}

/** Cut off at the first NUL. */
function pieceOf(text: string, start = 0, end = text.length): Piece {
  const nul = text.indexOf("\0", start);
  if (nul < 0) return { text, start, end };
  return { text: text.slice(0, nul), start, end: Math.min(end, nul) };
}

/** The start of the first line that begins at `from` or later; the end where none does. */
function lineStartBehind(bytes: Uint8Array, from: number): number {
  if (from >= bytes.length) return bytes.length;
  const at = bytes.indexOf(LINE_FEED, from - 1);
  return at < 0 ? bytes.length : at + 1;
}

/** The start of the line that begins so many lines before the one that begins at `from`. */
function linesBefore(bytes: Uint8Array, from: number, count: number): number {
  let start = from;
  for (let left = count; left > 0 && start > 0; left--) {
    start = start < 2 ? 0 : bytes.lastIndexOf(LINE_FEED, start - 2) + 1;
  }
  return start;
}

function decoderOf(first: number, second: number): TextDecoder | undefined {
  if (first === 0xff && second === 0xfe) return UTF_16.little;
  if (first === 0xfe && second === 0xff) return UTF_16.big;
  return undefined;
}
