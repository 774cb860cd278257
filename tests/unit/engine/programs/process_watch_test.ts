/** Limits that all programs of a run share, and that nothing of a run is left: on real programs. */

import { assert, assertEquals } from "@std/assert";
import type { ProgramLimit } from "../../../../src/core/tool.ts";
import { ProcessWatch } from "../../../../src/engine/programs/process_watch.ts";
import type { Libc } from "../../../../src/sandbox/kernel/libc.ts";
import { LIBC as libc } from "../../sandbox/_libc.ts";
import { comesToBe } from "../../../until.ts";
import { endAll, MARK, running, sleepMark, startScript } from "./_runs.ts";

const WIDE = { memory: 2 ** 40, processes: 1_000, cpu: 3_600_000 };

function watching(limits: Partial<typeof WIDE> = {}, kernel: Libc = libc) {
  const exceeded: [number, ProgramLimit, number][] = [];
  const watch = new ProcessWatch({
    libc: kernel,
    ...MARK,
    limits: { ...WIDE, ...limits },
    isUnderWay: () => false,
    onExceeded: (job, limit, share) => exceeded.push([job, limit, share]),
  });
  return { watch, exceeded };
}

/** P_PID, WNOHANG | WEXITED (waitid(2)) */
const P_PID = 1;
const ENDED = 1 | 4;

/** Whether a program has ended, and takes it in where it has: what a thread does for its own programs. */
function hasEnded(id: number): boolean {
  libc.call(libc.numbers.waitid, P_PID, id, 0, ENDED, 0);
  return isGone(id);
}

function isGone(id: number): boolean {
  try {
    return Deno.readTextFileSync(`/proc/${id}/stat`).includes(") Z");
  } catch {
    return true;
  }
}

Deno.test("what has this process's mark ends with the watch, though no run has it", async () => {
  const { watch } = watching();
  const word = sleepMark();
  const done = startScript("exit 0", 1);
  watch.begin(1, done);
  assert(await comesToBe(() => hasEnded(done)));
  assertEquals(watch.settle(1), null);
  startScript(`(setsid sleep ${word} &); exec sleep ${word}`, 1);
  assert(await comesToBe(() => running(word).length === 2));
  watch.close();
  assert(await comesToBe(() => running(word).length === 0));
});

Deno.test("a run that left nothing is settled at once; one that never was, too", async () => {
  const { watch } = watching();
  const leader = startScript("exit 0", 1);
  watch.begin(1, leader);
  assert(await comesToBe(() => hasEnded(leader)));
  assertEquals([watch.settle(1), watch.settle(1), watch.settle(2)], [null, null, null]);
  watch.close();
  await endAll();
});

Deno.test("what left its group is ended when its run is settled, and waited for", async () => {
  const { watch } = watching();
  const word = sleepMark();
  const leader = startScript(`setsid sleep ${word} & setsid sleep ${word} & sleep 0.1`, 1);
  watch.begin(1, leader);
  try {
    assert(await comesToBe(() => running(word).length === 2));
    assert(await comesToBe(() => hasEnded(leader)));
    const settling = watch.settle(1);
    assert(settling !== null);
    await settling;
    assertEquals(running(word), []);
    assertEquals(watch.settle(1), null);
  } finally {
    watch.close();
    await endAll(...running(word), leader);
  }
});

Deno.test("what left the groups of a run can be ended while the run goes on", async () => {
  const { watch } = watching();
  const [stays, left] = [sleepMark(), sleepMark()];
  const leader = startScript(`(setsid sleep ${left} &); exec sleep ${stays}`, 1);
  watch.begin(1, leader);
  try {
    assert(await comesToBe(() => running(left).length + running(stays).length === 2));
    assert(
      await comesToBe(() => {
        watch.endLeft(1);
        return running(left).length === 0;
      }),
    );
    watch.endLeft(99);
    assertEquals(running(stays), [leader]);
  } finally {
    watch.close();
    await endAll(leader);
  }
});

Deno.test("a run whose thread is gone is ended whole, its leaders too, and no other", async () => {
  const { watch } = watching();
  const [mine, other] = [sleepMark(), sleepMark()];
  const leader = startScript(`(setsid sleep ${mine} &); exec sleep ${mine}`, 1);
  const bystander = startScript(`exec sleep ${other}`, 2);
  watch.begin(1, leader);
  watch.begin(2, bystander);
  try {
    assert(await comesToBe(() => running(mine).length === 2 && running(other).length === 1));
    watch.abandon(1);
    assert(await comesToBe(() => running(mine).length === 0));
    await watch.settle(1);
    assertEquals(running(other), [bystander]);
  } finally {
    watch.close();
    await endAll(leader, bystander);
  }
});

for (
  const [how, limit, limits, script] of [
    [
      "together",
      "processes",
      { processes: 5 },
      "for i in 1 2 3 4 5 6 7 8; do setsid sleep WORD & done; wait",
    ],
    [
      "by what has ended and nobody waits for",
      "processes",
      { processes: 20 },
      "for i in $(seq 50); do : & done; exec sleep WORD",
    ],
    ["together", "memory", { memory: 1 }, "sleep WORD & wait"],
    [
      "by those whom nobody waits for",
      "cpu",
      { cpu: 1500 },
      "sleep WORD & perl -e '$SIG{CHLD} = q(IGNORE); for (1 .. 6) { my $child = fork; " +
      "if (!$child) { 1 while (times)[0] + (times)[1] < 1; exit } waitpid $child, 0 }'; wait",
    ],
    ["together", "cpu", { cpu: 50 }, "sleep WORD & while :; do :; done"],
  ] as const
) {
  Deno.test(`programs that go over limits.${limit} ${how} are ended, all of them, and it is told once`, async () => {
    const { watch, exceeded } = watching(limits);
    const word = sleepMark();
    const leader = startScript(script.replace("WORD", word), 1);
    watch.begin(1, leader);
    try {
      assert(await comesToBe(() => exceeded.length > 0), "nothing was told");
      assert(await comesToBe(() => running(word).length === 0 && isGone(leader)));
      await watch.settle(1);
      assertEquals(exceeded, [[1, limit, 0]]);
    } finally {
      watch.close();
      await endAll(...running(word), leader);
    }
  });
}

Deno.test("a program that is still on its way answers for no memory; once it is there, it does", async () => {
  const { watch, exceeded } = watching({ memory: 1 });
  const word = sleepMark();
  const leader = startScript(`exec sleep ${word}`, 1);
  let looks = 0;
  let there = false;
  watch.begin(1, leader, undefined, () => (looks++, !there));
  try {
    assert(await comesToBe(() => looks > 2));
    assertEquals(exceeded, []);
    there = true;
    assert(await comesToBe(() => exceeded.length > 0), "nothing was told");
    assertEquals(exceeded, [[1, "memory", 0]]);
  } finally {
    watch.close();
    await endAll(leader);
  }
});

Deno.test("a program that goes over its own share ends the run, and it is told which", async () => {
  const { watch, exceeded } = watching();
  const [narrow, wide] = [sleepMark(), sleepMark()];
  const first = startScript(`sleep ${wide} & sleep ${wide} & sleep ${wide} & wait`, 1);
  watch.begin(1, first);
  const second = startScript(`sleep ${narrow} & sleep ${narrow} & wait`, 1);
  watch.begin(1, second, { ...WIDE, number: 3, processes: 2 });
  try {
    assert(await comesToBe(() => exceeded.length > 0), "nothing was told");
    assert(await comesToBe(() => [...running(narrow), ...running(wide)].length === 0));
    await watch.settle(1);
    assertEquals(exceeded, [[1, "processes", 3]]);
  } finally {
    watch.close();
    await endAll(first, second);
  }
});

Deno.test("a run that keeps to its limits is let alone", async () => {
  const { watch, exceeded } = watching({ processes: 5 });
  const word = sleepMark();
  const leader = startScript(`sleep ${word} & sleep ${word} & wait`, 1);
  watch.begin(1, leader);
  try {
    assert(await comesToBe(() => running(word).length === 2));
    // Longer than it takes to look at it several times.
    await new Promise((resolve) => setTimeout(resolve, 100));
    assertEquals([exceeded, running(word).length], [[], 2]);
  } finally {
    watch.close();
    await endAll(...running(word), leader);
  }
});

Deno.test("of what was there before a run nothing is looked at as long as the run is young", async () => {
  const looked: number[] = [];
  const counted: Libc = {
    ...libc,
    path(text, place) {
      if (text === "/proc/1/stat") looked.push(performance.now());
      return libc.path(text, place);
    },
  };
  const { watch } = watching({}, counted);
  const leader = startScript("exec sleep 100000", 1);
  const begun = performance.now();
  watch.begin(1, leader);
  assert(await comesToBe(() => looked.length > 0));
  assert(looked[0]! - begun >= 250, `${looked[0]! - begun}`);
  await endAll(leader);
  watch.close();
});

Deno.test("a machine on which looking takes long, but no processor, leaves no run alone for longer", async () => {
  const looks: number[] = [];
  const pause = new Int32Array(new SharedArrayBuffer(4));
  const busy: Libc = {
    ...libc,
    // What a look asks for first, some times over; others have the processor for 100 ms then.
    transfer: (number, ...words) => {
      if (number === libc.numbers.getdents64) {
        looks.push(performance.now());
        Atomics.wait(pause, 0, 0, 100);
      }
      return libc.transfer(number, ...words);
    },
  };
  const { watch } = watching({}, busy);
  const leader = startScript("exec sleep 60", 1);
  watch.begin(1, leader);
  try {
    // Left alone for twenty times as long as each look, some six in a row would always take longer than this.
    const quick = () => looks.some((began, at) => (looks[at + 6] ?? Infinity) - began < 3_000);
    await comesToBe(() => quick() || looks.length > 30);
    assert(quick(), looks.join());
  } finally {
    watch.close();
    await endAll(leader);
  }
});

Deno.test("a program that ends while what it shares is looked at counts for nothing any more", async () => {
  const ended: string[] = [];
  const kernel: Libc = {
    ...libc,
    path: (text, place) => {
      const [, id] = /^\/proc\/(\d+)\/smaps_rollup$/.exec(String(text)) ?? [];
      if (id !== undefined && Number(id) !== leader) {
        ended.push(id);
        libc.call(libc.numbers.kill, Number(id), 9);
        while (!isGone(Number(id)));
      }
      return libc.path(text, place);
    },
  };
  const { watch, exceeded } = watching({ memory: 48 << 20 }, kernel);
  const much = `perl -e '$x = "x" x 4e7; sleep 60'`;
  const leader = startScript(`${much} & ${much} & wait`, 1);
  watch.begin(1, leader);
  try {
    assert(await comesToBe(() => ended.length >= 2), `${ended}`);
    assert(await comesToBe(() => hasEnded(leader)));
    assertEquals(exceeded, []);
  } finally {
    watch.close();
    await endAll(leader);
  }
});

Deno.test("closing ends what passed for nobody's, and whoever was to outlive this process", async () => {
  const { watch } = watching();
  const word = sleepMark();
  const told: string[] = [];
  watch.guard({ id: 1, tell: () => {}, close: () => told.push("closed") });
  watch.guard(null);
  const leader = startScript(`env -i A=1 setsid sleep ${word} & sleep 0.1`, 1);
  try {
    assert(await comesToBe(() => running(word).length === 1 && isGone(leader)));
    watch.close();
    assert(await comesToBe(() => running(word).length === 0));
    assertEquals(told, ["closed"]);
  } finally {
    await endAll(...running(word), leader);
  }
});
