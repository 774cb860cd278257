/** The flags: one table gives parsing, help and the environment variables. */

import { nearest } from "../core/nearest.ts";
import { REFERENCE_TARGETS } from "./reference/targets.ts";
import { SCHEMA_TARGETS } from "./tools/schema_export/targets.ts";
import { UsageError } from "./usage_error.ts";

/** One flag. `value` names what it takes, in help; absent for a switch. */
export interface Flag {
  readonly name: string;
  readonly value?: string;
  /** All that the value can be, where `value` does not say it as `a|b`. */
  readonly values?: readonly string[];
  readonly repeatable?: true;
  /** Variable that says the same where the flag is not given. */
  readonly environment?: string;
  readonly help: string;
  /** Commands that take it; absent for all. */
  readonly commands?: readonly string[];
}

/** All flags: parsing, help, completion and the reference are drawn from this. */
export const FLAGS: readonly Flag[] = [
  {
    name: "policy",
    value: "FILE",
    repeatable: true,
    environment: "TOOLGATE_POLICY",
    help: "policy file; every further one can only tighten",
  },
  {
    name: "root",
    value: "DIR",
    environment: "TOOLGATE_ROOT",
    help: "workspace, instead of the policy's own",
  },
  {
    name: "agent",
    value: "ID",
    environment: "TOOLGATE_AGENT",
    help: "who asks (root where nobody says)",
  },
  {
    name: "sandbox",
    value: "auto|required|off",
    environment: "TOOLGATE_SANDBOX",
    help: "the kernel's layer; can only be stricter than the policy",
  },
  {
    name: "audit",
    value: "FILE",
    environment: "TOOLGATE_AUDIT_LOG",
    help: "keep a log of decisions and outcomes there, where the policy keeps none",
  },
  {
    name: "format",
    value: "json|text",
    environment: "TOOLGATE_FORMAT",
    help: "text on a terminal, else json",
  },
  { name: "quiet", help: "nothing on standard error but errors" },
  { name: "help", help: "this text, or that of a command" },
  { name: "version", help: "the version" },
  {
    name: "listen",
    value: "unix:PATH",
    help: "be a gate for many callers, on a socket there, in place of a pipe for one",
    commands: ["serve", "mcp"],
  },
  {
    name: "gate",
    value: "PATH",
    environment: "TOOLGATE_GATE",
    help: "send to the gate that listens there instead of being one; its policy holds",
    commands: ["call", "mcp", "tools", "gate"],
  },
  {
    name: "token",
    value: "FILE|-",
    help:
      "come to the gate with the token that stands there; the token itself is no word of a command line",
    commands: ["call", "mcp", "tools", "gate"],
  },
  {
    name: "permissions",
    value: "GROUPS",
    repeatable: true,
    help: "gate token: what is left of your permission groups (file_read,file_write)",
    commands: ["gate"],
  },
  {
    name: "paths",
    value: "GLOB",
    repeatable: true,
    help: "gate token: what is left of the files",
    commands: ["gate"],
  },
  {
    name: "commands",
    value: "COMMAND",
    repeatable: true,
    help: "gate token: what is left of the commands, by their beginnings",
    commands: ["gate"],
  },
  {
    name: "tokens",
    value: "N",
    help: "gate token: how many tokens may be spent; they count for you, too",
    commands: ["gate"],
  },
  { name: "expires", value: "DURATION", help: "gate token: good for so long", commands: ["gate"] },
  {
    name: "uid",
    value: "UID",
    help: "gate token: the user by whom alone it can be shown, where that is not you",
    commands: ["gate"],
  },
  {
    name: "json",
    value: "JSON|@FILE|-",
    help: "arguments as one JSON object, from a file, or from standard input",
    commands: ["call", "policy"],
  },
  {
    name: "preview",
    help: "say what would happen; change nothing",
    commands: ["call", "policy"],
  },
  {
    name: "timeout",
    value: "DURATION",
    help: "at most this long (500ms, 10s, 2m); can only shorten the policy's",
    commands: ["call", "policy"],
  },
  {
    name: "approve",
    help: "agree to this call where the policy wants somebody to",
    commands: ["call"],
  },
  {
    name: "approval",
    value: "ID",
    help: "agree to exactly the action that an earlier call asked for",
    commands: ["call"],
  },
  {
    name: "strict",
    help: "policy check: exit 1 where there are warnings; policy replay: where a decision flips; " +
      "tools schema: schemas that OpenAI holds the model to, where what may be left out is null",
    commands: ["policy", "tools"],
  },
  { name: "force", help: "policy init: replace the file that is there", commands: ["policy"] },
  {
    name: "for",
    value: "TARGET",
    values: [...SCHEMA_TARGETS, ...REFERENCE_TARGETS].map(({ name }) => name),
    help: `what for: of schema ${listed(SCHEMA_TARGETS)}; of docs ${listed(REFERENCE_TARGETS)}`,
    commands: ["tools"],
  },
  { name: "output", value: "FILE", help: "where it goes (-o)", commands: ["seal"] },
  { name: "remember", help: "for each such call until it expires", commands: ["approvals"] },
  {
    name: "by",
    value: "ID",
    help: "calls of this agent; * stands for any text",
    commands: ["audit"],
  },
  { name: "tool", value: "TOOL", help: "calls of this tool, likewise", commands: ["audit"] },
  {
    name: "effect",
    value: "allow|ask|deny",
    help: "decisions with this effect",
    commands: ["audit"],
  },
  { name: "code", value: "CODE", help: "outcomes with this error", commands: ["audit"] },
  { name: "call", value: "NAME", help: "the records of one call", commands: ["audit"] },
  {
    name: "since",
    value: "TIME",
    help: "records from then on: 2026-01-31T12:00:00Z, or 10m for the last ten minutes",
    commands: ["audit"],
  },
  {
    name: "limit",
    value: "N",
    help: "the last so many records; policy replay: the first so many flips",
    commands: ["audit", "policy"],
  },
  { name: "follow", help: "go on showing what is added", commands: ["audit"] },
  {
    name: "anchor",
    value: "NUMBER:HASH",
    repeatable: true,
    help: "a record that must be in the log, as verify printed it earlier",
    commands: ["audit"],
  },
];

function listed(targets: readonly { readonly name: string }[]): string {
  return targets.map(({ name }) => name).join(", ");
}

/** The short forms that everybody tries. */
const SHORT: ReadonlyMap<string, string> = new Map([
  ["-h", "--help"],
  ["-V", "--version"],
  ["-o", "--output"],
]);

/** What a command line holds: words in order, and flags by name. */
export interface CommandLine {
  readonly words: readonly string[];
  readonly values: Readonly<Record<string, readonly string[]>>;
  readonly switches: ReadonlySet<string>;
}

/**
 * Takes a command line apart. Flags may stand anywhere; what follows `--` is words. Throws a UsageError for a
 * flag that does not exist, one without its value, and a repeated one that may not be.
 */
export function parseCommandLine(argv: readonly string[]): CommandLine {
  const known = new Map(FLAGS.map((flag) => [flag.name, flag]));
  const words: string[] = [];
  const values: Record<string, string[]> = {};
  const switches = new Set<string>();
  for (let i = 0; i < argv.length; i++) {
    const argument = SHORT.get(argv[i] as string) ?? argv[i] as string;
    if (argument === "--") {
      words.push(...argv.slice(i + 1));
      break;
    }
    if (!/^-[A-Za-z-]/.test(argument)) {
      words.push(argument);
      continue;
    }
    const [name, attached] = split(argument.slice(2));
    const flag = argument.startsWith("--") ? known.get(name) : undefined;
    if (flag === undefined) throw unknown(argument, words, argv.slice(i + 1));
    if (name === "json" && attached === undefined && !takesJson(words[0])) {
      (values["format"] ??= []).push("json");
      continue;
    }
    if (flag.value === undefined) {
      if (attached !== undefined) throw new UsageError(`--${name} takes no value`);
      switches.add(name);
      continue;
    }
    const value = attached ?? argv[++i];
    if (value === undefined) {
      throw new UsageError(`--${name} needs a value: --${name} ${flag.value}`);
    }
    const given = values[name] ??= [];
    given.push(value);
    if (given.length > 1 && flag.repeatable !== true) {
      throw new UsageError(`--${name} is given twice`);
    }
  }
  return { words, values, switches };
}

/** Throws a UsageError for a flag that the command does not take: it would have no effect. */
export function refuseOthersFlags(command: string, { values, switches }: CommandLine): void {
  const given = new Set([...Object.keys(values), ...switches]);
  const foreign = FLAGS.find(({ name, commands }) =>
    given.has(name) && commands !== undefined && !commands.includes(command)
  );
  if (foreign === undefined) return;
  throw new UsageError(
    `${command} takes no --${foreign.name}; it is a flag of ${foreign.commands?.join(" and ")}`,
  );
}

/** All that the value of a flag can be; null where it is free. */
export function valuesOf({ value = "", values }: Flag): readonly string[] | null {
  return values ?? (/^[a-z-]+(?:\|[a-z-]+)+$/.test(value) ? value.split("|") : null);
}

function split(text: string): [string, string | undefined] {
  const at = text.indexOf("=");
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

/** Tools that take a command line, by all of their names. */
const COMMAND_TOOLS: ReadonlySet<string> = new Set([
  "run_command",
  "run_shell_command",
  "shell.run",
]);

/** Whether the command takes arguments as JSON; with the others `--json` can only mean how they answer. */
function takesJson(command: string | undefined): boolean {
  const { commands = [] } = FLAGS.find(({ name }) => name === "json") ?? {};
  return command === undefined || commands.includes(command);
}

function unknown(
  argument: string,
  words: readonly string[],
  rest: readonly string[],
): UsageError {
  const [command, tool, first] = words;
  if (command === "call" && tool !== undefined && first !== undefined && !first.includes("=")) {
    const line = [...words.slice(2), argument, ...rest].join(" ");
    const hint = COMMAND_TOOLS.has(tool)
      ? `A command line is one argument of a tool: toolgate call ${tool} command=${
        /[\p{Cc}']/u.test(line) ? "…" : `'${line}'`
      }`
      : `Arguments are KEY=VALUE: toolgate call ${tool} --help lists them`;
    return new UsageError(`${argument} is no flag of toolgate. ${hint}`);
  }
  const name = split(argument.replace(/^-+/, ""))[0];
  const near = nearest(name, FLAGS.map((flag) => flag.name));
  const hint = near !== null ? `; did you mean --${near}?` : "; toolgate --help lists them";
  return new UsageError(`there is no flag ${argument.split("=")[0]}${hint}`);
}
