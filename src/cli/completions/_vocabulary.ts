/** All that can be completed, from the tables of commands and flags and from the tools. */

import { PATH_MAX } from "../../core/path_text.ts";
import { printable } from "../../core/printable.ts";
import type { JsonSchema } from "../../core/schema.ts";
import type { ToolDescription } from "../../core/tool.ts";
import { type Flag, FLAGS, valuesOf } from "../flags.ts";
import type { CommandWords } from "../invocation.ts";
import { type Operand, usageOf } from "./_usage.ts";

/** What can stand in a place: some words, or names of a kind that the shell or the vocabulary knows. */
export type Values =
  | { readonly kind: "words"; readonly words: readonly string[] }
  | { readonly kind: "file" | "directory" | "tool" | "free" };

/** A word, and a few on what it is good for. */
export interface Term {
  readonly word: string;
  readonly help: string;
}

/** All words that can be completed. */
export interface Vocabulary {
  readonly commands: readonly (Term & {
    readonly actions: readonly {
      readonly word: string;
      readonly operand: Operand;
    }[];
    readonly operand: Operand;
  })[];
  readonly flags: readonly (Term & {
    /** Null for a switch. */
    readonly values: Values | null;
    /** Null for all. */
    readonly commands: readonly string[] | null;
  })[];
  readonly tools: readonly (Term & {
    readonly aliases: readonly string[];
    readonly arguments: readonly (Term & { readonly values: Values })[];
  })[];
}

/** Words that no shell reads anything into. Others are not offered: what is offered is typed as it is. */
const SAFE = /^[A-Za-z0-9_./@%+-]+$/;
/** Such words with one blank between them: each script writes the blank as its shell reads it. */
const SAFE_PHRASE = /^[A-Za-z0-9_./@%+-]+(?: [A-Za-z0-9_./@%+-]+)*$/;

/** Drawn from the tools, the commands' usage and the table of flags. */
export function vocabularyOf(
  tools: readonly ToolDescription[],
  commands: Readonly<Record<string, CommandWords>>,
): Vocabulary {
  return {
    commands: Object.entries(commands).map(([word, { usage, help }]) => ({
      word,
      help,
      ...usageOf(usage),
    })),
    flags: FLAGS.map((flag) => ({
      word: flag.name,
      help: brief(flag.help),
      values: flag.value === undefined ? null : flagValues(flag),
      commands: flag.commands ?? null,
    })),
    tools: tools.filter(({ name }) => SAFE.test(name)).map((tool) => ({
      word: tool.name,
      help: brief(tool.description),
      aliases: tool.aliases.filter((alias) => SAFE.test(alias)),
      arguments: Object.entries(tool.input.properties ?? {})
        .filter(([word]) => SAFE.test(word))
        .map(([word, property]) => ({
          word,
          help: brief(property.description ?? ""),
          values: argumentValues(property),
        })),
    })),
  };
}

function flagValues(flag: Flag): Values {
  const words = valuesOf(flag);
  if (words !== null) return { kind: "words", words: words.filter((word) => SAFE.test(word)) };
  switch (flag.value) {
    case "FILE":
      return { kind: "file" };
    case "DIR":
      return { kind: "directory" };
    case "TOOL":
      return { kind: "tool" };
    default:
      return { kind: "free" };
  }
}

function argumentValues(schema: JsonSchema): Values {
  if (schema.type === "array") return argumentValues(schema.items ?? {});
  if (schema.type === "boolean") return { kind: "words", words: ["true", "false"] };
  const words = (schema.enum ?? []).map(String).filter((word) => SAFE_PHRASE.test(word));
  if (words.length > 0) return { kind: "words", words };
  return { kind: schema.type === "string" && schema.maxLength === PATH_MAX ? "file" : "free" };
}

/** The first sentence, on one line, of characters that shells show as they are. */
function brief(text: string): string {
  return printable(text.split(/[.:;] /)[0] ?? "", 80).replace(/[.:;]$/, "");
}
