/**
 * From the parser's tree to a plan, with the line read a second time along the way: every operator, gap and
 * word must be found where the tree says, and read the same. What is not known, or not run, is refused by name.
 */

import type {
  CommandNode,
  ParsedScript,
  PipelineNode,
  Redirection as ParsedRedirection,
  Statement,
} from "unbash";
import { factsOf, mustBeKnown } from "./_facts.ts";
import { BUILTINS, INNER_PROGRAMS, type PlanNode } from "../core/plan.ts";
import { Scanner } from "./words/scanner.ts";
import { MOST_PIECES, piecesOf } from "./_pieces.ts";
import type { Script } from "./_script.ts";
import { NO_SETTINGS, takeSettings } from "./_settings.ts";
import { type CompoundReading, readCompound } from "./_compound.ts";
import { withinExec } from "./_exec.ts";
import { readLet } from "./_let.ts";
import { readRedirection, readSimple } from "./_simple.ts";
import {
  deeper,
  inFunction,
  inShell,
  outsideLoops,
  printLines,
  type Reading,
  type ScriptPosition,
  type Walk,
} from "./_walk.ts";
import { Refused } from "./_constructs.ts";

/** A source that is a script of its own. Throws {@linkcode Refused}. */
export function readScript(source: string, reading: Reading, place: ScriptPosition): Script {
  const odd = /\0|\p{Cs}/u.exec(source);
  if (odd !== null) throw new Refused("control", odd.index);
  const { spent } = reading;
  spent.pieces += piecesOf(source, MOST_PIECES - spent.pieces);
  if (spent.pieces > MOST_PIECES) throw new Refused("long", 0);
  const script = reading.parse(source);
  const scanner = new Scanner(source, 0, source.length);
  const facts = factsOf(source, script, reading.forEachChild, place.around);
  return readCommands(script, { reading, place, scanner, facts, readCommands, readScript });
}

/** All commands up to the end of the scanner. */
function readCommands(script: ParsedScript, walk: Walk): Script {
  const { scanner } = walk;
  const items = readStatements(script.commands, inShell(walk));
  // What an error is about is told by the words where they can.
  const [error] = script.errors ?? [];
  if (error !== undefined) throw new Refused("syntax", error.pos);
  scanner.skipLines();
  scanner.finish();
  return scriptOf(items, scanner.at);
}

type Items = Extract<PlanNode, { readonly kind: "list" }>["items"];
type Item = Items[number];

function scriptOf(all: Items, at: number): Script {
  const items = withinExec(all);
  const { settings, rest } = takeSettings(items);
  const [first, second] = rest;
  if (first === undefined) {
    // A script that only has settings does nothing.
    if (items.length > 0) return { node: { kind: "list", items: [] }, settings };
    throw new Refused("empty", at);
  }
  return { node: second === undefined ? first.node : { kind: "list", items: rest }, settings };
}

function listOf(items: Items, at: number): PlanNode {
  const [first, second] = items;
  if (first === undefined) throw new Refused("empty", at);
  return second === undefined ? first.node : { kind: "list", items };
}

function readStatements(statements: readonly Statement[], walk: Walk): Items {
  const { scanner } = walk;
  const items: Item[] = [];
  statements.forEach((statement, index) => {
    scanner.skipLines();
    scanner.mustBeAt(statement.pos);
    const { command } = statement;
    const before = statements[index - 1]?.end;
    const { printed } = walk.place;
    const apart = before === undefined || printed?.inside === true ||
      scanner.source.slice(before, statement.pos).includes("\n");
    if (apart && before !== undefined) printLines(walk, 1);
    const own: Item[] = [];
    const inner = statement.background === true ? outsideLoops(walk) : walk;
    if (command.type === "AndOr") {
      command.commands.forEach((node, position) => {
        const operator = command.operators[position - 1];
        if (operator !== undefined) {
          scanner.skipBlanks();
          scanner.expect(operator);
          scanner.skipLines();
        }
        const when = operator === undefined ? "always" : operator === "&&" ? "success" : "failure";
        own.push({ when, node: readPipeline(node, inner) });
      });
    } else own.push({ when: "always", node: readPipeline(command, inner) });
    scanner.skipBlanks();
    const [only] = own;
    // A shell reads such a command to its end before it begins.
    const line = apart && printed === undefined && walk.place.listed === true
      ? { line: scanner.lineAt(statement.end) }
      : {};
    if (statement.background === true && only !== undefined) {
      scanner.expect("&");
      const body: PlanNode = own.length === 1 ? only.node : { kind: "list", items: own };
      const position = walk.place.position ?? statement.pos;
      items.push({ when: "always", node: { kind: "background", body, position }, ...line });
      scanner.skipBlanks();
      if (scanner.character === "\n" || scanner.character === "#") scanner.skipSeparator();
      return;
    }
    items.push(...own.map((one, at) => at === 0 ? { ...one, ...line } : one));
    if (index < statements.length - 1) scanner.skipSeparator();
    else if (scanner.character === ";" && !endsArm(scanner)) scanner.skipSeparator();
  });
  return items;
}

/** `;;`, `;&` and `;;&` end an arm of `case`. */
function endsArm(scanner: Scanner): boolean {
  return scanner.startsWith(";;") || scanner.startsWith(";&");
}

function readPipeline(node: PipelineNode, walk: Walk): PlanNode {
  if (node.type !== "Pipeline") return readCommand(node, walk);
  const { scanner } = walk;
  let negated = false;
  let time: "bash" | "posix" | null = null;
  for (const prefix of node.prefixes) {
    scanner.mustBeAt(prefix.pos);
    if (prefix.type === "Time") {
      if (time !== null || negated) throw new Refused("dialect", prefix.pos);
      time = readTime(prefix, walk);
      continue;
    }
    // Two of them are no syntax in POSIX.
    if (negated) throw new Refused("dialect", prefix.pos);
    negated = true;
    scanner.expect("!");
    if (!" \t\\".includes(scanner.character)) throw new Refused("dialect", prefix.pos);
    scanner.skipBlanks();
  }
  // Each of several runs in a shell of its own.
  const inner = node.commands.length > 1 || negated || time !== null
    ? outsideExec(walk, node)
    : walk;
  const stages = node.commands.map((command, index) => {
    const operator = node.operators[index - 1];
    if (operator !== undefined) {
      scanner.expect(operator);
      if (operator === "|&") walk.reading.posix = false;
      scanner.skipLines();
    }
    const stage = readCommand(command, inner);
    scanner.skipBlanks();
    return node.operators[index] === "|&" ? withErrors(stage) : stage;
  });
  const [only, second] = stages;
  const body: PlanNode = only !== undefined && second === undefined && !negated
    ? only
    : { kind: "pipeline", stages, negated };
  return time === null ? body : { kind: "time", posix: time === "posix", body };
}

/** `time` and `time -p` (bash(1), Pipelines). */
function readTime(
  { pos, posix, endOfOptions }:
    & Extract<PipelineNode, { readonly type: "Pipeline" }>["prefixes"][number]
    & {
      readonly type: "Time";
    },
  { scanner, reading }: Walk,
): "bash" | "posix" {
  reading.posix = false;
  scanner.expect("time");
  scanner.skipBlanks();
  if (posix !== undefined) {
    scanner.mustBeAt(posix.pos);
    scanner.expect("-p");
    scanner.skipBlanks();
  }
  if (endOfOptions !== undefined) throw new Refused("time", pos);
  // Alone it tells of the shell itself.
  if (/^[;&|)\n]?$/.test(scanner.character)) throw new Refused("time", pos);
  return posix === undefined ? "bash" : "posix";
}

/** Several run each in a shell of its own; what is negated or timed does not. */
function outsideExec(
  walk: Walk,
  { commands }: { readonly commands: readonly CommandNode[] },
): Walk {
  const { place } = walk;
  return commands.length > 1 ? outsideLoops(walk) : { ...walk, place: { ...place, listed: false } };
}

/** `|&` is `2>&1 |`, after all other redirections. */
function withErrors(stage: PlanNode): PlanNode {
  const duplicate = { kind: "duplicate", descriptor: 2, from: 1 } as const;
  if ("redirections" in stage) {
    return { ...stage, redirections: [...stage.redirections, duplicate] };
  }
  return {
    kind: "group",
    subshell: false,
    settings: NO_SETTINGS,
    body: stage,
    redirections: [duplicate],
  };
}

function readCommand(node: CommandNode, walk: Walk): PlanNode {
  const { scanner } = walk;
  scanner.mustBeAt(node.pos);
  switch (node.type) {
    case "Command":
      return node.name?.value === "let" && scanner.startsWith("let")
        ? readLet(node, walk)
        : readSimple(node, walk);
    case "Subshell":
    case "BraceGroup":
      return readGroup(node, [], walk);
    case "Redirected":
      if (node.command.type === "Subshell" || node.command.type === "BraceGroup") {
        return readGroup(node.command, node.redirects, walk);
      }
      return readCompound(node.command, node.redirects, compoundReading(walk));
    case "Function":
      return readFunction(node, walk);
    case "Coproc":
      throw new Refused("background", node.pos);
    default:
      return readCompound(node, [], compoundReading(walk));
  }
}

/** Names that a function may not take: the runner goes by what they mean everywhere else. */
const TAKEN: ReadonlySet<string> = new Set([
  ...BUILTINS,
  ...INNER_PROGRAMS,
  ...["command", "exec", "builtin", "sh", "bash", "dash"],
]);

/** `NAME() { …; }` and `function NAME { …; }` */
function readFunction(
  { name, body, pos }: Extract<CommandNode, { readonly type: "Function" }>,
  walk: Walk,
): PlanNode {
  const { scanner } = walk;
  if (scanner.startsWith("function") && /^\s/.test(scanner.source.slice(scanner.at + 8))) {
    walk.reading.posix = false;
    scanner.expect("function");
    scanner.skipBlanks();
  }
  scanner.mustBeAt(name.pos);
  const text = scanner.source.slice(name.pos, name.end);
  if (!/^[A-Za-z_][\w.:-]*$/.test(text) || TAKEN.has(text)) throw new Refused("function", pos);
  mustBeKnown(text, walk.facts, pos);
  scanner.expect(text);
  scanner.skipBlanks();
  if (scanner.character === "(") {
    scanner.at++;
    scanner.skipBlanks();
    scanner.expect(")");
  }
  scanner.skipLines();
  if (body.type === "CompoundList") throw new Refused("function", pos);
  const inner = inFunction(deeper(walk, pos));
  return { kind: "function", name: text, body: readCommand(body, inner) };
}

/** A loop or a condition reads lists of commands as this reads them. */
function compoundReading(walk: Walk): CompoundReading {
  return {
    walk,
    readList(statements, inside) {
      const { scanner } = inside;
      const { printed } = inside.place;
      const within = printed === undefined
        ? inside
        : { ...inside, place: { ...inside.place, printed: { ...printed, inside: true } } };
      const items = readStatements(statements, within);
      const node = listOf(items, scanner.at);
      closeList(scanner);
      return node;
    },
  };
}

/** A word that closes a list of commands only does so where a command could begin. */
function closeList(scanner: Scanner): void {
  const before = scanner.source.slice(0, scanner.at).trimEnd();
  const closes = /[;&\n})]$|\b(?:fi|done|esac)$|\]\]$/.test(before) || scanner.character === "\n" ||
    scanner.character === "#" || endsArm(scanner);
  if (!closes) throw new Refused("syntax", scanner.at);
  scanner.skipLines();
}

function readGroup(
  node: Extract<CommandNode, { readonly type: "Subshell" | "BraceGroup" }>,
  redirects: readonly ParsedRedirection[],
  walk: Walk,
): PlanNode {
  const { scanner } = walk;
  const subshell = node.type === "Subshell";
  // bash takes `((` for arithmetic first, and loses the here-documents in it on the way.
  const lost = scanner.startsWith("((") && scanner.source.slice(node.pos, node.end).includes("<<");
  if (lost) throw new Refused("dialect", node.pos);
  const within = deeper(subshell ? outsideLoops(walk) : walk, node.pos);
  const inner = subshell ? inShell(within) : within;
  scanner.expect(subshell ? "(" : "{");
  if (!subshell && !" \t\n\\".includes(scanner.character)) throw new Refused("syntax", scanner.at);
  const items = readStatements(node.body.commands, inner);
  const { node: body, settings } = subshell
    ? scriptOf(items, scanner.at)
    : { node: listOf(items, scanner.at), settings: NO_SETTINGS };
  if (subshell) scanner.skipLines();
  else closeList(scanner);
  scanner.expect(subshell ? ")" : "}");
  const redirections = redirects.flatMap((redirect) => {
    scanner.skipBlanks();
    return readRedirection(redirect, walk);
  });
  return { kind: "group", subshell, settings, body, redirections };
}
