/** The time as records show it. */

const SECOND_MS = 1000;

/** RFC 3339 in UTC with milliseconds, of `now` (ms since 1970). What stays the same within a second is made once a second. */
export function createTimestamps(now: () => number): () => string {
  let second = NaN;
  let beginning = "";
  return () => {
    const time = now();
    const current = Math.floor(time / SECOND_MS);
    if (current !== second) {
      // All down to the dot before the milliseconds, which `Z` follows.
      beginning = new Date(current * SECOND_MS).toISOString().slice(0, -"000Z".length);
      second = current;
    }
    const milliseconds = Math.floor(time - current * SECOND_MS);
    return `${beginning}${
      milliseconds < 10 ? "00" : milliseconds < 100 ? "0" : ""
    }${milliseconds}Z`;
  };
}
