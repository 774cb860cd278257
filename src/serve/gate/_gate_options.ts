/** What a gate is made of, and what it tells of itself. */

import type { StayingRunner } from "../../engine/runner.ts";
import type { Peer } from "../../host/sockets/unix_socket.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import type { Spawner } from "../../sandbox/spawner.ts";
import type { Caller } from "./caller.ts";
import type { Opening, Speech } from "./_connection.ts";
import type { Outbox } from "./_outbox.ts";

/** What a gate is made of. */
export interface GateOptions {
  readonly libc: Libc;
  readonly spawner: Spawner;
  /** A socket that is listened on; null: none, and it has only what it is handed. */
  readonly listener: number | null;
  /** Most bytes of a request. */
  readonly requestBytes: number;
  /** Connections at most, and of one user. */
  readonly most: { readonly all: number; readonly user: number };
  /** Who it is that connected, or why nobody is heard. */
  readonly admit: (peer: Peer) => Caller | { readonly refused: string };
  readonly open: (
    caller: Caller,
    outbox: Outbox,
    opening: Opening,
  ) => Promise<Speech>;
  /** Whose threads answer: all that are open now. */
  readonly runners: () => Iterable<StayingRunner>;
  /** Whether there is something to be waited for beside connections. */
  readonly busy: () => boolean;
}

/** What is told of one who is connected. */
export interface ConnectionReport {
  readonly connection: number;
  readonly uid: number;
  readonly agent: string | null;
  readonly since: string;
  readonly running: number;
  readonly held_bytes: number;
}
