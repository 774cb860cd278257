/** What runs on this machine, as a test looks for what a command left behind. */

import { assert } from "@std/assert";
import { comesToBe } from "../until.ts";

/** Command lines of living processes that hold this word. */
export function running(word: string): readonly string[] {
  return [...Deno.readDirSync("/proc")].flatMap(({ name }) => {
    if (!/^\d+$/.test(name) || name === String(Deno.pid)) return [];
    try {
      const words = Deno.readTextFileSync(`/proc/${name}/cmdline`).split("\0");
      return words.includes(word) ? [`${name}: ${words.join(" ")}`] : [];
    } catch {
      return [];
    }
  });
}

/** Waits until nothing with this word runs; what still does where that never comes to be. */
export async function stillRunning(word: string): Promise<readonly string[]> {
  await comesToBe(() => running(word).length === 0);
  return running(word);
}

/** The process that outlives a toolgate to end what it leaves; null before the first program. */
export function guardianOf(pid: number): number | null {
  const found = running("toolgate-guardian").map((line) => Number(line.split(":")[0]));
  return found.find((id) => parentOf(id) === pid) ?? null;
}

function parentOf(id: number): number | null {
  try {
    const stat = Deno.readTextFileSync(`/proc/${id}/stat`);
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return null;
  }
}

/** Waits until a process is gone; whether it is. */
export function isGone(id: number | null): Promise<boolean> {
  const isThere = () => running("toolgate-guardian").some((line) => line.startsWith(`${id}:`));
  return comesToBe(() => id === null || !isThere());
}

/** Waits until so many processes with this word run: they must not end before that was seen. */
export async function untilRunning(word: string, count: number): Promise<void> {
  assert(await comesToBe(() => running(word).length >= count), `never ${count} of ${word}`);
}

/** Children of a process that ended and were not waited for. */
export function zombiesOf(pid: number): readonly string[] {
  return [...Deno.readDirSync("/proc")].flatMap(({ name }) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = Deno.readTextFileSync(`/proc/${name}/stat`);
      const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return state === "Z" && Number(parent) === pid ? [stat] : [];
    } catch {
      return [];
    }
  });
}

export function descriptorsOf(pid: number): number {
  return [...Deno.readDirSync(`/proc/${pid}/fd`)].length;
}

/** Resident bytes (the second field of proc_pid_statm(5), in pages of 4 KiB). */
export function residentBytes(pid: number): number {
  return Number(Deno.readTextFileSync(`/proc/${pid}/statm`).split(" ")[1]) * 4096;
}

/** A number of seconds that no other test sleeps for, to know a process by. */
export function sleepMark(): string {
  return String(100_000 + crypto.getRandomValues(new Uint32Array(1))[0]! % 100_000_000);
}
