/** A connection that the gate itself has made: to a program of its own. */

import type { Connection } from "./_connection.ts";

/** What is done with it from the gate's side. */
export interface Adopted {
  write(line: string): void;
  /** Bytes that were not read. */
  readonly held: number;
  readonly full: boolean;
  /** Takes in what was sent, ends what runs, and closes it; kept when that is done. */
  finish(): Promise<void>;
}

/** How long what a program has sent before its end, and its last answers, are waited for. */
const FINISH_MS = 2_000;

/** `wake`: there is something to send. `drop`: closes it. */
export function adopted(
  connection: Connection,
  { wake, drop }: { readonly wake: () => void; readonly drop: () => void },
): Adopted {
  const { outbox } = connection.options;
  return {
    write(line) {
      outbox.write(line);
      wake();
    },
    get held() {
      return outbox.held;
    },
    get full() {
      return outbox.full;
    },
    async finish() {
      await soon(connection.drained);
      connection.cancelAll();
      await soon(connection.gone);
      drop();
    },
  };
}

async function soon(done: Promise<void>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, FINISH_MS);
  await Promise.race([done, promise]);
  clearTimeout(timer);
}
