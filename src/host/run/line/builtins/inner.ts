/** Programs that bash has within itself: done here, to the byte as it does them. */

import { nameText } from "../../../../core/name_text.ts";
import { ToolError } from "../../../../core/errors.ts";
import type { INNER_PROGRAMS } from "../../../../core/plan.ts";
import { signalNumber } from "../../../../sandbox/kernel/signals.ts";
import type { Around, Done } from "./builtin.ts";
import { echo } from "./_echo.ts";
import { printf } from "./_printf.ts";
import type { LineState } from "../_state.ts";
import { binary, unary } from "../_tests.ts";

/** Null where the program of that name is to do it: it does the same. */
type Inner = (
  words: readonly string[],
  state: LineState,
  around: Around,
) => Promise<Done | null> | Done | null;

const TABLE: Readonly<Record<(typeof INNER_PROGRAMS)[number], Inner>> = {
  echo: (words) => ({ status: 0, output: echo(words) }),
  printf(words, state) {
    const [into, name = "", ...rest] = words;
    if (into === "-v") {
      if (!/^[A-Za-z_]\w*$/.test(name)) return null;
      const { bytes, errors } = printf(rest[0] === "--" ? rest.slice(1) : rest);
      state.assign(name, nameText(bytes));
      return told(errors);
    }
    const plain = into === "--" ? words.slice(1) : words;
    if (plain.length === 0 || (into !== "--" && /^-./.test(into ?? ""))) return null;
    const { bytes, errors } = printf(plain);
    return { ...told(errors), output: bytes };
  },
  test: (words, state, around) => tested("test", words, state, around),
  "["(words, state, around) {
    return words.at(-1) === "]"
      ? tested("[", words.slice(0, -1), state, around)
      : { status: 2, error: "missing `]'" };
  },
  pwd: (words, state) =>
    words.length === 0 || (words.length === 1 && words[0] === "-L")
      ? { status: 0, output: `${state.logical}\n` }
      : words.length === 1 && words[0] === "-P"
      ? { status: 0, output: `${state.directory}\n` }
      : null,
  kill: signalled,
};

/** Null for the name of any other program. */
export function innerOf(name: string): Inner | null {
  return Object.hasOwn(TABLE, name) ? TABLE[name as keyof typeof TABLE] : null;
}

/** Each error of its own behind the name. */
function told(errors: readonly string[]): Done {
  return errors.length === 0 ? { status: 0 } : { status: 1, error: errors };
}

/** Whether these words are a `kill` of what the line itself has started and nothing else: nobody else hears of it. */
export function endsOwn([name, ...words]: readonly string[], { jobs }: LineState): boolean {
  if (name !== "kill") return false;
  const { number, targets } = targetsOf(words);
  return number !== null && targets.length > 0 && targets.every((one) => isOfLine(one, { jobs }));
}

function isOfLine(target: string, { jobs }: Pick<LineState, "jobs">): boolean {
  return target.startsWith("%") || isShell(target) || jobs.named(target) !== null;
}

/** Whether it is what `$$` says: the shell of a line is this process. */
function isShell(target: string): boolean {
  return target === String(Deno.pid);
}

function targetsOf(
  words: readonly string[],
): { readonly number: number | null; readonly targets: readonly string[] } {
  const [first = "", second = ""] = words;
  const [signal, skip] = /^-(?:s|n)$/.test(first)
    ? [second, 2] as const
    : /^-./.test(first) && first !== "--"
    ? [first.slice(1), 1] as const
    : ["TERM", first === "--" ? 1 : 0] as const;
  return { number: signalNumber(signal), targets: words.slice(skip) };
}

/** What `kill` tells those that the call itself has started; others a program tells, as far as it may. */
function signalled(words: readonly string[], state: LineState, { host }: Around): Done | null {
  const { number, targets } = targetsOf(words);
  if (number === null || targets.length === 0) return null;
  const started = targets.every((target) => isOfLine(target, state)) ? [] : host.processes() ?? [];
  const jobs = targets.map((target) =>
    state.jobs.named(target) ?? started.find(({ id }) => String(id) === target) ?? null
  );
  if (number !== 0 && targets.some(isShell)) {
    throw new ToolError(
      "COMMAND_UNPARSABLE",
      "kill was not run: $$ is the shell of the line itself; exit ends that",
    );
  }
  const strange = targets.findIndex((target, at) =>
    jobs[at] === null && !target.startsWith("%") && !isShell(target)
  );
  if (strange !== -1) return null;
  const errors: string[] = [];
  targets.forEach((target, at) => {
    const job = jobs[at] ?? null;
    if (isShell(target)) return;
    const gone = (): void => void errors.push(`(${job?.id}) - No such process`);
    if (job === null) errors.push(`${target}: no such job`);
    else if ("status" in job && job.status() !== null) gone();
    else if ("status" in job) number !== 0 && job.signal(number);
    else if (!job.signal(number)) gone();
  });
  return errors.length === 0
    ? { status: 0 }
    : { status: errors.length === targets.length ? 1 : 0, error: errors };
}

/** By the number of its words (POSIX, test, OPERANDS). */
async function tested(
  name: string,
  words: readonly string[],
  state: LineState,
  around: Around,
): Promise<Done | null> {
  try {
    const value = await new Tester(words, state, around).whole();
    return { status: value ? 0 : 1 };
  } catch (error) {
    if (!(error instanceof Misused)) throw error;
    if (error.message === "program") return null;
    return { status: 2, error: error.message === "" ? name : error.message };
  }
}

class Misused extends Error {}

const UNARY = /^-[abcdefghkLnNoOGprsStuvwxz]$/;
const BINARY = /^(?:=|==|!=|<|>|-(?:eq|ne|lt|le|gt|ge|nt|ot|ef))$/;

class Tester {
  readonly #words: readonly string[];
  readonly #state: LineState;
  readonly #around: Around;
  #at = 0;

  constructor(words: readonly string[], state: LineState, around: Around) {
    this.#words = words;
    this.#state = state;
    this.#around = around;
  }

  async whole(): Promise<boolean> {
    return await this.#few(this.#words);
  }

  async #few(words: readonly string[]): Promise<boolean> {
    const [first = "", second = "", third = "", fourth = ""] = words;
    switch (words.length) {
      case 0:
        return false;
      case 1:
        return first !== "";
      case 2:
        if (first === "!") return second === "";
        if (UNARY.test(first)) return await this.#unary(first, second);
        throw new Misused(`${first}: unary operator expected`);
      case 3:
        if (BINARY.test(second)) return await this.#binary(second, first, third);
        if (second === "-a") return first !== "" && third !== "";
        if (second === "-o") return first !== "" || third !== "";
        if (first === "!") return !await this.#few([second, third]);
        if (first === "(" && third === ")") return second !== "";
        throw new Misused(`${second}: binary operator expected`);
      case 4:
        if (first === "!") return !await this.#few([second, third, fourth]);
        if (first === "(" && fourth === ")") return await this.#few([second, third]);
        return await this.#many();
      default:
        return await this.#many();
    }
  }

  /** `-o` binds least, then `-a`, then `!`; what is not clear is left to the program. */
  async #many(): Promise<boolean> {
    this.#at = 0;
    const value = await this.#or();
    if (this.#at < this.#words.length) throw new Misused("too many arguments");
    return value;
  }

  async #or(): Promise<boolean> {
    let value = await this.#and();
    while (this.#words[this.#at] === "-o") {
      this.#at++;
      const right = await this.#and();
      value ||= right;
    }
    return value;
  }

  async #and(): Promise<boolean> {
    let value = await this.#one();
    while (this.#words[this.#at] === "-a") {
      this.#at++;
      const right = await this.#one();
      value &&= right;
    }
    return value;
  }

  async #one(): Promise<boolean> {
    const [first, second, third] = this.#words.slice(this.#at);
    if (first === undefined) throw new Misused("program");
    if (second !== undefined && third !== undefined && BINARY.test(second)) {
      this.#at += 3;
      return await this.#binary(second, first, third);
    }
    if (first === "!") {
      this.#at++;
      return !await this.#one();
    }
    if (first === "(") {
      this.#at++;
      const value = await this.#or();
      if (this.#words[this.#at++] !== ")") throw new Misused("`)' expected");
      return value;
    }
    if (UNARY.test(first) && second !== undefined) {
      this.#at += 2;
      return await this.#unary(first, second);
    }
    this.#at++;
    return first !== "";
  }

  async #unary(operator: string, operand: string): Promise<boolean> {
    if (operator === "-t" && !/^\s*[0-9]+\s*$/.test(operand)) throw new Misused("program");
    return await unary(
      operator === "-a" ? "-e" : operator,
      operand,
      this.#state,
      this.#around.tests,
    );
  }

  async #binary(operator: string, left: string, right: string): Promise<boolean> {
    if (/^-(?:eq|ne|lt|le|gt|ge)$/.test(operator)) {
      for (const word of [left, right]) {
        if (!/^\s*[-+]?[0-9]{1,18}\s*$/.test(word)) {
          if (/^\s*[-+]?[0-9]+\s*$/.test(word)) throw new Misused("program");
          throw new Misused(`${word}: integer expression expected`);
        }
      }
    }
    return await binary(operator, left, right, this.#state, this.#around.tests);
  }
}
