/** Where the name in a call leads: a path without links, which is judged and then acted on, or nothing that is ours. */

import { nameText } from "../../core/name_text.ts";
import { hasOddParts } from "../../core/path_text.ts";
import { ERRNO } from "../../sandbox/kernel/errno.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import { AT_FDCWD, OPEN } from "../../sandbox/kernel/open_without_links.ts";
import type { HandedOver, Notifications } from "../../sandbox/broker/notifications.ts";
import { close } from "../kernel/pipes.ts";

/** A name as a call has it, in words alone. */
export interface WrittenName {
  /** Absolute, without empty parts and `.`; links and `..` are not followed yet. */
  readonly path: string;
  /** It ends in a slash: it names a folder or nothing. */
  readonly slash: boolean;
  /** It leads over `..`, which means another folder where there are links. */
  readonly climbs: boolean;
  /** It is not what the program named, but stands for it. */
  readonly moved?: true;
}

/** The kernel does this call itself, as the program's own rules let it. */
export const LEAVE = "leave";

/** MAXSYMLINKS (include/linux/namei.h) */
const MOST_LINKS = 40;
/** RESOLVE_NO_MAGICLINKS, RESOLVE_NO_SYMLINKS (include/uapi/linux/openat2.h) */
const NO_MAGIC_LINKS = 0x02;
const NO_LINKS = 0x02 | 0x04;
/** RESOLVE_BENEATH (the same header) */
const BENEATH = 0x08;
/** PATH_MAX (include/uapi/linux/limits.h) */
const LONGEST_PATH = 4096;
/** sizeof(struct open_how) (the same header) */
const OPEN_HOW_SIZE = 24;
const SLASH = 0x2f;
/** Places of the system that nothing leads back from, and that are opened all the time. */
const SYSTEM = /^\/(?:dev|proc|sys|usr|lib|lib64|etc|bin)\//;

/** Opens without following a single link: a descriptor, or an error number with its sign turned. */
export function openExactly(libc: Libc, path: string, flags: number, mode = 0): number {
  return openHow(libc, path, flags, mode, NO_LINKS);
}

/** Opens what lies in a folder without leaving it, and without following a link. */
export function openBelow(libc: Libc, folder: number, path: string, flags: number): number {
  return openHow(libc, path, flags | OPEN.NOCTTY, 0, NO_LINKS | BENEATH, folder);
}

function openHow(
  libc: Libc,
  path: string,
  flags: number,
  mode: number,
  resolve: number,
  from = AT_FDCWD,
): number {
  const { struct, structAddress, numbers } = libc;
  struct.setInt32(0, flags | OPEN.CLOEXEC, true);
  struct.setInt32(4, 0, true);
  struct.setInt32(8, mode, true);
  struct.setInt32(12, 0, true);
  struct.setInt32(16, resolve, true);
  struct.setInt32(20, 0, true);
  return libc.call(numbers.openat2, from, libc.path(path), structAddress, OPEN_HOW_SIZE);
}

/** The folder of a path, opened as a place without following a link. */
export function openFolder(libc: Libc, folder: string): number {
  return openExactly(libc, folder, OPEN.PATH | libc.numbers.O_DIRECTORY);
}

/**
 * What a call names: by the text at an address, from a directory (a descriptor of the program's, or AT_FDCWD).
 * `LEAVE` where it cannot be read, or is nothing that could be judged.
 */
export function writtenName(
  libc: Libc,
  notifications: Notifications,
  call: HandedOver,
  directory: number,
  address: number,
): WrittenName | typeof LEAVE {
  const text = notifications.unsureText(call, address);
  if (typeof text === "number" || text === "") return LEAVE;
  return normalName(libc, notifications, call, directory, text);
}

/** As `writtenName`, of a text that was read. */
export function normalName(
  libc: Libc,
  notifications: Notifications,
  call: HandedOver,
  directory: number,
  text: string,
): WrittenName | typeof LEAVE {
  const name = unsureName(libc, notifications, call, directory, text);
  return name === LEAVE || notifications.isWaiting(call) ? name : LEAVE;
}

/**
 * As `normalName`, but who called may have been killed, and text and folder be another's who has its number now: for what
 * changes nothing, and is given to nobody where the call is no longer waited for.
 */
export function unsureName(
  libc: Libc,
  notifications: Pick<Notifications, "textOf">,
  { thread }: HandedOver,
  directory: number,
  text: string,
): WrittenName | typeof LEAVE {
  if (text.charCodeAt(0) === SLASH) return normal(text);
  const base = linkTarget(
    libc,
    directory === AT_FDCWD ? `/proc/${thread}/cwd` : `/proc/${thread}/fd/${directory}`,
    notifications,
  );
  if (base === null || base.charCodeAt(0) !== SLASH) return LEAVE;
  return normal(base === "/" ? `/${text}` : `${base}/${text}`);
}

function normal(text: string): WrittenName {
  if (!hasOddParts(text)) return { path: text, slash: false, climbs: false };
  const parts = text.split("/").filter((part) => part !== "" && part !== ".");
  // A dot at the end names what a slash does.
  const slash = text.endsWith("/") || text.endsWith("/.") || parts.at(-1) === "..";
  return { path: `/${parts.join("/")}`, slash, climbs: parts.includes("..") };
}

/** Where a link of /proc leads; null where it cannot be told. `texts`: where many lead to the same. */
export function linkTarget(
  libc: Libc,
  path: string,
  texts: Pick<Notifications, "textOf"> | null = null,
): string | null {
  const { numbers, structAddress, structBytes } = libc;
  const length = libc.call(
    numbers.readlinkat,
    AT_FDCWD,
    libc.path(path),
    structAddress,
    LONGEST_PATH,
  );
  if (length <= 0) return null;
  return texts === null
    ? nameText(structBytes.subarray(0, length))
    : texts.textOf(structBytes, length);
}

/** Whether nobody needs to ask where a path outside of everything ruled really leads. */
export function isOfSystem(path: string): boolean {
  return SYSTEM.test(path);
}

/**
 * Follows the links of a path: those on the way, and where `last` is set the one at its end too. An error number with
 * its sign turned, or `LEAVE` where it leads over a magic link of /proc, which means something else to the program.
 */
export function followLinks(
  libc: Libc,
  written: WrittenName,
  last: boolean,
): string | number | typeof LEAVE {
  let { path } = written;
  for (let links = 0; links <= MOST_LINKS; links++) {
    const cut = path.lastIndexOf("/");
    const name = path.slice(cut + 1);
    if (name === "" || name === "..") return LEAVE;
    const flags = OPEN.PATH | libc.numbers.O_DIRECTORY;
    const folder = openHow(libc, path.slice(0, cut) || "/", flags, 0, NO_MAGIC_LINKS);
    if (folder < 0) return folder === -ERRNO.ELOOP ? LEAVE : folder;
    const real = linkTarget(libc, `/proc/self/fd/${folder}`);
    const target = last ? linkIn(libc, folder, name) : null;
    close(libc, folder);
    if (real === null || target === LEAVE) return LEAVE;
    const prefix = real === "/" ? "" : real;
    if (target === null) return `${prefix}/${name}`;
    ({ path } = normal(target.startsWith("/") ? target : `${prefix}/${target}`));
  }
  return -ERRNO.ELOOP;
}

/** Where the link of this name points; null where there is none. */
function linkIn(libc: Libc, folder: number, name: string): string | null | typeof LEAVE {
  const { numbers, structAddress, structBytes } = libc;
  const length = libc.call(
    numbers.readlinkat,
    folder,
    libc.path(name),
    structAddress,
    LONGEST_PATH,
  );
  if (length === -ERRNO.EINVAL || length === -ERRNO.ENOENT) return null;
  return length <= 0 ? LEAVE : nameText(structBytes.subarray(0, length));
}
