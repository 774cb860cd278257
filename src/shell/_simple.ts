/** Reads simple commands: assignments, words and redirections, each where the tree has it. */

import type {
  ArithmeticCommandExpansion,
  Command,
  CommandExpansionPart,
  Redirection as ParsedRedirection,
  SyntaxNode,
  Word as ParsedWord,
} from "unbash";
import type { PlanNode, Redirection, SimplePlan, Word } from "../core/plan.ts";
import { expandBraceWord } from "./_braces.ts";
import { finishCommand } from "./_builtins.ts";
import { ARGUMENT, VALUE, type WordContext, type WordKind } from "./_parts.ts";
import { readRedirection as readRedirectionAt } from "./_redirection.ts";
import { Scanner } from "./_scanner.ts";
import type { Script } from "./_script.ts";
import { isSet } from "./_settings.ts";
import { deeper, outsideLoops, type Reading, type Walk } from "./_walk.ts";
import { readWord } from "./_word.ts";
import { type ConstructKind, Refused } from "./_constructs.ts";

/** More commands in one line are no line any more. */
const MOST_COMMANDS = 50;

/** A simple command at the scanner. */
export function readSimple(node: Command, walk: Walk): PlanNode {
  const { scanner, reading, place } = walk;
  if (++reading.commands > MOST_COMMANDS) throw new Refused("many", node.pos);
  const assignments: { name: string; value: Word }[] = [];
  const words: { word: Word; index: number }[] = [];
  const redirections: Redirection[] = [];
  const pieces = [
    ...node.prefix,
    ...(node.name === undefined ? [] : [node.name]),
    ...node.suffix,
  ].sort((a, b) => a.pos - b.pos);
  for (const piece of pieces) {
    scanner.skipBlanks();
    scanner.mustBeAt(piece.pos);
    if (piece.type === "Word") words.push(...readWords(piece, walk));
    else if (piece.type !== "Assignment") redirections.push(...readRedirection(piece, walk));
    else if (words.length === 0) assignments.push(readAssignment(piece, walk));
    else words.push({ word: readDeclared(piece, walk), index: piece.pos });
  }
  const simple: SimplePlan = {
    kind: "simple",
    assignments,
    words: words.map(({ word }) => word),
    redirections,
    position: place.position ?? node.pos,
  };
  const nested = (source: string, positional: readonly string[], index: number): Script => {
    const { place: { level } } = deeper(walk, index);
    return walk.readScript(source, reading, { positional, level, position: simple.position });
  };
  const source = scanner.source.slice(words[0]?.index ?? 0, scanner.at);
  const loops = place.loops ?? 0;
  return finishCommand(simple, { indexes: words.map(({ index }) => index), source, nested, loops });
}

/** What reading words takes from around them; `root`: the part of the tree that they stand in. */
export function contextOf(walk: Walk, root: SyntaxNode): WordContext {
  let found: Found | null = null;
  return {
    positional: walk.place.positional,
    onDialect: () => walk.reading.posix = false,
    substitution(index) {
      found ??= substitutionsOf(root, walk.reading.forEachChild);
      const part = found.substitutions.get(index);
      if (part === undefined) throw new Refused("syntax", index);
      return readSubstitution(part, walk);
    },
    arithmeticEnd(index) {
      found ??= substitutionsOf(root, walk.reading.forEachChild);
      const end = found.arithmetic.get(index);
      if (end === undefined) throw new Refused("arithmetic", index);
      return end;
    },
  };
}

/** Every substitution of a word, without those inside others. */
function substitutionsOf(
  root: SyntaxNode,
  each: Reading["forEachChild"],
): Found {
  const substitutions = new Map<number, Substitution>();
  const arithmetic = new Map<number, number>();
  const visit = (node: SyntaxNode): void => {
    if (node.type === "CommandExpansion" || node.type === "ArithmeticCommandExpansion") {
      substitutions.set(node.pos, node);
      return;
    }
    if (node.type === "ArithmeticExpansion") arithmetic.set(node.pos, node.end);
    each(node, visit);
  };
  visit(root);
  return { substitutions, arithmetic };
}

type Substitution = CommandExpansionPart | ArithmeticCommandExpansion;

/** What of a word is run or calculated, by where it stands. */
interface Found {
  readonly substitutions: ReadonlyMap<number, Substitution>;
  /** Where each ends. */
  readonly arithmetic: ReadonlyMap<number, number>;
}

function readSubstitution(
  part: Substitution,
  walk: Walk,
): { readonly body: PlanNode; readonly end: number } {
  const { source, end: limit } = walk.scanner;
  const { pos, end, script } = part;
  const backquoted = source[pos] === "`";
  if (script === undefined || end > limit) throw new Refused("syntax", pos);
  if (backquoted && source.slice(pos + 1, end - 1).includes("\\")) {
    throw new Refused("backquote", pos);
  }
  const start = pos + (backquoted ? 1 : 2);
  if (source[end - 1] !== (backquoted ? "`" : ")") || end - 1 < start) {
    throw new Refused("syntax", pos);
  }
  const scanner = new Scanner(source, start, end - 1);
  const inner = deeper(outsideLoops({ ...walk, scanner }), pos);
  const { node, settings } = walk.readCommands(script, inner);
  const body: PlanNode = isSet(settings)
    ? { kind: "group", subshell: true, settings, body: node, redirections: [] }
    : readsFile(node)
    ? { ...node, words: [[{ kind: "text", text: "cat" }]] }
    : node;
  return { body, end };
}

/** `$(< file)` (bash(1), Command Substitution). */
function readsFile(node: PlanNode): node is SimplePlan {
  return node.kind === "simple" && node.words.length === 0 && node.assignments.length === 0 &&
    node.redirections.length === 1 && node.redirections[0]?.kind === "read";
}

/** The words that one becomes: more than one only by braces. */
export function readWords(
  parsed: ParsedWord,
  walk: Walk,
): readonly { readonly word: Word; readonly index: number }[] {
  const { scanner } = walk;
  const text = scanner.source.slice(parsed.pos, parsed.end);
  const expanded = expandBraceWord(text);
  if (expanded === null) return [{ word: readOne(parsed, walk, ARGUMENT), index: parsed.pos }];
  walk.reading.posix = false;
  scanner.at = parsed.end;
  return expanded.map((source) => {
    const inner = new Scanner(source, 0, source.length);
    const word = readWord(inner, contextOf({ ...walk, scanner: inner }, parsed), ARGUMENT);
    if (inner.at !== source.length) throw new Refused("brace", parsed.pos);
    return { word, index: parsed.pos };
  });
}

/** One word where the tree has it; both readings must end alike, and mean the same where it is plain. */
export function readOne(parsed: ParsedWord, walk: Walk, kind: WordKind): Word {
  const { scanner } = walk;
  scanner.mustBeAt(parsed.pos);
  if (scanner.character === "#") throw new Refused("syntax", scanner.at);
  scanner.wordEnd = parsed.end;
  const word = readWord(scanner, contextOf(walk, parsed), kind);
  if (scanner.at !== parsed.end) {
    // What ended the word says why: a bracket belongs to a function, a pattern or a process substitution.
    const ended: Readonly<Record<string, ConstructKind>> = {
      "(": "compound",
      "<": "process",
      ">": "process",
    };
    throw new Refused(ended[scanner.character] ?? "syntax", Math.min(scanner.at, parsed.end));
  }
  const source = scanner.source.slice(parsed.pos, parsed.end);
  // Positional parameters are written out here, and are not in the parser's reading.
  const written = walk.place.positional !== null && source.includes("$");
  const plain = !written && word.every((part) => part.kind === "text");
  const text = word.map((part) => part.kind === "text" ? part.text : "").join("");
  if (plain && text !== parsed.value) throw new Refused("dialect", parsed.pos);
  return word;
}

const ASSIGNMENT = /^([A-Za-z_][A-Za-z0-9_]*)=/;

function readAssignment(
  parsed: Extract<Command["prefix"][number], { readonly type: "Assignment" }>,
  walk: Walk,
): { readonly name: string; readonly value: Word } {
  const { scanner } = walk;
  const name = ASSIGNMENT.exec(scanner.source.slice(parsed.pos, parsed.end))?.[1];
  const { value } = parsed;
  if (name === undefined || name !== parsed.name || value.type !== "Word") {
    throw new Refused("array", parsed.pos);
  }
  scanner.at += name.length + 1;
  if (scanner.at === parsed.end) return { name, value: [] };
  return { name, value: readOne(value, walk, VALUE) };
}

/** `NAME=value` behind a command that declares, as one word. */
function readDeclared(
  parsed: Extract<Command["suffix"][number], { readonly type: "Assignment" }>,
  walk: Walk,
): Word {
  const { name, value } = readAssignment(parsed, walk);
  const [first, ...rest] = value;
  return first?.kind === "text"
    ? [{ kind: "text", text: `${name}=${first.text}` }, ...rest]
    : [{ kind: "text", text: `${name}=` }, ...value];
}

/** A redirection at the scanner, as one or (`&>`) two. */
export function readRedirection(parsed: ParsedRedirection, walk: Walk): readonly Redirection[] {
  return readRedirectionAt(parsed, {
    scanner: walk.scanner,
    onDialect: () => walk.reading.posix = false,
    readWord: (word, kind) => readOne(word, walk, kind),
    openBody(body, start, end) {
      const scanner = new Scanner(walk.scanner.source, start, end);
      return { scanner, context: contextOf({ ...walk, scanner }, body) };
    },
  });
}
