/** The commands of a line that are no programs, as POSIX (2.15 and 4) has them. */

import { normalize as normalizePath } from "@std/path";
import { ToolError } from "../../../core/errors.ts";
import { BUILTINS } from "../../../core/plan.ts";
import type { LineHost } from "./line_host.ts";
import { Exit, type LineState, statusOf } from "./_state.ts";

/** What a builtin did: its status, and what it says on standard error (its name goes before). */
export interface Done {
  readonly status: number;
  readonly error?: string;
}

/** `words` without the name. Throws `Exit`. */
export type Builtin = (words: readonly string[], state: LineState, host: LineHost) => Done;

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
  cd([target = ""], state, host) {
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
    return SUCCEEDED;
  },
  exit([status], state) {
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
