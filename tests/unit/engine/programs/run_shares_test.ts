import { assertEquals } from "@std/assert";
import { RunShares } from "../../../../src/engine/programs/_run_shares.ts";
import type { ProcessFacts, ProcessTable } from "../../../../src/host/kernel/process_table.ts";
import { markOf, type RunShare } from "../../../../src/host/kernel/run_marks.ts";

const TOKEN = 2 ** 31 + 5;
const WIDE: RunShare = { number: 0, memory: 1000, processes: 10, cpu: 60_000 };
const NARROW: RunShare = { number: 1, memory: 100, processes: 2, cpu: 1_000 };

interface Wish {
  readonly session?: number;
  readonly ticks?: number;
  readonly threads?: number;
  /** The share in its mark; null: it shows none. Left out: that of the test. */
  readonly share?: number | null;
  readonly began?: number;
}

function facts(id: number, { session = id, ticks = 0, threads = 1, began = 1 }: Wish = {}) {
  const process: ProcessFacts = {
    id,
    state: "R",
    parent: 1,
    group: session,
    session,
    ticks,
    ownTicks: ticks,
    threads,
    began,
  };
  return process;
}

/** Processes with what each holds, and what is found of a run whose leaders are 10 (wide) and 20 (narrow). */
function looking(shares: readonly RunShare[] = [WIDE, NARROW]) {
  const marks = new Map<number, number | null>();
  const reads: number[] = [];
  const table = {
    mark(id: number) {
      reads.push(id);
      const share = marks.get(id) ?? null;
      return share === null ? null : markOf(TOKEN, 7) + share;
    },
  } as unknown as ProcessTable;
  const run = new RunShares(table, TOKEN);
  for (const share of shares) run.add(share.number === 0 ? 10 : 20, share);
  const look = (
    processes: readonly (readonly [id: number, held: number, wish?: Wish])[],
    ended: readonly (readonly [id: number, wish?: Wish])[] = [],
  ) => {
    for (const [id, , wish] of processes) marks.set(id, wish?.share ?? null);
    for (const [id, wish] of ended) marks.set(id, wish?.share ?? null);
    const held = new Map(processes.map(([id, held]) => [id, held]));
    const found = run.exceeded({
      processes: processes.map(([id, , wish]) => facts(id, wish)),
      ended: ended.map(([id, wish]) => facts(id, wish)),
    }, (some, most) => some.reduce((sum, { id }) => sum + (held.get(id) ?? 0), 0) > most);
    return found === null ? null : `${found.limit} ${found.share}`;
  };
  return { look, reads, run };
}

const CASES:
  readonly (readonly [string, string | null, ...Parameters<ReturnType<typeof looking>["look"]>])[] =
    [
      ["all keep to it", null, [[10, 900], [20, 100]]],
      ["the narrow one goes over", "memory 1", [[10, 5], [20, 101]]],
      ["together they go over what the widest has", "memory 0", [[10, 950], [20, 60]]],
      ["what the narrow one started", "memory 1", [[20, 60], [30, 60, { share: 1 }]]],
      ["what it started and put in a session of its own", "memory 1", [
        [20, 60],
        [31, 60, { share: 1, session: 31 }],
      ]],
      ["what the wide one started", null, [[20, 60], [30, 900, { share: 0 }]]],
      ["by its mark, whatever session it has", "memory 1", [[10, 1], [31, 101, {
        share: 1,
        session: 10,
      }]]],
      ["by its session where it shows no mark", "memory 1", [[20, 60], [30, 60, { session: 20 }]]],
      ["of the wide one, likewise", null, [[20, 60], [30, 60, { session: 10 }]]],
      ["what shows nothing counts for each", "memory 1", [[20, 60], [30, 60]]],
      ["processes of the narrow one", "processes 1", [
        [20, 0],
        [30, 0, { share: 1 }],
        [31, 0, { share: 1 }],
      ]],
      ["those that have ended, too", "processes 1", [[20, 0], [30, 0, { share: 1 }]], [[31, {
        share: 1,
      }]]],
      ["threads of the narrow one", "processes 1", [[20, 0, { threads: 65 }]]],
      ["threads of the wide one", null, [[10, 0, { threads: 65 }], [20, 0]]],
      ["time of the narrow one", "cpu 1", [[10, 0], [20, 0, { ticks: 101 }]]],
      ["time of the wide one", null, [[10, 0, { ticks: 101 }], [20, 0]]],
      ["time of both", "cpu 0", [[10, 0, { ticks: 5_950 }], [20, 0, { ticks: 90 }]]],
    ];

for (const [name, expected, ...seen] of CASES) {
  Deno.test(`shares of a run: ${name}`, () => {
    assertEquals(looking().look(...seen), expected);
  });
}

Deno.test("a run of one share is held to that, and nobody's mark is read for it", () => {
  const { look, reads } = looking([NARROW]);
  assertEquals([look([[20, 100]]), look([[20, 60], [30, 41]])], [null, "memory 1"]);
  assertEquals(reads, []);
});

Deno.test("a process is asked once whose it is, and once more when its number is another's", () => {
  const { look, reads } = looking();
  assertEquals(look([[10, 1], [30, 60, { share: 1 }]]), null);
  assertEquals(look([[10, 1], [30, 60, { share: 1 }]]), null);
  assertEquals(reads, [10, 30]);
  assertEquals(look([[10, 1], [30, 600, { share: 0, began: 2 }]]), null);
  assertEquals(reads, [10, 30, 30]);
});

Deno.test("all of a run have as much together as the widest of each limit", () => {
  const { run } = looking([{ ...WIDE, processes: 1 }, NARROW]);
  assertEquals(run.widest(), {
    memory: { most: 1000, share: 0 },
    processes: { most: 2, share: 1 },
    cpu: { most: 60_000, share: 0 },
  });
});
