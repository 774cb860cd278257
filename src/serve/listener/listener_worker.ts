/** The module that the thread starts with which hears a pipe and only looks. */

import { LookingEngine, type LookingSetup, lookingTools } from "../../engine/looking_engine.ts";
import { openStandardPipe } from "../../host/kernel/standard_pipe.ts";
import { openLibc } from "../../sandbox/kernel/libc.ts";
import type { PipeAgent } from "../_operations.ts";
import { Listener } from "./listener.ts";
import { ListenerTurn, OutputLock, type TurnMemory } from "./turn.ts";

/** The only message to it. */
export interface ListenerSetup {
  readonly looking: LookingSetup;
  readonly agent: PipeAgent;
  readonly memory: TurnMemory;
  /** See `openStandardPipe`. */
  readonly wake: number;
}

const scope = globalThis as unknown as {
  onmessage: ((event: MessageEvent<ListenerSetup>) => void) | null;
};
const tools = lookingTools();

scope.onmessage = async ({ data: { looking, agent, memory, wake } }) => {
  const turn = new ListenerTurn(memory);
  try {
    const libc = openLibc();
    if (libc === null) throw new Error("no system calls");
    const pipe = openStandardPipe(libc, wake);
    const engine = await LookingEngine.open(looking, tools, libc);
    const lock = new OutputLock(memory);
    await new Listener({ engine, agent, turn, pipe, lock }).run();
  } catch {
    // The main thread hears it all itself.
    turn.resign();
  }
};
