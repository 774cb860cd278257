/** Small readings of text that all reports share. */

/** Longer messages are cut: the whole stands in the program's own output. */
const MAX_MESSAGE = 1_000;

/** Escape sequences of terminals: ECMA-48 CSI, charset selections, OSC up to its end. */
// deno-lint-ignore no-control-regex
const ESCAPES = /\x1b(?:\[[0-9;:?]*[ -/]*[@-~]|[()][A-Za-z0-9]|\][^\x07\x1b]*(?:\x07|\x1b\\)?)/g;

/** Without colours and carriage returns. */
export function plainText(text: string): string {
  return text.replaceAll(ESCAPES, "").replaceAll("\r\n", "\n");
}

/** Without blank lines at its ends, and not long. */
export function message(text: string): string {
  const trimmed = text.trim();
  if (trimmed.length <= MAX_MESSAGE) return trimmed;
  return `${trimmed.slice(0, MAX_MESSAGE).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** A count or a place; 0 where there are no digits. */
export function count(digits: string | undefined): number {
  const value = Number(digits ?? "0");
  return Number.isSafeInteger(value) && value > 0 ? value : 0;
}

/** A place that is from 1; null for anything else. */
export function position(value: unknown): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : null;
}

/** Frames stand near the top. */
const MAX_STACK = 20_000;

/** The first frame of a stack (or other text) that is in a file for which `isOwn` holds. */
export function frameIn(
  text: string,
  isOwn: (file: string) => boolean,
): { readonly file: string; readonly line: number } | null {
  for (const word of text.slice(0, MAX_STACK).split(/[\s()'"]+/)) {
    const [, file = "", line] = /^(.+?):(\d+)(?::\d+)?[,:]?$/.exec(word) ?? [];
    if (file !== "" && isOwn(file)) return { file, line: count(line) };
  }
  return null;
}
