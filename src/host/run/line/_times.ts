/** What `time` says (bash(1), TIMEFORMAT; `-p`: POSIX, time). */

import type { Usage } from "../_programs.ts";
import { LoopJump } from "./_compound.ts";
import { Exit } from "./_state.ts";

/** Runs something, and tells what it took by the clock, and what its programs took of the processors by then. */
export async function timed(
  { posix, usage, tell }: {
    readonly posix: boolean;
    readonly usage: () => Usage;
    readonly tell: (text: string) => Promise<unknown>;
  },
  run: () => Promise<void>,
): Promise<void> {
  const [began, before] = [performance.now(), usage()];
  const told = async (): Promise<void> => {
    const { userMs, systemMs } = usage();
    const took = [
      ["real", performance.now() - began],
      ["user", userMs - before.userMs],
      ["sys", systemMs - before.systemMs],
    ] as const;
    await tell(timesText(took, posix));
  };
  try {
    await run();
  } catch (error) {
    // A function that is left tells nothing any more; a shell or a loop that is left does.
    if (error instanceof Exit || error instanceof LoopJump) await told();
    throw error;
  }
  await told();
}

/** Names with ms, in the order in which they are told. */
function timesText(times: readonly (readonly [string, number])[], posix: boolean): string {
  const lines = times.map(([name, ms]) => {
    const whole = Math.max(0, Math.floor(ms));
    if (posix) {
      return `${name} ${Math.floor(whole / 1000)}.${pad(Math.floor(whole / 10) % 100, 2)}\n`;
    }
    const seconds = Math.floor(whole / 1000);
    return `${name}\t${Math.floor(seconds / 60)}m${seconds % 60}.${pad(whole % 1000, 3)}s\n`;
  });
  return (posix ? "" : "\n") + lines.join("");
}

function pad(number: number, digits: number): string {
  return String(number).padStart(digits, "0");
}
