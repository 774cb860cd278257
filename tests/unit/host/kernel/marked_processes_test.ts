import { assertEquals } from "@std/assert";
import { isMarked, markedProcesses } from "../../../../src/host/kernel/marked_processes.ts";
import { LIBC as libc } from "../../sandbox/_libc.ts";

/** Marks that nobody else's processes carry: below those of any Toolgate, in microseconds (setrlimit(2), RLIMIT_RTTIME). */
const [OWN, OTHER] = [crypto.getRandomValues(new Uint32Array(1))[0]! + 1000, 999];

function start(mark: number, seconds: string): Deno.ChildProcess {
  return new Deno.Command("prlimit", { args: [`--rttime=${mark}:${mark}`, "sleep", seconds] })
    .spawn();
}

Deno.test("processes of a run are found by its mark, and told of a signal that no other hears", async () => {
  const [own, other] = [start(OWN, "1061"), start(OTHER, "1062")];
  try {
    const called = () => markedProcesses(libc, OWN).map(({ id, words }) => `${id} ${words}`);
    // prlimit(1) sets the mark, then becomes what it starts: each of the two in its own time.
    while (called()[0] !== `${own.pid} sleep 1061` || !isMarked(libc, other.pid, OTHER)) {
      await new Promise((then) => setTimeout(then));
    }
    assertEquals(markedProcesses(libc, OWN).map(({ name }) => name), ["sleep"]);
    assertEquals([isMarked(libc, own.pid, OWN), isMarked(libc, other.pid, OWN)], [true, false]);
    assertEquals([isMarked(libc, own.pid, null), markedProcesses(libc, null)], [false, []]);
    const [found] = markedProcesses(libc, OWN);
    assertEquals([found?.signal(0), found?.signal(15)], [true, true]);
    assertEquals((await own.status).signal, "SIGTERM");
    // Its number is nobody's, or somebody else's.
    assertEquals([found?.signal(15), markedProcesses(libc, OWN)], [false, []]);
    assertEquals(isMarked(libc, other.pid, OTHER), true);
  } finally {
    for (const child of [own, other]) {
      try {
        child.kill("SIGKILL");
      } catch {
        // It has ended.
      }
      await child.status;
    }
  }
});
