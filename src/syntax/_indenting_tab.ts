/** Finds the tab that indents a line of YAML, where the language allows none (YAML 1.2.2, section 6.1). */

/** What goes on over line ends. */
interface State {
  /** Open `[` and `{`. */
  readonly flow: number;
  readonly quote: '"' | "'" | null;
  /** Indentation of the line that opened a block scalar (`|`, `>`): all that stands deeper is its content. */
  readonly block: number | null;
}

const BLANK = /\s/;
/** Characters behind which a value may begin. */
const BEFORE_VALUE = /[\s[{,:]/;
const INDICATOR = /[-?:\s]/;
/** The head of a block scalar, at the end of its line. */
const OPENS_BLOCK = /(?:^|[\s:])[|>](?:[-+]?[1-9]?|[1-9][-+])[ \t]*(?: #.*)?$/;

/** Line from 1 and index in the line from 0 of the first tab that indents; null where there is none. */
export function findIndentingTab(
  text: string,
): { readonly line: number; readonly index: number } | null {
  let state: State = { flow: 0, quote: null, block: null };
  let number = 0;
  for (const raw of text.split("\n")) {
    number++;
    const line = raw.replace(/\r$/, "");
    if (line.trim() === "") continue;
    const indent = /^ */.exec(line)?.[0].length ?? 0;
    if (state.block !== null) {
      if (indent > state.block) continue;
      state = { ...state, block: null };
    }
    const isFree = state.flow === 0 && state.quote === null;
    if (isFree && line[indent] === "\t" && !/^\s*#/.test(line)) {
      return { line: number, index: indent };
    }
    state = afterLine(state, line, indent);
  }
  return null;
}

function afterLine(state: State, line: string, indent: number): State {
  let { flow, quote } = state;
  // Whether all before is `- `, `? ` or `: `, behind which a value begins as it does at the start of a line.
  let isStart = true;
  for (let at = 0; at < line.length; at++) {
    const character = line[at] ?? "";
    if (quote !== null) {
      isStart = false;
      if (quote === '"' && character === "\\") at++;
      else if (character === quote) {
        if (quote === "'" && line[at + 1] === "'") at++;
        else quote = null;
      }
      continue;
    }
    const before = line[at - 1] ?? " ";
    const starts = isStart || BEFORE_VALUE.test(before);
    isStart &&= INDICATOR.test(character);
    if (character === "#" && BLANK.test(before)) break;
    if (character === '"' || character === "'") {
      if (starts) quote = character;
    } else if (character === "[" || character === "{") {
      if (starts || flow > 0) flow++;
    } else if ((character === "]" || character === "}") && flow > 0) flow--;
  }
  const opensBlock = flow === 0 && quote === null && OPENS_BLOCK.test(line);
  return { flow, quote, block: opensBlock ? indent : null };
}
