/** Takes apart commands that start other commands. */

import type { CommandSpec, Wrapping } from "./_command_spec.ts";
import { codeIn } from "./_command_inspect.ts";

export interface Unwrapped {
  readonly inner: readonly (readonly string[])[];
  /** Why it cannot be said what would run. */
  readonly uncertain: string | null;
}

const NOTHING: Unwrapped = { inner: [], uncertain: null };

/** The commands that `argv` would start, by the table's entry for its program. */
export function unwrap(spec: CommandSpec | null, argv: readonly string[]): Unwrapped {
  const wraps = spec?.wraps;
  if (spec === null || wraps === undefined || isProbe(argv)) return NOTHING;
  switch (wraps.by) {
    case "unknown":
      // A shell that runs a file is an interpreter like any other; launchers carry no `code`.
      if (spec.code !== undefined && codeIn(spec.code, argv) === null) return NOTHING;
      return { inner: [], uncertain: wraps.because };
    case "prefix":
      return afterPrefix(wraps, argv);
    case "options":
      return afterOptions(wraps.options, argv);
  }
}

/** `prog --version` and `prog --help` start nothing. */
function isProbe(argv: readonly string[]): boolean {
  return argv.length === 2 && (argv[1] === "--version" || argv[1] === "--help");
}

function afterPrefix(
  wraps: Extract<Wrapping, { readonly by: "prefix" }>,
  argv: readonly string[],
): Unwrapped {
  let at = 1;
  for (; at < argv.length; at++) {
    const argument = argv[at]!;
    if (argument === "--") {
      at++;
      break;
    }
    if (!argument.startsWith("-")) break;
    if (wraps.flags.includes(argument)) continue;
    if (wraps.values.includes(argument)) {
      at++;
      continue;
    }
    if (carriesValue(wraps.values, argument)) continue;
    return uncertain(`what follows ${argument} is not known to be the command it would start`);
  }
  at += wraps.operands;
  return at < argv.length ? checked(argv.slice(at)) : NOTHING;
}

/** `-n5` and `--adjustment=5`. */
function carriesValue(values: readonly string[], argument: string): boolean {
  return values.some((option) =>
    option.startsWith("--")
      ? argument.startsWith(`${option}=`)
      : !argument.startsWith("--") && argument.startsWith(option)
  );
}

function afterOptions(options: readonly string[], argv: readonly string[]): Unwrapped {
  const inner: (readonly string[])[] = [];
  let at = 1;
  while (at < argv.length) {
    const argument = argv[at++]!;
    if (!options.includes(argument)) {
      const hidden = options.some((option) => hides(option, argument));
      if (hidden) return uncertain(`the command in ${argument} is not written apart`);
      continue;
    }
    const start = at;
    while (at < argv.length && !endsCommand(argv, at)) at++;
    const found = checked(argv.slice(start, at));
    if (found.uncertain !== null) return found;
    inner.push(...found.inner);
    at++;
  }
  return { inner, uncertain: null };
}

/** find(1): `;` ends a command, and `+` right after `{}`. */
function endsCommand(argv: readonly string[], at: number): boolean {
  return argv[at] === ";" || (argv[at] === "+" && argv[at - 1] === "{}");
}

/** `--exec=cmd`, `-xcmd` or `-Hx`, where `find`'s own words (`-exec`) never hide in another. */
function hides(option: string, argument: string): boolean {
  if (option.startsWith("--")) return argument.startsWith(`${option}=`);
  if (option.length !== 2) return false;
  return /^-[A-Za-z]/.test(argument) && argument.slice(1).includes(option[1]!);
}

/** Only a bare name is sure to mean what a rule means by it: nothing looks up a path here. */
function checked(command: readonly string[]): Unwrapped {
  const program = command[0];
  if (program === undefined) return uncertain("it names no command to start");
  if (program.includes("/") || program.includes("{}")) {
    return uncertain("a command that is started by another must be a bare program name");
  }
  if (program === "" || program.startsWith("-") || program.includes("=")) {
    return uncertain("what it would start is not written as a program and its arguments");
  }
  return { inner: [command], uncertain: null };
}

function uncertain(because: string): Unwrapped {
  return { inner: [], uncertain: because };
}
