import { assert, assertEquals } from "@std/assert";
import { openPipe } from "../../../src/host/kernel/pipes.ts";
import { ERRNO } from "../../../src/sandbox/kernel/errno.ts";
import { AT_FDCWD, OPEN } from "../../../src/sandbox/kernel/open_without_links.ts";
import { openOwnCalls } from "../../../src/sandbox/launcher/own_calls.ts";
import { withOwnStarts } from "../../../src/sandbox/launcher/own_starts.ts";
import {
  CLOSED,
  openSpawner,
  type ProgramStart,
  type Spawner,
} from "../../../src/sandbox/spawner.ts";
import { SPAWNER } from "../host/run/_starter.ts";
import { LIBC as libc } from "./_libc.ts";

const LATER = openSpawner({ keepsFfi: true });
assert(LATER !== null);
// What it looks up stays, which within a test would pass for a leak.
assertEquals(
  LATER.start({ path: "/", argv: [], environment: [], directory: null, descriptors: [] }),
  -ERRNO.EACCES,
);
/** Starts with descriptors and words of ours, each of which does the same. */
const SPAWNERS = {
  "of the C library": SPAWNER,
  "of the C library, looked up when it is asked for": LATER,
  "by calls of our own": withOwnStarts(SPAWNER, libc, openOwnCalls(libc)),
};

/** P_PID, WEXITED (waitid(2)) */
const P_PID = 1;
const WEXITED = 4;

function openPath(path: string): number {
  const { numbers } = libc;
  return libc.call(numbers.openat, AT_FDCWD, libc.path(path), OPEN.PATH | OPEN.CLOEXEC);
}

/** Starts a program that writes to a pipe, and gives what it wrote. */
function outputOf(spawner: Spawner, start: Partial<ProgramStart>, input = CLOSED): string {
  const { numbers } = libc;
  const pipe = openPipe(libc);
  const directory = openPath("/");
  const id = spawner.start({
    path: "/bin/sh",
    argv: ["sh"],
    environment: [],
    directory,
    descriptors: [input, pipe.write, pipe.write],
    ...start,
  });
  libc.call(numbers.close, pipe.write);
  assert(id > 0, `errno ${-id}`);
  const buffer = new Uint8Array(1 << 16);
  let text = "";
  for (;;) {
    const count = libc.transfer(numbers.read, pipe.read, buffer, buffer.length);
    if (count <= 0) break;
    text += new TextDecoder().decode(buffer.subarray(0, count));
  }
  libc.call(numbers.waitid, P_PID, id, 0, WEXITED, 0);
  libc.call(numbers.close, pipe.read);
  libc.call(numbers.close, directory);
  return text;
}

for (const [kind, spawner] of Object.entries(SPAWNERS)) {
  Deno.test(`${kind}: a program gets its words, its environment and its directory, and nothing else`, () => {
    const directory = openPath("/usr");
    const text = outputOf(spawner, {
      argv: [
        "named",
        "-c",
        'echo "$0|$1|$2"; pwd; env | grep -v ^PWD= | grep -v ^_=',
        "zero",
        "ä b",
        "",
      ],
      environment: ["A=1", "PATH=/usr/bin:/bin", "LONG=" + "x".repeat(10_000)],
      directory,
    });
    libc.call(libc.numbers.close, directory);
    const lines = text.trimEnd().split("\n");
    assertEquals(lines.slice(0, 2), ["zero|ä b|", "/usr"]);
    assertEquals(lines.slice(2).toSorted(), [
      "A=1",
      `LONG=${"x".repeat(10_000)}`,
      "PATH=/usr/bin:/bin",
    ]);
  });

  Deno.test(`${kind}: a program has the descriptors that it was given, and no other`, () => {
    // A shell may open some for itself from 10 on (POSIX, 2.7).
    const script = "for n in 0 1 2 3 4 5 6 7 8 9; do [ -e /proc/$$/fd/$n ] && echo $n; done; true";
    assertEquals(outputOf(spawner, { argv: ["sh", "-c", script] }), "1\n2\n");
  });

  Deno.test(`${kind}: a program leads a session, and neither blocks nor ignores what this process does`, () => {
    const script = "cat /proc/self/stat; grep -E '^Sig(Blk|Ign):' /proc/self/status";
    const environment = ["PATH=/usr/bin:/bin"];
    const [stat = "", ...masks] = outputOf(spawner, { argv: ["sh", "-c", script], environment })
      .split("\n");
    const [, , group, session] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    assert(group === session && Number(session) !== Deno.pid);
    assertEquals(
      masks.filter((line) => line !== "").map((line) => /0*$/.test(line)),
      [true, true],
    );
  });

  Deno.test(`${kind}: what cannot be started says why, and leaves nothing`, () => {
    const directory = openPath("/");
    const start = (parts: Partial<ProgramStart>): number =>
      spawner.start({
        path: "/bin/true",
        argv: ["true"],
        environment: [],
        directory,
        descriptors: [CLOSED, CLOSED, CLOSED],
        ...parts,
      });
    assertEquals(start({ path: "/no/such/program" }), -ERRNO.ENOENT);
    assertEquals(start({ path: "/etc/passwd" }), -ERRNO.EACCES);
    assertEquals(start({ path: "/bin/true/x" }), -ERRNO.ENOTDIR);
    assertEquals(start({ argv: ["true", "x".repeat(200_000)] }), -ERRNO.E2BIG);
    assertEquals(start({ argv: Array.from({ length: 400_000 }, () => "123456789") }), -ERRNO.E2BIG);
    assertEquals(start({ argv: ["true", "x".repeat(8_000_000)] }), -ERRNO.E2BIG);
    libc.call(libc.numbers.close, directory);
  });
}
