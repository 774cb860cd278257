/** A repository with a child agent in it, and a gate over that. */

import { assert, assertEquals } from "@std/assert";
import { comesToBe } from "../../until.ts";
import type { Caller, Gate } from "../_gate.ts";
import { type Answer, Workspace } from "../toolgate.ts";

/** Does what its task says, a step a line: `call TOOL JSON`, `here SCRIPT`, `start SCRIPT`, `result JSON`, `wait`, `log TEXT`, `exit N`. */
export const AGENT = `import json, os, sys, time

def receive():
    line = sys.stdin.readline()
    if not line: sys.exit(9)
    return json.loads(line)

def ask(request):
    print(json.dumps(request), flush=True)
    while True:
        answer = receive()
        if "event" not in answer: return answer

task = receive()
assert task["task"] == os.environ["TOOLGATE_TASK"], task
for step in task["task"].split("\\n"):
    word, _, rest = step.partition(" ")
    if word == "call":
        tool, _, args = rest.partition(" ")
        answer = ask({"id": 1, "tool": tool, "args": json.loads(args)})
        error = answer["error"]
        print(tool, error["code"] if error else "ok", file=sys.stderr, flush=True)
    elif word == "raw":
        print(rest, flush=True)
        print(json.dumps(receive()), file=sys.stderr, flush=True)
    elif word == "spend":
        ask({"id": 1, "tool": "list_directory", "tokens": int(rest)})
    elif word == "write":
        name, _, text = rest.partition(" ")
        open(name, "w").write(text + "\\n")
    elif word == "context":
        print(json.dumps(task["context"]), file=sys.stderr, flush=True)
    elif word == "message":
        print(json.dumps(receive()), file=sys.stderr, flush=True)
    elif word == "result":
        print(json.dumps({"op": "result", "output": json.loads(rest)}), flush=True)
    elif word == "half":
        sys.stdout.write('{"id": 1, "tool": "read_f')
        sys.stdout.flush()
    elif word == "flood":
        for i in range(100000): print(json.dumps({"id": i, "tool": "read_file", "args": {"path": "a.txt"}}))
    elif word == "grandchild":
        import subprocess
        subprocess.Popen(["sleep", rest], start_new_session=True)
    elif word == "here":
        exec(open(rest).read())
    elif word == "start":
        import subprocess
        subprocess.run([sys.executable, rest], stdout=sys.stderr)
    elif word == "log":
        print(rest, file=sys.stderr, flush=True)
    elif word == "wait":
        time.sleep(float(rest or 3600))
    elif word == "exit":
        sys.exit(int(rest))
`;

/**
 * All that its children start ends when it is asked to, so that `kill_grace` keeps nobody waiting. A gate that ends gives up
 * what is not gone after twice as long: see {@linkcode stopped}.
 */
export const CHILD_POLICY = `version: 1
paths:
  - { allow: [read, write], match: ["**"] }
  - { deny: [write], match: [".git/**", ".toolgate/**"] }
  - { ask: [write], match: ["kept/**"] }
  - { deny: [read, write], match: ["secret/**"] }
commands: [{ allow: [python3, sleep, seq, cat], runs: any }]
timeouts: { default: 1h, kill_grace: 10m }
git: { identity: { name: Agent, email: agent@example.org } }
agents:
  root: { permissions: [all], tokens: 1000 }
  reader: { permissions: [file_read, agent_spawn] }
  "child-*": { permissions: [file_read, file_write, git_operations, code_execution, agent_spawn], tokens: 500 }
children: { command: [python3, agent.py], max: 4, timeout: 1h }
`;

const git = async (workspace: Workspace, ...args: readonly string[]): Promise<string> => {
  const { code, stdout, stderr } = await new Deno.Command("/usr/bin/git", {
    args: [
      ...["-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "maintenance.auto=false"],
      ...args,
    ],
    cwd: workspace.root,
    clearEnv: true,
    env: { PATH: "/usr/bin:/bin", GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" },
    stdin: "null",
  }).output();
  const text = new TextDecoder();
  assertEquals(code, 0, `git ${args.join(" ")}: ${text.decode(stderr)}`);
  return text.decode(stdout).trim();
};

export { git };

/** With one commit. */
export async function repository(
  files: Readonly<Record<string, string>> = {},
): Promise<Workspace> {
  const workspace = new Workspace({
    "agent.py": AGENT,
    "a.txt": "a\n",
    "secret/key": "k\n",
    "kept/x": "kept\n",
    ...files,
  });
  await git(workspace, "init", "-q", "-b", "main");
  await git(workspace, "add", ".");
  await git(workspace, "commit", "-q", "-m", "first");
  return workspace;
}

/** A connection or a pipe. */
export type Asker = Pick<Caller, "send" | "next" | "ask">;

/** What `spawn_child_agent` answers. */
export interface Spawned {
  readonly agent_id: string;
  readonly status: string;
  readonly worktree: string;
  readonly branch: string;
  readonly base: string;
}

export function spawning(task: readonly string[], more: Record<string, unknown> = {}) {
  return { id: 1, tool: "spawn_child_agent", args: { task: task.join("\n"), ...more } };
}

export async function spawn(
  caller: Asker,
  task: readonly string[],
  more: Record<string, unknown> = {},
): Promise<Spawned> {
  const { output, error } = await caller.ask(spawning(task, more));
  assertEquals(error, null);
  return output;
}

/** Asks past events. */
export async function tool(
  caller: Asker,
  name: string,
  args: Record<string, unknown> = {},
): Promise<Answer> {
  await caller.send({ id: 77, tool: name, args });
  for (;;) {
    const answer = await caller.next();
    assert(answer !== null, "the connection ended");
    if (answer.event === undefined && answer.id === 77) return answer;
  }
}

// deno-lint-ignore no-explicit-any
export async function results(caller: Asker, ids?: readonly string[]): Promise<any> {
  const which = ids === undefined ? {} : { agent_ids: ids };
  const { output, error } = await tool(caller, "aggregate_agent_results", {
    wait_ms: 600_000,
    ...which,
  });
  assertEquals(error, null);
  return output;
}

/** Waits until a child has said something on its standard error. */
export async function untilLog(caller: Asker, agent_id: string, text: string): Promise<void> {
  const isSaid = async () => {
    const { output } = await tool(caller, "get_agent_status", { agent_id });
    return output.log_tail.includes(text);
  };
  assert(await comesToBe(isSaid), `${agent_id} never said ${text}`);
}

export function worktreeIsThere(
  workspace: Workspace,
  { worktree }: Pick<Spawned, "worktree">,
): boolean {
  try {
    Deno.lstatSync(workspace.path(worktree));
    return true;
  } catch {
    return false;
  }
}

/** It ends when nothing of its children is left, ten minutes before it would give them up. */
export async function stopped(gate: Gate, ...callers: readonly Caller[]): Promise<void> {
  for (const caller of callers) caller.close();
  const late = Promise.withResolvers<null>();
  const timer = setTimeout(late.resolve, 600_000, null);
  const code = await Promise.race([gate.stop(), late.promise]);
  clearTimeout(timer);
  if (code === null) gate.process.kill("SIGKILL");
  assertEquals(code, 0, "it waits for something that is gone");
}
