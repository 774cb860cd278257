/** The commands of a line that are no programs, as POSIX (2.15 and 4) has them. */

import { normalize as normalizePath } from "@std/path";
import { ToolError } from "../../../core/errors.ts";
import { BUILTINS } from "../../../core/plan.ts";
import type { Builtin, Done } from "./_builtin.ts";
import { LoopJump } from "./_compound.ts";
import { readLine } from "./_read.ts";
import { Exit, statusOf, SUCCESS } from "./_state.ts";

const SUCCEEDED: Done = { status: 0 };
/** strerror(3) of ENOENT */
const NO_SUCH_FILE = "No such file or directory";

/** Without `.`, `..` and slashes that say nothing. */
function normalize(path: string): string {
  return normalizePath(path).replace(/(.)\/+$/, "$1");
}

/** What stands in a path before each `..`: it must be there (POSIX, cd, step 8b). */
function namesBeforeParents(path: string): readonly string[] {
  const parts = path.split("/");
  return parts.flatMap((part, index) => {
    const before = parts[index - 1] ?? "";
    return part !== ".." || before === "" || before === ".." || before === "."
      ? []
      : [parts.slice(0, index).join("/")];
  });
}

const TABLE: Readonly<Record<(typeof BUILTINS)[number], Builtin>> = {
  ":": () => SUCCEEDED,
  true: () => SUCCEEDED,
  false: () => ({ status: 1 }),
  cd([named, second], state, { host }) {
    const known = named === undefined ? "HOME" : named === "-" ? "OLDPWD" : null;
    const target = known === null ? named ?? "" : state.valueOf(known) ?? "";
    if (second !== undefined) return { status: 1, error: "too many arguments" };
    if (target === "" && known !== null) return { status: 1, error: `${known} not set` };
    if (target === "" || (target.startsWith("-") && known === null)) {
      throw new ToolError(
        "COMMAND_UNPARSABLE",
        `cd ${JSON.stringify(target)}: it came out as no name of a directory; it is not run`,
      );
    }
    for (const step of [...namesBeforeParents(target), target]) {
      const directory = host.resolve(state.directory, step);
      const failure = directory === null ? NO_SUCH_FILE : host.directoryFailure(directory);
      if (failure !== null) return { status: 1, error: `${target}: ${failure}` };
    }
    const directory = host.resolve(state.directory, target);
    const logical = normalize(target.startsWith("/") ? target : `${state.logical}/${target}`);
    if (directory === null || host.resolve(state.directory, logical) !== directory) {
      throw new ToolError(
        "COMMAND_UNPARSABLE",
        `cd ${target}: .. behind a symbolic link is one folder by its name and another on the disk; name the folder itself`,
      );
    }
    state.move(directory, logical);
    return named === "-" ? { status: 0, output: logical } : SUCCEEDED;
  },
  break: ([count = "1"], state) => {
    state.status = SUCCESS;
    throw new LoopJump("break", Number(count));
  },
  continue: ([count = "1"], state) => {
    state.status = SUCCESS;
    throw new LoopJump("continue", Number(count));
  },
  read: (words, state, around) => readLine(words, state, around),
  exit([status, more], state) {
    if (more !== undefined || (status !== undefined && !/^-?[0-9]{1,9}$/.test(status))) {
      throw new ToolError(
        "COMMAND_UNPARSABLE",
        `exit ${JSON.stringify(status)}: it came out as no number; it is not run`,
      );
    }
    // A status has eight bits (POSIX, exit).
    const code = status === undefined ? statusOf(state.status) : Number(status) & 0xff;
    throw new Exit(status === undefined ? state.status : { code, signal: null });
  },
  export(words, state) {
    for (const word of words) {
      const equals = word.indexOf("=");
      const name = equals === -1 ? word : word.slice(0, equals);
      if (equals !== -1) state.assign(name, word.slice(equals + 1));
      state.export(name);
    }
    return SUCCEEDED;
  },
  unset(words, state) {
    for (const name of words) state.unset(name);
    return SUCCEEDED;
  },
};

/** Null for the name of a program. */
export function builtinOf(name: string): Builtin | null {
  const known = BUILTINS.find((one) => one === name);
  return known === undefined ? null : TABLE[known];
}
