/** Programs and names that the kernel's own rules cannot tell from others: as root and as an ordinary user. */

import { assert, assertEquals } from "@std/assert";
import { basename, fromFileUrl } from "@std/path";
import { running, stillRunning, untilRunning } from "../_processes.ts";
import { Pipe, Workspace } from "../toolgate.ts";
import { type User, USERS } from "./_users.ts";

const ATTACKS = Deno.readTextFileSync(
  fromFileUrl(new URL("_broker_attacks.py", import.meta.url)),
);
/** Found by no name of a version manager's: what it starts is one program. */
const PYTHON = "/usr/bin/python3";

const POLICY = `version: 1
paths:
  - { allow: [read, write], match: ["**"] }
  - { deny: [read, write], match: ["**/.env", "secrets/**", "**/*.key", "**/??.two"] }
  - { deny: [read, write], match: ["**/k[!a-z]y"] }
  - { deny: [write], match: ["pinned/**"] }
extensions: { write: { deny: [.exe] } }
commands: [{ allow: ["*"] }]
risk: { allow: dangerous, ask: dangerous }
environment: { pass: [PATH] }
limits: { processes: 256 }
sandbox: { temporary: true }
timeouts: { default: 1h }
`;

/** As above, and git is one that may start whatever it wants. */
const GIT_POLICY = `version: 1
paths:
  - { allow: [read, write], match: ["**"] }
  - { deny: [write], match: ["**/.git/**"], reason: internals }
commands: [{ allow: [git, sh], runs: any }]
risk: { allow: dangerous, ask: dangerous }
environment: { pass: [PATH] }
`;

/** What nobody but git changes, and git neither: tries all of it. */
const INTRUDER = `
for name in HEAD config refs/heads/bad objects/bad hooks/pre-commit info/attributes index; do
  (echo bad >> .git/$name) 2>/dev/null && echo $name
done
rm -f .git/ORIG_HEAD .git/description 2>/dev/null; mv .git .was 2>/dev/null && echo moved
mkdir .git/refs/bad 2>/dev/null && echo made
exit 0
`;

const SECRET = "secret text\n";
/** Of what no program may have changed. */
const KEPT: Readonly<Record<string, string>> = {
  ".env": SECRET,
  "holds/.env": SECRET,
  "secrets/key": SECRET,
  "pinned/file": "pinned\n",
};
const FILES: Readonly<Record<string, string>> = {
  ...KEPT,
  "attacks.py": ATTACKS,
  "a.txt": "text\n",
  "sub/b.txt": "text\n",
  "plain/other": "text\n",
};

function openWorkspace(user: { readonly uid: number; readonly gid: number } | undefined) {
  const workspace = new Workspace(FILES);
  if (user === undefined) return workspace;
  Deno.chmodSync(workspace.base, 0o755);
  const give = (path: string): void => {
    Deno.chownSync(path, user.uid, user.gid);
    if (!Deno.statSync(path).isDirectory) return;
    for (const { name } of Deno.readDirSync(path)) give(`${path}/${name}`);
  };
  give(workspace.root);
  give(workspace.outside);
  return workspace;
}

/** A denied name that is no UTF-8, which the runtime itself cannot write. */
async function addOdd(workspace: Workspace, user: User): Promise<void> {
  const script = "mkdir odd && printf '%s' \"$1\" > \"odd/$(printf '\\377').key\"";
  const args = ["-c", script, "sh", SECRET];
  const { success } = await new Deno.Command("sh", { args, cwd: workspace.root, ...user }).output();
  assert(success);
}

/** It is what it was, and no other of its kind is there. */
async function assertOddKept(workspace: Workspace): Promise<void> {
  const script =
    "find . -path ./secrets -prune -o \\( -name '*.key' -o -name '*.two' -o -name 'k?y' \\) " +
    "-print; cat odd/*.key";
  const { stdout } = await new Deno.Command("sh", {
    args: ["-c", script],
    cwd: workspace.root,
    env: { LC_ALL: "C" },
  }).output();
  assertEquals(new TextDecoder("latin1").decode(stdout), `./odd/\xff.key\n${SECRET}`);
}

function assertKept(workspace: Workspace): void {
  for (const [path, text] of Object.entries(KEPT)) assertEquals(workspace.read(path), text, path);
  for (const name of ["plain/.env", "sub/.env", "plain/a.exe", "a.exe", "taken", "open"]) {
    let there = true;
    try {
      Deno.lstatSync(workspace.path(name));
    } catch {
      there = false;
    }
    assert(!there, name);
  }
  workspace.assertOutsideUntouched();
}

/** What each deed comes to, and what it does where nobody holds it: "ok" unless said. */
const DONE = [
  ..."make append read rename replace link symlink follow truncate remove folder list".split(" "),
  "in folder",
  "read in folder",
  "move folder",
  "read moved",
  "remove folder",
  "fifo",
  "kept open",
  "other folder",
  "page end",
  "masks",
  "odd names",
  "odd socket",
] as const;
const ERRORS = {
  "nothing there": "ENOENT",
  "there already": "EEXIST",
  exclusive: "EEXIST",
  "is a folder": "EISDIR",
  "not empty": "ENOTEMPTY",
  "no folder": "ENOTDIR",
  circle: "ELOOP",
  "circle written": "ELOOP",
  "long name": "ENAMETOOLONG",
  "long path": "ENAMETOOLONG",
  "no address": "EFAULT",
  "no directory": "EBADF",
  empty: "ENOENT",
} as const;
/** Deeds that are refused with another error than EACCES: programs then do without. */
const REFUSED: Readonly<Record<string, string>> = {
  openat2: "ENOSYS",
  nameless: "ENOTSUP",
  "move in": "EXDEV",
  "move out": "EXDEV",
};

for (const [who, user] of USERS) {
  const identity = user === undefined ? {} : { user };
  const open = (workspace: Workspace) =>
    new Pipe(["--policy", workspace.policy(POLICY)], { cwd: workspace.root, ...identity });
  const runs = (pipe: Pipe, id: number, ...words: readonly string[]) =>
    pipe.send({
      id,
      tool: "run_command",
      args: { argv: [PYTHON, "attacks.py", ...words], timeout_ms: 600_000 },
    });
  const alone = async (workspace: Workspace, ...words: readonly string[]) => {
    const { stdout } = await new Deno.Command(PYTHON, {
      args: ["attacks.py", ...words],
      cwd: workspace.root,
      env: { TMPDIR: workspace.outside },
      ...user,
    }).output();
    return new TextDecoder().decode(stdout);
  };
  const linesOf = (text: string) =>
    Object.fromEntries(
      text.trim().split("\n").map((line) => {
        const cut = line.lastIndexOf(" ");
        return [line.slice(0, cut), line.slice(cut + 1)];
      }),
    );

  Deno.test(`${who}: a program does at the top of a workspace what the policy allows, and nothing else by any way`, async () => {
    await using free = openWorkspace(user);
    await addOdd(free, user);
    const control = linesOf(await alone(free, "names"));
    await using workspace = openWorkspace(user);
    await addOdd(workspace, user);
    const pipe = open(workspace);
    await runs(pipe, 1, "names");
    const answer = (await pipe.answers(1)).get(1);
    assert(answer?.success === true, JSON.stringify(answer));
    const held = linesOf(answer.output.stdout);
    for (const name of DONE) assertEquals([name, held[name]], [name, "ok"]);
    for (const [name, error] of Object.entries(ERRORS)) {
      assertEquals([name, held[name], control[name]], [name, error, error]);
    }
    const others = Object.keys(control).filter((name) =>
      !DONE.some((done) => done === name) && !(name in ERRORS)
    );
    assert(others.length > 40, `${others.length}`);
    for (const name of others) {
      assertEquals([name, held[name]], [name, REFUSED[name] ?? "EACCES"]);
    }
    // Without Toolgate they are attacks: most of them succeed one after the other.
    const succeeded = others.filter((name) => control[name] === "ok");
    assert(succeeded.length >= 50, succeeded.join());
    assertKept(workspace);
    await assertOddKept(workspace);
    assertEquals((await pipe.close()).status, 0);
  });

  Deno.test(`${who}: a program sees itself and what it started of all processes, and shares memory with that alone`, async () => {
    // Which of all it lists: process_list_test.ts.
    const own = "all,own stat,own maps,own status,own thread,own files,child,shared,shared name";
    await using free = openWorkspace(user);
    const control = linesOf(await alone(free, "processes"));
    await using workspace = openWorkspace(user);
    /** What of theirs lies where all of the machine share memory. */
    const shared = () => {
      const names = [free, workspace].map(({ base }) => basename(base));
      return [...Deno.readDirSync("/dev/shm")].map(({ name }) => name)
        .filter((name) => names.includes(name));
    };
    for (const name of shared()) Deno.removeSync(`/dev/shm/${name}`);
    const pipe = open(workspace);
    await runs(pipe, 1, "processes");
    const answer = (await pipe.answers(1)).get(1);
    assert(answer?.success === true, JSON.stringify(answer));
    const held = linesOf(answer.output.stdout);
    for (const [name, said] of Object.entries(held)) {
      assertEquals([name, said], [name, own.split(",").includes(name) ? "ok" : "EACCES"]);
    }
    const succeeded = Object.keys(held).filter((name) => control[name] === "ok");
    assert(succeeded.length >= Object.keys(held).length - 2, succeeded.join());
    assertEquals(shared(), []);
    assertEquals((await pipe.close()).status, 0);
  });

  Deno.test(`${who}: git records in its folder, and neither it nor anybody else does more there`, async () => {
    await using workspace = openWorkspace(user);
    workspace.write("intruder.sh", INTRUDER);
    const git = async (...args: readonly string[]) => {
      const { success, stdout, stderr } = await new Deno.Command("git", {
        args: ["-c", "user.name=a", "-c", "user.email=a@b", ...args],
        cwd: workspace.root,
        env: { HOME: workspace.root, GIT_CONFIG_NOSYSTEM: "1" },
        ...user,
      }).output();
      const text = new TextDecoder();
      assert(success, text.decode(stderr));
      return text.decode(stdout);
    };
    await git("init", "-q", "-b", "main");
    await git("add", "a.txt", "sub");
    await git("commit", "-q", "-m", "one");
    await git("branch", "other");
    await git("config", "user.name", "a");
    await git("config", "user.email", "a@b");
    const hook = workspace.path(".git/hooks/post-commit");
    Deno.writeTextFileSync(hook, `#!/bin/sh\n{${INTRUDER}} > intruded\n`);
    Deno.chmodSync(hook, 0o755);
    const kept = (name: string) => workspace.read(`.git/${name}`);
    const before = ["config", "description", "hooks/post-commit"].map(kept);
    const pipe = new Pipe(["--policy", workspace.policy(GIT_POLICY)], {
      cwd: workspace.root,
      ...identity,
    });
    let id = 0;
    const run = (command: string) => pipe.ask({ id: ++id, tool: "run_command", args: { command } });
    workspace.write("a.txt", "other text\n");
    const commit = await run("git add a.txt && git commit -m two && git -C sub tag v1");
    assert(commit.success, JSON.stringify(commit));
    const intruded = () =>
      [...Deno.readDirSync(workspace.root)].some(({ name }) => name === "intruded");
    assert(!intruded(), "no hook is run");
    const named = await run("git -c core.hooksPath=.git/hooks commit --allow-empty -m hooked");
    assertEquals([named.success, intruded()], [false, false], "who names hooks records nothing");
    const { success, error } = await run("git config core.pager x");
    assert(!success);
    const refused = (error?.details as {
      readonly denied: readonly { readonly path: string }[];
    }).denied;
    assert(refused.some(({ path }) => path.startsWith(".git/")), JSON.stringify(error));
    assert(error?.message.includes("paths[1] (internals)"), error?.message);
    const intruder = await run("sh intruder.sh");
    assertEquals([intruder.success, intruder.output.stdout], [true, ""]);
    const { denied } = intruder.output;
    assert(denied.length > 5, JSON.stringify(denied));
    assertEquals(["config", "description", "hooks/post-commit"].map(kept), before);
    assertEquals((await pipe.close()).status, 0);
    assertEquals((await git("log", "--format=%s")).trim().split("\n"), ["two", "one"]);
    assertEquals((await git("tag")).trim(), "v1");
    await git("fsck", "--strict");
    assertEquals(workspace.read("a.txt"), "other text\n");
    // The control: without Toolgate the hook does all of it.
    await git("commit", "-q", "--allow-empty", "-m", "three").catch(() => {});
    assert(workspace.read("intruded").includes("config"), "the hook is no attack");
  });

  Deno.test(`${who}: what changes between being judged and being done is what was judged, or nothing`, async () => {
    await using free = openWorkspace(user);
    const [, went, , taken] = (await alone(free, "race", "600", "once")).trim().split(" ");
    assertEquals(went, "True");
    assert(Number(taken) > 0, "the race is no attack");
    await using workspace = openWorkspace(user);
    const pipe = open(workspace);
    await runs(pipe, 1, "race", "2");
    const answer = (await pipe.answers(1)).get(1);
    assertEquals(answer?.output?.stdout, "went True taken 0\n", JSON.stringify(answer));
    assertKept(workspace);
    assertEquals((await pipe.close()).status, 0);
  });

  Deno.test(`${who}: programs that fork, stop and die while they ask leave nothing hanging, and a flood starves nobody`, async () => {
    await using workspace = openWorkspace(user);
    const pipe = open(workspace);
    await runs(pipe, 1, "flood");
    await runs(pipe, 2, "restless", "1.5");
    // Others are answered meanwhile: what ends the flood is one of them.
    const restless = await pipe.ask({ id: 3, op: "ping" }).then(() => pipe.answers(1));
    assertEquals(restless.get(2)?.output?.stdout, "restless True\n", JSON.stringify([...restless]));
    const { success } = await pipe.ask({
      id: 4,
      tool: "write_file",
      args: { path: "stop", content: "" },
    });
    assert(success);
    const flood = (await pipe.answers(1)).get(1);
    assertEquals(flood?.output?.stdout, "flooded\n".repeat(4), JSON.stringify(flood));
    assertKept(workspace);
    // Who is stopped in the middle of it, and let go by nobody, holds up neither its call nor the next.
    const word = `asking-${pipe.process.pid}`;
    await runs(pipe, 5, "frozen", word);
    const frozen = (await pipe.answers(1)).get(5);
    assertEquals(frozen?.output?.stdout, "frozen 12\n", JSON.stringify(frozen));
    assertEquals(await stillRunning(word), []);
    // One that is in the middle of it when Toolgate goes: nothing of it is left.
    Deno.removeSync(workspace.path("stop"));
    await runs(pipe, 6, "flood", word);
    await untilRunning(word, 4);
    assert(running(word).length >= 4, "they ask meanwhile");
    pipe.process.kill("SIGKILL");
    await pipe.process.status;
    assertEquals(await stillRunning(word), []);
    await pipe.close().catch(() => {});
    assertKept(workspace);
  });
}
