/** Lengths of time as people write them: `500ms`, `30s`, `5m`, `2h`, `1d`. */

import { quoted } from "../core/printable.ts";

/** Milliseconds a unit. */
const UNITS: ReadonlyMap<string, number> = new Map([
  ["ms", 1],
  ["s", 1_000],
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
]);

/** Longest part of a wrong text that messages show. */
const LONGEST_SHOWN = 40;

/** The text of a duration, for JSON Schema and for completions. */
export const DURATION_PATTERN = "^(0|[0-9]+(ms|s|m|h|d))$";

/** A text that is no duration. The message says what was found and what would be right. */
export class DurationError extends Error {
  override readonly name = "DurationError";
}

/**
 * Milliseconds of `text`: a whole number with its unit, or a bare `0`.
 * Throws {@linkcode DurationError}; also where the result is no exact whole number any more.
 */
export function parseDuration(text: string): number {
  if (text === "0") return 0;
  const [, digits, unit] = /^([0-9]+)([A-Za-z]*)$/.exec(text) ?? [];
  if (digits === undefined || unit === undefined) {
    throw new DurationError(
      `${
        quoted(text, LONGEST_SHOWN)
      } is no duration: write a whole number and its unit, such as 500ms, 30s, 5m, 2h or 1d`,
    );
  }
  if (unit === "") {
    throw new DurationError(
      `${
        quoted(text, LONGEST_SHOWN)
      } has no unit: write ${digits}ms, ${digits}s, ${digits}m, ${digits}h or ${digits}d`,
    );
  }
  const factor = UNITS.get(unit);
  if (factor === undefined) {
    throw new DurationError(
      `${
        quoted(text, LONGEST_SHOWN)
      } has no known unit: the units are ms, s, m, h and d, as in ${digits}s`,
    );
  }
  const milliseconds = Number(digits) * factor;
  if (!Number.isSafeInteger(milliseconds)) {
    throw new DurationError(`${quoted(text, LONGEST_SHOWN)} is too long for any clock`);
  }
  return milliseconds;
}

/** The shortest exact way to write `milliseconds`, for messages: 90000 → `90s`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds === 0) return "0";
  let text = `${milliseconds}ms`;
  for (const [unit, factor] of UNITS) {
    if (milliseconds % factor === 0) text = `${milliseconds / factor}${unit}`;
  }
  return text;
}
