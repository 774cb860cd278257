/** Making, renaming and removing what a program names, for it. */

import { ERRNO } from "../../sandbox/kernel/errno.ts";
import type { HandedOver } from "../../sandbox/broker/notifications.ts";
import { OPEN } from "../../sandbox/kernel/open_without_links.ts";
import { visitEntries } from "../kernel/directory_entries.ts";
import { close } from "../kernel/pipes.ts";
import { statAt } from "../kernel/stat.ts";
import {
  type CallParts,
  type CallResult,
  type ExactName,
  inFolder,
  isOwn,
  onName,
  pathOf,
  permits,
  refusal,
  sharedName,
} from "./_call_result.ts";
import type { NameChange } from "./git_folder.ts";
import type { NameKind } from "./handed_rules.ts";
import { LEAVE, openExactly, writtenName } from "./_names.ts";

/** S_IFMT, S_IFREG, S_IFIFO (include/uapi/linux/stat.h) */
const TYPE_BITS = 0o170000;
const REGULAR = 0o100000;
const FIFO = 0o010000;
const MODE_BITS = 0o7777;
/** AT_REMOVEDIR, AT_SYMLINK_FOLLOW (include/uapi/linux/fcntl.h) */
const REMOVE_DIRECTORY = 0x200;
const FOLLOW = 0x400;
/** RENAME_NOREPLACE, RENAME_EXCHANGE (include/uapi/linux/fs.h) */
const NO_REPLACE = 1;
const EXCHANGE = 2;
/** Entries looked at before a folder is moved; one with more stays where it is. */
const MOST_MOVED = 50_000;

/** A name in a call: the directory that it begins at, and where its text is. */
export interface NameWord {
  readonly directory: number;
  readonly address: number;
}

function made(
  parts: CallParts,
  { path }: ExactName,
  kind: NameKind,
  act: (folder: number, name: string) => number,
): CallResult {
  return permits(parts, "write", path, kind, true)
    ? inFolder(parts, path, act)
    : refusal(parts, "write", path, kind, { makes: true, present: -ERRNO.EEXIST });
}

/** What is no folder cannot be made by the name of one: ln(1) goes by what it hears where that is there. */
function noFolderMade(parts: CallParts, { path }: ExactName): number {
  const found = inFolder(parts, path, (folder, name) => {
    const stat = statAt(parts.libc, folder, name);
    return typeof stat === "number" ? stat : 0;
  });
  return found < 0 ? found : -ERRNO.EEXIST;
}

/** Most folders that programs make are there: whoever unpacks something makes them for each file. */
function isThere({ libc }: CallParts, { path }: ExactName): boolean {
  const found = openExactly(libc, path, OPEN.PATH);
  if (found >= 0) close(libc, found);
  return found >= 0;
}

/** mkdir(2) */
export function makeDirectory(
  parts: CallParts,
  call: HandedOver,
  { directory, address }: NameWord,
  mode: number,
): CallResult {
  const { libc } = parts;
  return pathOf(
    parts,
    call,
    directory,
    address,
    false,
    (exact) =>
      isThere(parts, exact) ? -ERRNO.EEXIST : made(parts, exact, "directory", (folder, name) => {
        const wanted = parts.masks.masked(call.thread, mode & MODE_BITS);
        const result = libc.call(libc.numbers.mkdirat, folder, libc.path(name), wanted.mode);
        if (result >= 0) {
          if (wanted.cut) parts.setMode(folder, name, wanted.mode);
          parts.replaced(exact.path);
        }
        return result;
      }),
  );
}

/** mknod(2): files and named pipes. Devices are nobody's to make, sockets are made by bind(2). */
export function makeNode(
  parts: CallParts,
  call: HandedOver,
  { directory, address }: NameWord,
  mode: number,
): CallResult {
  const type = mode & TYPE_BITS;
  if (type !== 0 && type !== REGULAR && type !== FIFO) return LEAVE;
  const { libc } = parts;
  return pathOf(
    parts,
    call,
    directory,
    address,
    false,
    (exact) =>
      made(parts, exact, "file", (folder, name) => {
        const wanted = parts.masks.masked(call.thread, mode & MODE_BITS);
        const result = libc.call(
          libc.numbers.mknodat,
          folder,
          libc.path(name),
          type | wanted.mode,
          0,
        );
        if (result >= 0 && wanted.cut) parts.setMode(folder, name, wanted.mode);
        return result;
      }),
  );
}

/** symlink(2). Where it leads is judged when it is followed. */
export function makeLink(
  parts: CallParts,
  call: HandedOver,
  target: number,
  { directory, address }: NameWord,
): CallResult {
  const { libc, notifications } = parts;
  const text = notifications.text(call, target);
  if (typeof text === "number" || text === "") return LEAVE;
  return pathOf(
    parts,
    call,
    directory,
    address,
    false,
    (exact) =>
      exact.slash ? noFolderMade(parts, exact) : made(
        parts,
        exact,
        "file",
        (folder, name) =>
          libc.call(libc.numbers.symlinkat, libc.path(text, 1), folder, libc.path(name)),
      ),
  );
}

/** unlink(2), rmdir(2) */
export function remove(
  parts: CallParts,
  call: HandedOver,
  { directory, address }: NameWord,
  flags: number,
): CallResult {
  if ((flags & ~REMOVE_DIRECTORY) !== 0) return LEAVE;
  const { libc } = parts;
  const kind = flags === REMOVE_DIRECTORY ? "directory" : "file";
  return pathOf(parts, call, directory, address, false, ({ path, slash }) => {
    if (slash && kind === "file") return LEAVE;
    if (!permits(parts, "write", path, kind, true)) return refusal(parts, "write", path, kind);
    return inFolder(parts, path, (folder, name) => {
      const result = libc.call(libc.numbers.unlinkat, folder, libc.path(name), flags);
      if (result >= 0 && kind === "directory") parts.replaced(path);
      return result;
    });
  });
}

/** truncate(2) */
export function truncate(
  parts: CallParts,
  call: HandedOver,
  { directory, address }: NameWord,
  length: bigint,
): CallResult {
  const { libc } = parts;
  return pathOf(parts, call, directory, address, true, ({ path, slash }) => {
    if (slash) return LEAVE;
    if (!permits(parts, "write", path, "file", true)) return refusal(parts, "write", path, "file");
    const flags = OPEN.WRONLY | OPEN.NONBLOCK | OPEN.NOCTTY;
    const opened = openExactly(libc, path, flags);
    if (opened < 0) return opened === -ERRNO.ENXIO ? -ERRNO.EINVAL : opened;
    const result = libc.callWide(libc.numbers.ftruncate, opened, length);
    close(libc, opened);
    return result;
  });
}

/** Two names, one after the other. */
function onBoth(
  parts: CallParts,
  call: HandedOver,
  [from, to]: readonly [NameWord, NameWord],
  follow: boolean,
  change: (from: ExactName, to: ExactName) => CallResult,
): CallResult {
  const { libc, notifications } = parts;
  const read = ({ directory, address }: NameWord) =>
    writtenName(libc, notifications, call, directory, address);
  const first = read(from);
  const second = first === LEAVE ? LEAVE : read(to);
  if (first === LEAVE || second === LEAVE) return LEAVE;
  const [source, target] = [sharedName(parts, first), sharedName(parts, second)];
  // Within folders that are the program's own the kernel does it; between them and others somebody has to judge.
  // A link at the end of the first is seen by nobody who does not look for it.
  const looked = follow ? { ...source, climbs: true } : source;
  return onEither(
    parts,
    looked,
    follow,
    (first) =>
      onEither(
        parts,
        target,
        false,
        (second) => first.own && second.own ? LEAVE : change(first, second),
      ),
  );
}

/** As `onName`, but for what is left to the program too, as long as it is somewhere that may be acted in. */
function onEither(
  parts: CallParts,
  written: Parameters<typeof onName>[1],
  follow: boolean,
  change: (name: ExactName & { readonly own: boolean }) => CallResult,
): CallResult {
  return onName(
    parts,
    written,
    follow,
    (exact) => change({ ...exact, own: false }),
    (exact) => change({ ...exact, own: true }),
  );
}

/** rename(2) */
export function rename(
  parts: CallParts,
  call: HandedOver,
  names: readonly [NameWord, NameWord],
  flags: number,
): CallResult {
  if ((flags & ~(NO_REPLACE | EXCHANGE)) !== 0) return LEAVE;
  const { libc } = parts;
  return onBoth(parts, call, names, false, (from, to) => {
    // What lies in a folder of its own the program can make something else of while it is looked at: it is copied, as
    // between file systems.
    if (isOwn(parts, from.path) !== isOwn(parts, to.path)) return -ERRNO.EXDEV;
    const kindAt = (path: string): NameKind | number => {
      let kind: NameKind = "file";
      const found = inFolder(parts, path, (folder, name) => {
        const stat = statAt(libc, folder, name);
        if (typeof stat === "number") return stat;
        kind = stat.type === "directory" ? "directory" : "file";
        return 0;
      });
      return found < 0 ? found : kind;
    };
    const kind = kindAt(from.path);
    if (typeof kind === "number") return kind;
    const exchanges = (flags & EXCHANGE) !== 0;
    const other = kindAt(to.path);
    if (other === -ERRNO.ELOOP || exchanges && typeof other === "number") return other as number;
    const moved = [
      [from.path, to.path, kind],
      ...(exchanges ? [[to.path, from.path, other as NameKind] as const] : []),
    ] as const;
    for (const [source, target, kind] of moved) {
      for (const path of [source, target]) {
        if (mayMove(parts, path, kind, path === target ? { from: source } : undefined)) continue;
        return refusal(parts, "write", path, kind, { makes: true });
      }
      if (kind === "directory" && !mayMoveAll(parts, source, target)) return -ERRNO.EACCES;
    }
    if (typeof other === "string" && other !== kind && !mayMove(parts, to.path, other)) {
      return refusal(parts, "write", to.path, other);
    }
    return inFolder(
      parts,
      from.path,
      (source, oldName) =>
        inFolder(parts, to.path, (target, newName) => {
          const result = libc.call(
            libc.numbers.renameat2,
            source,
            libc.path(oldName),
            target,
            libc.path(newName, 1),
            flags,
          );
          if (result >= 0) [from.path, to.path].forEach(parts.replaced);
          return result;
        }),
    );
  });
}

/** What is the program's own it may do with as it likes. */
function mayMove(parts: CallParts, path: string, kind: NameKind, change?: NameChange): boolean {
  return isOwn(parts, path) || permits(parts, "write", path, kind, true, change);
}

/** link(2). Whoever has the second name has the file: it must be one to be written to by its first. */
export function link(
  parts: CallParts,
  call: HandedOver,
  names: readonly [NameWord, NameWord],
  flags: number,
): CallResult {
  if ((flags & ~FOLLOW) !== 0) return LEAVE;
  const { libc } = parts;
  return onBoth(parts, call, names, (flags & FOLLOW) !== 0, (from, to) => {
    if (to.slash) return noFolderMade(parts, to);
    if (!mayMove(parts, from.path, "file")) return refusal(parts, "write", from.path, "file");
    if (!mayMove(parts, to.path, "file")) {
      const present = -ERRNO.EEXIST;
      return refusal(parts, "write", to.path, "file", { makes: true, present });
    }
    return inFolder(
      parts,
      from.path,
      (source, oldName) =>
        inFolder(parts, to.path, (target, newName) =>
          libc.call(
            libc.numbers.linkat,
            source,
            libc.path(oldName),
            target,
            libc.path(newName, 1),
            0,
          )),
    );
  });
}

/** Whether all that lies in a folder may lie where it is moved to: it is then open by another name. */
function mayMoveAll(parts: CallParts, source: string, target: string): boolean {
  const { libc, judge } = parts;
  const ruled = [source, target].filter((path) => judge.isRuled(path));
  if (!ruled.some((path) => judge.mayRefuseBelow(path))) return true;
  const buffer = new Uint8Array(32 * 1024);
  let left = MOST_MOVED;
  const visit = (below: string): boolean => {
    const flags = OPEN.RDONLY | libc.numbers.O_DIRECTORY | libc.numbers.O_NOFOLLOW;
    const folder = openExactly(libc, source + below, flags);
    if (folder < 0) return false;
    const folders: string[] = [];
    let allowed = true;
    const seen = visitEntries(libc, folder, buffer, (entry) => {
      const name = entry.name();
      const kind = entry.type === "directory" ? "directory" : "file";
      // Where the file system does not say what it is, nobody can be sure of it.
      allowed = entry.type !== null && --left >= 0 &&
        ruled.every((path) => permits(parts, "write", `${path}${below}/${name}`, kind));
      if (kind === "directory") folders.push(`${below}/${name}`);
      return allowed;
    });
    close(libc, folder);
    return seen >= 0 && allowed && folders.every(visit);
  };
  return visit("");
}
