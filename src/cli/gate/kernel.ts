/** What who has connections of others takes of the machine. */

import type { StayingEngine } from "../../engine/create_engine.ts";
import type { StayingRunner } from "../../engine/runner.ts";
import { type Libc, openLibc } from "../../sandbox/kernel/libc.ts";
import { openOwnCalls, withOwnCalls } from "../../sandbox/launcher/own_calls.ts";
import { openSpawner, type Spawner } from "../../sandbox/spawner.ts";
import { raiseDescriptors } from "./descriptors.ts";
import type { FurtherEngine } from "../../serve/gate/token_engines.ts";

/** What a gate takes of the machine. */
export interface GateKernel {
  readonly libc: Libc;
  readonly spawner: Spawner;
}

/** Null where callers cannot be told apart: anywhere but on Linux with glibc. */
export function openGateKernel(): GateKernel | null {
  const opened = openLibc();
  const spawner = opened === null ? null : openSpawner();
  if (opened === null || spawner === null) return null;
  raiseDescriptors(opened);
  // A request takes a read and a write here: half of what a small one costs more than on a connection of many.
  return { libc: withOwnCalls(opened, openOwnCalls(opened)), spawner };
}

/** A gate listens to the threads of an engine, which are among `runners`, until it is closed. */
export function heard(engine: StayingEngine, runners: Set<StayingRunner>): FurtherEngine {
  const { runner } = engine;
  runners.add(runner);
  return {
    engine,
    close: async () => {
      await runner.close();
      runners.delete(runner);
    },
  };
}
