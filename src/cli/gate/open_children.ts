/** The children of a gate: policies, working files, sockets and threads put together. */

import type { StayingEngine } from "../../engine/create_engine.ts";
import { close, noDescriptors } from "../../host/kernel/pipes.ts";
import { connectedPair, endSending } from "../../host/sockets/unix_socket.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import { openChildSpeech } from "../../serve/gate/children/child_speech.ts";
import { Children } from "../../serve/gate/children/children.ts";
import type { FairPlaces } from "../../serve/gate/fair_runner.ts";
import type { Gate } from "../../serve/gate/gate.ts";
import type { TokenPlace } from "../../serve/gate/token.ts";
import type { ChildPlaces } from "./child_places.ts";

/** What of a gate its children need. */
export interface ChildrenOptions {
  readonly engine: StayingEngine;
  readonly childPlaces: ChildPlaces;
  readonly tokenPlace: TokenPlace;
  readonly places: FairPlaces;
  readonly version: string;
  /** As {@linkcode Children} has it. */
  readonly follow: ConstructorParameters<typeof Children>[0]["follow"];
  /** The gate's own user. */
  readonly uid: number;
  readonly adopt: (
    descriptor: number,
    open: Parameters<Gate["adopt"]>[2],
  ) => ReturnType<Gate["adopt"]>;
}

/** None lives yet. */
export function openChildren(
  libc: Libc,
  { engine, childPlaces, tokenPlace, places, follow, uid, version, adopt }: ChildrenOptions,
): Children {
  const children: Children = new Children({
    engine,
    place: tokenPlace,
    follow,
    version,
    named: (agent) => childPlaces.named(agent),
    open: (token, begins, isolation) => childPlaces.open(token, { ...begins, isolation }),
    connect: (child, { engine: own }) => {
      const pair = connectedPair(libc);
      if (pair === null) throw noDescriptors();
      const parts = { uid, engine: own, places, children };
      const open: Parameters<Gate["adopt"]>[2] = (outbox, opening) =>
        openChildSpeech(child, outbox, opening, parts);
      return {
        line: adopt(pair.own, open),
        descriptor: pair.other,
        endInput: () => endSending(libc, pair.other),
        closeDescriptor: () => close(libc, pair.other),
      };
    },
  });
  return children;
}
