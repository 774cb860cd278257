/** Child agents in clones: of a repository, and of a folder that is none. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import {
  AGENT,
  type Asker,
  CHILD_POLICY,
  git,
  repository,
  results,
  type Spawned,
  spawning,
  stopped,
  tool,
  worktreeIsThere,
} from "./_child_agent.ts";
import { Gate } from "../_gate.ts";
import { untilRunning } from "../_processes.ts";
import { Workspace } from "../toolgate.ts";

const COMMITS = ['call git_add {"all": true}', 'call git_commit {"message": "work"}'];

async function clone(caller: Asker, ...task: readonly string[]): Promise<Spawned> {
  const args = { task: task.join("\n"), isolation: "clone" };
  const { output, error } = await caller.ask({ ...spawning(task), args });
  assertEquals(error, null);
  return output;
}

async function logOf(caller: Asker, { agent_id }: Spawned): Promise<readonly string[]> {
  return (await tool(caller, "get_agent_status", { agent_id })).output.log_tail.trim().split("\n");
}

Deno.test("a clone of the repository has nothing in common with it, and what it has committed comes back", async () => {
  await using workspace = await repository();
  const gate = await Gate.start(workspace, { policy: CHILD_POLICY });
  const caller = await gate.connect();
  const before = await git(workspace, "config", "--list", "--local");
  workspace.write("a.txt", "not committed\n");
  const child = await clone(
    caller,
    'call read_file {"path": "a.txt"}',
    'call read_file {"path": "secret/key"}',
    'call write_file {"path": "new.txt", "content": "n"}',
    'call git_log {"limit": 5}',
    ...COMMITS,
  );
  const { results: [result] } = await results(caller, [child.agent_id]);
  assertEquals(await logOf(caller, child), [
    "read_file ok",
    "read_file PATH_DENIED",
    "write_file ok",
    "git_log ok",
    "git_add ok",
    "git_commit ok",
  ]);
  assertEquals(result.files, [{ path: "new.txt", change: "added" }]);
  assertEquals(worktreeIsThere(workspace, child), false);
  assertEquals(await git(workspace, "show", `${child.branch}:new.txt`), "n");
  assertEquals(await git(workspace, "merge-base", "HEAD", child.branch), child.base);
  assertEquals(workspace.read("a.txt"), "not committed\n");
  assertEquals(await git(workspace, "config", "--list", "--local"), before);
  assertEquals((await git(workspace, "worktree", "list")).split("\n").length, 1);
  // What is not committed stays where it is, and is compared with the others all the same.
  const dirty = await clone(caller, 'call write_file {"path": "new.txt", "content": "other"}');
  const nothing = await clone(caller, "exit 0");
  const { conflicts, compared } = await results(caller);
  assertEquals([compared, conflicts], ["lines", [
    { paths: ["new.txt"], agents: [child.agent_id, dirty.agent_id] },
  ]]);
  assertEquals([dirty, nothing].map((one) => worktreeIsThere(workspace, one)), [true, false]);
  assertEquals(await git(workspace, "branch", "--list", nothing.branch), "");
  // Killed with its gate: the next one brings back what there is.
  const write = 'call write_file {"path": "k", "content": "k"}';
  const left = await clone(caller, write, ...COMMITS, "grandchild 610.0961", "wait");
  const there = await clone(caller, write, ...COMMITS, "grandchild 610.0962", "wait");
  for (const seconds of ["610.0961", "610.0962"]) await untilRunning(seconds, 1);
  gate.process.kill("SIGKILL");
  await gate.process.status;
  caller.close();
  const policy = CHILD_POLICY.replace("max: 4", "max: 4, isolation: clone");
  const second = await Gate.start(workspace, { policy });
  const asking = await second.connect();
  // Children wait for what earlier gates have left.
  await clone(asking, "exit 0");
  for (const one of [left, there]) {
    assertEquals(worktreeIsThere(workspace, one), false);
    assertEquals(await git(workspace, "show", `${one.branch}:k`), "k");
  }
  assertEquals(worktreeIsThere(workspace, dirty), true);
  // A policy that says clone is not talked into less.
  const shared = { ...spawning(["exit 0"]), args: { task: "exit 0", isolation: "worktree" } };
  assertEquals(await asking.codeOf(shared), "PERMISSION_DENIED");
  await stopped(second, asking);
});

Deno.test("a clone of a folder that is no repository, or has no commit: all that may be seen of it", async () => {
  for (const prepared of [false, true]) {
    await using workspace = new Workspace({
      "agent.py": AGENT,
      "a.txt": "a\n",
      "secret/key": "k\n",
      "sub/b.txt": "b\n",
      ".gitignore": "left.log\n",
      "left.log": "l\n",
    });
    if (prepared) await git(workspace, "init", "-q");
    const gate = await Gate.start(workspace, { policy: CHILD_POLICY });
    const caller = await gate.connect();
    const code = await caller.codeOf(spawning(["exit 0"]));
    assertEquals(code, prepared ? "GIT_ERROR" : "NOT_A_REPOSITORY");
    const child = await clone(
      caller,
      'call read_file {"path": "sub/b.txt"}',
      'call read_file {"path": "left.log"}',
      'call write_file {"path": "a.txt", "content": "changed"}',
      ...COMMITS,
    );
    const nothing = await clone(caller, "exit 0");
    const all = await results(caller);
    assertEquals(await logOf(caller, child), [
      "read_file ok",
      "read_file FILE_NOT_FOUND",
      "write_file ok",
      "git_add ok",
      "git_commit ok",
    ]);
    assertEquals(all.results[0].files, [{ path: "a.txt", change: "modified" }]);
    // Its commits are nowhere else.
    assertEquals([child, nothing].map((one) => worktreeIsThere(workspace, one)), [true, false]);
    const { output } = await tool(caller, "get_agent_status", { agent_id: child.agent_id });
    assertStringIncludes(output.worktree.why, "nowhere else");
    assertEquals(await git(workspace, "-C", child.worktree, "ls-files", "secret"), "");
    assertEquals([workspace.read("a.txt"), workspace.read("secret/key")], ["a\n", "k\n"]);
    await stopped(gate, caller);
  }
});
