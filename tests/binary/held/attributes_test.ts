/** Modes, owners, times and attributes, of which no rule of the kernel is asked: as root and as an ordinary user. */

import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { lchownSync } from "node:fs";
import { Pipe, Workspace } from "../toolgate.ts";
import { type User, USERS } from "./_users.ts";

const PYTHON = "/usr/bin/python3";
const ATTACKS = Deno.readTextFileSync(
  fromFileUrl(new URL("_attribute_attacks.py", import.meta.url)),
);

const POLICY = `version: 1
paths:
  - { allow: [read, write], match: ["**"] }
  - { deny: [write], match: ["pinned/**", "**/.git/**"] }
  - { deny: [read, write], match: ["**/.env"] }
commands: [{ allow: ["*"] }]
risk: { allow: dangerous, ask: dangerous }
environment: { pass: [PATH] }
timeouts: { default: 1h }
`;
/** Names nothing, so that programs open and make by themselves what they like in the workspace. */
const OPEN_POLICY = `version: 1
paths: [{ allow: [read, write], match: ["**"] }]
commands: [{ allow: ["*"] }]
risk: { allow: dangerous, ask: dangerous }
environment: { pass: [PATH] }
timeouts: { default: 1h }
`;

/** What scripts try to change. */
const AIMS = ["../outside/sentinel.txt", ".env", "pinned/file", ".git/config"];
const NODE = `
const fs = require("node:fs");
for (const path of ${JSON.stringify(AIMS)}) {
  for (const deed of [
    () => fs.chmodSync(path, 0o640), () => fs.utimesSync(path, 1000, 2000), () => fs.lutimesSync(path, 1000, 2000),
    () => fs.chownSync(path, process.getuid(), -1), () => fs.lchownSync(path, process.getuid(), -1),
    () => fs.fchmodSync(fs.openSync(path, "r"), 0o640), () => fs.futimesSync(fs.openSync(path, "r"), 1000, 2000),
  ]) {
    try { deed(); console.log("ok"); } catch (error) { console.log(error.code); }
  }
}
`;
const SHELL = `
for path in ${AIMS.join(" ")}; do
  chmod 640 "$path" && echo ok; touch -d @2000 "$path" && echo ok; touch "$path" && echo ok
  chown "$(id -u)" "$path" && echo ok; cp -p --attributes-only a.txt "$path" && echo ok
done 2> /dev/null
true
`;

const FILES = {
  "attacks.py": ATTACKS,
  "attack.js": NODE,
  "attack.sh": SHELL,
  "a.txt": "text\n",
  "sub/b.txt": "text\n",
  "plain/.fine": "text\n",
  "plain/.env": "secret\n",
  ".env": "secret\n",
  "pinned/file": "pinned\n",
  ".git/config": "[core]\n",
};
/** Of what nothing may have changed, folders too. */
const KEPT = [
  "../outside",
  "../outside/sentinel.txt",
  ".env",
  "plain/.env",
  "pinned",
  "pinned/file",
  ".git",
  ".git/config",
];

/** Everything in it is the user's, so that it is the policy alone that keeps anything from him. */
function openWorkspace(user: User): Workspace {
  const workspace = new Workspace(FILES);
  Deno.mkdirSync(`${workspace.base}/temporary`);
  Deno.chmodSync(workspace.base, 0o755);
  const prepare = (path: string): void => {
    if (user !== undefined) lchownSync(path, user.uid, user.gid);
    if (Deno.statSync(path).isDirectory) {
      for (const { name } of Deno.readDirSync(path)) prepare(`${path}/${name}`);
    } else {
      Deno.chmodSync(path, 0o644);
    }
    Deno.utimeSync(path, 1, 1);
  };
  for (const name of ["workspace", "outside", "temporary"]) prepare(`${workspace.base}/${name}`);
  return workspace;
}

/** Mode, owner, time, and when any of that or an attribute was changed last. */
function stateOf(workspace: Workspace, paths: readonly string[]): readonly string[] {
  return paths.map((path) => {
    const { mode, uid, mtime, ctime } = Deno.statSync(workspace.path(path));
    return [path, mode, uid, mtime?.getTime(), ctime?.getTime()].join(" ");
  });
}

/** What a program says without Toolgate: what it does then is an attack. */
async function alone(workspace: Workspace, user: User, words: readonly string[]): Promise<string> {
  const [program = "", ...args] = words;
  const { stdout } = await new Deno.Command(program, {
    args,
    cwd: workspace.root,
    env: { TMPDIR: `${workspace.base}/temporary` },
    ...user,
  }).output();
  return new TextDecoder().decode(stdout);
}

async function held(pipe: Pipe, argv: readonly string[]): Promise<string> {
  const answer = await pipe.ask({
    id: 1,
    tool: "run_command",
    args: { argv, timeout_ms: 600_000 },
  });
  assert(answer.success, JSON.stringify(answer));
  assertEquals(answer.output.exit_code, 0, JSON.stringify(answer));
  return answer.output.stdout;
}

function linesOf(text: string): ReadonlyMap<string, string> {
  return new Map(
    text.trim().split("\n").map((line) => {
      const cut = line.lastIndexOf(" ");
      return [line.slice(0, cut), line.slice(cut + 1)] as const;
    }),
  );
}

for (const [who, user] of USERS) {
  const identity = user === undefined ? {} : { user };
  const open = (workspace: Workspace, policy = POLICY) =>
    new Pipe(["--policy", workspace.policy(policy)], { cwd: workspace.root, ...identity });

  Deno.test(`${who}: no program changes modes, owners, times or attributes of what it may not write`, async () => {
    await using free = openWorkspace(user);
    const control = linesOf(await alone(free, user, [PYTHON, "attacks.py", "attacks"]));
    const succeeded = [...control].filter(([, said]) => said === "ok").length;
    assert(succeeded > 120, `${succeeded} of ${control.size}`);
    await using workspace = openWorkspace(user);
    const before = stateOf(workspace, KEPT);
    const pipe = open(workspace);
    const lines = linesOf(await held(pipe, [PYTHON, "attacks.py", "attacks", "held"]));
    assert(lines.size > 120, `${lines.size}`);
    assertEquals([...lines].filter(([, said]) => said === "ok"), []);
    assertEquals(stateOf(workspace, KEPT), before);
    for (const words of [["node", "attack.js"], ["/bin/sh", "attack.sh"]]) {
      await using other = openWorkspace(user);
      const done = await alone(other, user, words);
      assert(done.split("ok").length > 4 * AIMS.length, done);
      assert(!(await held(pipe, words)).includes("ok"), words.join(" "));
    }
    assertEquals(stateOf(workspace, KEPT), before);
    assertEquals((await pipe.close()).status, 0);
    // Where the policy names nothing in the workspace, it still ends there.
    await using wide = openWorkspace(user);
    const outside = KEPT.slice(0, 2);
    const there = stateOf(wide, outside);
    const plain = open(wide, OPEN_POLICY);
    const said = linesOf(await held(plain, [PYTHON, "attacks.py", "attacks", "held"]));
    for (const [name, how] of said) {
      if (/^(?:outside|link out|link up|dots|root|system)/.test(name)) {
        assert(how !== "ok", `${name} ${how}`);
      }
    }
    assertEquals(said.get("denied: fchmodat"), "ok");
    assertEquals(said.get("git open: fchmod"), "ok");
    assertEquals(stateOf(wide, outside), there);
    assertEquals((await plain.close()).status, 0);
  });

  Deno.test(`${who}: attributes are read of what may be read, as they are, and of nothing else`, async () => {
    const told = async (workspace: Workspace): Promise<void> => {
      const code =
        'import os, sys\nfor path in sys.argv[1:]: os.setxattr(path, "user.told", b"yes")';
      const paths = ["../outside/sentinel.txt", ".env", "a.txt", "sub", "../temporary"];
      const { success } = await new Deno.Command(PYTHON, {
        args: ["-c", code, ...paths],
        cwd: workspace.root,
      }).output();
      assert(success);
    };
    await using free = openWorkspace(user);
    await told(free);
    const control = (await alone(free, user, [PYTHON, "attacks.py", "reading"])).split("\n");
    assertEquals(control.filter((line) => line.includes("b'yes'")).length, 11, control.join("\n"));
    for (const policy of [POLICY, OPEN_POLICY]) {
      await using workspace = openWorkspace(user);
      await told(workspace);
      const pipe = open(workspace, policy);
      const lines = (await held(pipe, [PYTHON, "attacks.py", "reading"])).split("\n");
      const closed = policy === POLICY
        ? /^(?:outside|link out|denied|denied link|cwd|place|denied place)(?=:)/
        : /^(?:outside|link out|cwd|place)(?=:)/;
      const none = Array<string>(6).fill("EOPNOTSUPP");
      // A link itself has none, whose ever it is; the folder of its own is another one here.
      const ofLink = none.map((word, at) => at === 1 ? "ENODATA" : at === 4 ? "b''" : word);
      const own = "temporary: ENODATA ENODATA ENODATA b'' b'' 0";
      const expected = control.map((line) => {
        const [what] = closed.exec(line) ?? [];
        // Of the links in /proc those that stand for a descriptor are followed, and are no files themselves.
        if (what === undefined && line.startsWith("denied place")) {
          return line.replace("ENODATA", "EOPNOTSUPP").replace("b''", "EOPNOTSUPP");
        }
        if (what === undefined) return line.startsWith("temporary") ? own : line;
        return `${what}: ${(what.includes("link") ? ofLink : none).join(" ")}`;
      });
      assertEquals(lines.map((line) => line.replaceAll("ENOTSUP", "EOPNOTSUPP")), expected);
      // What only reads what its words name has no attributes to read.
      const listed = await held(pipe, ["ls", "-l", "a.txt", "sub"]);
      assert(/a\.txt\n/.test(listed), listed);
      assertEquals((await pipe.close()).status, 0);
    }
  });

  Deno.test(`${who}: what is a program's own it changes by every call, as it would alone`, async () => {
    for (const policy of [POLICY, OPEN_POLICY]) {
      await using free = openWorkspace(user);
      const control = linesOf(await alone(free, user, [PYTHON, "attacks.py", "honest"]));
      await using workspace = openWorkspace(user);
      const pipe = open(workspace, policy);
      const lines = linesOf(await held(pipe, [PYTHON, "attacks.py", "honest"]));
      assertEquals([...lines.keys()], [...control.keys()]);
      for (const [name, said] of lines) {
        const expected = name.startsWith("error") ? control.get(name) : "ok";
        assertEquals([name, said], [name, expected]);
      }
      assertEquals((await pipe.close()).status, 0);
    }
  });

  Deno.test(`${who}: a name that becomes another changes nothing that was not judged, and who hammers starves nobody`, async () => {
    await using free = openWorkspace(user);
    const control = await alone(free, user, [PYTHON, "attacks.py", "race", "20", "once"]);
    assertEquals(control, "went True taken True\n");
    await using workspace = openWorkspace(user);
    const before = stateOf(workspace, KEPT);
    const pipe = open(workspace);
    await pipe.send({
      id: 2,
      tool: "run_command",
      args: { argv: [PYTHON, "attacks.py", "hammer"], timeout_ms: 600_000 },
    });
    assertEquals(await held(pipe, [PYTHON, "attacks.py", "race", "1"]), "went True taken False\n");
    assertEquals(stateOf(workspace, KEPT), before);
    await pipe.send({ id: 3, tool: "write_file", args: { path: "stop", content: "" } });
    const hammered = (await pipe.answers(2)).get(2);
    assertEquals(hammered?.output?.stdout, "hammered\n", JSON.stringify(hammered));
    assertEquals((await pipe.close()).status, 0);
  });
}
