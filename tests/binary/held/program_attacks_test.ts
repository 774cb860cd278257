/** Programs that try to reach Toolgate, each other, or what outlives them: as root and as an ordinary user. */

import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { running, sleepMark, stillRunning, untilRunning } from "../_processes.ts";
import { Pipe, Workspace } from "../toolgate.ts";
import { USERS } from "./_users.ts";

const PROBER = Deno.readTextFileSync(fromFileUrl(new URL("_prober.pl", import.meta.url)));

const POLICY = `version: 1
paths: [{ allow: [read, write], match: ["**"] }]
commands: [{ allow: ["*"] }]
risk: { allow: dangerous, ask: dangerous }
environment: { pass: [PATH] }
limits: { concurrency: 16 }
timeouts: { default: 1h }
`;

/** The threads of a process have numbers a little above its own. Without Toolgate the one process alone is tried. */
const SPAN = "40";

function openWorkspace(
  files: Readonly<Record<string, string>>,
  user?: { readonly uid: number; readonly gid: number },
): Workspace {
  const workspace = new Workspace({ "a.txt": "text\n", ...files });
  if (user !== undefined) {
    Deno.chmodSync(workspace.base, 0o755);
    for (
      const path of [
        workspace.root,
        ...Object.keys(files).map((name) => workspace.path(name)),
      ]
    ) {
      Deno.chownSync(path, user.uid, user.gid);
    }
  }
  return workspace;
}

for (const [who, user] of USERS) {
  const identity = user === undefined ? {} : { user };

  Deno.test(`${who}: a program gets hold of nothing that belongs to another process`, async () => {
    await using workspace = openWorkspace({ "prober.pl": PROBER }, user);
    // Without Toolgate it does: the target is a process of the same user that it did not start.
    const sleeper = new Deno.Command("sleep", { args: ["6000"], ...user }).spawn();
    const free = await new Deno.Command("perl", {
      args: ["prober.pl", String(sleeper.pid), "1"],
      cwd: workspace.root,
      ...user,
    }).output();
    sleeper.kill("SIGKILL");
    await sleeper.status;
    const reached = new TextDecoder().decode(free.stdout).trim().split("\n");
    for (
      const way of ["kill", "tgkill", "setpriority", "sched_setaffinity", "proc/environ", "proc/fd"]
    ) {
      assert(reached.includes(way), `${way} is no attack: ${reached}`);
    }
    for (const way of ["memfd_create", "shmget", "msgget", "semget", "clone parent", "mark"]) {
      assert(reached.includes(way), `${way} is no attack: ${reached}`);
    }

    const pipe = new Pipe(["--policy", workspace.policy(POLICY)], {
      cwd: workspace.root,
      ...identity,
    });
    const command = (id: number, ...argv: readonly string[]) =>
      pipe.send({ id, tool: "run_command", args: { argv } });
    await command(1, "perl", "prober.pl", String(pipe.process.pid), SPAN);
    const own = (await pipe.answers(1)).get(1);
    assert(own?.success === true, JSON.stringify(own));
    assertEquals(own.output.stdout, "");
    // Another call's program, that runs meanwhile.
    const word = sleepMark();
    await command(3, "sleep", word);
    await untilRunning(word, 1);
    const other = /^\d+/.exec(running(word)[0] ?? "")?.[0] ?? "";
    await command(2, "perl", "prober.pl", other, SPAN);
    const others = (await pipe.answers(1)).get(2);
    assert(others?.success === true, JSON.stringify(others));
    assertEquals(others.output.stdout, "");

    // And where it ends all that it can, Toolgate and the other call live.
    await command(5, "perl", "prober.pl", String(pipe.process.pid), SPAN, "end");
    assert((await pipe.answers(1)).has(5));
    await command(7, "perl", "prober.pl", other, SPAN, "end");
    assert((await pipe.answers(1)).has(7));
    assertEquals(running(word).length, 1);
    await pipe.send({ id: 9, op: "cancel", target: 3 });
    assertEquals((await pipe.answers(2)).get(3)?.error?.code, "CANCELLED");
    assertEquals((await pipe.ask({ id: 6, op: "ping" })).output, { pong: true });
    assertEquals((await pipe.close()).status, 0);
  });

  /** What leaves its session, its parent, its environment and its name behind. */
  const leaving = (word: string) =>
    `perl -e '$0 = "other"; use POSIX; exit if fork; POSIX::setsid(); exit if fork; %ENV = (); ` +
    `exec {"/usr/bin/sleep"} "-other", "${word}"' &
    setsid env -i sleep ${word} & (env -i setsid sh -c 'sleep ${word} & sleep ${word}' &)
    while [ ! -e go ]; do sleep 0.05; done`;

  Deno.test(`${who}: whatever a program does to be somebody else's, it ends with its call`, async () => {
    await using workspace = openWorkspace({}, user);
    const pipe = new Pipe(["--policy", workspace.policy(POLICY)], {
      cwd: workspace.root,
      ...identity,
    });
    const word = sleepMark();
    Deno.writeTextFileSync(workspace.path("leave.sh"), leaving(word));
    const run = (id: number) =>
      pipe.ask({ id, tool: "run_command", args: { argv: ["sh", "leave.sh"] } });
    const running1 = run(1);
    await untilRunning(word, 4);
    assert(running(word).length >= 4, "they run meanwhile");
    workspace.write("go", "");
    await running1;
    assertEquals(running(word), []);
    assertEquals((await pipe.close()).status, 0);
  });

  Deno.test(`${who}: all of them end with Toolgate, whichever way that ends`, async () => {
    await using workspace = openWorkspace({}, user);
    const pipe = new Pipe(["--policy", workspace.policy(POLICY)], {
      cwd: workspace.root,
      ...identity,
    });
    const word = sleepMark();
    Deno.writeTextFileSync(workspace.path("leave.sh"), leaving(word));
    await pipe.send({ id: 1, tool: "run_command", args: { argv: ["sh", "leave.sh"] } });
    await untilRunning(word, 4);
    assert(running(word).length >= 4, "they run meanwhile");
    pipe.process.kill("SIGKILL");
    await pipe.process.status;
    assertEquals(await stillRunning(word), []);
    await pipe.close().catch(() => {});
  });

  Deno.test(`${who}: limits hold from the first moment, and nobody raises them`, async () => {
    const script = `
ulimit -H -c; ulimit -H -f; ulimit -H -t
ulimit -f unlimited 2>/dev/null && echo raised
ulimit -H -t unlimited 2>/dev/null && echo raised
dd if=/dev/zero of=big bs=1M count=64 2>/dev/null; ls -l big | { read -r _ _ _ _ size _; echo $size; }
`;
    await using workspace = openWorkspace({ "limits.sh": script }, user);
    const policy = `${POLICY.replace("limits: {", "limits: { file: 8MiB, cpu: 60s,")}`;
    const pipe = new Pipe(["--policy", workspace.policy(policy)], {
      cwd: workspace.root,
      ...identity,
    });
    const { output } = await pipe.ask({
      id: 1,
      tool: "run_command",
      args: { argv: ["sh", "limits.sh"] },
    });
    assertEquals(output?.stdout, `0\n${8 * 2048}\n62\n${8 * 1024 * 1024}\n`);
    assertEquals((await pipe.close()).status, 0);
  });
}

/** The same in the words of other languages: each prints what it got. */
const LANGUAGES: readonly {
  readonly program: string;
  readonly file: string;
  readonly code: string;
}[] = [
  {
    program: "/bin/sh",
    file: "attack.sh",
    code: `n=0
while [ $n -lt $1 ]; do
  [ $((PPID + n)) = $$ ] || { kill -0 $((PPID + n)) 2>/dev/null && echo kill; }
  n=$((n + 1))
done
for file in environ cmdline mem maps cwd/a.txt; do
  (read -r line < /proc/$PPID/$file) 2>/dev/null && echo "$file"
done
renice -n 15 -p $PPID >/dev/null 2>&1 && echo renice
taskset -p 1 $PPID >/dev/null 2>&1 && echo taskset
prlimit --pid $PPID --core=1 >/dev/null 2>&1 && echo prlimit
true
`,
  },
  {
    program: "/usr/bin/python3",
    file: "attack.py",
    code: `import os, signal, sys
parent = os.getppid()
def attempt(name, action):
    try:
        action()
        print(name)
    except (OSError, PermissionError):
        pass
for pid in range(parent, parent + int(sys.argv[1])):
    if pid != os.getpid():
        attempt("kill", lambda: os.kill(pid, 0))
        attempt("affinity", lambda: os.sched_setaffinity(pid, {0}))
        attempt("nice", lambda: os.setpriority(os.PRIO_PROCESS, pid, 15))
attempt("pidfd", lambda: signal.pidfd_send_signal(os.pidfd_open(parent), 0))
for name in ("environ", "mem", "maps", "fd/0"):
    attempt(name, lambda: open(f"/proc/{parent}/{name}", "rb").read(1))
attempt("memfd", lambda: os.memfd_create("x"))
`,
  },
  {
    program: "/usr/bin/node",
    file: "attack.js",
    code: `const fs = require("node:fs"), os = require("node:os");
const attempt = (name, action) => { try { action(); console.log(name); } catch {} };
for (let pid = process.ppid; pid < process.ppid + Number(process.argv[2]); pid++) {
  if (pid === process.pid) continue;
  attempt("kill", () => process.kill(pid, 0));
  attempt("nice", () => os.setPriority(pid, 15));
}
for (const name of ["environ", "mem", "maps", "fd/0"]) {
  attempt(name, () => fs.readSync(fs.openSync("/proc/" + process.ppid + "/" + name, "r"), Buffer.alloc(1)));
}
`,
  },
];

/** Runs what it copies into memory, and makes children of whoever started it. */
const C_SOURCE = `#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(void) {
  int parents = 0;
  for (int n = 0; n < 200; n++) {
    long child = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
    if (child == 0) _exit(0);
    if (child > 0) parents++;
  }
  if (parents > 0) puts("clone parent");
  if (kill(getppid(), 0) == 0) puts("kill");
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/mem", getppid());
  if (open(path, O_RDWR) >= 0) puts("mem");
  int memory = syscall(SYS_memfd_create, "x", 0);
  if (memory >= 0) {
    int self = open("/proc/self/exe", O_RDONLY);
    (void)self;
    puts("memfd");
  }
  return 0;
}
`;

Deno.test("the same from shell, Python, node and C, those that are here", async () => {
  await using workspace = openWorkspace({ "attack.c": C_SOURCE });
  for (const { file, code } of LANGUAGES) workspace.write(file, code);
  const isHere = (path: string): boolean => {
    try {
      return Deno.statSync(path).isFile;
    } catch {
      return false;
    }
  };
  const rows = LANGUAGES.filter(({ program }) => isHere(program))
    .map(({ program, file }) => [program, file]);
  if (isHere("/usr/bin/cc")) {
    const args = ["-o", workspace.path("attack"), workspace.path("attack.c")];
    assert((await new Deno.Command("/usr/bin/cc", { args }).output()).success);
    rows.push(["./attack"]);
  }
  const pipe = new Pipe(["--policy", workspace.policy(POLICY)], { cwd: workspace.root });
  for (const argv of rows) {
    const [program = "", ...args] = argv;
    // The parent that it reaches is a shell that was made for it.
    const free = await new Deno.Command("/bin/sh", {
      args: ["-c", '"$@"; exit 0', "sh", program, ...args, "1"],
      cwd: workspace.root,
    }).output();
    assert(free.stdout.length > 0, `${argv} is no attack`);
    const answer = await pipe.ask({ id: 1, tool: "run_command", args: { argv: [...argv, SPAN] } });
    assert(answer.success, JSON.stringify(answer));
    assertEquals([argv, answer.output.stdout], [argv, ""]);
  }
  assertEquals((await pipe.close()).status, 0);
});
