/** `let` (bash(1), SHELL BUILTIN COMMANDS): expressions as words, one after the other. */

import type { Command } from "unbash";
import type { Arithmetic, CompoundPlan } from "../core/plan.ts";
import { readArithmetic, skipSpace } from "./words/arithmetic.ts";
import { Refused } from "./_constructs.ts";
import { Scanner } from "./words/scanner.ts";
import { contextOf } from "./_simple.ts";
import type { Walk } from "./_walk.ts";

/** What a shell would take a word apart by, or look files up by. */
const OTHERWISE = /[\s"'`\\*?[\]{}()<>|&;~]/;

/** `let x=1 "y = x + 2"`: what `((x=1, y = x + 2))` is. */
export function readLet(node: Command, walk: Walk): CompoundPlan {
  const { scanner } = walk;
  if (node.prefix.length > 0) throw new Refused("let", node.pos);
  walk.reading.posix = false;
  scanner.expect("let");
  const expressions = node.suffix.map((word) => {
    if (word.type !== "Word" && word.type !== "Assignment") throw new Refused("let", word.pos);
    scanner.skipBlanks();
    scanner.mustBeAt(word.pos);
    scanner.at = word.end;
    return expressionIn(word, scanner.source.slice(word.pos, word.end), walk);
  });
  // All are expanded before the first is calculated.
  const expands = node.suffix.some(({ pos, end }) => scanner.source.slice(pos, end).includes("$"));
  if (expands && expressions.length > 1) throw new Refused("let", node.pos);
  const [first, ...rest] = expressions;
  if (first === undefined) throw new Refused("let", node.pos);
  const expression = rest.reduce<Arithmetic>(
    (left, right) => ({ op: "binary", operator: ",", left, right }),
    first,
  );
  return { kind: "arithmetic", expression, redirections: [] };
}

function expressionIn(
  word: Command["suffix"][number],
  text: string,
  walk: Walk,
): Arithmetic {
  const quote = /^(["'])(.*)\1$/s.exec(text);
  const inside = quote?.[2] ?? text;
  const odd = quote === null
    ? OTHERWISE.test(inside)
    : /["'`\\]/.test(inside) || (quote[1] === "'" && inside.includes("$"));
  if (odd || inside.trim() === "") throw new Refused("let", word.pos);
  const start = word.pos + (quote === null ? 0 : 1);
  const scanner = new Scanner(walk.scanner.source, start, start + inside.length);
  const expression = readArithmetic(scanner, contextOf({ ...walk, scanner }, word));
  skipSpace(scanner);
  if (scanner.at !== scanner.end) throw new Refused("let", word.pos);
  return expression;
}
