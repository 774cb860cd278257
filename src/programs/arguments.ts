/** Reads the arguments of a command by what the table says of its program: each with what it names. */

import type { ArgumentPlaces, Place } from "./spec.ts";
import { hasOption } from "./_has_option.ts";
import { startsOf } from "./wrappers.ts";

/** One argument, or the part of one that is a value. */
export interface PlacedArgument {
  readonly place: Place;
  readonly text: string;
}

/**
 * The arguments of a program, each with what it is. `copies`: it copies by its options; `here`: it works where it
 * stands unless told otherwise.
 */
export interface PlacedArguments {
  readonly operands: readonly PlacedArgument[];
  /** Values of options. */
  readonly values: readonly PlacedArgument[];
  /** Options of which nothing is known: a value may hang on them. */
  readonly unknown: readonly string[];
  readonly copies: boolean;
  readonly here: boolean;
}

/** Reads `argv` by the table's entry. Options count until `--`, as getopt_long(3) takes them. */
export function placeArguments(
  places: ArgumentPlaces,
  argv: readonly string[],
): PlacedArguments {
  const variant = places.when?.find(({ has }) => has.some((option) => hasOption(argv, option)));
  const operands = variant?.operands ?? places.operands ?? "probe...";
  const options = variant?.options ?? places.options ?? {};
  const texts: string[] = [];
  const values: PlacedArgument[] = [];
  const unknown: string[] = [];
  let only = false;
  for (let at = 1; at < argv.length; at++) {
    const argument = argv[at]!;
    if (only || !argument.startsWith("-") || argument === "-") {
      texts.push(argument);
    } else if (argument === "--") only = true;
    else if (isMode(operands, argument)) texts.push(argument);
    else if (places.pairs?.[argument] !== undefined) {
      const text = argv[at += 2];
      if (text !== undefined) values.push({ place: places.pairs[argument], text });
    } else {
      const found = optionIn(options, argument);
      if (found === null) unknown.push(argument);
      else {
        const text = found.value ?? argv[++at];
        if (text !== undefined) values.push({ place: found.place, text });
      }
    }
  }
  const stands = values.some(({ place }) => place === "script" || place === "script-file");
  const into = values.some(({ place }) => place === "into");
  return {
    operands: placeOperands(operands, texts, { stands, into }),
    values,
    unknown,
    copies: (variant?.copies ?? places.copies) === true,
    here: (variant === undefined ? places.here : variant.here) === true && !into,
  };
}

/** chmod(1): `-w` is a mode, where a mode comes first and it is no option. */
function isMode(operands: string, argument: string): boolean {
  return operands === "text write..." && /^-[rwxXst]+$/.test(argument);
}

/** The option that an argument is, with the value that hangs on it; null where it is not known. */
function optionIn(
  options: Readonly<Record<string, Place>>,
  argument: string,
): { readonly place: Place; readonly value: string | null } | null {
  if (argument.startsWith("--")) {
    const equals = argument.indexOf("=");
    const name = equals === -1 ? argument : argument.slice(0, equals);
    const value = equals === -1 ? null : argument.slice(equals + 1);
    const exact = options[name];
    if (exact !== undefined) return { place: exact, value };
    // Shortened, as long as it means one kind of thing.
    const longer = Object.keys(options).filter((option) => option.startsWith(name));
    const kinds = new Set(longer.map((option) => options[option]));
    const [kind] = kinds;
    return kinds.size === 1 && kind !== undefined ? { place: kind, value } : null;
  }
  const whole = options[argument];
  if (whole !== undefined) return { place: whole, value: null };
  for (let at = 1; at < argument.length; at++) {
    const place = options[`-${argument[at]}`];
    if (place === undefined) continue;
    return { place, value: at + 1 < argument.length ? argument.slice(at + 1) : null };
  }
  return null;
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
    return { place: place as Place, text };
  });
}

/** find(1): what its words with one argument name. */
const FIND_WORDS: Readonly<Record<string, Place>> = {
  "-fprint": "write",
  "-fprint0": "write",
  "-fprintf": "write",
  "-fls": "write",
  "-newer": "read",
  "-anewer": "read",
  "-cnewer": "read",
  "-samefile": "read",
  "-files0-from": "read",
};

/** As {@linkcode placeArguments}, for find(1): where it starts, and the files that its words name. */
export function placeFind(argv: readonly string[]): PlacedArguments {
  const deletes = argv.includes("-delete");
  const starts = startsOf(argv);
  const values = argv.flatMap((word, at): PlacedArgument[] => {
    const place = FIND_WORDS[word];
    const text = argv[at + 1];
    return place === undefined || text === undefined ? [] : [{ place, text }];
  });
  const operands = (deletes && starts.length === 0 ? ["."] : starts).flatMap(
    (text): PlacedArgument[] => [
      { place: "read", text },
      ...(deletes ? [{ place: "into", text } as const] : []),
    ],
  );
  return { operands, values, unknown: [], copies: false, here: false };
}
