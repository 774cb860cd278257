/** Programs of runs, started as Toolgate starts them but held by nothing, so that tests can watch over them. */

import { assert } from "@std/assert";
import { ProcessTable } from "../../../../src/host/kernel/process_table.ts";
import { markOf } from "../../../../src/host/kernel/run_marks.ts";
import { MARKER } from "../../../../src/engine/programs/job_programs.ts";
import { SPAWNER } from "../../host/run/_starter.ts";
import { LIBC as libc } from "../../sandbox/_libc.ts";
import { comesToBe } from "../../../until.ts";

const [random = 0] = crypto.getRandomValues(new Uint32Array(1));
/** Of this process of tests alone: a guardian of another ends whatever on the machine has its mark. */
export const MARK = {
  marker: `of-this-test-${random}`,
  token: (random | 0x80000000) >>> 0,
} as const;
/** PR_SET_CHILD_SUBREAPER (include/uapi/linux/prctl.h) */
const SUBREAPER = 36;
/** P_ALL, WNOHANG | WEXITED (waitid(2)) */
const ALL = 0;
const ENDED = 1 | 4;

const nothing = Deno.openSync("/dev/null", { read: true, write: true });
/** Descriptors that a program is given for its input, output and errors: all lead nowhere. */
export const NOWHERE = libc.call(libc.numbers.openat, -100, libc.path("/dev/null"), 2);
nothing.close();

export const table = new ProcessTable(libc);

/** How a program is known to be of a job. */
export type KnownBy = "environment" | "nothing";

/** Starts a shell with this script at the head of a session and a group of its own; its number. */
export function startScript(script: string, job: number, by: KnownBy = "environment"): number {
  const marked = by === "environment" ? [`${MARKER}=${MARK.marker}.${job}`] : [];
  const id = SPAWNER.start({
    path: "/bin/sh",
    argv: ["sh", "-c", script],
    environment: ["PATH=/usr/bin:/bin", ...marked],
    directory: null,
    descriptors: [NOWHERE, NOWHERE, NOWHERE],
  });
  assert(id > 0, `it was not started: ${id}`);
  return id;
}

/** The mark that a program of this job carries as a limit. */
export const markOfJob = (job: number): number => markOf(MARK.token, job);

/** Processes with this word on their command line that have not ended. */
export function running(word: string): readonly number[] {
  return table.list().filter((id) => {
    try {
      const words = Deno.readTextFileSync(`/proc/${id}/cmdline`).split("\0");
      return words.includes(word) && table.facts(id)?.state !== "Z";
    } catch {
      return false;
    }
  });
}

/** A number of seconds that nothing else sleeps for, to know a process by. */
export function sleepMark(): string {
  return String(100_000 + (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) % 100_000_000);
}

/** Ends this, takes in what has ended, and lets orphans go to whom they went before: for the end of a test. */
export async function endAll(...ids: readonly number[]): Promise<void> {
  for (const id of ids) {
    libc.call(libc.numbers.kill, -id, 9);
    libc.call(libc.numbers.kill, id, 9);
  }
  const left = () => ids.some((id) => table.facts(id) !== null);
  await comesToBe(() => {
    while (libc.call(libc.numbers.waitid, ALL, 0, 0, ENDED, 0) === 0 && left());
    return !left();
  });
  libc.call(libc.numbers.prctl, SUBREAPER, 0, 0, 0, 0);
}
