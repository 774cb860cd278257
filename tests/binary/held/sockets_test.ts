/** Sockets of programs: among a call's own they work, and nobody else is reached by them. As root and as an ordinary user. */

import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { comesToBe } from "../../until.ts";
import { Pipe, Workspace } from "../toolgate.ts";
import { type User, USERS } from "./_users.ts";

const ATTACKS = Deno.readTextFileSync(
  fromFileUrl(new URL("_socket_attacks.py", import.meta.url)),
);
/** Found by no name of a version manager's: what it starts is one program. */
const PYTHON = "/usr/bin/python3";
const RULES = `
commands: [{ allow: ["*"] }]
risk: { allow: dangerous, ask: dangerous }
environment: { pass: [PATH] }
limits: { processes: 256 }
sandbox: { temporary: true }
timeouts: { default: 1h }
`;
/** With names that the kernel's rules cannot tell from others, and without. */
const POLICIES = {
  "with denied names": `version: 1
paths:
  - { allow: [read, write], match: ["**"] }
  - { deny: [read, write], match: ["**/.env", "secrets/**"] }
${RULES}`,
  "where all of the workspace is allowed": `version: 1
paths: [{ allow: [read, write], match: ["**"] }]
${RULES}`,
} as const;

/** What of a call's own comes to something else than "ok". */
const OWN: Readonly<Record<string, string>> = {
  unbound: "127.0.0.1",
  nobody: "ECONNREFUSED",
  taken: "EADDRINUSE",
  gone: "ENOENT",
  no_socket: "ENOTSOCK",
  no_address: "EFAULT",
};
/** What others come to where it is not EACCES. Nobody learns who is there at a port. */
const OTHERS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      ...["port", "address", "zero", "six", "six zero", "mapped", "after own", "copied"],
      ...["same port", "same port any", "same port six"],
    ].map((name) => [name, "ECONNREFUSED"]),
  ),
  ...Object.fromEntries(["sendto", "sendmsg", "sendmmsg", "routed"].map((name) => [name, "EPERM"])),
  passed: "EPIPE",
  shares: "ENOPROTOOPT",
};
/** Refused by a rule for names, which one of the two policies has not. */
const BY_NAME = ["denied", "denied folder"];

function openWorkspace(user: User): Workspace {
  const workspace = new Workspace({ "attacks.py": ATTACKS, "secrets/key": "secret text\n" });
  if (user === undefined) return workspace;
  Deno.chmodSync(workspace.base, 0o755);
  for (const path of [workspace.root, workspace.outside, workspace.path("secrets")]) {
    Deno.chownSync(path, user.uid, user.gid);
  }
  return workspace;
}

function linesOf(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    text.trim().split("\n").map((line) => {
      const cut = line.lastIndexOf(" ");
      return [line.slice(0, cut), line.slice(cut + 1)];
    }),
  );
}

/** Who must not be reached: what they listen at, and the names of all that reached them. */
class Sentinels {
  readonly #process: Deno.ChildProcess;
  readonly #hearing: Promise<void>;
  #text = "";
  #heard = Promise.withResolvers<void>();

  constructor({ root, outside }: Workspace, user: User) {
    this.#process = new Deno.Command(PYTHON, {
      args: ["attacks.py", "serve", root, outside],
      cwd: root,
      stdout: "piped",
      ...user,
    }).spawn();
    this.#hearing = this.#hear();
  }

  /** All that they say, at once: with a full pipe they would accept nobody any more, and hold up who tries. */
  async #hear(): Promise<void> {
    for await (const text of this.#process.stdout.pipeThrough(new TextDecoderStream())) {
      this.#text += text;
      this.#heard.resolve();
      this.#heard = Promise.withResolvers();
    }
  }

  /** What they said before `mark`, which is taken with it. */
  async #before(mark: string): Promise<string> {
    while (!this.#text.includes(mark)) {
      await Promise.race([this.#heard.promise, this.#hearing.then(() => assert(false, "ended"))]);
    }
    const end = this.#text.indexOf(mark);
    const said = this.#text.slice(0, end);
    this.#text = this.#text.slice(end + mark.length);
    return said;
  }

  /** As JSON. */
  places(): Promise<string> {
    return this.#before("\n");
  }

  /** All that reached them: what came before they are asked themselves is told before that. */
  async reached(places: string): Promise<readonly string[]> {
    const { four } = JSON.parse(places);
    const connection = await Deno.connect({ hostname: "127.0.0.1", port: four });
    await connection.write(new TextEncoder().encode("asked"));
    const said = await this.#before("asked\n");
    connection.close();
    return said.split("\n").filter((name) => name !== "");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.kill();
    await this.#hearing;
    await this.#process.status;
  }
}

async function alone(workspace: Workspace, ...words: readonly string[]): Promise<string> {
  const { stdout, stderr } = await new Deno.Command(PYTHON, {
    args: ["attacks.py", ...words],
    cwd: workspace.root,
    env: { TMPDIR: workspace.outside },
  }).output();
  const text = new TextDecoder();
  assertEquals(text.decode(stderr), "");
  return text.decode(stdout);
}

for (const [who, user] of USERS) {
  const open = (workspace: Workspace, policy: string) =>
    new Pipe(["--policy", workspace.policy(policy)], {
      cwd: workspace.root,
      ...(user === undefined ? {} : { user }),
    });
  const run = async (pipe: Pipe, ...words: readonly string[]) => {
    const answer = await pipe.ask({
      id: 1,
      tool: "run_command",
      args: { argv: [PYTHON, "attacks.py", ...words], timeout_ms: 600_000 },
    });
    assert(answer.success === true, JSON.stringify(answer));
    return answer.output;
  };

  for (const [which, policy] of Object.entries(POLICIES)) {
    Deno.test(`${who}, ${which}: a call's own programs serve each other`, async () => {
      await using free = openWorkspace(undefined);
      const control = linesOf(await alone(free, "own"));
      await using workspace = openWorkspace(user);
      const pipe = open(workspace, policy);
      const { stdout, denied } = await run(pipe, "own");
      const held = linesOf(stdout);
      assert(Object.keys(control).length > 25);
      for (const [name, said] of Object.entries(control)) {
        assertEquals([name, held[name]], [name, OWN[name] ?? "ok"]);
        assert(name === "unbound" || said === held[name], `${name}: ${said}`);
      }
      assertEquals(denied, undefined);
      assertEquals((await pipe.close()).status, 0);
    });

    Deno.test(`${who}, ${which}: nobody else is reached by any way`, async () => {
      await using free = openWorkspace(undefined);
      let tried: readonly string[];
      {
        await using sentinels = new Sentinels(free, undefined);
        const places = await sentinels.places();
        await alone(free, "others", places);
        tried = await sentinels.reached(places);
      }
      // The control: without Toolgate they are attacks.
      assert(new Set(tried).size >= 26 && !tried.includes("silent"), tried.join());
      await using workspace = openWorkspace(user);
      await using sentinels = new Sentinels(workspace, user);
      const places = await sentinels.places();
      const pipe = open(workspace, policy);
      const { stdout, denied } = await run(pipe, "others", places);
      const held = linesOf(stdout);
      assert(Object.keys(held).length > 40);
      for (const [name, said] of Object.entries(held)) {
        if (BY_NAME.includes(name) && which !== "with denied names") continue;
        assertEquals([name, said], [name, OTHERS[name] ?? "EACCES"]);
      }
      assertEquals(await sentinels.reached(places), []);
      const { outside } = JSON.parse(places);
      const refused = denied.find(({ path }: { readonly path: string }) => path === outside);
      assertEquals([refused?.access, refused?.code], ["connect", "NETWORK_DENIED"]);
      assert(refused?.reason.includes("the same call's programs"), refused?.reason);
      assertEquals((await pipe.close()).status, 0);
    });
  }

  Deno.test(`${who}: an address or a descriptor that changes while it is judged leads nowhere else`, async () => {
    const policy = POLICIES["with denied names"];
    await using free = openWorkspace(undefined);
    {
      await using sentinels = new Sentinels(free, undefined);
      const places = await sentinels.places();
      const isReached = async () => {
        await alone(free, "flip", places, "0.5");
        return (await sentinels.reached(places)).includes("flip");
      };
      assert(await comesToBe(isReached), "the race is no attack");
    }
    await using workspace = openWorkspace(user);
    await using sentinels = new Sentinels(workspace, user);
    const places = await sentinels.places();
    const pipe = open(workspace, policy);
    const { stdout } = await run(pipe, "flip", places, "2");
    assertEquals(stdout, "flipped True\n");
    assertEquals(await sentinels.reached(places), []);
    assertEquals((await pipe.close()).status, 0);
  });

  Deno.test(`${who}: a port that was the call's own is nobody's of it once another has it, nor another call's`, async () => {
    await using workspace = openWorkspace(user);
    const pipe = open(workspace, POLICIES["with denied names"]);
    const place = workspace.path("port");
    const answer = run(pipe, "take", place);
    let port = 0;
    while (port === 0) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      try {
        port = Number(Deno.readTextFileSync(place));
      } catch (error) {
        if (!(error instanceof Deno.errors.NotFound)) throw error;
      }
    }
    const sentinel = Deno.listen({ hostname: "127.0.0.1", port });
    let connections = 0;
    const accepting = (async () => {
      for await (const connection of sentinel) {
        connections++;
        connection.close();
      }
    })();
    Deno.removeSync(place);
    assertEquals((await answer).stdout, "taken over ECONNREFUSED\n");
    sentinel.close();
    await accepting;
    assertEquals(connections, 0);
    // Two calls at once, on one thread: each has its own.
    const serve = "import socket, time, sys, os\n" +
      "one = socket.socket(); one.bind(('127.0.0.1', 0)); one.listen()\n" +
      "open('at', 'w').write(str(one.getsockname()[1]))\n" +
      "while not os.path.exists('done'): time.sleep(0.02)\n" +
      "one.settimeout(0)\ntry: one.accept(); print('reached')\nexcept BlockingIOError: print('alone')\n";
    const connect = "import socket, time, os\n" +
      "while not os.path.exists('at') or not open('at').read(): time.sleep(0.02)\n" +
      "print(socket.socket().connect_ex(('127.0.0.1', int(open('at').read()))))\nopen('done', 'w')\n";
    for (const [id, code] of [[2, serve], [3, connect]] as const) {
      await pipe.send({ id, tool: "run_command", args: { argv: [PYTHON, "-c", code] } });
    }
    const answers = await pipe.answers(2);
    assertEquals(answers.get(2)?.output?.stdout, "alone\n", JSON.stringify([...answers]));
    assertEquals(answers.get(3)?.output?.stdout, "111\n");
    assertEquals((await pipe.close()).status, 0);
  });
}

Deno.test("connections that nobody accepts hold up no other call, nor the end of their own, and leave nothing behind", async () => {
  await using workspace = new Workspace({ "attacks.py": ATTACKS });
  const pipe = new Pipe(["--policy", workspace.policy(POLICIES["with denied names"])], {
    cwd: workspace.root,
  });
  const run = (id: number, timeout_ms: number, ...words: readonly string[]) =>
    pipe.send({
      id,
      tool: "run_command",
      args: { argv: [PYTHON, "attacks.py", ...words], timeout_ms },
    });
  /** What Toolgate has open of sockets. */
  const sockets = (): number => {
    const folder = `/proc/${pipe.process.pid}/fd`;
    return [...Deno.readDirSync(folder)].filter(({ name }) => {
      try {
        const target = Deno.readLinkSync(`${folder}/${name}`);
        return target.startsWith("socket:") || target.includes(".sock");
      } catch {
        return false;
      }
    }).length;
  };
  await run(1, 600_000, "own");
  assertEquals((await pipe.answers(1)).get(1)?.success, true);
  const before = sockets();
  const hanging = [2, 3, 4, 5];
  for (const id of hanging) await run(id, 600_000, "hang", "200");
  const ready = () =>
    [...Deno.readDirSync(workspace.root)].filter(({ name }) => name.startsWith("hanging-")).length;
  while (ready() < hanging.length) await new Promise((resolve) => setTimeout(resolve, 20));
  await run(6, 600_000, "own");
  // The others still hang then.
  const answered = await pipe.answers(1);
  assertEquals(answered.get(6)?.success, true, JSON.stringify([...answered]));
  for (const id of hanging) await pipe.send({ op: "cancel", id: 10 + id, target: id });
  const answers = await pipe.answers(2 * hanging.length);
  for (const id of hanging) assertEquals(answers.get(id)?.error?.code, "CANCELLED");
  // What was on its way when its call ended the kernel tells of when it tries again.
  await comesToBe(() => sockets() <= before);
  assertEquals(sockets(), before);
  await run(7, 600_000, "own");
  assertEquals((await pipe.answers(1)).get(7)?.success, true);
  assertEquals((await pipe.close()).status, 0);
});

Deno.test("a line serves and asks, by what reads its words alone too; where nothing holds programs to that it is refused", async () => {
  await using workspace = new Workspace({ "page.txt": "served text\n", "own.py": "" });
  const pipe = new Pipe(["--policy", workspace.policy(POLICIES["with denied names"])], {
    cwd: workspace.root,
  });
  workspace.write(
    "own.py",
    "import http.server as h\ns = h.HTTPServer(('127.0.0.1', 0), h.SimpleHTTPRequestHandler)\n" +
      "open('at', 'w').write(f'http://localhost:{s.server_port}')\ns.serve_forever()\n",
  );
  const sentinel = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  let connections = 0;
  const accepting = (async () => {
    for await (const connection of sentinel) {
      connections++;
      connection.close();
    }
  })();
  const ask = (command: string) => pipe.ask({ id: 1, tool: "run_command", args: { command } });
  const served = await ask(
    `${PYTHON} own.py & while ! test -s at; do sleep 0.05; done; curl -sS "$(cat at)/page.txt"; kill %1`,
  );
  assertEquals(served.output?.stdout, "served text\n", JSON.stringify(served));
  const place = `http://127.0.0.1:${sentinel.addr.port}/`;
  const refused = await ask(`curl -sS ${place}`);
  assertEquals(refused.error?.code, "COMMAND_FAILED", JSON.stringify(refused));
  assertEquals((await ask("curl -sS http://10.0.0.1/")).error?.code, "NETWORK_DENIED");
  await pipe.close();
  // The control: it is reached by who is not held.
  await new Deno.Command("curl", { args: ["-sS", "-m", "2", place] }).output();
  assertEquals(connections, 1);
  // Bubblewrap's walls are others, and without the kernel's rules it is the policy that says so.
  for (const sandbox of ["bubblewrap: required", "kernel: off"]) {
    const policy = `version: 1\npaths: [{ allow: [read, write], match: ["**"] }]\n` +
      `commands: [{ allow: [curl] }]\nrisk: { allow: dangerous, ask: dangerous }\n` +
      `sandbox: { ${sandbox} }\n`;
    const other = new Pipe(["--policy", workspace.policy(policy)], { cwd: workspace.root });
    const { error } = await other.ask({
      id: 1,
      tool: "run_command",
      args: { command: `curl -sS ${place}` },
    });
    assertEquals(error?.code, "NETWORK_DENIED", `${sandbox}: ${JSON.stringify(error)}`);
    await other.close();
  }
  assertEquals(connections, 1);
  sentinel.close();
  await accepting;
});
