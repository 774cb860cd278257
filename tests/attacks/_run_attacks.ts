/** Runs attacks one after the other on the compiled binary, and tells which left a trace. */

import { Session } from "../binary/_mcp_session.ts";
import { call, Pipe } from "../binary/toolgate.ts";
import { Arena, CLOSED_POLICY, FORBIDDING_POLICY, type Marker, OPEN_POLICY } from "./_arena.ts";
import type { User } from "./_users.ts";

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

/** How lines come to the binary. */
export const WAYS = ["serve", "mcp", "call"] as const;
export type Way = typeof WAYS[number];

const POLICIES = [OPEN_POLICY, CLOSED_POLICY, FORBIDDING_POLICY] as const;

interface Gate {
  /** What the line is answered, as text. */
  readonly ask: (command: string) => Promise<string>;
  readonly close: () => Promise<void>;
}

async function open(
  arena: Arena,
  at: number,
  way: Way,
  user: User,
  patient: boolean,
): Promise<Gate> {
  const policy = patient ? POLICIES[at]!.replace("default: 5s", "default: 1h") : POLICIES[at]!;
  const file = arena.workspace.policy(policy, `policy${at}.yaml`);
  const options = { cwd: arena.root, env: { HOME: arena.root }, ...user };
  if (way === "serve") {
    const pipe = new Pipe(["--policy", file], options);
    return {
      ask: async (command) =>
        JSON.stringify(await pipe.ask({ id: 1, tool: "run_command", args: { command } })),
      close: async () => void await pipe.close(),
    };
  }
  if (way === "call") {
    const words = ["run_command", "--json", "-", "--policy", file];
    return {
      ask: async (command) =>
        (await call(words, { ...options, stdin: JSON.stringify({ command }) })).stdout,
      close: () => Promise.resolve(),
    };
  }
  const session = new Session(arena.workspace, policy, user);
  await session.initialize("2025-06-18");
  return {
    ask: async (command) => {
      const asked = { name: "run_command", arguments: { command } };
      return JSON.stringify(await session.ask("tools/call", asked));
    },
    close: async () => void await session.close(),
  };
}

/**
 * The attacks that left a trace, and how many lines ran to an end of their own; as one of the users that can be had. One
 * after the other, each policy by one process that starts when it is first needed: a start costs more than many lines, and
 * code that others have made warm answers sooner.
 */
export async function runAttacks(
  trials: readonly Trial[],
  { user = {}, way = "serve", patient = false }: {
    readonly user?: User;
    readonly way?: Way;
    /** Whether a line has all the time that a busy machine takes. */
    readonly patient?: boolean;
  } = {},
): Promise<{ readonly successes: readonly Success[]; readonly answered: number }> {
  const successes: Success[] = [];
  let answered = 0;
  await using arena = new Arena(user.user);
  const gates = new Map<number, Gate>();
  for (const trial of trials) {
    const at = trial.forbidding !== undefined ? 2 : trial.closed ? 1 : 0;
    const gate = gates.get(at) ?? await open(arena, at, way, user, patient);
    gates.set(at, gate);
    const answer = await gate.ask(arena.placed(trial.line));
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
  for (const gate of gates.values()) await gate.close();
  return { successes, answered };
}
