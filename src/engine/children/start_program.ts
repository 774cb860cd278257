/** The program of a child agent, started as every program is, with a socket to the gate in place of its input and output. */

import { ToolError } from "../../core/errors.ts";
import type { Outcome } from "../runner.ts";
import type { CommandEngine } from "../create_engine.ts";
import { startOwn } from "../own_call.ts";

/** What a child's program is started with. */
export interface ChildProgram {
  readonly agent: string;
  /** `children.command` with the task in its place. */
  readonly argv: readonly string[];
  /** The other end of the gate's socket. */
  readonly descriptor: number;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** What it writes to its standard error. */
  readonly onLog: (text: string) => void;
  readonly onRunning: (cancel: () => void) => void;
}

/** `{task}` of each word is the task. */
export function childCommand(command: readonly string[], task: string): readonly string[] {
  return command.map((word) => word.replaceAll("{task}", () => task));
}

/** What became of it, once nothing of it is left. Throws COMMAND_NOT_FOUND where there is no such program. */
export function runChildProgram(
  engine: CommandEngine,
  { agent, argv, descriptor, environment, timeoutMs, onLog, onRunning }: ChildProgram,
): Promise<Outcome> {
  const [app_name = "", ...args] = argv;
  const input = { app_name, args, timeout: timeoutMs / 1000 };
  return startOwn(engine, agent, "launch_app", input, {
    onRunning,
    onEvent: (event) => {
      if (event.event === "stderr") onLog(event.data);
    },
    granted: (grant) => {
      if (grant.spawn.length === 0) {
        throw new ToolError(
          "COMMAND_NOT_FOUND",
          `children.command: there is no program ${app_name} on the search path of the policy, or in the worktree`,
        );
      }
      const channel = { descriptor, environment };
      return { ...grant, timeoutMs, spawn: grant.spawn.map((one) => ({ ...one, channel })) };
    },
  });
}
