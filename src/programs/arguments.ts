/** Reads the words of a command by what is known of its program: each with what it names. */

import { hasOption, optionIn, spelledOut } from "./_options.ts";
import type { LeadingLiteral, OptionSpec, ValueKind } from "./spec.ts";
import type { Places, ProgramSpec } from "./table.ts";
import { startsOf } from "../core/find_words.ts";

/** One argument, or the part of one that is a value. */
export interface PlacedArgument {
  readonly place: ValueKind;
  readonly text: string;
  /** The option that it is the value of. */
  readonly option?: OptionSpec;
}

/**
 * The arguments of a program, each with what it is. `copies`: it copies by its options; `here`: it works where it
 * stands unless told otherwise.
 */
export interface PlacedArguments {
  readonly operands: readonly PlacedArgument[];
  /** Values of options. */
  readonly values: readonly PlacedArgument[];
  /** Options that stand alone, or of which nothing is known: a value may hang on them. */
  readonly unknown: readonly string[];
  readonly copies: boolean;
  /** It makes links by its options, and these. */
  readonly leads: LeadingLiteral | null;
  readonly here: boolean;
  readonly members: boolean;
}

/** The words as the program's parser gets them: tar's first cluster written out. */
export function plainWords(spec: ProgramSpec, argv: readonly string[]): readonly string[] {
  return spec.grammar === "tar" ? spelledOut(argv, spec.options) : argv;
}

/** Reads `argv` by the table's entry. Options count until `--`, as getopt_long(3) takes them. */
export function placeArguments(spec: ProgramSpec, argv: readonly string[]): PlacedArguments {
  if (spec.inspect === "find") return placeFind(spec, argv);
  const words = plainWords(spec, argv);
  const variant = spec.when.find(({ has }) =>
    has.some((option) => hasOption(words, option, spec.grammar))
  );
  const head = spec.subcommands.size === 0 ? null : headOf(spec, words);
  const sub = head === null ? undefined : spec.subcommands.get(words[head.rest] ?? "");
  const places: Places = sub ?? variant ?? spec;
  const rest = readRest(spec, places, words, head === null ? 1 : head.rest + 1);
  const stands = rest.values.some(({ place }) => place === "script" || place === "script-file");
  const into = rest.values.some(({ place }) => place === "into");
  const operands = places.operands ?? spec.operands ?? "probe...";
  const subcommand = head === null ? undefined : words[head.rest];
  return {
    operands: [
      ...(subcommand === undefined ? [] : [{ place: "probe", text: subcommand } as const]),
      ...placeOperands(operands, rest.texts, { stands, into }),
    ],
    values: [...head?.values ?? [], ...rest.values],
    unknown: [...head?.unknown ?? [], ...rest.unknown],
    copies: (variant?.copies ?? sub?.copies ?? spec.copies) === true,
    leads: variant?.leads ?? null,
    here: places.here === true && !into,
    members: places.members === true,
  };
}

interface ReadOptions {
  readonly texts: readonly string[];
  readonly values: readonly PlacedArgument[];
  readonly unknown: readonly string[];
}

/** Options before the subcommand, and where that stands. */
function headOf(
  spec: ProgramSpec,
  words: readonly string[],
): Omit<ReadOptions, "texts"> & { readonly rest: number } {
  const values: PlacedArgument[] = [];
  const unknown: string[] = [];
  let at = 1;
  for (; at < words.length; at++) {
    const word = words[at]!;
    if (!word.startsWith("-") || word === "-") break;
    const found = optionIn(spec.head, word, spec.grammar);
    if (found === null) {
      unknown.push(word);
      continue;
    }
    const text = found.takesNext ? words[++at] : found.value ?? "";
    if (text !== undefined) values.push({ place: found.spec.is, text, option: found.spec });
  }
  return { values, unknown, rest: at };
}

function readRest(
  spec: ProgramSpec,
  { options, operands = "" }: Places,
  words: readonly string[],
  from: number,
): ReadOptions {
  const texts: string[] = [];
  const values: PlacedArgument[] = [];
  const unknown: string[] = [];
  let only = false;
  for (let at = from; at < words.length; at++) {
    const word = words[at]!;
    const pair = spec.pairs.bySpelling.get(word);
    if (only || !word.startsWith("-") || word === "-") texts.push(word);
    else if (word === "--") only = true;
    else if (isMode(operands, word)) texts.push(word);
    else if (pair !== undefined) {
      const text = words[at += 2];
      if (text !== undefined) values.push({ place: pair.is, text, option: pair });
    } else {
      const found = optionIn(options, word, spec.grammar);
      if (found === null) unknown.push(word);
      else {
        const text = found.takesNext ? words[++at] : found.value ?? "";
        if (text !== undefined) values.push({ place: found.spec.is, text, option: found.spec });
      }
    }
  }
  return { texts, values, unknown };
}

/** chmod(1): `-w` is a mode, where a mode comes first and it is no option. */
function isMode(operands: string, argument: string): boolean {
  return operands === "text write..." && /^-[rwxXst]+$/.test(argument);
}

function placeOperands(
  operands: string,
  texts: readonly string[],
  { stands, into }: { readonly stands: boolean; readonly into: boolean },
): readonly PlacedArgument[] {
  const places = operands.split(" ");
  if (stands && places[0] === "text") places.shift();
  const many = places.findIndex((place) => place.endsWith("..."));
  const behind = many === -1 ? 0 : places.length - 1 - many;
  // With a directory named by an option all operands go there; a last place needs one before it.
  const lasting = into || texts.length <= Math.max(many, 0) + (behind > 0 ? 1 : 0) ? 0 : behind;
  const last = texts.length - lasting;
  return texts.map((text, index) => {
    const named = index >= last
      ? places[many + 1 + index - last]
      : places[many !== -1 && index > many ? many : index];
    // More operands than are known of: the strictest guess.
    const place = (named ?? places[places.length - 1] ?? "probe").replace("...", "");
    return { place: place as ValueKind, text };
  });
}

/** As {@linkcode placeArguments}, for find(1): where it starts, and the files that its words name. */
function placeFind({ options }: ProgramSpec, argv: readonly string[]): PlacedArguments {
  const deletes = argv.includes("-delete");
  const starts = startsOf(argv);
  const values = argv.flatMap((word, at): PlacedArgument[] => {
    const option = options.bySpelling.get(word);
    const text = argv[at + 1];
    const valued = option !== undefined && option.is !== "flag" && text !== undefined;
    return valued ? [{ place: option.is, text, option }] : [];
  });
  const operands = (deletes && starts.length === 0 ? ["."] : starts).flatMap(
    (text): PlacedArgument[] => [
      { place: "read", text },
      ...(deletes ? [{ place: "into", text } as const] : []),
    ],
  );
  return {
    operands,
    values,
    unknown: [],
    copies: false,
    leads: null,
    here: false,
    members: false,
  };
}
