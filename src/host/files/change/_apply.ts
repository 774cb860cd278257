/** Changing several files as one: all that can fail is done beside them before the first is touched. */

import { parentOf } from "../../../core/path_text.ts";
import type { CanonicalPath } from "../../../core/capability.ts";
import { ToolError } from "../../../core/errors.ts";
import { ERRNO } from "../../../sandbox/kernel/errno.ts";
import { exists, refusal, requirePermission, stale } from "../../kernel/refusal.ts";
import { isSameFile, type Stat } from "../../kernel/stat.ts";
import { type OpenFile, openForReading, type TargetEntry, withEntry } from "../_target_entry.ts";
import type { Change, LongOptions } from "../file_backend.ts";
import { nameIn, openNewParent, removeMade } from "../parent_directory.ts";
import type { FilePrimitives, Handle, Result } from "../primitives.ts";
import { resemble, setExecutable, takeAfter } from "./_attributes.ts";
import { writeAll } from "./_contents.ts";
import { settleNames, syncContents, syncNames } from "./_durability.ts";
import { isStill, openExpected } from "./_old_file.ts";
import { exchange, renameNew } from "./_renaming.ts";
import { openStaging, type Staging } from "./_temporary_file.ts";

/** Before the umask, and until a replacement has the mode of what it replaces. */
const NEW_FILE_MODE = 0o666;
const PRIVATE_MODE = 0o600;

/** A change whose file is open, locked, and as it was expected to be. */
interface Planned {
  readonly change: Change;
  readonly entry: TargetEntry;
  readonly staging: Staging;
  readonly old: OpenFile | null;
}

/** A planned change with its new contents, complete and synced under a temporary name; null where one is removed. */
interface Staged extends Planned {
  readonly ready: { readonly name: string; readonly stat: Stat } | null;
}

/** How a change that was made is taken back. */
interface Undo {
  run(): Result;
  readonly directory: Handle;
  /** Where the old contents are till then; null where there were none. */
  readonly kept: string | null;
}

/**
 * As `Files.apply`. Each rename is atomic and the old files stay beside the new ones until the last: whatever fails
 * is taken back in reverse order. A process that is killed between two renames leaves every single file old or
 * new, not all of them the same; the temporary files go with the next write in their directories.
 */
export function applyChanges(
  files: FilePrimitives,
  changes: readonly Change[],
  { checkpoint }: LongOptions,
): void {
  const held = new Held(files);
  try {
    for (const { target } of changes) requirePermission("write", target);
    const staged = stage(files, held, changes, checkpoint);
    const undo: Undo[] = [];
    try {
      for (const one of staged) undo.push(commit(files, held, one));
    } catch (error) {
      const stuck = undo.toReversed().filter((one) => one.run() < 0);
      for (const one of stuck) held.spare(one);
      throw stuck.length === 0 ? error : withStuck(error, stuck);
    }
    held.keep(changes.some(({ kind }) => kind === "remove"));
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
  readonly #files: FilePrimitives;
  readonly #parents = new Map<string, Handle>();
  readonly #stagings = new Map<string, Staging>();
  #temporary: { readonly directory: Handle; readonly name: string }[] = [];
  readonly #olds: OpenFile[] = [];
  #made: CanonicalPath[] = [];

  constructor(files: FilePrimitives) {
    this.#files = files;
  }

  parentOf(change: Change): Handle {
    const { target } = change;
    const path = parentOf(target.path);
    const known = this.#parents.get(path);
    if (known !== undefined) return known;
    const create = change.kind === "write" && change.createParents;
    const { parent, made } = openNewParent(this.#files, target, create);
    this.#parents.set(path, parent);
    this.#made.push(...made);
    return parent;
  }

  stagingOf({ target }: Change, parent: Handle): Staging {
    const path = parentOf(target.path);
    const known = this.#stagings.get(path);
    if (known !== undefined) return known;
    const staging = openStaging(this.#files, parent);
    if (typeof staging === "number") throw refusal(target, staging);
    this.#stagings.set(path, staging);
    return staging;
  }

  /** A free temporary name, of which nothing is left at the end. */
  next(staging: Staging): string {
    const { directory } = staging;
    let name = staging.next();
    while (this.#files.statAt(directory, name) !== -ERRNO.ENOENT) name = staging.next();
    this.#temporary.push({ directory, name });
    return name;
  }

  /** What bears this temporary name stays. */
  spare({ directory, kept }: Undo): void {
    this.#temporary = this.#temporary.filter((one) =>
      one.directory !== directory || one.name !== kept
    );
  }

  old(old: OpenFile | null): OpenFile | null {
    if (old !== null) this.#olds.push(old);
    return old;
  }

  /**
   * All changes are made: the names are safe once their directories are. `removes`: some of the old files go next, whose
   * contents may be what others were made from.
   */
  keep(removes: boolean): void {
    this.#made = [];
    const sync = removes ? settleNames : syncNames;
    for (const parent of this.#parents.values()) sync(this.#files, parent);
  }

  release(): void {
    const files = this.#files;
    const dirty = new Set<Handle>();
    for (const { directory, name } of this.#temporary) {
      const result = files.unlinkAt(directory, name, "entry");
      if (result < 0 && result !== -ERRNO.ENOENT) dirty.add(directory);
    }
    for (const staging of this.#stagings.values()) staging.close(!dirty.has(staging.directory));
    for (const { handle } of this.#olds) files.close(handle);
    for (const parent of this.#parents.values()) files.close(parent);
    removeMade(files, this.#made);
  }
}

function stage(
  files: FilePrimitives,
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
    const entry = { target, parent, name: nameIn(target.path) };
    const old = held.old(openExpected(files, entry, change.expect));
    if (old === null && change.kind === "remove") throw refusal(target, -ERRNO.ENOENT);
    planned.set(change, { change, entry, old, staging: held.stagingOf(change, parent) });
  }
  const all = [...planned.values()];
  return changes.map((change) => {
    checkpoint();
    return prepare(files, held, planned.get(change)!, all);
  });
}

function prepare(
  files: FilePrimitives,
  held: Held,
  one: Planned,
  all: readonly Planned[],
): Staged {
  const { change, entry, staging, old } = one;
  if (change.kind === "remove") return { ...one, ready: null };
  const { target } = entry;
  const name = held.next(staging);
  const isPlain = old === null && change.like === undefined;
  const mode = isPlain ? NEW_FILE_MODE : PRIVATE_MODE;
  const handle = files.openAt(entry.parent, name, "create", mode);
  if (handle < 0) throw refusal(target, handle);
  try {
    const stat = files.statOf(handle);
    if (typeof stat === "number") throw refusal(target, stat);
    writeAll(files, target, handle, change.bytes);
    if (old !== null) takeAfter(files, target, { handle, stat }, old);
    else takeLike(files, change, handle, all);
    const { executable } = change;
    if (executable !== undefined) setExecutable(files, target, handle, executable);
    syncContents(files, target, handle);
    return { ...one, ready: { name, stat } };
  } finally {
    files.close(handle);
  }
}

/** Of the file that it is moved from, which mostly is one that the same changes remove. */
function takeLike(
  files: FilePrimitives,
  { like, target }: Change & { readonly kind: "write" },
  handle: Handle,
  all: readonly Planned[],
): void {
  if (like === undefined) return;
  const take = (original: OpenFile): void =>
    resemble(files, target, handle, original, { owner: true, times: false });
  const known = all.find(({ entry }) => entry.target.path === like.path)?.old ?? null;
  if (known !== null) return take(known);
  withEntry(files, like, (entry) => {
    const original = openForReading(files, entry);
    try {
      take(original);
    } finally {
      files.close(original.handle);
    }
  });
}

/** Makes one change by one rename. */
function commit(
  files: FilePrimitives,
  held: Held,
  { change, entry, staging, old, ready }: Staged,
): Undo {
  const { target, parent, name } = entry;
  if (typeof change.expect === "object" && old !== null && !isStill(files, entry, old)) {
    throw stale(target, "has changed");
  }
  const check = (result: Result): void => {
    if (result === -ERRNO.EEXIST) throw exists(target);
    if (result < 0) throw refusal(target, result);
  };
  const named = { directory: parent, name };
  if (ready === null) {
    const kept = held.next(staging);
    const aside = { directory: parent, name: kept };
    check(renameNew(files, named, aside));
    return { directory: parent, kept, run: () => renameNew(files, aside, named) };
  }
  // Whatever took the name of ours since is left alone.
  const isOurs = (): boolean => {
    const now = files.statAt(parent, name);
    return typeof now === "object" && isSameFile(now, ready.stat);
  };
  if (old === null) {
    const fresh = { directory: parent, name: ready.name };
    check(renameNew(files, fresh, named));
    const run = () => isOurs() ? renameNew(files, named, fresh) : 0;
    return { directory: parent, kept: null, run };
  }
  const swap = (from: string) =>
    exchange(files, parent, { from, to: name, kept: held.next(staging) });
  const { result, old: kept } = swap(ready.name);
  check(result);
  const undo = {
    directory: parent,
    kept,
    run: () => isOurs() ? files.renameOver({ directory: parent, name: kept }, named) : 0,
  };
  // Another file, a link or a directory may have taken the name at the last moment: it gets it back.
  const displaced = files.statAt(parent, kept);
  if (typeof displaced === "object" && isSameFile(displaced, old.stat)) return undo;
  if (kept !== ready.name) undo.run();
  else if (isOurs()) swap(kept);
  throw stale(target, "has changed");
}
