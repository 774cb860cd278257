import { assert, assertEquals } from "@std/assert";
import type { CanonicalPath } from "../../../../src/core/capability.ts";
import { jsonText } from "../../../../src/core/result.ts";
import { subjectOf } from "../../../../src/engine/judge/decide_call.ts";
import { DirectRunner } from "../../../../src/engine/programs/direct_runner.ts";
import { createProgramSupport } from "../../../../src/engine/programs/program_support.ts";
import { atOnce } from "../../../../src/engine/turns.ts";
import { createIdentityProbe } from "../../../../src/host/paths/identity.ts";
import { openLibc } from "../../../../src/sandbox/kernel/libc.ts";
import type { Job, Outcome } from "../../../../src/engine/runner.ts";
import type { Policy } from "../../../../src/policy/model.ts";
import { DEFAULTS } from "../../../../src/policy/model.ts";
import { createRegistry } from "../../../../src/tools/registry.ts";
import { withDirectory } from "../../host/files/_temporary.ts";
import { grantOf, rulebookOf } from "../../host/_rulebook.ts";
import { commandRule, pathRule } from "../../policy/_fixtures.ts";
import { running, sleepMark } from "./_runs.ts";

/** The C library, and what it opened, stay as long as the process. */
const LIBRARY_STAYS = { sanitizeResources: false, sanitizeOps: false };

/** A runner in a workspace, and calls for it. */
interface Place {
  readonly runner: DirectRunner;
  job(argv: readonly string[], more?: Partial<Job["grant"]>): Promise<Job>;
  ask(argv: readonly string[], more?: Partial<Job["grant"]>): Promise<Outcome>;
}

async function withRunner(
  sections: Partial<Policy>,
  use: (place: Place) => Promise<void>,
): Promise<void> {
  await withDirectory(async (root) => {
    Deno.writeTextFileSync(`${root}/a.txt`, "text\n");
    Deno.writeTextFileSync(`${root}/.env`, "closed\n");
    const rulebook = rulebookOf(root, {
      paths: [pathRule("allow", ["**"]), pathRule("deny", ["**/.env"])],
      commands: [commandRule("allow", ["cat", "sleep", "sh", "perl"])],
      ...sections,
    });
    await rulebook.prepare([{ kind: "process.spawn" }]);
    const programs = createProgramSupport(rulebook, null);
    const registry = createRegistry();
    const tool = await registry.get("run_command");
    let last = 0;
    const runner = DirectRunner.open({ rulebook, registry, programs, number: () => ++last });
    assert(runner !== null);
    const job: Place["job"] = async (argv, more = {}) => {
      const input = await tool.complete?.({ argv, env: {} }) ?? {};
      const [name = ""] = argv;
      const start = `/usr/bin/${name}`;
      const path = Deno.realPathSync(start) as CanonicalPath;
      const spawn = [{ argv, program: { start, path, names: [name] }, cwd: root }];
      const grant = { ...grantOf(root, { spawn, limits: rulebook.settings.limits }), ...more };
      const subject = subjectOf(tool, "root");
      return { tool, input, grant, preview: false, stream: false, subject } as Job;
    };
    const ask: Place["ask"] = async (argv, more) => await runner.run(await job(argv, more)).outcome;
    try {
      await use({ runner, job, ask });
    } finally {
      await runner.close();
      programs.close();
    }
  });
}

const outputOf = ({ output }: Outcome): Readonly<Record<string, unknown>> =>
  JSON.parse(jsonText(output));
const HELD = ["policy", "landlock", "seccomp"];

Deno.test(
  "a program runs where it is asked for, held by rules of its own",
  LIBRARY_STAYS,
  () =>
    withRunner({}, async ({ runner, job, ask }) => {
      const read = await ask(["cat", "a.txt"]);
      assertEquals([read.error, outputOf(read)["stdout"]], [null, "text\n"]);
      assertEquals([read.usage["layers"], outputOf(read)["sandbox"]], [HELD, HELD]);
      // Granted by whoever judged it, and not by the rules that are drawn from its words.
      const refused = await ask(["cat", ".env"]);
      assertEquals([refused.error?.code, outputOf(refused)["stdout"]], ["COMMAND_FAILED", ""]);
      assertEquals(runner.takes(await job(["cat", "a.txt"])), true);
      // It may read what the policy allows: all of that has to be looked through.
      assertEquals(runner.takes(await job(["perl", "-e", "1"])), false);
      // Megabytes, and paths by the hundred, are for a thread.
      const short = await job(["cat", "a.txt"]);
      const { grant } = short;
      const path = { requested: "a.txt", path: grant.workspace, tree: false };
      for (
        const long of [
          { ...short, input: { argv: ["cat"], stdin: "x".repeat(300_000) } },
          {
            ...short,
            input: { argv: ["cat"], env: { A: "x".repeat(200_000), B: "x".repeat(99_000) } },
          },
          { ...short, grant: { ...grant, read: Array(300).fill(path) } },
          { ...short, grant: { ...grant, limits: { ...grant.limits, output: 1 << 24 } } },
        ]
      ) assertEquals(runner.takes(long), false);
      const missing = await ask(["cat", "a.txt"], { spawn: [] });
      assertEquals(missing.error?.code, "COMMAND_DENIED");
      assertEquals(runner.running, 0);
    }),
);

Deno.test(
  "what a program may start by its words or by its rule is asked for where it runs",
  LIBRARY_STAYS,
  () => {
    const commands = [
      { ...commandRule("allow", ["nice"]), runs: ["sort"] },
      commandRule("allow", ["find", "timeout", "cat", "grep", "perl", "sort"]),
    ];
    return withRunner({ commands }, async ({ runner, job, ask }) => {
      const rows = [
        [["timeout", "5", "cat", "a.txt"], "text\n"],
        [["nice", "sort", "a.txt"], "text\n"],
        [["find", ".", "-name", "a.txt", "-exec", "grep", "-c", "text", "{}", ";"], "1\n"],
      ] as const;
      for (const [argv, expected] of rows) {
        assertEquals(runner.takes(await job(argv)), true, argv.join(" "));
        assertEquals(outputOf(await ask(argv))["stdout"], expected, argv.join(" "));
      }
      assertEquals(runner.takes(await job(["timeout", "5", "perl", "-e", "1"])), false);
    });
  },
);

Deno.test(
  "what somebody agreed to is compared once more, with all that lies below it",
  LIBRARY_STAYS,
  () =>
    withRunner({}, async ({ runner, job }) => {
      const granted = await job(["cat", "a.txt"]);
      const base = granted.grant.workspace;
      const probe = createIdentityProbe(openLibc());
      const tree = atOnce(probe.treeIdentityOf(base));
      const whole = { requested: null, base, path: base, identity: probe.identityOf(base), tree };
      const ask = async () => await runner.run({ ...granted, agreed: [whole] }).outcome;
      assertEquals((await ask()).error, null);
      Deno.writeTextFileSync(`${base}/a.txt`, "another text\n");
      assertEquals((await ask()).error?.code, "APPROVAL_EXPIRED");
    }),
);

Deno.test(
  "calls are ended at their time, when they are cancelled, and with the runner",
  LIBRARY_STAYS,
  () =>
    withRunner({}, async ({ runner, job, ask }) => {
      const seconds = sleepMark();
      const late = await ask(["sleep", seconds], { timeoutMs: 300 });
      assertEquals([late.error?.code, running(seconds)], ["TIMEOUT", []]);
      const under = runner.run(await job(["sleep", seconds]));
      while (running(seconds).length === 0) await new Promise((go) => setTimeout(go, 5));
      assertEquals(runner.running, 1);
      under.cancel();
      assertEquals([(await under.outcome).error?.code, running(seconds)], ["CANCELLED", []]);
      const last = runner.run(await job(["sleep", seconds]));
      await runner.close();
      assertEquals([(await last.outcome).error?.code, running(seconds)], ["CANCELLED", []]);
    }),
);

Deno.test(
  "no more run at once than the policy lets, and who waits can be stopped as well",
  LIBRARY_STAYS,
  () => {
    const limits = { ...DEFAULTS.limits, concurrency: 2 };
    return withRunner({ limits }, async ({ runner, job, ask }) => {
      const seconds = sleepMark();
      const first = [
        runner.run(await job(["sleep", seconds])),
        runner.run(await job(["sleep", seconds])),
      ];
      const third = runner.run(await job(["sleep", seconds]));
      const fourth = runner.run(await job(["cat", "a.txt"]));
      while (running(seconds).length < 2) await new Promise((go) => setTimeout(go, 5));
      third.cancel();
      assertEquals((await third.outcome).error?.code, "CANCELLED");
      assertEquals([runner.running, running(seconds).length], [3, 2]);
      first[0]?.cancel();
      assertEquals(outputOf(await fourth.outcome)["stdout"], "text\n");
      first[1]?.cancel();
      for (const one of first) assertEquals((await one.outcome).error?.code, "CANCELLED");
      const many = await Promise.all(Array.from({ length: 40 }, () => ask(["cat", "a.txt"])));
      assertEquals(many.map(({ error }) => error), many.map(() => null));
    });
  },
);

Deno.test("without the kernel's layer programs run and say so", LIBRARY_STAYS, () =>
  withRunner(
    { sandbox: { ...DEFAULTS.sandbox, kernel: "off" } },
    async ({ ask }) => {
      const { error, usage } = await ask(["cat", "a.txt"]);
      assertEquals([error, usage["layers"]], [null, ["policy"]]);
      assert(Array.isArray(usage["layers_missing"]));
    },
  ));
