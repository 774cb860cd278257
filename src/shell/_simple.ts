/** Reads simple commands: assignments, words and redirections, each where the tree has it. */

import type {
  ArithmeticCommandExpansion,
  Command,
  CommandExpansionPart,
  ProcessSubstitutionPart,
  Redirection as ParsedRedirection,
  SyntaxNode,
  Word as ParsedWord,
} from "unbash";
import type { Assignment, PlanNode, Redirection, SimplePlan, Word } from "../core/plan.ts";
import { expandBraceWord } from "./words/braces.ts";
import { finishCommand } from "./_builtins.ts";
import type { CommandSource } from "./_command_source.ts";
import { readParameter, readSubscript } from "./words/parameter.ts";
import { ARGUMENT, Parts, VALUE, type WordContext, type WordKind } from "./words/parts.ts";
import { readRedirection as readRedirectionAt } from "./_redirection.ts";
import { Scanner } from "./words/scanner.ts";
import { isSet } from "./_settings.ts";
import { deeper, outsideLoops, type Reading, type Walk } from "./_walk.ts";
import { PIECES, readWord } from "./words/word.ts";
import { type ConstructKind, Refused } from "./_constructs.ts";

/** More commands in one line are no line any more. */
const MOST_COMMANDS = 500;

/** A simple command at the scanner. */
export function readSimple(node: Command, walk: Walk): PlanNode {
  const { scanner, reading, place } = walk;
  if (++reading.commands > MOST_COMMANDS) throw new Refused("many", node.pos);
  const assignments: Assignment[] = [];
  const declares: Assignment[] = [];
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
    else words.push({ word: readDeclared(piece, walk, declares), index: piece.pos });
  }
  const simple: SimplePlan = {
    kind: "simple",
    assignments,
    words: words.map(({ word }) => word),
    redirections,
    position: place.position ?? node.pos,
    line: place.printed?.come.line ?? lineOf(pieces, scanner),
    ...(declares.length === 0 ? {} : { declares }),
    ...(reading.later ? { later: true } : {}),
  };
  const nested: CommandSource["nested"] = (source, positional, index) => {
    const { printed: _, ...place } = walk.place;
    const { place: { level } } = deeper(walk, index);
    const inside = { level, position: simple.position };
    return positional === null
      ? walk.readScript(source, reading, {
        ...{ ...place, ...inside },
        ...{ around: walk.facts, shared: true, listed: false },
      })
      : walk.readScript(source, reading, {
        ...inside,
        positional: positional === "open" ? null : positional,
      });
  };
  const alone: CommandSource["alone"] = (source, positional, index) => {
    const { posix } = reading;
    reading.posix = true;
    try {
      return { ...nested(source, positional, index), posix: reading.posix };
    } finally {
      reading.posix = posix;
    }
  };
  const source = scanner.source.slice(words[0]?.index ?? 0, scanner.at);
  return finishCommand(simple, {
    indexes: words.map(({ index }) => index),
    source,
    nested,
    alone,
    loops: place.loops ?? 0,
    inFunction: place.inFunction === true,
    listed: place.listed === true,
    functions: walk.facts.functions,
    assess: reading.assess,
    byLine: reading.byLine,
    onDialect: () => reading.posix = false,
  });
}

/** Bash knows where it is once it has read what follows the first word, which could make a function of it. */
function lineOf(
  [first, second]: readonly { readonly type: string; readonly pos: number; readonly end: number }[],
  scanner: Scanner,
): number {
  if (first === undefined) return scanner.lineAt(scanner.at);
  if (first.type !== "Word") return scanner.lineAt(first.end);
  if (second !== undefined) {
    return scanner.lineAt(/^(?:Word|Assignment)$/.test(second.type) ? second.end : second.pos);
  }
  const blanks = /(?:[ \t]|\\\n)*/y;
  blanks.lastIndex = first.end;
  blanks.test(scanner.source);
  const next = blanks.lastIndex;
  // Reading a newline takes in the here-documents that it begins.
  return scanner.lineAt(scanner.source[next] === "\n" ? scanner.documentsEnd(next) : next);
}

/** What reading words takes from around them; `root`: the part of the tree that they stand in. */
export function contextOf(walk: Walk, root: SyntaxNode): WordContext {
  let found: Substitutions | null = null;
  const context: WordContext = {
    positional: walk.facts.moves || walk.place.inFunction === true ? null : walk.place.positional,
    onDialect: () => walk.reading.posix = false,
    isTable: (name) => walk.facts.tables.has(name),
    subscript: (scanner, name) => readSubscript({ scanner, context, ...PIECES }, name),
    parameter(scanner) {
      const parts = new Parts();
      readParameter({ scanner, context, parts, quoted: true, ...PIECES });
      return parts.done();
    },
    process(index) {
      found ??= substitutionsOf(root, walk.reading.forEachChild);
      const part = found.processes.get(index);
      if (part === undefined) throw new Refused("process", index);
      return readSubstitution(part, walk);
    },
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
  return context;
}

/** Every substitution of a word, without those inside others. */
function substitutionsOf(
  root: SyntaxNode,
  each: Reading["forEachChild"],
): Substitutions {
  const substitutions = new Map<number, Substitution>();
  const arithmetic = new Map<number, number>();
  const processes = new Map<number, ProcessSubstitutionPart>();
  const visit = (node: SyntaxNode): void => {
    if (node.type === "CommandExpansion" || node.type === "ArithmeticCommandExpansion") {
      substitutions.set(node.pos, node);
      return;
    }
    if (node.type === "ProcessSubstitution") {
      processes.set(node.pos, node);
      return;
    }
    if (node.type === "ArithmeticExpansion") arithmetic.set(node.pos, node.end);
    each(node, visit);
  };
  visit(root);
  return { substitutions, arithmetic, processes };
}

type Substitution =
  | CommandExpansionPart
  | ArithmeticCommandExpansion
  | ProcessSubstitutionPart;

/** What of a word is run or calculated, by where it stands. */
interface Substitutions {
  readonly substitutions: ReadonlyMap<number, Substitution>;
  readonly processes: ReadonlyMap<number, ProcessSubstitutionPart>;
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
  const place = { ...walk.place, printed: { come: { line: 1 }, inside: false } };
  const inner = deeper(outsideLoops({ ...walk, scanner, place }), pos);
  const { node, settings } = walk.readCommands(script, inner);
  const body: PlanNode = isSet(settings)
    ? { kind: "group", subshell: true, settings, body: node, redirections: [] }
    : readsFile(node) && part.type !== "ProcessSubstitution"
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
    const before = scanner.source[scanner.at - 1] ?? "";
    const ended: Readonly<Record<string, ConstructKind>> = {
      "(": "?*+@!".includes(before) && scanner.at > parsed.pos ? "extended" : "compound",
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

const ASSIGNMENT = /^([A-Za-z_][A-Za-z0-9_]*)(?=\+?=|\[)/;

function readAssignment(parsed: ParsedAssignment, walk: Walk): Assignment {
  const { scanner } = walk;
  const name = ASSIGNMENT.exec(scanner.source.slice(parsed.pos, parsed.end))?.[1];
  if (name === undefined || name !== parsed.name) throw new Refused("array", parsed.pos);
  scanner.at += name.length;
  const subscript = scanner.character === "["
    ? readSubscript({ scanner, context: contextOf(walk, parsed), ...PIECES }, name)
    : undefined;
  if (subscript?.kind === "all") throw new Refused("array", parsed.pos);
  const append = scanner.character === "+";
  if (append) scanner.at++;
  scanner.expect("=");
  if (append || subscript !== undefined) walk.reading.posix = false;
  const about = {
    name,
    ...(append ? { append } as const : {}),
    ...(subscript === undefined ? {} : { subscript }),
  };
  const { value } = parsed;
  if (value.type === "ArrayValue") {
    if (subscript !== undefined) throw new Refused("array", parsed.pos);
    walk.reading.posix = false;
    return { ...about, value: [], list: readList(value, name, walk) };
  }
  if (scanner.at === parsed.end) return { ...about, value: [] };
  return { ...about, value: readOne(value, walk, VALUE) };
}

type ParsedAssignment = Extract<Command["prefix"][number], { readonly type: "Assignment" }>;

/** `( … )` behind `NAME=` */
function readList(
  { pos, elements, end }: Extract<ParsedAssignment["value"], { readonly type: "ArrayValue" }>,
  name: string,
  walk: Walk,
): NonNullable<Assignment["list"]> {
  const { scanner } = walk;
  scanner.mustBeAt(pos);
  scanner.expect("(");
  type Elements = NonNullable<Assignment["list"]>;
  const list = elements.flatMap((element): Elements => {
    scanner.skipLines();
    scanner.mustBeAt(element.pos);
    if (!/^\[[^\]]*\]=/.test(scanner.source.slice(element.pos, element.end))) {
      return readWords(element, walk).map(({ word }) => ({ subscript: null, value: word }));
    }
    scanner.wordEnd = element.end;
    const context = contextOf(walk, element);
    const subscript = readSubscript({ scanner, context, ...PIECES }, name);
    scanner.expect("=");
    const value = readWord(scanner, context, VALUE);
    if (scanner.at !== element.end || subscript.kind === "all") {
      throw new Refused("array", element.pos);
    }
    return [{ subscript, value }];
  });
  scanner.skipLines();
  scanner.expect(")");
  scanner.mustBeAt(end);
  return list;
}

/** `NAME=value` behind a command that declares, as one word; an array by its name, its values in `declares`. */
function readDeclared(parsed: ParsedAssignment, walk: Walk, declares: Assignment[]): Word {
  const assignment = readAssignment(parsed, walk);
  const { name, value, append, subscript } = assignment;
  if (subscript !== undefined || append === true) throw new Refused("array", parsed.pos);
  if (assignment.list !== undefined) {
    declares.push(assignment);
    return [{ kind: "text", text: name }];
  }
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
