/** What engines are made of: what is loaded and started for a call, and what is not. */

import { assert, assertEquals, assertThrows } from "@std/assert";
import { jsonText } from "../../../src/core/result.ts";
import type { Tool } from "../../../src/core/tool.ts";
import {
  createEngine,
  createStayingEngine,
  type EngineOptions,
  type StayingEngine,
} from "../../../src/engine/create_engine.ts";
import { execute } from "../../../src/engine/execute.ts";
import { NO_RECORDER } from "../../../src/engine/_no_recorder.ts";
import type { Job, Outcome } from "../../../src/engine/runner.ts";
import { subjectOf } from "../../../src/engine/judge/decide_call.ts";
import type { Policy } from "../../../src/policy/model.ts";
import { SENTINEL, Workspace } from "../../binary/toolgate.ts";
import { canonical, commandRule, pathRule, policy } from "../policy/_fixtures.ts";
import { FOLLOW, FREE_THREAD, noLog, registryOf, requestOf, toolOf } from "./_stand_ins.ts";

/** The C library is opened once a process and never closed. */
const LIBRARY_STAYS = { sanitizeResources: false };

const OPEN: Partial<Policy> = {
  risk: { allow: "dangerous", ask: "dangerous" },
  paths: [pathRule("allow", ["**"]), pathRule("deny", ["shut/**"])],
  agents: { root: { permissions: ["all"] } },
};

function optionsOf(root: string, sections: Partial<Policy> = OPEN): EngineOptions {
  const workspace = canonical(root);
  return {
    policies: [{ source: "p.yaml", policy: policy(sections), workspace }],
    workspace,
    sealed: false,
    audit: noLog,
  };
}

/** Takes in what the threads say until the call has ended, as a loop of its user would. */
async function drained<T>({ runner }: StayingEngine, calling: Promise<T>): Promise<T> {
  const state = { ended: false };
  const end = () => {
    state.ended = true;
  };
  const ending = calling.then(end, end);
  while (!state.ended) {
    await Promise.race([runner.bell.wait(), ending]);
    runner.drain();
  }
  return await calling;
}

async function jobOf(engine: StayingEngine, name: string, input: unknown): Promise<Job> {
  const tool: Tool = await engine.registry.get(name);
  const { grant } = await judged(engine, name, input);
  return {
    tool,
    input,
    grant,
    preview: false,
    stream: false,
    subject: subjectOf(tool, "root"),
  };
}

async function judged(engine: StayingEngine, name: string, args: unknown) {
  const { decideCall } = await import("../../../src/engine/judge/decide_call.ts");
  return await decideCall(engine, requestOf(name, { args: args as Record<string, unknown> }));
}

Deno.test("a log is opened where a policy wants one, with its settings, and nowhere else", () => {
  const opened: unknown[] = [];
  const audit: EngineOptions["audit"] = ({ file, required }, workspace) => {
    opened.push([file, required, workspace]);
    return NO_RECORDER;
  };
  createEngine({ ...optionsOf("/w"), audit });
  assertEquals(opened, []);
  const wanted = { file: "log", redact: [], required: true, sync: null, maxSize: null };
  createEngine({ ...optionsOf("/w", { ...OPEN, audit: wanted }), audit });
  assertEquals(opened, [["log", true, "/w"]]);
  const own = { begin: NO_RECORDER.begin };
  const engine = createEngine(optionsOf("/w", { ...OPEN, audit: wanted }), { recorder: own });
  assert(engine.recorder === own);
});

Deno.test(
  "judging files loads nothing; the first command loads what starting programs takes, once",
  LIBRARY_STAYS,
  async () => {
    await using workspace = new Workspace();
    const engine = createEngine(optionsOf(workspace.root));
    const file = { kind: "fs.read", path: "a", tree: false } as const;
    const spawn = { kind: "process.spawn", argv: ["cat"], cwd: "." } as const;
    assertEquals(engine.prepare([file]), null);
    assertThrows(() => engine.resolver.resolve([spawn]), Error, "before prepare()");
    await engine.prepare([spawn]);
    assertEquals(engine.prepare([spawn]), null);
    const [found] = engine.resolver.resolve([spawn]);
    assertEquals(found?.kind === "process.spawn" && found.program?.start, "/usr/bin/cat");
    await engine.runner.close();
  },
);

Deno.test("a call without any power needs no thread, in an engine of one call and of many", async () => {
  await using workspace = new Workspace();
  for (const create of [createEngine, createStayingEngine]) {
    const engine = await create(optionsOf(workspace.root));
    const result = await execute(engine, requestOf("get_timestamp"), FOLLOW);
    assertEquals([result.error, result.usage], [null, { layers: ["policy"] }]);
    if ("threads" in engine.runner) assertEquals(engine.runner.threads, 0);
    await engine.runner.close();
  }
});

Deno.test(
  "the engine of one call reads on a thread that all layers hold",
  LIBRARY_STAYS,
  async () => {
    await using workspace = new Workspace({ "a.txt": "here\n", "shut/b.txt": "closed\n" });
    Deno.symlinkSync(workspace.outside, workspace.path("link"));
    const cases = [
      ["a.txt", null],
      ["shut/b.txt", "PATH_DENIED"],
      ["link/sentinel.txt", "PATH_OUTSIDE_WORKSPACE"],
    ] as const;
    for (const [path, code] of cases) {
      const engine = createEngine(optionsOf(workspace.root), FREE_THREAD);
      const result = await execute(engine, requestOf("read_file", { args: { path } }), FOLLOW);
      assertEquals(result.error?.code ?? null, code, path);
      assert(!jsonText(result.output).includes(SENTINEL.trim()));
      if (code === null) {
        assertEquals(result.usage["layers"], ["policy", "runtime", "landlock"]);
        assertEquals(JSON.parse(jsonText(result.output)).content, "here\n");
      }
      await engine.runner.close();
    }
  },
);

Deno.test(
  "a call that is cancelled before its runner is loaded ends as cancelled",
  LIBRARY_STAYS,
  async () => {
    await using workspace = new Workspace({ "a.txt": "here\n" });
    const engine = createEngine(optionsOf(workspace.root));
    const cancelled = { times: 0 };
    const onRunning = (cancel: () => void) => {
      cancelled.times++;
      cancel();
    };
    const request = requestOf("search_files", { args: { pattern: "x" } });
    const result = await execute(engine, request, { ...FOLLOW, onRunning });
    assertEquals([result.error?.code, cancelled.times], ["CANCELLED", 1]);
    await engine.runner.close();
  },
);

Deno.test(
  "the engine of many calls keeps its threads, and ends them when it is closed",
  LIBRARY_STAYS,
  async () => {
    await using workspace = new Workspace({ "a.txt": "one\n" });
    const engine = await createStayingEngine(optionsOf(workspace.root));
    engine.warm();
    assertEquals(engine.runner.threads, 1);
    engine.warm();
    assertEquals(engine.runner.threads, 1);
    const read = requestOf("read_file", { args: { path: "a.txt" } });
    for (const text of ["one\n", "two\n"]) {
      workspace.write("a.txt", text);
      const result = await drained(engine, execute(engine, read, FOLLOW));
      assertEquals(JSON.parse(jsonText(result.output)).content, text);
    }
    assertEquals([engine.runner.threads, engine.runner.running], [1, 0]);
    const write = requestOf("write_file", { args: { path: "b.txt", content: "three\n" } });
    const written = await drained(engine, execute(engine, write, FOLLOW));
    assertEquals([written.error, workspace.read("b.txt")], [null, "three\n"]);
    assertEquals(engine.runner.threads, 2);
    const job = await jobOf(engine, "search_files", { pattern: "x" });
    const outcome: Promise<Outcome> = engine.runner.run(job, () => {}).outcome;
    await engine.runner.close();
    assertEquals((await outcome).error?.code, "CANCELLED");
    assertEquals(engine.runner.threads, 0);
    workspace.assertOutsideUntouched();
  },
);

Deno.test("what a build puts in place of the usual is what is used", async () => {
  await using workspace = new Workspace();
  const asked: unknown[] = [];
  const engine = createEngine(optionsOf(workspace.root), {
    registry: registryOf(toolOf({ permission: null, capabilities: () => [] })),
    rulebook: (rulebook) => ({ ...rulebook, timeoutOf: () => 7 }),
    telemetry: {
      begin: ({ tool }) => {
        asked.push(tool);
        return { ended: () => {} };
      },
    },
  });
  assertEquals(engine.registry.names, ["look"]);
  assertEquals(engine.rulebook.timeoutOf("look"), 7);
  assertEquals((await execute(engine, requestOf("look"), FOLLOW)).error, null);
  assertEquals(asked, ["look"]);
  await engine.runner.close();
});

Deno.test("what an agent is offered are the tools that the policy could allow it", async () => {
  const engine = createEngine(optionsOf("/w", {
    ...OPEN,
    agents: { root: { permissions: ["all"] }, reader: { permissions: ["file_read"] } },
    commands: [commandRule("allow", ["cat"])],
    tools: { read_file: { enabled: false } },
  }));
  const names = async (agent: string) => (await engine.offered(agent)).map(({ name }) => name);
  const root = await names("root");
  assert(root.includes("run_command") && root.includes("write_file"), root.join());
  assert(!root.includes("read_file"), root.join());
  const reader = await names("reader");
  assert(reader.includes("list_directory") && !reader.includes("write_file"), reader.join());
  assert((await names("stranger")).every((name) => name.startsWith("get_")));
});
