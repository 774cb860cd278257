/** Standard input and output as lines, whatever is spoken over them: `serve` and `mcp`. */

import { createReadiness } from "../host/kernel/readiness.ts";
import type { Rulebook } from "../policy/rulebook.ts";
import type { Libc } from "../sandbox/kernel/libc.ts";
import { LineLoop, type LineServer } from "../serve/line_loop.ts";
import { LineWriter } from "../serve/line_writer.ts";
import type { Listening } from "../serve/listener/listening.ts";
import { ReadingServer } from "../serve/reading_server.ts";

/** Both ends of this process's pipe. */
export interface PipeLoop {
  /** Where answers go. */
  readonly writer: LineWriter;
  /**
   * Until the end of input, SIGTERM or SIGINT, or until the reader is gone: true when every request was answered to a reader
   * that was there. `children`: of whoever is at the other end; they end with it.
   */
  run(
    server: LineServer,
    settings: Pick<Rulebook["settings"], "limits" | "killGraceMs">,
    children: { end(): Promise<void> } | null,
  ): Promise<boolean>;
}

/**
 * `libc`: null where there is none, and the runtime alone reads and writes. `listening`: who hears in turns with the server;
 * ends with it.
 */
export function openPipeLoop(libc: Libc | null, listening: Listening | null = null): PipeLoop {
  const readiness = createReadiness(libc);
  const writer = new LineWriter(readiness, listening?.lock);
  return {
    writer,
    async run(server, { limits, killGraceMs }, children) {
      const loop = new LineLoop(new ReadingServer(server), writer, readiness, {
        requestBytes: limits.request,
        listening,
      });
      for (const signal of ["SIGTERM", "SIGINT"] as const) {
        Deno.addSignalListener(signal, () => {
          void children?.end();
          loop.stop(killGraceMs);
        });
      }
      const complete = await loop.run();
      listening?.close();
      await children?.end();
      return complete;
    },
  };
}
