/** The audit log as the binary keeps it: whole, chained, without secrets, and out of every tool's reach. */

import { assert, assertEquals } from "@std/assert";
import { call, Pipe, start, Workspace } from "../toolgate.ts";

const POLICY = `version: 1
paths: [{ allow: [read, write], match: ["**"] }]
commands: [{ allow: [cat, tee, cp, mv, rm, sh] }]
risk: { allow: dangerous, ask: dangerous }
agents: { "*": { permissions: [all] } }
audit: { file: .toolgate/audit.ndjson, redact: [magic] }
`;

const LOG = ".toolgate/audit.ndjson";

// deno-lint-ignore no-explicit-any
function records(workspace: Workspace, file = LOG): any[] {
  return workspace.read(file).trimEnd().split("\n").map((line) => JSON.parse(line));
}

async function verify(workspace: Workspace, policy: string, ...more: string[]) {
  const { status, stdout } = await start(["audit", "verify", "--policy", policy, ...more], {
    cwd: workspace.root,
  });
  return { status, ...JSON.parse(stdout) };
}

Deno.test("each call leaves its decision and its outcome, denied or not, and the chain holds", async () => {
  await using workspace = new Workspace({ "a.txt": "hello\n" });
  const policy = workspace.policy(POLICY);
  const at = { cwd: workspace.root };
  await call(["read_file", "path=a.txt", "--policy", policy], at);
  await call(["write_file", "path=b.txt", "content=x", "--policy", policy, "--agent", "kid"], at);
  await call(["read_file", "path=/etc/passwd", "--policy", policy], at);
  await call(["no_such_tool", "--policy", policy], at);
  await call(["write_file", "path=c.txt", "content=x", "--preview", "--policy", policy], at);
  const found = records(workspace).map(({ kind, agent, tool, effect, code, preview }) =>
    [kind, agent, tool, effect ?? code, preview].filter((part) => part !== undefined)
  );
  assertEquals(found, [
    ["decision", "root", "read_file", "allow", false],
    ["outcome", "root", "read_file", null],
    ["decision", "kid", "write_file", "allow", false],
    ["outcome", "kid", "write_file", null],
    ["decision", "root", "read_file", "deny", false],
    ["outcome", "root", "read_file", "PATH_OUTSIDE_WORKSPACE"],
    ["outcome", "root", "no_such_tool", "UNKNOWN_TOOL"],
    ["decision", "root", "write_file", "allow", true],
    ["outcome", "root", "write_file", null],
  ]);
  const calls = records(workspace).map(({ call }) => call);
  assertEquals(calls[0], calls[1]);
  assertEquals(new Set(calls).size, 5);
  assertEquals(records(workspace)[2].capabilities[0], { kind: "fs.write", path: "b.txt" });
  assertEquals(records(workspace)[2].description, "Write file: b.txt");
  const { status, valid } = await verify(workspace, policy);
  assertEquals([status, valid], [0, true]);
});

Deno.test("a hundred processes append to one log: nothing is lost, nothing is torn", async () => {
  await using workspace = new Workspace({ "a.txt": "hello\n" });
  const policy = workspace.policy(POLICY);
  for (let batch = 0; batch < 10; batch++) {
    const answers = await Promise.all(
      Array.from(
        { length: 10 },
        () => call(["read_file", "path=a.txt", "--policy", policy], { cwd: workspace.root }),
      ),
    );
    for (const { answer } of answers) assert(answer.success, JSON.stringify(answer));
  }
  const { valid, records: count } = await verify(workspace, policy);
  assertEquals([valid, count], [true, 200]);
});

Deno.test("edited, cut and reordered logs are found out; an anchor tells of a cut end", async () => {
  await using workspace = new Workspace({ "a.txt": "hello\n" });
  const policy = workspace.policy(POLICY);
  const pipe = new Pipe(["--policy", policy], { cwd: workspace.root });
  for (let id = 0; id < 20; id++) {
    await pipe.ask({ id, tool: "read_file", args: { path: "a.txt" } });
  }
  await pipe.close();
  const whole = workspace.read(LOG);
  const { anchor } = await verify(workspace, policy);
  const lines = whole.trimEnd().split("\n");
  const attacks: Readonly<Record<string, string>> = {
    edited: whole.replace('"effect":"allow"', '"effect":"deny"'),
    removed: lines.toSpliced(4, 1).join("\n") + "\n",
    reordered: [lines[1], lines[0], ...lines.slice(2)].join("\n") + "\n",
    "first removed": lines.slice(2).join("\n") + "\n",
  };
  for (const [name, text] of Object.entries(attacks)) {
    workspace.write(LOG, text);
    const { status, problems } = await verify(workspace, policy);
    assert(status === 1 && problems.length > 0, name);
  }
  workspace.write(LOG, lines.slice(0, 10).join("\n") + "\n");
  assertEquals((await verify(workspace, policy)).status, 0);
  assertEquals((await verify(workspace, policy, "--anchor", anchor)).status, 1);
  workspace.write(LOG, whole);
  assertEquals((await verify(workspace, policy, "--anchor", anchor)).status, 0);
});

Deno.test("no tool reaches the log, the policy or the binary, by whatever way", async () => {
  await using workspace = new Workspace({ "a.txt": "hello\n" });
  workspace.write("gate.yaml", POLICY);
  Deno.symlinkSync("gate.yaml", workspace.path("way"));
  Deno.symlinkSync(".toolgate", workspace.path("folder"));
  const at = { cwd: workspace.root };
  await call(["read_file", "path=a.txt", "--policy", "gate.yaml"], at);
  const attempts: readonly (readonly [string, Record<string, unknown>])[] = [
    ["write_file", { path: "gate.yaml", content: "x" }],
    ["write_file", { path: "way", content: "x" }],
    ["write_file", { path: LOG, content: "x" }],
    ["write_file", { path: "folder/audit.ndjson", content: "x" }],
    ["read_file", { path: LOG }],
    ["read_file", { path: "folder/audit.ndjson" }],
    ["run_command", { argv: ["cat", LOG] }],
    ["run_command", { argv: ["sh", "-c", "echo x >gate.yaml; cat .toolgate/*"] }],
    ["run_command", { argv: ["sh", "-c", "mv .toolgate t; cat t/*; rm -rf .toolgate gate.yaml"] }],
    ["run_command", { argv: ["sh", "-c", "cp gate.yaml c; ln .toolgate/audit.ndjson l; cat l"] }],
  ];
  for (const [tool, args] of attempts) {
    const { answer } = await call(
      [tool, "--json", JSON.stringify(args), "--policy", "gate.yaml"],
      at,
    );
    assert(!answer.success, JSON.stringify([tool, args, answer]));
    assert(!JSON.stringify(answer.output ?? "").includes("previous"), JSON.stringify(answer));
  }
  assertEquals(workspace.read("gate.yaml"), POLICY);
  const found = await call(["search_files", "pattern=previous", "--policy", "gate.yaml"], at);
  assertEquals(found.answer.output.total_matches, 0);
  assertEquals((await verify(workspace, "gate.yaml")).status, 0);
});

Deno.test("secrets in arguments, commands and messages stay out of the log", async () => {
  await using workspace = new Workspace();
  const policy = workspace.policy(POLICY);
  const token = "ghp_" + "a1B2c3D4e5f6".repeat(3);
  const pipe = new Pipe(["--policy", policy], { cwd: workspace.root });
  const requests: readonly (readonly [string, Record<string, unknown>])[] = [
    ["write_file", { path: "x", content: `token ${token}` }],
    ["write_file", { path: "x", content: "password=opensesame99" }],
    ["run_command", { argv: ["cat", `--password=opensesame99`] }],
    ["run_command", { command: `cat --token opensesame99 ${token}` }],
    ["read_file", { path: `none-${token}` }],
    ["read_file", { path: "x", magic_word: "opensesame99" }],
  ];
  for (const [tool, args] of requests) await pipe.ask({ id: 1, tool, args });
  await pipe.close();
  const log = workspace.read(LOG);
  assert(log.includes("[redacted]"));
  assert(!log.includes(token) && !log.includes("opensesame99"), log);
});

Deno.test("where the log cannot be written nothing runs, unless the policy says otherwise", async () => {
  await using workspace = new Workspace({ "a.txt": "hello\n" });
  Deno.mkdirSync(workspace.path(LOG), { recursive: true });
  const at = { cwd: workspace.root };
  const strict = workspace.policy(POLICY);
  const { answer, status } = await call(
    ["write_file", "path=b.txt", "content=x", "--policy", strict],
    at,
  );
  assertEquals([answer.error?.code, status], ["AUDIT_FAILED", 3]);
  assert(!JSON.stringify(answer).includes(workspace.root), "no path of this machine");
  const names = [...Deno.readDirSync(workspace.root)].map(({ name }) => name).sort();
  assertEquals(names, [".toolgate", "a.txt"]);
  const loose = workspace.policy(
    POLICY.replace("redact:", "required: false, redact:"),
    "loose.yaml",
  );
  const ran = await call(["write_file", "path=b.txt", "content=x", "--policy", loose], at);
  assert(ran.answer.success, JSON.stringify(ran.answer));
  assert(Array.isArray(ran.answer.usage.audit), "the result says that its record is missing");
});

Deno.test("a policy's log cannot be moved by a flag, a variable or a further policy", async () => {
  await using workspace = new Workspace({ "a.txt": "hello\n" });
  const policy = workspace.policy(POLICY);
  const other = workspace.policy(
    'version: 1\naudit: { file: elsewhere.ndjson }\npaths: [{ allow: [read], match: ["**"] }]\n',
    "other.yaml",
  );
  const at = { cwd: workspace.root };
  const args = ["call", "read_file", "path=a.txt", "--policy", policy];
  const attempts = [
    await start([...args, "--policy", other], at),
    await start([...args, "--audit", "elsewhere.ndjson"], at),
    await start(args, { ...at, env: { TOOLGATE_AUDIT_LOG: "elsewhere.ndjson" } }),
  ];
  for (const { status, stdout, stderr } of attempts) {
    assertEquals([status, stdout], [2, ""]);
    assert(stderr.includes("audit.file"), stderr);
  }
  const plain = workspace.policy(
    'version: 1\npaths: [{ allow: [read], match: ["**"] }]\n',
    "plain.yaml",
  );
  await call(["read_file", "path=a.txt", "--policy", plain, "--audit", "own.ndjson"], at);
  assertEquals(records(workspace, "own.ndjson").length, 2);
});

Deno.test("audit show filters, audit stats sums up", async () => {
  await using workspace = new Workspace({ "a.txt": "hello\n" });
  const policy = workspace.policy(POLICY);
  const pipe = new Pipe(["--policy", policy], { cwd: workspace.root });
  for (let id = 0; id < 4; id++) {
    await pipe.ask({
      id,
      tool: "read_file",
      args: { path: id < 3 ? "a.txt" : "/x" },
      agent: "kid",
    });
  }
  await pipe.close();
  const show = async (...args: string[]) =>
    (await start(["audit", "show", "--policy", policy, ...args], { cwd: workspace.root })).stdout
      .trimEnd().split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
  assertEquals((await show()).length, 8);
  assertEquals((await show("--effect", "deny")).length, 1);
  assertEquals((await show("--code", "PATH_OUTSIDE_WORKSPACE")).length, 1);
  assertEquals((await show("--by", "k*")).length, 8);
  assertEquals((await show("--by", "root")).length, 0);
  assertEquals((await show("--limit", "3")).length, 3);
  assertEquals((await show("--since", "1h")).length, 8);
  assertEquals((await show("--since", "2999-01-01T00:00:00Z")).length, 0);
  const stats = await start(["audit", "stats", "--policy", policy], { cwd: workspace.root });
  const [first] = JSON.parse(stats.stdout).calls;
  assertEquals(
    [first.agent, first.tool, first.calls, first.succeeded, first.denied, first.success_rate],
    ["kid", "read_file", 4, 3, 1, 0.75],
  );
});
