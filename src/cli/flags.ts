/** The flags: one table gives parsing, help and the environment variables. */

import { parseArgs } from "@std/cli";
import { nearest } from "../core/nearest.ts";
import { UsageError } from "./usage_error.ts";

/** One flag. `value` names what it takes, in help; absent for a switch. */
export interface Flag {
  readonly name: string;
  readonly value?: string;
  readonly repeatable?: true;
  /** Variable that says the same where the flag is not given. */
  readonly environment?: string;
  readonly help: string;
  /** Commands that take it; absent for all. */
  readonly commands?: readonly string[];
}

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
    value: "MODE",
    environment: "TOOLGATE_SANDBOX",
    help: "auto, required or off; can only be stricter than the policy",
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
];

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
  const taking = new Map(FLAGS.map((flag) => [flag.name, flag]));
  const words: string[] = [];
  const attached: string[] = [];
  for (let i = 0; i < argv.length; i++) {
    const argument = argv[i] as string;
    if (argument === "--") {
      words.push(...argv.slice(i + 1));
      break;
    }
    if (!argument.startsWith("--")) {
      if (/^-[A-Za-z]/.test(argument) && argument !== "-h" && argument !== "-V") {
        throw unknown(argument);
      }
      if (argument === "-h" || argument === "-V") {
        attached.push(argument === "-h" ? "--help" : "--version");
      } else words.push(argument);
      continue;
    }
    const [name = "", value] = split(argument.slice(2));
    const flag = taking.get(name);
    if (flag === undefined) throw unknown(argument);
    if (flag.value === undefined) {
      if (value !== undefined) throw new UsageError(`--${name} takes no value`);
      attached.push(argument);
    } else if (value !== undefined) {
      attached.push(argument);
    } else {
      const next = argv[++i];
      if (next === undefined) {
        throw new UsageError(`--${name} needs a value: --${name} ${flag.value}`);
      }
      // The library takes a value that begins with a dash for another flag: bound with `=` it cannot.
      attached.push(`--${name}=${next}`);
    }
  }
  return { words, ...collect(attached) };
}

function collect(attached: readonly string[]): Pick<CommandLine, "values" | "switches"> {
  const valued = FLAGS.filter((flag) => flag.value !== undefined).map(({ name }) => name);
  const switched = FLAGS.filter((flag) => flag.value === undefined).map(({ name }) => name);
  const parsed: Readonly<Record<string, unknown>> = parseArgs([...attached], {
    string: valued,
    collect: valued,
    boolean: switched,
  });
  const values: Record<string, readonly string[]> = {};
  for (const { name, repeatable } of FLAGS) {
    const given: unknown = parsed[name];
    if (!Array.isArray(given) || given.length === 0) continue;
    if (given.length > 1 && repeatable !== true) throw new UsageError(`--${name} is given twice`);
    values[name] = given.map(String);
  }
  return { values, switches: new Set(switched.filter((name) => parsed[name] === true)) };
}

function split(text: string): [string, string | undefined] {
  const at = text.indexOf("=");
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

function unknown(argument: string): UsageError {
  const name = split(argument.replace(/^-+/, ""))[0];
  const near = nearest(name, FLAGS.map((flag) => flag.name));
  const hint = near !== null ? `; did you mean --${near}?` : "; toolgate --help lists them";
  return new UsageError(`there is no flag ${argument.split("=")[0]}${hint}`);
}
