/** What holding programs by their words takes, the same for all of a thread. */

import type { Broker } from "../../host/broker/broker.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import type { KeptFilters } from "./kept_filters.ts";
import type { SparesOf } from "./kept_rules.ts";

/** What of the kernel's layer is there, and what is the same for all programs of a thread. */
export interface HoldParts {
  readonly libc: Libc;
  /** The Landlock ABI; 0 where it holds nothing. */
  readonly abi: number;
  /** Whether programs can put a filter on themselves. */
  readonly seccomp: boolean;
  readonly network: boolean;
  /** What programs may read and execute beyond the workspace. */
  readonly system: readonly string[];
  /** The folder of the temporary folders of all runs; null where the policy wants none. */
  readonly temporaryRoot: string | null;
  /** Whether runs leave these folders to each other. */
  readonly keepsFolders: boolean;
  /** What programs of this workspace keep from call to call; null for none. */
  readonly caches: string | null;
  /** Git's settings for programs; null for none. */
  readonly gitConfig: string | null;
  /** What stands in for hooks of repositories; null where lines run none. */
  readonly hookStandIns: string | null;
  /** The folders that bare names are looked for in. */
  readonly searchPath: string;
  /** Whoever does what programs hand over; null where there is nobody. */
  readonly broker: Pick<Broker, "missing" | "socketsMissing"> | null;
  /** Whoever is asked what programs may start, and need do nothing else for them; null where there is nobody. */
  readonly starts: Pick<Broker, "missing"> | null;
  /** Made before it was known what for; null or left out for none. */
  readonly filters?: KeptFilters | null;
  /** Likewise: they are the holds' from now on. */
  readonly spares?: SparesOf | null;
}
