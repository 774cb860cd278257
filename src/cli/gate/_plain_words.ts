/** Calls through a gate as nearly all are: a tool, its arguments and where the gate is, answered as JSON. */

/** What a gate is asked. */
export interface PlainCall {
  readonly gate: string;
  /** Of letters, digits and underscores alone: the same in JSON. */
  readonly tool: string;
  /** The line that asks it. */
  readonly request: string;
  /** Whether JSON was asked for: what is printed on a terminal is text else. */
  readonly json: boolean;
}

/** What is known beside the words. */
export interface Around {
  /** TOOLGATE_GATE and TOOLGATE_FORMAT; empty where they are not set. */
  readonly gate: string;
  readonly format: string;
}

/** What a request is named, whoever sends it: questions of child agents, on the same connection, are named otherwise. */
export const CALL = "call";

/**
 * Null for all else, and for what is wrong in any way: `flags.ts` takes that apart, and tells. What is one here is read
 * there as the same call.
 */
export function plainCall(argv: readonly string[], around: Around): PlainCall | null {
  const words: string[] = [];
  const gates: string[] = [];
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i] as string;
    if (word === "--gate") gates.push(argv[++i] ?? "");
    else if (word.startsWith("--gate=")) gates.push(word.slice("--gate=".length));
    else if (/^-[A-Za-z-]/.test(word)) return null;
    else words.push(word);
  }
  const [gate = around.gate, ...others] = gates;
  const [name, tool = "", ...rest] = words;
  if (name !== "call" || gate === "" || others.length > 0) return null;
  if (!/^\w+$/.test(tool) || (around.format !== "" && around.format !== "json")) return null;
  const said = { id: CALL, tool, args: {}, ...(rest.length === 0 ? {} : { words: rest }) };
  return { gate, tool, request: JSON.stringify(said), json: around.format === "json" };
}
