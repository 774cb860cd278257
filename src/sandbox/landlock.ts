/** Landlock: making rules in the kernel, and binding the calling thread to them. */

import { ERRNO, errnoName } from "./kernel/errno.ts";
import type { Libc } from "./kernel/libc.ts";
import { AT_FDCWD, OPEN, openWithoutLinks } from "./kernel/open_without_links.ts";
import { CONNECT_TCP, FILE_RIGHTS, type LandlockRules, type PathRights } from "./landlock_rules.ts";

/** LANDLOCK_CREATE_RULESET_VERSION, LANDLOCK_RULE_PATH_BENEATH, LANDLOCK_RULE_NET_PORT (the same header). */
const CREATE_RULESET_VERSION = 1 << 0;
const RULE_PATH_BENEATH = 1;
const RULE_NET_PORT = 2;
/** include/uapi/linux/prctl.h */
const PR_SET_NO_NEW_PRIVS = 38;

/** The Landlock ABI version of this kernel: 0 where it has none, or where it is switched off. */
export function probeLandlock(libc: Libc): number {
  const abi = libc.call(libc.numbers.landlockCreateRuleset, 0, 0, CREATE_RULESET_VERSION);
  return Math.max(abi, 0);
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

/** Adds a folder with all below it, likewise: a descriptor of it (O_PATH), or an error number with its sign turned. */
export function addFolder(libc: Libc, ruleset: number, path: string, rights: number): number {
  const { call, numbers, struct, structAddress } = libc;
  const descriptor = openWithoutLinks(libc, path, OPEN.PATH | numbers.O_DIRECTORY);
  if (descriptor < 0) return descriptor;
  struct.setBigUint64(0, BigInt(rights), true);
  struct.setInt32(8, descriptor, true);
  const added = call(numbers.landlockAddRule, ruleset, RULE_PATH_BENEATH, structAddress, 0);
  if (added >= 0) return descriptor;
  call(numbers.close, descriptor);
  return added;
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
