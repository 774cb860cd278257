/**
 * Who works in a worktree now: a file for each process in the worktree's own folder of the repository, named by the
 * process and when it was started, and beside them git's own lock (git-worktree(1), `lock`), so that nobody's git removes it.
 */

import type { GitHome } from "../../core/git/settings.ts";
import type { ProcessTable } from "../../host/kernel/process_table.ts";
import { isThere, namesIn, textIn } from "./what_is_there.ts";

/** A lease that is held. */
export interface Lease {
  /** Lets git remove the worktree, where nobody else works there: the lease goes with it, and says until then whose it was. */
  unlock(): void;
  /** Lets go of it. Never throws: what cannot be removed is found to be dead later. */
  release(): void;
}

/** `PREFIX-PID-TICKS`: the number of a process may be another's later, with the time of its start it is not. */
export const LEASE_PREFIX = "toolgate-lease";
const LEASE = new RegExp(`^${LEASE_PREFIX}-(\\d+)-(\\d+)$`);
/** What git's lock says where it is ours. */
const OURS = "toolgate: ";

/**
 * Says that this process works there. `base`: the commit that the agent's branch began at, for who finds what is left; empty
 * where that is of no concern. Throws what the system throws where that cannot be written.
 */
export function takeLease(
  { agent, own }: GitHome,
  table: Pick<ProcessTable, "facts">,
  base = "",
): Lease {
  const began = table.facts(Deno.pid)?.began ?? 0;
  const path = `${own}/${LEASE_PREFIX}-${Deno.pid}-${began}`;
  const lock = () => {
    const reason = `${OURS}agent ${agent} works here (process ${Deno.pid})\n`;
    // A lock of somebody else stays as it is.
    if (!isThere(`${own}/locked`)) Deno.writeTextFileSync(`${own}/locked`, reason);
  };
  Deno.writeTextFileSync(path, base, { mode: 0o600 });
  lock();
  return {
    unlock() {
      if (leasesIn(own).length <= 1) removeLock(own);
    },
    release() {
      remove(path);
      dropLeases(own, table);
      // Who came between the look and the removal has its lock again.
      if (leasesIn(own).length > 0) lock();
    },
  };
}

/**
 * Removes the leases of processes that are gone, and the locks that nobody holds any more, of all worktrees but those that
 * a child was left in ({@linkcode abandonedIn} with a base): by them the next gate finds what is to be removed.
 */
export function dropDeadLeases(common: string, table: Pick<ProcessTable, "facts">): void {
  for (const name of namesIn(`${common}/worktrees`)) {
    const own = `${common}/worktrees/${name}`;
    if ((abandonedAt(own, table) ?? "") === "") dropLeases(own, table);
  }
}

/** What was left to itself: its processes are all gone. */
export interface Abandoned {
  /** The name of its folder in the repository. */
  readonly agent: string;
  /** As it was told to {@linkcode takeLease}. */
  readonly base: string;
}

/** The worktrees whose leases are all of processes that are gone. */
export function abandonedIn(
  common: string,
  table: Pick<ProcessTable, "facts">,
): readonly Abandoned[] {
  return namesIn(`${common}/worktrees`).flatMap((agent) => {
    const base = abandonedAt(`${common}/worktrees/${agent}`, table);
    return base === null ? [] : { agent, base };
  });
}

/** The base of one folder that holds such leases, also of a clone, which has its own; null where it holds none. */
export function abandonedAt(own: string, table: Pick<ProcessTable, "facts">): string | null {
  const leases = leasesIn(own);
  const [first] = leases;
  const alive = leases.some(({ id, began }) => table.facts(id)?.began === began);
  return first === undefined || alive ? null : textIn(`${own}/${first.name}`);
}

/** Removes those of processes that are gone, of one folder. */
export function dropLeases(own: string, table: Pick<ProcessTable, "facts">): void {
  const leases = leasesIn(own);
  const dead = leases.filter(({ id, began }) => table.facts(id)?.began !== began);
  for (const { name } of dead) remove(`${own}/${name}`);
  if (dead.length === leases.length) removeLock(own);
}

/** Lets git remove what was left to itself; its leases say whose it was until it is gone. */
export function unlockAbandoned(own: string, table: Pick<ProcessTable, "facts">): void {
  if (abandonedAt(own, table) !== null) removeLock(own);
}

/** A lock of somebody else stays as it is. */
function removeLock(own: string): void {
  if (textIn(`${own}/locked`).startsWith(OURS)) remove(`${own}/locked`);
}

function leasesIn(own: string) {
  return namesIn(own).flatMap((name) => {
    const [, id, began] = LEASE.exec(name) ?? [];
    return id === undefined ? [] : { name, id: Number(id), began: Number(began) };
  });
}

function remove(path: string): void {
  try {
    Deno.removeSync(path);
  } catch {
    // Gone already, or not to be reached any more.
  }
}
