/**
 * What programs need of a Linux system beyond the workspace: the built-in list behind `sandbox.system`.
 *
 * `/proc` itself is never in it: a program shares its kernel rules with the thread that started it, and
 * `/proc/<pid>/task/<tid>/mem` of that thread is the memory of the whole, elsewhere unrestricted, process.
 * Neither are `/home`, `/root`, `/tmp`, `/var`, `/run` (sockets of daemons), `/opt` (it holds services with
 * their credentials as often as programs; a policy that needs it names what it needs), nor the private
 * files of `/etc`.
 */

const PROGRAMS_AND_LIBRARIES = [
  "/usr",
  "/bin",
  "/sbin",
  "/lib",
  "/lib32",
  "/lib64",
  "/libx32",
] as const;

/** Public settings: the loader's, the C library's, those of languages and of version control. */
const SETTINGS = [
  "/etc/ld.so.cache",
  "/etc/ld.so.conf",
  "/etc/ld.so.conf.d",
  "/etc/ld.so.preload",
  "/etc/ld-musl-x86_64.path",
  "/etc/ld-musl-aarch64.path",
  "/etc/alternatives",
  "/etc/nsswitch.conf",
  "/etc/passwd",
  "/etc/group",
  "/etc/hosts",
  "/etc/host.conf",
  "/etc/hostname",
  "/etc/resolv.conf",
  "/etc/gai.conf",
  "/etc/services",
  "/etc/protocols",
  "/etc/localtime",
  "/etc/timezone",
  "/etc/locale.alias",
  "/etc/locale.conf",
  "/etc/default/locale",
  "/etc/os-release",
  "/etc/debian_version",
  "/etc/lsb-release",
  "/etc/mime.types",
  "/etc/magic",
  "/etc/terminfo",
  "/etc/inputrc",
  "/etc/ssl/certs",
  "/etc/ssl/cert.pem",
  "/etc/ssl/openssl.cnf",
  "/etc/pki/tls/certs",
  "/etc/pki/ca-trust/extracted",
  "/etc/crypto-policies",
  "/etc/ca-certificates",
  "/etc/fonts",
  "/etc/python3",
  "/etc/perl",
  "/etc/java",
  "/etc/nodejs",
  "/etc/chromium",
  "/etc/chromium.d",
  "/etc/gitconfig",
  "/etc/gitattributes",
] as const;

/** What runtimes ask to size themselves; none of it belongs to a process. */
const KERNEL_FACTS = [
  "/proc/cpuinfo",
  "/proc/meminfo",
  "/proc/stat",
  "/proc/uptime",
  "/proc/version",
  "/proc/loadavg",
  "/proc/filesystems",
  "/proc/sys",
  "/sys/fs/cgroup",
  "/sys/devices/system/cpu",
  "/sys/devices/system/node",
] as const;

/** Files and folders that programs may read and execute unless the policy's `sandbox.system` says otherwise. */
export const SYSTEM_PATHS: readonly string[] = [
  ...PROGRAMS_AND_LIBRARIES,
  ...SETTINGS,
  ...KERNEL_FACTS,
];

/** What of it a program needs to begin at all, to name users and files, and to speak the user's language. */
const BASICS: ReadonlySet<string> = new Set([
  ...PROGRAMS_AND_LIBRARIES,
  "/etc/ld.so.cache",
  "/etc/ld.so.preload",
  "/etc/ld-musl-x86_64.path",
  "/etc/ld-musl-aarch64.path",
  "/etc/alternatives",
  "/etc/nsswitch.conf",
  "/etc/passwd",
  "/etc/group",
  "/etc/localtime",
  "/etc/locale.alias",
  "/etc/magic",
  "/sys/devices/system/cpu",
]);

/** The part of `system` for a program whose files are all among its words: of the built-in list the least. */
export function basicsOf(system: readonly string[]): readonly string[] {
  return system.filter((path) => BASICS.has(path) || !SYSTEM_PATHS.includes(path));
}

/** Devices that every program may use, whatever `sandbox.system` says: shells and runtimes fail without. */
export const DEVICES: readonly { readonly path: string; readonly write: boolean }[] = [
  { path: "/dev/null", write: true },
  { path: "/dev/zero", write: true },
  { path: "/dev/full", write: true },
  { path: "/dev/random", write: false },
  { path: "/dev/urandom", write: false },
];
