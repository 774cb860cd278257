/** What a call is to run, whichever way it says it, and what no program could be given. */

import { ToolError } from "../../core/errors.ts";
import type { Plan } from "../../core/plan.ts";
import { quoted } from "../../core/printable.ts";
import { parseLine, parseShellCall } from "../../shell/parse_line.ts";

/** A command as a request gives it: one of `command` and `argv`. */
export interface CommandArguments {
  readonly command?: string;
  readonly argv?: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Throws INVALID_ARGUMENTS. */
export function checkCommandArguments({ command, argv, env }: CommandArguments): void {
  if ((command === undefined) === (argv === undefined)) {
    throw invalid(
      command === undefined
        ? "command: missing; give a command line as command, or its words as argv"
        : "command, argv: both are given; one of them says what to run",
    );
  }
  if (argv !== undefined) {
    if (argv[0] === "") throw invalid("argv[0]: must not be empty; it names the program");
    argv.forEach((word, index) => checkText(`argv[${index}]`, word));
  }
  for (const [name, value] of Object.entries(env)) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      throw invalid(
        `env: ${quoted(name)} is no name of a variable; they are letters, digits and _`,
      );
    }
    checkText(`env.${name}`, value);
  }
}

/**
 * The plan of a line, or of words that are a shell with its script; null where plain words say what to run. Throws
 * COMMAND_UNPARSABLE.
 */
export async function planOf({ command, argv = [] }: CommandArguments): Promise<Plan | null> {
  return command === undefined ? await parseShellCall(argv) : await parseLine(command);
}

/** execve(2) takes strings that end at a NUL; UTF-8 has no half characters. */
function checkText(place: string, text: string): void {
  if (text.includes("\0")) throw invalid(`${place}: holds a NUL character, which ends a string`);
  if (!text.isWellFormed()) throw invalid(`${place}: holds half a surrogate pair`);
}

function invalid(message: string): ToolError {
  return new ToolError("INVALID_ARGUMENTS", message);
}
