import { assert, assertEquals, assertRejects } from "@std/assert";
import type { CanonicalPath, Program } from "../../../../src/core/capability.ts";
import { scriptVariables } from "../../../../src/core/git/settings.ts";
import { ToolError } from "../../../../src/core/errors.ts";
import type { ProcessOutcome } from "../../../../src/core/tool.ts";
import { createProcesses } from "../../../../src/host/run/processes.ts";
import type { ProcessesOptions } from "../../../../src/host/run/program_options.ts";
import { type Poller, READABLE, type Tell } from "../../../../src/host/kernel/poller.ts";
import type { Grant } from "../../../../src/policy/grant.ts";
import { DEFAULTS } from "../../../../src/policy/model.ts";
import { rulebookOf } from "../_rulebook.ts";
import { ALONE, STARTER } from "./_starter.ts";
import { inTime } from "../../../in_time.ts";
import { comesToBe } from "../../../until.ts";
import { withDirectory } from "../files/_temporary.ts";

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

function programAt(path: string): Program {
  return { path: path as CanonicalPath, start: path, names: [path] };
}

interface Wish extends Partial<Omit<ProcessesOptions, "grant" | "rulebook">> {
  readonly output?: number;
  readonly killGraceMs?: number;
  readonly timeoutMs?: number;
  readonly stdin?: Uint8Array | null;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly start?: string;
}

const WORKSPACE = Deno.realPathSync(Deno.cwd()) as CanonicalPath;

const HERE = {
  rulebook: rulebookOf(WORKSPACE, {}),
  signal: new AbortController().signal,
};

/** Runs argv as its grant's only program. */
function run(argv: readonly string[], wish: Wish = {}): Promise<ProcessOutcome> {
  const cwd = (wish.cwd ?? WORKSPACE) as CanonicalPath;
  const grant: Grant = {
    workspace: WORKSPACE,
    read: [],
    write: [],
    spawn: [{ argv, program: programAt(wish.start ?? argv[0] ?? ""), cwd }],
    connect: [],
    limits: { ...DEFAULTS.limits, output: wish.output ?? 100_000 },
    timeoutMs: 600_000,
    killGraceMs: wish.killGraceMs ?? 600_000,
    backups: { keep: null, ageMs: null },
    git: DEFAULTS.git,
  };
  return createProcesses({ ...ALONE, ...HERE, grant, layers: ["policy"], ...wish }).run(argv, {
    cwd: ".",
    env: wish.env ?? {},
    stdin: wish.stdin ?? null,
    timeoutMs: wish.timeoutMs ?? 600_000,
  });
}

const sh = (line: string, wish: Wish = {}) => run(["/bin/sh", "-c", line], wish);

/** A line that never ends, out of time when it has said something. */
const whenSaid = (line: string, wish: Wish = {}) =>
  inTime(200, async (timeoutMs) => {
    const outcome = await sh(line, { ...wish, timeoutMs });
    return outcome.stdout.length > 0 ? outcome : null;
  });

const isGone = (pid: number): Promise<boolean> =>
  comesToBe(() => {
    try {
      const [, state] = /\) (.)/.exec(Deno.readTextFileSync(`/proc/${pid}/stat`)) ?? [];
      // A killed orphan may wait for whoever inherits it; it runs no more.
      return state === "Z";
    } catch {
      return true;
    }
  });

Deno.test("a program gives its output, its exit code, and what held it", async () => {
  const outcome = await sh("echo out; echo err >&2; exit 3", { layers: ["policy", "landlock"] });
  assertEquals([text(outcome.stdout), text(outcome.stderr)], ["out\n", "err\n"]);
  assertEquals([outcome.exitCode, outcome.signal], [3, null]);
  assertEquals([outcome.timedOut, outcome.cancelled], [false, false]);
  assertEquals(outcome.dropped, { stdout: 0, stderr: 0 });
  assertEquals(outcome.sandbox, ["policy", "landlock"]);
  assert(outcome.durationMs > 0);
});

Deno.test("a program sees the environment it is given, its directory and its input, no more", async () => {
  await withDirectory(async (root) => {
    const seen = await sh("env; pwd; cat", {
      cwd: root,
      env: { EXTRA: "1" },
      stdin: new TextEncoder().encode("input"),
    });
    const lines = text(seen.stdout).split("\n");
    assertEquals(
      lines.filter((line) => !line.startsWith("_=")).sort(),
      [
        "EXTRA=1",
        "PATH=/usr/bin:/bin",
        `PWD=${root}`,
        // A shell may start git.
        ...Object.entries(scriptVariables({ hooks: "deny", protocols: ["https"] }))
          .map(([name, value]) => `${name}=${value}`),
        root,
        "input",
      ].sort(),
    );
    assertEquals(text((await sh("cat; echo end")).stdout), "end\n");
  });
});

Deno.test("arguments reach the program as they are, and it reads the name it was started by", async () => {
  const words = ["a b", "$HOME", "`id`", "*", "", "ü\n", "'\""];
  const outcome = await run(["/usr/bin/printf", "%s|", ...words]);
  assertEquals(text(outcome.stdout), words.map((word) => `${word}|`).join(""));
  const named = await run(["sh", "-c", "echo $0"], { start: "/bin/sh" });
  assertEquals(text(named.stdout), "sh\n");
});

Deno.test("a program that overruns gets SIGTERM, and keeps what it said", async () => {
  const outcome = await whenSaid("trap 'echo asked; exit 9' TERM; echo said; sleep 100 & wait");
  assertEquals(text(outcome.stdout), "said\nasked\n");
  assertEquals([outcome.timedOut, outcome.exitCode], [true, 9]);
  const plain = await run(["/bin/sleep", "3000"], { timeoutMs: 100 });
  assertEquals([plain.timedOut, plain.exitCode, plain.signal], [true, null, "SIGTERM"]);
});

Deno.test("a program that does not heed SIGTERM is killed, with all it has started", async () => {
  const line = "trap '' TERM; sh -c 'echo $$; exec sleep 100' & wait; sleep 100";
  const outcome = await whenSaid(line, { killGraceMs: 200 });
  assertEquals([outcome.timedOut, outcome.signal], [true, "SIGKILL"]);
  assert(await isGone(Number(text(outcome.stdout).trim())));
});

Deno.test("what a program leaves that heeds no SIGTERM ends with it", async () => {
  const line = "(trap '' TERM; exec >/dev/null 2>&1; exec sleep 100) & echo $!; sleep 100";
  const outcome = await whenSaid(line);
  assertEquals([outcome.timedOut, outcome.signal], [true, "SIGTERM"]);
  assert(await isGone(Number(text(outcome.stdout).trim())));
});

Deno.test("a cancelled program ends as one that overruns; one not yet started is not started", async () => {
  for (const [reason, expected] of [["CANCELLED", [false, true]], ["TIMEOUT", [true, false]]]) {
    const abort = new AbortController();
    const running = sh("echo said; sleep 3000", {
      signal: abort.signal,
      listener: { tell: () => (abort.abort(reason), true), whenRoom: () => {} },
    });
    const outcome = await running;
    assertEquals([outcome.timedOut, outcome.cancelled], expected as boolean[]);
    assertEquals([text(outcome.stdout), outcome.signal], ["said\n", "SIGTERM"]);
  }
  const error = await assertRejects(
    () => sh("echo x", { signal: AbortSignal.abort("CANCELLED") }),
    ToolError,
  );
  assertEquals(error.code, "CANCELLED");
});

Deno.test("a program in the background that holds the output does not hold the answer", async () => {
  const outcome = await sh("sleep 3000 & echo $!; echo done");
  assertEquals(outcome.exitCode, 0);
  const [pid = "", done] = text(outcome.stdout).trim().split("\n");
  assertEquals(done, "done");
  assert(await isGone(Number(pid)));
  // One that left the group keeps running, but is no longer waited for.
  const escaped = await sh("setsid sleep 3 & echo done");
  assertEquals(text(escaped.stdout), "done\n");
});

Deno.test("a run has not ended before what left its group and holds the output was ended: what starts then is none of it", async () => {
  await withDirectory(async (root) => {
    const file = `${root}/pid`;
    let isEnded = false;
    const onLeft = async () => {
      Deno.kill(Number(Deno.readTextFileSync(file)), "SIGKILL");
      // The output has ended long before; who ends it looks at others still.
      await new Promise((resolve) => setTimeout(resolve, 700));
      isEnded = true;
    };
    const left = `setsid sh -c 'echo $$ >"$0"; exec sleep 3000' ${file} &`;
    const outcome = await sh(`${left} while [ ! -s ${file} ]; do :; done; echo done`, { onLeft });
    assertEquals([text(outcome.stdout), isEnded], ["done\n", true]);
  });
});

Deno.test("output is kept to its limit from both ends, for each stream", async () => {
  const line = "echo begin; yes x | head -c 500000; echo end; yes e | head -c 300000 >&2";
  const outcome = await sh(line, { output: 1_000 });
  const stdout = text(outcome.stdout);
  assert(stdout.startsWith("begin\n") && stdout.endsWith("end\n"));
  assert(outcome.stdout.length <= 1_000 && outcome.stderr.length <= 1_000);
  assert(outcome.dropped.stdout > 498_000 && outcome.dropped.stderr > 298_000);
});

Deno.test("a program that writes for ever is ended by its timeout, in bounded memory", async () => {
  const outcome = await inTime(300, async (timeoutMs) => {
    const ended = await run(["/usr/bin/yes"], { timeoutMs, output: 10_000 });
    assertEquals(ended.timedOut, true);
    return ended.dropped.stdout > 0 ? ended : null;
  });
  assert(outcome.stdout.length <= 10_000);
});

Deno.test("what a program has written is not lost where nobody is told of it in time", async () => {
  const { poller } = STARTER;
  // As where the thread that sleeps until there is something gets no processor.
  const deaf = {
    watch: (descriptor: number, events: number, tell: Tell) =>
      events === READABLE
        ? { rest: () => {}, close: () => {} }
        : poller.watch(descriptor, events, tell),
    watchEnd: (descriptor: number, tell: Tell) => poller.watchEnd(descriptor, tell),
    expectSoon: () => poller.expectSoon(),
    expectLater: () => poller.expectLater(),
    cooled: () => poller.cooled(),
    awake: () => poller.awake(),
  } as unknown as Poller;
  const left: string[] = [];
  const onLeft = () => Promise.resolve(void left.push("asked"));
  const wish = { starter: { ...STARTER, poller: deaf }, onLeft };
  const outcome = await sh("echo out; echo err >&2", wish);
  assertEquals([text(outcome.stdout), text(outcome.stderr)], ["out\n", "err\n"]);
  // All of it was there: nobody holds it any more.
  assertEquals([outcome.exitCode, left], [0, []]);
  const held = await sh("echo out; setsid sleep 3000 & echo $!", wish);
  const [said, id] = text(held.stdout).split("\n");
  Deno.kill(Number(id), "SIGKILL");
  assertEquals([said, left], ["out", ["asked"]]);
});

Deno.test("input that nobody reads holds nothing up", async () => {
  const outcome = await run(["/bin/true"], { stdin: new Uint8Array(5_000_000) });
  assertEquals(outcome.exitCode, 0);
  const slow = await sh("sleep 0.2; exit 4", { stdin: new Uint8Array(5_000_000) });
  assertEquals(slow.exitCode, 4);
});

Deno.test("only what the grant names is started, word for word", async () => {
  const grant: Grant = {
    workspace: "/w" as CanonicalPath,
    read: [],
    write: [],
    spawn: [
      { argv: ["ls", "-l"], program: programAt("/bin/ls"), cwd: "/" as CanonicalPath },
      { argv: ["pwd"], program: programAt("/bin/pwd"), cwd: "/usr" as CanonicalPath },
      { argv: ["pwd"], program: programAt("/bin/pwd"), cwd: "/etc" as CanonicalPath },
    ],
    connect: [],
    limits: DEFAULTS.limits,
    timeoutMs: 600_000,
    killGraceMs: 600_000,
    backups: { keep: null, ageMs: null },
    git: DEFAULTS.git,
  };
  const processes = createProcesses({ ...ALONE, ...HERE, grant, environment: {} });
  const request = { cwd: ".", env: {}, stdin: null, timeoutMs: 600_000 };
  for (const argv of [["ls"], ["ls", "-l", ""], ["ls", "-a"], ["LS", "-l"], []]) {
    const error = await assertRejects(() => processes.run(argv, request), ToolError);
    assertEquals(error.code, "COMMAND_DENIED");
  }
  assertEquals((await processes.run(["ls", "-l"], request)).exitCode, 0);
  const usr = await processes.run(["pwd"], { ...request, cwd: "/usr" });
  assertEquals(text(usr.stdout), "/usr\n");
  await assertRejects(() => processes.run(["pwd"], request), ToolError);
});

Deno.test("what cannot be started says so by its code", async () => {
  await withDirectory(async (root) => {
    Deno.writeTextFileSync(`${root}/data`, "text", { mode: 0o644 });
    Deno.writeTextFileSync(`${root}/script`, "echo hi\n");
    Deno.writeTextFileSync(`${root}/broken`, "#!/no/such/interpreter\n");
    for (const name of ["script", "broken"]) Deno.chmodSync(`${root}/${name}`, 0o755);
    // A script without a first line for its interpreter is the shell's (execvp(3)).
    assertEquals(text((await run([`${root}/script`])).stdout), "hi\n");
    const cases: readonly (readonly [readonly string[], Wish, string])[] = [
      [["/no/such/program"], {}, "COMMAND_NOT_FOUND"],
      [[`${root}/broken`], {}, "COMMAND_NOT_FOUND"],
      [["/bin/true"], { cwd: `${root}/gone` }, "COMMAND_NOT_FOUND"],
      [[`${root}/data`], {}, "NATIVE_DENIED"],
      [["/bin/echo", "x".repeat(3_000_000)], {}, "INVALID_ARGUMENTS"],
    ];
    for (const [argv, wish, expected] of cases) {
      const error = await assertRejects(() => run(argv, wish), ToolError);
      assertEquals(error.code, expected, argv[0]);
      assert(argv[0]?.startsWith(root) || !error.message.includes(root));
    }
  });
});

Deno.test("each run gets a temporary directory of its own, which goes with it", async () => {
  await withDirectory(async (root) => {
    const outcome = await sh('touch "$TMPDIR/x" && ls "$TMPDIR" && echo "$TMPDIR"', {
      temporaryRoot: root,
    });
    const [name, path = ""] = text(outcome.stdout).trim().split("\n");
    assertEquals(name, "x");
    assert(path.startsWith(`${root}/`));
    assertEquals([...Deno.readDirSync(root)], []);
  });
});

Deno.test("a program leads a session and a group of its own, which another thread can end", async () => {
  const groups: number[] = [];
  const running = sh("sh -c 'exec sleep 3000' & cat /proc/$$/stat; wait", {
    onGroup: (id) => groups.push(id),
    listener: {
      tell(_stream, said) {
        const [id = 0] = groups;
        if (said.includes("(sh)")) Deno.kill(-id, "SIGKILL");
        return true;
      },
      whenRoom: () => {},
    },
  });
  const outcome = await running;
  const fields = /\) . \d+ (\d+) (\d+)/.exec(text(outcome.stdout));
  const [id = 0] = groups;
  assertEquals([fields?.[1], fields?.[2]], [String(id), String(id)]);
  assertEquals(outcome.signal, "SIGKILL");
  assertEquals(groups.length, 1);
});

Deno.test("three hundred programs leave no descriptor and no zombie", async () => {
  await run(["/bin/true"]);
  const before = [...Deno.readDirSync("/proc/self/fd")].length;
  // Those that other tests of this process have left are not of these programs.
  const left = childrenOfThread();
  for (let batch = 0; batch < 10; batch++) {
    const outcomes = await Promise.all(
      Array.from(
        { length: 30 },
        (_, index) =>
          index % 3 === 0
            ? sh("cat >/dev/null; exit 1", { stdin: new Uint8Array(100_000) })
            : run(["/bin/echo", "hello"]),
      ),
    );
    assert(outcomes.every(({ exitCode }, index) => exitCode === (index % 3 === 0 ? 1 : 0)));
  }
  assertEquals([...Deno.readDirSync("/proc/self/fd")].length, before);
  // Some are waited for only when their turn comes.
  const more = () => childrenOfThread().filter((id) => !left.includes(id));
  await comesToBe(() => more().length === 0);
  assertEquals(more(), []);
});

function childrenOfThread(): readonly string[] {
  const children = Deno.readTextFileSync(`/proc/self/task/${Deno.pid}/children`);
  return children.split(" ").filter((id) => id.trim() !== "");
}

Deno.test("without system calls the program alone is ended", async () => {
  const outcome = await run(["/bin/sleep", "3000"], { timeoutMs: 100, starter: null });
  assertEquals([outcome.timedOut, outcome.signal], [true, "SIGTERM"]);
});
