/** Programs that the policy lets start and that try to get further than it lets them. */

import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { comesToBe } from "../../until.ts";
import { SYSTEM_PATHS } from "../../../src/sandbox/system_paths.ts";
import { BINARY, call, Pipe, SENTINEL, Workspace } from "../toolgate.ts";
import { Ears } from "./_ears.ts";

const SECRET = "secret-of-the-host-51c0";
const DENO = Deno.realPathSync(Deno.execPath());
const ATTACKER = Deno.readTextFileSync(fromFileUrl(new URL("_attacker.ts", import.meta.url)));

function policyOf(network: "allow" | "deny"): string {
  return `version: 1
paths: [{ allow: [read, write], match: ["**"] }]
commands: [{ allow: [${JSON.stringify(DENO)}, sh, cat, "true"] }]
risk: { allow: dangerous, ask: dangerous }
environment: { pass: [], set: { DENO_DIR: cache } }
sandbox: { network: ${network}, system: ${JSON.stringify([...SYSTEM_PATHS, DENO])} }
limits: { concurrency: 64 }
timeouts: { default: 300s }
`;
}

function openWorkspace(): Workspace {
  return new Workspace({ "attacker.ts": ATTACKER, "movable.txt": "inside\n" });
}

const RUN = ["run", "--quiet", "-A", "--no-config", "--no-lock", "attacker.ts"];

function aim(workspace: Workspace, ears: Ears, signals: boolean): string {
  const { outside } = workspace;
  return JSON.stringify({ sentinel: `${outside}/sentinel.txt`, outside, ...ears.targets, signals });
}

Deno.test("the attacker is one: where nothing holds it, it gets what it wants", async () => {
  await using workspace = openWorkspace();
  await using ears = await Ears.open(workspace);
  const { stdout } = await new Deno.Command(DENO, {
    args: [...RUN, aim(workspace, ears, false)],
    cwd: workspace.root,
  }).output();
  const { got } = JSON.parse(new TextDecoder().decode(stdout)) as { readonly got: string[] };
  const wanted = ["environ", "cmdline", "mem", "descriptors", "cwd", "root", "processes"];
  const files = ["sentinel", "write", "link", "link out", "move in"];
  const sockets = ["tcp", "unix", "abstract", "listen", "udp"];
  for (const one of [...wanted, ...files, ...sockets]) assert(got.includes(one), `${one}: ${got}`);
});

/** `deny` leaves it to serve its own call (see sockets_test); `allow` opens TCP and UDP, and those alone. */
const NETWORKS = [["deny", ["listen"]], ["allow", ["tcp", "listen", "udp"]]] as const;

for (const [network, expected] of NETWORKS) {
  Deno.test(`a program reaches nothing of the host, the machine or the network (${network})`, async () => {
    await using workspace = openWorkspace();
    await using ears = await Ears.open(workspace);
    const pipe = new Pipe(["--policy", workspace.policy(policyOf(network))], {
      cwd: workspace.root,
      env: { SECRET_TOKEN: SECRET },
    });
    const argv = [DENO, ...RUN, aim(workspace, ears, true)];
    const answer = await pipe.ask({ id: 1, tool: "run_command", args: { argv } });
    assert(answer.success, JSON.stringify(answer));
    assertEquals(JSON.parse(answer.output.stdout), { got: [...expected] });
    for (const word of [SECRET, SENTINEL.trim()]) assert(!JSON.stringify(answer).includes(word));
    // It lives, and still may write.
    const content = "x".repeat(100_000);
    const written = await pipe.ask({ id: 2, tool: "write_file", args: { path: "b.txt", content } });
    assert(written.success, written.error?.message);
    assertEquals((await pipe.close()).status, 0);
    assertEquals(
      [...new Set(ears.heard)].sort(),
      expected.filter((name) => name !== "listen").toSorted(),
    );
    workspace.assertOutsideUntouched();
  });
}

Deno.test("the same of a single call", async () => {
  await using workspace = openWorkspace();
  await using ears = await Ears.open(workspace);
  const argv = [DENO, ...RUN, aim(workspace, ears, true)];
  const { status, answer } = await call([
    "run_command",
    "--json",
    JSON.stringify({ argv }),
    "--policy",
    workspace.policy(policyOf("deny")),
  ], { cwd: workspace.root, env: { SECRET_TOKEN: SECRET } });
  assertEquals([status, answer.error], [0, null]);
  assertEquals(JSON.parse(answer.output.stdout), { got: ["listen"] });
  assertEquals(ears.heard, []);
  workspace.assertOutsideUntouched();
});

Deno.test("a shell script of the workspace: no signal to who started it, nothing of /proc, no open descriptors", async () => {
  await using workspace = new Workspace({
    "attack.sh": `kill -9 $PPID 2>/dev/null && echo killed
cat /proc/$PPID/environ /proc/$PPID/task/*/mem /proc/$PPID/cwd/a.txt 2>/dev/null
cat "$PPID" 2>/dev/null
for n in 3 4 5 6 7 8 9; do (eval ": <&$n") 2>/dev/null && echo "open $n"; done
echo done
`,
  });
  const pipe = new Pipe(["--policy", workspace.policy(policyOf("deny"))], {
    cwd: workspace.root,
    env: { SECRET_TOKEN: SECRET },
  });
  for (let round = 0; round < 3; round++) {
    const { output } = await pipe.ask({
      id: round,
      tool: "run_command",
      args: { argv: ["sh", "attack.sh"] },
    });
    assertEquals(output?.stdout, "done\n");
  }
  assertEquals((await pipe.ask({ id: 9, op: "ping" })).output, { pong: true });
  assertEquals((await pipe.close()).status, 0);
});

Deno.test("a program of the workspace cannot stand in for one of the system", async () => {
  await using workspace = new Workspace({ "cat": "#!/bin/sh\necho fake\n", "a.txt": "real\n" });
  Deno.chmodSync(workspace.path("cat"), 0o755);
  for (const path of [`${workspace.root}:/usr/bin:/bin`, ".:/usr/bin:/bin", ":/usr/bin:/bin"]) {
    const { answer } = await call(
      ["run_command", "argv=cat,a.txt", "--policy", workspace.policy(policyOf("deny"))],
      { cwd: workspace.root, env: { PATH: path } },
    );
    assertEquals(answer.output?.stdout, "real\n", path);
  }
});

/**
 * Processes that it started and that are there still, those too that ended and were not waited for; but for the one
 * that outlives it to see to it that nothing else does.
 */
function children(pid: number): readonly string[] {
  return [...Deno.readDirSync("/proc")].flatMap(({ name }) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      // proc_pid_stat(5): number, (name), state, number of the parent.
      const text = Deno.readTextFileSync(`/proc/${name}/stat`);
      const [state, parent] = text.slice(text.lastIndexOf(")") + 2).split(" ");
      const words = Deno.readTextFileSync(`/proc/${name}/cmdline`).split("\0");
      if (words.includes("toolgate-guardian")) return [];
      return Number(parent) === pid ? [`${name} ${state}`] : [];
    } catch {
      return [];
    }
  });
}

Deno.test("800 commands, 16 at once, leave no process and no descriptor behind", async () => {
  await using workspace = new Workspace({ "a.txt": "text\n" });
  const policy = workspace.policy(policyOf("deny").replace("concurrency: 64", "concurrency: 16"));
  // One descriptor that every other command left would be too many.
  const pipe = new Pipe(["--policy", policy], {
    cwd: workspace.root,
    binary: "/bin/sh",
    words: ["-c", 'ulimit -n 300; exec "$0" "$@"', BINARY, "serve"],
  });
  const count = 200;
  for (let round = 0; round < 4; round++) {
    await pipe.send(...Array.from({ length: count }, (_, id) => ({
      id,
      tool: "run_command",
      args: { argv: id % 3 === 0 ? ["true"] : ["cat", "a.txt"], stdin: "x".repeat(id) },
    })));
    for (const answer of (await pipe.answers(count)).values()) {
      assert(answer.success, JSON.stringify(answer));
    }
  }
  assert(await comesToBe(() => children(pipe.process.pid).length === 0));
  assertEquals((await pipe.close()).status, 0);
});
