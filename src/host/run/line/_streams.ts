/** The descriptors that a part of a line runs with. */

/** What a command reads from and writes to. */
export interface LineStreams {
  readonly descriptors: readonly number[];
  /** Called once its program has them, or it has ended: whoever made pipes for it alone lets them go. */
  readonly release: () => void;
  /** Somebody looks at the status: it ends nothing (`set -e`). */
  readonly tested: boolean;
}
