/** Reads `[[ … ]]` (bash(1), Compound Commands): words that nothing splits, patterns, regular expressions. */

import type { TestCommand, TestExpression as ParsedTest, Word as ParsedWord } from "unbash";
import type { TestExpression, Word } from "../core/plan.ts";
import { Parts, VALUE, type WordKind } from "./words/parts.ts";
import type { Scanner } from "./words/scanner.ts";
import { contextOf, readOne } from "./_simple.ts";
import type { Walk } from "./_walk.ts";
import { METACHARACTERS, readPiece } from "./words/word.ts";
import { Refused } from "./_constructs.ts";

const UNARY = /^-[abcdefghkopnrstuvwxzGLNOS]$/;
const BINARY = /^(?:=|==|!=|<|>|=~|-(?:eq|ne|lt|le|gt|ge|nt|ot|ef))$/;
const PATTERN: WordKind = { globs: true, splits: true, tilde: false };

/** The command at the scanner, which stands at `[[`. Throws {@linkcode Refused}. */
export function readConditional(node: TestCommand, walk: Walk): TestExpression {
  const { scanner } = walk;
  walk.reading.posix = false;
  scanner.expect("[[");
  const expression = readExpression(node.expression, walk);
  skipSpace(scanner);
  scanner.expect("]]");
  scanner.mustBeAt(node.end);
  return expression;
}

function skipSpace(scanner: Scanner): void {
  do scanner.skipBlanks(); while (scanner.character === "\n" && ++scanner.at > 0);
}

function readExpression(node: ParsedTest, walk: Walk): TestExpression {
  const { scanner } = walk;
  skipSpace(scanner);
  scanner.mustBeAt(node.pos);
  switch (node.type) {
    case "TestGroup": {
      scanner.expect("(");
      const inner = readExpression(node.expression, walk);
      skipSpace(scanner);
      scanner.expect(")");
      return inner;
    }
    case "TestNot": {
      let count = 0;
      for (const { pos } of node.negations) {
        skipSpace(scanner);
        scanner.mustBeAt(pos);
        scanner.expect("!");
        count++;
      }
      const operand = readExpression(node.operand, walk);
      return count % 2 === 0 ? operand : { op: "not", operand };
    }
    case "TestLogical": {
      const op = node.operator === "&&" ? "and" : "or";
      return node.operands.map((operand, index) => {
        if (index > 0) {
          skipSpace(scanner);
          scanner.expect(node.operator);
        }
        return readExpression(operand, walk);
      }).reduce((left, right) => ({ op, left, right }));
    }
    case "TestUnary": {
      const written = scanner.startsWith(node.operator);
      // A word alone is asked whether it is empty.
      if (!written || scanner.at === node.operand.pos) {
        return { op: "unary", operator: "-n", word: word(node.operand, walk) };
      }
      if (!UNARY.test(node.operator)) throw new Refused("compound", node.pos);
      scanner.expect(node.operator);
      return { op: "unary", operator: node.operator, word: word(node.operand, walk) };
    }
    case "TestBinary": {
      const left = word(node.left, walk);
      skipSpace(scanner);
      if (!BINARY.test(node.operator)) throw new Refused("compound", scanner.at);
      scanner.expect(node.operator);
      const right = node.operator === "=~"
        ? expressionWord(node.right, walk)
        : /^[=!]/.test(node.operator)
        ? patternWord(node.right, walk)
        : word(node.right, walk);
      return { op: "binary", operator: node.operator, left, right };
    }
  }
}

function word(parsed: ParsedWord, walk: Walk, kind: WordKind = VALUE): Word {
  skipSpace(walk.scanner);
  return readOne(parsed, walk, kind);
}

/** A pattern, with alternatives in brackets: `@(a|b)` is one here whatever shopt says. */
function patternWord(parsed: ParsedWord, walk: Walk): Word {
  const { scanner } = walk;
  if (!/[?*+@!]\(/.test(scanner.source.slice(parsed.pos, parsed.end))) {
    return word(parsed, walk, PATTERN);
  }
  skipSpace(scanner);
  scanner.mustBeAt(parsed.pos);
  scanner.wordEnd = parsed.end;
  const context = contextOf(walk, parsed);
  const parts = new Parts();
  const push = (text: string) => {
    parts.push({ kind: "glob", text });
    scanner.at += text.length;
  };
  let depth = 0;
  while (scanner.at < parsed.end) {
    const { character } = scanner;
    if (/^[?*+@!]\($/.test(ahead(scanner))) {
      depth++;
      push(ahead(scanner));
    } else if (depth > 0 && /[|)]/.test(character)) {
      if (character === ")") depth--;
      push(character);
    } else if (METACHARACTERS.includes(character)) throw new Refused("extended", scanner.at);
    else if (/[\w@+.,:=/-]/.test(character)) {
      parts.text(character);
      scanner.at++;
    } else readPiece(scanner, context, PATTERN, parts);
  }
  if (depth > 0) throw new Refused("extended", parsed.pos);
  scanner.mustBeAt(parsed.end);
  return parts.done();
}

/** A regular expression: what is not quoted in it stands in glob parts. */
function expressionWord(parsed: ParsedWord, walk: Walk): Word {
  const { scanner } = walk;
  skipSpace(scanner);
  scanner.mustBeAt(parsed.pos);
  scanner.wordEnd = parsed.end;
  const context = contextOf(walk, parsed);
  const parts = new Parts();
  let bracket = -1;
  while (scanner.at < parsed.end) {
    const { character } = scanner;
    const quotes = `'"\\`.includes(character);
    if (bracket !== -1 && quotes) throw new Refused("glob", scanner.at);
    if (bracket === -1 && character === "[") bracket = scanner.at;
    else if (character === "]" && bracket !== -1) {
      const empty = /^\[\^?$/.test(scanner.source.slice(bracket, scanner.at));
      if (!empty) bracket = -1;
    }
    const letter = character === "\\" && /^\\[A-Za-z0-9<>'`]/.test(
      scanner.source.slice(scanner.at, scanner.at + 2),
    );
    // What they mean to the C library's expressions is no matter of quoting.
    if (letter || /[\s~]/.test(character)) throw new Refused("glob", scanner.at);
    if (quotes || character === "$" && /^\$[\w{(@*#?]/.test(ahead(scanner))) {
      readPiece(scanner, context, { globs: false, splits: true, tilde: false }, parts);
    } else {
      parts.push({ kind: "glob", text: character });
      scanner.at++;
    }
  }
  scanner.mustBeAt(parsed.end);
  return parts.done();
}

function ahead({ source, at }: Scanner): string {
  return source.slice(at, at + 2);
}
