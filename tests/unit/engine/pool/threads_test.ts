import { assertEquals } from "@std/assert";
import { canonical } from "../../policy/_fixtures.ts";
import { jobOf, poolOf, StandInThreads } from "./_stand_in_threads.ts";

/** Nothing more can be opened by this process, as the runtime says it, until it is disposed of. */
class NoDescriptors implements Disposable {
  readonly #real = Deno.openSync;

  constructor() {
    Deno.openSync = () => {
      throw new Error("Too many open files (os error 24): open '/dev/null'");
    };
  }

  [Symbol.dispose](): void {
    Deno.openSync = this.#real;
  }
}

Deno.test("where there are no descriptors for a thread none is started, and the call is refused", async () => {
  using threads = new StandInThreads();
  const { pool, give } = poolOf();
  {
    using _none = new NoDescriptors();
    pool.warm("read", { boundary: { read: [], write: [], connect: [], spawn: null }, state: "s" });
    const refused = give(jobOf("read"));
    assertEquals((await refused.outcome).error?.code, "RESOURCE_LIMIT");
    assertEquals([threads.all.length, pool.running, pool.threads], [0, 0, 0]);
  }
  give(jobOf("read"));
  assertEquals([threads.lanes, pool.running], [["read"], 1]);
  await pool.close();
});

Deno.test("a thread that asks for a file is told so where there is none to open it", async () => {
  using threads = new StandInThreads();
  const { pool, give } = poolOf();
  give(jobOf("spawn"));
  const [asking, path] = [threads.of(0), canonical("/workspace/a")];
  asking.say({ kind: "open", request: 7, file: { kind: "read", path } });
  {
    using _none = new NoDescriptors();
    pool.drain();
  }
  assertEquals(
    asking.told("opened").map(({ request, descriptor }) => [request, descriptor]),
    [[7, -24]],
  );
  await pool.close();
});
