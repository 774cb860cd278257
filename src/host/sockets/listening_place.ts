/**
 * Where a gate listens: a socket in a folder that nobody else may write, so that nobody can put another in its place.
 * What a dead gate left there is replaced; a live one is left alone.
 */

import { ERRNO, errnoName } from "../../sandbox/kernel/errno.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import { AT_FDCWD, OPEN } from "../../sandbox/kernel/open_without_links.ts";
import { close } from "../kernel/pipes.ts";
import { isSameFile, type Stat, statAt, statOf } from "../kernel/stat.ts";
import { bindSocket, connectTo, listenOn, LONGEST_SOCKET_PATH, openSocket } from "./unix_socket.ts";

/** A socket that is listened on. */
export interface ListeningPlace {
  readonly descriptor: number;
  /** Takes its name away, where it is still its own, and closes it. */
  remove(): void;
}

/** Why a gate cannot listen there; the message names the path. */
export class PlaceRefused extends Error {
  override readonly name = "PlaceRefused";
}

/** S_IWGRP | S_IWOTH, S_ISVTX (inode(7)) */
const OTHERS_WRITE = 0o022;
const STICKY = 0o1000;
/** LOCK_EX | LOCK_NB (flock(2)) */
const LOCK_AT_ONCE = 2 | 4;
/** Of the way up to the root: no path has more parts. */
const MOST_PARENTS = 2048;
const ROOT_USER = 0;
/** Modes of the socket: its owner alone, or all, who are then told apart by the kernel's word. */
const OWN_MODE = 0o600;
const SHARED_MODE = 0o666;

/**
 * Listens at an absolute path. `shared`: other users may connect, too. Throws {@linkcode PlaceRefused} where the folder
 * is not safe, something else is there, or a gate that is alive.
 */
export function listenAt(
  libc: Libc,
  path: string,
  { shared }: { readonly shared: boolean },
): ListeningPlace {
  const refused = (why: string) => new PlaceRefused(`--listen unix:${path}: ${why}`);
  if (new TextEncoder().encode(path).length > LONGEST_SOCKET_PATH) {
    throw refused(`the path of a socket has at most ${LONGEST_SOCKET_PATH} bytes`);
  }
  const at = path.lastIndexOf("/");
  const name = path.slice(at + 1);
  if (name === "" || name === "." || name === "..") throw refused("it names no file");
  const { numbers } = libc;
  const folder = libc.call(
    numbers.openat,
    AT_FDCWD,
    libc.path(path.slice(0, at) || "/"),
    OPEN.RDONLY | OPEN.CLOEXEC | numbers.O_DIRECTORY,
  );
  if (folder < 0) throw refused(`its folder cannot be opened (${errnoName(-folder)})`);
  try {
    const unsafe = whyUnsafe(libc, folder);
    if (unsafe !== null) throw refused(unsafe);
    // Two gates that begin at once find the same leftover; the lock is the folder's, so that no file stays behind.
    if (libc.call(numbers.flock, folder, LOCK_AT_ONCE) < 0) {
      throw refused("another gate is just beginning there");
    }
    const there = statAt(libc, folder, name);
    if (typeof there !== "number") {
      if (!there.socket) throw refused("something that is no socket is there");
      const why = whyKept(libc, path);
      if (why !== null) throw refused(why);
      const gone = libc.call(numbers.unlinkat, folder, libc.path(name), 0);
      if (gone < 0) throw refused(`what is left of a gate cannot be removed (${errnoName(-gone)})`);
    }
    return listenIn(libc, folder, { path, name, mode: shared ? SHARED_MODE : OWN_MODE }, refused);
  } finally {
    close(libc, folder);
  }
}

function listenIn(
  libc: Libc,
  folder: number,
  { path, name, mode }: { readonly path: string; readonly name: string; readonly mode: number },
  refused: (why: string) => PlaceRefused,
): ListeningPlace {
  const { numbers } = libc;
  const descriptor = openSocket(libc, { blocking: false });
  if (descriptor < 0) throw refused(`no socket can be made (${errnoName(-descriptor)})`);
  const fail = (what: string, errno: number): PlaceRefused => {
    close(libc, descriptor);
    return refused(`${what} (${errnoName(-errno)})`);
  };
  // The name takes the mode of the socket, less the umask: it is never there with a wider one (net/unix/af_unix.c).
  libc.call(numbers.fchmod, descriptor, OWN_MODE);
  const bound = bindSocket(libc, descriptor, path);
  if (bound < 0) throw fail("it cannot be made", bound);
  const own = statAt(libc, folder, name);
  const listening = listenOn(libc, descriptor);
  if (listening < 0 || typeof own === "number") throw fail("it cannot be listened on", listening);
  if (mode !== OWN_MODE) libc.call(numbers.fchmodat, folder, libc.path(name), mode);
  return {
    descriptor,
    remove() {
      removeOwn(libc, path, own);
      close(libc, descriptor);
    },
  };
}

/** Whether it is still the same: who has another gate there by now keeps it. */
function removeOwn(libc: Libc, path: string, own: Stat): void {
  const there = statAt(libc, AT_FDCWD, path);
  if (typeof there === "number" || !isSameFile(there, own)) return;
  libc.call(libc.numbers.unlinkat, AT_FDCWD, libc.path(path), 0);
}

/** Why the socket that is there stays; null where nobody listens on it. */
function whyKept(libc: Libc, path: string): string | null {
  const probe = openSocket(libc, { blocking: false });
  if (probe < 0) return `it cannot be told whether a gate is there (${errnoName(-probe)})`;
  const result = connectTo(libc, probe, path);
  close(libc, probe);
  if (result === -ERRNO.ECONNREFUSED) return null;
  return result === 0 || result === -ERRNO.EAGAIN
    ? "a gate is listening there already"
    : `it cannot be told whether a gate is there (${errnoName(-result)})`;
}

/**
 * Why somebody else could put something into the folder, or another folder in its place; null where nobody can. What
 * lies above it may be sticky (`/tmp`): there nobody moves what is not his own.
 */
function whyUnsafe(libc: Libc, folder: number): string | null {
  const { numbers } = libc;
  const self = libc.call(numbers.geteuid);
  const own = statOf(libc, folder);
  if (typeof own === "number") return `its folder cannot be looked at (${errnoName(-own)})`;
  if (own.user !== self && own.user !== ROOT_USER) return "its folder belongs to another user";
  if ((own.mode & OTHERS_WRITE) !== 0) return "others may write its folder; chmod 700 it";
  let at = folder;
  let before: Stat = own;
  try {
    for (let step = 0; step < MOST_PARENTS; step++) {
      const above = libc.call(
        numbers.openat,
        at,
        libc.path(".."),
        OPEN.PATH | OPEN.CLOEXEC | numbers.O_DIRECTORY,
      );
      if (at !== folder) close(libc, at);
      at = above;
      if (above < 0) return `what lies above its folder cannot be looked at (${errnoName(-above)})`;
      const stat = statOf(libc, above);
      if (typeof stat === "number") return "what lies above its folder cannot be looked at";
      if (isSameFile(stat, before)) return null;
      const foreign = stat.user !== self && stat.user !== ROOT_USER;
      const open = (stat.mode & OTHERS_WRITE) !== 0 && (stat.mode & STICKY) === 0;
      if (foreign || open) return "a folder above it could be replaced by another user";
      before = stat;
    }
    return "it lies too deep";
  } finally {
    if (at >= 0 && at !== folder) close(libc, at);
  }
}
