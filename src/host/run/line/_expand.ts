/** From the words of a plan to arguments: parameters, substitutions, splitting, file names (POSIX, 2.6). */

import type { Word, WordPart } from "../../../core/plan.ts";
import { calculate } from "./_arithmetic.ts";
import { escapePattern, isPattern, plainOf, removeMatch } from "./_pattern.ts";
import type { Expander } from "./_expander.ts";
import type { LineState } from "./_state.ts";

export type { Expander } from "./_expander.ts";

/** A piece of an expanded word: as it is, a pattern, or what is split at blanks and may hold patterns. */
interface Piece {
  readonly kind: "plain" | "pattern" | "split";
  readonly text: string;
}

/** The arguments that a word becomes: none, one or more. */
export async function expandWord(
  word: Word,
  state: LineState,
  expander: Expander,
): Promise<readonly string[]> {
  if (word.length === 0) return [""];
  const pieces: Piece[] = [];
  for (const part of word) pieces.push(...await piecesOf(part, state, expander));
  return splitFields(pieces).flatMap((pattern) => {
    if (!isPattern(pattern)) return [plainOf(pattern)];
    const files = expander.filesOf(pattern, state);
    return files.length === 0 ? [plainOf(pattern)] : files;
  });
}

/** The one text of a word where nothing is split and no file names are looked for. */
export async function expandText(
  word: Word,
  state: LineState,
  expander: Expander,
): Promise<string> {
  let text = "";
  for (const part of word) {
    for (const piece of await piecesOf(part, state, expander)) text += piece.text;
  }
  return text;
}

/** Blanks that separate fields: IFS never comes from the environment or the line. */
const BLANKS = /[ \t\n]+/;

/** Fields as patterns, what was plain escaped. */
function splitFields(pieces: readonly Piece[]): readonly string[] {
  const fields: string[] = [];
  let field: string | null = null;
  const finish = (): void => {
    if (field !== null) fields.push(field);
    field = null;
  };
  for (const { kind, text } of pieces) {
    if (kind !== "split") {
      field = (field ?? "") + (kind === "plain" ? escapePattern(text) : text);
      continue;
    }
    text.split(BLANKS).forEach((part, index) => {
      if (index > 0) finish();
      // A backslash that was expanded is a character like others.
      if (part !== "") field = (field ?? "") + part.replaceAll("\\", "\\\\");
    });
  }
  finish();
  return fields;
}

async function piecesOf(
  part: WordPart,
  state: LineState,
  expander: Expander,
): Promise<readonly Piece[]> {
  switch (part.kind) {
    case "text":
      return [{ kind: "plain", text: part.text }];
    case "glob":
      return [{ kind: "pattern", text: part.text }];
    case "home":
      return [{ kind: "plain", text: state.valueOf("HOME") ?? "~" }];
    case "substitution": {
      const text = await expander.substitute(part.body, state);
      return [{ kind: part.quoted ? "plain" : "split", text }];
    }
    case "arithmetic": {
      const text = String(await calculate(part.expression, state, expander));
      return [{ kind: part.quoted ? "plain" : "split", text }];
    }
    case "parameter":
      return await parameterPieces(part, state, expander);
  }
}

type Parameter = Extract<WordPart, { readonly kind: "parameter" }>;

async function parameterPieces(
  { name, quoted, operation }: Parameter,
  state: LineState,
  expander: Expander,
): Promise<readonly Piece[]> {
  const value = state.valueOf(name);
  const as = (text: string): readonly Piece[] => [{ kind: quoted ? "plain" : "split", text }];
  const set = async (): Promise<string> => {
    if (value === undefined && state.settings.nounset) {
      return await expander.fail(`${name}: unbound variable`, state);
    }
    return value ?? "";
  };
  if (operation === null) return as(await set());
  if (!("word" in operation)) return as(String([...await set()].length));
  const { operator, word } = operation;
  if (/^[#%]/.test(operator)) {
    return as(removeMatch(await set(), await patternOf(word, state, expander), operator));
  }
  const missing = operator.startsWith(":")
    ? value === undefined || value === ""
    : value === undefined;
  const alternative = async (): Promise<readonly Piece[]> => {
    if (quoted) return [{ kind: "plain", text: await expandText(word, state, expander) }];
    const pieces: Piece[] = [];
    for (const part of word) pieces.push(...await piecesOf(part, state, expander));
    return pieces;
  };
  switch (operator.at(-1)) {
    case "+":
      return missing ? as("") : await alternative();
    case "?": {
      if (!missing) return as(value ?? "");
      const said = await expandText(word, state, expander);
      return await expander.fail(`${name}: ${said || "parameter null or not set"}`, state);
    }
    default:
      return missing ? await alternative() : as(value ?? "");
  }
}

/** A word as a pattern: what is quoted in it stands for itself. */
export async function patternOf(word: Word, state: LineState, expander: Expander): Promise<string> {
  let pattern = "";
  for (const part of word) {
    for (const { kind, text } of await piecesOf(part, state, expander)) {
      pattern += kind === "plain" ? escapePattern(text) : text;
    }
  }
  return pattern;
}
