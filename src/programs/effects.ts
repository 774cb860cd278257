/** What a command would do to files, hosts and other programs by its arguments: the table of programs, read for one command. */

import type { Program, SpawnCapability } from "../core/capability.ts";
import { addressOf } from "./address_argument.ts";
import { placeArguments, type PlacedArgument, placeFind } from "./arguments.ts";
import type { Effect, FileEffect } from "./effect.ts";
import { clustered } from "./inspect.ts";
import {
  assessCommand,
  baseName,
  baseNames,
  builtInKnowledge,
  type CommandKnowledge,
} from "./risk.ts";
import type { CommandSpec, Starts } from "./spec.ts";
import { unwrap, type Unwrapped } from "./wrappers.ts";

export type { Effect, FileEffect } from "./effect.ts";
export type { Starts } from "./spec.ts";

/** What a command would do, as far as its words say. */
export interface Effects {
  readonly reads: readonly FileEffect[];
  /** Makes, changes or replaces. */
  readonly writes: readonly FileEffect[];
  /** Takes away, and so changes the folder that it lies in. */
  readonly deletes: readonly FileEffect[];
  /** Port 0 where none is known: no rule names it. */
  readonly connects: readonly { readonly host: string; readonly port: number }[];
  /** Environment variables that it sets for what it starts. */
  readonly sets: readonly string[];
  /** Words of which nothing is known: where one names something that is there, that may be read. */
  readonly probes: readonly string[];
  /** What it may start in turn: nothing, programs of these bare names (`git-*` for all that begin so), or any. */
  readonly starts: Starts;
  /**
   * Nothing holds it to the files above: it runs code, or is a program of which nothing is known. What the policy
   * allows at all is its ground.
   */
  readonly touchesAnything: boolean;
}

/** A command, as in {@linkcode SpawnCapability}; started in the workspace itself unless `cwd` says otherwise. */
export type EffectsCommand =
  & Pick<SpawnCapability, "argv">
  & Partial<Pick<SpawnCapability, "cwd" | "open" | "scripts" | "opened">>;

/**
 * The effects of a command, those of the commands that it would start included. Pure: nothing is looked up.
 * `program`: what was found for `argv[0]`, null where nothing was or nothing was sought.
 * `knowledge`: the built-in table unless given (a policy's `programs` section adds to it).
 *
 * `effectsOf({ argv: ["sort", "-o", "out", "a"] })` reads `a`, writes `out`, starts none.
 */
export function effectsOf(
  command: EffectsCommand,
  program: Program | null = null,
  knowledge: CommandKnowledge = builtInKnowledge,
): Effects {
  const { effects, probes, starts, touchesAnything } = orderedEffects(command, program, knowledge);
  const files = (kind: "read" | "write" | "delete"): readonly FileEffect[] =>
    effects.flatMap((effect) => effect.kind === kind ? [effect.file] : []);
  return {
    reads: files("read"),
    writes: files("write"),
    deletes: files("delete"),
    connects: effects.flatMap((effect) => effect.kind === "connect" ? [effect.to] : []),
    sets: effects.flatMap((effect) => effect.kind === "set" ? [effect.name] : []),
    probes,
    starts,
    touchesAnything,
  };
}

/** {@linkcode Effects} in the order of the words, as rules are asked about them. */
export interface OrderedEffects extends Pick<Effects, "probes" | "starts" | "touchesAnything"> {
  readonly effects: readonly Effect[];
}

/** As {@linkcode effectsOf}, in the order of the words. */
export function orderedEffects(
  command: EffectsCommand,
  program: Program | null,
  knowledge: CommandKnowledge,
): OrderedEffects {
  // A shell that is not started touches nothing; what it stands for is judged beside it.
  if (command.opened === true) {
    return { effects: [], probes: [], starts: "none", touchesAnything: false };
  }
  const { argv, cwd = ".", scripts = [] } = command;
  const open = new Set((command.open ?? []).map((index) => argv[index] ?? ""));
  const found: Found = {
    cwd,
    open,
    scripts,
    effects: [],
    probes: [],
    starts: new Set(),
    startsAny: false,
    touchesAnything: false,
  };
  const specs = baseNames(argv, program).map((name) => knowledge(name));
  // Under several names all count; one that is not known adds its doubt.
  for (const spec of specs) follow(argv, spec, found, knowledge, 0);
  const { uncertain } = assessCommand({ argv, scripts }, program, knowledge);
  if (uncertain !== null) {
    found.startsAny = true;
    found.touchesAnything = true;
  }
  return {
    effects: found.effects,
    probes: [...new Set(found.probes)],
    starts: found.startsAny ? "any" : found.starts.size === 0 ? "none" : [...found.starts],
    touchesAnything: found.touchesAnything,
  };
}

/** Commands inside commands that are followed, as for their risk. */
const MAX_DEPTH = 8;

/** Paths that every program may use, and that lead to no file. */
const STREAMS: ReadonlySet<string> = new Set([
  "-",
  "",
  "/dev/null",
  "/dev/stdin",
  "/dev/stdout",
  "/dev/stderr",
]);

interface Found {
  readonly cwd: string;
  /** Words, as they are written, that are known only at run time. */
  readonly open: ReadonlySet<string>;
  readonly scripts: readonly string[];
  readonly effects: Effect[];
  readonly probes: string[];
  readonly starts: Set<string>;
  startsAny: boolean;
  touchesAnything: boolean;
}

function follow(
  argv: readonly string[],
  spec: CommandSpec | null,
  found: Found,
  knowledge: CommandKnowledge,
  depth: number,
): void {
  const unwrapped = unwrap(spec, argv, found.scripts);
  for (const name of unwrapped.variables) found.effects.push({ kind: "set", name });
  if (depth < MAX_DEPTH) {
    for (const inner of unwrapped.inner) {
      const command = inWords(inner, unwrapped.stands);
      const name = baseName(command[0] ?? "");
      found.starts.add(name);
      follow(command, knowledge(name), found, knowledge, depth + 1);
      if (unwrapped.adds && unwrapped.stands === null) added(command, knowledge(name), found);
    }
  }
  ownStarts(spec, unwrapped, found);
  const { own } = unwrapped;
  if (spec?.places !== undefined) touch(spec, own, found);
  else found.probes.push(...own.slice(1).filter((word) => !found.open.has(word)));
}

/** What the program itself may start and reach, beside the commands among its words. */
function ownStarts(spec: CommandSpec | null, { inner }: Unwrapped, found: Found): void {
  const free = spec === null || spec.starts === "any" ||
    (spec.starts === undefined && inner.length === 0);
  if (free) {
    found.startsAny = true;
    found.touchesAnything = true;
  } else if (spec.starts !== undefined && spec.starts !== "none") {
    for (const name of spec.starts) found.starts.add(name);
  }
}

/** What stands for what is found (`{}` of find(1)) taken for where it is looked for. */
function inWords(
  inner: readonly string[],
  stands: { readonly word: string; readonly words: readonly string[] } | null,
): readonly string[] {
  if (stands === null) return inner;
  return inner.flatMap((word) => word === stands.word ? stands.words : [word]);
}

function touch(spec: CommandSpec, argv: readonly string[], found: Found): void {
  const { places } = spec;
  if (places === undefined) return;
  const read = spec.inspect === "find"
    ? placeFind(argv)
    : placeArguments(places, clustered(spec, argv));
  if (spec.inspect === "git") revisions(read.operands, found);
  for (const argument of [...read.operands, ...read.values]) place(argument, found);
  if (read.here) found.effects.push(file("write", found.cwd, true));
  if (read.copies) copies(read.operands, read.values, found);
  // Texts alone are never files; else a value may hang on an option that is not known.
  if (places.operands !== "text...") {
    found.probes.push(...read.unknown.filter((word) => !found.open.has(word)));
  }
}

function place({ place, text }: PlacedArgument, found: Found): void {
  const { effects, probes, cwd } = found;
  if (found.open.has(text)) {
    const changes = place === "write" || place === "folder" || place === "into";
    if (changes) effects.push(file("write", from(cwd, plainFolder(text)), true));
    return;
  }
  switch (place) {
    case "text":
    case "script":
    case "run":
      return;
    case "probe":
      probes.push(text);
      return;
    case "sent": {
      const path = /(?:^[\w-]*|=)[@<](.+?)(?:;|$)/.exec(text)?.[1];
      if (path !== undefined && !STREAMS.has(path)) {
        effects.push(file("read", from(cwd, path), false));
      }
      return;
    }
    case "host":
      effects.push(addressOf(text, cwd));
      return;
    case "read":
    case "script-file":
      if (!STREAMS.has(text)) effects.push(file("read", from(cwd, text), false));
      return;
    case "write":
      if (!STREAMS.has(text)) effects.push(file("write", from(cwd, text), false));
      return;
    case "folder":
    case "into":
      if (text !== "") effects.push(file("write", from(cwd, text), true));
  }
}

/** git(1), gitrevisions(7): `HEAD:path` is that file's content. */
function revisions(operands: readonly PlacedArgument[], found: Found): void {
  for (const { text } of operands) {
    const path = /^[^:]+:(?:\.\/)?(.+)$/s.exec(text)?.[1];
    if (path === undefined || found.open.has(text) || /^[a-z+]+:\/\//.test(text)) continue;
    found.effects.push(file("read", path, false));
  }
}

/** What comes to lie in the directory that is written to, under its own name. */
function copies(
  operands: readonly PlacedArgument[],
  values: readonly PlacedArgument[],
  found: Found,
): void {
  const into = values.find(({ place }) => place === "into")?.text;
  const target = into ?? operands[operands.length - 1]?.text;
  const sources = into === undefined ? operands.slice(0, -1) : operands;
  if (target === undefined || target === "" || found.open.has(target)) return;
  for (const { text } of sources) {
    const name = baseName(text.replace(/\/+$/, ""));
    if (found.open.has(text) || name === "" || name === "." || name === "..") continue;
    const path = from(found.cwd, `${target.replace(/\/+$/, "") || "/"}/${name}`);
    found.effects.push(file("write", path, false));
  }
}

/** Words that are only read when it runs (xargs): what it would write may be anything below. */
function added(command: readonly string[], spec: CommandSpec | null, found: Found): void {
  const operands = spec?.places?.operands ?? "";
  if (command.length > 0 && /(?:write|folder)(?:\.\.\.)?$/.test(operands)) {
    found.effects.push(file("write", found.cwd, true));
  }
  if (command.length > 0 && /read\.\.\./.test(operands)) {
    found.effects.push({ kind: "read", file: { path: found.cwd, tree: true, implied: true } });
  }
}

function file(kind: "read" | "write", path: string, tree: boolean): Effect {
  return { kind, file: { path, tree } };
}

/** A path from a directory, left for the host to resolve part by part. */
function from(cwd: string, path: string): string {
  return path.startsWith("/") || cwd === "." ? path : `${cwd}/${path}`;
}

/** The folder before what is known only at run time. */
function plainFolder(text: string): string {
  const plain = text.slice(0, /[*?[$~]|$/.exec(text)?.index ?? 0);
  const slash = plain.lastIndexOf("/");
  return slash === -1 ? "." : plain.slice(0, slash) || "/";
}
