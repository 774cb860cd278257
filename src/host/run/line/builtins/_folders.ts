/** `cd`, `pushd`, `popd` and `dirs` (bash(1), SHELL BUILTIN COMMANDS). */

import { normalize as normalizePath } from "@std/path";
import { ToolError } from "../../../../core/errors.ts";
import type { Builtin, Done } from "./builtin.ts";
import type { LineHost } from "../line_host.ts";
import type { LineState } from "../_state.ts";

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

/** Moves there; why it cannot, null where it did. */
function enter(target: string, state: LineState, host: LineHost): string | null {
  for (const step of [...namesBeforeParents(target), target]) {
    const directory = host.resolve(state.directory, step);
    const failure = directory === null ? NO_SUCH_FILE : host.directoryFailure(directory);
    if (failure !== null) return failure;
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
  return null;
}

/** The directory that a word names; an error where there is none. */
function targetOf(named: string | undefined, state: LineState): { readonly path: string } | Done {
  const known = named === undefined ? "HOME" : named === "-" ? "OLDPWD" : null;
  const path = known === null ? named ?? "" : state.valueOf(known) ?? "";
  if (path === "" && known !== null) return { status: 1, error: `${known} not set` };
  if (path === "" || (path.startsWith("-") && known === null)) {
    throw new ToolError(
      "COMMAND_UNPARSABLE",
      `cd ${JSON.stringify(path)}: it came out as no name of a directory; it is not run`,
    );
  }
  return { path };
}

const cd: Builtin = ([named, second], state, { host }) => {
  if (second !== undefined) return { status: 1, error: "too many arguments" };
  const target = targetOf(named, state);
  if ("status" in target) return target;
  const failure = enter(target.path, state, host);
  if (failure !== null) {
    // dash says no more.
    return state.shell === "sh"
      ? { status: 2, error: `can't cd to ${target.path}` }
      : { status: 1, error: `${target.path}: ${failure}` };
  }
  return named === "-" ? { status: 0, output: `${state.logical}\n` } : { status: 0 };
};

/** All that `dirs` shows: where the line is, and where `popd` leads to. */
function shown(state: LineState): string {
  const home = state.valueOf("HOME") ?? "";
  const short = (path: string): string =>
    home.length > 1 && (path === home || path.startsWith(`${home}/`))
      ? `~${path.slice(home.length)}`
      : path;
  return `${[state.logical, ...state.folders].map(short).join(" ")}\n`;
}

const pushd: Builtin = ([named, second], state, { host }) => {
  if (second !== undefined || /^[-+][0-9]/.test(named ?? "")) {
    throw new ToolError("COMMAND_UNPARSABLE", "pushd takes one directory here; it is not run");
  }
  const before = state.logical;
  const [top, ...below] = state.folders;
  if (named === undefined && top === undefined) return { status: 1, error: "no other directory" };
  const target = targetOf(named ?? top, state);
  if ("status" in target) return target;
  const failure = enter(target.path, state, host);
  if (failure !== null) return { status: 1, error: `${target.path}: ${failure}` };
  state.folders = [before, ...(named === undefined ? below : state.folders)];
  return { status: 0, output: shown(state) };
};

const popd: Builtin = (words, state, { host }) => {
  const [top, ...below] = state.folders;
  if (words.length > 0) {
    throw new ToolError("COMMAND_UNPARSABLE", "popd takes no words here; it is not run");
  }
  if (top === undefined) return { status: 1, error: "directory stack empty" };
  const failure = enter(top, state, host);
  if (failure !== null) return { status: 1, error: `${top}: ${failure}` };
  state.folders = below;
  return { status: 0, output: shown(state) };
};

const dirs: Builtin = (_words, state) => ({ status: 0, output: shown(state) });

/** By name. */
export const FOLDERS = { cd, pushd, popd, dirs } as const;
