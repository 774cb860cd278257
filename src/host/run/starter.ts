/** What a thread that starts programs keeps for all of them. */

import { ToolError } from "../../core/errors.ts";
import { ERRNO } from "../../sandbox/kernel/errno.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import { AT_FDCWD, OPEN } from "../../sandbox/kernel/open_without_links.ts";
import type { Spawner } from "../../sandbox/spawner.ts";
import { createBuffer } from "./_output.ts";
import { close, noDescriptors } from "../kernel/pipes.ts";
import { Poller } from "../kernel/poller.ts";

export interface Starter {
  readonly libc: Libc;
  readonly spawner: Spawner;
  readonly poller: Poller;
  /** For whoever reads: what was read is taken before the next read. */
  readonly buffer: Uint8Array;
  /** `/dev/null`, for programs that are given no input. */
  readonly nothing: number;
  /** Lets its descriptors go; no program may be under way. */
  close(): void;
}

/** Throws RESOURCE_LIMIT where there are too many open files, EXECUTION_ERROR where there is no `/dev/null`. */
export function createStarter(libc: Libc, spawner: Spawner): Starter {
  const path = libc.path("/dev/null");
  const nothing = libc.call(libc.numbers.openat, AT_FDCWD, path, OPEN.RDONLY | OPEN.CLOEXEC);
  if (nothing === -ERRNO.EMFILE || nothing === -ERRNO.ENFILE) throw noDescriptors();
  if (nothing < 0) {
    throw new ToolError(
      "EXECUTION_ERROR",
      "no program can be started: this machine, or container, has no /dev/null that may be opened; give it one",
    );
  }
  const poller = new Poller(libc, spawner);
  return {
    libc,
    spawner,
    poller,
    buffer: createBuffer(),
    nothing,
    close() {
      poller.close();
      close(libc, nothing);
    },
  };
}
