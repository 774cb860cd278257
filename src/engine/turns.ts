/** Work that may take long, in turns: at once while it is short, else with a turn for everybody else in between. */

/** How long it goes on before others have their turn, in ms: a person would not notice, and few steps take longer. */
const TURN_MS = 8;

/** Steps of a piece of work, each ended by a `yield`, and what comes of it. */
export type Steps<T> = Generator<void, T, void>;

/** To its end, at once. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Steps that nobody needs a turn between: what one file takes is answered at once, however busy the machine is. */
const FREE_STEPS = 2;

/** At once where it is short; else a promise, and others have their turns meanwhile. Throws, or rejects, as it does. */
export function inTurns<T>(steps: Steps<T>): T | Promise<T> {
  const until = performance.now() + TURN_MS;
  let taken = 0;
  do {
    const step = steps.next();
    if (step.done === true) return step.value;
  } while (++taken <= FREE_STEPS || performance.now() < until);
  return later(steps);
}

async function later<T>(steps: Steps<T>): Promise<T> {
  await new Promise((resolve) => setTimeout(resolve, 0));
  return await inTurns(steps);
}

/** As {@linkcode inTurns}, for work that waits for other things too: `take` between two parts of it. */
export class Turns {
  #until = performance.now() + TURN_MS;

  /** Lets others have their turn where it has gone on long enough. */
  async take(): Promise<void> {
    if (performance.now() < this.#until) return;
    await new Promise((resolve) => setTimeout(resolve, 0));
    this.#until = performance.now() + TURN_MS;
  }
}
