/**
 * `pkill` (pgrep(1)) and `killall` (killall(1)) over what the call itself has started, and over nobody else: to them no other
 * process is there.
 */

import { ToolError } from "../../../../core/errors.ts";
import { signalNumber } from "../../../../sandbox/kernel/signals.ts";
import type { MarkedProcess } from "../../../kernel/marked_processes.ts";
import { matchExtended } from "../_regular.ts";
import type { Around, Builtin } from "./builtin.ts";

/** TASK_COMM_LEN less the zero at its end (include/linux/sched.h). */
const NAME_LENGTH = 15;
/** Looks, a millisecond apart, at what shows no words. */
const MOST_LOOKS = 20;

/** What was asked for. */
interface Wish {
  readonly signal: number;
  readonly flags: ReadonlySet<string>;
  readonly operands: readonly string[];
}

/** `pkill [-SIGNAL] [-efinox] PATTERN` */
export const pkill: Builtin = async (words, _state, { host }) => {
  const { signal, flags, operands } = wishOf("pkill", words, "efinox", ["--signal"]);
  const [pattern] = operands;
  if (pattern === undefined || operands.length > 1) {
    return { status: 2, error: "only one pattern can be provided" };
  }
  const whole = (text: string): boolean => {
    const { parts } = matchExtended(pattern, text, flags.has("i"));
    return parts !== null && (!flags.has("x") || parts[0] === text);
  };
  const found = (await processesOf("pkill", host)).filter(({ name, words: all }) =>
    whole(flags.has("f") && all !== "" ? all : name)
  ).sort((one, other) => one.began - other.began);
  const chosen = flags.has("n") ? found.slice(-1) : flags.has("o") ? found.slice(0, 1) : found;
  const told = chosen.filter((process) => process.signal(signal));
  const output = flags.has("e") ? told.map(({ name }) => `${name} killed\n`).join("") : "";
  // pgrep(1), EXIT STATUS
  return { status: told.length === 0 ? 1 : 0, output };
};

/** `killall [-SIGNAL] [-ewIqv] NAME…` */
export const killall: Builtin = async (words, _state, { host }) => {
  const { signal, flags, operands } = wishOf("killall", words, "ewIqv", ["-s", "--signal"]);
  if (operands.length === 0) return { status: 1, error: "no process selected" };
  const all = await processesOf("killall", host);
  const called = (text: string) => flags.has("I") ? text.toLowerCase() : text;
  const missing = operands.filter((operand) => {
    const name = called(operand.slice(operand.lastIndexOf("/") + 1)).slice(0, NAME_LENGTH);
    const told = all.filter((one) => called(one.name) === name && one.signal(signal));
    return told.length === 0;
  });
  return {
    status: missing.length === 0 ? 0 : 1,
    // It names the process, and itself nowhere.
    ...(flags.has("q")
      ? {}
      : { said: missing.map((name) => `${name}: no process found\n`).join("") }),
  };
};

/**
 * What was started just now has no words for some microseconds, and the name of who started it: the kernel lets that go on
 * before it has laid them there (execve(2)).
 */
async function processesOf(
  name: string,
  host: Around["host"],
): Promise<readonly MarkedProcess[]> {
  for (let look = 0;; look++) {
    const found = host.processes();
    if (found === null) throw refused(`${name}: what a call has started is not told apart here`);
    if (look === MOST_LOOKS || found.every(({ words }) => words !== "")) return found;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

/** `letters`: options without a value; `signals`: those whose value is a signal. */
function wishOf(
  name: string,
  words: readonly string[],
  letters: string,
  signals: readonly string[],
): Wish {
  const flags = new Set<string>();
  const operands: string[] = [];
  let signal = "TERM";
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    const [option = "", value] = word.split("=", 2);
    if (word === "--") {
      operands.push(...words.slice(at + 1));
      break;
    }
    if (!/^-./.test(word)) operands.push(word);
    else if (signals.includes(option)) signal = value ?? words[++at] ?? "";
    else if (signalNumber(word.slice(1)) !== null) signal = word.slice(1);
    else if ([...word.slice(1)].every((letter) => letters.includes(letter))) {
      for (const letter of word.slice(1)) flags.add(letter);
    } else throw refused(`${name} ${word}`);
  }
  const number = signalNumber(signal);
  if (number === null) throw refused(`${name} with the signal ${JSON.stringify(signal)}`);
  return { signal: number, flags, operands };
}

function refused(what: string): ToolError {
  return new ToolError("COMMAND_UNPARSABLE", `${what} is not run in this form`);
}
