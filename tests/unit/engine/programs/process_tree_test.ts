/** Whose processes are: by who started them, by their session and group, by what marks them, however they hide. */

import { assert, assertEquals } from "@std/assert";
import {
  type FoundProcess,
  isMarked,
  type KnownRun,
  ProcessTree,
} from "../../../../src/engine/programs/_process_tree.ts";
import { LIBC as libc } from "../../sandbox/_libc.ts";
import { SPAWNER } from "../../host/run/_starter.ts";
import { comesToBe } from "../../../until.ts";
import { endAll, MARK, NOWHERE, running, sleepMark, startScript } from "./_runs.ts";

interface World {
  readonly tree: ProcessTree;
  readonly runs: Map<number, KnownRun>;
  /** Whose the processes with this word are, sorted, as the tree shows them. */
  readonly owners: (word: string) => readonly FoundProcess["owner"][];
}

function world(isUnderWay = (_isJob: (job: number) => boolean) => false): World {
  const runs = new Map<number, KnownRun>();
  const tree = new ProcessTree({ libc, ...MARK, runs, isUnderWay });
  const owners = (word: string) => {
    const ids = running(word);
    const found: FoundProcess["owner"][] = [];
    tree.visitAll(({ facts, owner }) => {
      if (ids.includes(facts.id)) found.push(owner);
    });
    return found.toSorted();
  };
  return { tree, runs, owners };
}

Deno.test("what a run's program starts is the run's, in whatever session, group or environment", async () => {
  const { runs, owners } = world();
  const word = sleepMark();
  const leader = startScript(
    `sleep ${word} & setsid sleep ${word} & env -i sleep ${word} & (setsid sleep ${word} &) ; wait`,
    7,
  );
  try {
    runs.set(7, { job: 7, leaders: new Set([leader]) });
    assert(await comesToBe(() => running(word).length === 4));
    assert(await comesToBe(() => owners(word).length === 4), owners(word).join());
    assertEquals(owners(word), [7, 7, 7, 7]);
  } finally {
    await endAll(...running(word), leader);
  }
});

Deno.test("an orphan is its run's by what marks it; without a mark, or of a run that is over, it is nobody's", async () => {
  const { runs, owners } = world();
  const [marked, unmarked, over] = [sleepMark(), sleepMark(), sleepMark()];
  const leaders = [
    startScript(`setsid sleep ${marked} &`, 7),
    startScript(`env -i A=1 setsid sleep ${unmarked} &`, 7),
    startScript(`setsid sleep ${over} &`, 8),
  ];
  try {
    runs.set(7, { job: 7, leaders: new Set() });
    for (const word of [marked, unmarked, over]) {
      assert(await comesToBe(() => running(word).length === 1));
    }
    assert(await comesToBe(() => owners(marked)[0] === 7), owners(marked).join());
    assert(await comesToBe(() => owners(unmarked)[0] === "stray"), owners(unmarked).join());
    assert(await comesToBe(() => owners(over)[0] === "stray"), owners(over).join());
  } finally {
    await endAll(...[marked, unmarked, over].flatMap(running), ...leaders);
  }
});

Deno.test("a program whose thread has not told of it yet is left alone while its call is under way", async () => {
  let under = true;
  const { owners } = world((isJob) => under && isJob(9));
  const word = sleepMark();
  const leader = startScript(`exec sleep ${word}`, 9);
  try {
    assert(await comesToBe(() => running(word).length === 1));
    assertEquals(owners(word), []);
    under = false;
    assertEquals(owners(word), ["stray"]);
  } finally {
    await endAll(leader);
  }
});

Deno.test("what Toolgate itself starts is its own: by its session, or because it is kept", async () => {
  const { tree, owners } = world();
  const word = sleepMark();
  const child = new Deno.Command("sleep", { args: [word] }).spawn();
  const leader = startScript(`exec sleep ${word}`, 7, "nothing");
  try {
    assert(await comesToBe(() => running(word).length === 2));
    assert(await comesToBe(() => owners(word)[0] === "stray"), owners(word).join());
    tree.keep(leader);
    assertEquals(owners(word), []);
  } finally {
    child.kill("SIGKILL");
    await child.status;
    await endAll(leader);
  }
});

Deno.test("what shows nothing of whose it is may wait for a processor to begin on, and is not taken for a stray at once", async () => {
  // One that had a processor for long, by the clock of the machine, shows nothing for another reason: then another is tried.
  for (let waited = false; !waited;) {
    const { tree, owners } = world();
    const word = sleepMark();
    const leader = SPAWNER.start({
      path: "/bin/sleep",
      argv: ["sleep", word],
      environment: [],
      directory: null,
      descriptors: [NOWHERE, NOWHERE, NOWHERE],
    });
    try {
      assert(await comesToBe(() => running(word).length === 1));
      const started = performance.now();
      assertEquals(owners(word), ["unsure"]);
      assert(await comesToBe(() => owners(word)[0] === "stray"), owners(word).join());
      const took = performance.now() - started;
      waited = tree.table.facts(leader)?.ticks === 0;
      if (waited) assert(took >= 1_000, `${took}`);
    } finally {
      await endAll(leader);
    }
  }
});

Deno.test("what was started since another is found among the newest numbers", async () => {
  const { tree, runs } = world();
  const word = sleepMark();
  const first = startScript("sleep 100000", 7);
  const second = startScript(`setsid sleep ${word} & wait`, 7);
  try {
    runs.set(7, { job: 7, leaders: new Set([first, second]) });
    assert(await comesToBe(() => running(word).length === 1));
    const seen: number[] = [];
    tree.visitSince(first, ({ facts }) => seen.push(facts.id));
    assert(seen.includes(second) && seen.includes(running(word)[0] ?? 0), seen.join());
    assert(!seen.includes(first));
  } finally {
    await endAll(...running(word), first, second);
  }
});

Deno.test("of all that runs what began before a number is left out", async () => {
  const { tree, runs } = world();
  const word = sleepMark();
  const before = startScript("sleep 100000", 7);
  const first = startScript(`setsid sleep ${word} & wait`, 7);
  try {
    runs.set(7, { job: 7, leaders: new Set([before, first]) });
    assert(await comesToBe(() => running(word).length === 1));
    const seen = (from: number | null) => {
      const ids: number[] = [];
      tree.visitAll(({ facts }) => ids.push(facts.id), null, from);
      return [before, first, running(word)[0] ?? 0].map((id) => ids.includes(id));
    };
    assertEquals([seen(null), seen(first)], [[true, true, true], [false, true, true]]);
  } finally {
    await endAll(...running(word), before, first);
  }
});

Deno.test("numbers of processes begin again after the last", async () => {
  const { tree } = world();
  const most = tree.table.mostNumber();
  assertEquals([tree.given(10, 15), tree.given(15, 15), tree.given(most - 1, 4)], [5, 0, 5]);
  await endAll();
});

Deno.test("an environment is marked by the variable alone, with the whole word", () => {
  const cases: readonly (readonly [string, boolean])[] = [
    ["A=1\0TOOLGATE_RUN=m.12\0B=2\0", true],
    ["TOOLGATE_RUN=m.12", true],
    ["TOOLGATE_RUN=m", true],
    ["TOOLGATE_RUN=mm.12\0", false],
    ["XTOOLGATE_RUN=m.12\0", false],
    ["A=TOOLGATE_RUN=m.12\0", false],
    ["", false],
  ];
  for (const [environment, expected] of cases) {
    assertEquals(isMarked(environment, "m"), expected, JSON.stringify(environment));
  }
});
