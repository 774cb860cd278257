/** What a thread that starts programs keeps for all of them. */

import { ToolError } from "../../core/errors.ts";
import { ERRNO } from "../../sandbox/kernel/errno.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import { AT_FDCWD, OPEN } from "../../sandbox/kernel/open_without_links.ts";
import type { Architecture } from "../../sandbox/seccomp.ts";
import { createFolderStore, createMemoryStore } from "../../sandbox/launcher/image_file.ts";
import { ProgramLauncher } from "../../sandbox/launcher/launcher.ts";
import type { OwnCalls } from "../../sandbox/launcher/own_calls.ts";
import { StartBlocks } from "../../sandbox/launcher/start_blocks.ts";
import { keptCapabilities } from "../../sandbox/launcher/privileges.ts";
import type { Spawner } from "../../sandbox/spawner.ts";
import { createBuffer } from "./_output.ts";
import { LimitMaker } from "./_process_limits.ts";
import { KnownLooks } from "./survey/known_looks.ts";
import type { MemoryReader } from "../../sandbox/broker/memory_reader.ts";
import { Broker } from "../broker/broker.ts";
import { close, noDescriptors } from "../kernel/pipes.ts";
import { Poller } from "../kernel/poller.ts";

/** What a thread starts programs with, opened once. */
export interface Starter {
  readonly libc: Libc;
  readonly spawner: Spawner;
  readonly launcher: ProgramLauncher;
  readonly limits: LimitMaker;
  readonly poller: Poller;
  /** Does for programs what they hand over; null where nobody can read what that is. Opened when it is asked for. */
  readonly broker: Broker | null;
  /** For whoever reads: what was read is taken before the next read. */
  readonly buffer: Uint8Array;
  /** What was found where repositories were looked at. */
  readonly knownLooks: KnownLooks;
  /** `/dev/null`, for programs that are given no input. */
  readonly nothing: number;
  /** Lets its descriptors go; no program may be under way. */
  close(): void;
}

/**
 * @param own For starts that take no file; null where there is none.
 * @param memory For reading what programs hand over, and what is given opens it with the first; null where that is not wanted.
 * @param shared Whether others wait for this thread; see `BrokerParts`.
 * @param folder For the launcher's own files, where memory may not be executed; null where there is no place for one.
 *
 * Throws RESOURCE_LIMIT where there are too many open files, EXECUTION_ERROR where there is no `/dev/null`.
 */
export function createStarter(
  libc: Libc,
  spawner: Spawner,
  { own = null, memory = null, folder = null, shared = false }: {
    readonly own?: OwnCalls | null;
    readonly memory?: MemoryReader | (() => MemoryReader | null) | null;
    readonly folder?: string | null;
    readonly shared?: boolean;
  } = {},
): Starter {
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
  const architecture = Deno.build.arch as Architecture;
  const store = createMemoryStore(libc, architecture);
  // Who watches all programs is told of these where it stands, and nobody ends this thread before their end.
  const ahead = shared && own !== null ? StartBlocks.open(libc, architecture) : null;
  const openBroker = (): Broker | null => {
    const reader = typeof memory === "function" ? memory() : memory;
    const waiting = own?.waiting ?? null;
    return reader === null ? null : new Broker({ libc, memory: reader, poller, waiting, shared });
  };
  let broker: Broker | null | undefined;
  return {
    libc,
    spawner,
    launcher: new ProgramLauncher({
      libc,
      spawner,
      architecture,
      own,
      ahead,
      stores: folder === null ? [store] : [store, createFolderStore(libc, folder)],
      capabilities: keptCapabilities(libc, architecture),
    }),
    limits: new LimitMaker(libc),
    poller,
    get broker() {
      return broker === undefined ? broker = openBroker() : broker;
    },
    buffer: createBuffer(),
    knownLooks: new KnownLooks(),
    nothing,
    close() {
      poller.close();
      ahead?.close();
      close(libc, nothing);
    },
  };
}
