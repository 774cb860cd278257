/** The primitives that change nothing, by system calls of this thread. */

import type { Libc } from "../../../sandbox/kernel/libc.ts";
import { OPEN, openWithoutLinks } from "../../../sandbox/kernel/open_without_links.ts";
import { readEntries } from "../../kernel/directory_entries.ts";
import { sizeAt, statAt, statOf } from "../../kernel/stat.ts";
import type { ReadPrimitives } from "../primitives.ts";

const LISTING_BYTES = 32 * 1024;
/** PATH_MAX is the longest a link can be (linux/limits.h). */
const LONGEST_LINK = 4096;

/** Handles are file descriptors, results the kernel's own. One for all calls of a thread: it keeps a buffer. */
export function createLinuxReadPrimitives(libc: Libc): ReadPrimitives {
  const { numbers } = libc;
  const { O_DIRECTORY, O_NOFOLLOW } = numbers;
  // O_NONBLOCK and O_NOCTTY: a pipe or a terminal in a file's place must neither hold nor adopt us.
  const file = OPEN.NONBLOCK | OPEN.NOCTTY | OPEN.CLOEXEC | O_NOFOLLOW;
  const paths = {
    entry: OPEN.PATH,
    file: OPEN.RDONLY | OPEN.NONBLOCK | OPEN.NOCTTY,
    directory: OPEN.RDONLY | OPEN.NONBLOCK | O_DIRECTORY,
    passage: OPEN.PATH | O_DIRECTORY,
  };
  const names = {
    directory: OPEN.RDONLY | OPEN.NONBLOCK | OPEN.CLOEXEC | O_DIRECTORY | O_NOFOLLOW,
    read: OPEN.RDONLY | file,
    write: OPEN.WRONLY | file,
    update: OPEN.RDWR | file,
    create: OPEN.RDWR | OPEN.CREAT | OPEN.EXCL | OPEN.CLOEXEC | O_NOFOLLOW,
  };
  let listing: Uint8Array | null = null;
  return {
    openPath: (path, how) => openWithoutLinks(libc, path, paths[how]),
    openAt: (directory, name, how, mode = 0) =>
      libc.call(numbers.openat, directory, libc.path(name), names[how], mode),
    close: (handle) => void libc.call(numbers.close, handle),
    statOf: (handle) => statOf(libc, handle),
    statAt: (directory, name) => statAt(libc, directory, name),
    sizeAt: (directory, name) => sizeAt(libc, directory, name),
    list(directory, prefix) {
      listing ??= new Uint8Array(LISTING_BYTES);
      return readEntries(libc, directory, listing, prefix);
    },
    readLinkAt(directory, name) {
      const { structAddress, structBytes } = libc;
      const text = libc.path(name);
      const length = libc.call(numbers.readlinkat, directory, text, structAddress, LONGEST_LINK);
      return length < 0 ? length : structBytes.slice(0, length);
    },
    read: (handle, buffer, count) => libc.transfer(numbers.read, handle, buffer, count),
  };
}
