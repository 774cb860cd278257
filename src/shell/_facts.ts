/** What is to be known of a script before its first word is read: what names mean in it. */

import type { forEachChild, ParsedScript, SyntaxNode } from "unbash";
import { Refused } from "./_constructs.ts";

/** Of one script, scripts in its words left out. */
export interface ScriptFacts {
  /** Names that are a function's from some point on. Whatever else is called so is refused. */
  readonly functions: ReadonlySet<string>;
  /** Names that `declare -A` makes an array by keys: what stands in their brackets is text. */
  readonly tables: ReadonlySet<string>;
  /** Whether positional parameters may come to be others than it was given. */
  readonly moves: boolean;
}

/** Where there is none of these, there is no function. */
const FUNCTION = /\bfunction\b|\([ \t]*\)/;
/** More may be found than there is, in quotes and comments: then something is refused, and never read otherwise. */
const TABLE =
  /\b(?:declare|typeset|local|readonly)[ \t]+-[A-Za-z]*A[A-Za-z]*((?:[ \t]+[A-Za-z_]\w*)+)/g;
const MOVES = /\b(?:shift|set|source|eval)\b|(?:^|[\s;&|])\.[ \t]/;

/** Looks a script through. `around`: what the script that it is part of has. */
export function factsOf(
  source: string,
  script: ParsedScript,
  each: typeof forEachChild,
  around?: ScriptFacts,
): ScriptFacts {
  const functions: string[] = [];
  const visit = (node: SyntaxNode): void => {
    if (node.type === "Function") functions.push(source.slice(node.name.pos, node.name.end));
    each(node, visit);
  };
  if (FUNCTION.test(source)) visit(script);
  const tables = [...source.matchAll(TABLE)].flatMap(([, names = ""]) =>
    names.trim().split(/[ \t]+/)
  );
  return {
    functions: new Set([...around?.functions ?? [], ...functions]),
    tables: new Set([...around?.tables ?? [], ...tables]),
    moves: around?.moves === true || MOVES.test(source),
  };
}

/** A function must be one that was found. */
export function mustBeKnown(name: string, { functions }: ScriptFacts, index: number): void {
  if (!functions.has(name)) throw new Refused("function", index);
}
