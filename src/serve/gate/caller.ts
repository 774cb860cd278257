/** Who is at the other end of a connection: what the kernel says of him, held against what the policy says. Pure. */

import type { CallerRule } from "../../policy/model.ts";

/** What is known of who connected. */
export interface Arrival {
  readonly uid: number;
  /** Toolgate itself has started the program. */
  readonly ownProgram: boolean;
}

/** What a gate goes by. */
export interface CallerRules {
  /** The user that the gate runs as. */
  readonly uid: number;
  /** Null: the gate's own user alone. */
  readonly callers: readonly CallerRule[] | null;
  /** Who alone this gate speaks for (`--agent`); null where nobody says. */
  readonly agent: string | null;
}

/** Somebody who is heard. */
export interface Caller {
  readonly uid: number;
  /** Null: he is no agent, and may do what concerns the gate alone. */
  readonly agent: { readonly name: string; readonly pinned: boolean } | null;
  /** Whether he may see who is connected, end the gate, and change which tools there are. */
  readonly operator: boolean;
  /** Why nothing is heard of him unless a token comes first; null where it is. */
  readonly onlyWithToken: string | null;
}

/** Who it is; or why nobody is heard. */
export function callerOf(
  { uid, ownProgram }: Arrival,
  rules: CallerRules,
): Caller | { readonly refused: string } {
  // What it may it has been given by the call that started it, unless somebody has handed on more.
  if (ownProgram) {
    if (!hears(uid, rules)) return { refused: "no rule of the policy's callers names this user" };
    return { uid, agent: null, operator: false, onlyWithToken: OWN_PROGRAM };
  }
  const operator = uid === rules.uid;
  const onlyWithToken = null;
  if (rules.callers === null) {
    if (!operator) {
      return { refused: "this gate hears its own user alone; the policy's callers name others" };
    }
    const { agent } = rules;
    return {
      uid,
      agent: { name: agent ?? "root", pinned: agent !== null },
      operator,
      onlyWithToken,
    };
  }
  const named = rules.callers.find((rule) => rule.uid === uid);
  // A gate that speaks for one agent speaks for no other, whoever asks.
  const speaks = named !== undefined && (rules.agent === null || rules.agent === named.agent);
  if (!speaks && !operator) return { refused: "no rule of the policy's callers names this user" };
  return {
    uid,
    agent: speaks ? { name: named.agent, pinned: true } : null,
    operator,
    onlyWithToken,
  };
}

/** Whether the gate hears that user: its own, and those that the policy names. */
export function hears(uid: number, rules: CallerRules): boolean {
  return uid === rules.uid || rules.callers?.some((rule) => rule.uid === uid) === true;
}

const OWN_PROGRAM = "programs that this gate has started are heard only where a token comes first";
