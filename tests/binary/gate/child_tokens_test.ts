/** Children of who came with a token: what it does not give its bearer it gives no program of his children either. */

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
} from "./_child_agent.ts";
import { Gate } from "../_gate.ts";
import { Workspace } from "../toolgate.ts";

/** Says of each way whether it leads to where it should not. `other/x` is in no token's paths. */
const TRIES = `
import glob, os, subprocess, sys, zlib

def said(name, what):
    try: found = what()
    except Exception: found = False
    print(name, found, file=sys.stderr, flush=True)

def read(path): return open(path, "rb").read() != b""

def shows(name): return subprocess.run(["git", "cat-file", "-p", "HEAD:" + name], capture_output=True).returncode == 0

def write(path):
    open(path, "w").write("")
    os.remove(path)
    return True

name = os.environ["TOOLGATE_AGENT"]
here = os.path.abspath(".")
common = os.path.abspath("../../../.git") if os.path.isfile(".git") else here + "/.git"
own = common + "/worktrees/" + name if os.path.isfile(".git") else common
said("own", lambda: read("a.txt"))
said("other", lambda: read("other/x"))
said("objects", lambda: len(os.listdir(common + "/objects")) > 0)
said("head", lambda: read(common + "/HEAD"))
said("index", lambda: read(own + "/index"))
said("shown", lambda: shows("other/x"))
said("ref", lambda: write(common + "/refs/heads/" + name))
said("object", lambda: write(common + "/objects/" + name))
said("index.lock", lambda: write(own + "/index.lock"))
`;
const READ = ["own", "other", "objects", "head", "index", "shown"];
const WRITTEN = ["ref", "object", "index.lock"];

const POLICY = CHILD_POLICY.replace("cat]", "cat, git]");
const NARROW = { paths: ["*.py", "a.txt"] };

async function childOf(
  caller: Asker,
  steps: readonly string[],
  args: Record<string, unknown>,
): Promise<Spawned> {
  const { output, error } = await caller.ask({
    ...spawning(steps),
    args: { task: steps.join("\n"), ...args },
  });
  assertEquals(error, null);
  return output;
}

/** The ways that led there. */
async function had(caller: Asker, isolation: string): Promise<readonly string[]> {
  const { agent_id } = await childOf(caller, ["here tries.py"], { isolation });
  await results(caller, [agent_id]);
  const { output } = await tool(caller, "get_agent_status", { agent_id });
  const lines = (output.log_tail as string).trim().split("\n");
  assertEquals(lines.length, READ.length + WRITTEN.length, output.log_tail);
  return lines.filter((line) => line.endsWith(" True")).map((line) => line.split(" ")[0] ?? "");
}

async function bearerOf(gate: Gate, terms: Record<string, unknown>) {
  const maker = await gate.connect();
  const { output, error } = await maker.ask({ id: 1, op: "token", ...terms });
  assertEquals(error, null);
  const bearer = await gate.connect();
  assertEquals(await bearer.codeOf({ id: 0, op: "hello", token: output.token }), null);
  maker.close();
  return bearer;
}

Deno.test("the program of a child reads of the repository what the token of its parent leaves, and writes what its groups do", async () => {
  await using workspace = await repository({ "tries.py": TRIES, "other/x": "x\n" });
  const gate = await Gate.start(workspace, { policy: POLICY });
  // In clones `.git` is denied by the policy to be written.
  const rows: readonly [
    terms: Record<string, unknown> | null,
    worktree: readonly string[],
    clone: readonly string[],
  ][] = [
    // The controls.
    [null, [...READ, ...WRITTEN], READ],
    [{ paths: ["**"] }, [...READ, ...WRITTEN], READ],
    [NARROW, ["own"], ["own"]],
    // As in the folder of all: whose objects hold what is handed on no more.
    [
      { paths: ["*.py", "a.txt", ".git/**"] },
      [...READ.filter((way) => way !== "other"), ...WRITTEN],
      READ.filter((way) => way !== "other"),
    ],
    [{ permissions: ["file_read", "file_write", "agent_spawn"] }, READ, READ],
    [{ permissions: ["git_operations", "agent_spawn"] }, [...READ, ...WRITTEN], READ],
  ];
  for (const [terms, worktree, clone] of rows) {
    const caller = terms === null ? await gate.connect() : await bearerOf(gate, terms);
    const found = [await had(caller, "worktree"), await had(caller, "clone")];
    assertEquals(found, [worktree, clone], JSON.stringify(terms));
    caller.close();
  }
  await stopped(gate);
  await git(workspace, "fsck", "--strict");
});

Deno.test("a clone of a folder that is no repository holds in its objects what no token named: they are not handed on", async () => {
  await using workspace = new Workspace({
    "agent.py": AGENT,
    "a.txt": "a\n",
    "other/x": "x\n",
    "tries.py": TRIES,
  });
  const gate = await Gate.start(workspace, { policy: POLICY });
  const rows: readonly [paths: readonly string[] | null, ways: readonly string[]][] = [
    [null, READ],
    [["**"], READ],
    [["*.py", "a.txt", ".git/**"], ["own"]],
    [["*.py", "a.txt", ".git/**", "**/nothing"], ["own"]],
    [NARROW.paths, ["own"]],
  ];
  for (const [paths, ways] of rows) {
    const caller = paths === null ? await gate.connect() : await bearerOf(gate, { paths });
    assertEquals(await had(caller, "clone"), ways, JSON.stringify(paths));
    caller.close();
  }
  await stopped(gate);
});

Deno.test("who may not read the repository names no commit that a child begins at, and is told what it has changed", async () => {
  await using workspace = await repository();
  await git(workspace, "checkout", "-q", "-b", "older");
  workspace.write("a.txt", "of another branch\n");
  await git(workspace, "commit", "-q", "-a", "-m", "older");
  await git(workspace, "checkout", "-q", "main");
  const gate = await Gate.start(workspace, { policy: POLICY });
  const [free, narrow] = [await gate.connect(), await bearerOf(gate, NARROW)];
  for (const isolation of ["worktree", "clone"]) {
    for (const base of ["older", "no-such-branch"]) {
      const args = { task: "exit 0", base, isolation };
      const { error } = await narrow.ask({ ...spawning([]), args });
      assertEquals(error?.code, "PERMISSION_DENIED");
      assertStringIncludes(error?.message ?? "", "does not let you read the repository");
    }
    // The control.
    const shown = await childOf(free, ["exit 0"], { base: "older", isolation });
    await results(free, [shown.agent_id]);
    // What it does is told by its parent's paths, though neither sees the repository.
    const steps = [
      'call write_file {"path": "a.txt", "content": "changed\\n"}',
      "call git_status {}",
      "call git_log {}",
    ];
    const child = await childOf(narrow, steps, { isolation });
    const { results: [result], unknown } = await results(narrow, [child.agent_id]);
    assertEquals(result.files, [{ path: "a.txt", change: "modified" }]);
    const { output } = await tool(narrow, "get_agent_status", { agent_id: child.agent_id });

    assertEquals(output.log_tail.trim().split("\n"), [
      "write_file ok",
      "git_status PATH_DENIED",
      "git_log PATH_DENIED",
    ]);
    assertEquals([output.worktree.kept, unknown], [true, undefined]);
  }
  for (const caller of [free, narrow]) caller.close();
  await stopped(gate);
});
