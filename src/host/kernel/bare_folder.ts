/**
 * Folders that hold nothing: made, and taken away where nothing is left in them, by rmdir(2), which takes none that holds
 * anything, whoever put it there and when.
 */

import { ERRNO } from "../../sandbox/kernel/errno.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import { OPEN, openWithoutLinks } from "../../sandbox/kernel/open_without_links.ts";
import { readEntries } from "./directory_entries.ts";

/** AT_REMOVEDIR (include/uapi/linux/fcntl.h) */
const REMOVE_DIRECTORY = 0x200;
const LISTING = 32 << 10;
/** A longer file is none that only says where something lies. */
const LONGEST_FILE = 4096;
/** Deeper ones are left: each takes a descriptor. */
const MOST_DEEP = 100;

/**
 * Removes a folder that holds nothing but a short file of that name, or not even that, and empty folders; false where anything
 * else is in it, which stays, with the file. `path`: absolute, without links.
 */
export function removeBareFolder(libc: Libc, path: string, file: string): boolean {
  const { numbers } = libc;
  const slash = path.lastIndexOf("/");
  const parent = openFolder(libc, path.slice(0, slash) || "/");
  const folder = openFolder(libc, path);
  const name = path.slice(slash + 1);
  try {
    if (parent < 0 || folder < 0) return false;
    const tree = new EmptyTree(libc);
    if (!tree.visit(folder, { but: file, remove: false })) return false;
    const text = readFile(libc, folder, file);
    if (text === null || !tree.visit(folder, { but: file, remove: true })) return false;
    const removed = text === NONE ? 0 : libc.call(numbers.unlinkat, folder, libc.path(file), 0);
    if (removed < 0) return false;
    if (libc.call(numbers.unlinkat, parent, libc.path(name), REMOVE_DIRECTORY) >= 0) return true;
    if (text !== NONE) writeFile(libc, folder, file, text);
    return false;
  } finally {
    for (const opened of [parent, folder]) if (opened >= 0) libc.call(numbers.close, opened);
  }
}

/** The same of one that holds nothing but empty folders, which go then, too. */
export function removeEmptyFolder(libc: Libc, path: string): boolean {
  const folder = openFolder(libc, path);
  if (folder < 0) return false;
  try {
    const tree = new EmptyTree(libc);
    if (!tree.visit(folder, { remove: false }) || !tree.visit(folder, { remove: true })) {
      return false;
    }
  } finally {
    libc.call(libc.numbers.close, folder);
  }
  return removeWithin(libc, path);
}

/** What has come there by then stays: rmdir(2). */
function removeWithin(libc: Libc, path: string): boolean {
  const slash = path.lastIndexOf("/");
  const parent = openFolder(libc, path.slice(0, slash) || "/");
  if (parent < 0) return false;
  const name = libc.path(path.slice(slash + 1));
  const result = libc.call(libc.numbers.unlinkat, parent, name, REMOVE_DIRECTORY);
  libc.call(libc.numbers.close, parent);
  return result >= 0;
}

/**
 * Makes a folder and those above it below another, which is there: false where a link or a file stands for one. Absolute paths.
 * `first`: a file that is laid in it where it was not there.
 */
export function makeBareFolder(
  libc: Libc,
  above: string,
  path: string,
  first: { readonly name: string; readonly text: string } | null = null,
): boolean {
  const { numbers } = libc;
  let isNew = false;
  const names = path.slice(above === "/" ? 1 : above.length + 1).split("/");
  let at = above === "/" ? "" : above;
  return names.every((name) => {
    const parent = openFolder(libc, at || "/");
    if (parent < 0) return false;
    const made = libc.call(numbers.mkdirat, parent, libc.path(name), 0o777);
    libc.call(numbers.close, parent);
    at = `${at}/${name}`;
    isNew = made >= 0;
    return made >= 0 || made === -ERRNO.EEXIST;
  }) && isFolder(libc, path, isNew ? first : null);
}

/** Makes one in a folder that is there: false where anything has its name, or a link stands on the way. `path`: absolute. */
export function makeEmptyFolder(libc: Libc, path: string): boolean {
  const slash = path.lastIndexOf("/");
  const parent = openFolder(libc, path.slice(0, slash) || "/");
  if (parent < 0) return false;
  const made = libc.call(libc.numbers.mkdirat, parent, libc.path(path.slice(slash + 1)), 0o777);
  libc.call(libc.numbers.close, parent);
  return made >= 0;
}

function isFolder(libc: Libc, path: string, first: Parameters<typeof makeBareFolder>[3]): boolean {
  const folder = openFolder(libc, path);
  if (folder < 0) return false;
  if (first) writeFile(libc, folder, first.name, new TextEncoder().encode(first.text));
  libc.call(libc.numbers.close, folder);
  return true;
}

function openFolder(libc: Libc, path: string): number {
  return openWithoutLinks(libc, path, OPEN.RDONLY | libc.numbers.O_DIRECTORY);
}

/** Folders in folders, and nothing else. */
class EmptyTree {
  readonly #libc: Libc;
  readonly #listing = new Uint8Array(LISTING);

  constructor(libc: Libc) {
    this.#libc = libc;
  }

  /** Whether there is nothing else in it; `remove`: those in it go. */
  visit(
    folder: number,
    options: { readonly remove: boolean; readonly but?: string },
    depth = 0,
  ): boolean {
    const { call, numbers, path } = this.#libc;
    if (call(numbers.lseek, folder, 0, 0) < 0) return false;
    const entries = readEntries(this.#libc, folder, this.#listing);
    if (typeof entries === "number" || depth > MOST_DEEP) return false;
    return entries.every(({ name }) => {
      if (name === options.but) return true;
      const flags = OPEN.RDONLY | OPEN.CLOEXEC | OPEN.NONBLOCK | numbers.O_DIRECTORY |
        numbers.O_NOFOLLOW;
      const within = call(numbers.openat, folder, path(name), flags);
      if (within < 0) return within === -ERRNO.ENOENT;
      const empty = this.visit(within, { remove: options.remove }, depth + 1);
      call(numbers.close, within);
      if (!empty || !options.remove) return empty;
      return call(numbers.unlinkat, folder, path(name), REMOVE_DIRECTORY) >= 0;
    });
  }
}

/** Of what is not there. */
const NONE = Symbol();

/** Null where it is no file, or a long one. */
function readFile(libc: Libc, folder: number, name: string): Uint8Array | typeof NONE | null {
  const { call, numbers } = libc;
  const flags = OPEN.RDONLY | OPEN.CLOEXEC | OPEN.NONBLOCK | OPEN.NOCTTY | numbers.O_NOFOLLOW;
  const file = call(numbers.openat, folder, libc.path(name), flags);
  if (file < 0) return file === -ERRNO.ENOENT ? NONE : null;
  const buffer = new Uint8Array(LONGEST_FILE);
  const count = libc.transfer(numbers.read, file, buffer, buffer.length);
  call(numbers.close, file);
  return count < 0 || count === LONGEST_FILE ? null : buffer.subarray(0, count);
}

/** As it was. */
function writeFile(libc: Libc, folder: number, name: string, text: Uint8Array): void {
  const { call, numbers } = libc;
  const flags = OPEN.WRONLY | OPEN.CREAT | OPEN.EXCL | OPEN.CLOEXEC;
  const file = call(numbers.openat, folder, libc.path(name), flags, 0o644);
  if (file < 0) return;
  libc.transfer(numbers.write, file, text, text.length);
  call(numbers.close, file);
}

/** The same where the kernel's own calls are not to be had. */
export function removeBarePortably(path: string, file: string): boolean {
  const isEmpty = (folder: string, but?: string): boolean =>
    [...Deno.readDirSync(folder)].every(({ name, isDirectory }) =>
      name === but || isDirectory && isEmpty(`${folder}/${name}`)
    );
  const removeIn = (folder: string): void => {
    for (const { name, isDirectory } of Deno.readDirSync(folder)) {
      if (!isDirectory) continue;
      removeIn(`${folder}/${name}`);
      Deno.removeSync(`${folder}/${name}`);
    }
  };
  let text: Uint8Array | null = null;
  try {
    const [found] = [...Deno.readDirSync(path)].filter(({ name }) => name === file);
    if (found?.isFile === false || !isEmpty(path, file)) return false;
    removeIn(path);
    if (found !== undefined) {
      text = Deno.readFileSync(`${path}/${file}`);
      Deno.removeSync(`${path}/${file}`);
    }
    Deno.removeSync(path);
    return true;
  } catch {
    // Somebody has put something there.
    if (text !== null) Deno.writeFileSync(`${path}/${file}`, text);
    return false;
  }
}
