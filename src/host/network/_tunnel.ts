/** A tunnel: bytes both ways, until both have nothing more to say. */

import type { Connection } from "./_connection.ts";
import { Reader } from "./_reader.ts";

/** Both ends of it, and where it is counted. */
export interface Tunnel {
  readonly client: Connection;
  /** What comes from the client, from where it was read last. */
  readonly from: Reader;
  readonly server: Connection;
  /** `host:port`, for messages. */
  readonly place: string;
  /** Throws where that is too much. */
  readonly count: (sent: number, received: number) => void;
}

/** Rejects where one of them fails. */
export async function tunnel({ client, from, server, place, count }: Tunnel): Promise<void> {
  const pump = async (source: Reader, to: Connection, way: (bytes: number) => void) => {
    for (;;) {
      const piece = await source.take(Infinity);
      if (piece === null) break;
      way(piece.length);
      await to.write(piece);
    }
    await to.closeWrite();
  };
  await Promise.all([
    pump(from, server, (bytes) => count(bytes, 0)),
    pump(new Reader(server, place), client, (bytes) => count(0, bytes)),
  ]);
}
