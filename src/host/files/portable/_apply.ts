/** Changing several files as one through `Deno.*`: as `_apply_linux.ts`, with second names in place of exchanges. */

import type { CanonicalPath } from "../../../core/capability.ts";
import { ToolError } from "../../../core/errors.ts";
import { executableMode } from "../_executable_mode.ts";
import type { Change, LongOptions, Target } from "../file_backend.ts";
import { exists, requirePermission, stale } from "../../kernel/refusal.ts";
import { attempt, isSame, lstat, nameOf, parentOf, withFile } from "./_paths.ts";
import { keepOwnerAndMode, resemble, writeAll } from "./_contents.ts";
import { removeMade, removeQuietly, renameNew, requireParent } from "./_names.ts";
import { isStill, type Opened, openExpected } from "./_replace.ts";
import { makeTemporary, memberOf, type Temporary } from "./_temporary.ts";

const NEW_FILE_MODE = 0o666;
const PRIVATE_MODE = 0o600;

interface Staged {
  readonly change: Change;
  readonly old: Opened | null;
  /** The new contents, complete and synced; null where the file is removed. */
  readonly ready: string | null;
}

/** How a change that was made is taken back, and where the old contents are till then. */
interface Undo {
  run(): void;
  readonly kept: string | null;
}

/** As `Files.apply`. */
export function applyChanges(changes: readonly Change[], { checkpoint }: LongOptions): void {
  const held = new Held();
  const undo: Undo[] = [];
  try {
    for (const { target } of changes) requirePermission("write", target);
    const staged = stage(held, changes, checkpoint);
    try {
      for (const one of staged) undo.push(commit(held, one));
    } catch (error) {
      throw takeBack(held, undo.toReversed(), error);
    }
    held.made = [];
  } finally {
    held.release();
  }
}

function takeBack(held: Held, undo: readonly Undo[], error: unknown): unknown {
  const stuck = undo.filter((one) => {
    try {
      one.run();
      return false;
    } catch {
      held.temporary.delete(one.kept ?? "");
      return true;
    }
  });
  if (stuck.length === 0 || !(error instanceof ToolError)) return error;
  const kept = stuck.flatMap((one) => one.kept === null ? [] : nameOf(one.kept));
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
  readonly olds: Opened[] = [];
  readonly temporary = new Set<string>();
  made: string[] = [];
  readonly #slots = new Map<string, { readonly slot: Temporary; members: number }>();

  /** A free temporary name beside the target. */
  next(target: Target): string {
    const directory = parentOf(target.path);
    let held = this.#slots.get(directory);
    if (held === undefined) {
      const slot = attempt(target, () => makeTemporary(directory, PRIVATE_MODE));
      held = { slot, members: 0 };
      this.#slots.set(directory, held);
    }
    for (;;) {
      const path = memberOf(held.slot, held.members++);
      if (lstat({ ...target, path: path as CanonicalPath }) !== null) continue;
      this.temporary.add(path);
      return path;
    }
  }

  release(): void {
    for (const path of this.temporary) removeQuietly(path);
    for (const { slot } of this.#slots.values()) {
      removeQuietly(slot.path);
      slot.file.close();
    }
    for (const { file } of this.olds) file.close();
    removeMade(this.made);
  }
}

function stage(
  held: Held,
  changes: readonly Change[],
  checkpoint: () => void,
): readonly Staged[] {
  const creates = (change: Change): boolean => change.kind === "write" && change.createParents;
  for (const change of [...changes.filter(creates), ...changes.filter((one) => !creates(one))]) {
    held.made.push(...requireParent(change.target, creates(change)));
  }
  const olds = new Map<Change, Opened | null>();
  // Locks are taken in one order by all, so that two never wait for each other.
  for (const change of changes.toSorted((a, b) => a.target.path < b.target.path ? -1 : 1)) {
    checkpoint();
    const old = openExpected(change.target, change.expect);
    if (old !== null) held.olds.push(old);
    if (old === null && change.kind === "remove") {
      throw new ToolError("FILE_NOT_FOUND", `"${change.target.shown}" does not exist`);
    }
    olds.set(change, old);
  }
  return changes.map((change) => {
    checkpoint();
    const old = olds.get(change) ?? null;
    const ready = change.kind === "write" ? prepare(held, change, old) : null;
    return { change, old, ready };
  });
}

function prepare(
  held: Held,
  { target, bytes, like, executable }: Change & { readonly kind: "write" },
  old: Opened | null,
): string {
  const path = held.next(target);
  const mode = old === null && like === undefined ? NEW_FILE_MODE : PRIVATE_MODE;
  attempt(target, () => {
    const file = Deno.openSync(path, { write: true, createNew: true, mode });
    try {
      writeAll(file, bytes);
      file.syncSync();
      if (old !== null) keepOwnerAndMode(path, file.statSync(), old.info);
    } finally {
      file.close();
    }
  });
  if (old === null && like !== undefined) {
    withFile(like, (_, info) => {
      const now = new Date();
      resemble(path, { ...info, atime: now, mtime: now }, { owner: true });
    });
  }
  if (executable !== undefined) attempt(target, () => setExecutable(path, executable));
  return path;
}

function setExecutable(path: string, executable: boolean): void {
  const { mode } = Deno.lstatSync(path);
  if (mode !== null) Deno.chmodSync(path, executableMode(mode & 0o7777, executable));
}

function commit(held: Held, { change, old, ready }: Staged): Undo {
  const { target, expect } = change;
  if (typeof expect === "object" && old !== null && !isStill(target, old)) {
    throw stale(target, "has changed");
  }
  const { path } = target;
  if (ready === null) {
    const kept = held.next(target);
    attempt(target, () => Deno.renameSync(path, kept));
    const run = (): void => {
      if (!renameNew(target, kept, path)) throw exists(target);
    };
    return { kept, run };
  }
  const ours = attempt(target, () => Deno.lstatSync(ready));
  // Whatever took the name of ours since is left alone.
  const ifOurs = (action: () => void) => (): void => {
    const now = lstat(target);
    if (now !== null && isSame(now, ours)) action();
  };
  if (old === null) {
    if (!renameNew(target, ready, path)) throw exists(target);
    return { kept: null, run: ifOurs(() => Deno.removeSync(path)) };
  }
  const kept = held.next(target);
  attempt(target, () => {
    Deno.linkSync(path, kept);
    Deno.renameSync(ready, path);
  });
  return { kept, run: ifOurs(() => Deno.renameSync(kept, path)) };
}
