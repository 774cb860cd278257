/** Processes of one run, known by its mark (see `run_marks.ts`), whatever they have made of their names and parents. */

import type { Libc } from "../../sandbox/kernel/libc.ts";
import { close } from "./pipes.ts";
import { hasEnded, ProcessTable } from "./process_table.ts";
import { isSameRun } from "./run_marks.ts";

/** RLIMIT_RTTIME, which carries the mark of a run (include/uapi/asm-generic/resource.h); see `ProcessLimits`. */
const RLIMIT_RTTIME = 15;

/** Whether a process, or the one that a thread belongs to, is of the run that has this number. */
export function isMarked(libc: Libc, id: number, mark: number | null): boolean {
  if (mark === null) return false;
  const { struct, structAddress, numbers } = libc;
  const asked = libc.call(numbers.prlimit64, id, RLIMIT_RTTIME, 0, structAddress);
  return asked >= 0 && isSameRun(struct.getBigUint64(8, true), BigInt(mark));
}

/** A process of the run as it was looked at. */
export interface MarkedProcess {
  readonly id: number;
  /** At most 15 characters (proc_pid_comm(5)). */
  readonly name: string;
  /** With blanks between them; empty where it shows none. */
  readonly words: string;
  /** In clock ticks since the machine was started. */
  readonly began: number;
  /** Sends the signal to it and to nobody who has its number by now; whether it was there. */
  signal(number: number): boolean;
}

/** All of the run that have not ended. */
export function markedProcesses(libc: Libc, mark: number | null): readonly MarkedProcess[] {
  const table = new ProcessTable(libc);
  return table.list().filter((id) => isMarked(libc, id, mark)).flatMap((id) => {
    const facts = table.facts(id);
    if (facts === null || hasEnded(facts)) return [];
    return [{
      id,
      ...table.command(id),
      began: facts.began,
      signal: (number: number) => signalMarked(libc, id, mark, number),
    }];
  });
}

function signalMarked(libc: Libc, id: number, mark: number | null, number: number): boolean {
  const { call, numbers } = libc;
  const process = call(numbers.pidfdOpen, id, 0);
  if (process < 0) return false;
  // What has the number now is what was opened, or that has ended and is not reached by it.
  const sent = isMarked(libc, id, mark) &&
    call(numbers.pidfdSendSignal, process, number, 0, 0) >= 0;
  close(libc, process);
  return sent;
}
