import { assert, assertEquals } from "@std/assert";
import { SpareFiles } from "../../../../src/host/broker/spare_files.ts";
import { close } from "../../../../src/host/kernel/pipes.ts";
import { statOf } from "../../../../src/host/kernel/stat.ts";
import { LIBC as libc } from "../../sandbox/_libc.ts";

/** How many descriptors this process has open. */
function openNow(): number {
  return [...Deno.readDirSync("/proc/self/fd")].length;
}

Deno.test("spare files have no name, are taken once each, and are closed by the last who holds them", () => {
  const folder = Deno.makeTempDirSync();
  try {
    const before = openNow();
    const spares = SpareFiles.open(libc, folder, 3);
    assert(spares !== null);
    assertEquals([...Deno.readDirSync(folder)], []);
    assertEquals([spares.free.length, openNow() - before, spares.isUsed], [3, 3, false]);
    spares.hold();
    assert(spares.isUntouched);
    spares.hold();
    assert(!spares.isUntouched, "two hold them");
    const taken = spares.take();
    assert(taken !== null && !spares.isUsed);
    const stat = statOf(libc, taken);
    assert(typeof stat !== "number" && !spares.has(stat));
    spares.became(stat);
    assert(spares.has(stat) && spares.isUsed);
    close(libc, taken);
    spares.release();
    assertEquals(openNow() - before, 2, "somebody holds them still");
    assert(!spares.isUntouched, "one was taken");
    spares.release();
    assertEquals([openNow() - before, spares.take()], [0, null]);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});

Deno.test("where none can be made there are none", () => {
  assertEquals(SpareFiles.open(libc, "/proc/self", 3), null);
  assertEquals(SpareFiles.open(libc, "/nowhere", 3), null);
});
