/** The file handles of one call: what its grant names, over the files of the platform. */

import { baseName } from "../../core/path_text.ts";
import { ToolError } from "../../core/errors.ts";
import type { CanonicalPath } from "../../core/capability.ts";
import type { FileChange, FileInfo, Files } from "../../core/files.ts";
import type { Grant } from "../../policy/grant.ts";
import type { Rulebook } from "../../policy/rulebook.ts";
import { isWithin } from "../../sandbox/within.ts";
import type {
  Admit,
  BackupEntry,
  BackUpOptions,
  Change,
  FileBackend,
  Target,
  Timed,
  TreeTarget,
} from "./file_backend.ts";
import { both } from "./_admit.ts";
import { backupNumber } from "./_backup_names.ts";
import { scanByWalking } from "../scan/scan_by_walking.ts";
import { createGrantedPaths, type GrantedPaths } from "../paths/granted_paths.ts";
import { ScanGiver, type ScanShare, ScanTaker } from "../scan/scan_sharing.ts";

/** Of operations that may take long: throws where the call is to end. */
type Checkpoint = () => void;

/** How scans run: shared with another thread, and ended when their time is over. */
export interface SharedWork {
  readonly scanShare?: ScanShare | null;
  readonly timed?: Timed;
}

/** See `Files`. A path that the grant does not name throws PATH_DENIED. */
export function createFiles(
  grant: Grant,
  rulebook: Rulebook,
  backend: FileBackend,
  checkpoint: Checkpoint,
  { scanShare = null, timed = (work) => work() }: SharedWork = {},
): Files {
  const paths = createGrantedPaths(grant, rulebook);
  const long = { checkpoint };

  const find = (path: string): FileInfo | null => {
    const target = paths.entry("read", path);
    const info = backend.find(target);
    target.require(info?.type === "directory" ? "directory" : "file");
    return info;
  };

  const backupsOf = (file: Target): readonly KnownBackup[] =>
    backend.backups(file).flatMap((entry) => {
      const target = attempt(() => paths.backup("read", file, entry.name));
      return target === null ? [] : [{ ...entry, target }];
    });

  /** A file that the tool named, or a backup, as results show it, of one that it named with its backups. */
  const readable = (path: string): Target => {
    for (const { requested, backups } of grant.read) {
      if (backups !== true || requested === path) continue;
      const file = paths.withBackups(requested, ["read"]);
      const found = backupsOf(file).find(({ target }) => target.shown === path);
      if (found !== undefined) return found.target;
    }
    return paths.file("read", path);
  };

  /** What may not even be seen is not changed along with what lies around it. */
  const hidden: Admit = (directory) =>
    rulebook.mayDenyBelow("read", directory)
      ? (path, kind) => rulebook.judgePath("read", path, kind).effect !== "deny"
      : null;
  const changeable = (path: string): TreeTarget => {
    const tree = paths.entry("write", path);
    return { ...tree, admit: both(tree.admit, hidden) };
  };
  const requireNotWorkspace = (target: Target, verb: string): void => {
    if (!isWithin(target.path, grant.workspace)) return;
    throw new ToolError(
      "PATH_DENIED",
      `"${target.shown}" is the workspace, or holds it: it cannot be ${verb}; name what lies in it`,
    );
  };

  /** How backups are made: the policy's limits, and names that it lets the call write to. */
  const keeping = (file: Target): BackUpOptions => ({
    ...grant.backups,
    ...long,
    now: Date.now(),
    require: (backup) => void paths.backup("write", file, baseName(backup)),
  });

  return {
    allows(access, path) {
      const canonical = canonicalBelow(grant.workspace, path);
      return canonical !== null && rulebook.judgePath(access, canonical).effect === "allow";
    },
    display(path) {
      const known = grant.read.find((entry) => entry.requested === path) ??
        grant.write.find((entry) => entry.requested === path);
      if (known !== undefined) return paths.show(known.path);
      // Programs name files by their absolute paths, which begin with the workspace's canonical one.
      return path.startsWith("/") ? paths.show(path as CanonicalPath) : path;
    },
    read(path, limit) {
      return backend.read(readable(path), limit);
    },
    readStart(path, count) {
      return backend.readStart(paths.file("read", path), count);
    },
    info(path) {
      const info = find(path);
      if (info === null) throw new ToolError("FILE_NOT_FOUND", `"${path}" does not exist`);
      return info;
    },
    find,
    walk(path, { maxDepth, sizes, enter }) {
      const tree = paths.tree("read", path);
      return backend.walk(tree, {
        maxDepth,
        sizes,
        admit: tree.admit,
        show: (entry: CanonicalPath) => paths.show(entry),
        ...(enter === undefined ? {} : { enter }),
      });
    },
    scan(path, options, visit) {
      if (backend.scan === undefined) {
        return timed(() => scanByWalking(this, path, options, visit));
      }
      const tree = paths.tree("read", path);
      const front = scanShare instanceof ScanGiver ? scanShare : null;
      const entries = { judge: tree.judge(), show: paths.show };
      backend.scan(tree, { ...options, ...entries, scanShare: front, timed }, visit);
    },
    help(path, options, answer) {
      if (!(scanShare instanceof ScanTaker)) return;
      const tree = paths.tree("read", path);
      const entries = { judge: tree.judge(), show: paths.show };
      backend.help?.(tree, { ...options, ...entries, ...long, scanShare, timed }, answer);
    },
    countTree(path, access) {
      return backend.countTree(
        access === "read" ? paths.entry("read", path) : changeable(path),
        long,
      );
    },
    backups(path) {
      const file = paths.withBackups(path, ["read", "write"]);
      return backupsOf(file).map(({ target, size, modified }) => ({
        path: target.shown,
        size,
        modified,
      }));
    },
    write(path, bytes, options) {
      return backend.write(paths.file("write", path), bytes, options);
    },
    append(path, bytes, options) {
      return backend.append(paths.file("write", path), bytes, { ...options, ...long });
    },
    apply(changes) {
      backend.apply(distinct(changes.map((change) => judged(paths, change))), long);
    },
    backUp(path, spared) {
      const file = paths.withBackups(path, ["write"]);
      const kept = spared === undefined
        ? undefined
        : backupsOf(file).find(({ name, target }) => spared === name || spared === target.shown);
      const name = backend.backUp(file, {
        ...keeping(file),
        ...(kept === undefined ? {} : { spared: kept.name }),
      });
      return paths.backup("write", file, name).shown;
    },
    writeKeeping(path, bytes, { expect }) {
      const file = paths.withBackups(path, ["write"]);
      const name = backend.writeKeeping(file, bytes, { ...keeping(file), expect });
      return { backup: paths.backup("write", file, name).shown };
    },
    restore(path, backup) {
      const file = paths.withBackups(path, ["write"]);
      const known = backupsOf(file);
      const found = known.find(({ name, target }) => backup === name || backup === target.shown);
      if (found === undefined) throw noSuchBackup(path, backup, known);
      backend.restore(file, found.target, long);
    },
    remove(path, { recursive }) {
      const tree = changeable(path);
      requireNotWorkspace(tree, "removed");
      return backend.remove(tree, { recursive, ...long });
    },
    copy(from, to, { overwrite }) {
      const source = paths.entry("read", from);
      const destination = paths.entry("write", to);
      requireApart(source, destination, "copied");
      return backend.copy(source, destination, { overwrite, ...long });
    },
    move(from, to, { overwrite }) {
      const readable = paths.entry("read", from);
      const writable = paths.entry("write", from);
      const destination = paths.entry("write", to);
      requireNotWorkspace(writable, "moved");
      requireApart(writable, destination, "moved");
      const source: TreeTarget = {
        ...writable,
        require(kind) {
          writable.require(kind);
          readable.require(kind);
        },
        admit: both(readable.admit, writable.admit),
      };
      backend.move(source, destination, { overwrite, ...long });
    },
    createDirectory(path, options) {
      const target = paths.entry("write", path);
      target.require("directory");
      return backend.createDirectory(target, options);
    },
  };
}

/** Null for what names no entry below the workspace. */
function canonicalBelow(workspace: CanonicalPath, path: string): CanonicalPath | null {
  const isPlain = path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
  return isPlain ? `${workspace === "/" ? "" : workspace}/${path}` as CanonicalPath : null;
}

interface KnownBackup extends BackupEntry {
  readonly target: Target;
}

function attempt<T>(action: () => T): T | null {
  try {
    return action();
  } catch (error) {
    if (error instanceof ToolError) return null;
    throw error;
  }
}

function judged(paths: GrantedPaths, change: FileChange): Change {
  const target = paths.file("write", change.path);
  if (change.kind === "remove") return { ...change, target };
  const { like, ...rest } = change;
  if (like === undefined) return { ...rest, target };
  return {
    ...rest,
    target,
    like: attempt(() => paths.file("write", like)) ?? paths.file("read", like),
  };
}

/** Each path once: what would two plans for one file mean? */
function distinct(changes: readonly Change[]): readonly Change[] {
  const seen = new Set<CanonicalPath>();
  for (const { target } of changes) {
    if (seen.has(target.path)) {
      throw new ToolError("INTERNAL_ERROR", `"${target.shown}" is changed twice in one step`);
    }
    seen.add(target.path);
  }
  return changes;
}

function requireApart(from: Target, to: Target, verb: string): void {
  const invalid = (why: string): ToolError =>
    new ToolError("INVALID_ARGUMENTS", `"${from.shown}" cannot be ${verb} ${why}`);
  if (from.path === to.path) throw invalid("onto itself; name another destination");
  if (isWithin(from.path, to.path)) throw invalid("into itself; name a destination outside of it");
}

function noSuchBackup(path: string, backup: string, known: readonly KnownBackup[]): ToolError {
  const names = known.map(({ target }) => target.shown);
  const there = names.length === 0 ? "it has none" : `there are: ${names.join(", ")}`;
  const isName = backupNumber(baseName(path), baseName(backup)) !== null;
  return new ToolError(
    isName ? "FILE_NOT_FOUND" : "INVALID_ARGUMENTS",
    `"${backup}" is no backup of "${path}"; ${there}`,
    { details: { backups: names } },
  );
}
