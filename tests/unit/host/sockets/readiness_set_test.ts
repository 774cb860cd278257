/** Sleeping on many descriptors: as long the tenth time as the first. */

import { assertEquals } from "@std/assert";
import { ReadinessSet } from "../../../../src/host/sockets/readiness_set.ts";
import type { Libc } from "../../../../src/sandbox/kernel/libc.ts";
import type { Spawner } from "../../../../src/sandbox/spawner.ts";

Deno.test("each sleep has its whole time, though the kernel takes it from what it was given", async () => {
  let last = 10;
  const libc = { numbers: {}, call: () => last++ } as unknown as Libc;
  const seconds: bigint[] = [];
  const spawner = {
    poll: (_number: number, _entries: Uint8Array, _count: number, limit: Uint8Array) => {
      const time = new DataView(limit.buffer, limit.byteOffset, limit.length);
      seconds.push(time.getBigInt64(0, true));
      // ppoll(2): what is left of it.
      time.setBigInt64(0, 0n, true);
      return Promise.resolve(0);
    },
  } as unknown as Spawner;
  const set = new ReadinessSet(libc, spawner);
  for (let at = 0; at < 3; at++) await set.wait();
  assertEquals(seconds, [30n, 30n, 30n]);
});
