/** The commands of a line that are no programs, as POSIX (2.15 and 4) has them. */

import { ToolError } from "../../../../core/errors.ts";
import { BUILTINS } from "../../../../core/plan.ts";
import { optionOf } from "../../../../shell/commands/shell_options.ts";
import type { Around, Builtin, Done } from "./builtin.ts";
import { LoopJump } from "../_compound.ts";
import { DECLARING, setOptions } from "./_declaring.ts";
import { FOLDERS } from "./_folders.ts";
import { getopts } from "./_getopts.ts";
import { ulimit } from "./_limits.ts";
import { umask } from "./_mask.ts";
import { commandOf, typeOf } from "./_named.ts";
import { fillList, readLine } from "./_read.ts";
import { killall, pkill } from "./_pkill.ts";
import { messageOf } from "../redirect.ts";
import { Exit, type LineState, Return, statusOf, SUCCESS } from "../_state.ts";

const SUCCEEDED: Done = { status: 0 };
const TABLE: Readonly<Record<(typeof BUILTINS)[number], Builtin>> = {
  ":": () => SUCCEEDED,
  true: () => SUCCEEDED,
  false: () => ({ status: 1 }),
  ...FOLDERS,
  getopts,
  ulimit,
  umask,
  disown: () => SUCCEEDED,
  pkill,
  killall,
  break: ([count = "1"], state) => {
    state.status = SUCCESS;
    throw new LoopJump("break", Number(count));
  },
  continue: ([count = "1"], state) => {
    state.status = SUCCESS;
    throw new LoopJump("continue", Number(count));
  },
  read: readLine,
  mapfile: fillList,
  readarray: fillList,
  exit([status, more], state) {
    if (more !== undefined || (status !== undefined && !/^-?[0-9]{1,9}$/.test(status))) {
      throw new ToolError(
        "COMMAND_UNPARSABLE",
        `exit ${JSON.stringify(status)}: it came out as no number; it is not run`,
      );
    }
    // A status has eight bits (POSIX, exit).
    throw new Exit(
      status === undefined
        ? state.left ?? state.status
        : { code: Number(status) & 0xff, signal: null },
    );
  },
  ...DECLARING,
  shift([count = "1"], state) {
    const by = Number(count);
    if (!/^[0-9]{1,9}$/.test(count)) throw refused(`shift ${count}`);
    if (by > state.positional.length) return { status: 1 };
    state.positional = state.positional.slice(by);
    return SUCCEEDED;
  },
  return([status], state) {
    if (status !== undefined && !/^-?[0-9]{1,9}$/.test(status)) throw refused(`return ${status}`);
    const code = Number(status) & 0xff;
    throw new Return(status === undefined ? state.status : { code, signal: null });
  },
  set: setOptions,
  shopt([how, ...names], state) {
    const changed = names.map(optionOf);
    if ((how !== "-s" && how !== "-u") || changed.includes(null)) throw refused(`shopt ${how}`);
    const options = new Set(state.options);
    for (const one of changed) {
      if (one === null || one === "idle") continue;
      if (how === "-s") options.add(one);
      else options.delete(one);
    }
    state.options = options;
    return SUCCEEDED;
  },
  hash: (words) => {
    if (words.some((word) => word !== "-r")) throw refused("hash with names");
    return SUCCEEDED;
  },
  type: typeOf,
  command: commandOf,
  async wait(words, state, { wait }) {
    if (words[0] === "-n" && words.length === 1) {
      const { unnoticed } = state.jobs;
      if (unnoticed.length === 0) return { status: 127 };
      const first = unnoticed.find((job) => job.status() !== null) ??
        await Promise.race(unnoticed.map((job) => job.ended.then(() => job)));
      await wait(first.ended);
      state.jobs.waited(first);
      return { status: statusOf(first.status() ?? SUCCESS) };
    }
    if (words.some((word) => word.startsWith("-"))) throw refused(`wait ${words.join(" ")}`);
    if (words.length === 0) {
      for (const job of [...state.jobs.all]) {
        await wait(job.ended);
        state.jobs.forget(job);
      }
      return SUCCEEDED;
    }
    let done: Done = SUCCEEDED;
    for (const word of words) {
      const job = state.jobs.named(word);
      if (job === null) {
        const error = word.startsWith("%")
          ? `${word}: no such job`
          : `pid ${word} is not a child of this shell`;
        if (!/^(?:%.*|[0-9]+)$/.test(word)) throw refused(`wait ${word}`);
        done = { status: 127, error };
        continue;
      }
      const ran = job.status() === null;
      await wait(job.ended);
      done = { status: statusOf(job.status() ?? SUCCESS) };
      if (ran) state.jobs.noticed();
      else state.jobs.waited(job);
    }
    return done;
  },
  jobs(words, state) {
    const { listed } = state.jobs;
    const running = listed.filter((job) => job.status() === null);
    if (words.length === 1 && words[0] === "-p") {
      return { status: 0, output: running.map(({ id }) => `${id}\n`).join("") };
    }
    // What it would say of one is how bash prints it anew.
    if (listed.length > 0 || words.some((word) => !/^-[lprs]+$/.test(word))) {
      throw refused("jobs without -p");
    }
    return SUCCEEDED;
  },
  fg: uncontrolled,
  bg: uncontrolled,
  async trap([action = "", ...signals], state, { script, understand }) {
    const names = signals.map((one) => one.toUpperCase());
    const [ends, fails] = [names.includes("EXIT") || names.includes("0"), names.includes("ERR")];
    if (!ends && !fails) return SUCCEEDED;
    const none = action === "-" || action.trim() === "";
    const node = none ? null : script ?? await understand(action, state);
    if (ends) state.ending = node;
    if (fails) state.failing = node;
    return SUCCEEDED;
  },
  async eval(words, state, { script, evaluate, run }) {
    const text = words.join(" ");
    if (script === null && text.trim() === "") return SUCCEEDED;
    const { speaker, line } = state;
    await state.reading(
      { speaker, linesBefore: line - 1 },
      () => script === null ? evaluate(text, state) : further(state, () => run(script, state)),
    );
    return { status: statusOf(state.status) };
  },
  source: sourceFile,
  ".": sourceFile,
};

/** Of shells that nobody sits before (bash(1), JOB CONTROL). */
function uncontrolled(words: readonly string[], { shell }: LineState): Done {
  if (shell === "sh" || words.length > 0) throw refused("fg or bg");
  return { status: 1, error: "no job control" };
}

/** Within one more text. */
async function further(state: LineState, action: () => Promise<void>): Promise<void> {
  state.nesting++;
  try {
    await action();
  } finally {
    state.nesting--;
  }
}

/** A file whose commands are run in the shell of the line; its words are positional parameters meanwhile. */
async function sourceFile(
  [path = "", ...words]: readonly string[],
  state: LineState,
  { readFile, evaluate, programOf }: Around,
): Promise<Done> {
  // bash looks along PATH first, and then here.
  const elsewhere = !path.includes("/") &&
    (state.shell === "sh" || programOf(path, state) !== null);
  if (elsewhere) throw refused(`source ${path}, which is looked for: write ./${path}`);
  const text = await readFile(path, state);
  if (typeof text === "number") return { status: 1, complaint: `${path}: ${messageOf(-text)}` };
  if (/^\s*$/.test(text)) return SUCCEEDED;
  const { positional, source, called } = state;
  state.called = ["source", ...called];
  if (words.length > 0) state.positional = words;
  state.source = path;
  state.status = SUCCESS;
  try {
    await state.reading({ speaker: path, linesBefore: 0 }, () => evaluate(text, state));
  } catch (error) {
    if (!(error instanceof Return)) throw error;
    state.status = error.status;
  } finally {
    if (words.length > 0) state.positional = positional;
    state.source = source;
    state.called = called;
  }
  return { status: statusOf(state.status) };
}

function refused(what: string): ToolError {
  return new ToolError("COMMAND_UNPARSABLE", `${what} is not run in this form`);
}

/** Null for the name of a program. */
export function builtinOf(name: string): Builtin | null {
  const known = BUILTINS.find((one) => one === name);
  return known === undefined ? null : TABLE[known];
}
