/**
 * A grammar's table of what comes next, by state and symbol, with a place for each pair. Grammars have most states in lists
 * that are gone through for each word of a text: short to download, and a fifteenth of the time that parsing takes.
 *
 * Layouts: tree-sitter 0.26, lib/src/parser.h (`TSLanguage`) and lib/src/language.c (`ts_language_lookup`).
 */

import type { Library } from "./_library.ts";

/** Offsets in `TSLanguage`. */
const SYMBOL_COUNT = 4;
const STATE_COUNT = 20;
const LARGE_STATE_COUNT = 24;
const PARSE_TABLE = 40;
const SMALL_PARSE_TABLE = 44;
const SMALL_PARSE_TABLE_MAP = 48;

/** Bytes that the wide table of the grammar at an address takes. */
export function wideSize(address: number, library: Library): number {
  return 2 * library.word(address + STATE_COUNT) * library.word(address + SYMBOL_COUNT);
}

/** Gives the grammar its wide table, in the library's memory: to be done once, and between texts. */
export function widen(address: number, library: Library): void {
  const symbols = library.word(address + SYMBOL_COUNT);
  const states = library.word(address + STATE_COUNT);
  const large = library.word(address + LARGE_STATE_COUNT);
  const table = library.exports.calloc(wideSize(address, library), 1);
  if (table === 0) return;
  const { words } = library;
  const halves = new Uint16Array(words.buffer);
  const from = library.word(address + PARSE_TABLE) >>> 1;
  halves.copyWithin(table >>> 1, from, from + large * symbols);
  const lists = library.word(address + SMALL_PARSE_TABLE) >>> 1;
  const map = library.word(address + SMALL_PARSE_TABLE_MAP) >>> 2;
  for (let state = large; state < states; state++) {
    const row = (table >>> 1) + state * symbols;
    let at = lists + (words[map + state - large] as number);
    // Groups of symbols with the same value: their number, then of each its value, how many symbols, and those.
    for (let groups = halves[at++] as number; groups > 0; groups--) {
      const value = halves[at++] as number;
      for (let count = halves[at++] as number; count > 0; count--) {
        halves[row + (halves[at++] as number)] = value;
      }
    }
  }
  words[(address + PARSE_TABLE) >>> 2] = table;
  words[(address + LARGE_STATE_COUNT) >>> 2] = states;
}
