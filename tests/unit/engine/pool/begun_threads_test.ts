import { assert, assertEquals } from "@std/assert";
import { BegunThreads } from "../../../../src/engine/pool/begun_threads.ts";
import type { Boundary } from "../../../../src/sandbox/boundary.ts";
import { permissionSetOf } from "../../../../src/sandbox/permission_set.ts";
import { canonical } from "../../policy/_fixtures.ts";
import { StandInThreads } from "./_stand_in_threads.ts";

const reading = (path: string): Boundary => ({
  read: [canonical(path)],
  write: [],
  connect: [],
  spawn: null,
});

Deno.test("a thread that was begun is taken with the very set of the runtime that it has, and else ended", () => {
  using threads = new StandInThreads();
  const begun = new BegunThreads((boundary) => permissionSetOf(boundary));
  begun.begin("read", reading("/a"));
  begun.begin("spawn", reading("/a"));
  const taken = begun.take("read", reading("/a"));
  const [first, second] = threads.all;
  assertEquals(threads.all.length, 2);
  assert(taken as unknown === first);
  assertEquals([first?.lane, first?.terminated], ["read begun", false]);
  // Of another lane, and once more of the same.
  const others = [begun.take("write", reading("/a")), begun.take("read", reading("/a"))];
  assertEquals(threads.all.slice(2).map((one) => one as unknown), others);
  // By another boundary: it has that one's set, and the other is gone.
  begun.take("spawn", reading("/b"));
  // That of programs has something open, and ends itself.
  assertEquals(
    [second?.lane, second?.terminated, second?.ahead],
    ["spawn begun", false, [{ spareIn: null }]],
  );
  assertEquals(
    threads.all.at(-1)?.permissions,
    permissionSetOf(reading("/b")) as unknown,
  );
  begun.begin("read", reading("/a"));
  begun.begin("read", reading("/b"));
  assertEquals(threads.all.slice(-2).map(({ terminated }) => terminated), [true, false]);
  begun.begin("spawn", reading("/b"));
  begun.makeSpares("/b/made");
  assertEquals(threads.all.at(-1)?.ahead, [{ spareIn: "/b/made" }]);
  begun.take("spawn", reading("/b"));
  begun.makeSpares("/b/made");
  assertEquals(threads.all.at(-1)?.ahead.length, 1, "that one is somebody's");
  begun.close();
  assertEquals(threads.all.slice(-2).map(({ terminated }) => terminated), [true, false]);
  assertEquals([first, ...threads.all.slice(2, 5)].map((one) => one?.terminated), [
    false,
    false,
    false,
    false,
  ]);
});
