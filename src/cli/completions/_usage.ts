/** What a usage line of the table of commands says can stand behind a command. */

/** `none`: nothing; `call`: a tool and its arguments; `words`: one of these. */
export type Operand =
  | { readonly kind: "none" | "tool" | "call" | "file" | "free" }
  | { readonly kind: "words"; readonly words: readonly string[] };

/** What the usage of a command says about its words. */
export interface Usage {
  readonly actions: readonly { readonly word: string; readonly operand: Operand }[];
  /** Of the command itself, where it has no actions. */
  readonly operand: Operand;
}

/** Reads `call TOOL [KEY=VALUE ...]`, `tools [list|show TOOL|search TEXT]`, `completions bash|zsh|fish`. */
export function usageOf(usage: string): Usage {
  const rest = usage.replace(/^\S+\s*/, "");
  const alternatives = /^\[([a-z].*)\]$/s.exec(rest)?.[1];
  if (alternatives === undefined) return { actions: [], operand: operandOf(rest) };
  // `[KEY=VALUE ...]` within an alternative holds no bar.
  const actions = alternatives.split("|").map((alternative) => {
    const [word = "", ...operands] = alternative.trim().split(" ");
    return { word, operand: operandOf(operands.join(" ")) };
  });
  return { actions, operand: { kind: "none" } };
}

function operandOf(text: string): Operand {
  if (text === "") return { kind: "none" };
  if (/^TOOL\b.*KEY=VALUE/.test(text)) return { kind: "call" };
  if (/^TOOL\b/.test(text)) return { kind: "tool" };
  if (/^\[?(?:FILE|DIR)\b/.test(text)) return { kind: "file" };
  if (/^[a-z]+(?:\|[a-z]+)+$/.test(text)) return { kind: "words", words: text.split("|") };
  return { kind: "free" };
}
