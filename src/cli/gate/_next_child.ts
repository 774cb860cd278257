/** What is begun for the next child agent before anybody asks for it. */

import type { CanonicalPath } from "../../core/capability.ts";
import { policyOfDelegation } from "../../policy/delegation.ts";
import type { Rulebook } from "../../policy/rulebook.ts";
import type { Token } from "../../serve/gate/token.ts";

/** Of a child's token: who it is, and what is taken away from it. */
export type ChildPowers = Pick<Token, "agent" | "policies" | "permissions">;

/** What the one before does first is done by then, on a busy machine too: nothing is begun beside that. In ms. */
const AFTER_MS = 2_000;

/**
 * The engines of one child ahead, at most. Who started one child starts another mostly as he did the first: by the next name,
 * with the same taken away. They are taken where all of that is so to the letter, by which they are the very engines that would
 * be made; else they are dropped.
 */
export class NextChild<Begun extends { readonly drop: () => Promise<void> }> {
  readonly #begin: (powers: ChildPowers) => Begun | null;
  #begun: { readonly powers: string; readonly engines: Begun } | null = null;
  #timer: number | null = null;
  #closed = false;

  /** `begin`: null where the name is somebody's by now. */
  constructor(begin: (powers: ChildPowers) => Begun | null) {
    this.#begin = begin;
  }

  /** Those of this child, which begins now; null where none, or another's, were begun. */
  take(powers: ChildPowers): Begun | null {
    // What was still to be begun was for this one, or for a name before it.
    this.#forget();
    const begun = this.#begun;
    if (begun === null) return null;
    this.#begun = null;
    if (begun.powers === textOf(powers)) return begun.engines;
    void begun.engines.drop();
    return null;
  }

  /** Begins those of the one that comes after this one, which has begun: soon, or at once where this one is `ended` meanwhile. */
  follow(powers: ChildPowers): { readonly ended: () => void } {
    const next = after(powers);
    if (next === null || this.#closed) return { ended: () => {} };
    this.#forget();
    const begin = () => {
      if (this.#timer !== timer) return;
      this.#forget();
      const engines = this.#begun === null ? this.#begin(next) : null;
      if (engines !== null) this.#begun = { powers: textOf(next), engines };
    };
    const timer = setTimeout(begin, AFTER_MS);
    this.#timer = timer;
    return { ended: begin };
  }

  /** Begins none any more, and drops what nobody has taken. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#forget();
    const begun = this.#begun;
    this.#begun = null;
    await begun?.engines.drop();
  }

  #forget(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}

function textOf({ agent, policies, permissions }: ChildPowers): string {
  return JSON.stringify([agent, policies, permissions]);
}

/** Null of one whose names are not counted on: a child's own. */
function after({ agent, policies, permissions }: ChildPowers): ChildPowers | null {
  const number = /^child-(\d+)$/.exec(agent)?.[1];
  if (number === undefined) return null;
  const next = `child-${Number(number) + 1}`;
  const renamed = policies.map((one) =>
    one.source === `token ${agent}` ? { ...one, source: `token ${next}` } : one
  );
  return { agent: next, policies: renamed, permissions };
}

/** Before the first: those of a child of `maker` who is given all that he can be, and whom `child-1` comes after. */
export function powersBeforeFirst(
  rulebook: Pick<Rulebook, "permissionsOf">,
  workspace: CanonicalPath,
  maker: string,
): ChildPowers {
  const permissions = rulebook.permissionsOf(maker) ?? [];
  const policy = policyOfDelegation({ permissions, paths: null, commands: null });
  const own = rulebook.permissionsOf("child-1") ?? [];
  return {
    agent: "child-0",
    policies: [{ source: "token child-0", policy, workspace }],
    permissions: permissions.filter((group) => own.includes(group)),
  };
}
