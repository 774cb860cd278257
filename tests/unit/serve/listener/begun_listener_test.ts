import { assert, assertEquals } from "@std/assert";
import type { Boundary } from "../../../../src/sandbox/boundary.ts";
import { permissionSetOf } from "../../../../src/sandbox/permission_set.ts";
import { BegunListener } from "../../../../src/serve/listener/begun_listener.ts";
import { StandInThreads } from "../../engine/pool/_stand_in_threads.ts";
import { canonical } from "../../policy/_fixtures.ts";

function reading(path: string): Deno.PermissionOptions {
  const boundary: Boundary = { read: [canonical(path)], write: [], connect: [], spawn: null };
  return permissionSetOf(boundary);
}

Deno.test("a listener that was begun is taken once, with the very set of the runtime that it has", () => {
  using threads = new StandInThreads();
  const begun = BegunListener.begin(reading("/a"));
  const { lane, permissions } = threads.of(0);
  assertEquals([lane, permissions], ["listener", reading("/a") as unknown]);
  assert(begun?.take(reading("/a")) as unknown === threads.of(0));
  assertEquals(begun?.take(reading("/a")), null);
  begun?.end();
  assertEquals(threads.all.map(({ terminated }) => terminated), [false], "it is somebody's");
});

Deno.test("a listener that was begun with another set, that broke or that nobody takes is ended, and nobody's", () => {
  using threads = new StandInThreads();
  for (const set of [reading("/b"), { ...(reading("/a") as object), net: true }]) {
    const begun = BegunListener.begin(reading("/a"));
    assertEquals(begun?.take(set), null);
    assertEquals(begun?.take(reading("/a")), null, "nor by a second look");
  }
  const broken = BegunListener.begin(reading("/a"));
  threads.of(2).break();
  assertEquals(broken?.take(reading("/a")), null);
  BegunListener.begin(reading("/a"))?.end();
  assertEquals(threads.all.map(({ terminated }) => terminated), [true, true, true, true]);
});

Deno.test("where no listener can be begun there is none", () => {
  const real = globalThis.Worker;
  globalThis.Worker = function () {
    throw new Deno.errors.NotCapable("no thread");
  } as unknown as typeof Worker;
  try {
    assertEquals(BegunListener.begin(reading("/a")), null);
  } finally {
    globalThis.Worker = real;
  }
});
