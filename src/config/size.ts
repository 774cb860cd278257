/** Amounts of bytes as people write them: `512B`, `64KiB`, `1MiB`, `1GiB`, and decimal `kB`, `MB`, `GB`. */

import { quoted } from "../core/printable.ts";

/** Bytes a unit (IEC 80000-13 for the binary ones, SI for the decimal ones). */
const UNITS: ReadonlyMap<string, number> = new Map([
  ["", 1],
  ["B", 1],
  ["kB", 1_000],
  ["MB", 1_000_000],
  ["GB", 1_000_000_000],
  ["KiB", 1_024],
  ["MiB", 1_024 ** 2],
  ["GiB", 1_024 ** 3],
]);

/** Longest part of a wrong text that messages show. */
const LONGEST_SHOWN = 40;

/** The text of a size, for JSON Schema and for completions. */
export const SIZE_PATTERN = "^[0-9]+(B|kB|MB|GB|KiB|MiB|GiB)?$";

/** A text that is no size. The message says what was found and what would be right. */
export class SizeError extends Error {
  override readonly name = "SizeError";
}

/**
 * Bytes of `text`: a whole number, bare or with its unit.
 * Throws {@linkcode SizeError}; also where the result is no exact whole number any more.
 */
export function parseSize(text: string): number {
  const [, digits, unit] = /^([0-9]+)([A-Za-z]*)$/.exec(text) ?? [];
  if (digits === undefined || unit === undefined) {
    throw new SizeError(
      `${
        quoted(text, LONGEST_SHOWN)
      } is no size: write a whole number of bytes or one with its unit, such as 512B, 64KiB or 1MiB`,
    );
  }
  const factor = UNITS.get(unit);
  if (factor === undefined) {
    throw new SizeError(
      `${
        quoted(text, LONGEST_SHOWN)
      } has no known unit: the units are B, KiB, MiB, GiB (powers of 1024) ` +
        `and kB, MB, GB (powers of 1000), as in ${digits}${likeliestUnit(unit)}`,
    );
  }
  const bytes = Number(digits) * factor;
  if (!Number.isSafeInteger(bytes)) {
    throw new SizeError(`${quoted(text, LONGEST_SHOWN)} is too large for any machine`);
  }
  return bytes;
}

/** The shortest exact way to write `bytes` in binary units, for messages: 1048576 → `1MiB`. */
export function formatSize(bytes: number): string {
  if (bytes === 0) return "0B";
  let text = `${bytes}B`;
  for (const unit of ["KiB", "MiB", "GiB"]) {
    const factor = UNITS.get(unit) ?? 1;
    if (bytes % factor === 0) text = `${bytes / factor}${unit}`;
  }
  return text;
}

/** `mb` and `M` most likely mean MiB. */
function likeliestUnit(unit: string): string {
  const letter = unit.charAt(0).toUpperCase();
  return "KMG".includes(letter) ? `${letter}iB` : "MiB";
}
