import { assert, assertEquals } from "@std/assert";
import { openPipe } from "../../../../src/host/kernel/pipes.ts";
import { ERRNO } from "../../../../src/sandbox/kernel/errno.ts";
import { AT_FDCWD, OPEN } from "../../../../src/sandbox/kernel/open_without_links.ts";
import { openRules } from "../../../../src/sandbox/landlock.ts";
import { scopeRules } from "../../../../src/sandbox/landlock_rules.ts";
import {
  createFolderStore,
  createMemoryStore,
} from "../../../../src/sandbox/launcher/image_file.ts";
import {
  type HeldStart,
  type LauncherParts,
  ProgramLauncher,
  type StartFailure,
} from "../../../../src/sandbox/launcher/launcher.ts";
import { openOwnCalls } from "../../../../src/sandbox/launcher/own_calls.ts";
import { keptCapabilities } from "../../../../src/sandbox/launcher/privileges.ts";
import { MOST_AHEAD, StartBlocks } from "../../../../src/sandbox/launcher/start_blocks.ts";
import { programSteps, type StepName } from "../../../../src/sandbox/launcher/program_steps.ts";
import type { Step } from "../../../../src/sandbox/launcher/_table.ts";
import {
  type Architecture,
  encodeFilter,
  filterFor,
  startFilter,
} from "../../../../src/sandbox/seccomp.ts";
import { SPAWNER } from "../../host/run/_starter.ts";
import { ABI, LIBC as libc } from "../_libc.ts";

/** P_PID, WEXITED (waitid(2)) */
const P_PID = 1;
const WEXITED = 4;
const WNOHANG = 1;
const WNOWAIT = 0x01000000;
/** Offset of si_pid in siginfo_t (include/uapi/asm-generic/siginfo.h). */
const SI_PID = 16;
/** Likewise, of si_status. */
const SI_STATUS = 24;
const ARCHITECTURE = Deno.build.arch as Architecture;
const LIMITS = {
  cpu: 100,
  file: 1 << 30,
  data: null,
  processes: null,
  core: 1,
  mark: 0x8000_0000_0001,
};

function launcherOn(parts: Partial<LauncherParts>): ProgramLauncher {
  const capabilities = keptCapabilities(libc, ARCHITECTURE);
  return new ProgramLauncher({
    libc,
    spawner: SPAWNER,
    architecture: ARCHITECTURE,
    own: null,
    stores: [],
    capabilities,
    ...parts,
  });
}

const OWN = openOwnCalls(libc);
const STORES = [createMemoryStore(libc, ARCHITECTURE)];
const WAYS = { "in place": { own: OWN, stores: STORES }, "from a file": { stores: STORES } };
const LAUNCHER: Starting = launcherOn(WAYS["in place"]);
const AHEAD = StartBlocks.open(libc, ARCHITECTURE);

type Starting = Pick<ProgramLauncher, "start">;

/** Starts ahead, and looks what became of it when that is known. */
function aheadOn(parts: Partial<LauncherParts> = {}): Starting {
  const launcher = launcherOn({ ...WAYS["in place"], ahead: AHEAD, ...parts });
  return {
    start(start) {
      const begun = launcher.startAhead(start);
      if ("errno" in begun) return begun;
      while (begun.isOnItsWay()) pause();
      const failure = begun.failure();
      if (failure !== null) libc.call(libc.numbers.waitid, P_PID, begun.id, 0, WEXITED, 0);
      return failure ?? begun.id;
    },
  };
}

function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
}

/** A test of every way. */
function testBoth(name: string, test: (launcher: Starting) => void): void {
  for (const [way, parts] of Object.entries(WAYS)) {
    Deno.test(`${way}: ${name}`, () => test(launcherOn(parts)));
  }
  Deno.test(`ahead: ${name}`, () => test(aheadOn()));
}

function openPath(path: string): number {
  return libc.call(libc.numbers.openat, AT_FDCWD, libc.path(path), OPEN.PATH | OPEN.CLOEXEC);
}

interface Outcome {
  readonly failure: StartFailure | null;
  readonly text: string;
}

/** Starts a program held by all there is, and gives what it wrote or why it was not started. */
function launch(start: Partial<HeldStart>, launcher = LAUNCHER): Outcome {
  const pipe = openPipe(libc);
  const directory = openPath("/usr");
  const scopes = scopeRules(ABI);
  const rules = scopes === null ? null : openRules(libc, scopes);
  assert(typeof rules !== "string");
  const id = launcher.start({
    path: "/bin/sh",
    argv: ["sh"],
    environment: ["PATH=/usr/bin:/bin"],
    known: [],
    directory,
    descriptors: [-1, pipe.write, pipe.write],
    limits: LIMITS,
    confined: true,
    rules,
    filter: () => encodeFilter(filterFor(ARCHITECTURE, { network: false })),
    ...start,
  });
  for (const one of [pipe.write, directory, rules]) {
    if (one !== null) libc.call(libc.numbers.close, one);
  }
  const text = textOf(pipe.read);
  if (typeof id === "number") libc.call(libc.numbers.waitid, P_PID, id, 0, WEXITED, 0);
  return { failure: typeof id === "number" ? null : id, text };
}

function textOf(descriptor: number): string {
  const buffer = new Uint8Array(1 << 16);
  let text = "";
  for (;;) {
    const count = libc.transfer(libc.numbers.read, descriptor, buffer, buffer.length);
    if (count <= 0) break;
    text += new TextDecoder().decode(buffer.subarray(0, count));
  }
  libc.call(libc.numbers.close, descriptor);
  return text;
}

const sh = (script: string, start: Partial<HeldStart> = {}, launcher = LAUNCHER) =>
  launch({ argv: ["sh", "-c", script], ...start }, launcher);

testBoth(
  "a program begins with its words, directory, limits, and held by all that was asked for",
  (launcher) => {
    const { failure, text } = sh(
      `
    pwd; echo "$0|$A"; ulimit -c; ulimit -H -t; ulimit -H -f
    while read -r name value; do
      case $name in SigBlk: | SigIgn: | NoNewPrivs: | Seccomp: | CapEff: | CapPrm: | CapInh:) echo "$name $value" ;; esac
    done < /proc/self/status
    while read -r _ name kind _ most _; do
      case $name-$kind in
        realtime-timeout) echo "mark $most" ;;
        core-file) echo "core $most" ;;
      esac
    done < /proc/self/limits
    nice`,
      { environment: ["PATH=/usr/bin:/bin", "A=ä b"] },
      launcher,
    );
    assertEquals(failure, null);
    const [cwd, words, core, cpu, file, ...status] = text.trimEnd().split("\n");
    assertEquals([cwd, words, core, cpu, file], [
      "/usr",
      "sh|ä b",
      "0",
      "100",
      String((1 << 30) / 512),
    ]);
    const facts = Object.fromEntries(status.map((line) => line.split(" ")));
    // Of those up to 31: what real-time signals whoever began all this ignored is no matter here.
    const ofSignals = (name: string) => BigInt(`0x${facts[name]}`) & 0x7fff_ffffn;
    assertEquals([ofSignals("SigBlk:"), ofSignals("SigIgn:")], [0n, 0n]);
    assertEquals([facts["NoNewPrivs:"], facts["Seccomp:"]], ["1", "2"]);
    // Not 0, for which the kernel would start what /proc/sys/kernel/core_pattern names.
    assertEquals(facts["core"], "1");
    assertEquals(facts["CapInh:"], "0000000000000000");
    // Of capabilities those about files and identities alone are left to root, and to others none.
    const left = BigInt(`0x${facts["CapEff:"]}`) & ~0b1101_1111n;
    assertEquals(left, 0n);
    assertEquals(facts["CapPrm:"], facts["CapEff:"]);
    assertEquals(facts["mark"], String(LIMITS.mark));
  },
);

testBoth(
  "a program has the descriptors that it is given, wherever they lay, and no others",
  (launcher) => {
    const pipes = Array.from({ length: 8 }, () => openPipe(libc));
    const list = 'for n in 0 1 2 3 4 5 6 7 8 9; do (eval ": <&$n") 2>/dev/null && echo $n; done';
    const extra = openPath("/");
    for (const pipe of pipes) {
      const { text } = sh(`${list}; true`, {
        descriptors: [pipe.read, pipe.write, pipe.write, extra],
      }, launcher);
      assertEquals(text, "");
      libc.call(libc.numbers.close, pipe.write);
      assertEquals(textOf(pipe.read).trim().split("\n"), ["0", "1", "2", "6"]);
    }
    libc.call(libc.numbers.close, extra);
  },
);

testBoth(
  "what a program hands over comes by a descriptor that it does not have, whichever of its own are closed",
  (launcher) => {
    // Nothing that is handed over: here is nobody to answer it.
    const list = "for n in 0 1 2 3 4 5 6 7 8 9; do [ -e /proc/self/fd/$n ] && echo $n; done; true";
    const filter = () =>
      encodeFilter(filterFor(ARCHITECTURE, { network: false, handed: "changes" }));
    const extra = openPath("/");
    for (const closed of [true, false]) {
      for (const others of [[], [extra]]) {
        const pipe = openPipe(libc);
        const listeners: number[] = [];
        const { failure } = sh(list, {
          descriptors: [closed ? -1 : extra, pipe.write, pipe.write, ...others],
          filter,
          onListener: (listener) => listeners.push(listener),
        }, launcher);
        libc.call(libc.numbers.close, pipe.write);
        assertEquals(failure, null);
        const expected = [...(closed ? [] : ["0"]), "1", "2", ...(others.length > 0 ? ["6"] : [])];
        assertEquals(textOf(pipe.read).trim().split("\n"), expected);
        const leads = listeners.map((one) => Deno.readLinkSync(`/proc/self/fd/${one}`));
        assertEquals(leads, ["anon_inode:seccomp notify"]);
        for (const listener of listeners) libc.call(libc.numbers.close, listener);
      }
    }
    libc.call(libc.numbers.close, extra);
    // One that does not start has handed over nothing.
    const told: number[] = [];
    const onListener = (listener: number) => told.push(listener);
    const { failure } = launch({ path: "/nowhere", filter, onListener }, launcher);
    assertEquals([failure?.step, failure?.errno, told], ["execve", ERRNO.ENOENT, []]);
  },
);

testBoth(
  "what cannot be started is told by its step and its error, and leaves nothing behind",
  (launcher) => {
    const rows: readonly (readonly [Partial<HeldStart>, string, number])[] = [
      [{ path: "/nowhere/at/all" }, "execve", ERRNO.ENOENT],
      [{ path: "/usr" }, "execve", ERRNO.EACCES],
      [{ directory: -ERRNO.EBADF }, "directory", ERRNO.EBADF],
      [{ argv: ["sh", "x".repeat(1 << 20)] }, "execve", ERRNO.E2BIG],
      [{ argv: Array.from({ length: 40 }, () => "x".repeat(1 << 18)) }, "execve", ERRNO.E2BIG],
      [{ filter: () => new Uint8Array(0) }, "seccomp", ERRNO.EINVAL],
    ];
    for (const [start, step, errno] of rows) {
      const shown = { ...start, directory: start.directory === undefined ? openPath("/") : -1 };
      assertEquals(launch(shown, launcher), { failure: { step, errno } as StartFailure, text: "" });
      if (shown.directory >= 0) libc.call(libc.numbers.close, shown.directory);
    }
    // Other tests of this process may have children that run: none that has ended waits.
    libc.struct.setInt32(SI_PID, 0, true);
    libc.call(libc.numbers.waitid, 0, 0, libc.structAddress, WEXITED | WNOHANG | WNOWAIT, 0);
    assertEquals(libc.struct.getInt32(SI_PID, true), 0);
  },
);

Deno.test("where memory may not be executed, a file of a private folder does, and is gone afterwards", () => {
  const folder = Deno.makeTempDirSync({ prefix: "toolgate-test-" });
  try {
    const refusing = { put: () => -ERRNO.EACCES };
    const launcher = launcherOn({ stores: [refusing, createFolderStore(libc, folder)] });
    for (let round = 0; round < 3; round++) {
      assertEquals(sh("echo ran", {}, launcher), { failure: null, text: "ran\n" });
    }
    assertEquals([...Deno.readDirSync(folder)], []);
    const none = launcherOn({ stores: [refusing] });
    assertEquals(sh("echo ran", {}, none).failure, { step: "start", errno: ERRNO.EACCES });
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});

testBoth("a program with one start cannot start another, whatever forks", (launcher) => {
  const only = startFilter(ARCHITECTURE, { network: false });
  const { text } = sh("echo begun; (/bin/echo forked); /bin/echo other; exec /bin/echo instead", {
    filter: only,
  }, launcher);
  assert(text.startsWith("begun\n"), text);
  for (const word of ["forked", "other", "instead"]) assert(!text.includes(`\n${word}\n`), text);
  const free = sh("echo begun; (/bin/echo forked); exec /bin/echo instead", {}, launcher);
  assertEquals(free.text, "begun\nforked\ninstead\n");
});

Deno.test("the last step becomes the program, the filter comes right before it, and the rules before that", () => {
  for (const architecture of ["x86_64", "aarch64"] as const) {
    const steps = programSteps(
      architecture,
      { path: "/p", argv: ["p"], environment: [] },
      {
        limits: LIMITS,
        first: [],
        placing: [],
        directory: 5,
        firstFree: 6,
        confined: true,
        rules: 4,
        handing: null,
        filter: () => encodeFilter(filterFor(architecture, { network: false })),
        capabilities: [1, 0],
      },
    );
    const names = steps.map(({ name }) => name);
    assertEquals(names.slice(-5), [
      "capabilities",
      "landlock",
      "descriptors",
      "seccomp",
      "execve",
    ]);
    assert(names.indexOf("no_new_privs") < names.indexOf("landlock"));
    assertEquals(steps.filter(({ optional }) => optional).map(({ name }) => name), [
      "nice",
      "descriptors",
    ]);
  }
});

testBoth("a program is the leader of a session of its own", (launcher) => {
  const { text } = sh(
    'read -r id _ state parent group session _ < /proc/$$/stat; echo "$id $group $session"',
    {},
    launcher,
  );
  const [id, group, session] = text.trim().split(" ");
  assert(Number(id) > 1);
  assertEquals([group, session], [id, id]);
});

/** No system call has this number. */
const NO_CALL = 9_999;

for (const [way, parts] of Object.entries(WAYS)) {
  Deno.test(`${way}: whichever step fails, it is told by name and error, and nothing runs`, () => {
    let failing = 0;
    let count = Infinity;
    const optional: boolean[] = [];
    const launcher = launcherOn({
      ...parts,
      tried(steps) {
        count = steps.length;
        optional[failing] = steps[failing]?.optional === true;
        names[failing] = steps[failing]?.name ?? "";
        return steps.with(failing, { ...steps[failing] as Step<StepName>, call: NO_CALL });
      },
    });
    const names: string[] = [];
    const filter = () =>
      encodeFilter(filterFor(ARCHITECTURE, { network: false, handed: "changes" }));
    for (; failing < count; failing++) {
      const listeners: number[] = [];
      const onListener = (listener: number) => listeners.push(listener);
      const { failure, text } = sh("echo ran", { filter, onListener }, launcher);
      const told = { step: names[failing] as StepName, errno: ERRNO.ENOSYS };
      assertEquals(
        { failure, text, listeners: listeners.length },
        optional[failing]
          ? { failure: null, text: "ran\n", listeners: 1 }
          : { failure: told, text: "", listeners: 0 },
      );
      for (const one of listeners) libc.call(libc.numbers.close, one);
    }
    for (const name of ["no_new_privs", "landlock", "seccomp", "listener", "limit", "execve"]) {
      assert(names.includes(name), name);
    }
  });
}

Deno.test("ahead: whichever step fails, it is told by name and error, and nothing runs", () => {
  let failing = 0;
  let count = Infinity;
  let expected: StartFailure | null = null;
  const launcher = aheadOn({
    tried(steps) {
      count = steps.length;
      const { name, optional } = steps[failing] as Step<StepName>;
      expected = optional === true ? null : { step: name, errno: ERRNO.ENOSYS };
      return steps.with(failing, { ...steps[failing] as Step<StepName>, call: NO_CALL });
    },
  });
  const told = new Set<string>();
  for (; failing < count; failing++) {
    const { failure, text } = sh("echo ran", {}, launcher);
    assertEquals([failure, text], [expected, expected === null ? "ran\n" : ""]);
    if (failure !== null) told.add(failure.step);
  }
  for (const name of ["no_new_privs", "landlock", "seccomp", "limit", "execve"]) {
    assert(told.has(name), name);
  }
});

/** Starts whose children wait on their way, each until a byte comes to its input, as long as `holds` says so. */
function waitingOn(holds: () => boolean) {
  const launcher = launcherOn({
    ...WAYS["in place"],
    ahead: AHEAD,
    tried: (steps) =>
      !holds() ? steps : steps.toSpliced(-1, 0, {
        name: "execve",
        call: libc.numbers.read,
        words: [0, new Uint8Array(8), 1],
      }),
  });
  const directory = openPath("/");
  const pipe = openPipe(libc);
  return {
    begin(path = "/bin/true") {
      const begun = launcher.startAhead({
        ...{ path, argv: [path], environment: [], known: [], directory, limits: LIMITS },
        ...{ descriptors: [pipe.read, -1, -1], confined: false, rules: null, filter: null },
      });
      assert(!("errno" in begun), JSON.stringify(begun));
      return begun;
    },
    letGo(count: number) {
      const bytes = new Uint8Array(count);
      assertEquals(libc.transfer(libc.numbers.write, pipe.write, bytes, count), count);
    },
    close() {
      for (const one of [directory, pipe.read, pipe.write]) libc.call(libc.numbers.close, one);
    },
  };
}

/** The status of an end (si_status), which is waited for. */
function statusOf(id: number): number {
  assertEquals(libc.call(libc.numbers.waitid, P_PID, id, libc.structAddress, WEXITED, 0), 0);
  return libc.struct.getInt32(SI_STATUS, true);
}

Deno.test("who starts ahead goes on meanwhile: each child has memory of its own, and one for which there is none is waited for", () => {
  let holds = true;
  const { begin, letGo, close } = waitingOn(() => holds);
  const children = Array.from({ length: MOST_AHEAD }, () => begin());
  assert(children.every(({ isOnItsWay }) => isOnItsWay()));
  holds = false;
  const another = begin();
  assertEquals([another.isOnItsWay(), statusOf(another.id)], [false, 0]);
  assert(children.every(({ isOnItsWay }) => isOnItsWay()));
  letGo(children.length);
  assertEquals(children.map(({ id }) => statusOf(id)), children.map(() => 0));
  assert(children.every(({ isOnItsWay }) => !isOnItsWay()));
  assertEquals(children.map(({ failure }) => failure()), children.map(() => null));
  close();
});

Deno.test("what failed in a start is told of that one, though its memory was another's since", () => {
  const { begin, letGo, close } = waitingOn(() => true);
  const paths = ["/nowhere", "/bin/true", "/usr"];
  const first = paths.map(begin);
  letGo(first.length);
  while (first.some(({ isOnItsWay }) => isOnItsWay())) pause();
  const then = Array.from({ length: MOST_AHEAD }, () => begin());
  letGo(then.length);
  for (const { id } of [...first, ...then]) statusOf(id);
  assertEquals(first.map(({ failure }) => failure()?.errno), [
    ERRNO.ENOENT,
    undefined,
    ERRNO.EACCES,
  ]);
  assertEquals(then.map(({ failure }) => failure()), then.map(() => null));
  close();
});

Deno.test("a start in place needs no file, and one that it has no room for takes one", () => {
  const alone = launcherOn({ own: OWN });
  assertEquals(sh("echo ran", {}, alone), { failure: null, text: "ran\n" });
  const long = "x".repeat(100_000);
  const both = launcherOn(WAYS["in place"]);
  const argv = ["sh", "-c", "echo ${#1} ${#2} ${#3}", "sh", long, long, long];
  assertEquals(launch({ argv }, both).text, "100000 100000 100000\n");
  assertEquals(launch({ argv }, alone).failure, { step: "start", errno: ERRNO.EACCES });
});

Deno.test("where a child cannot be made in place, a file does", () => {
  for (const errno of [ERRNO.ENOSYS, ERRNO.EPERM, ERRNO.EINVAL]) {
    assert(OWN !== null);
    let asked = 0;
    const own = { ...OWN, start: () => (asked++, -errno) };
    const launcher = launcherOn({ own, stores: STORES });
    for (let round = 0; round < 3; round++) {
      assertEquals(sh("echo ran", {}, launcher), { failure: null, text: "ran\n" });
    }
    // Found out once.
    assertEquals(asked, 1);
  }
  assert(OWN !== null);
  const own = { ...OWN, start: () => -ERRNO.EAGAIN };
  const { failure } = sh("echo ran", {}, launcherOn({ own, stores: STORES }));
  assertEquals(failure, { step: "start", errno: ERRNO.EAGAIN });
});
