/** What a command would do to files, hosts and other programs by its arguments: the table of programs, read for one command. */

import { baseName } from "../core/path_text.ts";
import type { Program, SpawnCapability } from "../core/capability.ts";
import type { Effect, FileEffect } from "./effect.ts";
import { moduleWords } from "./_code.ts";
import { inspectArguments } from "./_inspect.ts";
import { OPEN_COMMAND } from "./scripts/open_command.ts";
import { baseNames } from "./risk.ts";
import type { Beyond, Starts } from "./spec.ts";
import { installedPath } from "./_inspect.ts";
import { commandsIn } from "./_started.ts";
import { subcommandPositions } from "./subcommands.ts";
import { builtInKnowledge, type CommandKnowledge, type ProgramSpec } from "./table.ts";
import { file, pathFrom, touch, type Touched } from "./_touch.ts";
import { unwrap } from "./unwrap.ts";

export type { Effect, FileEffect } from "./effect.ts";
export type { Starts } from "./spec.ts";

/** What a command would do, as far as its words say. */
export interface Effects {
  readonly reads: readonly FileEffect[];
  /** Makes, changes or replaces; what is changed in its place (`sed -i`, `patch`) is read first. */
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
  /** What it and those that it starts read that no word names. */
  readonly beyond: Beyond;
  /** It reads or changes the repository of git that it stands in, wherever that begins. */
  readonly repository: "reads" | "changes" | null;
  /** Commands that it would start. */
  readonly commands: readonly InnerCommand[];
  /** Of those that it starts the ones that are named by a path, as it is written. */
  readonly paths: readonly string[];
  /** Files that it and those that it starts run, or take their settings from, where no word names one. */
  readonly project: readonly string[];
}

/** A command within another. */
export interface InnerCommand {
  readonly words: readonly string[];
  /** Those are all that it will have, and it begins where the outer one does. */
  readonly whole: boolean;
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
  const { effects, ...rest } = orderedEffects(command, program, knowledge);
  const files = (kind: "read" | "write" | "delete"): readonly FileEffect[] =>
    effects.flatMap((effect) => effect.kind === kind ? [effect.file] : []);
  return {
    reads: files("read"),
    writes: files("write"),
    deletes: files("delete"),
    connects: effects.flatMap((effect) => effect.kind === "connect" ? [effect.to] : []),
    sets: effects.flatMap((effect) => effect.kind === "set" ? [effect.name] : []),
    ...rest,
  };
}

/** {@linkcode Effects} in the order of the words, as rules are asked about them. */
export interface OrderedEffects extends
  Pick<
    Effects,
    | "probes"
    | "starts"
    | "touchesAnything"
    | "beyond"
    | "repository"
    | "commands"
    | "paths"
    | "project"
  > {
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
    return {
      effects: [],
      probes: [],
      starts: "none",
      touchesAnything: false,
      beyond: "nothing",
      repository: null,
      commands: [],
      paths: [],
      project: [],
    };
  }
  const { argv, cwd = ".", scripts = [] } = command;
  const open = new Set((command.open ?? []).map((index) => argv[index] ?? ""));
  const found: FoundEffects = {
    cwd,
    open,
    scripts,
    effects: [],
    probes: [],
    starts: new Set(),
    commands: [],
    paths: new Set(),
    project: new Set(),
    startsAny: false,
    touchesAnything: false,
    beyond: "nothing",
    repository: null,
  };
  const specs = baseNames(argv, program).map((name) => knowledge(name));
  // Under several names all count; one that is not known adds its doubt.
  for (const spec of specs) follow(argv, spec, found, { knowledge, depth: 0, whole: true });
  return {
    effects: found.effects,
    probes: [...new Set(found.probes)],
    starts: found.startsAny ? "any" : found.starts.size === 0 ? "none" : [...found.starts],
    touchesAnything: found.touchesAnything,
    beyond: found.beyond,
    repository: found.repository,
    commands: found.commands,
    paths: [...found.paths],
    project: [...found.project],
  };
}

/** Commands inside commands that are followed, as for their risk. */
const MAX_DEPTH = 8;

interface FoundEffects extends Touched {
  readonly scripts: readonly string[];
  readonly starts: Set<string>;
  readonly commands: InnerCommand[];
  readonly paths: Set<string>;
  readonly project: Set<string>;
  startsAny: boolean;
  touchesAnything: boolean;
  repository: "reads" | "changes" | null;
}

interface Following {
  readonly knowledge: CommandKnowledge;
  readonly depth: number;
  /** Whether all its words are known. */
  readonly whole: boolean;
}

function follow(
  argv: readonly string[],
  spec: ProgramSpec | null,
  found: FoundEffects,
  { knowledge, depth, whole }: Following,
): void {
  const unwrapped = unwrap(spec, argv, found.scripts);
  const { own, inner, stands, adds } = unwrapped;
  if (unwrapped.uncertain !== null || depth >= MAX_DEPTH) free(found);
  for (const one of [spec, moduleOf(spec, argv, knowledge)]) {
    one?.project.forEach((name) => found.project.add(name));
  }
  for (const name of unwrapped.variables) found.effects.push({ kind: "set", name });
  const start = (command: readonly string[], known: boolean): ProgramSpec | null => {
    const name = baseName(command[0] ?? "");
    const started = knowledge(name);
    found.starts.add(name);
    found.commands.push({ words: command, whole: known });
    follow(command, started, found, { knowledge, depth: depth + 1, whole: known });
    return started;
  };
  if (depth < MAX_DEPTH) {
    for (const words of inner) {
      const command = inWords(words, stands);
      // Whatever lies there: the table speaks of what the system has by that name.
      if (command[0]?.includes("/") === true) {
        found.paths.add(command[0]);
        free(found);
      }
      const before = found.effects.length;
      const started = start(command, whole && stands === null && !adds);
      if (stands !== null) spread(found, before, stands.words);
      if (adds && stands === null) added(command, started, found);
    }
  }
  const installed = depth === 0 ? installedPath(spec, own) : null;
  if (installed !== null) found.paths.add(installed);
  ownGround(spec, own, inner.length > 0, found);
  const within = commandsIn(spec, own);
  if (within === null) return free(found);
  // Nearly all of them hand their text to a shell.
  if (within.length > 0) found.starts.add("sh");
  const told = within.filter(([name]) => name !== OPEN_COMMAND);
  if (told.length < within.length) free(found);
  if (depth < MAX_DEPTH) told.forEach((command) => start(command, false));
  if (spec?.placed === true) touch(spec, own, found);
  else found.probes.push(...own.slice(1).filter((word) => !found.open.has(word)));
}

/** What is known of the module that an interpreter runs (`python3 -m pytest`). */
function moduleOf(
  spec: ProgramSpec | null,
  argv: readonly string[],
  knowledge: CommandKnowledge,
): ProgramSpec | null {
  const [module] = spec === null ? [] : moduleWords(spec, argv);
  return module === undefined ? null : knowledge(module);
}

function further(one: Beyond, other: Beyond): Beyond {
  return BEYOND.indexOf(one) >= BEYOND.indexOf(other) ? one : other;
}

/** In order: each includes what stands before it. */
const BEYOND: readonly Beyond[] = ["nothing", "system", "workspace"];

/** It is not known what would run, so nothing holds it. */
function free(found: FoundEffects): void {
  found.startsAny = true;
  found.touchesAnything = true;
}

/** What the program itself may start and touch, beside what its words name. */
function ownGround(
  spec: ProgramSpec | null,
  own: readonly string[],
  wraps: boolean,
  found: FoundEffects,
): void {
  const known = spec?.operands === undefined && !wraps ? "any" : "none";
  const starts = spec === null ? "any" : spec.starts ?? known;
  if (starts === "any") return free(found);
  if (starts !== "none") starts.forEach((name) => found.starts.add(name));
  found.beyond = further(found.beyond, spec?.beyond ?? "nothing");
  const inspected = spec?.inspect === "awk" || spec?.inspect === "sed";
  // A script that is not plainly harmless may write what it names in its own language.
  if (inspected && inspectArguments("", spec, own).risk === "dangerous") {
    found.touchesAnything = true;
  }
  if (spec === null || spec.before.bySpelling.size === 0) return;
  for (const at of subcommandPositions(spec, own)) {
    const word = own[at];
    if (word === undefined || word.startsWith("-")) continue;
    const sub = spec.subcommands.get(word);
    if (sub?.starts !== undefined && sub.starts !== "none" && sub.starts !== "any") {
      sub.starts.forEach((name) => found.starts.add(name));
    }
    const does = sub === undefined ? "changes" : sub.repository ?? null;
    if (found.repository !== "changes") found.repository = does ?? found.repository;
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

/**
 * Where it is looked, whatever lies below may be found: what is done to that is done there, and to no more than what is
 * found.
 */
function spread({ effects, cwd }: FoundEffects, before: number, words: readonly string[]): void {
  const places = new Set(words.map((word) => pathFrom(cwd, word)));
  for (const effect of effects.splice(before)) {
    if (!("file" in effect) || !places.has(effect.file.path)) effects.push(effect);
    else {
      const { through: _, ...file } = effect.file;
      effects.push({ ...effect, file: { ...file, tree: true } });
    }
  }
}

/** Words that are only read when it runs (xargs): what it would write may be anything below. */
function added(command: readonly string[], spec: ProgramSpec | null, found: FoundEffects): void {
  const operands = spec?.operands ?? "";
  if (command.length > 0 && /(?:write|delete|folder)(?:\.\.\.)?$/.test(operands)) {
    found.effects.push(file("write", found.cwd, true));
  }
  if (command.length > 0 && /read\.\.\./.test(operands)) {
    found.effects.push({ kind: "read", file: { path: found.cwd, tree: true, implied: true } });
  }
}
