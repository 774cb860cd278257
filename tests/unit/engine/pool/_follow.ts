/** Following a call to nowhere: no events, nobody to ask, no log. */

import type { Follow } from "../../../../src/engine/execute.ts";

export const FOLLOW: Follow = {
  onEvent: () => {},
  onRunning: () => {},
  approver: { ask: () => Promise.resolve({ answer: "nobody", hint: "nobody is here" }) },
};

/** For engines of policies that want none. */
export function noLog(): never {
  throw new Error("no policy here wants a log");
}
