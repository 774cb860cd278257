/** What looking at a command of git takes, before it is started. */

import type { CanonicalPath } from "../../../core/capability.ts";
import type { Rulebook } from "../../../policy/rulebook.ts";

/** What git printed, run to look and to change nothing. */
export interface GitLook {
  readonly status: number | null;
  readonly bytes: Uint8Array;
  /** Not all of it was kept. */
  readonly cut: boolean;
}

/** What looking takes. */
export interface SurveyParts {
  readonly rulebook: Pick<Rulebook, "judgePath" | "mayDenyBelow" | "scope">;
  /** Where repositories lie that are recorded in. */
  readonly workspace: CanonicalPath;
  /** Transports that the policy names. */
  readonly protocols: readonly string[];
  /** `stdin`: what it reads, as text. */
  readonly git: (
    words: readonly string[],
    directory: CanonicalPath,
    stdin: string,
  ) => Promise<GitLook>;
  readonly resolve: (directory: CanonicalPath, path: string) => CanonicalPath | null;
  /** What is in a small file; null where it cannot be read. */
  readonly text: (path: string) => string | null;
}
