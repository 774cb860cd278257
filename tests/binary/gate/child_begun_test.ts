import { assert, assertEquals } from "@std/assert";
import { comesToBe } from "../../until.ts";
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

/** What a process has open of what programs may become (`O_TMPFILE`: its link in proc_pid_fd(5) is a number, and deleted). */
function filesWithoutName(pid: number): number {
  return [...Deno.readDirSync(`/proc/${pid}/fd`)].filter(({ name }) => {
    try {
      return /\/#\d+ \(deleted\)$/.test(Deno.readLinkSync(`/proc/${pid}/fd/${name}`));
    } catch {
      return false;
    }
  }).length;
}

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

Deno.test("what is made ahead for the next child serves it, and nobody where it does not come", async () => {
  await using workspace = await repository({ "makes.py": MAKES.replaceAll("src/", "./") });
  const gate = await Gate.start(workspace, { policy: CHILD_POLICY });
  const caller = await gate.connect();
  const ended = async (task: readonly string[], more = {}) => {
    await spawn(caller, task, more);
    const { results: all } = await results(caller);
    return all.at(-1);
  };
  // The second and third are begun ahead; the fourth is another than who was expected.
  for (const more of [{}, {}, {}, { permissions: ["file_read"] }, {}, { permissions: [] }]) {
    const { status } = await ended(["here makes.py"], more);
    assertEquals(status, "done");
  }
  for (let at = 1; at <= 6; at++) {
    const { output } = await tool(caller, "get_agent_status", { agent_id: `child-${at}` });
    assertEquals(output.log_tail.split("\n")[0], "made");
  }
  // Whoever cannot be made leaves no folder, and nothing open.
  const locks = `${workspace.root}/.git/refs/heads/toolgate`;
  for (let at = 7; at <= 10; at++) {
    Deno.mkdirSync(locks, { recursive: true });
    Deno.writeTextFileSync(`${locks}/child-${at}.lock`, "");
    const { error } = await caller.ask(spawning(["log x"]));
    assertEquals(error?.code, "GIT_ERROR");
    assertEquals(
      worktreeIsThere(workspace, { worktree: `.toolgate/worktrees/child-${at}` }),
      false,
    );
  }
  assert(await comesToBe(() => filesWithoutName(gate.pid) === 0));
  await stopped(gate, caller);
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
