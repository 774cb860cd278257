/** Comparing what somebody agreed to with what is there right before it runs. */

import type { ResultError } from "../../core/errors.ts";
import { canonicalize } from "../../host/paths/canonicalize.ts";
import { createIdentityProbe } from "../../host/paths/identity.ts";
import { openLibc } from "../../sandbox/kernel/libc.ts";
import { type AgreedProbe, agreedSteps } from "../approvals/agreed.ts";
import type { Job } from "../runner.ts";
import { inTurns } from "../turns.ts";
import { asResultError } from "./pool_thread.ts";

/** Looks at what calls act on that somebody agreed to. */
export class AgreedCheck {
  /** Made with the first such call. */
  #probe: AgreedProbe | null = null;

  /**
   * Null where all is as somebody agreed to it: it may have waited long for its turn. A thread that compares again itself,
   * where it can, leaves to this what it cannot: trees. A promise where that takes longer than others should wait.
   */
  changed(
    { tool, agreed = [] }: Pick<Job, "tool" | "agreed">,
    thread: "compares again" | "none",
  ): ResultError | null | Promise<ResultError | null> {
    if (agreed.length === 0) return null;
    const libc = openLibc();
    const again = thread === "compares again" && libc !== null;
    const here = again ? agreed.filter(({ tree }) => tree !== null) : agreed;
    try {
      this.#probe ??= { ...createIdentityProbe(libc), canonicalize };
      const compared = inTurns(agreedSteps(tool.name, here, this.#probe, { trees: true }));
      return compared instanceof Promise ? compared.then(() => null, asResultError) : null;
    } catch (error) {
      return asResultError(error);
    }
  }
}

/** Begins what is given to each thread in the order in which it was given, though comparing may take turns. */
export class Beginnings<Thread extends object> {
  readonly #agreed = new AgreedCheck();
  readonly #last = new WeakMap<Thread, Promise<void>>();

  /** `begin`: told once, with why it is refused. At once where nothing is waited for. */
  take(
    thread: Thread,
    job: Pick<Job, "tool" | "agreed">,
    begin: (changed: ResultError | null) => void,
  ): void {
    const changed = this.#agreed.changed(job, "compares again");
    const before = this.#last.get(thread);
    if (before === undefined && !(changed instanceof Promise)) return begin(changed);
    const begun = Promise.all([changed, before]).then(([found]) => {
      if (this.#last.get(thread) === begun) this.#last.delete(thread);
      begin(found);
    });
    this.#last.set(thread, begun);
  }
}
