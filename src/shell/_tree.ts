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
import type { PlanNode } from "../core/plan.ts";
import { Scanner } from "./_scanner.ts";
import { MOST_PIECES, piecesOf } from "./_pieces.ts";
import type { Script } from "./_script.ts";
import { isSet, NO_SETTINGS, takeSettings } from "./_settings.ts";
import { type CompoundReading, readCompound } from "./_compound.ts";
import { readRedirection, readSimple } from "./_simple.ts";
import { deeper, outsideLoops, type Reading, type ScriptPosition, type Walk } from "./_walk.ts";
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
  return readCommands(script, { reading, place, scanner, readCommands, readScript });
}

/** All commands up to the end of the scanner. */
function readCommands(script: ParsedScript, walk: Walk): Script {
  const { scanner } = walk;
  const items = readStatements(script.commands, walk);
  // What an error is about is told by the words where they can.
  const [error] = script.errors ?? [];
  if (error !== undefined) throw new Refused("syntax", error.pos);
  scanner.skipLines();
  scanner.finish();
  return scriptOf(items, scanner.at);
}

type Items = Extract<PlanNode, { readonly kind: "list" }>["items"];

function scriptOf(items: Items, at: number): Script {
  const { settings, rest } = takeSettings(items);
  const [first, second] = rest;
  if (first === undefined) {
    // A script that only has settings does nothing.
    if (items.length > 0) return { node: { kind: "list", items: [] }, settings };
    throw new Refused("empty", at);
  }
  return { node: second === undefined ? first.node : { kind: "list", items: rest }, settings };
}

function readStatements(statements: readonly Statement[], walk: Walk): Items {
  const { scanner } = walk;
  const items: { when: "always" | "success" | "failure"; node: PlanNode }[] = [];
  statements.forEach((statement, index) => {
    scanner.skipLines();
    scanner.mustBeAt(statement.pos);
    const { command } = statement;
    if (command.type === "AndOr") {
      command.commands.forEach((node, position) => {
        const operator = command.operators[position - 1];
        if (operator !== undefined) {
          scanner.skipBlanks();
          scanner.expect(operator);
          scanner.skipLines();
        }
        const when = operator === undefined ? "always" : operator === "&&" ? "success" : "failure";
        items.push({ when, node: readPipeline(node, walk) });
      });
    } else items.push({ when: "always", node: readPipeline(command, walk) });
    scanner.skipBlanks();
    if (statement.background === true) throw new Refused("background", scanner.at);
    if (index < statements.length - 1) scanner.skipSeparator();
    else if (scanner.character === ";" && !scanner.startsWith(";;")) scanner.skipSeparator();
  });
  return items;
}

function readPipeline(node: PipelineNode, walk: Walk): PlanNode {
  if (node.type !== "Pipeline") return readCommand(node, walk);
  const { scanner } = walk;
  let negated = false;
  for (const prefix of node.prefixes) {
    scanner.mustBeAt(prefix.pos);
    if (prefix.type === "Time") throw new Refused("time", prefix.pos);
    // Two of them are no syntax in POSIX.
    if (negated) throw new Refused("dialect", prefix.pos);
    negated = true;
    scanner.expect("!");
    if (!" \t\\".includes(scanner.character)) throw new Refused("dialect", prefix.pos);
    scanner.skipBlanks();
  }
  // Each of several runs in a shell of its own.
  const inner = node.commands.length > 1 ? outsideLoops(walk) : walk;
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
  if (only !== undefined && second === undefined && !negated) return only;
  return { kind: "pipeline", stages, negated };
}

/** `|&` is `2>&1 |`, after all other redirections. */
function withErrors(stage: PlanNode): PlanNode {
  const duplicate = { kind: "duplicate", descriptor: 2, from: 1 } as const;
  if (stage.kind !== "pipeline" && stage.kind !== "list") {
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
      return readSimple(node, walk);
    case "Subshell":
    case "BraceGroup":
      return readGroup(node, [], walk);
    case "Redirected":
      if (node.command.type === "Subshell" || node.command.type === "BraceGroup") {
        return readGroup(node.command, node.redirects, walk);
      }
      return readCompound(node.command, node.redirects, compoundReading(walk));
    case "Function":
      throw new Refused("function", node.pos);
    case "Coproc":
      throw new Refused("background", node.pos);
    default:
      return readCompound(node, [], compoundReading(walk));
  }
}

/** A loop or a condition reads lists of commands as this reads them. */
function compoundReading(walk: Walk): CompoundReading {
  return {
    walk,
    readList(statements, inside) {
      const { scanner } = inside;
      const items = readStatements(statements, inside);
      const { node, settings } = scriptOf(items, scanner.at);
      if (isSet(settings)) throw new Refused("set", scanner.at);
      closeList(scanner);
      return node;
    },
  };
}

/** A word that closes a list of commands only does so where a command could begin. */
function closeList(scanner: Scanner): void {
  const before = scanner.source.slice(0, scanner.at).trimEnd();
  const closes = /[;\n})]$|\b(?:fi|done|esac)$/.test(before) || scanner.character === "\n" ||
    scanner.character === "#" || scanner.startsWith(";;");
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
  const inner = deeper(subshell ? outsideLoops(walk) : walk, node.pos);
  scanner.expect(subshell ? "(" : "{");
  if (!subshell && !" \t\n\\".includes(scanner.character)) throw new Refused("syntax", scanner.at);
  const items = readStatements(node.body.commands, inner);
  const { node: body, settings } = scriptOf(items, scanner.at);
  if (subshell) scanner.skipLines();
  else closeList(scanner);
  scanner.expect(subshell ? ")" : "}");
  if (!subshell && isSet(settings)) {
    throw new Refused("set", node.pos);
  }
  const redirections = redirects.flatMap((redirect) => {
    scanner.skipBlanks();
    return readRedirection(redirect, walk);
  });
  return { kind: "group", subshell, settings, body, redirections };
}
