/** What several children have changed that does not go together. */

import { assert, assertEquals } from "@std/assert";
import {
  CHILD_POLICY,
  git,
  repository,
  results,
  spawn,
  stopped,
  tool,
  worktreeIsThere,
} from "./_child_agent.ts";
import { Gate } from "../_gate.ts";

Deno.test("four children and their parent: what does not go together is told by git, path by path", async () => {
  const lines = Array.from({ length: 9 }, (_, at) => `line ${at}\n`);
  const changed = (at: number, text: string) =>
    lines.map((line, other) => other === at ? `${text}\n` : line).join("");
  await using workspace = await repository({
    "a.txt": lines.join(""),
    "b.txt": "b\n",
    "c.txt": "c\n",
    "d/e.txt": "e\n",
  });
  const gate = await Gate.start(workspace, {
    policy: CHILD_POLICY.replace("file_write, git", "file_write, file_modify, git"),
  });
  const caller = await gate.connect();
  const commit = ['call git_add {"all": true}', 'call git_commit {"message": "m"}'];
  const change = (path: string, content: string) =>
    `call write_file ${JSON.stringify({ path, content })}`;
  const tasks = [
    // Lines of one file that are not the same go together, and the same in both, and so does what is new.
    [change("a.txt", changed(0, "one")), change("c.txt", "same\n"), ...commit],
    [change("a.txt", changed(8, "two")), change("c.txt", "same\n"), change("n", "1\n"), ...commit],
    // What is not committed counts, whoever wrote it; a file where another has a folder; a new file twice.
    [
      change("a.txt", changed(8, "three")),
      change("b.txt", "3\n"),
      change("n", "2\n"),
      "write left.txt by hand",
    ],
    ['call delete_file {"path": "d/e.txt"}', change("d/e.txt/f", "f\n"), ...commit],
  ];
  const children = [];
  for (const task of tasks) children.push(await spawn(caller, task));
  workspace.write("b.txt", "mine\n");
  workspace.write("d/e.txt", "mine\n");
  const state = async () => [
    await git(workspace, "status", "--porcelain=v2", "--untracked-files=all"),
    await git(workspace, "count-objects"),
    await git(workspace, "for-each-ref"),
  ];
  await results(caller);
  const before = await state();
  const { conflicts, compared, mergeable, results: all } = await results(caller);
  assertEquals(await state(), before);
  const [one, two, three, four] = children;
  const { conflicts: told } = { conflicts: conflicts.filter(isNotFour) };
  function isNotFour({ agents }: { readonly agents: readonly string[] }): boolean {
    return !agents.includes(four?.agent_id ?? "");
  }
  assertEquals(told, [
    { paths: ["a.txt", "n"], agents: [two?.agent_id, three?.agent_id] },
    { paths: ["b.txt"], agents: [three?.agent_id, "parent"] },
  ]);
  assertEquals([compared, mergeable], ["lines", false]);
  const statuses = all.map(({ status }: { status: string }) => status);
  assertEquals(statuses, ["done", "done", "done", "done"]);
  // What is not committed is nowhere else: that worktree stays.
  const kept = children.map((child) => worktreeIsThere(workspace, child));
  const logs: string[] = [];
  for (const { agent_id } of children) {
    logs.push((await tool(caller, "get_agent_status", { agent_id })).output.log_tail);
  }
  assertEquals(kept, [false, false, true, false], logs.join());
  const [last, ...none] = conflicts.filter((one: { agents: string[] }) => !isNotFour(one));
  assert(last !== undefined, JSON.stringify({ logs, conflicts }));
  assertEquals([last.agents, none], [[four?.agent_id, "parent"], []]);
  assert(last.paths.includes("d/e.txt"), JSON.stringify(last));
  const left = workspace.path(three?.worktree ?? "", "left.txt");
  assertEquals(Deno.readTextFileSync(left), "by hand\n");
  assertEquals(workspace.read("b.txt"), "mine\n");
  // And it is as git has it when they are merged.
  await git(workspace, "stash", "-q");
  for (const child of [one, two]) await git(workspace, "merge", "-q", child?.branch ?? "");
  assertEquals((await results(caller, [one?.agent_id ?? ""])).conflicts, []);
  // A program to merge with does not run: where it would have to, whole files are compared.
  await git(workspace, "config", "merge.x.driver", "touch ran");
  const apart = await results(caller, [one?.agent_id ?? "", two?.agent_id ?? ""]);
  assertEquals([apart.compared, apart.conflicts], ["lines", []]);
  Deno.writeTextFileSync(workspace.path(".git/info/attributes"), "a.txt merge=x\n");
  const whole = await results(caller, [one?.agent_id ?? "", two?.agent_id ?? ""]);
  assertEquals([whole.compared, whole.conflicts[0]?.paths], ["files", ["a.txt"]]);
  await stopped(gate, caller);
});
