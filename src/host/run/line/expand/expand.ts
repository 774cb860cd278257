/** From the words of a plan to arguments: parameters, substitutions, splitting, file names (POSIX, 2.6). */

import { joinedName } from "../../../../core/name_text.ts";
import type { Word, WordPart } from "../../../../core/plan.ts";
import { calculate } from "./arithmetic.ts";
import type { Expander } from "./expander.ts";
import { fieldsOf, type Piece } from "./fields.ts";
import { parameterPieces } from "./parameter.ts";
import { escapePattern, isPattern, plainOf } from "./pattern.ts";
import type { LineState } from "../_state.ts";

export type { Expander } from "./expander.ts";

/** The arguments that a word becomes: none, one or more. */
export async function expandWord(
  word: Word,
  state: LineState,
  expander: Expander,
): Promise<readonly string[]> {
  if (word.length === 0) return [""];
  const pieces = await piecesOf(word, state, expander);
  const { options } = state;
  const found: string[] = [];
  for (const pattern of fieldsOf(pieces, state.separators)) {
    const files = !options.has("noglob") && isPattern(pattern)
      ? expander.filesOf(pattern, state)
      : null;
    if (files === null) found.push(joinedName(plainOf(pattern)));
    else if (files.length > 0) found.push(...files);
    else if (options.has("failglob")) {
      await expander.fail(`no match: ${plainOf(pattern)}`, state, 1);
    } else if (!options.has("nullglob")) found.push(joinedName(plainOf(pattern)));
  }
  return found;
}

/** The one text of a word where nothing is split and no file names are looked for. */
export async function expandText(
  word: Word,
  state: LineState,
  expander: Expander,
): Promise<string> {
  const pieces = await piecesOf(word, state, expander);
  return joinedName(pieces.map(({ kind, text }) => kind === "break" ? " " : text).join(""));
}

/** The pieces of a word, before it is split. */
export async function piecesOf(
  word: Word,
  state: LineState,
  expander: Expander,
): Promise<readonly Piece[]> {
  const pieces: Piece[] = [];
  for (const part of word) pieces.push(...await partPieces(part, state, expander));
  return pieces;
}

async function partPieces(
  part: WordPart,
  state: LineState,
  expander: Expander,
): Promise<readonly Piece[]> {
  switch (part.kind) {
    case "text":
      return [{ kind: "plain", text: part.text }];
    case "glob":
      return [{ kind: "pattern", text: part.text }];
    case "blank":
      return [{ kind: "split", text: " " }];
    case "home":
      return [{ kind: "plain", text: state.valueOf("HOME") ?? "~" }];
    case "substitution": {
      const text = await expander.substitute(part.body, state);
      return [{ kind: part.quoted ? "plain" : "split", text }];
    }
    case "process":
      return [{ kind: "plain", text: expander.process(part.access, part.body, state) }];
    case "arithmetic": {
      const text = String(await calculate(part.expression, state, expander));
      return [{ kind: part.quoted ? "plain" : "split", text }];
    }
    case "parameter":
      return await parameterPieces(part, state, expander);
  }
}

/** A word as a pattern: what is quoted in it stands for itself. */
export async function patternOf(
  word: Word,
  state: LineState,
  expander: Expander,
  escape: (text: string) => string = escapePattern,
): Promise<string> {
  const pieces = await piecesOf(word, state, expander);
  return pieces.map(({ kind, text }) => kind === "plain" ? escape(text) : text).join("");
}
