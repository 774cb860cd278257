/** Loops that start nothing, beside what else the thread has to do. */

import type { LineHost } from "./line_host.ts";
import { Stopped } from "./_stopped.ts";

/** How long a loop goes on before others have their turn. */
const LONGEST_TURN_MS = 5;

/** The turns of one line. */
export class Turns {
  readonly #host: Pick<LineHost, "stopped">;
  /** When others last had theirs. */
  #turned = performance.now();

  constructor(host: Pick<LineHost, "stopped">) {
    this.#host = host;
  }

  /** A loop that starts nothing leaves others their turn, and hears that it is to end. */
  async turn(): Promise<void> {
    if (this.#host.stopped()) throw new Stopped();
    if (performance.now() - this.#turned < LONGEST_TURN_MS) return;
    await new Promise((resolve) => setTimeout(resolve, 0));
    this.#turned = performance.now();
    if (this.#host.stopped()) throw new Stopped();
  }
}
