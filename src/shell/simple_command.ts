/** A command line that is one program with plain words, and so needs no shell: its argv, exactly as `sh` splits it. */

import type { AndOr, CommandNode, ParsedScript, Pipeline } from "unbash";
import { ToolError } from "../core/errors.ts";
import { printable } from "../core/printable.ts";
import { type Construct, type ConstructKind, CONSTRUCTS } from "./constructs.ts";
import { literalWord } from "./literal_word.ts";

/** Words that, first and unquoted, are no programs (POSIX, 2.4, and bash(1), RESERVED WORDS). */
const RESERVED: ReadonlySet<string> = new Set(
  ("! { } case coproc do done elif else esac fi for function if in select then time until while [[ ]]")
    .split(" "),
);

/** What the shell does itself, and no program could do for it. */
const BUILTINS: ReadonlyMap<string, ConstructKind> = new Map([
  ["cd", "directory"],
  ["pushd", "directory"],
  ["popd", "directory"],
  ["export", "environment"],
  ["unset", "environment"],
  ["set", "environment"],
  ["declare", "environment"],
  ["local", "environment"],
  ["readonly", "environment"],
  ["typeset", "environment"],
  [".", "builtin"],
  ["source", "builtin"],
  ["eval", "builtin"],
  ["exec", "builtin"],
  ["trap", "builtin"],
  ["alias", "builtin"],
]);

/** Longest line that is read: what Linux takes for one argument (MAX_ARG_STRLEN, `linux/binfmts.h`). */
const MAX_LENGTH = 128 * 1024;

/**
 * The argv of a line that is one simple command of literal words. Throws COMMAND_UNPARSABLE that names the
 * construct, its position, and what to do instead, for anything else.
 *
 * The parser's tree is not believed on its own: every word is read a second time by `literalWord`, both must
 * agree, and nothing but blanks and comments may lie outside the words.
 */
export async function parseSimpleCommand(line: string): Promise<readonly string[]> {
  if (line.length > MAX_LENGTH) {
    throw new ToolError(
      "COMMAND_UNPARSABLE",
      `the command line has ${line.length} characters; at most ${MAX_LENGTH} are read`,
    );
  }
  const odd = /\0|\p{Cs}/u.exec(line);
  if (odd !== null) throw unparsable(line, { kind: "control", index: odd.index });
  const { parse } = await import("unbash");
  const command = commandOf(line, parse(line));
  const read = "kind" in command ? command : wordsOf(line, command.words);
  if ("kind" in read) throw unparsable(line, read);
  return read.argv;
}

/** A word by where it lies in the line, and what the parser takes it for. */
interface ParsedWord {
  readonly pos: number;
  readonly end: number;
  readonly value: string;
}

function commandOf(
  line: string,
  script: ParsedScript,
): { readonly words: readonly ParsedWord[] } | Construct {
  const [statement, second] = script.commands;
  const [error] = script.errors ?? [];
  if (statement === undefined) {
    return error === undefined ? { kind: "empty", index: 0 } : { kind: "syntax", index: error.pos };
  }
  const { command } = statement;
  if (command.type !== "Command") return constructOf(line, command);
  if (statement.background === true) return { kind: "background", index: command.end };
  if (second !== undefined) {
    const between = line.slice(command.end, second.pos);
    return { kind: between.includes(";") ? "list" : "newline", index: second.pos };
  }
  const words: ParsedWord[] = command.name === undefined ? [] : [command.name];
  for (const part of [...command.prefix, ...command.suffix]) {
    if (part.type === "Word") words.push(part);
    else {return {
        kind: part.type === "Assignment" ? "assignment" : "redirection",
        index: part.pos,
      };}
  }
  const [name] = words;
  if (name === undefined) return { kind: "empty", index: command.pos };
  const builtin = BUILTINS.get(name.value);
  if (builtin !== undefined) return { kind: builtin, index: name.pos };
  // A quote that never closes is told by the words, at the quote.
  const badWord = words.map((word) => constructIn(line, word)).find((found) => found !== null);
  if (badWord !== undefined && badWord !== null) return badWord;
  return error === undefined ? { words } : { kind: "syntax", index: error.pos };
}

function constructIn(line: string, word: ParsedWord): Construct | null {
  const read = literalWord(line.slice(word.pos, word.end));
  return "kind" in read ? { kind: read.kind, index: word.pos + read.index } : null;
}

function constructOf(line: string, node: CommandNode | Pipeline | AndOr): Construct {
  switch (node.type) {
    case "Pipeline": {
      const [prefix] = node.prefixes;
      if (prefix !== undefined) return { kind: "reserved", index: prefix.pos };
      return { kind: "pipeline", index: behind(line, node.commands[0]?.end ?? node.pos) };
    }
    case "AndOr":
      return { kind: "list", index: behind(line, node.commands[0]?.end ?? node.pos) };
    case "Function":
      return { kind: "function", index: node.pos };
    case "Coproc":
      return { kind: "background", index: node.pos };
    default:
      return { kind: "compound", index: node.pos };
  }
}

/** The first character at or behind `index` that is no blank. */
function behind(line: string, index: number): number {
  return index + (/^\s*/.exec(line.slice(index))?.[0].length ?? 0);
}

/** Blanks, and newlines that a backslash takes back; at least one real blank between words. */
const BETWEEN = /^(?:\\\n)*[ \t](?:[ \t]|\\\n)*$/;
const BEFORE = /^(?:[ \t\n]|(?<=^|[ \t\n])#[^\n]*\n)*$/;
const AFTER = /^(?:[ \t]|\\\n)*(?:(?<=[ \t])#[^\n]*)?(?:\n[ \t]*(?:#[^\n]*)?)*$/;

/** The second reading: words by `literalWord`, and the rest of the line by what may lie between them. */
function wordsOf(
  line: string,
  words: readonly ParsedWord[],
): { readonly argv: readonly string[] } | Construct {
  const argv: string[] = [];
  let at = 0;
  for (const word of words) {
    const gap = line.slice(at, word.pos);
    if (!(argv.length === 0 ? BEFORE : BETWEEN).test(gap)) return outside(line, at);
    const text = line.slice(word.pos, word.end);
    const read = literalWord(text);
    if ("kind" in read) return { kind: read.kind, index: word.pos + read.index };
    if (argv.length === 0 && RESERVED.has(text)) return { kind: "reserved", index: word.pos };
    if (argv.length === 0 && read.value === "") return { kind: "empty", index: word.pos };
    // A comment, or a word on which the two readings differ.
    if (text.startsWith("#") || read.value !== word.value) {
      return { kind: "dialect", index: word.pos };
    }
    argv.push(read.value);
    at = word.end;
  }
  return AFTER.test(line.slice(at)) ? { argv } : outside(line, at);
}

/** What stands outside the words, by its first character. */
function outside(line: string, from: number): Construct {
  const index = behind(line, from);
  const kinds: Readonly<Record<string, ConstructKind>> = {
    ";": "list",
    "(": "compound",
    ")": "compound",
  };
  return { kind: kinds[line[index] ?? ""] ?? "syntax", index };
}

function unparsable(line: string, { kind, index }: Construct): ToolError {
  const [name, instead] = CONSTRUCTS[kind];
  const position = [...line.slice(0, index)].length + 1;
  const near = printable(line.slice(index), 30);
  const place = near === "" ? "at its end" : `at character ${position}, ${JSON.stringify(near)}`;
  return new ToolError(
    "COMMAND_UNPARSABLE",
    `the command line holds ${name} ${place}; only one program with plain words is run: ${instead}`,
    { details: { construct: kind, position } },
  );
}
