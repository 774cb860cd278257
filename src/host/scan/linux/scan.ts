/**
 * Going through a tree by descriptors and reading its files: three system calls a file, each file opened from its
 * directory's descriptor, each directory from its parent's.
 */

import type { CanonicalPath } from "../../../core/capability.ts";
import { ToolError } from "../../../core/errors.ts";
import type { ScanDirectory, ScanFilter, ScannedFile } from "../../../core/scan.ts";
import { ERRNO } from "../../../sandbox/kernel/errno.ts";
import type { Libc } from "../../../sandbox/kernel/libc.ts";
import { openWithoutLinks } from "../../../sandbox/kernel/open_without_links.ts";
import type { EntryAdmits, ScanTreeOptions, Target } from "../../files/file_backend.ts";
import { DirectoryStack } from "../../files/directory_stack.ts";
import { createLinuxReadPrimitives } from "../../files/linux/reading_primitives.ts";
import { type DirectoryEntry, readEntries } from "../../kernel/directory_entries.ts";
import { changed, refusal, requirePermission } from "../../kernel/refusal.ts";
import { flagsOf, pathBelow, pathShown, readNamed, readSmallFile } from "./_scan_file.ts";
import { mayRead, mayReadBelow } from "./_scan_permission.ts";
import { createGivenRuns, type GivenRuns } from "./_scan_shared.ts";
import { sizeAt } from "../../kernel/stat.ts";

const BUFFER_BYTES = 64 * 1024;

/** A directory that was opened. */
interface Opened {
  readonly descriptor: number;
  readonly path: CanonicalPath;
  readonly judge: EntryAdmits | null;
  /** The runtime's permission set refuses nothing that lies below. */
  readonly free: boolean;
}

/** A directory on the way down; its descriptor is in the stack of them. */
interface Frame extends Omit<Opened, "descriptor"> {
  /** As results show it. */
  readonly shown: string;
  readonly filter: ScanFilter;
  /** What of it is wanted. */
  readonly entries: readonly WantedEntry[];
  next: number;
}

type WantedEntry = Pick<DirectoryEntry, "name" | "type">;

/** Files that are given away at once, at most: few enough for both threads to end at the same time. */
const RUN_FILES = 16;

/** Files that are visited before anybody else is asked to help: smaller trees are done by then, in some milliseconds. */
const FILES_ALONE = 256;

/** See `ReadFiles.scan`. A directory that vanished, changed into something else or may not be read is passed over. */
export function scanTree(
  libc: Libc,
  target: Target,
  options: ScanTreeOptions,
  visit: (file: ScannedFile) => void,
): void {
  const scan = new Scan(libc, target, options, visit);
  try {
    options.timed(() => scan.run());
  } finally {
    scan.close();
  }
}

/** The scan, and the file that it is at. */
class Scan implements ScannedFile {
  readonly #libc: Libc;
  readonly #target: Target;
  readonly #options: ScanTreeOptions;
  readonly #visit: (file: ScannedFile) => void;
  readonly #openDirectory: number;
  readonly #openFile: number;
  readonly #frames: Frame[] = [];
  readonly #directories: DirectoryStack;
  /** Null where all files are visited here. */
  readonly #given: GivenRuns | null;
  #visited = 0;
  /** For listings, and between them for the files that filters read. */
  readonly #buffer = new Uint8Array(BUFFER_BYTES);
  #directory = "";
  #name = "";
  length: number | null = null;
  place = 0;

  constructor(
    libc: Libc,
    target: Target,
    options: ScanTreeOptions,
    visit: (file: ScannedFile) => void,
  ) {
    this.#libc = libc;
    this.#target = target;
    this.#options = options;
    this.#visit = visit;
    this.#directories = new DirectoryStack(createLinuxReadPrimitives(libc));
    this.#openFile = flagsOf(libc);
    this.#openDirectory = this.#openFile | libc.numbers.O_DIRECTORY;
    this.#given = createGivenRuns(libc, target, options);
  }

  get path(): string {
    return pathShown(this.#directory, this.#name);
  }

  run(): void {
    const target = this.#target;
    requirePermission("read", target);
    const descriptor = openWithoutLinks(this.#libc, target.path, this.#openDirectory);
    const opened = descriptor < 0 ? descriptor : this.#push({
      descriptor,
      path: target.path,
      judge: this.#options.judge,
      free: mayReadBelow(target.path),
    }, this.#options.filter);
    if (opened === -ERRNO.ENOTDIR) {
      throw new ToolError("NOT_A_DIRECTORY", `"${target.shown}" is not a directory`);
    }
    if (opened < 0) throw refusal(target, opened);
    for (let frame = this.#frames.at(-1); frame !== undefined; frame = this.#frames.at(-1)) {
      this.#advance(frame);
    }
    this.#given?.finish(this.#visit);
  }

  /**
   * Up to the next directory below it, or out of it. On its own, for V8 compiles a loop in which a whole scan goes by
   * once more in each scan.
   */
  #advance(frame: Frame): void {
    for (;;) {
      const entry = frame.entries[frame.next++];
      if (entry === undefined) {
        this.#frames.pop();
        return this.#leave();
      }
      if (entry.type === "directory") return this.#enterDirectory(frame, entry.name);
      if (this.#given?.ready !== true || !this.#give(this.#given, frame)) {
        this.#visitFile(frame, entry.name);
      }
    }
  }

  close(): void {
    this.#given?.close();
    this.#directories.clear();
  }

  /** Gives away the file that was come to and those that follow it. */
  #give(given: GivenRuns, frame: Frame): boolean {
    const names: string[] = [];
    const first = frame.next - 1;
    for (let at = first; names.length < RUN_FILES; at++) {
      const entry = frame.entries[at];
      if (entry === undefined || entry.type === "directory") break;
      names.push(entry.name);
    }
    if (!given.give({ directory: frame.path, names }, this.place + 1)) return false;
    frame.next = first + names.length;
    this.place += 2;
    return true;
  }

  /** Takes over the descriptor. An error number with its sign turned where it cannot be listed. */
  #push(opened: Opened, filterOf: (directory: ScanDirectory) => ScanFilter): number {
    const pushed = this.#directories.push(opened.descriptor);
    if (pushed < 0) return pushed;
    const listed = readEntries(this.#libc, opened.descriptor, this.#buffer);
    if (typeof listed === "number") {
      this.#leave();
      return listed;
    }
    const shown = this.#options.show(opened.path);
    const filter = filterOf({
      path: shown,
      has: (name) => entryOf(listed, name) !== null,
      read: (name, limit) => this.#readBeside(opened, entryOf(listed, name), limit),
    });
    const { path, judge, free } = opened;
    const entries = this.#wanted(opened, filter, listed);
    this.#frames.push({ path, judge, free, shown, filter, entries, next: 0 });
    return 0;
  }

  /** All entries of a directory are judged in a row, before the first of them is read: that finds its data in the cache. */
  #wanted(
    { descriptor, path, judge, free }: Opened,
    filter: ScanFilter,
    listed: readonly DirectoryEntry[],
  ): readonly WantedEntry[] {
    const wanted: WantedEntry[] = [];
    for (const entry of listed) {
      const { name, type: told } = entry;
      if (entry.escaped) continue;
      const type = told ?? sizeAt(this.#libc, descriptor, name)?.type;
      const isDirectory = type === "directory";
      if (isDirectory ? !filter.enters(name) : type !== "file" || !filter.takes(name)) continue;
      if (judge !== null && !judge.admits(name, isDirectory ? "directory" : "file")) continue;
      if (!free && !mayRead(pathBelow(path, name))) continue;
      // None is made anew where the listing tells all: there are as many as files.
      wanted.push(told === null ? { name, type: type ?? null } : entry);
    }
    return wanted;
  }

  /** Where directories were moved about meanwhile there is no way back to what has not been seen. */
  #leave(): void {
    if (this.#directories.pop() < 0) throw changed(this.#target);
  }

  #enterDirectory(frame: Frame, name: string): void {
    const descriptor = this.#open(this.#directories.top, name, this.#openDirectory);
    if (descriptor < 0) return;
    const path = pathBelow(frame.path, name);
    this.#push({
      descriptor,
      path,
      judge: frame.judge === null ? null : frame.judge.into(name),
      free: frame.free || mayReadBelow(path),
    }, (directory) => frame.filter.below(directory));
  }

  #visitFile(frame: Frame, name: string): void {
    if (++this.#visited === FILES_ALONE) this.#given?.call();
    const { room, limit } = this.#options;
    this.length = room === null
      ? null
      : readNamed(this.#libc, this.#directories.top, name, this.#openFile, { room, limit });
    this.#directory = frame.shown;
    this.#name = name;
    this.#visit(this);
  }

  #open(directory: number, name: string, flags: number): number {
    return this.#libc.files.open(directory, name, flags);
  }

  #readBeside(opened: Opened, entry: DirectoryEntry | null, limit: number): Uint8Array | null {
    if (entry?.type !== "file" || opened.judge?.admits(entry.name, "file") === false) return null;
    if (!opened.free && !mayRead(pathBelow(opened.path, entry.name))) return null;
    const descriptor = this.#open(opened.descriptor, entry.name, this.#openFile);
    if (descriptor < 0) return null;
    const bytes = readSmallFile(this.#libc, descriptor, this.#buffer, limit);
    this.#libc.files.close(descriptor);
    return bytes;
  }
}

/** By its name, in a listing as it is sorted; null where it is not there. */
function entryOf(entries: readonly DirectoryEntry[], name: string): DirectoryEntry | null {
  let low = 0;
  for (let high = entries.length; low < high;) {
    const middle = (low + high) >>> 1;
    if ((entries[middle] as DirectoryEntry).name < name) low = middle + 1;
    else high = middle;
  }
  const found = entries[low];
  return found?.name === name && !found.escaped ? found : null;
}
