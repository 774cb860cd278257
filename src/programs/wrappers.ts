/** What is known of programs that start the command in their arguments. */

import type { OptionsLiteral, ProgramLiteral, ProgramTable, Starts } from "./spec.ts";

/** Its options, as many words of its own, then the command. */
function prefix(
  options: OptionsLiteral = {},
  more: Partial<ProgramLiteral> & { readonly words?: number } = {},
): ProgramLiteral {
  const { words = 0, ...rest } = more;
  const starts: Starts = "none";
  return { risk: "safe", options, wraps: { by: "prefix", operands: words }, starts, ...rest };
}

/** In forms that are not followed: what they would run is not known. */
function launcher(name: string): ProgramLiteral {
  return {
    risk: "dangerous",
    because: "starts another program",
    wraps: { by: "unknown", because: `${name} starts another program in a way that is not judged` },
  };
}

const ANOTHER_USER = {
  risk: "dangerous",
  because: "runs a program as another user",
  starts: "any",
} as const;

const LAUNCHERS = (
  "watch script flock parallel su runuser chroot unshare nsenter bwrap firejail proot fakeroot strace ltrace " +
  "perf systemd-run dbus-run-session xvfb-run rlwrap unbuffer setarch linux32 linux64 numactl taskset " +
  "chrt prlimit choom cgexec entr ssh-agent pkexec run0 proxychains torsocks tsocks eatmydata tini dumb-init " +
  "catchsegv ld.so start-stop-daemon setpriv capsh gosu su-exec daemonize i386 x86_64"
).split(" ");

/** Programs that start the command in their words. */
export const WRAPPERS: ProgramTable = {
  env: { risk: "safe", wraps: { by: "env" }, starts: "none" },
  nice: prefix({ "-n --adjustment": "text" }),
  // valgrind(1): options have their value behind `=`; any other ends it with an error, or is not judged.
  valgrind: prefix({
    "-h --help -q --quiet -v --verbose --version --xml --trace-children --track-fds": "flag",
    "--tool --leak-check --show-leak-kinds --show-reachable --track-origins --error-exitcode":
      "text",
    "--num-callers --errors-for-leak-kinds --undef-value-errors --child-silent-after-fork": "text",
    "--suppressions": "read",
    "--log-file --xml-file": "write",
  }, { risk: "moderate", starts: "any" }),
  nohup: prefix({}, { risk: "moderate" }),
  time: prefix({ "-p -v --portability --verbose": "flag", "-f --format": "text" }),
  timeout: prefix({
    "--preserve-status --foreground -v --verbose": "flag",
    "-k --kill-after -s --signal": "text",
  }, { words: 1 }),
  setsid: prefix({ "-w --wait -f --fork": "flag" }, { risk: "moderate" }),
  stdbuf: prefix({ "-i -o -e --input --output --error": "text" }),
  ionice: prefix({ "-t --ignore": "flag", "-c --class -n --classdata": "text" }),
  xargs: prefix({
    "-0 --null -r --no-run-if-empty -t --verbose -x --exit": "flag",
    "-n --max-args -P --max-procs -d --delimiter -I -L -s --max-chars -E": "text",
    "-i --replace -l --max-lines -e --eof": { is: "text", optional: true },
  }, {
    wraps: { by: "prefix", operands: 0, adds: true, replaces: ["-I", "-i", "--replace"] },
    starts: ["echo"],
  }),
  sudo: prefix({
    "-n --non-interactive -E -H -S -k": "flag",
    "-u --user -g --group": "text",
  }, ANOTHER_USER),
  doas: prefix({ "-n": "flag", "-u": "text" }, ANOTHER_USER),
  "busybox toybox": prefix({}, { wraps: { by: "prefix", operands: 0, bare: true } }),
  coreutils: {
    risk: "dangerous",
    because: "starts another program",
    wraps: { by: "unknown", because: "coreutils starts the program its arguments name" },
  },
  ...Object.fromEntries(LAUNCHERS.map((name) => [name, launcher(name)])),
};
