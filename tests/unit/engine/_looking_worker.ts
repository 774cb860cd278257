/** A thread that looks as it is told, and tells what came of it and what it can still do past all handles. */

import type { CallRequest } from "../../../src/core/request.ts";
import { jsonText } from "../../../src/core/result.ts";
import {
  LookingEngine,
  type LookingSetup,
  lookingTools,
} from "../../../src/engine/looking_engine.ts";

/** What it is asked to do. */
export interface Looking {
  readonly setup: LookingSetup;
  readonly calls: readonly CallRequest[];
  readonly outside: string;
}

const scope = globalThis as unknown as {
  onmessage: ((event: MessageEvent<Looking>) => void) | null;
  postMessage(message: unknown): void;
};

scope.onmessage = async ({ data: { setup, calls, outside } }) => {
  try {
    const engine = await LookingEngine.open(setup, lookingTools());
    const results = [];
    for (const call of calls) {
      const result = await engine.look(call);
      results.push(
        result === null ? null : { ...result, output: JSON.parse(jsonText(result.output)) },
      );
    }
    let canReadOutside = true;
    try {
      Deno.readTextFileSync(outside);
    } catch {
      canReadOutside = false;
    }
    scope.postMessage({ results, counts: engine.takeCounts(), canReadOutside });
  } catch (error) {
    scope.postMessage({ failed: String(error) });
  }
};
