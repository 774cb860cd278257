/** The table of programs: every literal under each of its names, its options by each spelling. */

import { once } from "../core/once.ts";
import { ARCHIVES } from "./archives.ts";
import { CHECKERS } from "./checkers.ts";
import { COREUTILS } from "./coreutils.ts";
import { CRYPTO } from "./crypto.ts";
import { GIT } from "./git.ts";
import { INTERPRETERS } from "./interpreters.ts";
import { NETWORK } from "./network.ts";
import { names, optionsOf, type OptionTable, optionTable } from "./option_table.ts";
import type {
  OptionSpec,
  PlacesLiteral,
  ProgramLiteral,
  SubcommandLiteral,
  ValueKind,
} from "./spec.ts";
import { TEXT } from "./text.ts";
import { TOOLCHAINS } from "./toolchains.ts";
import { WRAPPERS } from "./wrappers.ts";

/** Places with their options by spelling. */
export interface Places extends Omit<PlacesLiteral, "options"> {
  readonly options: OptionTable;
}

/** A variant of what is named, and the options that choose it. */
export interface Variant extends Places {
  readonly has: readonly string[];
}

/** What a subcommand does, as it is read from its literal. */
export interface SubcommandSpec extends Omit<SubcommandLiteral, "options" | "tamedBy">, Places {
  readonly tamedBy: readonly string[];
}

/** A {@linkcode ProgramLiteral}, ready to be asked. */
export interface ProgramSpec extends
  Omit<
    ProgramLiteral,
    | "options"
    | "pairs"
    | "when"
    | "before"
    | "subcommands"
    | "alone"
    | "links"
    | "through"
    | "project"
    | "tamedBy"
  >,
  Places {
  readonly pairs: OptionTable;
  readonly when: readonly Variant[];
  readonly before: OptionTable;
  readonly subcommands: ReadonlyMap<string, SubcommandSpec>;
  /** Options with which it reads where it stands; null where it never does. */
  readonly alone: readonly string[] | null;
  readonly links: readonly string[];
  readonly through: readonly string[];
  readonly tamedBy: readonly string[];
  readonly modules: readonly string[];
  readonly finds: readonly string[];
  readonly project: readonly string[];
  readonly tells: readonly string[];
  /** What may stand before a subcommand. */
  readonly head: OptionTable;
  /** It is known what its words name. */
  readonly placed: boolean;
  /** Its arguments may hold commands that it starts. */
  readonly starter: boolean;
}

/** What is known of the program of that name; null where nothing is. */
export type CommandKnowledge = (name: string) => ProgramSpec | null;

/** The literal with its options by spelling. */
export function programOf(literal: ProgramLiteral): ProgramSpec {
  const options = optionsOf(literal.options);
  const when = (literal.when ?? []).map((variant) => ({
    ...variant,
    has: names(variant.has),
    options: variant.options === undefined ? options : optionsOf(variant.options),
  }));
  const commands = [options, ...when.map((variant) => variant.options)].some(holdsCommands);
  return {
    ...literal,
    options,
    when,
    placed: literal.operands !== undefined || holdsFiles(options),
    starter: commands || literal.inspect === "awk" || literal.inspect === "sed" ||
      literal.inspect === "prompt" ||
      literal.subcommands !== undefined,
    pairs: optionsOf(literal.pairs),
    before: optionsOf(literal.before),
    head: optionsOf({ ...literal.options, ...literal.before }),
    tamedBy: names(literal.tamedBy ?? ""),
    modules: names(literal.runs?.modules ?? ""),
    finds: names(literal.runs?.finds ?? ""),
    project: names(literal.project ?? ""),
    tells: names(literal.runs?.tells ?? ""),
    alone: literal.alone === undefined ? null : names(literal.alone),
    links: names(literal.links ?? ""),
    through: names(literal.through ?? ""),
    subcommands: new Map(
      Object.entries(literal.subcommands ?? {}).flatMap(([written, one]) => {
        const spec: SubcommandSpec = {
          ...one,
          options: one.options === undefined ? options : optionsOf(one.options),
          tamedBy: names(one.tamedBy ?? ""),
        };
        return names(written).map((name) => [name, spec] as const);
      }),
    ),
  };
}

/** The program with other options, and what operands it has where that was not known. */
export function withOptions(
  spec: ProgramSpec,
  entries: Iterable<readonly [string, OptionSpec]>,
  operands: string | undefined,
): ProgramSpec {
  const options = optionTable(entries);
  return {
    ...spec,
    options,
    ...(operands === undefined ? {} : { operands }),
    placed: operands !== undefined || holdsFiles(options),
    starter: spec.starter || holdsCommands(options),
  };
}

function holdsCommands({ bySpelling }: OptionTable): boolean {
  return [...bySpelling.values()].some(({ is }) => is === "command");
}

function holdsFiles({ bySpelling }: OptionTable): boolean {
  return [...bySpelling.values()].some(({ is }) => FILES.has(is));
}

const FILES: ReadonlySet<ValueKind> = new Set<ValueKind>(
  ["read", "write", "delete", "folder", "into", "from", "sent", "script-file", "host"],
);

/** A literal with its names as they are written, made ready when it is first asked for: there are hundreds of them. */
interface Entry {
  readonly written: readonly string[];
  readonly spec: () => ProgramSpec;
}

const ENTRIES: readonly Entry[] = [
  COREUTILS,
  TEXT,
  ARCHIVES,
  GIT,
  NETWORK,
  INTERPRETERS,
  TOOLCHAINS,
  CHECKERS,
  CRYPTO,
  WRAPPERS,
].flatMap((table) =>
  Object.entries(table).map(([written, literal]) => ({
    written: names(written),
    spec: once(() => programOf(literal)),
  }))
);

const BY_NAME: ReadonlyMap<string, Entry> = new Map(
  ENTRIES.flatMap((entry) => entry.written.map((name) => [name.toLowerCase(), entry] as const)),
);

/** The table's entry for a name: as it is, else without `.exe` and a version (`python3.11`, `gcc-12`). */
export function builtInKnowledge(name: string): ProgramSpec | null {
  const lower = name.toLowerCase().replace(/\.exe$/, "");
  const found = BY_NAME.get(lower) ?? BY_NAME.get(lower.replace(/-?[0-9.]+$/, ""));
  if (found !== undefined) return found.spec();
  // mkfs(8) is one program a file system; the loader takes a program as its argument: ld.so(8).
  if (lower.startsWith("mkfs.")) return BY_NAME.get("mkfs")?.spec() ?? null;
  return /^ld(-linux.*|-musl.*|64)?\.so/.test(lower) ? BY_NAME.get("ld.so")?.spec() ?? null : null;
}

/** Whether the program starts the command among its words as it stands there (`timeout`, `find -exec`). */
export function startsItsWords(name: string): boolean {
  const wraps = builtInKnowledge(name)?.wraps;
  if (wraps === undefined || wraps.by === "unknown") return false;
  return wraps.by !== "options" || wraps.parts !== true;
}

/** All that the table knows, each literal once with its names as they are written. */
export function knownPrograms(): readonly (readonly [names: readonly string[], ProgramSpec])[] {
  return ENTRIES.map(({ written, spec }) => [written, spec()]);
}
