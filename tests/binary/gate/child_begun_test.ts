import { assert, assertEquals } from "@std/assert";
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
  worktreeIsThere,
} from "./_child_agent.ts";

/** So many that git is still at work when what holds the child's programs is there. */
const FILES = 1_500;
/** Makes a program, and starts it. */
const MAKES = `import os, subprocess
open("src/made", "w").write("#!/bin/sh\\necho made\\n")
os.chmod("src/made", 0o755)
print(subprocess.run(["src/made"], capture_output=True, text=True).stdout, file=sys.stderr, end="")
`;
const NARROW_POLICY = CHILD_POLICY.replace(
  'match: ["**"]',
  'match: [".git/**", ".toolgate/**", "src/**", "agent.py", "makes.py"]',
);

async function large() {
  const files = Array.from({ length: FILES }, (_, at) => [`src/${at % 50}/${at}.txt`, `${at}\n`]);
  return await repository({ ...Object.fromEntries(files), "makes.py": MAKES });
}

Deno.test("a child whose programs are held before git has laid out its files reaches all that its policy allows", async () => {
  for (const policy of [CHILD_POLICY, NARROW_POLICY]) {
    await using workspace = await large();
    const gate = await Gate.start(workspace, { policy });
    const caller = await gate.connect();
    await spawn(caller, [
      'call read_file {"path": "src/49/1499.txt"}',
      "write src/0/0.txt changed",
      "here makes.py",
      'call read_file {"path": "secret/key"}',
    ]);
    const { results: [result] } = await results(caller);
    const { output } = await tool(caller, "get_agent_status", { agent_id: "child-1" });
    assertEquals(
      [result.status, output.log_tail.split("\n").slice(0, 3)],
      ["done", ["read_file ok", "made", "read_file PATH_DENIED"]],
    );
    assert(result.files.some(({ path }: { path: string }) => path === "src/0/0.txt"));
    await stopped(gate, caller);
  }
});

Deno.test("a gate that ends while git lays out a child's files leaves nothing of it", async () => {
  await using workspace = await large();
  const gate = await Gate.start(workspace, { policy: CHILD_POLICY });
  const caller = await gate.connect();
  caller.send(spawning(["wait 60"]));
  const child = { worktree: ".toolgate/worktrees/child-1" };
  while (!worktreeIsThere(workspace, child)) await new Promise((resolve) => setTimeout(resolve, 1));
  await stopped(gate, caller);
  assertEquals(worktreeIsThere(workspace, child), false);
  assertEquals(await git(workspace, "branch", "--list", "toolgate/*"), "");
});
