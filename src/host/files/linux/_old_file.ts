/** The file that a change replaces: opened, locked, and held against what the change expects. */

import { createHash } from "node:crypto";
import type { Expectation } from "../../../core/files.ts";
import { ERRNO } from "../../../sandbox/kernel/errno.ts";
import type { Libc } from "../../../sandbox/kernel/libc.ts";
import { OPEN } from "../../../sandbox/kernel/open_without_links.ts";
import type { Target } from "../file_backend.ts";
import { lock } from "../../kernel/file_lock.ts";
import { changed, exists, notAFile, refusal, stale } from "../../kernel/refusal.ts";
import { type EntryName, isSameFile, type Stat, statAt, statOf } from "../../kernel/stat.ts";

/** A name in an open directory, and the words for it. */
export interface Place<Name extends EntryName = string> {
  readonly target: Target;
  readonly parent: number;
  readonly name: Name;
}

export interface OldFile {
  readonly descriptor: number;
  readonly stat: Stat;
}

/** The name may lead elsewhere by the time the lock is there: looked again so often before that is an error. */
const LOOKS = 1_000;

/**
 * The regular file at `place`, locked, and with the contents that are expected; null where there is none.
 * Throws NOT_A_FILE, FILE_EXISTS, STALE_FILE, NATIVE_DENIED.
 */
export function openExpected(libc: Libc, place: Place, expect: Expectation): OldFile | null {
  const { target } = place;
  const old = openLocked(libc, place, { readable: typeof expect === "object" });
  try {
    if (expect === "nothing" && old !== null) throw exists(target);
    if (typeof expect === "object") {
      if (old === null) throw stale(target, "was removed");
      requireContents(libc, target, old.descriptor, expect.sha256);
    }
    return old;
  } catch (error) {
    if (old !== null) libc.call(libc.numbers.close, old.descriptor);
    throw error;
  }
}

/**
 * As {@linkcode openExpected}, whatever is in it. It is opened for writing: a rename would replace what we may not
 * write, too. `readable`: the new contents come from it, so it has to be the one that the name leads to.
 */
export function openLocked(
  libc: Libc,
  place: Place,
  { readable }: { readonly readable: boolean },
): OldFile | null {
  for (let look = 0; look < LOOKS; look++) {
    const descriptor = openOld(libc, place, readable);
    if (descriptor === null) return null;
    try {
      const free = lock(libc, descriptor);
      const stat = statOf(libc, descriptor);
      if (typeof stat === "number") throw refusal(place.target, stat);
      requireFile(place.target, stat);
      if (free && !readable || isNamed(libc, place, stat)) return { descriptor, stat };
    } catch (error) {
      libc.call(libc.numbers.close, descriptor);
      throw error;
    }
    libc.call(libc.numbers.close, descriptor);
  }
  throw changed(place.target);
}

function isNamed(libc: Libc, { parent, name }: Place, stat: Stat): boolean {
  const named = statAt(libc, parent, name);
  return typeof named === "object" && isSameFile(named, stat);
}

function openOld(libc: Libc, { target, parent, name }: Place, readable: boolean): number | null {
  const { numbers } = libc;
  // A look before opening: opening a pipe for writing would wake its reader.
  const before = statAt(libc, parent, name);
  if (before === -ERRNO.ENOENT) return null;
  if (typeof before === "number") throw refusal(target, before);
  requireFile(target, before);
  const rest = OPEN.NONBLOCK | OPEN.NOCTTY | OPEN.CLOEXEC | numbers.O_NOFOLLOW;
  const open = (access: number): number =>
    libc.call(numbers.openat, parent, libc.path(name), access | rest);
  let descriptor = open(readable ? OPEN.RDWR : OPEN.WRONLY);
  // A running program cannot be written to, only replaced, and that is what is done here.
  if (descriptor === -ERRNO.ETXTBSY) descriptor = open(OPEN.RDONLY);
  if (descriptor === -ERRNO.ENOENT) return null;
  if (descriptor < 0) throw refusal(target, descriptor);
  return descriptor;
}

/** A canonical path does not end in a link: where one stands now, something was swapped. */
export function requireFile(target: Target, stat: Pick<Stat, "type">): void {
  if (stat.type === "symlink") throw changed(target);
  if (stat.type === "directory") throw notAFile(target, "a directory");
  if (stat.type !== "file") throw notAFile(target, "a pipe or device");
}

function requireContents(libc: Libc, target: Target, descriptor: number, expected: string): void {
  const hash = createHash("sha256");
  const buffer = new Uint8Array(64 * 1024);
  for (;;) {
    const count = libc.transfer(libc.numbers.read, descriptor, buffer, buffer.length);
    if (count === -ERRNO.EINTR) continue;
    if (count < 0) throw refusal(target, count);
    if (count === 0) break;
    hash.update(buffer.subarray(0, count));
  }
  if (hash.digest("hex") !== expected.toLowerCase()) throw stale(target, "has changed");
}

/** A regular file for reading; never held up by a pipe in its place. The caller closes it. */
export function openForReading(
  libc: Libc,
  { target, parent, name }: Place<EntryName>,
): OldFile {
  const { numbers } = libc;
  const before = statAt(libc, parent, name);
  if (typeof before === "number") throw refusal(target, before);
  requireFile(target, before);
  const flags = OPEN.RDONLY | OPEN.NONBLOCK | OPEN.NOCTTY | OPEN.CLOEXEC | numbers.O_NOFOLLOW;
  const descriptor = libc.call(numbers.openat, parent, libc.path(name), flags);
  if (descriptor < 0) throw refusal(target, descriptor);
  const stat = statOf(libc, descriptor);
  try {
    if (typeof stat === "number") throw refusal(target, stat);
    requireFile(target, stat);
    return { descriptor, stat };
  } catch (error) {
    libc.call(numbers.close, descriptor);
    throw error;
  }
}
