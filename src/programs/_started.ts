/** The commands that a program would start by its arguments: values of options, words behind a subcommand, scripts. */

import { placeArguments, type PlacedArgument } from "./arguments.ts";
import { awkCommands } from "./_awk.ts";
import { findCode } from "./_code.ts";
import { sedCommands } from "./_sed.ts";
import { commandsInText, commandsInWords } from "./_shell_text.ts";
import type { OptionSpec } from "./spec.ts";
import { subcommandPositions } from "./subcommands.ts";
import type { ProgramSpec } from "./table.ts";

export type Commands = readonly (readonly string[])[];

/** As far as the words say; empty where nothing is known of the program. `argv`: its own words. */
export function commandsIn(spec: ProgramSpec | null, argv: readonly string[]): Commands {
  if (spec === null || !mayStart(spec)) return [];
  const own = spec.runs === undefined ? argv : findCode(spec, argv).own;
  const { operands, values } = placeArguments(spec, own);
  const found = values.flatMap(({ place, text, option }) =>
    place === "command" && option !== undefined ? commandsOf(option, text) : []
  );
  return [...found, ...scripted(spec, operands, values), ...behindSubcommand(spec, own)]
    .filter((command) => command.length > 0);
}

function mayStart(spec: ProgramSpec): boolean {
  const commands = (options: ProgramSpec["options"]) =>
    [...options.values()].some(({ is }) => is === "command");
  return spec.inspect === "awk" || spec.inspect === "sed" || spec.subcommands.size > 0 ||
    commands(spec.options) || spec.when.some(({ options }) => commands(options));
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
  const equals = setting.indexOf("=");
  const key = setting.slice(0, equals === -1 ? undefined : equals);
  const value = equals === -1 ? "" : setting.slice(equals + 1);
  if (value === "" || /^(?:true|false|yes|no|on|off|[0-9]+|auto|cat)$/i.test(value)) return [];
  if (/^alias\./i.test(key)) {
    return value.startsWith("!") ? commandsInText(value.slice(1)) : commandsInText(`git ${value}`);
  }
  return COMMAND_KEY.test(key) ? commandsInText(value.replace(/^!/, "")) : [];
}

/** Commands of programs in awk's and sed's own languages. */
function scripted(
  { inspect }: ProgramSpec,
  operands: readonly PlacedArgument[],
  values: readonly PlacedArgument[],
): Commands {
  if (inspect !== "awk" && inspect !== "sed") return [];
  const texts = [...operands.filter(({ place }) => place === "text").slice(0, 1), ...values]
    .filter(({ place }) => place === "text" || place === "script");
  const set = values.filter(({ place, text }) => place === "text" && text.includes("="))
    .map(({ text }) => text);
  return texts.flatMap(({ text }) => inspect === "awk" ? awkCommands(text, set) : sedCommands(text))
    .flatMap((line) => commandsInText(line));
}

/** `git bisect run make test`, `git submodule foreach 'make; make test'`, and transports (`ext::sh -c x`). */
function behindSubcommand(spec: ProgramSpec, argv: readonly string[]): Commands {
  if (spec.subcommands.size === 0) return [];
  return subcommandPositions(spec, argv).flatMap((at): Commands => {
    const sub = spec.subcommands.get(argv[at] ?? "");
    const rest = argv.slice(at + 1);
    const transports = sub?.transport === true ? rest.flatMap(transportCommand) : [];
    if (sub?.commandAfter === undefined) return transports;
    const named = sub.commandAfter === "" ? 0 : rest.indexOf(sub.commandAfter) + 1;
    if (named === 0 && sub.commandAfter !== "") return transports;
    let start = named;
    while ((rest[start] ?? "").startsWith("-")) start++;
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
