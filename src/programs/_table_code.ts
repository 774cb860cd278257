/** The part of the command table for programs that run code or other programs from their arguments. */

import type { CodeOptions, CommandSpec } from "./spec.ts";

function interpreter(
  options: readonly string[],
  more: Partial<CodeOptions> & { readonly operands?: readonly string[] } = {},
): CommandSpec {
  const { operands, letters = "", flags = [], ends = [], remote = false, finds = [] } = more;
  return {
    risk: "moderate",
    code: { options, letters, flags, ends, remote, finds },
    ...(operands === undefined ? {} : { dangerousOperands: operands }),
  };
}

const editor: CommandSpec = {
  risk: "dangerous",
  because: "runs commands from its arguments and its files",
};

/** A shell line is not judged here: with `-c`, or without a file, nothing says what would run. */
const shell: CommandSpec = {
  risk: "moderate",
  code: {
    options: ["-c", "-s", "--command", "-C", "--init-command"],
    letters: "efuvxnlipr",
    flags: ["--login", "--norc", "--noprofile", "--posix"],
    ends: [],
    remote: false,
  },
  wraps: {
    by: "unknown",
    because: "a shell's line is not judged; name the program and its arguments",
  },
};

const python = interpreter(["-c", "-i"], {
  letters: "BbdEIOPqsSuvx",
  ends: ["-m"],
  // Modules of the standard library that run code from their arguments.
  operands: ["timeit", "code", "pdb"],
});

const node = interpreter([
  ...["-e", "--eval", "-p", "--print", "-r", "--require", "--import", "--loader"],
  ...["--experimental-loader", "-i", "--interactive", "--inspect", "--inspect-brk", "--env-file"],
], {
  letters: "cv",
  flags: [
    "--test",
    "--watch",
    "--check",
    "--no-warnings",
    "--trace-warnings",
    "--enable-source-maps",
  ],
  finds: ["--test"],
});

/** Interpreters: a file of the workspace is theirs to run, code in an argument or on stdin is judged dangerous. */
export const CODE_RUNNERS: Readonly<Record<string, CommandSpec>> = {
  ...Object.fromEntries(
    [
      "sh",
      "bash",
      "dash",
      "zsh",
      "ksh",
      "mksh",
      "ash",
      "fish",
      "rbash",
      "yash",
      "tcsh",
      "csh",
      "elvish",
      "pwsh",
      "nu",
    ]
      .map((name) => [name, shell]),
  ),
  python,
  pypy: python,
  ipython: python,
  node,
  nodejs: node,
  deno: interpreter(["--preload", "--import", "--eval"], {
    operands: ["eval", "repl", "x", "install", "jupyter"],
    remote: true,
  }),
  bun: interpreter(["-e", "--eval", "-p", "--print", "-r", "--preload"], {
    operands: ["x", "repl", "create", "exec"],
    remote: true,
  }),
  perl: interpreter(["-e", "-E", "-M", "-m", "-i", "-d"], { letters: "wWXtTcvnpals" }),
  ruby: interpreter(["-e", "-r", "-i"], { letters: "wWcvnpals", flags: ["--disable-gems"] }),
  php: interpreter(["-r", "-R", "-B", "-E", "-d", "-a"]),
  lua: interpreter(["-e", "-l", "-i"]),
  luajit: interpreter(["-e", "-l", "-i", "-j"]),
  rscript: interpreter(["-e"]),
  r: interpreter(["-e"]),
  julia: interpreter(["-e", "-E", "--eval", "--print", "-L", "--load"]),
  tclsh: interpreter([]),
  guile: interpreter(["-c", "-e", "-l"]),
  racket: interpreter(["-e", "-f", "-l", "-r"]),
  elixir: interpreter(["-e", "--eval", "-r"]),
  erl: interpreter(["-eval", "-s", "-run"]),
  ghc: interpreter(["-e"]),
  groovy: interpreter(["-e"]),
  osascript: interpreter(["-e"]),
  sqlite: editor,
  psql: editor,
  mysql: editor,
  vi: editor,
  vim: editor,
  "vim.basic": editor,
  "vim.tiny": editor,
  nvim: editor,
  ex: editor,
  ed: editor,
  emacs: editor,
  nano: editor,
  less: editor,
  more: editor,
  irb: editor,
  gdb: editor,
  lldb: editor,
};

/** Programs that start the command in their arguments, in a form that is known whole. */
export const WRAPPERS: Readonly<Record<string, CommandSpec>> = {
  env: { risk: "safe", wraps: { by: "env" } },
  nice: {
    risk: "safe",
    wraps: { by: "prefix", flags: [], values: ["-n", "--adjustment"], operands: 0 },
  },
  nohup: { risk: "moderate", wraps: { by: "prefix", flags: [], values: [], operands: 0 } },
  time: {
    risk: "safe",
    wraps: {
      by: "prefix",
      flags: ["-p", "-v", "--portability", "--verbose"],
      values: ["-f", "--format"],
      operands: 0,
    },
  },
  timeout: {
    risk: "safe",
    wraps: {
      by: "prefix",
      flags: ["--preserve-status", "--foreground", "-v", "--verbose"],
      values: ["-k", "--kill-after", "-s", "--signal"],
      operands: 1,
    },
  },
  setsid: {
    risk: "moderate",
    wraps: { by: "prefix", flags: ["-w", "--wait", "-f", "--fork"], values: [], operands: 0 },
  },
  stdbuf: {
    risk: "safe",
    wraps: {
      by: "prefix",
      flags: [],
      values: ["-i", "-o", "-e", "--input", "--output", "--error"],
      operands: 0,
    },
  },
  ionice: {
    risk: "safe",
    wraps: {
      by: "prefix",
      flags: ["-t", "--ignore"],
      values: ["-c", "--class", "-n", "--classdata"],
      operands: 0,
    },
  },
  xargs: {
    risk: "safe",
    wraps: {
      by: "prefix",
      flags: ["-0", "--null", "-r", "--no-run-if-empty", "-t", "--verbose", "-x", "--exit"],
      values: ["-n", "--max-args", "-P", "--max-procs", "-d", "--delimiter", "-I", "-L", "-s"],
      operands: 0,
      adds: true,
    },
  },
  sudo: {
    risk: "dangerous",
    because: "runs a program as another user",
    wraps: {
      by: "prefix",
      flags: ["-n", "--non-interactive", "-E", "-H", "-S", "-k"],
      values: ["-u", "--user", "-g", "--group"],
      operands: 0,
    },
  },
  doas: {
    risk: "dangerous",
    because: "runs a program as another user",
    wraps: { by: "prefix", flags: ["-n"], values: ["-u"], operands: 0 },
  },
  busybox: { risk: "safe", wraps: { by: "prefix", flags: [], values: [], operands: 0 } },
  toybox: { risk: "safe", wraps: { by: "prefix", flags: [], values: [], operands: 0 } },
  coreutils: {
    risk: "dangerous",
    because: "starts another program",
    wraps: { by: "unknown", because: "coreutils starts the program its arguments name" },
  },
};

/** Programs that start others in forms that are not followed: what they would run is not known. */
export const LAUNCHERS = [
  ...[
    "watch",
    "script",
    "flock",
    "parallel",
    "su",
    "runuser",
    "chroot",
    "unshare",
    "nsenter",
    "bwrap",
  ],
  ...["firejail", "proot", "fakeroot", "strace", "ltrace", "valgrind", "perf", "systemd-run"],
  ...[
    "dbus-run-session",
    "xvfb-run",
    "rlwrap",
    "unbuffer",
    "expect",
    "setarch",
    "linux32",
    "linux64",
  ],
  ...[
    "numactl",
    "taskset",
    "chrt",
    "prlimit",
    "choom",
    "cgexec",
    "entr",
    "ssh-agent",
    "pkexec",
    "run0",
  ],
  ...["proxychains", "torsocks", "tsocks", "eatmydata", "tini", "dumb-init", "catchsegv", "ld.so"],
  ...["start-stop-daemon", "setpriv", "capsh", "gosu", "su-exec", "daemonize", "i386", "x86_64"],
] as const;
