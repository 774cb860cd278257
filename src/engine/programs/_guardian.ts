/**
 * Somebody who outlives this process: a shell that does nothing until its input ends, which happens when Toolgate is
 * gone, whichever way (SIGKILL too), and then ends the programs that Toolgate had started.
 */

import { close, openPipe, setNonBlocking, writeSome } from "../../host/kernel/pipes.ts";
import { SIGNALS } from "../../sandbox/kernel/signals.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import { AT_FDCWD, OPEN } from "../../sandbox/kernel/open_without_links.ts";
import type { Spawner } from "../../sandbox/spawner.ts";

/** Where POSIX systems have theirs. */
const SHELL = "/bin/sh";

/**
 * POSIX shell with nothing but what is built in, since it must work where programs are few. `$1`: what marks the
 * environments of the programs. It looks until it has found none twice: one that was just being started shows
 * no environment yet.
 */
const SCRIPT = `
others=
while read -r words; do others=$words; done
for id in $others; do kill -9 "$id"; done 2>/dev/null
quiet=0
rounds=0
while [ $quiet -lt 2 ] && [ $rounds -lt 1000 ]; do
  rounds=$((rounds + 1))
  quiet=$((quiet + 1))
  for file in /proc/[0-9]*/environ; do
    id=\${file#/proc/}
    id=\${id%/environ}
    while IFS= read -r words || [ -n "$words" ]; do
      case $words in
        *"$1"*)
          kill -9 "$id"
          quiet=0
          break
          ;;
      esac
    done <"$file"
  done
done 2>/dev/null
`;

/** The process that outlives this one to end what it leaves. */
export interface Guardian {
  readonly id: number;
  /** Processes to end beside the marked ones, by their numbers with blanks between; in place of those told before. */
  tell(others: string): void;
  /** Ends it: all that it would look for has ended. */
  close(): void;
}

/** Null where there is no shell, or no room for another process. */
export function startGuardian(libc: Libc, spawner: Spawner, marker: string): Guardian | null {
  const open = (path: string, flags: number): number =>
    libc.call(libc.numbers.openat, AT_FDCWD, libc.path(path), flags | OPEN.CLOEXEC);
  const nothing = open("/dev/null", OPEN.RDWR);
  const root = open("/", OPEN.PATH | libc.numbers.O_DIRECTORY);
  const life = openPipe(libc);
  const id = nothing < 0 || root < 0 ? -1 : spawner.start({
    path: SHELL,
    argv: [SHELL, "-c", SCRIPT, "toolgate-guardian", marker],
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
