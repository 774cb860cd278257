/** Runs attacks one after the other on the compiled binary, and tells which left a trace. */

import { Pipe } from "../binary/toolgate.ts";
import { Arena, CLOSED_POLICY, FORBIDDING_POLICY, type Marker, OPEN_POLICY } from "./_arena.ts";

export interface Trial {
  readonly line: string;
  /** The policy has closed names inside: without them what a program leaves inside is no trace. */
  readonly closed: boolean;
  /** The policy allows everything but what leaves this trace: no other counts. */
  readonly forbidding?: Marker;
}

export interface Success {
  readonly line: string;
  readonly traces: readonly Marker[];
  readonly answer: string;
}

/** Attacks side by side, each crew in an arena of its own. */
const CREWS = 2;

/** The attacks that left a trace, and how many lines ran to an end of their own. */
export async function runAttacks(
  trials: readonly Trial[],
): Promise<{ readonly successes: readonly Success[]; readonly answered: number }> {
  const successes: Success[] = [];
  const queue = [...trials];
  let answered = 0;
  await Promise.all(Array.from({ length: CREWS }, async () => {
    await using arena = new Arena();
    const open = arena.workspace.policy(OPEN_POLICY, "open.yaml");
    const closed = arena.workspace.policy(CLOSED_POLICY, "closed.yaml");
    const forbidding = arena.workspace.policy(FORBIDDING_POLICY, "forbidding.yaml");
    const pipes = [open, closed, forbidding].map((policy) =>
      new Pipe(["--policy", policy], {
        cwd: arena.root,
        env: { HOME: arena.root },
      })
    );
    for (let trial = queue.shift(); trial !== undefined; trial = queue.shift()) {
      const command = arena.placed(trial.line);
      const pipe = pipes[trial.forbidding !== undefined ? 2 : trial.closed ? 1 : 0]!;
      const answer = JSON.stringify(
        await pipe.ask({ id: 1, tool: "run_command", args: { command } }),
      );
      answered++;
      const traces = [...arena.traces(answer)].filter((trace) =>
        trial.forbidding !== undefined
          ? trace === trial.forbidding
          : trial.closed
          ? trace !== "ran"
          : trace !== "denied"
      );
      if (traces.length > 0) {
        successes.push({ line: trial.line, traces, answer: answer.slice(0, 600) });
      }
      arena.reset();
    }
    for (const pipe of pipes) await pipe.close();
  }));
  return { successes, answered };
}
