import { assertEquals } from "@std/assert";
import { openPool } from "../../../../src/engine/pool/open_pool.ts";
import { canonical, WORKSPACE } from "../../policy/_fixtures.ts";
import { BOUNDARY, partsOf } from "./_pool_parts.ts";
import { jobOf, StandInThreads } from "./_stand_in_threads.ts";

Deno.test("a pool is opened with the policies' parts: their tools, their programs, a thread that writes for others", async () => {
  using threads = new StandInThreads();
  const { parts, steps } = partsOf();
  const environment = { marker: "of programs" };
  const pool = await openPool({
    ...parts,
    preparation: {
      ...parts.preparation,
      programs: () => ({ programEnvironment: environment, watch: () => null }) as never,
    },
  }, () => ({ boundary: BOUNDARY, state: "own" }));
  const { outcome } = pool.run(jobOf("spawn"), () => {});
  assertEquals(threads.of(0).setup.programEnvironment as unknown, environment);
  const file = { kind: "write", path: canonical(`${WORKSPACE}/a`) } as const;
  threads.of(0).say({ kind: "open", request: 1, file });
  pool.drain();
  assertEquals([threads.lanes, steps], [["spawn", "write"], ["lane write"]]);
  await pool.close();
  assertEquals((await outcome).error?.code, "CANCELLED");
});
