/** `xargs` as the line does it: each command is judged when its words have come, and started as one that stands in the line. */

import { joinedBytes } from "../../../../core/bytes.ts";
import { joinedNameBytes, nameText } from "../../../../core/name_text.ts";
import { ToolError } from "../../../../core/errors.ts";
import type { Ended } from "../../_programs.ts";
import type { PlanNode, Redirection, SimplePlan, Word } from "../../../../core/plan.ts";
import { CLOSED } from "../../../../sandbox/spawner.ts";
import { readXargs, SHELLS, type XargsCall } from "../../../../shell/commands/xargs_words.ts";
import type { Around, Builtin, Done } from "./builtin.ts";
import { type LineState, statusOf } from "../_state.ts";
import { Source } from "./_source.ts";
import { type FedWord, XargsInput } from "./_xargs_input.ts";

/** Bytes of the words of one command, with the zero behind each: what GNU's xargs takes where nothing says otherwise. */
const MOST_BYTES = 128 * 1024;
/** No more than this run side by side, whatever `-P` says. */
const MOST_TOGETHER = 16;

/** `node`: as it stands in the line, with the first word of what it starts in `feeds`. */
export function xargs(node: SimplePlan): Builtin {
  return async (words, state, around) => {
    const call = readXargs(["xargs", ...words]);
    if (call === null || state.functions.has(words[call.command - 1] ?? "")) {
      throw new ToolError("COMMAND_UNPARSABLE", "xargs came out in a form that is not run");
    }
    return await new Feeding(node, words.slice(call.command - 1), call, state, around).all();
  };
}

/** Why nothing more is started, with the status that it has. */
interface Aborted {
  readonly status: number;
  readonly error?: string;
}

class Feeding {
  readonly #node: SimplePlan;
  readonly #command: readonly string[];
  readonly #call: XargsCall;
  readonly #state: LineState;
  readonly #around: Around;
  readonly #running = new Set<Promise<void>>();
  #started = 0;
  #words: string[] = [];
  #lines = 0;
  #bytes = 0;
  #failed = false;
  #aborted: Aborted | null = null;
  /** What ended the line, or was refused. */
  #thrown: unknown[] = [];

  constructor(
    node: SimplePlan,
    command: readonly string[],
    call: XargsCall,
    state: LineState,
    around: Around,
  ) {
    this.#node = node;
    this.#command = command;
    this.#call = call;
    this.#state = state;
    this.#around = around;
    this.#empty();
  }

  async all(): Promise<Done> {
    const { host, descriptors } = this.#around;
    const source = new Source(host, descriptors[0] ?? CLOSED);
    const input = new XargsInput(this.#call);
    // What stands behind the last character of ASCII may go on in what is read next.
    let rest: Uint8Array = new Uint8Array();
    const text = (bytes?: Uint8Array): string => {
      const all = bytes === undefined ? rest : joinedBytes([rest, bytes]);
      const whole = bytes === undefined ? all.length : all.findLastIndex((byte) => byte < 0x80) + 1;
      rest = all.slice(whole);
      return nameText(all.subarray(0, whole));
    };
    try {
      const waiting: FedWord[] = [];
      while (!this.#over && input.bad === null) {
        const bytes = await source.some();
        if (bytes === null) break;
        const words = input.take(text(bytes));
        // What is made meanwhile is not found, however far find has come.
        if (this.#node.found === undefined) await this.#feed(words);
        else waiting.push(...words);
      }
      if (!this.#over) await this.#feed([...waiting, ...input.take(text()), ...input.end()]);
      const { replaces, needsInput } = this.#call;
      const first = this.#started === 0 && replaces === null && !needsInput && input.bad === null;
      // What came before a quote that is not closed is done yet.
      if (!this.#over && (this.#words.length > 0 || first)) await this.#start();
      if (!this.#over && input.bad !== null) this.#aborted = { status: 1, error: input.bad };
    } catch (error) {
      this.#thrown.push(error);
    }
    await Promise.all(this.#running);
    if (this.#thrown.length > 0) throw this.#thrown[0];
    if (this.#aborted === null) return { status: this.#failed ? 123 : 0 };
    const { status, error } = this.#aborted;
    return { status, ...(error === undefined ? {} : { said: `xargs: ${error}\n` }) };
  }

  get #over(): boolean {
    return this.#aborted !== null || this.#thrown.length > 0 || this.#around.host.stopped();
  }

  async #feed(words: readonly FedWord[]): Promise<void> {
    const { replaces, mostWords, mostLines } = this.#call;
    for (const { text, endsLine } of words) {
      if (this.#over) return;
      if (replaces !== null) {
        this.#words = [text];
        await this.#start();
        continue;
      }
      const size = sizeOf(text);
      if (this.#bytes + size > MOST_BYTES) {
        if (this.#words.length > 0) await this.#start();
        else {
          this.#aborted = { status: 1, error: "argument line too long" };
          return;
        }
      }
      this.#words.push(text);
      this.#bytes += size;
      if (endsLine) this.#lines++;
      if (this.#words.length === mostWords || this.#lines === mostLines) await this.#start();
    }
  }

  #empty(): void {
    this.#words = [];
    this.#lines = 0;
    this.#bytes = this.#command.reduce((sum, word) => sum + sizeOf(word), 0);
  }

  /** Starts it with what has come, as soon as there is room for one more. */
  async #start(): Promise<void> {
    const { replaces, together } = this.#call;
    const words = this.#words;
    this.#empty();
    this.#started++;
    const [only = ""] = words;
    const argv = replaces === null
      ? [...this.#command, ...words]
      : this.#command.map((word) => word.replaceAll(replaces, () => only));
    const one = this.#run(argv).catch((error) => void this.#thrown.push(error));
    this.#running.add(one);
    one.finally(() => this.#running.delete(one));
    const room = together === 0 ? MOST_TOGETHER : Math.min(together, MOST_TOGETHER);
    while (this.#running.size >= room) await Promise.race(this.#running);
  }

  async #run(argv: readonly string[]): Promise<void> {
    const copy = this.#state.copy();
    copy.settings = { ...copy.settings, errexit: false };
    const node = await this.#planOf(argv, copy);
    await this.#around.run(node, copy);
    this.#note(argv[0] ?? "", copy.status, node.kind === "simple");
  }

  async #planOf(argv: readonly string[], state: LineState): Promise<PlanNode> {
    const { script, position, line, found } = this.#node;
    const redirections = [
      found === undefined
        // A command of xargs reads nothing.
        ? { kind: "read", descriptor: 0, target: [{ kind: "text", text: "/dev/null" }] }
        : { kind: "duplicate", descriptor: 0, from: found.input },
    ] as const satisfies readonly Redirection[];
    if (!SHELLS.has(argv[0] ?? "")) {
      const words = argv.map((text): Word => [{ kind: "text", text }]);
      return { kind: "simple", assignments: [], words, redirections, position, line };
    }
    if (script?.kind === "group" && script.positional !== undefined) {
      const positional = argv.slice(argv.length - this.#fedTo(argv, script.positional));
      return { ...script, redirections, positional };
    }
    const quoted = argv.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
    const read = await this.#around.understand(quoted, state);
    return read.kind === "group" ? { ...read, redirections } : read;
  }

  /** How many of the last words are parameters of the script. */
  #fedTo(argv: readonly string[], known: readonly string[]): number {
    return known.length + argv.length - this.#command.length;
  }

  #note(name: string, ended: Ended, program: boolean): void {
    const status = statusOf(ended);
    if (this.#node.found !== undefined) {
      this.#failed ||= status !== 0;
      return;
    }
    if (ended.signal !== null) {
      this.#aborted ??= { status: 125, error: `${name}: terminated by signal ${ended.signal}` };
    } else if (status === 255) {
      this.#aborted ??= { status: 124, error: `${name}: exited with status 255; aborting` };
    } else if (program && (status === 126 || status === 127)) this.#aborted ??= { status };
    else if (status !== 0) this.#failed = true;
  }
}

function sizeOf(word: string): number {
  return joinedNameBytes(word).length + 1;
}
