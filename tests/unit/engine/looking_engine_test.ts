import { assert, assertEquals } from "@std/assert";
import type { CallRequest } from "../../../src/core/request.ts";
import { createStayingEngine } from "../../../src/engine/create_engine.ts";
import type { Policy } from "../../../src/policy/model.ts";
import { SENTINEL, Workspace } from "../../binary/toolgate.ts";
import { canonical, pathRule, policy } from "../policy/_fixtures.ts";
import { ABI } from "../sandbox/_libc.ts";
import type { Looking } from "./_looking_worker.ts";
import { noLog, requestOf } from "./_stand_ins.ts";

const POLICY: Partial<Policy> = {
  paths: [
    pathRule("allow", ["**"]),
    pathRule("deny", ["shut/**"]),
    pathRule("ask", ["asked.txt"], ["read"]),
  ],
  risk: { allow: "dangerous", ask: "dangerous" },
  agents: {
    root: { permissions: ["all"] },
    apart: { permissions: ["all"], worktree: true },
  },
};

// deno-lint-ignore no-explicit-any
type Loose = any;

/** What a thread makes of these calls that is drawn from an engine of this policy. */
async function look(
  calls: (workspace: Workspace) => readonly CallRequest[],
  sections: Partial<Policy> = POLICY,
): Promise<Loose> {
  await using workspace = new Workspace({
    "a.txt": "inside\n",
    "asked.txt": "asked\n",
    "shut/b.txt": "shut\n",
  });
  Deno.symlinkSync(`${workspace.outside}/sentinel.txt`, `${workspace.root}/link.txt`);
  Deno.symlinkSync("shut/b.txt", `${workspace.root}/inner.txt`);
  const engine = await createStayingEngine({
    policies: [{
      source: "p.yaml",
      policy: policy(sections),
      workspace: canonical(workspace.root),
    }],
    workspace: canonical(workspace.root),
    sealed: false,
    audit: noLog,
  });
  const { setup, permissions } = await engine.looking();
  const worker = new Worker(import.meta.resolve("./_looking_worker.ts"), {
    type: "module",
    // What its modules take from source, beside what the engine gives it.
    deno: { permissions: { ...permissions as Deno.PermissionOptionsObject, read: true } },
  });
  try {
    const told = Promise.withResolvers<Loose>();
    worker.onmessage = ({ data }) => told.resolve(data);
    worker.onerror = (event) => {
      event.preventDefault();
      told.reject(new Error(event.message));
    };
    const outside = `${workspace.outside}/sentinel.txt`;
    const task: Looking = { setup, calls: calls(workspace), outside };
    worker.postMessage(task);
    return await told.promise;
  } finally {
    worker.terminate();
    await engine.runner.close();
  }
}

const read = (path: string, parts: Partial<CallRequest> = {}) =>
  requestOf("read_file", { args: { path }, ...parts });

Deno.test("calls that only look are answered, and held as a thread of the pool would hold them", async () => {
  const { results, counts, canReadOutside } = await look(() => [
    read("a.txt"),
    requestOf("get_file_info", { args: { path: "a.txt" } }),
    requestOf("fs.list", { args: { path: "." } }),
    read("a.txt", { args: { path: "a.txt", start_line: 2 } }),
  ]);
  assertEquals(results.map((result: Loose) => result?.success), [true, true, true, true]);
  assertEquals(results[0].output.content, "inside\n");
  assertEquals(results[0].tool, "read_file");
  assert(results[2].output.entries.some(({ name }: Loose) => name === "a.txt"));
  assertEquals(counts["read_file"].calls, 2);
  assertEquals(counts["list_directory"].succeeded, 1);
  const { layers } = results[0].usage;
  assertEquals(layers.includes("landlock"), ABI > 0);
  if (ABI > 0) assertEquals(canReadOutside, false);
});

Deno.test("whatever else comes is left to others, undone and uncounted", async () => {
  const { results, counts } = await look(({ root, outside }) => [
    read("shut/b.txt"),
    read("inner.txt"),
    read("link.txt"),
    read(`${outside}/sentinel.txt`),
    read("../sentinel.txt"),
    read("asked.txt"),
    read("a.txt", { agent: "apart" }),
    read("a.txt", { stream: true }),
    read("a.txt", { preview: true }),
    requestOf("write_file", { args: { path: "new.txt", content: "made" } }),
    requestOf("run_command", { args: { command: `touch ${root}/made` } }),
    requestOf("no_such_tool"),
    read("a.txt", { args: { pth: "a.txt" } }),
  ]);
  assertEquals(results.filter((result: Loose) => result !== null), []);
  assertEquals(counts, {});
  assertEquals(JSON.stringify(results).includes(SENTINEL), false);
});

Deno.test("a policy that requires more than there is opens none", async () => {
  const told = await look(() => [read("a.txt")], {
    ...POLICY,
    sandbox: { kernel: "required" },
  });
  assertEquals(told.failed === undefined, ABI > 0, JSON.stringify(told));
});
