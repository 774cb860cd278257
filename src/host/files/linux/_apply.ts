/** Changing several files as one: all that can fail is done beside them before the first is touched. */

import { ToolError } from "../../../core/errors.ts";
import { ERRNO } from "../../../sandbox/kernel/errno.ts";
import type { Libc } from "../../../sandbox/kernel/libc.ts";
import { OPEN } from "../../../sandbox/kernel/open_without_links.ts";
import { resemble, setExecutable, takeAfter } from "./_attributes.ts";
import { writeAll } from "./_contents.ts";
import { withPlace } from "./_entry.ts";
import type { Change, LongOptions } from "../file_backend.ts";
import { type OldFile, openExpected, openForReading, type Place } from "./_old_file.ts";
import { openParent, parentOf, removeMade } from "./parent_directory.ts";
import { exists, refusal, requirePermission, stale } from "../../kernel/refusal.ts";
import { exchange, renameNew, renameOver } from "../../kernel/rename.ts";
import { isStill } from "./_replacement.ts";
import { isSameFile, type Stat, statAt, statOf } from "../../kernel/stat.ts";
import { openStaging, type Staging } from "./_temporary_file.ts";

/** Before the umask, and until a replacement has the mode of what it replaces. */
const NEW_FILE_MODE = 0o666;
const PRIVATE_MODE = 0o600;

/** A change whose file is open, locked, and as it was expected to be. */
interface Planned {
  readonly change: Change;
  readonly place: Place;
  readonly staging: Staging;
  readonly old: OldFile | null;
}

/** A planned change with its new contents, complete and synced under a temporary name; null where one is removed. */
interface Staged extends Planned {
  readonly ready: { readonly name: string; readonly stat: Stat } | null;
}

/** How a change that was made is taken back. */
interface Undo {
  /** 0, or an error number with its sign turned. */
  run(): number;
  readonly directory: number;
  /** Where the old contents are till then; null where there were none. */
  readonly kept: string | null;
}

/**
 * As `Files.apply`. Each rename is atomic and the old files stay beside the new ones until the last: whatever fails
 * is taken back in reverse order. A process that is killed between two renames leaves every single file old or
 * new, not all of them the same; the temporary files go with the next write in their directories.
 */
export function applyChanges(
  libc: Libc,
  changes: readonly Change[],
  { checkpoint }: LongOptions,
): void {
  const held = new Held(libc);
  try {
    for (const { target } of changes) requirePermission("write", target);
    const staged = stage(libc, held, changes, checkpoint);
    const undo: Undo[] = [];
    try {
      for (const one of staged) undo.push(commit(libc, held, one));
    } catch (error) {
      const stuck = undo.toReversed().filter((one) => one.run() < 0);
      for (const one of stuck) held.spare(one);
      throw stuck.length === 0 ? error : withStuck(error, stuck);
    }
    held.keep();
  } finally {
    held.release();
  }
}

function withStuck(error: unknown, stuck: readonly Undo[]): unknown {
  if (!(error instanceof ToolError)) return error;
  const kept = stuck.flatMap((one) => one.kept ?? []);
  const where = kept.length === 0
    ? ""
    : `; old contents are kept beside them, in ${kept.join(", ")}`;
  return new ToolError(
    error.code,
    `${error.message}; ${stuck.length} of the changes before it could not be taken back${where}`,
    { details: { ...error.details, not_taken_back: stuck.length, kept } },
  );
}

/** What is open or lies about while changes are made, and goes at the end whatever happens. */
class Held {
  readonly #libc: Libc;
  readonly #parents = new Map<string, number>();
  readonly #stagings = new Map<string, Staging>();
  #temporary: { readonly directory: number; readonly name: string }[] = [];
  readonly #olds: OldFile[] = [];
  #made: string[] = [];

  constructor(libc: Libc) {
    this.#libc = libc;
  }

  parentOf(change: Change): number {
    const { target } = change;
    const path = parentOf(target.path);
    const known = this.#parents.get(path);
    if (known !== undefined) return known;
    const create = change.kind === "write" && change.createParents;
    const { descriptor, made } = openParent(this.#libc, target, create);
    this.#parents.set(path, descriptor);
    this.#made.push(...made);
    return descriptor;
  }

  stagingOf({ target }: Change, parent: number): Staging {
    const path = parentOf(target.path);
    const known = this.#stagings.get(path);
    if (known !== undefined) return known;
    const staging = openStaging(this.#libc, parent);
    if (typeof staging === "number") throw refusal(target, staging);
    this.#stagings.set(path, staging);
    return staging;
  }

  /** A free temporary name, of which nothing is left at the end. */
  next(staging: Staging): string {
    const { directory } = staging;
    let name = staging.next();
    while (statAt(this.#libc, directory, name) !== -ERRNO.ENOENT) name = staging.next();
    this.#temporary.push({ directory, name });
    return name;
  }

  /** What bears this temporary name stays. */
  spare({ directory, kept }: Undo): void {
    this.#temporary = this.#temporary.filter((one) =>
      one.directory !== directory || one.name !== kept
    );
  }

  old(old: OldFile | null): OldFile | null {
    if (old !== null) this.#olds.push(old);
    return old;
  }

  /** All changes are made: the names are safe once their directories are. */
  keep(): void {
    this.#made = [];
    for (const parent of this.#parents.values()) this.#libc.call(this.#libc.numbers.fsync, parent);
  }

  release(): void {
    const { call, path, numbers } = this.#libc;
    const dirty = new Set<number>();
    for (const { directory, name } of this.#temporary) {
      const result = call(numbers.unlinkat, directory, path(name), 0);
      if (result < 0 && result !== -ERRNO.ENOENT) dirty.add(directory);
    }
    for (const staging of this.#stagings.values()) staging.close(!dirty.has(staging.directory));
    for (const { descriptor } of this.#olds) call(numbers.close, descriptor);
    for (const parent of this.#parents.values()) call(numbers.close, parent);
    removeMade(this.#libc, this.#made);
  }
}

function stage(
  libc: Libc,
  held: Held,
  changes: readonly Change[],
  checkpoint: () => void,
): readonly Staged[] {
  // Those that make directories first: others may count on these.
  for (const creates of [true, false]) {
    for (const change of changes) {
      if ((change.kind === "write" && change.createParents) === creates) held.parentOf(change);
    }
  }
  const planned = new Map<Change, Planned>();
  // Locks are taken in one order by all, so that two never wait for each other.
  for (const change of changes.toSorted((a, b) => a.target.path < b.target.path ? -1 : 1)) {
    checkpoint();
    const { target } = change;
    const parent = held.parentOf(change);
    const name = target.path.slice(target.path.lastIndexOf("/") + 1);
    const place = { target, parent, name };
    const old = held.old(openExpected(libc, place, change.expect));
    if (old === null && change.kind === "remove") throw refusal(target, -ERRNO.ENOENT);
    planned.set(change, { change, place, old, staging: held.stagingOf(change, parent) });
  }
  const all = [...planned.values()];
  return changes.map((change) => {
    checkpoint();
    return prepare(libc, held, planned.get(change)!, all);
  });
}

function prepare(
  libc: Libc,
  held: Held,
  one: Planned,
  all: readonly Planned[],
): Staged {
  const { change, place, staging, old } = one;
  if (change.kind === "remove") return { ...one, ready: null };
  const { numbers } = libc;
  const { target } = place;
  const name = held.next(staging);
  const isPlain = old === null && change.like === undefined;
  const flags = OPEN.RDWR | OPEN.CREAT | OPEN.EXCL | OPEN.CLOEXEC | numbers.O_NOFOLLOW;
  const descriptor = libc.call(
    numbers.openat,
    place.parent,
    libc.path(name),
    flags,
    isPlain ? NEW_FILE_MODE : PRIVATE_MODE,
  );
  if (descriptor < 0) throw refusal(target, descriptor);
  try {
    const stat = statOf(libc, descriptor);
    if (typeof stat === "number") throw refusal(target, stat);
    writeAll(libc, target, descriptor, change.bytes);
    if (old !== null) takeAfter(libc, target, { descriptor, stat }, old);
    else takeLike(libc, change, descriptor, all);
    const { executable } = change;
    if (executable !== undefined) setExecutable(libc, target, descriptor, executable);
    const synced = libc.call(numbers.fsync, descriptor);
    if (synced < 0) throw refusal(target, synced);
    return { ...one, ready: { name, stat } };
  } finally {
    libc.call(numbers.close, descriptor);
  }
}

/** Of the file that it is moved from, which mostly is one that the same changes remove. */
function takeLike(
  libc: Libc,
  { like, target }: Change & { readonly kind: "write" },
  descriptor: number,
  all: readonly Planned[],
): void {
  if (like === undefined) return;
  const take = (original: OldFile): void =>
    resemble(libc, target, descriptor, original, { owner: true, times: false });
  const known = all.find(({ place }) => place.target.path === like.path)?.old ?? null;
  if (known !== null) return take(known);
  withPlace(libc, like, (place) => {
    const original = openForReading(libc, place);
    try {
      take(original);
    } finally {
      libc.call(libc.numbers.close, original.descriptor);
    }
  });
}

/** Makes one change by one rename. */
function commit(libc: Libc, held: Held, { change, place, staging, old, ready }: Staged): Undo {
  const { target, parent, name } = place;
  if (typeof change.expect === "object" && old !== null && !isStill(libc, place, old)) {
    throw stale(target, "has changed");
  }
  const check = (result: number): void => {
    if (result === -ERRNO.EEXIST) throw exists(target);
    if (result < 0) throw refusal(target, result);
  };
  if (ready === null) {
    const kept = held.next(staging);
    check(renameNew(libc, parent, name, kept));
    return { directory: parent, kept, run: () => renameNew(libc, parent, kept, name) };
  }
  // Whatever took the name of ours since is left alone.
  const isOurs = (): boolean => {
    const now = statAt(libc, parent, name);
    return typeof now === "object" && isSameFile(now, ready.stat);
  };
  if (old === null) {
    check(renameNew(libc, parent, ready.name, name));
    const run = () => isOurs() ? renameNew(libc, parent, name, ready.name) : 0;
    return { directory: parent, kept: null, run };
  }
  const { result, old: kept } = exchange(libc, parent, ready.name, name, held.next(staging));
  check(result);
  const undo = {
    directory: parent,
    kept,
    run: () => isOurs() ? renameOver(libc, parent, kept, name) : 0,
  };
  // Another file, a link or a directory may have taken the name at the last moment: it gets it back.
  const displaced = statAt(libc, parent, kept);
  if (typeof displaced === "object" && isSameFile(displaced, old.stat)) return undo;
  if (kept !== ready.name) undo.run();
  else if (isOurs()) exchange(libc, parent, kept, name, held.next(staging));
  throw stale(target, "has changed");
}
