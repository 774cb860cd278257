import { assertEquals } from "@std/assert";
import { capacityOf, laneOf, LANES, mostThreads } from "../../../../src/engine/pool/lanes.ts";
import { jobOf } from "./_stand_in_threads.ts";

Deno.test("the lane of a call is by what it may touch; a preview reads, whatever it is of", () => {
  const cases: readonly (readonly [Parameters<typeof jobOf>[0], string, string])[] = [
    ["read", "read", "read"],
    ["long", "read-long", "read-long"],
    ["write", "write", "read"],
    ["spawn", "spawn", "read"],
    ["module", "module", "read"],
  ];
  for (const [needs, lane, previewed] of cases) {
    assertEquals(laneOf(jobOf(needs)), lane, needs);
    assertEquals(laneOf(jobOf(needs, { preview: true })), previewed, needs);
  }
  // A long call that writes is a write: their order is kept.
  assertEquals(laneOf(jobOf("write", { tool: { long: true } })), "write");
});

Deno.test("an exclusive lane has several threads with a call each, others one with as many as fit", () => {
  for (const lane of ["read", "write", "spawn", "module"] as const) {
    assertEquals(mostThreads(lane, 8), 1, lane);
  }
  assertEquals([mostThreads("read-long", 8), mostThreads("read-long", 2)], [4, 2]);
  assertEquals([capacityOf("read", 8), capacityOf("write", 8)], [Infinity, Infinity]);
  assertEquals([capacityOf("read-long", 8), capacityOf("spawn", 8), capacityOf("spawn", 3)], [
    1,
    8,
    3,
  ]);
});

Deno.test("only lanes that start programs are let go of by them, and only what scans shares scans", () => {
  const having = (what: "programs" | "scans" | "exclusive") =>
    Object.entries(LANES).filter(([, lane]) => lane[what]).map(([name]) => name);
  assertEquals(having("programs"), ["spawn", "module"]);
  assertEquals(having("scans"), ["read-long", "read-help"]);
  assertEquals(having("exclusive"), ["read-long"]);
});
