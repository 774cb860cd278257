/** Where an image is started from: memory that nobody can change, or where that may not be executed a file of ours. */

import { ERRNO } from "../kernel/errno.ts";
import type { Libc } from "../kernel/libc.ts";
import { AT_FDCWD, OPEN } from "../kernel/open_without_links.ts";
import type { Architecture } from "../seccomp.ts";
import { LAUNCHER_CALLS } from "./_calls.ts";

/** An image that can be started. */
export interface ImageFile {
  /** For execve(2) by this process or a copy of it. */
  readonly path: string;
  /** To be called once it was started, or could not be. */
  close(): void;
}

/** Makes images startable. Answers an error number with its sign turned where that fails. */
export interface ImageStore {
  put(image: Uint8Array): ImageFile | number;
}

/** MFD_CLOEXEC, MFD_ALLOW_SEALING, MFD_EXEC (include/uapi/linux/memfd.h); the last is there since Linux 6.3. */
const MFD = { CLOEXEC: 1, ALLOW_SEALING: 2, EXEC: 0x10 } as const;
/** F_ADD_SEALS; F_SEAL_SEAL, SHRINK, GROW, WRITE (include/uapi/linux/fcntl.h) */
const F_ADD_SEALS = 1033;
const ALL_SEALS = 0x1 | 0x2 | 0x4 | 0x8;
/** F_DUPFD_CLOEXEC (include/uapi/linux/fcntl.h) */
const F_DUPFD_CLOEXEC = 1030;
/** Below it lie the numbers that a program's descriptors get: the image's must survive their being placed. */
const FIRST_NUMBER = 96;

/** Sealed memory (memfd_create(2)), started by its descriptor: it takes /proc, and a system that lets memory be executed. */
export function createMemoryStore(libc: Libc, architecture: Architecture): ImageStore {
  const { memfdCreate } = LAUNCHER_CALLS[architecture];
  const create = (flags: number): number =>
    libc.call(memfdCreate, libc.path("toolgate-launcher"), flags);
  const flags = MFD.CLOEXEC | MFD.ALLOW_SEALING;
  return {
    put(image) {
      let descriptor = create(flags | MFD.EXEC);
      if (descriptor === -ERRNO.EINVAL) descriptor = create(flags);
      if (descriptor < 0) return descriptor;
      descriptor = above(libc, descriptor);
      if (descriptor < 0) return descriptor;
      const close = (): void => {
        libc.call(libc.numbers.close, descriptor);
      };
      const written = writeAll(libc, descriptor, image);
      const failure = written < 0
        ? written
        : libc.call(libc.numbers.fcntl, descriptor, F_ADD_SEALS, ALL_SEALS);
      if (failure >= 0) return { path: `/proc/self/fd/${descriptor}`, close };
      close();
      return failure;
    },
  };
}

/**
 * Files in a folder that only this user may look into: each is there for as long as its start takes. What they hold,
 * arguments and environment, is nobody else's.
 */
export function createFolderStore(libc: Libc, folder: string): ImageStore {
  const { numbers } = libc;
  let count = 0;
  return {
    put(image) {
      const path = `${folder}/start-${++count}`;
      const flags = OPEN.WRONLY | OPEN.CREAT | OPEN.EXCL | OPEN.CLOEXEC | numbers.O_NOFOLLOW;
      const descriptor = libc.call(numbers.openat, AT_FDCWD, libc.path(path), flags, 0o700);
      if (descriptor < 0) return descriptor;
      const written = writeAll(libc, descriptor, image);
      libc.call(numbers.close, descriptor);
      const close = (): void => {
        libc.call(numbers.unlinkat, AT_FDCWD, libc.path(path), 0);
      };
      if (written >= 0) return { path, close };
      close();
      return written;
    },
  };
}

/** A number that no descriptor of a program has. */
function above(libc: Libc, descriptor: number): number {
  if (descriptor >= FIRST_NUMBER) return descriptor;
  const copy = libc.call(libc.numbers.fcntl, descriptor, F_DUPFD_CLOEXEC, FIRST_NUMBER);
  libc.call(libc.numbers.close, descriptor);
  return copy;
}

function writeAll(libc: Libc, descriptor: number, bytes: Uint8Array): number {
  for (let done = 0; done < bytes.length;) {
    const rest = bytes.subarray(done);
    const count = libc.transfer(libc.numbers.write, descriptor, rest, rest.length);
    if (count === 0) return -ERRNO.EIO;
    if (count < 0 && count !== -ERRNO.EINTR) return count;
    if (count > 0) done += count;
  }
  return bytes.length;
}
