/** `policy`: write policies, check them, try them, and see what they mean. */

import { nearest } from "../../core/nearest.ts";
import type { Invocation } from "../invocation.ts";
import { UsageError } from "../usage_error.ts";

/** Gives the exit status. `words`: what stands behind the action. */
export type PolicyAction = (
  invocation: Invocation,
  words: readonly string[],
) => Promise<number> | number;

/** One line an action, its module loaded only when it is called. `words`: how many may stand behind it. */
const ACTIONS: Readonly<
  Record<string, { readonly words: number; readonly load: () => Promise<PolicyAction> }>
> = {
  check: { words: Infinity, load: async () => (await import("./_check.ts")).checkPolicies },
  show: { words: 0, load: async () => (await import("./_show.ts")).showPolicies },
  explain: {
    words: Infinity,
    load: async () => (await import("./_explain.ts")).explainCall,
  },
  test: { words: Infinity, load: async () => (await import("./_cases.ts")).testPolicies },
  flags: { words: 0, load: async () => (await import("./_flags.ts")).showFlags },
  schema: { words: 0, load: async () => (await import("./_schema.ts")).showSchema },
  init: { words: 1, load: async () => (await import("./_init.ts")).initPolicy },
  replay: { words: 0, load: async () => (await import("./_replay.ts")).replayAudit },
};

/** `policy show|check|explain|test|…`; gives the exit status. */
export async function policy(invocation: Invocation): Promise<number> {
  const [name = "show", ...words] = invocation.words;
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (action === undefined) {
    const near = nearest(name, Object.keys(ACTIONS));
    throw new UsageError(
      `policy takes ${Object.keys(ACTIONS).join(", ")}, not ${JSON.stringify(name)}` +
        (near === null ? "" : `; did you mean ${near}?`),
    );
  }
  if (words.length > action.words) {
    const hint = name === "replay" ? "; --audit FILE names the log" : "";
    throw new UsageError(`policy ${name} takes no ${JSON.stringify(words[action.words])}${hint}`);
  }
  return await (await action.load())(invocation, words);
}
