/** Who works in a worktree: leases of processes that live, that died, and whose number another has. */

import { assertEquals } from "@std/assert";
import {
  abandonedAt,
  abandonedIn,
  dropDeadLeases,
  dropLeases,
  LEASE_PREFIX,
  takeLease,
  unlockAbandoned,
} from "../../../../src/engine/worktrees/leases.ts";
import type { ProcessTable } from "../../../../src/host/kernel/process_table.ts";
import { withDirectory } from "../../host/files/_temporary.ts";

type Facts = ReturnType<ProcessTable["facts"]>;

/** Processes by number, with the time of their start. */
function tableOf(processes: Readonly<Record<number, number>>): Pick<ProcessTable, "facts"> {
  return {
    facts: (id) => id in processes ? { began: processes[id] } as unknown as Facts : null as Facts,
  };
}

const namesIn = (folder: string) => [...Deno.readDirSync(folder)].map(({ name }) => name).sort();

Deno.test("a lease and git's lock are there while the process works, and gone afterwards", async () => {
  await withDirectory((common) => {
    const own = `${common}/worktrees/a`;
    Deno.mkdirSync(own, { recursive: true });
    const table = tableOf({ [Deno.pid]: 7 });
    const lease = takeLease({ agent: "a", common, own }, table);
    assertEquals(namesIn(own), ["locked", `${LEASE_PREFIX}-${Deno.pid}-7`]);
    dropDeadLeases(common, table);
    assertEquals(namesIn(own).length, 2);
    lease.release();
    assertEquals(namesIn(own), []);
  });
});

Deno.test("dead leases go, also where the number is another's; the lock goes with the last", async () => {
  await withDirectory((common) => {
    const own = `${common}/worktrees/a`;
    Deno.mkdirSync(own, { recursive: true });
    for (const [id, began] of [[11, 1], [12, 2], [13, 3]]) {
      Deno.writeTextFileSync(`${own}/${LEASE_PREFIX}-${id}-${began}`, "");
    }
    Deno.writeTextFileSync(`${own}/locked`, "toolgate: agent a works here (process 12)\n");
    dropDeadLeases(common, tableOf({ 12: 2, 13: 99 }));
    assertEquals(namesIn(own), ["locked", `${LEASE_PREFIX}-12-2`]);
    dropDeadLeases(common, tableOf({}));
    assertEquals(namesIn(own), []);
  });
});

Deno.test("a lock that is somebody's own stays, whoever comes and goes", async () => {
  await withDirectory((common) => {
    const own = `${common}/worktrees/a`;
    Deno.mkdirSync(own, { recursive: true });
    Deno.writeTextFileSync(`${own}/locked`, "mine\n");
    const table = tableOf({ [Deno.pid]: 7 });
    takeLease({ agent: "a", common, own }, table).release();
    dropDeadLeases(common, table);
    assertEquals(Deno.readTextFileSync(`${own}/locked`), "mine\n");
  });
});

Deno.test("what was left to itself is told with the commit that it began at, until it is removed", async () => {
  await withDirectory((common) => {
    const own = `${common}/worktrees/a`;
    Deno.mkdirSync(own, { recursive: true });
    const alive = tableOf({ [Deno.pid]: 7 });
    takeLease({ agent: "a", common, own }, alive, "c0ffee");
    assertEquals(abandonedIn(common, alive), []);
    unlockAbandoned(own, alive);
    assertEquals(namesIn(own).length, 2);
    const gone = tableOf({});
    // Who drops those of agents leaves it to the gate that comes next.
    dropDeadLeases(common, gone);
    assertEquals(namesIn(own).length, 2);
    unlockAbandoned(own, gone);
    assertEquals(abandonedIn(common, gone), [{ agent: "a", base: "c0ffee" }]);
    assertEquals(namesIn(own), [`${LEASE_PREFIX}-${Deno.pid}-7`]);
    dropLeases(own, gone);
    assertEquals([abandonedAt(own, gone), namesIn(own)], [null, []]);
  });
});

Deno.test("who lets git remove it keeps its lease, and the lock where another works there", async () => {
  await withDirectory((common) => {
    const own = `${common}/worktrees/a`;
    Deno.mkdirSync(own, { recursive: true });
    const lease = takeLease({ agent: "a", common, own }, tableOf({ [Deno.pid]: 7 }));
    Deno.writeTextFileSync(`${own}/${LEASE_PREFIX}-12-2`, "");
    lease.unlock();
    assertEquals(namesIn(own).includes("locked"), true);
    Deno.removeSync(`${own}/${LEASE_PREFIX}-12-2`);
    lease.unlock();
    assertEquals(namesIn(own), [`${LEASE_PREFIX}-${Deno.pid}-7`]);
  });
});
