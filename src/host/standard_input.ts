/**
 * Standard input of which reads do not wait. O_NONBLOCK is of the open file (open(2)): whoever else has it may have said so,
 * and the runtime says it of a terminal that it may not open once more, being another user's (`su agent`). Then what would
 * have waited is tried again.
 */

/** Milliseconds until it is tried again: twice as long each time, no longer than this. */
const LONGEST_PAUSE = 16;

/** How many bytes came; null at its end. */
export async function readInput(buffer: Uint8Array): Promise<number | null> {
  for (let pause = 1;; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
    try {
      return await Deno.stdin.read(buffer);
    } catch (error) {
      if (!(error instanceof Deno.errors.WouldBlock)) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
