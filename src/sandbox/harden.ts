/** Keeping other processes of the same user out of this one's memory. */

import { errnoName } from "./kernel/errno.ts";
import type { Libc } from "./kernel/libc.ts";

/** include/uapi/linux/prctl.h */
const PR_SET_DUMPABLE = 4;

/**
 * Makes the whole process unreadable for its user's other processes: no `ptrace`, no `/proc/<pid>/mem`, no
 * core file with what it had read. Programs that it starts are dumpable again (`execve` resets it). Null when it
 * holds, else what failed. A process with CAP_SYS_PTRACE (root) is not kept out by this.
 */
export function hardenProcess(libc: Libc): string | null {
  const result = libc.call(libc.numbers.prctl, PR_SET_DUMPABLE, 0, 0, 0, 0);
  return result < 0 ? `prctl(PR_SET_DUMPABLE) failed with ${errnoName(-result)}` : null;
}
