/** What a program may see of processes: itself and those of its own call, read by their entries of /proc. */

import { siblingOf } from "../../core/path_text.ts";
import { ERRNO } from "../../sandbox/kernel/errno.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import { AT_FDCWD, OPEN } from "../../sandbox/kernel/open_without_links.ts";
import type { HandedOver } from "../../sandbox/broker/notifications.ts";
import { readEntries } from "../kernel/directory_entries.ts";
import { isMarked } from "../kernel/marked_processes.ts";
import { close } from "../kernel/pipes.ts";
import type { CallParts, CallResult } from "./_call_result.ts";
import { LEAVE, openBelow, openExactly } from "./_names.ts";
import { readField } from "../kernel/process_status.ts";

/** AT_REMOVEDIR (include/uapi/linux/fcntl.h) */
const REMOVE_DIRECTORY = 0x200;
/** Read of a folder at once. */
const ENTRY_BYTES = 32 * 1024;

/**
 * Entries of a process that tell of it alone (proc(5)). Not its memory, nor what tells of the machine (its network, its
 * kernel's stacks, where its pages lie): Toolgate opens them, who may see more than the program may.
 */
const ENTRIES =
  /^(?:task\/(?:\d+\/?)?)?(?:auxv|cgroup|cmdline|comm|cpuset|environ|fd|fdinfo(?:\/\d+)?|io|limits|maps|mountinfo|mounts|oom_score|oom_score_adj|sched|schedstat|smaps|smaps_rollup|stat|statm|status|task)?\/?$/;

/** Whether a path is one of a process. */
export function isOfProcess(path: string): boolean {
  return /^\/proc\/(?:self|thread-self|\d+)(?:\/|$)/.test(path);
}

/** Opens it for reading where it is the program's own, or of the same call; all else is left to the kernel's rules. */
export function openProcessFile(
  { libc, notifications, mark }: CallParts,
  call: HandedOver,
  path: string,
  flags: number,
): CallResult {
  const [, , who = "", ...parts] = path.split("/");
  const rest = parts.filter((part) => part !== "" && part !== ".").join("/");
  if (rest.includes("..")) return LEAVE;
  const id = who === "self" || who === "thread-self" ? leaderOf(libc, call.thread) : Number(who);
  if (id === null) return LEAVE;
  const below = who === "thread-self" ? `task/${call.thread}/${rest}` : rest;
  if (!ENTRIES.test(below)) return LEAVE;
  const folder = openExactly(libc, `/proc/${id}`, OPEN.PATH | libc.numbers.O_DIRECTORY);
  if (folder < 0) return folder;
  // The folder is of the process that had the number when it was opened: whoever has it now is asked, and is the same.
  const own = id === call.thread || isMarked(libc, id, mark);
  const opened = own && notifications.isWaiting(call)
    ? openBelow(libc, folder, below === "" ? "." : below, flags & ~OPEN.CREAT)
    : -ERRNO.EACCES;
  close(libc, folder);
  if (opened === -ERRNO.EACCES) return LEAVE;
  return opened < 0 ? opened : { descriptor: opened, closesOnExec: (flags & OPEN.CLOEXEC) !== 0 };
}

/** Entries beside the numbers of processes by which a program speaks of itself (proc(5)): links, there as here. */
const OWN_ENTRIES = ["self", "thread-self"];
/** What the folder that stands for the list is called, before the number of who opened it. */
const LIST_NAME = ".processes-";

/** Whether a name could be one in that folder, by what it says: most are not, and nobody asks where they begin. */
export function mayBeOfList(text: string): boolean {
  return /^(?:self|thread-self|\d+)(?:\/|$)/.test(text);
}

/** What the paths of folders that stand for the list begin with, by the folder of what is shared; null where none can be. */
export function listsBeside(shared: string | null): string | null {
  return shared === null ? null : siblingOf(shared, LIST_NAME);
}

/** The path in /proc that is meant by one in a folder that stands for the list of processes; null for all others. */
export function meantInList(list: string | null, path: string): string | null {
  if (list === null) return null;
  const cut = path.indexOf("/", list.length);
  return path.startsWith(list) && cut > 0 ? `/proc${path.slice(cut)}` : null;
}

/** Whether a path is the list of all processes. */
export function isProcessList(path: string): boolean {
  return /^\/proc\/*$/.test(path);
}

/**
 * Opens what stands for that list: a folder with the numbers of the call's own processes, in the folder that is the call's.
 * What is opened by such a name afterwards, from this folder or by the whole path, is handed over by itself.
 */
export function openProcessList(
  { libc, mark, rules: { shared } }: CallParts,
  { thread }: HandedOver,
  flags: number,
): CallResult {
  if (shared === null || mark === null) return LEAVE;
  const { call, numbers } = libc;
  const list = siblingOf(shared, `${LIST_NAME}${thread}`);
  call(numbers.mkdirat, AT_FDCWD, libc.path(list), 0o700);
  const folder = openExactly(libc, list, OPEN.RDONLY | numbers.O_DIRECTORY);
  if (folder < 0) return LEAVE;
  for (const name of numbersIn(libc, list)) {
    call(numbers.unlinkat, folder, libc.path(name), REMOVE_DIRECTORY);
  }
  for (const name of numbersIn(libc, "/proc")) {
    if (isMarked(libc, Number(name), mark)) {
      call(numbers.mkdirat, folder, libc.path(name), 0o500);
    }
  }
  for (const name of OWN_ENTRIES) {
    call(numbers.symlinkat, libc.path(`/proc/${name}`, 1), folder, libc.path(name));
  }
  return { descriptor: folder, closesOnExec: (flags & OPEN.CLOEXEC) !== 0 };
}

function numbersIn(libc: Libc, path: string): readonly string[] {
  const folder = openExactly(libc, path, OPEN.RDONLY | libc.numbers.O_DIRECTORY);
  if (folder < 0) return [];
  const entries = readEntries(libc, folder, new Uint8Array(ENTRY_BYTES));
  close(libc, folder);
  if (typeof entries === "number") return [];
  return entries.map(({ name }) => name).filter((name) => /^\d+$/.test(name));
}

/** The process of a thread; null where it is gone. */
export function leaderOf(libc: Libc, thread: number): number | null {
  const found = readField(libc, `/proc/${thread}/status`, /\nTgid:\s*(\d+)/);
  return found === null ? null : Number(found);
}
