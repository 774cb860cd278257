/** The commands that a program would start by its arguments: values of options, words behind a subcommand, scripts. */

import { placeArguments, type PlacedArgument } from "./arguments.ts";
import { awkCommands } from "./scripts/awk_commands.ts";
import { findCode } from "./_code.ts";
import { sedCommands } from "./scripts/sed.ts";
import { commandsInText, commandsInWords } from "./scripts/shell_text.ts";
import type { OptionSpec } from "./spec.ts";
import { subcommandPositions } from "./subcommands.ts";
import type { ProgramSpec } from "./table.ts";

/** Commands, each by its words. */
export type Commands = readonly (readonly string[])[];

/** Commands and texts in one command's arguments, and letters of those, that are looked through: nobody writes so many. */
const MOST_COMMANDS = 200;
const MOST_TEXT = 32_000;

/**
 * As far as the words say; empty where nothing is known of the program, null where they hold more than is looked
 * through. `argv`: its own words.
 */
export function commandsIn(spec: ProgramSpec | null, argv: readonly string[]): Commands | null {
  if (spec === null || !spec.starter) return [];
  const own = spec.runs === undefined ? argv : findCode(spec, argv).own;
  const { operands, values } = placeArguments(spec, own);
  const options = values.filter(({ place }) => place === "command");
  const texts = [...options.map(({ text }) => text), ...scriptsOf(spec, operands, values)];
  if (texts.length > MOST_COMMANDS) return null;
  if (texts.reduce((sum, { length }) => sum + length, 0) > MOST_TEXT) return null;
  const found = options.flatMap(({ text, option }) =>
    option === undefined ? [] : commandsOf(option, text)
  );
  const scripted = scriptedCommands(spec, operands, values);
  const rest = own.flatMap((word, at): Commands => {
    const option = spec.options.bySpelling.get(word);
    return option?.is === "command" && option.rest === true
      ? commandsInWords(own.slice(at + 1))
      : [];
  });
  const prompted = spec.inspect === "prompt" ? own.slice(1).flatMap(promptCommands) : [];
  const behind = behindSubcommand(spec, own);
  if (scripted === null || behind === null) return null;
  const all = [...found, ...scripted, ...rest, ...prompted, ...behind].filter((command) =>
    command.length > 0
  );
  return all.length > MOST_COMMANDS ? null : all;
}

/** What the value of an option would start. */
function commandsOf({ behind = "", form }: OptionSpec, text: string): Commands {
  if (!text.startsWith(behind)) return [];
  const command = text.slice(behind.length);
  switch (form) {
    case "commas":
      return commandsInWords(command.split(","));
    case "setting":
      return settingCommands(command);
    default:
      return commandsInText(command);
  }
}

/** git-config(1): keys whose value is a command. */
const COMMAND_KEY =
  /(?:pager|editor|command|cmd|program|helper|external|textconv|clean|smudge|process|fsmonitor|driver|askpass|proxy|hook|uploadpack|receivepack|filter|^browser\.|^pager\..*|^man\..*|update|\.path)$/i;

/** What a setting of git (`core.pager=less`) would start; `alias.x=!touch y` a shell line, `alias.x=clean` git itself. */
function settingCommands(setting: string): Commands {
  // git(1) parts them by `=`, ssh_config(5) by blanks too.
  const [, key = "", value = ""] = /^\s*([^=\s]*)\s*[=\s]\s*(.*)$/s.exec(setting) ?? [];
  if (value === "" || /^(?:true|false|yes|no|on|off|[0-9]+|auto|cat)$/i.test(value)) return [];
  if (/^alias\./i.test(key)) {
    return value.startsWith("!") ? commandsInText(value.slice(1)) : commandsInText(`git ${value}`);
  }
  return COMMAND_KEY.test(key) ? commandsInText(value.replace(/^!/, "")) : [];
}

/** Texts in awk's and sed's own languages. */
function scriptsOf(
  { inspect }: ProgramSpec,
  operands: readonly PlacedArgument[],
  values: readonly PlacedArgument[],
): readonly string[] {
  if (inspect !== "awk" && inspect !== "sed") return [];
  return [...operands.filter(({ place }) => place === "text").slice(0, 1), ...values]
    .filter(({ place }) => place === "text" || place === "script").map(({ text }) => text);
}

function scriptedCommands(
  spec: ProgramSpec,
  operands: readonly PlacedArgument[],
  values: readonly PlacedArgument[],
): Commands | null {
  const set = [...values.filter(({ place }) => place === "text"), ...operands.slice(1)]
    .map(({ text }) => text).filter((text) => /^[A-Za-z_]\w*=/.test(text));
  const scripts = scriptsOf(spec, operands, values);
  // Several texts are one script of sed's, a line each.
  const lines = spec.inspect === "awk"
    ? scripts.flatMap((text) => awkCommands(text, set))
    : sedCommands(scripts.join("\n"));
  const size = lines.reduce((sum, { length }) => sum + length, 0);
  if (lines.length > MOST_COMMANDS || size > MOST_TEXT) return null;
  return lines.flatMap((line) => commandsInText(line));
}

/** Lines for a shell at the prompts of vim, less and ed (`!x`), gdb (`shell x`) and sqlite3 (`.shell x`). */
const SHELL_LINE =
  /^(?:--?[\w-]+=)?[\s+:]*(?:silent!?\s*)?(?:!|(?:shell|\.shell|\.system)\s)(.*)$/s;

function promptCommands(word: string): Commands {
  const line = word.length > MOST_TEXT ? undefined : SHELL_LINE.exec(word)?.[1];
  return line === undefined ? [] : commandsInText(line);
}

/** `git bisect run make test`, `git submodule foreach 'make; make test'`, and transports (`ext::sh -c x`). */
function behindSubcommand(spec: ProgramSpec, argv: readonly string[]): Commands | null {
  if (spec.subcommands.size === 0) return [];
  const positions = subcommandPositions(spec, argv).filter((at) => {
    const { commandAfter, transport } = spec.subcommands.get(argv[at] ?? "") ?? {};
    return commandAfter !== undefined || transport === true;
  });
  const long = positions.length > 0 && argv.some(({ length }) => length > MOST_TEXT);
  if (long || positions.length > MOST_COMMANDS) return null;
  return positions.flatMap((at): Commands => {
    const sub = spec.subcommands.get(argv[at] ?? "");
    const rest = argv.slice(at + 1);
    const transports = sub?.transport === true ? rest.flatMap(transportCommand) : [];
    if (sub?.commandAfter === undefined) return transports;
    const named = sub.commandAfter === "" ? 0 : rest.indexOf(sub.commandAfter) + 1;
    if (named === 0 && sub.commandAfter !== "") return transports;
    let start = named;
    while (/^-|^\w+=/.test(rest[start] ?? "")) start++;
    start += sub.wordsBefore ?? 0;
    const words = rest.slice(start);
    const [only] = words;
    return words.length === 1 && only !== undefined ? commandsInText(only) : commandsInWords(words);
  });
}

/** git-remote-ext(1): words apart by blanks, `% ` for a blank within one. */
function transportCommand(word: string): Commands {
  const command = /^ext::(.*)$/s.exec(word)?.[1];
  if (command === undefined) return [];
  const words = command.split(/(?<!%) /).map((one) =>
    one.replaceAll(/%(.)/g, (_, letter: string) => letter)
  );
  return commandsInWords(words.filter((one) => one !== ""));
}
