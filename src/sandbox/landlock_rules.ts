/** Boundaries in the terms of Landlock: which rights on which paths and ports the kernel is to leave. Pure. */

import type { CanonicalPath } from "../core/capability.ts";
import type { Boundary } from "./boundary.ts";
import { DEVICES } from "./system_paths.ts";

/** Rights on files and directories (include/uapi/linux/landlock.h, LANDLOCK_ACCESS_FS_*). */
export const RIGHTS = {
  EXECUTE: 1 << 0,
  WRITE_FILE: 1 << 1,
  READ_FILE: 1 << 2,
  READ_DIR: 1 << 3,
  REMOVE_DIR: 1 << 4,
  REMOVE_FILE: 1 << 5,
  MAKE_CHAR: 1 << 6,
  MAKE_DIR: 1 << 7,
  MAKE_REG: 1 << 8,
  MAKE_SOCK: 1 << 9,
  MAKE_FIFO: 1 << 10,
  MAKE_BLOCK: 1 << 11,
  MAKE_SYM: 1 << 12,
  REFER: 1 << 13,
  TRUNCATE: 1 << 14,
  IOCTL_DEV: 1 << 15,
  RESOLVE_UNIX: 1 << 16,
} as const;

/** LANDLOCK_ACCESS_NET_BIND_TCP (the same header). */
const BIND_TCP = 1 << 0;
/** LANDLOCK_ACCESS_NET_CONNECT_TCP (the same header). */
export const CONNECT_TCP = 1 << 1;
/** LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | LANDLOCK_SCOPE_SIGNAL (the same header). */
const SCOPES = (1 << 0) | (1 << 1);
/** The ABIs that brought ports, and scopes (Documentation/userspace-api/landlock.rst). */
const FIRST_NETWORK = 4;
const FIRST_SCOPED = 6;
/** The rights a kernel handles, by the ABI that brought them (Documentation/userspace-api/landlock.rst). */
export function handledRights(abi: number): number {
  let rights = RIGHTS.REFER - 1;
  if (abi >= 2) rights |= RIGHTS.REFER;
  if (abi >= 3) rights |= RIGHTS.TRUNCATE;
  if (abi >= 5) rights |= RIGHTS.IOCTL_DEV;
  if (abi >= 9) rights |= RIGHTS.RESOLVE_UNIX;
  return rights;
}

/** What the kernel lets a rule on a file carry (ACCESS_FILE in security/landlock/fs.c). */
export const FILE_RIGHTS = RIGHTS.EXECUTE | RIGHTS.WRITE_FILE | RIGHTS.READ_FILE | RIGHTS.TRUNCATE |
  RIGHTS.IOCTL_DEV | RIGHTS.RESOLVE_UNIX;
const READ = RIGHTS.READ_FILE | RIGHTS.READ_DIR;
/** All that makes, changes and removes files, directories and links (which lead nowhere new); no devices, no sockets. */
const WRITE = READ | RIGHTS.WRITE_FILE | RIGHTS.TRUNCATE | RIGHTS.MAKE_REG | RIGHTS.MAKE_DIR |
  RIGHTS.MAKE_SYM | RIGHTS.REMOVE_FILE | RIGHTS.REMOVE_DIR | RIGHTS.REFER;
/** Programs also make pipes and sockets in what they may write. */
const PROGRAM_WRITE = WRITE | RIGHTS.MAKE_FIFO | RIGHTS.MAKE_SOCK |
  RIGHTS.EXECUTE | RIGHTS.RESOLVE_UNIX;
const PROGRAM_READ = READ | RIGHTS.EXECUTE;

/** One rule: rights on a path and all below it. `links`: whether the path may lead over symbolic links. */
export interface PathRights {
  readonly path: string;
  readonly rights: number;
  readonly links: boolean;
  /** It is the system's own, and may be kept: see `KeptPaths`. */
  readonly system?: true;
  /** It was judged as one file: no rule for a directory that took its place, which would hold for all below. */
  readonly file?: true;
}

/** A boundary in the kernel's terms. What is handled and named by no rule is denied. */
export interface LandlockRules {
  readonly handled: number;
  readonly handledNetwork: number;
  readonly scoped: number;
  readonly paths: readonly PathRights[];
  /** TCP ports that may be connected to. */
  readonly ports: readonly number[];
}

/**
 * Renders a boundary for a kernel of this ABI.
 *
 * The programs that a thread starts inherit its rules, so a thread that starts programs is itself held by
 * what its programs may do: where `spawn` is there, the thread's own `read` and `write` count for the runtime
 * layer alone. READ_DIR reaches all directories below, so `list` shows the names (never the contents) of
 * what lies deeper; the kernel has no finer word.
 */
export function rulesOf(boundary: Boundary, abi: number): LandlockRules {
  const handled = handledRights(abi);
  const paths = new Map<string, PathRights>();
  const add = (path: string, rights: number, links: boolean): void => {
    const before = paths.get(path);
    const merged = (before?.rights ?? 0) | (rights & handled);
    paths.set(path, { path, rights: merged, links: links && before?.links !== false });
  };
  const { spawn } = boundary;
  if (spawn === null) {
    for (const path of boundary.read) add(path, READ, false);
    for (const path of boundary.writeFolders ?? boundary.write) add(path, WRITE, false);
  } else {
    for (const path of spawn.read) add(path, PROGRAM_READ, false);
    for (const path of spawn.write) add(path, PROGRAM_WRITE, false);
    for (const path of spawn.list) add(path, RIGHTS.READ_DIR, false);
    // What the threads of its programs are called by, and what they are to what they make. Each of them holds itself to
    // less than this, and gets none of it.
    if (spawn.coarse === true) add("/proc", RIGHTS.READ_FILE | RIGHTS.READ_DIR, false);
    for (const path of [...spawn.system, ...spawn.own ?? []]) add(path, PROGRAM_READ, true);
    if (spawn.programs !== "any") {
      for (const path of spawn.programs) add(path, PROGRAM_READ, true);
    }
    for (const { path, write } of DEVICES) {
      add(path, RIGHTS.READ_FILE | (write ? RIGHTS.WRITE_FILE | RIGHTS.TRUNCATE : 0), false);
    }
  }
  // Each of such programs holds itself, and Toolgate opens for them what they may.
  const holdsNetwork = abi >= FIRST_NETWORK && spawn?.network !== true && spawn?.coarse !== true;
  const ports = portsOf(boundary.connect);
  return {
    handled,
    handledNetwork: holdsNetwork ? (ports === null ? BIND_TCP : BIND_TCP | CONNECT_TCP) : 0,
    scoped: scopesOf(abi),
    paths: [...paths.values()],
    ports: holdsNetwork ? ports ?? [] : [],
  };
}

/** What one module may touch: paths as they really are. Writing implies reading. */
export interface ModulePaths {
  readonly trees: readonly CanonicalPath[];
  readonly files: readonly CanonicalPath[];
  /** Directories whose names may be listed. */
  readonly list: readonly CanonicalPath[];
  readonly writableTrees: readonly CanonicalPath[];
  readonly writableFiles: readonly CanonicalPath[];
}

/** The rules that hold the process of a module: its files and nothing else, no program, no connection. */
export function moduleRules(paths: ModulePaths, abi: number): LandlockRules {
  const handled = handledRights(abi);
  const rule = (rights: number, file: boolean) => (path: string): PathRights => ({
    path,
    rights: rights & handled,
    links: false,
    ...(file ? { file: true } : {}),
  });
  return {
    handled,
    handledNetwork: networkRights(abi),
    scoped: scopesOf(abi),
    paths: [
      ...paths.trees.map(rule(READ, false)),
      ...paths.files.map(rule(READ & FILE_RIGHTS, true)),
      ...paths.list.map(rule(RIGHTS.READ_DIR, false)),
      ...paths.writableTrees.map(rule(WRITE, false)),
      ...paths.writableFiles.map(rule(WRITE & FILE_RIGHTS, true)),
    ],
    ports: [],
  };
}

/** The rights on connections that this kernel handles. */
export function networkRights(abi: number): number {
  return abi >= FIRST_NETWORK ? BIND_TCP | CONNECT_TCP : 0;
}

/** The scopes that this kernel knows. */
export function scopesOf(abi: number): number {
  return abi >= FIRST_SCOPED ? SCOPES : 0;
}

/** Rules that leave files and connections as they are, and let no signal out; null where the kernel has none. */
export function scopeRules(abi: number): LandlockRules | null {
  if (abi < FIRST_SCOPED) return null;
  return { handled: 0, handledNetwork: 0, scoped: SCOPES, paths: [], ports: [] };
}

/** Null where one of them may be connected to at any port: it has none. */
function portsOf(connect: readonly string[]): readonly number[] | null {
  const ports = connect.map((place) => /:([^:]*)$/.exec(place.replace(/^\[.*\]/, ""))?.[1]);
  if (ports.includes(undefined)) return null;
  return [...new Set(ports.map(Number))]
    .filter((port) => Number.isInteger(port) && port > 0 && port < 65_536);
}
