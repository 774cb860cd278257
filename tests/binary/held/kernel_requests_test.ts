/** What programs ask of the kernel that no rule for files is asked about: as root and as an ordinary user. */

import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { comesToBe } from "../../until.ts";
import { running, sleepMark, untilRunning } from "../_processes.ts";
import { type Answer, Pipe, Workspace } from "../toolgate.ts";
import { type User, USERS } from "./_users.ts";

const PYTHON = "/usr/bin/python3";
const ATTACKS = Deno.readTextFileSync(fromFileUrl(new URL("_kernel_requests.py", import.meta.url)));

/** `.env` and `closed` are denied, or nothing is. */
const policyOf = (denied: boolean, limits = ""): string =>
  `version: 1
paths:
  - { allow: [read, write], match: ["**"] }
${denied ? '  - { deny: [read, write], match: ["**/.env", "closed/**"] }\n' : ""}
commands: [{ allow: ["*"] }]
risk: { allow: dangerous, ask: dangerous }
environment: { pass: [PATH] }
timeouts: { default: 1h }
${limits}
`;

/** All of it is the user's, the folder outside too. */
function openWorkspace(user: User): Workspace {
  const workspace = new Workspace({
    "attack.py": ATTACKS,
    "a.txt": "text\n",
    "b.txt": "text\n",
    ".env": "secret\n",
    "closed/file": "secret\n",
  });
  Deno.mkdirSync(`${workspace.base}/temporary`);
  Deno.chmodSync(workspace.base, 0o755);
  const give = (path: string): void => {
    if (user !== undefined) Deno.chownSync(path, user.uid, user.gid);
    if (!Deno.statSync(path).isDirectory) return;
    for (const { name } of Deno.readDirSync(path)) give(`${path}/${name}`);
  };
  for (const name of ["workspace", "outside", "temporary"]) give(`${workspace.base}/${name}`);
  return workspace;
}

/** What it says without Toolgate: what it does then is an attack. */
async function alone(workspace: Workspace, user: User, ...words: string[]): Promise<string> {
  const { stdout } = await new Deno.Command(PYTHON, {
    args: ["attack.py", ...words],
    cwd: workspace.root,
    env: { TMPDIR: `${workspace.base}/temporary` },
    ...user,
  }).output();
  return new TextDecoder().decode(stdout);
}

function held(pipe: Pipe, ...words: string[]): Promise<Answer> {
  const argv = [PYTHON, "attack.py", ...words];
  return pipe.ask({ id: 1, tool: "run_command", args: { argv, timeout_ms: 600_000 } });
}

function outputOf(answer: Answer): string {
  assert(answer.success, JSON.stringify(answer));
  return answer.output.stdout;
}

/** A process of the same user that has nothing to do with Toolgate. */
class OutsideProcess implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;

  constructor(user: User) {
    this.#child = new Deno.Command("sleep", { args: ["600"], ...user }).spawn();
  }

  get id(): number {
    return this.#child.pid;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#child.status;
  }
}

/** Whether any thread of a process still runs (proc_pid_stat(5): its state, its threads). */
function runs(id: number): boolean {
  try {
    const words = Deno.readTextFileSync(`/proc/${id}/stat`).split(") ").at(-1)!.split(" ");
    return words[0] !== "Z" || Number(words[17]) > 1;
  } catch {
    return false;
  }
}

/** What was got, of lines that say so. */
function got(text: string): readonly string[] {
  return text.split("\n").filter((line) => line.endsWith(" ok")).map((line) => line.slice(0, -3));
}

for (const [who, user] of USERS) {
  const identity = user === undefined ? {} : { user };
  const open = (workspace: Workspace, policy: string) =>
    new Pipe(["--policy", workspace.policy(policy)], { cwd: workspace.root, ...identity });

  Deno.test(`${who}: no program watches what it may not read`, async () => {
    await using free = openWorkspace(user);
    const control = got(await alone(free, user, "watch"));
    assertEquals(control.length, 19, control.join());
    for (const denied of [true, false]) {
      await using workspace = openWorkspace(user);
      const pipe = open(workspace, policyOf(denied));
      const text = outputOf(await held(pipe, "watch"));
      assertEquals(text.split("\n").length, control.length + 1);
      // Where nothing is denied, what else is would be the workspace's.
      const may = denied ? [] : control.filter((name) => /^watch (?:denied.*|in it)$/.test(name));
      assertEquals(got(text).filter((name) => !may.includes(name)), []);
      assertEquals((await pipe.close()).status, 0);
    }
  });

  Deno.test(`${who}: a name that leads elsewhere meanwhile is watched where it was judged`, async () => {
    await using free = openWorkspace(user);
    assertEquals(await alone(free, user, "race", "600"), "watched 2\n");
    await using workspace = openWorkspace(user);
    const pipe = open(workspace, policyOf(true));
    assertEquals(outputOf(await held(pipe, "race", "2")), "watched 1\n");
    assertEquals((await pipe.close()).status, 0);
  });

  Deno.test(`${who}: what a program may read it watches as it would alone`, async () => {
    await using free = openWorkspace(user);
    const control = await alone(free, user, "honest");
    assert(control.endsWith("seen True\n"), control);
    for (const denied of [true, false]) {
      await using workspace = openWorkspace(user);
      const pipe = open(workspace, policyOf(denied));
      assertEquals(outputOf(await held(pipe, "honest")), control);
      assertEquals((await pipe.close()).status, 0);
    }
  });

  Deno.test(`${who}: no program holds up who opens a file, or is told of a process by its descriptor`, async () => {
    await using free = openWorkspace(user);
    const control = got(await alone(free, user, "hold"));
    for (const name of ["lease to read", "lease to write", "memory in a pipe"]) {
      assert(control.includes(name), `${name}: ${control}`);
    }
    await using workspace = openWorkspace(user);
    const pipe = open(workspace, policyOf(true));
    assertEquals(
      outputOf(await held(pipe, "hold")),
      `lease to read EINVAL
lease to write EINVAL
look by pidfd ENOTTY
memory in a pipe ENOSYS
duplicate ok
flags ok
lock ok
left to read ok
end
`,
    );
    assertEquals((await pipe.close()).status, 0);
  });

  Deno.test(`${who}: no program has the kernel keep for it what counts as nobody's`, async () => {
    await using free = openWorkspace(user);
    // Each is there since some version of Linux: 6.16, 5.13, 6.17.
    const [major = 0, minor = 0] = Deno.osRelease().split(".").map(Number);
    const since = (one: number, other: number) => major > one || major === one && minor >= other;
    const control = got(await alone(free, user, "kernel"));
    for (
      const [name, there] of [
        ["table of futexes", since(6, 16)],
        ["rules", true],
        ["look by name", since(6, 17)],
        ["name", true],
      ] as const
    ) {
      assertEquals([name, control.includes(name)], [name, there]);
    }
    for (const denied of [true, false]) {
      await using workspace = openWorkspace(user);
      const pipe = open(workspace, policyOf(denied));
      assertEquals(
        outputOf(await held(pipe, "kernel")),
        "table of futexes EINVAL\nrules ENOSYS\nlook by name ENOSYS\nname ok\n",
      );
      assertEquals((await pipe.close()).status, 0);
    }
  });

  Deno.test(`${who}: what has ended and was not waited for counts among the processes of its call`, async () => {
    await using free = openWorkspace(user);
    assertEquals(await alone(free, user, "ended", "300", "0"), "started 300\nkept\n");
    await using workspace = openWorkspace(user);
    const pipe = open(workspace, policyOf(true, "limits: { processes: 64 }"));
    const { error } = await held(pipe, "ended", "300", "50");
    assertEquals([error?.code, error?.details?.limit], ["RESOURCE_LIMIT", "processes"]);
    assertEquals(outputOf(await held(pipe, "ended", "30", "1")), "started 30\nkept\n");
    assertEquals((await pipe.close()).status, 0);
  });

  Deno.test(`${who}: a program is told of the groups and the scheduling of its own call, and of nobody else's`, async () => {
    await using other = new OutsideProcess(user);
    const [every, none] = ["9 of 9", "0 of 9"];
    const ends = `thread ${every}
itself ${every} ${every}
child ${every} 2 of 2
ended True
`;
    await using free = openWorkspace(user);
    const control = await alone(free, user, "looks", String(other.id));
    assert(control.startsWith(`parent ${every}\nfirst ${every}\nother 0 ${every}\n`), control);
    assert(control.endsWith(ends), control);
    for (const denied of [true, false]) {
      await using workspace = openWorkspace(user);
      const pipe = open(workspace, policyOf(denied));
      const span = sleepMark();
      await pipe.send({ id: 7, tool: "run_command", args: { argv: ["sleep", span] } });
      await untilRunning(span, 1);
      const [neighbour = ""] = running(span)[0]?.split(":") ?? [];
      const argv = [PYTHON, "attack.py", "looks", String(other.id), neighbour];
      await pipe.send({ id: 1, tool: "run_command", args: { argv } });
      const text = outputOf((await pipe.answers(1)).get(1)!);
      await pipe.send({ id: 8, op: "cancel", target: 7 });
      assertEquals((await pipe.answers(2)).get(7)?.error?.code, "CANCELLED");
      const others = ["parent", "first", "other 0", "other 1"].map((one) => `${one} ${none}\n`);
      const many = "other's group 0 of 2\nall of the user 0 of 2\n";
      assertEquals(text, others.join("") + many + ends);
      assertEquals((await pipe.close()).status, 0);
    }
  });

  Deno.test(`${who}: what lies in sockets counts as memory of who holds them, however they do`, async () => {
    await using workspace = openWorkspace(user);
    const pipe = open(workspace, policyOf(true, "limits: { memory: 200MiB }"));
    for (const how of ["pairs", "left", "in flight", "internet"]) {
      await using free = openWorkspace(user);
      const control = await alone(free, user, "sockets", how, "300", "0");
      assertEquals([how, control], [how, "taken\nkept True\n"]);
      const { error } = await held(pipe, "sockets", how, "300", "50");
      assertEquals([how, error?.code, error?.details?.limit], [how, "RESOURCE_LIMIT", "memory"]);
      const little = outputOf(await held(pipe, "sockets", how, "20", "1"));
      assertEquals([how, little], [how, "taken\nkept True\n"]);
    }
    assertEquals((await pipe.close()).status, 0);
  });

  Deno.test(`${who}: what lies in pipes, and what is open, counts as memory of who has it open`, async () => {
    await using workspace = openWorkspace(user);
    const pipe = open(workspace, policyOf(true, "limits: { memory: 48MiB }"));
    const rows = [["pipes", "usual"], ["pipes", "wide"], ["pipes", "in flight"], [
      "opened",
    ]] as const;
    for (const [what, ...how] of rows) {
      const row = (much: string, seconds: string) => [what, ...how, much, seconds];
      const [little, much] = what === "opened" ? ["1000", "60000"] : ["4", "60"];
      await using free = openWorkspace(user);
      assertEquals(await alone(free, user, ...row(much, "0")), "taken\nkept True\n", what);
      const { error } = await held(pipe, ...row(much, "50"));
      assertEquals([what, how, error?.details?.limit], [what, how, "memory"]);
      assertEquals(outputOf(await held(pipe, ...row(little, "1"))), "taken\nkept True\n");
    }
    assertEquals((await pipe.close()).status, 0);
  });

  Deno.test(`${who}: a program whose first thread has ended is held to its memory, and ends with its call`, async () => {
    await using free = openWorkspace(user);
    assertEquals(await alone(free, user, "headless", "60", "0"), "taken\nkept True\n");
    const left = Number(await alone(free, user, "leave headless"));
    assert(runs(left), `${left} is gone`);
    Deno.kill(left, "SIGKILL");
    await using workspace = openWorkspace(user);
    const pipe = open(workspace, policyOf(true, "limits: { memory: 48MiB }"));
    const { error } = await held(pipe, "headless", "60", "50");
    assertEquals([error?.code, error?.details?.limit], ["RESOURCE_LIMIT", "memory"]);
    assertEquals(outputOf(await held(pipe, "headless", "1", "1")), "taken\nkept True\n");
    const own = Number(outputOf(await held(pipe, "leave headless")));
    assert(await comesToBe(() => !runs(own)), `${own} is still there`);
    assertEquals((await pipe.close()).status, 0);
  });

  Deno.test(`${who}: no thread has files of its own, which nobody would see`, async () => {
    await using free = openWorkspace(user);
    const hidden = "unshare True hidden\nclose_range True hidden\n";
    assertEquals(await alone(free, user, "hide"), hidden);
    await using workspace = openWorkspace(user);
    const pipe = open(workspace, policyOf(true));
    const shown = "unshare False shown\nclose_range False shown\n";
    assertEquals(outputOf(await held(pipe, "hide")), shown);
    assertEquals((await pipe.close()).status, 0);
  });

  Deno.test(`${who}: what the kernel needs to find a program's memory counts as its memory`, async () => {
    await using free = openWorkspace(user);
    assertEquals(await alone(free, user, "tables", "300", "0"), "taken\nkept\n");
    await using workspace = openWorkspace(user);
    const pipe = open(workspace, policyOf(true, "limits: { memory: 200MiB }"));
    const { error } = await held(pipe, "tables", "300", "50");
    assertEquals([error?.code, error?.details?.limit], ["RESOURCE_LIMIT", "memory"]);
    assertEquals(outputOf(await held(pipe, "tables", "20", "1")), "taken\nkept\n");
    assertEquals((await pipe.close()).status, 0);
  });
}
