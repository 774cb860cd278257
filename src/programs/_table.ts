/**
 * What is known of programs: one table, from their manual pages and from GTFOBins' classes of abuse (shell,
 * command, file write, library load). A program that is not in it is `moderate`.
 */

import type { CommandSpec, OptionRule, Starts } from "./spec.ts";
import { ARGUMENT_PLACES } from "./_table_files.ts";
import { CODE_RUNNERS, LAUNCHERS, WRAPPERS } from "./_table_code.ts";

const safe: CommandSpec = { risk: "safe" };

function moderate(options: readonly string[], because: string): OptionRule {
  return { options, risk: "moderate", because };
}

function running(options: readonly string[], because = "runs a program"): OptionRule {
  return { options, risk: "dangerous", because, runs: true };
}

function writing(options: readonly string[]): CommandSpec {
  return { risk: "safe", rules: [moderate(options, "writes a file")] };
}

function dangerous(because: string): CommandSpec {
  return { risk: "dangerous", because };
}

function moderateBut(options: readonly string[], because: string): CommandSpec {
  return { risk: "moderate", rules: [{ options, risk: "dangerous", because }] };
}

function moderateRunning(options: readonly string[], because = "runs a program"): CommandSpec {
  return { risk: "moderate", rules: [running(options, because)] };
}

/** Programs that read and print, whatever their arguments. */
const READERS = [
  ...["ls", "dir", "vdir", "cat", "head", "tail", "wc", "nl", "tac", "rev", "cut", "paste", "tr"],
  ...["grep", "egrep", "fgrep", "stat", "du", "df", "pwd", "echo", "printf", "true", "false"],
  ...[
    "test",
    "[",
    "basename",
    "dirname",
    "realpath",
    "readlink",
    "whoami",
    "id",
    "groups",
    "uname",
  ],
  ...[
    "arch",
    "nproc",
    "uptime",
    "free",
    "ps",
    "pgrep",
    "which",
    "whereis",
    "locale",
    "seq",
    "sleep",
  ],
  ...["cmp", "diff", "comm", "join", "md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum"],
  ...["sha512sum", "b2sum", "cksum", "sum", "od", "hexdump", "strings", "column", "fold", "fmt"],
  ...["expand", "unexpand", "pr", "tsort", "jq", "printenv", "expr", "factor", "numfmt", "base64"],
  ...["base32", "basenc", "readelf", "getconf", "cal", "tty", "logname", "users", "who", "yes"],
  ...["exa", "eza"],
];

const DESTROYERS: Readonly<Record<string, string>> = {
  dd: "writes to any file or device",
  shred: "destroys files",
  mkfs: "destroys a file system",
  fdisk: "changes disks",
  parted: "changes disks",
  mount: "changes what is mounted",
  umount: "changes what is mounted",
  shutdown: "stops the machine",
  reboot: "stops the machine",
  halt: "stops the machine",
  poweroff: "stops the machine",
  kill: "stops other processes",
  pkill: "stops other processes",
  killall: "stops other processes",
  systemctl: "changes services",
  service: "changes services",
  crontab: "runs commands later",
  at: "runs commands later",
  batch: "runs commands later",
  iptables: "changes the network",
  insmod: "loads code into the kernel",
  modprobe: "loads code into the kernel",
  ldd: "may run the program it is shown (ldd(1))",
  ssh: "runs commands on other machines, and here with ProxyCommand",
  sftp: "moves files to other machines",
  scp: "moves files to other machines",
  nc: "opens connections for other programs",
  ncat: "opens connections for other programs",
  socat: "opens connections for other programs",
  telnet: "opens connections",
  bunx: "runs packages from the network",
  pnpx: "runs packages from the network",
  uvx: "runs packages from the network",
  pipx: "runs packages from the network",
  docker: "runs programs outside these rules",
  podman: "runs programs outside these rules",
  nerdctl: "runs programs outside these rules",
  kubectl: "runs programs on other machines",
  open: "starts other programs",
  "xdg-open": "starts other programs",
};

const SPECIFIC: Readonly<Record<string, CommandSpec>> = {
  sort: {
    risk: "safe",
    rules: [
      moderate(["-o", "--output"], "writes a file"),
      running(["--compress-program"]),
    ],
  },
  shuf: writing(["-o", "--output"]),
  tree: writing(["-o"]),
  iconv: writing(["-o", "--output"]),
  file: writing(["-C", "--compile"]),
  date: {
    risk: "safe",
    rules: [{ options: ["-s", "--set"], risk: "dangerous", because: "sets the clock" }],
  },
  hostname: { risk: "safe", mostOperands: 0 },
  uniq: { risk: "safe", mostOperands: 1 },
  xxd: { risk: "safe", mostOperands: 1 },
  rg: {
    risk: "safe",
    rules: [running(["--pre", "--hostname-bin"])],
  },
  bat: {
    risk: "safe",
    rules: [running(["--pager"])],
  },
  // What -exec starts is judged as if it stood alone.
  find: {
    risk: "safe",
    inspect: "find",
    rules: [
      { options: ["-delete"], risk: "dangerous", because: "deletes what it finds" },
      moderate(["-fprint", "-fprint0", "-fprintf", "-fls"], "writes a file"),
    ],
    wraps: { by: "options", options: ["-exec", "-execdir", "-ok", "-okdir"] },
  },
  fd: {
    risk: "safe",
    wraps: { by: "options", options: ["-x", "--exec", "-X", "--exec-batch"] },
  },
  awk: { risk: "safe", inspect: "awk" },
  sed: { risk: "safe", inspect: "sed" },
  tar: {
    risk: "moderate",
    inspect: "tar",
    rules: [
      running([
        ...["--checkpoint-action", "--to-command", "-I", "--use-compress-program", "-F"],
        ...["--info-script", "--new-volume-script", "--rsh-command", "--rmt-command"],
      ]),
      {
        options: [
          "--remove-files",
          "--recursive-unlink",
          "--unlink-first",
          "-P",
          "--absolute-names",
        ],
        risk: "dangerous",
        because: "removes files, or writes outside the folder it unpacks into",
      },
    ],
  },
  git: { risk: "safe", inspect: "git" },
  rm: moderateBut(["-r", "-R", "--recursive"], "removes whole folders"),
  chmod: moderateBut(["-R", "--recursive"], "changes whole folders"),
  chown: moderateBut(["-R", "--recursive"], "changes whole folders"),
  chgrp: moderateBut(["-R", "--recursive"], "changes whole folders"),
  split: moderateRunning(["--filter"], "runs a program"),
  zip: moderateRunning(["-TT", "--unzip-command"], "runs a program"),
  rsync: moderateRunning(
    ["-e", "--rsh", "--rsync-path", "--delete"],
    "runs a program or deletes files",
  ),
  wget: moderateRunning(
    ["-e", "--execute", "--use-askpass", "--post-file", "--body-file"],
    "runs or sends what it is told",
  ),
  curl: moderateRunning(
    ["-K", "--config", "-T", "--upload-file", "--engine", "--proxy-insecure"],
    "takes options from a file, sends files or loads code",
  ),
  gcc: moderateRunning(["-wrapper", "-fplugin", "-specs"], "runs a program"),
  nm: { ...safe, rules: [running(["--plugin"], "loads code")] },
  man: moderateRunning(["-P", "--pager", "-H", "--html"], "runs a program"),
  make: {
    risk: "moderate",
    rules: [running(["-E", "--eval"], "runs code from its arguments")],
    assignments: true,
  },
  cargo: moderateRunning(["--config"], "runs what its arguments configure"),
  go: {
    risk: "moderate",
    rules: [running(["-exec", "-toolexec", "-vettool", "--exec", "--toolexec", "--vettool"])],
  },
  npx: {
    ...dangerous("runs packages from the network"),
    tamedBy: ["--no-install", "--no"],
    rules: [{
      options: ["-c", "--call", "-p", "--package", "--script-shell", "--node-options"],
      risk: "dangerous",
      because: "runs code or packages from its arguments",
    }],
  },
  npm: {
    risk: "moderate",
    rules: [{
      options: [
        "-c",
        "--call",
        "--script-shell",
        "--node-options",
        "--globalconfig",
        "--userconfig",
      ],
      risk: "dangerous",
      because: "runs code from its arguments",
    }],
    dangerousOperands: ["exec", "x", "init", "create", "explore", "config", "set"],
  },
};

/** Other names for the same program. */
const ALIASES: Readonly<Record<string, string>> = {
  gawk: "awk",
  mawk: "awk",
  nawk: "awk",
  "original-awk": "awk",
  gsed: "sed",
  gfind: "find",
  fdfind: "fd",
  batcat: "bat",
  gtar: "tar",
  bsdtar: "tar",
  gmake: "make",
  cc: "gcc",
  "g++": "gcc",
  "c++": "gcc",
  clang: "gcc",
  "clang++": "gcc",
  pnpm: "npm",
  yarn: "npm",
};

/** What is known of how programs behave, by name in lower case. */
const BEHAVIOUR: ReadonlyMap<string, CommandSpec> = new Map<string, CommandSpec>([
  ...READERS.map((name) => [name, safe] as const),
  ...Object.entries(DESTROYERS).map(([name, because]) => [name, dangerous(because)] as const),
  ...Object.entries(SPECIFIC),
  ...Object.entries(CODE_RUNNERS),
  ...Object.entries(WRAPPERS),
  ...LAUNCHERS.map((name): [string, CommandSpec] => [name, {
    risk: "dangerous",
    because: "starts another program",
    wraps: { by: "unknown", because: `${name} starts another program in a way that is not judged` },
  }]),
  ...Object.entries(ALIASES).flatMap(([alias, name]): [string, CommandSpec][] => {
    const spec = SPECIFIC[name];
    return spec === undefined ? [] : [[alias, spec]];
  }),
]);

/** Programs of which nothing else is known than what their arguments name. */
const ORDINARY: CommandSpec = { risk: "moderate" };

/** What tar(1) starts to pack and unpack, by a shell (`xexec` in GNU tar's system.c). */
const COMPRESSORS = [
  "sh",
  "gzip",
  "bzip2",
  "xz",
  "lzip",
  "lzma",
  "lzop",
  "zstd",
  "compress",
];

/** What programs start that need others to do their work; the rest whose arguments are known starts none. */
const STARTS: Readonly<Record<string, Starts>> = {
  tar: COMPRESSORS,
  git: ["git", "git-*"],
  xargs: ["echo"],
  man: "any",
  ...Object.fromEntries(
    ["env", "nice", "nohup", "time", "timeout", "setsid", "stdbuf", "ionice", "busybox", "toybox"]
      .map((name) => [name, "none"]),
  ),
  gunzip: ["gzip"],
  zcat: ["gzip"],
};

/** The table, by name in lower case: how a program behaves, and what its arguments name. */
export const COMMAND_TABLE: ReadonlyMap<string, CommandSpec> = new Map(
  [...new Set([...BEHAVIOUR.keys(), ...ARGUMENT_PLACES.keys()])].map((name) => {
    const known = ALIASES[name] ?? name;
    const places = ARGUMENT_PLACES.get(known);
    const spec = BEHAVIOUR.get(name) ?? ORDINARY;
    const starts = STARTS[known] ?? (places === undefined ? undefined : "none");
    return [name, {
      ...spec,
      ...(places === undefined ? {} : { places }),
      ...(starts === undefined ? {} : { starts }),
    }];
  }),
);
