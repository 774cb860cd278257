/**
 * A grammar's tables as its module lays them out: what kinds and fields are called, and which children of a rule have
 * another name, or a field.
 *
 * Layouts: tree-sitter 0.26, lib/src/parser.h (`TSLanguage`, `TSSymbolMetadata`, `TSMapSlice`, `TSFieldMapEntry`), with
 * the pointers of 32 bits that WebAssembly has.
 */

import type { Grammar } from "../../core/syntax_tree.ts";
import type { Library } from "./_library.ts";

/** Offsets in `TSLanguage`. */
const SYMBOL_COUNT = 4;
const ALIAS_COUNT = 8;
const PRODUCTION_COUNT = 28;
const FIELD_COUNT = 32;
const LONGEST_ALIASES = 36;
const SYMBOL_NAMES = 56;
const FIELD_NAMES = 60;
const FIELD_SLICES = 64;
const FIELD_ENTRIES = 68;
const SYMBOL_METADATA = 72;
const PUBLIC_SYMBOLS = 76;
const ALIASES = 84;

/** Bytes of `TSSymbolMetadata`, in which the second says whether the symbol is named. */
const METADATA_SIZE = 3;

/** A grammar, and where a library has the tables that say how its rules are made. */
export interface Language {
  readonly grammar: Grammar;
  readonly address: number;
  /** By symbol, the kind that it counts as. */
  readonly publicKinds: Uint16Array;
  /** By symbol: whether it is named. */
  readonly named: Uint8Array;
  /** Other names of children: `longest` symbols for each production, 0 for none. */
  readonly aliases: Uint16Array;
  readonly longest: number;
  /** For each production: where its entries begin, and how many there are. */
  readonly slices: Uint16Array;
  /** Field, and then the child's index in the lower byte and whether it is inherited in the upper. */
  readonly entries: Uint16Array;
}

/** Copies what stands in the library's memory. */
export function readLanguage(name: string, address: number, library: Library): Language {
  const { bytes, words } = library;
  const buffer = bytes.buffer;
  const word = (offset: number) => words[(address + offset) >>> 2] as number;
  const half = (offset: number) => new Uint16Array(buffer, address + offset, 1)[0] as number;
  const textAt = (pointer: number) => {
    if (pointer === 0) return "";
    return new TextDecoder().decode(bytes.slice(pointer, bytes.indexOf(0, pointer)));
  };
  const textsAt = (pointer: number, count: number) =>
    Array.from({ length: count }, (_, index) => textAt(words[(pointer >>> 2) + index] as number));
  const halvesAt = (pointer: number, count: number) =>
    count === 0 ? new Uint16Array(0) : new Uint16Array(buffer, pointer, count).slice();

  const symbols = word(SYMBOL_COUNT) + word(ALIAS_COUNT);
  const productions = word(PRODUCTION_COUNT);
  const longest = half(LONGEST_ALIASES);
  const named = Uint8Array.from(
    { length: symbols },
    (_, symbol) => bytes[word(SYMBOL_METADATA) + METADATA_SIZE * symbol + 1] as number,
  );
  const fields = word(FIELD_COUNT);
  const slices = fields === 0
    ? new Uint16Array(2 * productions)
    : halvesAt(word(FIELD_SLICES), 2 * productions);
  let entries = 0;
  for (let index = 0; index < slices.length; index += 2) {
    entries = Math.max(entries, (slices[index] as number) + (slices[index + 1] as number));
  }
  return {
    grammar: {
      name,
      kinds: [...textsAt(word(SYMBOL_NAMES), symbols), "ERROR"],
      named: [...Array.from(named, (value) => value === 1), true],
      fields: ["", ...textsAt(word(FIELD_NAMES), fields + 1).slice(1)],
    },
    address,
    publicKinds: halvesAt(word(PUBLIC_SYMBOLS), symbols),
    named,
    aliases: halvesAt(word(ALIASES), longest * productions),
    longest,
    slices,
    entries: halvesAt(word(FIELD_ENTRIES), 2 * entries),
  };
}
