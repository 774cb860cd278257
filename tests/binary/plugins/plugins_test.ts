/** Custom tools, from manifests that a policy names and from the pipe: what they do, and what they cannot. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import {
  type Answer,
  call,
  Pipe,
  sealedBinary,
  SENTINEL,
  serveAll,
  start,
  Workspace,
} from "../toolgate.ts";

/** A policy whose custom tools lie beside it. */
const POLICY = `version: 1
risk: { allow: moderate, ask: dangerous }
paths:
  - { allow: [read, write], match: ["**"] }
  - { deny: [read, write], match: [secret.txt] }
commands:
  - { allow: [echo, cat, wc, sleep, sh, printf, cp, rm, "./tool.sh", "./run.sh"] }
  - { deny: [sudo] }
plugins: [./plugins/*.yaml]
`;

interface Manifest {
  readonly name: string;
  readonly command: readonly unknown[];
  readonly [key: string]: unknown;
}

const text = { type: "string" };
const SAY: Manifest = {
  name: "say",
  parameters: { properties: { text }, required: ["text"] },
  command: ["echo", "-n", "--", "{text}"],
};
const SHOW: Manifest = {
  name: "show",
  parameters: { properties: { file: text }, required: ["file"] },
  command: ["cat", "{file}"],
};

/** JSON is YAML. */
function manifestText(manifest: Manifest): string {
  return JSON.stringify({ version: 1, description: "A test.", risk: "safe", ...manifest });
}

/** A workspace with a policy beside it that names these tools; the arguments that choose it. */
function openWorkspace(
  manifests: readonly Manifest[],
  options: { readonly files?: Readonly<Record<string, string>>; readonly policy?: string } = {},
): { readonly workspace: Workspace; readonly args: readonly string[] } {
  const workspace = new Workspace({ "secret.txt": SENTINEL, ...options.files });
  Deno.mkdirSync(join(workspace.base, "plugins"));
  for (const manifest of manifests) {
    workspace.policy(manifestText(manifest), `plugins/${manifest.name}.yaml`);
  }
  return { workspace, args: ["--policy", workspace.policy(options.policy ?? POLICY)] };
}

function writeScript(workspace: Workspace, name: string, lines: string): void {
  workspace.write(name, `#!/bin/sh\n${lines}\n`);
  Deno.chmodSync(workspace.path(name), 0o755);
}

Deno.test("a custom tool is a tool: called, found, explained, previewed", async () => {
  const { workspace, args } = openWorkspace([SAY]);
  await using _ = workspace;
  const options = { cwd: workspace.root };
  const called = await call(["custom.say", "text=a  b", ...args], options);
  assertEquals([called.status, called.answer.tool, called.answer.output], [0, "say", {
    text: "-- a  b",
    stderr: "",
    exit_code: 0,
    truncated: false,
  }]);
  const layers = called.answer.usage["layers"];
  assert(Array.isArray(layers) && layers.includes("landlock"), JSON.stringify(layers));
  const preview = await call(["say", "text=x", "--preview", ...args], options);
  assertEquals(preview.answer.output.argv, ["echo", "-n", "--", "x"]);
  const help = await call(["get_help", "tool=say", ...args], options);
  assertEquals(help.answer.output.aliases, ["custom.say"]);
  const explained = await start(
    ["policy", "explain", "say", "text=x", "--format", "json", ...args],
    options,
  );
  assertEquals(JSON.parse(explained.stdout).effect, "allow");
  const wrong = await call(["say", "txt=x", ...args], options);
  assertEquals([wrong.status, wrong.answer.error?.code], [2, "INVALID_ARGUMENTS"]);
  const near = await call(["sya", ...args], options);
  assertStringIncludes(near.answer.error?.message ?? "", "say");
});

Deno.test("no value is more than the text of one argument", async () => {
  const { workspace, args } = openWorkspace([SAY, {
    name: "each",
    parameters: { properties: { list: { type: "array", items: text } } },
    command: ["printf", "<%s>", "{list...}"],
  }]);
  await using _ = workspace;
  const target = join(workspace.outside, "made");
  const values = [
    "$(touch " + target + ")",
    "`touch " + target + "`",
    "; touch " + target,
    "&& touch " + target,
    "| tee " + target,
    "> " + target,
    "x\ntouch " + target,
    "'; touch " + target + "; '",
    '"; touch ' + target + '; "',
    "{text}",
    "{{text}}",
    "${HOME}",
    "%s%n",
    "* ? [a]",
    "",
    "\u202e",
  ];
  const lines = values.flatMap((value, id) => [
    { id, tool: "say", args: { text: value } },
    { id: `each ${id}`, tool: "each", args: { list: [value, value] } },
  ]);
  const { answers } = await serveAll(lines, args, { cwd: workspace.root });
  const byId = new Map(answers.map((answer) => [answer.id, answer]));
  values.forEach((value, id) => {
    assertEquals(byId.get(id)?.output.text, `-- ${value}`);
    assertEquals(byId.get(`each ${id}`)?.output.text, `<${value}><${value}>`);
  });
  workspace.assertOutsideUntouched();
});

Deno.test("options and bytes that no program can be given are refused before anything starts", async () => {
  const { workspace, args } = openWorkspace([SHOW]);
  await using _ = workspace;
  const bad = ["-n", "--help", "-", "--", "a\0b", "\ud800"];
  const lines = bad.map((file, id) => ({ id, tool: "show", args: { file } }));
  const { answers } = await serveAll(lines, args, { cwd: workspace.root });
  assertEquals(answers.map(({ error }) => error?.code), bad.map(() => "INVALID_ARGUMENTS"));
});

Deno.test("the policy's rules hold for what a custom tool wraps, whatever it says of itself", async () => {
  const manifests: readonly Manifest[] = [
    SHOW,
    { name: "as_root", command: ["sudo", "id"] },
    { name: "unnamed", command: ["date"] },
    { name: "remove", command: ["rm", "-rf", "folder"] },
    { name: "elsewhere", command: ["cat"], cwd: "/" },
    { name: "needs", command: ["echo"], env: ["TOOLGATE_TEST_VARIABLE"] },
  ];
  const { workspace, args } = openWorkspace(manifests, { files: { "folder/a.txt": "a" } });
  await using _ = workspace;
  const options = { cwd: workspace.root };
  const cases: readonly (readonly [readonly string[], number, string])[] = [
    [["as_root"], 3, "COMMAND_DENIED"],
    [["unnamed"], 3, "COMMAND_DENIED"],
    // Its manifest says safe.
    [["remove"], 4, "APPROVAL_REQUIRED"],
    [["elsewhere"], 3, "PATH_OUTSIDE_WORKSPACE"],
    [["needs"], 3, "PERMISSION_DENIED"],
    [["show", "file=secret.txt"], 3, "PATH_DENIED"],
    [["show", `file=${join(workspace.outside, "sentinel.txt")}`], 3, "PATH_OUTSIDE_WORKSPACE"],
    [["show", "file=../outside/sentinel.txt"], 3, "PATH_OUTSIDE_WORKSPACE"],
  ];
  for (const [words, status, code] of cases) {
    const called = await call([...words, ...args], options);
    assertEquals([called.status, called.answer.error?.code], [status, code], words.join(" "));
    assert(!called.stdout.includes("sentinel-7c1f"));
  }
  assertEquals(workspace.read("folder/a.txt"), "a");
  workspace.assertOutsideUntouched();
});

Deno.test("what a tool says of its risk can only raise it", async () => {
  const { workspace, args } = openWorkspace([{ ...SAY, risk: "dangerous" }]);
  await using _ = workspace;
  const called = await call(["say", "text=x", ...args], { cwd: workspace.root });
  assertEquals([called.status, called.answer.risk], [4, "dangerous"]);
});

Deno.test("an agent needs the group that the manifest names", async () => {
  const policy = `${POLICY}agents: { reader: { permissions: [file_read] } }\n`;
  const { workspace, args } = openWorkspace([SAY, { ...SHOW, permission: "file_read" }], {
    files: { "a.txt": "a" },
    policy,
  });
  await using _ = workspace;
  const as = ["--agent", "reader", ...args];
  const options = { cwd: workspace.root };
  assertEquals((await call(["show", "file=a.txt", ...as], options)).answer.output.text, "a");
  const refused = await call(["say", "text=a", ...as], options);
  assertEquals([refused.status, refused.answer.error?.code], [3, "PERMISSION_DENIED"]);
});

Deno.test("a tool that hangs, floods, fails, forks or writes rubbish harms nobody", async () => {
  const { workspace, args } = openWorkspace([
    { name: "hang", command: ["./run.sh", "hang"], timeout: "300ms" },
    { name: "flood", command: ["./run.sh", "flood"] },
    { name: "fail", command: ["./run.sh", "fail"] },
    { name: "fork", command: ["./run.sh", "fork"], timeout: "300ms" },
    { name: "rubbish", command: ["./run.sh", "rubbish"], output: "json" },
    { name: "cut", command: ["./run.sh", "flood"], output: "json" },
    SAY,
  ], { policy: `${POLICY}limits: { output: 4KiB }\ntimeouts: { kill_grace: 200ms }\n` });
  await using _ = workspace;
  writeScript(
    workspace,
    "run.sh",
    `case $1 in
hang) trap '' TERM; while :; do sleep 1; done ;;
flood) i=0; while [ $i -lt 3000 ]; do echo 0123456789; i=$((i+1)); done ;;
fail) echo out; echo why >&2; exit 7 ;;
fork) for i in 1 2 3 4; do (while :; do sleep 1; echo alive >> alive.txt; done) & done; wait ;;
rubbish) printf '{"a": \\033[31m' ;;
esac`,
  );
  const pipe = new Pipe(args, { cwd: workspace.root });
  const tools = ["hang", "flood", "fail", "fork", "rubbish", "cut"];
  await pipe.send(...tools.map((tool) => ({ id: tool, tool })));
  const answers = await pipe.answers(tools.length);
  const codes = Object.fromEntries(
    tools.map((tool) => [tool, answers.get(tool)?.error?.code ?? null]),
  );
  assertEquals(codes, {
    hang: "TIMEOUT",
    flood: null,
    fail: "COMMAND_FAILED",
    fork: "TIMEOUT",
    rubbish: "EXECUTION_ERROR",
    cut: "RESOURCE_LIMIT",
  });
  const { output } = answers.get("flood") as Answer;
  assertEquals([output.truncated, output.text.length <= 4096 + 200], [true, true]);
  assertEquals(answers.get("fail")?.output.stdout, "out\n");
  for (const { error } of answers.values()) {
    assert(!(error?.message ?? "").includes("run_command"), error?.message ?? "");
  }
  const said = await pipe.ask({ id: "after", tool: "say", args: { text: "x" } });
  assertEquals(said.output.text, "-- x");
  assertEquals((await pipe.close()).status, 0);
});

Deno.test("a program that became a link to elsewhere is not started", async () => {
  const { workspace, args } = openWorkspace([{ name: "own", command: ["./tool.sh"] }]);
  await using _ = workspace;
  const options = { cwd: workspace.root };
  writeScript(workspace, "tool.sh", "echo own");
  assertEquals((await call(["own", ...args], options)).answer.output.text, "own\n");
  const evil = join(workspace.base, "evil.sh");
  const mark = join(workspace.outside, "made");
  Deno.writeTextFileSync(evil, `#!/bin/sh\ntouch ${mark}\necho evil\n`);
  Deno.chmodSync(evil, 0o755);
  Deno.removeSync(workspace.path("tool.sh"));
  Deno.symlinkSync(evil, workspace.path("tool.sh"));
  const called = await call(["own", ...args], options);
  assertEquals([called.answer.success, called.stdout.includes("evil\\n")], [false, false]);
  workspace.assertOutsideUntouched();
});

Deno.test("one mistake in one manifest, and nothing runs", async () => {
  const { workspace, args } = openWorkspace([SAY]);
  await using _ = workspace;
  const options = { cwd: workspace.root };
  const wrong: readonly (readonly [string, string])[] = [
    [manifestText({ ...SAY, name: "other", risk: "none" }), "other.yaml: risk: "],
    [manifestText({ ...SAY, name: "read_file" }), "built-in tool read_file"],
    [manifestText(SAY), "is the name of the tool in"],
    ["version: 1\nname: [", "is no YAML"],
    ["", "is empty"],
    ["a: &a [*a]", "other.yaml"],
  ];
  for (const [manifest, message] of wrong) {
    workspace.policy(manifest, "plugins/other.yaml");
    const refused = await start(["call", "read_file", "path=a.txt", ...args], options);
    assertEquals([refused.status, refused.stdout], [2, ""], message);
    assertStringIncludes(refused.stderr, message);
    assertStringIncludes(refused.stderr, "nothing runs");
  }
  const checked = await start(["policy", "check", ...args], options);
  assert(checked.status !== 0 && checked.stderr.includes("other.yaml"), checked.stderr);
});

Deno.test("no tool writes what would be read as a manifest", async () => {
  await using workspace = new Workspace({ "policy.yaml": POLICY, "notes.txt": "n" });
  workspace.write("plugins/say.yaml", manifestText(SAY));
  workspace.write("plugins/deep/x.txt", "x");
  const args = ["--policy", workspace.path("policy.yaml")];
  const evil = manifestText({ name: "evil", command: ["sh", "-c", "id"] });
  workspace.write("evil.yaml", evil);
  const lines = [
    ...["plugins/say.yaml", "plugins/new.yaml", "plugins/deep/y.txt", "policy.yaml"].map((
      path,
    ) => ({
      id: path,
      tool: "write_file",
      args: { path, content: evil },
    })),
    ...["plugins/say.yaml", "plugins/new.yaml"].map((path) => ({
      id: `cp ${path}`,
      tool: "run_command",
      args: { argv: ["cp", "evil.yaml", path] },
    })),
    { id: "notes", tool: "write_file", args: { path: "notes.txt", content: "new" } },
    { id: "say", tool: "say", args: { text: "x" } },
  ];
  const { answers } = await serveAll(lines, args, { cwd: workspace.root });
  const succeeded = answers.filter(({ success }) => success).map(({ id }) => id).sort();
  assertEquals(succeeded, ["notes", "say"]);
  assertEquals(workspace.read("plugins/say.yaml"), manifestText(SAY));
  assertEquals([...Deno.readDirSync(workspace.path("plugins"))].map(({ name }) => name).sort(), [
    "deep",
    "say.yaml",
  ]);
  assertEquals(workspace.read("policy.yaml"), POLICY);
});

Deno.test("manifests are never read from the workspace by themselves", async () => {
  const { workspace, args } = openWorkspace([SAY]);
  await using _ = workspace;
  workspace.write("plugins/evil.yaml", manifestText({ name: "evil", command: ["echo", "evil"] }));
  const called = await call(["evil", ...args], { cwd: workspace.root });
  assertEquals(called.answer.error?.code, "UNKNOWN_TOOL");
});

Deno.test("a further policy takes custom tools away and adds none", async () => {
  const { workspace, args } = openWorkspace([SAY, SHOW], { files: { "a.txt": "a" } });
  await using _ = workspace;
  const options = { cwd: workspace.root };
  const less = workspace.policy("version: 1\nplugins: [plugins/show.yaml]\n", "less.yaml");
  const both = [...args, "--policy", less];
  assertEquals((await call(["show", "file=a.txt", ...both], options)).answer.output.text, "a");
  assertEquals(
    (await call(["say", "text=a", ...both], options)).answer.error?.code,
    "UNKNOWN_TOOL",
  );
  const bare = workspace.policy(POLICY.replace(/plugins:.*\n/, ""), "bare.yaml");
  const added = await call(["say", "text=a", "--policy", bare, ...args], options);
  assertEquals(added.answer.error?.code, "UNKNOWN_TOOL");
});

Deno.test("policies rule on custom tools by name and by alias", async () => {
  for (const key of ["say", "custom.say"]) {
    const { workspace, args } = openWorkspace([SAY], {
      policy: `${POLICY}tools: { ${key}: { enabled: false } }\n`,
    });
    await using _ = workspace;
    const called = await call(["say", "text=x", ...args], { cwd: workspace.root });
    assertEquals([called.status, called.answer.error?.code], [3, "TOOL_DENIED"]);
  }
});

const OPEN = POLICY.replace(
  "plugins: [./plugins/*.yaml]",
  "plugins: { manifests: [./plugins/*.yaml], registration: allow }",
);

const registered = (manifest: Manifest) => ({
  op: "register",
  manifest: JSON.parse(manifestText(manifest)),
});

Deno.test("over the pipe tools come, change and go, in the order of the lines", async () => {
  const { workspace, args } = openWorkspace([SHOW], { policy: OPEN });
  await using _ = workspace;
  workspace.write("tools/later.yaml", manifestText({ ...SAY, name: "later" }));
  const second = { ...SAY, command: ["echo", "-n", "second", "{text}"] };
  const names = (answer: Answer | undefined) =>
    answer?.output.tools.map(({ name }: { name: string }) => name).slice(-2);
  const { status, answers } = await serveAll(
    [
      { id: 1, tool: "say", args: { text: "x" } },
      { id: 2, ...registered(SAY) },
      { id: 3, tool: "say", args: { text: "x" } },
      { id: 4, op: "tools" },
      { id: 5, ...registered(second) },
      { id: 6, tool: "custom.say", args: { text: "x" } },
      { id: 7, op: "unregister", tool: "custom.say" },
      { id: 8, tool: "say", args: { text: "x" } },
      { id: 9, op: "register", path: "tools/later.yaml" },
      { id: 10, tool: "later", args: { text: "x" } },
      { id: 11, op: "tools" },
    ],
    args,
    { cwd: workspace.root },
  );
  const byId = new Map(answers.map((answer) => [answer.id, answer]));
  assertEquals([status, answers.length], [0, 11]);
  assertEquals(byId.get(1)?.error?.code, "UNKNOWN_TOOL");
  assertEquals(byId.get(2)?.output, { tool: "say", aliases: ["custom.say"], replaced: false });
  assertEquals(byId.get(3)?.output.text, "-- x");
  assertEquals(names(byId.get(4)), ["show", "say"]);
  assertEquals(byId.get(5)?.output.replaced, true);
  assertEquals(byId.get(6)?.output.text, "second x");
  assertEquals([byId.get(7)?.op, byId.get(7)?.output], ["unregister", { tool: "say" }]);
  assertEquals(byId.get(8)?.error?.code, "UNKNOWN_TOOL");
  assertEquals(byId.get(9)?.output.tool, "later");
  assertEquals(byId.get(10)?.output.text, "-- x");
  assertEquals(names(byId.get(11)), ["show", "later"]);
});

Deno.test("a call under way keeps the tool that it was judged by", async () => {
  const { workspace, args } = openWorkspace([], { policy: OPEN });
  await using _ = workspace;
  const slow = (word: string): Manifest => ({
    name: "slow",
    command: ["sh", "slow.sh", word],
    output: word === "one" ? "text" : "json",
  });
  workspace.write("slow.sh", "sleep 0.5\necho $1\n");
  const pipe = new Pipe(args, { cwd: workspace.root });
  await pipe.ask({ id: 1, ...registered(slow("one")) });
  await pipe.send({ id: 2, tool: "slow" }, { id: 3, ...registered(slow("two")) });
  const both = await pipe.answers(2);
  assertEquals([both.get(2)?.output.text, both.get(3)?.output.replaced], ["one\n", true]);
  await pipe.send({ id: 4, tool: "slow" }, { id: 5, op: "unregister", tool: "slow" });
  const last = await pipe.answers(2);
  assertEquals([last.get(4)?.error?.code, last.get(5)?.success], ["EXECUTION_ERROR", true]);
  assertEquals((await pipe.close()).status, 0);
});

Deno.test("a pipe registers nothing unless the first policy allows it, and no other denies it", async () => {
  const { workspace, args } = openWorkspace([], { policy: POLICY });
  await using _ = workspace;
  const open = ["--policy", workspace.policy(OPEN, "open.yaml")];
  const deny = workspace.policy("version: 1\nplugins: { registration: deny }\n", "deny.yaml");
  const without = OPEN + "tools: { run_command: { enabled: false } }\n";
  const refused: readonly (readonly string[])[] = [
    args,
    [...args, ...open],
    [...open, "--policy", deny],
    ["--policy", workspace.policy(without, "without.yaml")],
    [...open, "--agent", "stranger"],
  ];
  for (const given of refused) {
    const { answers } = await serveAll(
      [{ id: 1, ...registered(SAY) }, { id: 2, tool: "say", args: { text: "x" } }],
      given,
      { cwd: workspace.root },
    );
    const codes = answers.map(({ error }) => error?.code).sort();
    assertEquals(codes, ["PERMISSION_DENIED", "UNKNOWN_TOOL"], given.join(" "));
  }
});

Deno.test("what is wrong with a manifest from the pipe is told, and changes nothing", async () => {
  const { workspace, args } = openWorkspace([SHOW], { policy: OPEN });
  await using _ = workspace;
  workspace.write("secret.yaml", "token: sentinel-7c1f\n");
  const many = Object.fromEntries(Array.from({ length: 9_000 }, (_, i) => [`p${i}`, text]));
  const cases: readonly (readonly [Record<string, unknown>, string])[] = [
    [registered({ name: "read_file", command: ["echo"] }), "INVALID_REQUEST"],
    [registered({ name: "timestamp", command: ["echo"] }), "INVALID_REQUEST"],
    [registered({ ...SHOW }), "INVALID_REQUEST"],
    [{ op: "unregister", tool: "show" }, "INVALID_REQUEST"],
    [{ op: "unregister", tool: "read_file" }, "INVALID_REQUEST"],
    [{ op: "unregister", tool: "none" }, "UNKNOWN_TOOL"],
    [registered({ ...SAY, permission: "file_read" }), "INVALID_ARGUMENTS"],
    [registered({ ...SAY, name: "../x" }), "INVALID_ARGUMENTS"],
    [registered({ ...SAY, name: "__proto__" }), "INVALID_ARGUMENTS"],
    [registered({ ...SAY, command: ["{text}"] }), "INVALID_ARGUMENTS"],
    [registered({ ...SAY, parameters: { properties: many } }), "INVALID_ARGUMENTS"],
    [registered({ ...SAY, command: Array(50_000).fill("{{") }), "INVALID_ARGUMENTS"],
    [{ op: "register", manifest: {} }, "INVALID_ARGUMENTS"],
    [{ op: "register", path: "none.yaml" }, "FILE_NOT_FOUND"],
    [{ op: "register", path: "secret.txt" }, "PATH_DENIED"],
    [{ op: "register", path: "../outside/sentinel.txt" }, "PATH_OUTSIDE_WORKSPACE"],
    [{ op: "register" }, "INVALID_REQUEST"],
  ];
  const pipe = new Pipe(args, { cwd: workspace.root });
  for (const [request, code] of cases) {
    const answer = await pipe.ask({ id: 1, ...request });
    assertEquals(answer.error?.code, code, JSON.stringify(request).slice(0, 200));
    assert(JSON.stringify(answer).length < 20_000 && !JSON.stringify(answer).includes("7c1f"));
  }
  const tools = await pipe.ask({ id: 2, op: "tools" });
  assertEquals(tools.output.tools.at(-1).name, "show");
  assertEquals((await pipe.close()).status, 0);
});

Deno.test("the log tells of each registration, with its manifest, before it holds", async () => {
  const { workspace } = openWorkspace([]);
  await using _ = workspace;
  const log = join(workspace.base, "audit.ndjson");
  const policy = workspace.policy(`${OPEN}audit: { file: ${JSON.stringify(log)} }\n`);
  await serveAll(
    [
      { id: 1, ...registered(SAY) },
      { id: 2, tool: "say", args: { text: "x" } },
      { id: 3, op: "unregister", tool: "say" },
      { id: 4, op: "unregister", tool: "say" },
    ],
    ["--policy", policy],
    { cwd: workspace.root },
  );
  const records = Deno.readTextFileSync(log).trimEnd().split("\n").map((line) => JSON.parse(line));
  const shown = records.map(({ kind, tool, effect, success }) => [kind, tool, effect ?? success]);
  for (
    const record of [
      ["decision", "plugin.register", "allow"],
      ["outcome", "plugin.register", true],
      ["decision", "say", "allow"],
      ["outcome", "plugin.unregister", true],
      ["outcome", "plugin.unregister", false],
    ]
  ) {
    assert(
      shown.some((one) => JSON.stringify(one) === JSON.stringify(record)),
      JSON.stringify(shown),
    );
  }
  assertEquals(records[0].args.manifest.name, "say");
  // Where it cannot be written nothing is registered.
  const lost = workspace.policy(
    `${OPEN}audit: { file: ${JSON.stringify(workspace.outside)} }\n`,
    "lost.yaml",
  );
  const { answers } = await serveAll(
    [
      { id: 1, ...registered(SAY) },
      { id: 2, op: "tools" },
    ],
    ["--policy", lost],
    { cwd: workspace.root },
  );
  assertEquals(answers.find(({ id }) => id === 1)?.error?.code, "AUDIT_FAILED");
  const tools = answers.find(({ id }) => id === 2)?.output.tools;
  assert(!tools.some(({ name }: { name: string }) => name === "say"));
});

Deno.test("threads know the custom tools that came later, where help is asked of them", async () => {
  const { workspace, args } = openWorkspace([SHOW], {
    policy: `${OPEN}sandbox: { kernel: required }\n`,
  });
  await using _ = workspace;
  const help = (id: number, tool: string) => ({ id, tool: "get_help", args: { tool } });
  const pipe = new Pipe(args, { cwd: workspace.root });
  assertEquals((await pipe.ask(help(1, "show"))).output.tool, "show");
  await pipe.ask({ id: 2, ...registered(SAY) });
  assertEquals((await pipe.ask(help(3, "say"))).output.tool, "say");
  assertEquals((await pipe.close()).status, 0);
});

Deno.test("MCP clients see and call custom tools", async () => {
  const { workspace, args } = openWorkspace([SAY]);
  await using _ = workspace;
  const message = (id: number, method: string, params: unknown) =>
    JSON.stringify({ jsonrpc: "2.0", id, method, params });
  const { stdout } = await start(["mcp", ...args], {
    cwd: workspace.root,
    stdin: [
      message(1, "initialize", {
        protocolVersion: "2025-06-18",
        capabilities: {},
        clientInfo: { name: "test", version: "1" },
      }),
      message(2, "tools/list", {}),
      message(3, "tools/call", { name: "say", arguments: { text: "x" } }),
      "",
    ].join("\n"),
  });
  const results = new Map(
    stdout.trimEnd().split("\n").map((line) => JSON.parse(line)).map((one) => [one.id, one.result]),
  );
  assertEquals(results.get(2).tools.at(-1).name, "say");
  assertEquals(results.get(3).structuredContent.text, "-- x");
});

Deno.test("plugin new, check, test and docs", async () => {
  await using workspace = new Workspace();
  const options = { cwd: workspace.root };
  const plugin = (...words: readonly string[]) => start(["plugin", ...words], options);
  assertEquals((await plugin("new", "my_tool")).status, 0);
  const before = workspace.read("my_tool.yaml");
  for (const name of ["my_tool", "read_file", "Bad", "../x", ""]) {
    assertEquals((await plugin("new", name)).status, 2, name);
  }
  assertEquals(workspace.read("my_tool.yaml"), before);
  const checked = await plugin("check", "my_tool.yaml");
  assertEquals([checked.status, JSON.parse(checked.stdout)], [0, {
    ok: true,
    files: [{ file: "my_tool.yaml", ok: true, tool: "my_tool", problems: [], warnings: [] }],
  }]);
  for (const file of ["my_tool.yaml", "my_tool.cases.yaml"]) {
    const tested = await plugin("test", file);
    assertEquals([tested.status, JSON.parse(tested.stdout).ok], [0, true], tested.stdout);
  }
  const docs = await plugin("docs", "my_tool.yaml");
  assertEquals(docs.status, 0);
  for (const part of ["### my_tool", "`custom.my_tool`", "`files`", "wc [if unit"]) {
    assertStringIncludes(docs.stdout, part);
  }
  workspace.write(
    "wrong.yaml",
    before.replace("risk: safe", "risk: low").replace("timeout: 10s", "timeout: 10"),
  );
  const wrong = await plugin("check", "my_tool.yaml", "wrong.yaml");
  assertEquals(wrong.status, 1);
  const problems = JSON.parse(wrong.stdout).files[1].problems;
  assertEquals(problems.map(({ key }: { key: string }) => key), ["risk", "timeout"]);
  assert(problems.every(({ line }: { line: number }) => line > 1));
  assertEquals((await plugin("check", "my_tool.yaml", "my_tool.yaml")).status, 1);
  assertEquals((await plugin("check", "none.yaml")).status, 2);
  assertEquals((await plugin("check")).status, 2);
  assertEquals((await plugin("tets", "x")).status, 2);
});

Deno.test("plugin test says what a case expected and did not get, and where", async () => {
  await using workspace = new Workspace();
  workspace.write(
    "say.yaml",
    manifestText({ ...SAY, command: ["sh", "say.sh", "--", "{text}"], output: "lines" }),
  );
  workspace.write(
    "say.cases.yaml",
    `version: 1
files: { say.sh: "echo $2; echo made > made.txt" }
cases:
  - { args: { text: x }, output: { lines: [x] }, after: { made.txt: "made\\n" } }
  - name: wrong
    args: { text: x }
    argv: [sh]
    output: { lines: [y] }
    contains: [z]
    after: { made.txt: false }
  - { args: {}, code: INVALID_ARGUMENTS }
`,
  );
  const tested = await start(["plugin", "test", "say.yaml"], { cwd: workspace.root });
  const report = JSON.parse(tested.stdout);
  assertEquals([tested.status, report.cases, report.failed], [1, 3, 1]);
  const [failure] = report.files[0].failures;
  assertEquals([failure.name, failure.line, failure.wrong.length], ["wrong", 5, 4]);
  // Nothing of it was done in the folder of the manifest.
  assertEquals([...Deno.readDirSync(workspace.root)].map(({ name }) => name).sort(), [
    "say.cases.yaml",
    "say.yaml",
  ]);
  const policy = workspace.policy(POLICY.replace(", sh,", ",").replace(/plugins:.*\n/, ""));
  const under = await start(["plugin", "test", "say.yaml", "--policy", policy], {
    cwd: workspace.root,
  });
  assertStringIncludes(under.stdout, "COMMAND_DENIED");
  workspace.assertOutsideUntouched();
});

Deno.test("a sealed build carries the custom tools of its policy", async () => {
  const { workspace, args } = openWorkspace([SAY]);
  await using _ = workspace;
  const output = await sealedBinary("sealed-plugins", args[1] ?? "");
  Deno.removeSync(join(workspace.base, "plugins"), { recursive: true });
  const called = await call(["say", "text=x"], { cwd: workspace.root, binary: output });
  assertEquals(called.answer.output?.text, "-- x", called.stdout);
});
