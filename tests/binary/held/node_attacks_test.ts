/** What node has by itself to reach out with: as root and as an ordinary user, with what it gets where nothing holds it. */

import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { SYSTEM_PATHS } from "../../../src/sandbox/system_paths.ts";
import { NODE, testWith } from "../lines/_project.ts";
import { running, sleepMark, stillRunning, untilRunning } from "../_processes.ts";
import { Pipe, Workspace } from "../toolgate.ts";
import { Ears } from "./_ears.ts";
import { USERS } from "./_users.ts";

const ATTACKS = Deno.readTextFileSync(fromFileUrl(new URL("_node_attacks.mjs", import.meta.url)));
const POLICY = `version: 1
paths: [{ allow: [read, write], match: ["**"] }]
commands: [{ allow: ["*"] }]
risk: { allow: dangerous, ask: dangerous }
environment: { pass: [PATH] }
sandbox: { system: ${JSON.stringify([...SYSTEM_PATHS, NODE])} }
timeouts: { default: 1h }
`;

const WAYS = ["plain", "dots", "self", "thread", "bytes"];
const DEEDS = ["read", "write", "mode", "times", "own times", "watch", "copy"];

/** What it gets of a process of the same user, of files of that user, and of sockets that are open to anybody. */
const GOT = [
  ...["signal", "priority", "environ", "cmdline", "maps", "status", "limits", "descriptors"],
  ...["place", "root", "list"],
  ...DEEDS.flatMap((deed) => WAYS.map((way) => `${deed} ${way}`)),
  ...["owner", "link", "by a link", "folder", "walk", "go", "put", "worker", "by another", "shell"],
  ...["tcp", "unix", "udp", "leave"],
];

function openWorkspace(user?: { readonly uid: number; readonly gid: number }): Workspace {
  const workspace = new Workspace({ "attacks.mjs": ATTACKS });
  Deno.chmodSync(workspace.base, 0o755);
  const { root, outside } = workspace;
  for (const path of [root, outside, workspace.path("attacks.mjs"), `${outside}/sentinel.txt`]) {
    if (user !== undefined) Deno.chownSync(path, user.uid, user.gid);
  }
  return workspace;
}

function aim(workspace: Workspace, ears: Ears, pid: number, word: string, span: number): string {
  Deno.chmodSync(ears.path, 0o777);
  const { outside } = workspace;
  const sentinel = `${outside}/sentinel.txt`;
  return JSON.stringify({ pid, span, outside, sentinel, ...ears.targets, word });
}

/** What of a file no program may have changed. */
function stateOf(path: string) {
  const { mode, uid, gid, nlink, mtime, atime } = Deno.statSync(path);
  return { mode, uid, gid, nlink, mtime, atime };
}

for (const [who, user] of USERS) {
  testWith(["node"], `${who}: node gets nothing beyond its call`, async () => {
    const word = sleepMark();
    {
      await using workspace = openWorkspace(user);
      await using ears = await Ears.open(workspace);
      const sleeper = new Deno.Command("sleep", { args: ["6000"], ...user }).spawn();
      const { stdout, stderr } = await new Deno.Command(`${NODE}/node`, {
        args: ["attacks.mjs", aim(workspace, ears, sleeper.pid, word, 1)],
        cwd: workspace.root,
        ...user,
      }).output();
      sleeper.kill("SIGKILL");
      await sleeper.status;
      for (const line of running(word)) Deno.kill(parseInt(line), "SIGKILL");
      const text = new TextDecoder();
      const got = JSON.parse(text.decode(stdout) || "[]") as readonly string[];
      const missed = GOT.filter((one) => !got.includes(one));
      assertEquals(missed, [], `no attack: ${text.decode(stderr)}`);
    }
    await using workspace = openWorkspace(user);
    await using ears = await Ears.open(workspace);
    const sentinel = `${workspace.outside}/sentinel.txt`;
    const before = stateOf(sentinel);
    const pipe = new Pipe(["--policy", workspace.policy(POLICY)], {
      cwd: workspace.root,
      ...(user === undefined ? {} : { user }),
    });
    const run = (id: number, pid: number, span: number) => {
      const argv = [`${NODE}/node`, "attacks.mjs", aim(workspace, ears, pid, word, span)];
      return pipe.ask({ id, tool: "run_command", args: { argv } });
    };
    const own = await run(1, pipe.process.pid, 40);
    assert(own.success, JSON.stringify(own));
    assertEquals(JSON.parse(own.output.stdout), ["leave"]);
    assertEquals(await stillRunning(word), []);
    // Another call's program, that runs meanwhile.
    const asleep = sleepMark();
    await pipe.send({ id: 2, tool: "run_command", args: { argv: ["sleep", asleep] } });
    await untilRunning(asleep, 1);
    const other = await run(3, parseInt(running(asleep)[0] ?? ""), 1);
    assertEquals(JSON.parse(other.output.stdout), ["leave"]);
    assertEquals(running(asleep).length, 1);
    await pipe.send({ id: 4, op: "cancel", target: 2 });
    assertEquals((await pipe.answers(2)).get(2)?.error?.code, "CANCELLED");
    assertEquals((await pipe.close()).status, 0);
    assertEquals(ears.heard, []);
    assertEquals(stateOf(sentinel), before);
    workspace.assertOutsideUntouched();
  });
}
