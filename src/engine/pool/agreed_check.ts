/** Comparing what somebody agreed to with what is there right before it runs. */

import type { ResultError } from "../../core/errors.ts";
import { canonicalize } from "../../host/paths/canonicalize.ts";
import { createIdentityProbe } from "../../host/paths/identity.ts";
import { openLibc } from "../../sandbox/kernel/libc.ts";
import { type AgreedProbe, requireAgreed } from "../approvals/agreed.ts";
import type { Job } from "../runner.ts";
import { asResultError } from "./pool_thread.ts";

/** Looks at what calls act on that somebody agreed to. */
export class AgreedCheck {
  /** Made with the first such call. */
  #probe: AgreedProbe | null = null;

  /**
   * Null where all is as somebody agreed to it: it may have waited long for its turn. A thread that compares again itself,
   * where it can, leaves to this what it cannot: trees.
   */
  changed(
    { tool, agreed = [] }: Pick<Job, "tool" | "agreed">,
    thread: "compares again" | "none",
  ): ResultError | null {
    if (agreed.length === 0) return null;
    const libc = openLibc();
    const again = thread === "compares again" && libc !== null;
    const here = again ? agreed.filter(({ tree }) => tree !== null) : agreed;
    try {
      this.#probe ??= { ...createIdentityProbe(libc), canonicalize };
      requireAgreed(tool.name, here, this.#probe, { trees: true });
      return null;
    } catch (error) {
      return asResultError(error);
    }
  }
}
