/** What a line says itself: in the place of its commands, by their descriptors. */

import { joinedNameBytes } from "../../../core/name_text.ts";
import { ERRNO } from "../../../sandbox/kernel/errno.ts";
import { SIGNALS } from "../../../sandbox/kernel/signals.ts";
import { CLOSED } from "../../../sandbox/spawner.ts";
import { endedBy } from "../_programs.ts";
import type { LineHost } from "./line_host.ts";
import { messageOf } from "./redirect.ts";
import { traceAssigned, traceQuoted } from "./expand/quote.ts";
import { Exit, type LineState } from "./_state.ts";
import { Stopped } from "./_stopped.ts";
import { writeAll } from "./_write_all.ts";

/** Writes what no program does; nothing once the line is over. */
export class Speech {
  readonly #host: LineHost;
  readonly #over: () => boolean;

  constructor(host: LineHost, over: () => boolean) {
    this.#host = host;
    this.#over = over;
  }

  /** As the shell of that state says it. */
  async complain(
    [, , descriptor]: readonly number[],
    state: LineState,
    ...messages: readonly string[]
  ): Promise<void> {
    await this.say(descriptor, messages.map((one) => `${state.saying(one)}\n`).join(""));
  }

  /** What `set -x` has said of a command before it runs. */
  async trace(
    descriptors: readonly number[],
    state: LineState,
    words: readonly string[],
  ): Promise<void> {
    await this.#traced(descriptors, state, [words.map(traceQuoted).join(" ")]);
  }

  /** As {@linkcode trace}, of variables that it sets. */
  async traceAssigned(
    descriptors: readonly number[],
    state: LineState,
    values: ReadonlyMap<string, string>,
  ): Promise<void> {
    const shown = ([name, value]: readonly [string, string]) => `${name}=${traceAssigned(value)}`;
    await this.#traced(descriptors, state, [...values].map(shown));
  }

  async #traced(
    [, , descriptor]: readonly number[],
    { nesting }: LineState,
    lines: readonly string[],
  ): Promise<void> {
    const sign = "+".repeat(nesting + 1);
    await this.say(descriptor, lines.map((line) => `${sign} ${line}\n`).join(""));
  }

  /** What a builtin writes; whoever reads no more ends the shell that it is in, as SIGPIPE would. */
  async write(descriptor: number | undefined, output: string | Uint8Array): Promise<string | null> {
    const errno = await this.say(descriptor, output);
    if (errno === -ERRNO.EPIPE) throw new Exit(endedBy(SIGNALS.SIGPIPE));
    return errno < 0 ? `write error: ${messageOf(-errno)}` : null;
  }

  /** The number of bytes, or an error number with its sign turned. Throws `Stopped`. */
  async say(descriptor: number | undefined, output: string | Uint8Array): Promise<number> {
    const bytes = typeof output === "string" ? joinedNameBytes(output) : output;
    if (bytes.length === 0) return 0;
    if (this.#over() || this.#host.stopped()) throw new Stopped();
    this.#host.began();
    return await writeAll(this.#host, descriptor ?? CLOSED, bytes);
  }
}
