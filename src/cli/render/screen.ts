/** What a stream shows on: how wide it is, and whether colours and moving lines are welcome there. */

/** What can be shown where output goes. */
export interface Screen {
  /** Characters of a line; null where nobody counts them (a pipe, a file). */
  readonly columns: number | null;
  readonly colour: boolean;
  /** Whether a line can be written over. */
  readonly erasable: boolean;
}

/** A pipe or a file. */
export const NO_SCREEN: Screen = { columns: null, colour: false, erasable: false };

/** Where a terminal does not say how wide it is: that of the VT100 and of all that came after it. */
const USUAL_COLUMNS = 80;

/** What a screen is judged by. */
export interface ScreenFacts {
  readonly isTerminal: boolean;
  /** What the terminal says of itself; null where it says nothing. */
  readonly columns: number | null;
  readonly variable: (name: "COLUMNS" | "NO_COLOR" | "TERM") => string | undefined;
}

/**
 * `COLUMNS` counts before what the terminal says (POSIX, environment variables). No colours with a `NO_COLOR` that is not
 * empty (no-color.org), on terminals that say they are dumb or nothing at all, and wherever there is no terminal.
 */
export function screenOf({ isTerminal, columns, variable }: ScreenFacts): Screen {
  const said = /^[1-9]\d{0,4}$/.exec(variable("COLUMNS") ?? "");
  const term = variable("TERM") ?? "";
  const erasable = isTerminal && term !== "" && term !== "dumb";
  return {
    erasable,
    columns: said !== null
      ? Number(said[0])
      : isTerminal
      ? (columns ?? 0) > 0 ? columns : USUAL_COLUMNS
      : null,
    colour: erasable && (variable("NO_COLOR") ?? "") === "",
  };
}

/** The screen behind standard output or standard error. */
export function openScreen(stream: "stdout" | "stderr"): Screen {
  const isTerminal = (stream === "stdout" ? Deno.stdout : Deno.stderr).isTerminal();
  return screenOf({
    isTerminal,
    columns: isTerminal ? consoleColumns() : null,
    variable: (name) => Deno.env.get(name),
  });
}

function consoleColumns(): number | null {
  try {
    return Deno.consoleSize().columns;
  } catch {
    return null;
  }
}
