/** Reads what `deno test` counted out of what it printed. */

export interface Counts {
  readonly passed: number;
  readonly failed: number;
}

/** Its last line of the form `ok | 12 passed (3 steps) | 0 failed (4s)`, without colours. */
const SUMMARY = /^(?:ok|FAILED) \| (\d+) passed(?: \([^)]*\))? \| (\d+) failed/gm;

/** The last summary in the text; null where there is none, because the tests did not run at all. */
export function summary(text: string): Counts | null {
  const last = [...text.matchAll(SUMMARY)].at(-1);
  return last === undefined ? null : { passed: Number(last[1]), failed: Number(last[2]) };
}
