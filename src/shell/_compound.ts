/** Reads loops and conditions (POSIX, 2.9.4), each word of their grammar where the parser's tree has it. */

import type { CompoundCommand, Redirection as ParsedRedirection, Statement } from "unbash";
import type { Arithmetic, CompoundPlan, PlanNode, Word } from "../core/plan.ts";
import { VALUE, type WordKind } from "./words/parts.ts";
import { isSetByShell, isThrownAway } from "./special_variables.ts";
import { readConditional } from "./_conditional.ts";
import { readArithmetic, skipSpace } from "./words/arithmetic.ts";
import { contextOf, readOne, readRedirection, readWords } from "./_simple.ts";
import { deeper, inLoop, printLines, type Walk } from "./_walk.ts";
import { Refused } from "./_constructs.ts";

/** What reading one takes from around it. */
export interface CompoundReading {
  readonly walk: Walk;
  /** A list of commands, up to the word that closes it. */
  readonly readList: (statements: readonly Statement[], walk: Walk) => PlanNode;
}

type Node<T extends CompoundCommand["type"]> = Extract<CompoundCommand, { readonly type: T }>;
type Plan<K extends CompoundPlan["kind"]> = Omit<
  Extract<CompoundPlan, { readonly kind: K }>,
  "redirections"
>;

type DistributedPlan = { [K in CompoundPlan["kind"]]: Plan<K> }[CompoundPlan["kind"]];

/** Those that have words of their own, which errors are said of. */
const NAMED: ReadonlySet<CompoundCommand["type"]> = new Set<CompoundCommand["type"]>([
  ...["For", "Case", "ArithmeticCommand", "ArithmeticFor", "TestCommand"] as const,
]);

/** Patterns of `case`: globs are patterns, and nothing is split. */
const PATTERN: WordKind = { globs: true, splits: true, tilde: true };

/** The command at the scanner, with the redirections behind it. Throws {@linkcode Refused} for those that are not run. */
export function readCompound(
  node: CompoundCommand,
  redirects: readonly ParsedRedirection[],
  reading: CompoundReading,
): CompoundPlan {
  const { walk } = reading;
  const inner = { ...reading, walk: deeper(walk, node.pos) };
  const line = walk.place.printed?.come.line ??
    walk.scanner.lineAt(/^(?:For|Case)$/.test(node.type) ? node.pos : node.end);
  const plan = readNode(node, inner);
  const redirections = redirects.flatMap((redirect) => {
    walk.scanner.skipBlanks();
    return readRedirection(redirect, walk);
  });
  return { ...plan, redirections, ...(NAMED.has(node.type) ? { line } : {}) };
}

function readNode(
  node: CompoundCommand,
  reading: CompoundReading,
): DistributedPlan {
  switch (node.type) {
    case "For":
      return readFor(node, reading);
    case "If":
      return readIf(node, reading);
    case "While":
      return readWhile(node, reading);
    case "Case":
      return readCase(node, reading);
    case "ArithmeticCommand": {
      const { scanner } = reading.walk;
      scanner.expect("((");
      reading.walk.reading.posix = false;
      const expression = readArithmetic(scanner, contextOf(reading.walk, node));
      scanner.expect("))");
      if (scanner.at !== node.end) throw new Refused("arithmetic", scanner.at);
      return { kind: "arithmetic", expression };
    }
    case "ArithmeticFor":
      return readCount(node, reading);
    case "TestCommand":
      return { kind: "test", expression: readConditional(node, reading.walk) };
    case "Select":
      throw new Refused("select", node.pos);
    default:
      throw new Refused("compound", node.pos);
  }
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

function readFor(node: Node<"For">, { walk, readList }: CompoundReading): Plan<"for"> {
  const { scanner } = walk;
  scanner.expect("for");
  scanner.skipBlanks();
  scanner.mustBeAt(node.name.pos);
  const name = scanner.source.slice(node.name.pos, node.name.end);
  if (!NAME.test(name)) throw new Refused("syntax", node.name.pos);
  if (isSetByShell(name) && !isThrownAway(name)) throw new Refused("special", node.name.pos);
  scanner.expect(name);
  const words: Word[] = [];
  if (node.wordlist === undefined) {
    // Without words it goes through the arguments of the script.
    words.push([{ kind: "parameter", name: "@", quoted: true, operation: null }]);
    scanner.skipBlanks();
    if (scanner.character === ";") scanner.skipSeparator();
  } else {
    scanner.skipLines();
    scanner.expect("in");
    for (const word of node.wordlist) {
      scanner.skipBlanks();
      words.push(...readWords(word, walk).map((one) => one.word));
    }
    scanner.skipSeparator();
  }
  printLines(walk, 1);
  const body = readLoop(node.body.commands, { walk, readList });
  return { kind: "for", name, words, body };
}

/** `for ((…; …; …))` */
function readCount(node: Node<"ArithmeticFor">, reading: CompoundReading): Plan<"count"> {
  const { walk } = reading;
  const { scanner } = walk;
  walk.reading.posix = false;
  scanner.expect("for");
  scanner.skipBlanks();
  scanner.expect("((");
  const context = contextOf(walk, node);
  const part = (): Arithmetic | null => {
    skipSpace(scanner);
    return ";)".includes(scanner.character) ? null : readArithmetic(scanner, context);
  };
  const first = part();
  scanner.expect(";");
  const test = part();
  scanner.expect(";");
  const step = part();
  scanner.expect("))");
  scanner.skipBlanks();
  if (scanner.character === ";") scanner.skipSeparator();
  printLines(walk, 1);
  const body = readLoop(node.body.commands, reading);
  return { kind: "count", first, test, step, body };
}

/** `do … done` */
function readLoop(
  statements: readonly Statement[],
  { walk, readList }: CompoundReading,
): PlanNode {
  const { scanner } = walk;
  scanner.skipLines();
  keyword("do", walk);
  printLines(walk, 1);
  const body = readList(statements, inLoop(walk));
  scanner.expect("done");
  printLines(walk, 1);
  return body;
}

function readWhile(node: Node<"While">, reading: CompoundReading): Plan<"while"> {
  const { walk, readList } = reading;
  keyword(node.kind, walk);
  const test = readList(node.clause.commands, inLoop(walk));
  const body = readLoop(node.body.commands, reading);
  return { kind: "while", until: node.kind === "until", test, body };
}

function readIf(node: Node<"If">, { walk, readList }: CompoundReading): Plan<"if"> {
  const clauses = [node, ...node.elif].map(({ clause, then }, index) => {
    keyword(index === 0 ? "if" : "elif", walk);
    const test = readList(clause.commands, walk);
    keyword("then", walk);
    printLines(walk, index === 0 ? 1 : 2);
    return { test, body: readList(then.commands, walk) };
  });
  if (node.else !== undefined) {
    keyword("else", walk);
    printLines(walk, 2);
  }
  const otherwise = node.else === undefined ? null : readList(node.else.commands, walk);
  walk.scanner.expect("fi");
  printLines(walk, 1);
  return { kind: "if", clauses, otherwise };
}

function readCase(node: Node<"Case">, { walk, readList }: CompoundReading): Plan<"case"> {
  const { scanner } = walk;
  keyword("case", walk);
  scanner.skipBlanks();
  const word = readOne(node.word, walk, VALUE);
  scanner.skipLines();
  keyword("in", walk);
  const arms = node.items.map((item, index) => {
    scanner.skipLines();
    if (scanner.character === "(") scanner.at++;
    const patterns = item.pattern.map((pattern, at) => {
      scanner.skipBlanks();
      if (at > 0) scanner.expect("|");
      scanner.skipBlanks();
      return readOne(pattern, walk, PATTERN);
    });
    scanner.skipBlanks();
    scanner.expect(")");
    scanner.skipLines();
    const { commands } = item.body;
    const body = commands.length === 0 ? null : readList(commands, walk);
    scanner.skipLines();
    const last = index === node.items.length - 1;
    if (item.terminator === undefined && !last) throw new Refused("syntax", scanner.at);
    if (item.terminator !== undefined) {
      scanner.expect(item.terminator);
      if (item.terminator !== ";;") walk.reading.posix = false;
    }
    const then = item.terminator === ";&" ? "body" : item.terminator === ";;&" ? "test" : null;
    return { patterns, body, ...(then === null ? {} : { then } as const) };
  });
  scanner.skipLines();
  scanner.expect("esac");
  return { kind: "case", word, arms };
}

/** A reserved word, with something behind it that ends a word. */
function keyword(word: string, { scanner }: Walk): void {
  scanner.expect(word);
  if (!/^[\s;(<>\\]?$/.test(scanner.character)) throw new Refused("syntax", scanner.at);
}
