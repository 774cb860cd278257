import { assertEquals, assertMatch } from "@std/assert";
import { Gate } from "../_gate.ts";
import {
  CHILD_POLICY,
  git,
  repository,
  results,
  spawn,
  spawning,
  stopped,
  tool,
} from "./_child_agent.ts";

/** Nobody may look through the top of the workspace, nor through that of a child's working files. */
const naming = (...names: readonly string[]) =>
  CHILD_POLICY.replace('["**"]', JSON.stringify(["src/**", "agent.py", ...names]))
    .replace(/ {2}- \{ (?:ask|deny): .*\n/g, "");

Deno.test("files that git does not know are told where nobody may look through the folder they lie in, and why a child failed", async () => {
  await using workspace = await repository({ "src/x": "x\n" });
  const gate = await Gate.start(workspace, { policy: naming(".git/**", ".toolgate/**") });
  const caller = await gate.connect();
  for (const isolation of ["worktree", "clone"]) {
    const task = ["write src/new new", 'call write_file {"path": "src/in/deep", "content": ""}'];
    const { output: { agent_id } } = await caller.ask({
      ...spawning([]),
      args: { task: [...task, "exit 3"].join("\n"), isolation },
    });
    const { results: [result] } = await results(caller, [agent_id]);
    const { output: { changes, worktree } } = await tool(caller, "get_agent_status", { agent_id });
    assertEquals(
      [result.status, result.why, result.files, changes.files],
      ["failed", "python3 ended with status 3: write_file ok", [
        { path: "src/in/", change: "added" },
        { path: "src/new", change: "added" },
      ], 2],
      isolation,
    );
    assertEquals(result.receipt.files_read, []);
    assertMatch(worktree.why, /^"?\.toolgate\/worktrees\/.* holds what is not committed: /);
  }
  await stopped(gate, caller);
});

Deno.test("why a child that went on too long was ended is said without the tool that nobody has called", async () => {
  await using workspace = await repository();
  const gate = await Gate.start(workspace, { policy: CHILD_POLICY });
  const caller = await gate.connect();
  await caller.ask({ ...spawning([]), args: { task: "wait", timeout_ms: 1_000 } });
  const { results: [{ status, why }] } = await results(caller);
  assertEquals(status, "timed_out");
  assertMatch(why, /^no exit in .*; sent SIGTERM$/);
  await stopped(gate, caller);
});

Deno.test("who cannot have a child is told what is missing", async () => {
  const rows: readonly [policy: string, code: string, message: RegExp][] = [
    [naming(), "NOT_A_REPOSITORY", /that the policy lets be read \(\.git\/\*\*\)/],
    [
      naming(".git/**"),
      "PATH_DENIED",
      /the policy's paths let \.toolgate\/worktrees\/\*\* be read$/,
    ],
  ];
  for (const [policy, code, message] of rows) {
    await using workspace = await repository();
    const gate = await Gate.start(workspace, { policy });
    const caller = await gate.connect();
    const { error } = await caller.ask(spawning(["exit 0"]));
    assertEquals(error?.code, code);
    assertMatch(error?.message ?? "", message);
    await stopped(gate, caller);
  }
  await using workspace = await repository();
  const gate = await Gate.start(workspace, { policy: CHILD_POLICY });
  const caller = await gate.connect();
  const { error } = await caller.ask({
    ...spawning([]),
    args: { task: "exit 0", base: "main:a.txt" },
  });
  assertEquals(error?.message, 'base: "main:a.txt" is no commit');
  await git(workspace, "checkout", "-q", "--orphan", "empty");
  const { error: none } = await caller.ask(spawning(["exit 0"]));
  assertMatch(none?.message ?? "", /no commit yet .*; isolation: clone/);
  await stopped(gate, caller);
});

Deno.test("a child has no name whose branch could not be, since others are below it", async () => {
  await using workspace = await repository();
  await git(workspace, "branch", "toolgate/child-1/of-somebody");
  await git(workspace, "pack-refs", "--all");
  const gate = await Gate.start(workspace, { policy: CHILD_POLICY });
  const caller = await gate.connect();
  assertEquals((await spawn(caller, ["exit 0"])).agent_id, "child-2");
  await results(caller);
  await stopped(gate, caller);
});
