/** Landlock: rendering a boundary as rules of the kernel, and binding the calling thread to them. */

import type { CanonicalPath } from "../core/capability.ts";
import { ERRNO, errnoName } from "./kernel/errno.ts";
import type { Boundary } from "./boundary.ts";
import type { Libc } from "./kernel/libc.ts";
import { AT_FDCWD, OPEN, openWithoutLinks } from "./kernel/open_without_links.ts";
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

/** LANDLOCK_ACCESS_NET_BIND_TCP, LANDLOCK_ACCESS_NET_CONNECT_TCP (the same header). */
const BIND_TCP = 1 << 0;
const CONNECT_TCP = 1 << 1;
/** LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | LANDLOCK_SCOPE_SIGNAL (the same header). */
const SCOPES = (1 << 0) | (1 << 1);
/** The ABIs that brought ports, and scopes (Documentation/userspace-api/landlock.rst). */
const FIRST_NETWORK = 4;
const FIRST_SCOPED = 6;
/** LANDLOCK_CREATE_RULESET_VERSION, LANDLOCK_RULE_PATH_BENEATH, LANDLOCK_RULE_NET_PORT (the same header). */
const CREATE_RULESET_VERSION = 1 << 0;
const RULE_PATH_BENEATH = 1;
const RULE_NET_PORT = 2;
/** include/uapi/linux/prctl.h */
const PR_SET_NO_NEW_PRIVS = 38;

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
const FILE_RIGHTS = RIGHTS.EXECUTE | RIGHTS.WRITE_FILE | RIGHTS.READ_FILE | RIGHTS.TRUNCATE |
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

/** The Landlock ABI version of this kernel: 0 where it has none, or where it is switched off. */
export function probeLandlock(libc: Libc): number {
  const abi = libc.call(libc.numbers.landlockCreateRuleset, 0, 0, CREATE_RULESET_VERSION);
  return Math.max(abi, 0);
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

/**
 * Binds the calling thread, and whatever threads and programs it starts from now on, to the rules; for ever.
 * Null when it holds, else what failed (then the thread is as free as before). Paths that are not there, or
 * that became links, get no rule: they stay denied.
 */
export function restrictThread(libc: Libc, rules: LandlockRules): string | null {
  const { numbers } = libc;
  // Without it an unprivileged thread may not restrict itself: a set-user-ID program could be misled.
  const noNewPrivileges = libc.call(numbers.prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (noNewPrivileges < 0) return failed("prctl(PR_SET_NO_NEW_PRIVS)", noNewPrivileges);

  const ruleset = openRules(libc, rules);
  if (typeof ruleset === "string") return ruleset;
  const restricted = libc.call(numbers.landlockRestrictSelf, ruleset, 0);
  libc.call(numbers.close, ruleset);
  return restricted < 0 ? failed("landlock_restrict_self", restricted) : null;
}

/** Answers of a kernel, or a container, that lets nobody restrict himself. */
const REFUSALS: ReadonlySet<number> = new Set([
  ERRNO.EPERM,
  ERRNO.EACCES,
  ERRNO.ENOSYS,
  ERRNO.EOPNOTSUPP,
]);

/**
 * Why nobody can bind himself to rules here though the kernel makes them; null where that works, or where it cannot be
 * told: then whoever tries is told. Asked with a descriptor that nobody has, so that nothing comes of it; it takes the
 * calling thread the privileges that programs of other users would give it.
 */
export function restrictionMissing(libc: Libc): string | null {
  const { numbers } = libc;
  const noNewPrivileges = libc.call(numbers.prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (noNewPrivileges < 0) return failed("prctl(PR_SET_NO_NEW_PRIVS)", noNewPrivileges);
  const result = libc.call(numbers.landlockRestrictSelf, -1, 0);
  return REFUSALS.has(-result) ? failed("landlock_restrict_self", result) : null;
}

/**
 * The rules as the kernel keeps them: a descriptor, which holds nobody yet, or what failed. Paths that are not there, or
 * that became links, get no rule: they stay denied.
 */
export function openRules(
  libc: Libc,
  rules: LandlockRules,
  kept: KeptPaths | null = null,
): number | string {
  const ruleset = createRuleset(libc, rules);
  if (ruleset < 0) return failed("landlock_create_ruleset", ruleset);
  const failure = addAll(libc, ruleset, rules, kept);
  if (failure === null) return ruleset;
  libc.call(libc.numbers.close, ruleset);
  return failure;
}

/** Adds what may be done with a file that is open to rules that hold nobody yet; whether that worked. */
export function addOpenFile(
  { call, numbers, struct, structAddress }: Libc,
  ruleset: number,
  descriptor: number,
  rights: number,
): boolean {
  struct.setBigUint64(0, BigInt(rights & FILE_RIGHTS), true);
  struct.setInt32(8, descriptor, true);
  return call(numbers.landlockAddRule, ruleset, RULE_PATH_BENEATH, structAddress, 0) >= 0;
}

function addAll(
  libc: Libc,
  ruleset: number,
  rules: LandlockRules,
  kept: KeptPaths | null,
): string | null {
  for (const rule of rules.paths) {
    const result = addPath(libc, ruleset, rule, kept);
    if (result < 0) return failed("landlock_add_rule", result);
  }
  for (const port of rules.ports) {
    const result = addPort(libc, ruleset, port);
    if (result < 0) return failed(`landlock_add_rule (port ${port})`, result);
  }
  return null;
}

function failed(what: string, result: number): string {
  return `${what} failed with ${errnoName(-result)}`;
}

/** struct landlock_ruleset_attr: as long as the fields that are used, which older kernels want. */
function createRuleset(libc: Libc, rules: LandlockRules): number {
  const { struct, numbers } = libc;
  struct.setBigUint64(0, BigInt(rules.handled), true);
  struct.setBigUint64(8, BigInt(rules.handledNetwork), true);
  struct.setBigUint64(16, BigInt(rules.scoped), true);
  const size = rules.scoped !== 0 ? 24 : rules.handledNetwork !== 0 ? 16 : 8;
  return libc.call(numbers.landlockCreateRuleset, libc.structAddress, size, 0);
}

/** Errors of opening that mean "there is nothing to allow": no rule, hence denied. */
const NOTHING_THERE: ReadonlySet<number> = new Set([
  ERRNO.ENOENT,
  ERRNO.ENOTDIR,
  ERRNO.ELOOP,
  ERRNO.EACCES,
]);

/** struct landlock_path_beneath_attr is packed: 8 bytes of rights, 4 of descriptor. */
function addPath(
  libc: Libc,
  ruleset: number,
  rule: PathRights,
  kept: KeptPaths | null,
): number {
  const { numbers, struct, structAddress } = libc;
  const known = kept !== null && rule.system === true ? kept.open(rule.path) : null;
  const descriptor = known !== null
    ? known.descriptor
    : rule.links
    ? openThroughLinks(libc, rule.path)
    : openWithoutLinks(libc, rule.path, OPEN.PATH);
  if (descriptor < 0) return NOTHING_THERE.has(-descriptor) ? 0 : descriptor;
  if (rule.file === true && isDirectory(libc, descriptor)) {
    libc.call(numbers.close, descriptor);
    return 0;
  }
  const add = (rights: number): number => {
    if (rights === 0) return 0;
    struct.setBigUint64(0, BigInt(rights), true);
    struct.setInt32(8, descriptor, true);
    return libc.call(numbers.landlockAddRule, ruleset, RULE_PATH_BENEATH, structAddress, 0);
  };
  const whole = known?.file === true ? rule.rights & FILE_RIGHTS : rule.rights;
  let result = add(whole);
  // The kernel refuses rights of directories on what is none, which is cheaper to hear than to ask. Whatever it says: the
  // runtime may have waited for a lock between the call and the look at errno (seen: EAGAIN), and less is never too much.
  if (result < 0) {
    result = add(rule.rights & FILE_RIGHTS);
    if (result >= 0 && known !== null) known.file = true;
  }
  if (known === null) libc.call(numbers.close, descriptor);
  return result;
}

function openThroughLinks(libc: Libc, path: string): number {
  return libc.call(libc.numbers.openat, AT_FDCWD, libc.path(path), OPEN.PATH | OPEN.CLOEXEC);
}

/** One of them. */
interface KeptPath {
  /** It stays open; or an error number with its sign turned. */
  readonly descriptor: number;
  /** Set once it was found to be no directory. */
  file: boolean;
}

/**
 * The paths of the system that rules name again and again, looked up once: what is put in the place of one later (an
 * upgrade) is only seen by the next Toolgate. Paths of the workspace are never among them.
 */
export class KeptPaths {
  readonly #libc: Libc;
  readonly #paths = new Map<string, KeptPath>();

  constructor(libc: Libc) {
    this.#libc = libc;
  }

  open(path: string): KeptPath {
    const known = this.#paths.get(path);
    if (known !== undefined) return known;
    const descriptor = openThroughLinks(this.#libc, path);
    const kept = { descriptor, file: false };
    // What is not there is not looked for again; what had no room (too many open files) is.
    if (descriptor >= 0 || NOTHING_THERE.has(-descriptor)) this.#paths.set(path, kept);
    return kept;
  }

  /** Lets all of them go. */
  close(): void {
    for (const { descriptor } of this.#paths.values()) {
      if (descriptor >= 0) this.#libc.call(this.#libc.numbers.close, descriptor);
    }
    this.#paths.clear();
  }
}

/** Of a directory alone another descriptor can be had through it. */
function isDirectory(libc: Libc, descriptor: number): boolean {
  const { numbers } = libc;
  const flags = OPEN.PATH | OPEN.CLOEXEC | numbers.O_DIRECTORY;
  const opened = libc.call(numbers.openat, descriptor, libc.path("."), flags);
  if (opened < 0) return false;
  libc.call(numbers.close, opened);
  return true;
}

/** struct landlock_net_port_attr */
function addPort(libc: Libc, ruleset: number, port: number): number {
  const { numbers, struct, structAddress } = libc;
  struct.setBigUint64(0, BigInt(CONNECT_TCP), true);
  struct.setBigUint64(8, BigInt(port), true);
  return libc.call(numbers.landlockAddRule, ruleset, RULE_NET_PORT, structAddress, 0);
}
