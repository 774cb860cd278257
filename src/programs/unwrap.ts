/** Takes apart commands that start other commands. */

import { findCode } from "./_code.ts";
import { endsCommand, startsOf } from "../core/find_words.ts";
import { parted } from "./_options.ts";
import type { OptionTable } from "./option_table.ts";
import type { OptionSpec, Wrapping } from "./spec.ts";
import type { ProgramSpec } from "./table.ts";

/** What a wrapper (`env`, `nice`, `xargs`) starts. */
export interface Unwrapped {
  readonly inner: readonly (readonly string[])[];
  /** Why it cannot be said what would run. */
  readonly uncertain: string | null;
  /** Words of the program itself, its name first. */
  readonly own: readonly string[];
  /** Variables that it sets for what it starts. */
  readonly variables: readonly string[];
  /** A word that it replaces in what it starts, and what that can be at most. */
  readonly stands: { readonly word: string; readonly words: readonly string[] } | null;
  /** It adds words that it reads. */
  readonly adds: boolean;
}

/** The commands that `argv` would start, by the table's entry for its program. `scripts`: those that were taken apart. */
export function unwrap(
  spec: ProgramSpec | null,
  argv: readonly string[],
  scripts: readonly string[],
): Unwrapped {
  const nothing = unwrapped({ own: argv });
  const wraps = spec?.wraps;
  if (spec === null || wraps === undefined || isProbe(argv)) return nothing;
  switch (wraps.by) {
    case "unknown":
      // A shell that runs a file is an interpreter like any other; launchers carry no `runs`.
      if (spec.runs !== undefined) {
        const script = scriptOf(argv);
        const understood = script !== null && scripts.includes(script);
        if (understood || findCode(spec, argv).code === null) return nothing;
      }
      return uncertain(wraps.because, argv);
    case "prefix":
      return afterPrefix(wraps, spec.options, argv);
    case "env":
      return afterAssignments(argv);
    case "options":
      return afterOptions(wraps.options, argv);
  }
}

/** Whether the shell's script was taken apart: then it adds nothing to what its parts are. */
export function isUnderstood(
  spec: ProgramSpec | null,
  argv: readonly string[],
  scripts: readonly string[],
): boolean {
  if (spec?.runs === undefined || spec.wraps?.by !== "unknown") return false;
  const script = scriptOf(argv);
  return script !== null && scripts.includes(script);
}

/** The script of `sh -c SCRIPT`: the first word that is no option, as shells find it; null without `-c`. */
function scriptOf(argv: readonly string[]): string | null {
  let command = false;
  for (let at = 1; at < argv.length; at++) {
    const word = argv[at]!;
    if (!/^[-+]./.test(word)) return command ? word : null;
    if (word === "--") return command ? argv[at + 1] ?? null : null;
    if (word.startsWith("--")) continue;
    command ||= word.startsWith("-") && word.includes("c");
    if (/^[-+][a-z]*o$/.test(word)) at++;
  }
  return null;
}

/** `prog --version` and `prog --help` start nothing. */
function isProbe(argv: readonly string[]): boolean {
  return argv.length === 2 && (argv[1] === "--version" || argv[1] === "--help");
}

function afterPrefix(
  wraps: Extract<Wrapping, { readonly by: "prefix" }>,
  options: OptionTable,
  argv: readonly string[],
): Unwrapped {
  let at = 1;
  let replaced: string | null = null;
  for (; at < argv.length; at++) {
    const argument = argv[at]!;
    if (argument === "--") {
      at++;
      break;
    }
    if (!argument.startsWith("-")) break;
    const option = lastOption(options, argument);
    if (option === null) {
      return uncertain(
        `what follows ${argument} is not known to be the command it would start`,
        argv,
      );
    }
    const { spelling, spec: { is, optional }, value } = option;
    const takesNext = is !== "flag" && optional !== true && value === null;
    if (wraps.replaces?.includes(spelling) === true) {
      replaced = value ?? (takesNext ? argv[at + 1] ?? null : "{}");
    }
    if (takesNext) at++;
  }
  at += wraps.operands;
  if (at >= argv.length) return unwrapped({ own: argv });
  if (wraps.bare === true && argv[at]!.includes("/")) {
    return uncertain("a command that is started by its name within it must be a bare name", argv);
  }
  return checked([argv.slice(at)], argv, {
    own: argv.slice(0, at),
    adds: wraps.adds === true,
    // What it reads may be any path below; where it is part of a word it may be any text.
    stands: replaced !== null ? { word: replaced, words: ["."] } : null,
  });
}

interface LastOption {
  readonly spelling: string;
  readonly spec: OptionSpec;
  /** What hangs on it; null where nothing does. */
  readonly value: string | null;
}

/**
 * The option that a word ends with: itself, or the last of a cluster of letters (`-r0`, `-0n5`), all before which are flags.
 * Null where one of them is not known, or has a value that it takes none of.
 */
function lastOption({ bySpelling }: OptionTable, word: string): LastOption | null {
  const whole = bySpelling.get(word);
  if (whole !== undefined) return { spelling: word, spec: whole, value: null };
  if (word.startsWith("--")) {
    const { name, value } = parted(word);
    const spec = bySpelling.get(name);
    return spec === undefined || spec.is === "flag" ? null : { spelling: name, spec, value };
  }
  for (let at = 1; at < word.length; at++) {
    const spelling = `-${word[at]}`;
    const spec = bySpelling.get(spelling);
    if (spec === undefined) return null;
    const rest = word.slice(at + 1);
    if (spec.is !== "flag" || rest === "") {
      return { spelling, spec, value: rest === "" ? null : rest };
    }
  }
  return null;
}

const ENV_FLAGS: ReadonlySet<string> = new Set([
  "-i",
  "-",
  "--ignore-environment",
  "-v",
  "--debug",
]);
/** What `env -S` splits at blanks and nothing else. */
const PLAIN_WORDS = /^[\w./:@%+,= -]*$/;

/**
 * Texts of `-S` within each other that are followed. One is usual (the first line of a script); each is read over again
 * by those around it, so that thousands would take the square of their length.
 */
const MAX_SPLITS = 8;

/** env(1): flags, `-u NAME`, `-S TEXT`, then `NAME=value`, then the command. */
function afterAssignments(argv: readonly string[]): Unwrapped {
  const variables: string[] = [];
  let words = argv;
  let at = 1;
  let splits = 0;
  for (; at < words.length; at++) {
    const argument = words[at]!;
    if (argument === "--") {
      at++;
      break;
    }
    if (!argument.startsWith("-")) break;
    if (ENV_FLAGS.has(argument)) continue;
    const split = /^(?:-S|--split-string=)(.*)$/s.exec(argument)?.[1] ??
      (argument === "--split-string" ? "" : null);
    if (split !== null) {
      if (++splits > MAX_SPLITS) {
        return uncertain(`more than ${MAX_SPLITS} texts of env -S are not read`, argv);
      }
      const text = split === "" ? words[at + 1] : split;
      if (text === undefined || !PLAIN_WORDS.test(text)) {
        return uncertain("what env -S would make of its text is not known", argv);
      }
      const taken = split === "" ? 2 : 1;
      words = [
        ...words.slice(0, at),
        ...text.split(" ").filter((word) => word !== ""),
        ...words.slice(at + taken),
      ];
      at--;
      continue;
    }
    const unset = /^(?:-u|--unset=)(.+)$/s.exec(argument)?.[1] ??
      (argument === "-u" || argument === "--unset" ? words[++at] : undefined);
    if (unset === undefined) {
      return uncertain(
        `what follows ${argument} is not known to be the command it would start`,
        argv,
      );
    }
    variables.push(unset);
  }
  for (; at < words.length && words[at]!.includes("="); at++) {
    variables.push(words[at]!.slice(0, words[at]!.indexOf("=")));
  }
  if (at >= words.length) return unwrapped({ own: argv, variables });
  return checked([words.slice(at)], argv, { own: words.slice(0, at), variables });
}

function afterOptions(options: readonly string[], argv: readonly string[]): Unwrapped {
  const inner: (readonly string[])[] = [];
  const own: string[] = argv.slice(0, 1);
  const by: string[] = [];
  let at = 1;
  while (at < argv.length) {
    const argument = argv[at++]!;
    if (!options.includes(argument)) {
      const hidden = options.some((option) => hides(option, argument));
      if (hidden) return uncertain(`the command in ${argument} is not written apart`, argv);
      own.push(argument);
      continue;
    }
    const start = at;
    while (at < argv.length && !endsCommand(argv, at)) at++;
    inner.push(argv.slice(start, at));
    by.push(argument);
    at++;
  }
  const starts = startsOf(own);
  const moved = inner.some(([program = ""], at) =>
    program.includes("/") && !program.startsWith("/") && /dir$/.test(by[at] ?? "")
  );
  if (moved) return uncertain("the folder that its path would start from is not known", argv);
  return checked(inner, argv, {
    own,
    stands: { word: "{}", words: starts.length === 0 ? ["."] : starts },
  });
}

/** `--exec=cmd`, `-xcmd` or `-Hx`, where `find`'s own words (`-exec`) never hide in another. */
function hides(option: string, argument: string): boolean {
  if (option.startsWith("--")) return argument.startsWith(`${option}=`);
  if (option.length !== 2) return false;
  return /^-[A-Za-z]/.test(argument) && argument.slice(1).includes(option[1]!);
}

/** A name is sure to mean what a rule means by it; a path means what lies there, which whoever judges finds out. */
function checked(
  commands: readonly (readonly string[])[],
  argv: readonly string[],
  rest: Partial<Unwrapped>,
): Unwrapped {
  for (const command of commands) {
    const [program] = command;
    if (program === undefined) return uncertain("it names no command to start", argv);
    const replaced = rest.stands?.word;
    if (program.includes("{}") || (replaced !== undefined && program.includes(replaced))) {
      return uncertain("the name of what it would start is put in when it runs", argv);
    }
    // fd(1): `{/}` and the like are names without their folders, and so may be options.
    if (command.some((word) => /\{(?:\/|\.|\/\/|\/\.)\}/.test(word))) {
      return uncertain("what would be put in for a part of a path is not known", argv);
    }
    if (program === "" || program.startsWith("-") || program.includes("=")) {
      return uncertain("what it would start is not written as a program and its arguments", argv);
    }
  }
  return unwrapped({ ...rest, inner: commands });
}

function uncertain(because: string, argv: readonly string[]): Unwrapped {
  return unwrapped({ uncertain: because, own: argv });
}

function unwrapped(parts: Partial<Unwrapped>): Unwrapped {
  return {
    inner: [],
    uncertain: null,
    own: [],
    variables: [],
    stands: null,
    adds: false,
    ...parts,
  };
}
