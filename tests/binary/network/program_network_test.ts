/** Programs that rules open hosts to: what they reach, and that nothing else is ever reached by them, counted there. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { createSocket } from "node:dgram";
import { createAuthority } from "../../unit/host/network/_certificates.ts";
import { serveWire, type WireServer } from "../../unit/host/network/_wire.ts";
import { serveRegistry } from "./_registry.ts";
import { call, Pipe, start, Workspace } from "../toolgate.ts";

/** Fetches by itself, with neither a proxy nor an agent of its own. */
const FETCH = `import https from "node:https";
const [address] = process.argv.slice(2);
console.log(await (await fetch(address)).text());
https.get(address, (answer) => answer.pipe(process.stdout));
`;
const ATTACKS = Deno.readTextFileSync(
  fromFileUrl(new URL("_network_attacks.py", import.meta.url)),
);
/** Found by no name of a version manager's: what it starts is one program. */
const PYTHON = "/usr/bin/python3";
const RULES = `version: 1
paths: [{ allow: [read, write], match: ["**"] }]
commands: [{ allow: ["*"] }]
risk: { allow: dangerous, ask: dangerous }
environment: { pass: [PATH] }
limits: { processes: 256 }
`;

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";

function serve(): WireServer {
  return serveWire(async ({ send }) => await send(OK));
}

/** What those come to that are no HTTP status. */
const EXPECTED: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      ...["urllib", "get", "connect", "hexadecimal", "dot", "mapped socket", "nonblocking"],
      "two requests",
    ].map((name) => [name, "200"]),
  ),
  ...Object.fromEntries(
    [
      ...["urllib closed", "closed", "connect closed", "localhost", "six", "mapped", "metadata"],
      ...["private", "any", "passed"],
    ].map((name) => [name, "403"]),
  ),
  ...Object.fromEntries(["two hosts", "other host"].map((name) => [name, "400"])),
  ...Object.fromEntries(
    [
      ...["direct", "direct six", "direct mapped", "direct any", "direct other loopback"],
      ...["other port of the proxy", "no stand-in", "reconnected", "found", "taken"],
    ].map((name) => [name, "ECONNREFUSED"]),
  ),
  ...Object.fromEntries(
    [
      ...["direct beyond", "direct beyond six", "direct private", "direct metadata"],
      ...["mptcp", "udp", "raw"],
    ].map((name) => [name, "EACCES"]),
  ),
  "direct open": "ok",
  "direct open mapped": "ok",
  resolved: "-2",
  asked: "code 3",
  "asked elsewhere": "code 3",
  "asked of six": "code 3",
  socks: "0",
  "socks closed": "2",
  "fast open": "EPERM",
  "bare child": "refused",
  "speaks first": "ok",
};

function linesOf(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(text.trim().split("\n").map((line) => line.split("\t")));
}

async function fileAt(path: string): Promise<string> {
  for (;;) {
    const text = await Deno.readTextFile(path).catch(() => null);
    if (text !== null) return text;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

Deno.test("a program reaches the hosts of its rule by the proxy, and nobody else in any way", async () => {
  await using workspace = new Workspace({ "attacks.py": ATTACKS });
  const [open, closed] = [serve(), serve()];
  const six = Deno.listen({ hostname: "::1", port: 0 });
  const udp = createSocket("udp4");
  const heard: string[] = [];
  void six.accept().then(() => heard.push("six"), () => {});
  udp.on("message", () => heard.push("udp"));
  await new Promise<void>((resolve) => udp.bind(0, "127.0.0.1", resolve));
  const places = JSON.stringify({
    open: open.port,
    closed: closed.port,
    six: six.addr.port,
    udp: udp.address().port,
  });
  const log = workspace.policy("", "audit.ndjson");
  const policy = workspace.policy(
    `${RULES}audit: { file: "${log}" }
network: [{ allow: ["127.0.0.1:${open.port}"], allow_private: true, commands: ["${PYTHON} attacks.py"] }]\n`,
  );
  const pipe = new Pipe(["--policy", policy], { cwd: workspace.root });
  const mark = workspace.path("port");
  await pipe.send({
    id: 1,
    tool: "run_command",
    args: { argv: [PYTHON, "attacks.py", places, "port"] },
  });
  // Somebody else on this machine who finds the port.
  const port = Number(await fileAt(mark));
  const stranger = await Deno.connect({ hostname: "127.0.0.1", port });
  const request =
    `GET http://127.0.0.1:${open.port}/stranger HTTP/1.1\r\nHost: 127.0.0.1:${open.port}\r\n\r\n`;
  await stranger.write(new TextEncoder().encode(request));
  assertEquals(await stranger.read(new Uint8Array(10)).catch(() => null), null);
  stranger.close();
  // And another program of the same policy that no rule names, in another call.
  await pipe.send({
    id: 2,
    tool: "run_command",
    args: {
      argv: [
        PYTHON,
        "-c",
        "import socket, sys\nfor to in (('127.84.71.1', 3128), ('127.0.0.1', int(sys.argv[1]))):\n" +
        "  try: socket.create_connection(to)\n  except OSError as error: print(error.errno)",
        String(port),
      ],
    },
  });
  const other = await pipe.next();
  assertEquals(other?.output?.stdout, "111\n111\n", JSON.stringify(other));
  await Deno.remove(mark);
  const answer = await pipe.next();
  assert(answer !== null);
  const { success, output, usage } = answer;
  assertEquals(success, true, JSON.stringify(output));
  assertEquals(linesOf(output.stdout), EXPECTED);
  assertEquals(closed.connections, 0);
  assertEquals(heard, []);
  assert(open.heads.every((head) => /^(GET \/(x|direct) |$)/.test(head)), open.heads.join("\n"));
  assertEquals(open.heads.filter((head) => head.includes(" /x ")).length, 7, open.heads.join("\n"));
  assertEquals(open.connections, 12);
  assertEquals(usage["hosts"], [`127.0.0.1:${open.port}`]);
  assertEquals(output.reached.map(({ host }: { host: string }) => host), usage["hosts"]);
  const denied: readonly { path: string; access: string; code: string; reason: string }[] =
    output.denied;
  const first = denied.find(({ path }) => path === `127.0.0.1:${closed.port}`);
  assertEquals([first?.access, first?.code], ["connect", "NETWORK_DENIED"]);
  assertStringIncludes(first?.reason ?? "", `allowed hosts: 127.0.0.1:${open.port}`);
  await pipe.close();
  const records = (await Deno.readTextFile(log)).trim().split("\n").map((line) => JSON.parse(line));
  const hosts = records.filter(({ kind, hosts }) => kind === "outcome" && hosts !== undefined);
  assertEquals(hosts.map((record) => record.hosts), [[`127.0.0.1:${open.port}`]]);
  // Nothing listens there any more.
  const gone = await Deno.connect({ hostname: "127.0.0.1", port }).then(
    (conn) => conn.close(),
    () => "refused",
  );
  assertEquals(gone, "refused");
  six.close();
  udp.close();
  await Promise.all([open.close(), closed.close()]);
});

Deno.test("each program of a line has the network of its own rule, and one without has none", async () => {
  await using workspace = new Workspace({
    "get.py":
      "import sys, urllib.request\ntry: print(urllib.request.urlopen(sys.argv[1]).status)\n" +
      "except Exception as error: print(getattr(error, 'code', None) or type(error).__name__)",
  });
  const [one, two] = [serve(), serve()];
  const policy = workspace.policy(
    `${RULES}shell: { mode: direct }
network:
  - { allow: ["127.0.0.1:${one.port}"], allow_private: true, commands: ["${PYTHON} get.py"] }
  - { allow: ["127.0.0.1:${two.port}"], allow_private: true, commands: [wget] }
`,
  );
  const address = (server: WireServer) => `http://127.0.0.1:${server.port}/x`;
  const of = (program: string) =>
    [one, two].map((server) => `${program} get.py ${address(server)}`).join(" ; ");
  const line = (command: string) =>
    call(["run_shell_command", "--policy", policy, "--root", workspace.root, `command=${command}`]);
  const { answer } = await line(
    `${of(PYTHON)} ; env ${PYTHON} get.py ${address(one)} ; HTTP_PROXY=x ${of(PYTHON)}`,
  );
  assertEquals(answer.success, false, JSON.stringify(answer));
  const plain = await line(`${of(PYTHON)} ; env ${PYTHON} get.py ${address(one)}`);
  assertEquals(
    plain.answer.output?.stdout,
    "200\n403\nURLError\n",
    JSON.stringify(plain.answer),
  );
  assertEquals([one.heads.length, two.heads.length], [1, 0]);
  await Promise.all([one.close(), two.close()]);
});

Deno.test("where nothing can hold a program to its rule it is not started, and the refusal says why", async () => {
  await using workspace = new Workspace({ "a.txt": "a" });
  const rule = "network: [{ allow: [example.org], commands: [cat] }]\n";
  const policy = workspace.policy(`${RULES}${rule}`);
  const cat = (file: string, ...more: readonly string[]) =>
    call(
      ["run_command", "--policy", file, "--root", workspace.root, 'argv=["cat","a.txt"]', ...more],
    );
  assertEquals((await cat(policy)).answer.output?.stdout, "a");
  const wrapped = workspace.policy(`${RULES}${rule}sandbox: { bubblewrap: required }\n`, "b.yaml");
  const { error } = (await cat(wrapped)).answer;
  assertEquals(error?.code, "NATIVE_DENIED", JSON.stringify(error));
  // Where the policy opens all of the network, or has nothing held, there is nothing to hold it to.
  for (const sandbox of ["{ network: allow }", '{ kernel: "off" }']) {
    const open = workspace.policy(`${RULES}${rule}sandbox: ${sandbox}\n`, "o.yaml");
    assertEquals((await cat(open)).answer.output?.stdout, "a");
  }
});

Deno.test("real clients do their work by the proxy: curl, git, npm, pip, Node, Python, and reach nobody else", async () => {
  await using workspace = new Workspace({
    "package.json": '{"name":"mine","version":"1.0.0"}',
    "get.py": "import sys, urllib.request\nprint(urllib.request.urlopen(sys.argv[1]).read())",
    "fetch.mjs": FETCH,
  });
  const folder = `${workspace.base}/registry`;
  await Deno.mkdir(folder);
  const authority = await createAuthority(folder, "known");
  const known = `${workspace.outside}/ca.crt`;
  await Deno.writeTextFile(known, authority.cert);
  const server = await serveRegistry(folder, await authority.issue("DNS:localhost"));
  const closed = serve();
  const trusted = ["CURL_CA_BUNDLE", "GIT_SSL_CAINFO", "npm_config_cafile", "PIP_CERT"];
  const set = [...trusted, "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"].map((name) =>
    `${name}: ${known}`
  );
  const policy = workspace.policy(
    `${RULES.replace("environment: { pass: [PATH] }", "")}
environment: { pass: [PATH], set: { ${set.join(", ")} } }
sandbox: { system: [/usr, /lib, /lib64, /bin, /etc, ${workspace.outside}] }
git: { identity: { name: a, email: a@example.org } }
network:
  - allow: ["localhost:${server.port}"]
    allow_private: true
    commands: [curl, "git {clone,push}", "npm install", "pip3 download", "/usr/bin/python3 get.py", node]
`,
  );
  const pipe = new Pipe(["--policy", policy], {
    cwd: workspace.root,
    env: { PATH: "/usr/bin:/bin" },
  });
  const at = (path: string) => `https://localhost:${server.port}${path}`;
  const line = (command: string, cwd = ".") =>
    pipe.ask({
      id: command,
      tool: "run_shell_command",
      args: { command, cwd },
    });
  const rows: readonly (readonly [command: string, cwd?: string])[] = [
    [`curl -sSf ${at("/hello")}`],
    [`curl -sSf --proxytunnel --http1.1 -d x=y ${at("/hello")}`],
    [`/usr/bin/python3 get.py ${at("/hello")}`],
    [`node fetch.mjs ${at("/hello")}`],
    [`curl -sSf --noproxy '*' ${at("/hello")}`],
    [`git clone -q ${at("/served.git")} cloned`],
    ["git commit -q --allow-empty -m second", "cloned"],
    ["git push -q origin HEAD:refs/heads/other", "cloned"],
    [`npm install served --no-audit --no-fund --loglevel=error --registry=${at("/")}`],
    [`pip3 download -q --no-deps --disable-pip-version-check -d wheels -i ${
      at("/simple/")
    } served`],
  ];
  for (const [command, cwd] of rows) {
    const { success, error, output } = await line(command, cwd);
    assertEquals(success, true, `${command}: ${error?.message}\n${output?.stderr}`);
  }
  assertEquals(workspace.read("cloned/a.txt"), "from afar\n");
  assertStringIncludes(workspace.read("node_modules/served/index.js"), "by the registry");
  await Deno.stat(workspace.path("wheels/served-1.0-py3-none-any.whl"));
  await Deno.stat(`${folder}/served.git/refs/heads/other`);
  const before = server.asked.length;
  for (
    const command of [
      `curl -sSf http://localhost:${closed.port}/`,
      `curl -sSf --noproxy '*' http://localhost:${closed.port}/`,
      `node fetch.mjs http://localhost:${closed.port}/`,
      `node fetch.mjs http://127.0.0.1:${closed.port}/`,
      `curl -sSfk -x http://127.0.0.1:${closed.port} ${at("/hello")}`,
      `git clone -q https://localhost:${closed.port}/served.git other`,
      `git ls-remote ${at("/served.git")}`,
      `npm view served --fetch-retries=0 --registry=${at("/")}`,
      `/usr/bin/python3 get.py http://127.0.0.1:${closed.port}/`,
    ]
  ) {
    const { success } = await line(command);
    assertEquals(success, false, command);
  }
  assertEquals([server.asked.length, closed.connections], [before, 0]);
  await pipe.close();
  await server.close();
  await closed.close();
});

Deno.test("a program uses a key that it never sees, and another program has neither", async () => {
  await using workspace = new Workspace({
    "use.py": "import os, sys, urllib.request\n" +
      "assert 'sesame' not in str(os.environ)\n" +
      "path = sys.argv[2] if len(sys.argv) > 2 else '/key'\n" +
      "print(urllib.request.urlopen(os.environ[sys.argv[1]] + path).read().decode())",
  });
  const folder = `${workspace.base}/registry`;
  await Deno.mkdir(folder);
  const authority = await createAuthority(folder, "known");
  await Deno.writeTextFile(`${workspace.outside}/ca.crt`, authority.cert);
  const server = await serveRegistry(folder, await authority.issue("DNS:localhost"));
  const commands = `commands: ["${PYTHON} use.py"]`;
  const policy = workspace.policy(
    `${RULES.replace("[PATH]", "[PATH, API_KEY]")}
web: { authorities: ["${workspace.outside}/ca.crt"] }
network: [{ allow: ["localhost:${server.port}"], allow_private: true, methods: [GET], commands: ["${PYTHON}"] }]
secrets:
  - { host: "localhost:${server.port}", header: Authorization, prefix: "Bearer ", value: { env: API_KEY }, variable: API_URL, ${commands} }
  - { host: "localhost:${server.port}", header: Authorization, value: { env: NO_KEY }, variable: NO_URL, ${commands} }
`,
  );
  const pipe = new Pipe(["--policy", policy], {
    cwd: workspace.root,
    env: { API_KEY: "open-sesame" },
  });
  const run = (...argv: readonly string[]) =>
    pipe.ask({ id: 1, tool: "run_command", args: { argv: [PYTHON, ...argv] } });
  const used = await run("use.py", "API_URL");
  assertEquals(used.output?.stdout, "said Bearer ***********\n", JSON.stringify(used));
  assertEquals(used.usage["hosts"], [`localhost:${server.port}`]);
  // Whoever is sent it may say it back encoded: of its first letter in base64 some bits are left.
  const encoded = await run("use.py", "API_URL", "/key/encoded");
  const [base64 = "", hex = "", letters = ""] = String(encoded.output?.stdout).trim().split(" ");
  assertEquals(base64, `QmVhcmVyIG${"*".repeat(14)}`, JSON.stringify(encoded));
  assertEquals(hex, `${new TextEncoder().encode("Bearer ").toHex()}${"*".repeat(2 * 11)}`);
  assertEquals(letters.slice(-3 * 11), "*".repeat(3 * 11));
  const missing = await run("use.py", "NO_URL");
  assertStringIncludes(missing.error?.message ?? "", "502");
  const other = await run(
    "-c",
    "import os; print(os.environ.get('API_URL'), 'sesame' in str(os.environ))",
  );
  assertEquals(other.output?.stdout, "None False\n");
  // It knows where the stand-in of another program is.
  const tried = await run(
    "-c",
    "import urllib.request; print(urllib.request.urlopen('http://127.84.71.2/key').read())",
  );
  assertEquals(tried.success, false);
  assertEquals(server.asked, ["GET /key", "GET /key/encoded"]);
  await pipe.close();
  await server.close();
});

Deno.test("a sealed binary reads the keys that its policy says lie in files, and hands them to nobody", async () => {
  await using workspace = new Workspace({
    "use.py": "import os, urllib.request\n" +
      "print(urllib.request.urlopen(os.environ['API_URL'] + '/key').read().decode())",
    "steal.py": "print(open(__import__('sys').argv[1]).read())",
  });
  const folder = `${workspace.base}/registry`;
  await Deno.mkdir(folder);
  const authority = await createAuthority(folder, "known");
  const [key, known] = [`${workspace.outside}/key`, `${workspace.outside}/ca.crt`];
  await Deno.writeTextFile(known, authority.cert);
  await Deno.writeTextFile(key, "open-sesame\n");
  const server = await serveRegistry(folder, await authority.issue("DNS:localhost"));
  // Which programs there are stands in what is sealed; hosts of programs stand there without a port.
  const policy = workspace.policy(
    `${RULES.replace('commands: [{ allow: ["*"] }]', `commands: [{ allow: ["${PYTHON}"] }]`)}
web: { authorities: ["${known}"] }
network: [{ allow: [localhost], allow_private: true, commands: ["${PYTHON} use.py"] }]
secrets: [{ host: "localhost:${server.port}", header: Authorization, value: { file: "${key}" }, variable: API_URL, commands: ["${PYTHON} use.py"] }]
`,
  );
  const binary = `${workspace.base}/sealed`;
  const made = await start(["seal", "--policy", policy, "-o", binary], { cwd: workspace.base });
  assertEquals(made.status, 0, made.stderr);
  const pipe = new Pipe([], { cwd: workspace.root, binary });
  const run = (...argv: readonly string[]) =>
    pipe.ask({ id: 1, tool: "run_command", args: { argv: [PYTHON, ...argv] } });
  const used = await run("use.py");
  assertEquals(used.output?.stdout, "said ***********\n", JSON.stringify(used));
  assertEquals((await run("steal.py", key)).success, false);
  const read = (path: string) => ({ id: 2, tool: "read_file", args: { path } });
  assertEquals((await pipe.ask(read(key))).error?.code, "PATH_OUTSIDE_WORKSPACE");
  await pipe.close();
  const { answer } = await call(["read_file", `path=${key}`], { cwd: workspace.root, binary });
  assertEquals(answer.error?.code, "PATH_OUTSIDE_WORKSPACE");
  assertEquals(server.asked, ["GET /key"]);
  await server.close();
});
