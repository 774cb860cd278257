/**
 * Somebody who outlives this process: a shell that does nothing until its input ends, which happens when Toolgate is
 * gone, whichever way (SIGKILL too), and then ends the programs that Toolgate had started.
 */

import type { ProcessFacts } from "../../host/kernel/process_table.ts";
import { close, openPipe, setNonBlocking, writeSome } from "../../host/kernel/pipes.ts";
import { MARK_SHIFT } from "../../host/kernel/run_marks.ts";
import { SIGNALS } from "../../sandbox/kernel/signals.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import { AT_FDCWD, OPEN } from "../../sandbox/kernel/open_without_links.ts";
import type { Spawner } from "../../sandbox/spawner.ts";

/** Where POSIX systems have theirs. */
const SHELL = "/bin/sh";

/**
 * POSIX shell with nothing but what is built in, since it must work where programs are few. `$1`: what marks the
 * environments of the programs; `$2`: what their marks begin with (`markOf`), the sixth word of a line of
 * proc_pid_limits(5), "Max realtime timeout". It looks until it has found none three times, some moments apart where there is
 * a sleep(1): one that was just being started shows neither yet. `$3`: what is removed then, or nothing; a system without
 * rm(1) keeps it. A number that it was told of may be another's by now, who began at another time: the 22nd word of
 * proc_pid_stat(5), the 20th behind the name, which may hold anything. Who began before Toolgate is none of its programs:
 * `read` takes a byte at a time, and those of limits and environments are many. Where Toolgate is gone before that is
 * known, whoever has its child since began before it, or all are looked at.
 */
const SCRIPT = `
is_marked() {
  while read -r _ name kind _ most _; do
    case $name-$kind-$most in
      realtime-timeout-*[!0-9]* | realtime-timeout-) return 1 ;;
      realtime-timeout-*)
        [ $((most >> ${MARK_SHIFT})) -eq "$2" ]
        return
        ;;
    esac
  done <"/proc/$1/limits"
  return 1
}
is_named() {
  while IFS= read -r words || [ -n "$words" ]; do
    case $words in
      *"$2"*) return 0 ;;
    esac
  done <"/proc/$1/environ"
  return 1
}
began_of() {
  facts=
  while IFS= read -r words || [ -n "$words" ]; do facts="$facts $words"; done <"/proc/$1/stat"
  set -- \${facts##*) }
  began=\${20:-0}
}
began=0
began_of "$PPID" 2>/dev/null
since=$began
others=
while read -r words; do others=$words; done
for one in $others; do
  began_of "\${one%.*}"
  if [ "$began" = "\${one#*.}" ]; then kill -9 "\${one%.*}"; fi
done 2>/dev/null
quiet=0
rounds=0
while [ $quiet -lt 3 ] && [ $rounds -lt 1000 ]; do
  rounds=$((rounds + 1))
  quiet=$((quiet + 1))
  for file in /proc/[0-9]*; do
    id=\${file#/proc/}
    began_of "$id"
    [ "$began" -ge "$since" ] || continue
    if is_marked "$id" "$2" || is_named "$id" "$1"; then
      kill -9 "$id"
      quiet=0
    fi
  done
  /bin/sleep 0.02
done 2>/dev/null
case $3 in
  /*) /bin/rm -rf -- "$3" || { /bin/chmod -R u+w "$3" && /bin/rm -rf -- "$3"; } ;;
esac 2>/dev/null
`;

/** What a Toolgate leaves, for whoever outlives it: programs, by what they are known, and a folder. */
export interface Leavings {
  /** The beginning of a variable, with its name. */
  readonly marker: string;
  /** See `newToken`. */
  readonly token: number;
  /** Absolute path; null for none. */
  readonly folder: string | null;
}

/** The process that outlives this one to end what it leaves. */
export interface Guardian {
  readonly id: number;
  /** Processes to end beside the marked ones, in place of those told before: see `tellingOf`. */
  tell(others: string): void;
  /** Ends it: all that it would look for has ended. */
  close(): void;
}

/** What a guardian is told processes by: number and beginning of each with a dot between, parted by blanks. */
export function tellingOf(processes: readonly Pick<ProcessFacts, "id" | "began">[]): string {
  return processes.map(({ id, began }) => `${id}.${began}`).join(" ");
}

/** Null where there is no shell, or no room for another process. */
export function startGuardian(
  libc: Libc,
  spawner: Spawner,
  { marker, token, folder }: Leavings,
): Guardian | null {
  const open = (path: string, flags: number): number =>
    libc.call(libc.numbers.openat, AT_FDCWD, libc.path(path), flags | OPEN.CLOEXEC);
  const nothing = open("/dev/null", OPEN.RDWR);
  const root = open("/", OPEN.PATH | libc.numbers.O_DIRECTORY);
  const life = openPipe(libc);
  const id = nothing < 0 || root < 0 ? -1 : spawner.start({
    path: SHELL,
    argv: [SHELL, "-c", SCRIPT, "toolgate-guardian", marker, String(token), folder ?? ""],
    environment: [],
    directory: root,
    descriptors: [life.read, nothing, nothing],
  });
  for (const descriptor of [nothing, root, life.read]) close(libc, descriptor);
  if (id < 0) {
    close(libc, life.write);
    return null;
  }
  setNonBlocking(libc, life.write);
  return {
    id,
    tell(others) {
      // It reads at once: the pipe is never full.
      writeSome(libc, life.write, new TextEncoder().encode(`${others}\n`));
    },
    close() {
      libc.call(libc.numbers.kill, id, SIGNALS.SIGKILL);
      close(libc, life.write);
      // P_PID, WEXITED (waitid(2)): it ends at once.
      libc.call(libc.numbers.waitid, 1, id, 0, 4, 0);
    },
  };
}
