/** Programs whose start nobody waits for: what they come to is what it comes to where it is waited for. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import type { CanonicalPath } from "../../../../src/core/capability.ts";
import { ToolError } from "../../../../src/core/errors.ts";
import type { ProcessOutcome } from "../../../../src/core/tool.ts";
import { createProcesses } from "../../../../src/host/run/processes.ts";
import { type ProgramHolds, UNCONFINED } from "../../../../src/host/run/program_holds.ts";
import type { ProcessesOptions } from "../../../../src/host/run/program_options.ts";
import { createStarter, type Starter } from "../../../../src/host/run/starter.ts";
import { DEFAULTS } from "../../../../src/policy/model.ts";
import { openOwnCalls } from "../../../../src/sandbox/launcher/own_calls.ts";
import { ProgramLauncher } from "../../../../src/sandbox/launcher/launcher.ts";
import { StartBlocks } from "../../../../src/sandbox/launcher/start_blocks.ts";
import type { Architecture } from "../../../../src/sandbox/seccomp.ts";
import { comesToBe } from "../../../until.ts";
import { LIBC } from "../../sandbox/_libc.ts";
import { rulebookOf } from "../_rulebook.ts";
import { ALONE, SPAWNER } from "./_starter.ts";

const WORKSPACE = Deno.realPathSync(Deno.cwd()) as CanonicalPath;
const ARCHITECTURE = Deno.build.arch as Architecture;
const own = openOwnCalls(LIBC);
const STARTER = createStarter(LIBC, SPAWNER, { own, shared: true });
const BINARY: ProgramHolds = {
  ...UNCONFINED,
  of: (starting) => ({ ...UNCONFINED.of(starting), binary: true }),
};
/** P_PID, WNOHANG | WEXITED (waitid(2)) */
const P_PID = 1;
const ENDED = 1 | 4;
const SIGKILL = 9;

function run(
  argv: readonly string[],
  options: Partial<ProcessesOptions> = {},
): Promise<ProcessOutcome> {
  const path = argv[0] as CanonicalPath;
  const program = { path, start: path, names: [path] };
  const grant = {
    workspace: WORKSPACE,
    read: [],
    write: [],
    spawn: [{ argv, program, cwd: WORKSPACE }],
    connect: [],
    limits: DEFAULTS.limits,
    timeoutMs: 600_000,
    killGraceMs: 1,
    backups: { keep: null, ageMs: null },
    git: DEFAULTS.git,
  };
  const here = { rulebook: rulebookOf(WORKSPACE, {}), signal: new AbortController().signal };
  const parts = { ...ALONE, ...here, grant, holds: BINARY, starter: STARTER, ...options };
  return createProcesses(parts).run(argv, {
    cwd: ".",
    env: {},
    stdin: null,
    timeoutMs: 600_000,
  });
}

Deno.test("a program that is started ahead gives its output and its exit code", async () => {
  const told: boolean[] = [];
  const outcomes = await Promise.all(
    Array.from({ length: 20 }, (_, at) =>
      run(["/bin/sh", "-c", `echo ${at}; exit ${at}`], {
        onGroup: (_id, _share, isOnItsWay) => told.push(isOnItsWay !== undefined),
      })),
  );
  assertEquals(
    outcomes.map(({ stdout, exitCode }) => [new TextDecoder().decode(stdout), exitCode]),
    outcomes.map((_, at) => [`${at}\n`, at]),
  );
  assertEquals(told, outcomes.map(() => true));
});

Deno.test("one that is not there any more is refused as it is where its start is waited for, and nothing is left of it", async () => {
  const ids: number[] = [];
  const error = await assertRejects(
    () => run(["/nowhere/at/all"], { onGroup: (id) => ids.push(id) }),
    ToolError,
  );
  const waited = await assertRejects(
    () => run(["/nowhere/at/all"], { holds: UNCONFINED }),
    ToolError,
  );
  assertEquals(error.toResultError(), waited.toResultError());
  assertEquals(ids.length, 1);
  for (const id of ids) {
    assert(LIBC.call(LIBC.numbers.waitid, P_PID, id, 0, ENDED, 0) < 0, "it was not waited for");
  }
});

Deno.test("one that is cancelled before it leads its group is ended all the same", async () => {
  const { ppoll, kill } = LIBC.numbers;
  const starter: Starter = {
    ...STARTER,
    launcher: new ProgramLauncher({
      libc: LIBC,
      spawner: SPAWNER,
      architecture: ARCHITECTURE,
      own,
      ahead: StartBlocks.open(LIBC, ARCHITECTURE),
      stores: [],
      capabilities: null,
      // Before all else, for ever: all signals are blocked there.
      tried: (steps) => [{ name: "signals", call: ppoll, words: [] }, ...steps],
    }),
  };
  const ids: number[] = [];
  const controller = new AbortController();
  const running = run(["/bin/true"], {
    starter,
    signal: controller.signal,
    onGroup: (id) => ids.push(id),
  });
  try {
    assert(await comesToBe(() => ids.length === 1));
    controller.abort();
    const { cancelled, exitCode } = await running;
    assertEquals([cancelled, exitCode], [true, null]);
    const [id = 0] = ids;
    assert(await comesToBe(() => LIBC.call(LIBC.numbers.kill, id, 0) < 0), "it is still there");
  } finally {
    for (const id of ids) LIBC.call(kill, id, SIGKILL);
  }
});
