/** `policy …` and `doctor` of the binary: checking, showing, explaining, testing, writing and replaying policies. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { parse as parseYaml } from "@std/yaml";
import { BINARY, call, SENTINEL, serveAll, start, Workspace } from "../toolgate.ts";

const POLICIES = fromFileUrl(new URL("../../../policy", import.meta.url));

const POLICY = `version: 1
paths:
  - { allow: [read, write], match: ["**"] }
  - { deny: [read, write], match: ["closed/**"], reason: closed }
commands: [{ allow: [cat, ls] }, { ask: [git push], reason: goes out }]
`;

async function json(args: readonly string[], workspace: Workspace, stdin?: string) {
  const ran = await start(["policy", ...args], {
    cwd: workspace.root,
    ...(stdin === undefined ? {} : { stdin }),
  });
  // deno-lint-ignore no-explicit-any
  return { ...ran, value: JSON.parse(ran.stdout || "null") as any };
}

Deno.test("check: every mistake of every file, with key and line; exit 1", async () => {
  await using workspace = new Workspace();
  const one = workspace.policy(
    "version: 1\npahts: []\nrisk: { allow: sfae, ask: safe }\n",
    "a.yaml",
  );
  const two = workspace.policy("version: 1\nnetwork: [{ allow: ['http://x'] }]\n", "b.yaml");
  const { status, value } = await json(["check", "--policy", one, "--policy", two], workspace);
  assertEquals([status, value.ok], [1, false]);
  const found = value.problems.map(({ file, key, line }: Record<string, unknown>) =>
    `${String(file).slice(-6)} ${key} ${line}`
  );
  assertEquals(found, ["a.yaml pahts 2", "a.yaml risk.allow 3", "b.yaml network[0].allow[0] 2"]);
  const missing = await json(["check", "--policy", "none.yaml"], workspace);
  assertEquals([missing.status, missing.stdout], [2, ""]);
});

Deno.test("check: policies that cannot hold together", async () => {
  await using workspace = new Workspace();
  const one = workspace.policy("version: 1\naudit: { file: a.ndjson }\n", "a.yaml");
  const two = workspace.policy("version: 1\naudit: { file: b.ndjson }\n", "b.yaml");
  const { status, value } = await json(["check", "--policy", one, "--policy", two], workspace);
  assertEquals(status, 1);
  assertStringIncludes(value.problems[0].message, "a further policy cannot move it");
});

Deno.test("check: warnings with lines; exit 0, and 1 with --strict", async () => {
  await using workspace = new Workspace();
  const file = workspace.policy(`version: 1
paths:
  - { allow: [read, write], match: ["**"] }
  - allow: [read]
    match: [src/x]
commands:
  - allow:
      - ls
      - python3
tools: { raed_file: { enabled: false } }
`);
  const { status, value } = await json(["check", "--policy", file], workspace);
  assertEquals([status, value.ok], [0, true]);
  const found = value.warnings.map((
    { file: named, key, line }: Record<string, unknown>,
  ) => [named === file, key, line]);
  assertEquals(found, [
    [true, "commands[0].allow[1]", 9],
    [true, "tools.raed_file", 10],
    [true, "paths[1].match[0]", 5],
  ]);
  const text = await start(["policy", "check", "--policy", file, "--format", "text"], {
    cwd: workspace.root,
  });
  assertEquals(text.status, 0);
  assertEquals(text.stdout, `${file}: ok (3 warnings)\n`);
  assertEquals(text.stderr.trimEnd().split("\n").length, 3);
  assertEquals((await json(["check", "--strict", "--policy", file], workspace)).status, 1);
});

Deno.test("check: rules that lead over links", async () => {
  await using workspace = new Workspace({ "data/x": "x" });
  Deno.symlinkSync("data", workspace.path("secret"));
  Deno.writeTextFileSync(
    join(workspace.outside, "policy.yaml"),
    `version: 1\npaths: [{ allow: [read, write], match: ["**"] }, { deny: [read], match: ["secret/**"] }]\n`,
  );
  // The link that leads to the policy is kept from tools like the policy itself: nothing to warn of.
  Deno.symlinkSync(join(workspace.outside, "policy.yaml"), workspace.path("gate.yaml"));
  const { value } = await json(["check", "--policy", "gate.yaml"], workspace);
  const found = value.warnings.map(({ key }: { key: string }) => key);
  assertEquals(found, ["paths[1].match[0]"]);
  assertStringIncludes(value.warnings[0].message, "secret");
  workspace.write("own.yaml", POLICY);
  assertEquals((await json(["check", "--policy", "own.yaml"], workspace)).value.warnings, []);
});

Deno.test("the shipped policies pass, and so do their cases", async () => {
  await using workspace = new Workspace();
  for (const name of ["default", "strict", "read-only", "ci"]) {
    const file = join(POLICIES, `${name}.yaml`);
    const checked = await json(["check", "--strict", "--policy", file], workspace);
    assertEquals([checked.status, checked.value.warnings], [0, []], name);
    const tested = await json(["test", "--policy", file], workspace);
    assertEquals([tested.status, tested.value.failed], [0, 0], tested.stdout);
  }
  const builtIn = await json(["check"], workspace);
  assertEquals([builtIn.status, builtIn.value.warnings], [0, []]);
  assertEquals([...Deno.readDirSync(workspace.root)], []);
});

Deno.test("show: rules by strictness, settings with where they come from", async () => {
  await using workspace = new Workspace();
  const base = workspace.policy(
    `${POLICY}environment: { pass: [], set: { KEY: hidden-value } }\n`,
    "base.yaml",
  );
  const further = workspace.policy(
    'version: 1\npaths: [{ allow: [read], match: ["**"] }, { ask: [read], match: [a] }]\ntimeouts: { default: 3s }\n',
    "further.yaml",
  );
  const args = ["show", "--policy", base, "--policy", further];
  const { status, value, stdout } = await json(args, workspace);
  assertEquals(status, 0);
  assertEquals(
    value.rules.paths.map((
      { file, index, effect }: Record<string, unknown>,
    ) => [file, index, effect]),
    [
      ["base.yaml", "paths[1]", "deny"],
      ["further.yaml", "paths[1]", "ask"],
      ["base.yaml", "paths[0]", "allow"],
      ["further.yaml", "paths[0]", "allow"],
    ],
  );
  assertEquals([value.settings["timeouts.default"], value.origins["timeouts.default"]], ["3s", [
    "further.yaml",
  ]]);
  assertEquals(value.origins["limits.read"], []);
  const text = await start(["policy", ...args, "--format", "text"], { cwd: workspace.root });
  assertStringIncludes(text.stdout, "further.yaml paths[1]");
  for (const shown of [stdout, text.stdout]) {
    assert(!shown.includes("hidden-value") && !shown.includes(workspace.base), shown);
  }
});

Deno.test("explain: exits as call would, with every step, and runs nothing", async () => {
  await using workspace = new Workspace({ "a.txt": "text\n", "closed/b": "x" });
  const policy = ["--policy", workspace.policy(POLICY)];
  const cases: readonly (readonly [readonly string[], number, string])[] = [
    [["read_file", "path=a.txt"], 0, "allow"],
    [["read_file", "path=closed/b"], 3, "deny"],
    [["run_command", "argv=git,push"], 4, "ask"],
    [["write_file", "path=made.txt", "content=x"], 0, "allow"],
    [["run_command", "argv=rm,a.txt"], 3, "deny"],
  ];
  for (const [args, status, effect] of cases) {
    const explained = await json(["explain", ...args, ...policy], workspace);
    const called = await call([...args, "--preview", ...policy], { cwd: workspace.root });
    assertEquals([explained.status, explained.value.effect], [status, effect], args.join(" "));
    assertEquals(called.status, status, args.join(" "));
    assertEquals(called.answer.error?.code ?? null, explained.value.code);
    const empty = explained.value.would_be_allowed_by.length === 0;
    assertEquals(empty, effect === "allow");
  }
  assertEquals(workspace.read("a.txt"), "text\n");
  assertEquals((await json(["explain", "raed_file", "path=x"], workspace)).status, 2);
  const stdin = await json(
    ["explain", "read_file", "--json", "-", ...policy],
    workspace,
    '{"path":"a.txt"}',
  );
  const [capability] = stdin.value.capabilities;
  assertEquals(capability.rules[0].policies[0].winner, "paths[0]");
  assertEquals(stdin.value.layers.runtime.read, ["./a.txt"]);
  assertEquals(stdin.value.layers.landlock.rules[0].path, "./a.txt");
  assertEquals(stdin.value.permission.agents[0].granted, true);
});

Deno.test("explain: what call could not start is not allowed, whatever the rules say", async () => {
  await using workspace = new Workspace({ "plain.txt": "x" });
  const policy = [
    "--policy",
    workspace.policy(
      'version: 1\nrisk: { allow: dangerous, ask: dangerous }\npaths: [{ allow: [read], match: ["**"] }]\n' +
        "commands:\n  - { allow: [not-there, ./plain.txt, ls] }\n  - { ask: [not-there-too] }\n",
    ),
  ];
  for (const argv of ["not-there,--version", "./plain.txt", "not-there-too,x"]) {
    const args = ["run_command", `argv=${argv}`, ...policy];
    const { status, value } = await json(["explain", ...args], workspace);
    const called = await call(args, { cwd: workspace.root });
    assertEquals([value.effect, value.code], ["deny", "COMMAND_NOT_FOUND"], argv);
    assertEquals([status, value.code], [called.status, called.answer.error?.code], argv);
    assertEquals(called.answer.error?.message, value.reason);
    assertEquals(
      value.would_be_allowed_by.every(({ key }: { key: string }) => key !== "paths"),
      true,
    );
    const { answers } = await serveAll(
      [
        { id: 1, op: "explain", tool: "run_command", args: { argv: argv.split(",") } },
      ],
      policy,
      { cwd: workspace.root },
    );
    assertEquals(answers[0]?.output.code, "COMMAND_NOT_FOUND", argv);
  }
  const found = await json(["explain", "run_command", "argv=ls", ...policy], workspace);
  assertEquals([found.status, found.value.effect], [0, "allow"]);
});

Deno.test("explain: nothing is told of where a path outside really lies", async () => {
  await using workspace = new Workspace();
  Deno.symlinkSync(workspace.outside, workspace.path("link"));
  const policy = ["--policy", workspace.policy(POLICY)];
  const open = [
    "--policy",
    workspace.policy(
      `version: 1\npaths: [{ allow: [read, write], match: ["/**"] }]\ncommands: [{ allow: [cat] }]\nsandbox: { bubblewrap: auto }\n`,
      "open.yaml",
    ),
  ];
  for (const format of ["json", "text"]) {
    for (
      const args of [
        ["read_file", "path=link/sentinel.txt"],
        ["write_file", "path=link/new.txt", "content=x"],
        ["run_command", "argv=cat,link/sentinel.txt"],
      ]
    ) {
      for (const which of [policy, open]) {
        const { stdout, stderr } = await start(
          ["policy", "explain", ...args, ...which, "--format", format],
          { cwd: workspace.root },
        );
        assert(!(stdout + stderr).includes(workspace.base), stdout + stderr);
      }
    }
  }
  const { answers } = await serveAll(
    [
      { id: 1, op: "explain", tool: "read_file", args: { path: "link/sentinel.txt" } },
    ],
    policy,
    { cwd: workspace.root },
  );
  assertEquals(answers[0]?.output.effect, "deny");
  assert(!JSON.stringify(answers).includes(workspace.base));
  workspace.assertOutsideUntouched();
});

Deno.test("explain: what it says to add makes the call run", async () => {
  await using workspace = new Workspace({ "closed.txt": "text\n" });
  const text = "version: 1\nrisk: { allow: safe, ask: safe }\n";
  const before = ["--policy", workspace.policy(`${text}paths: []\n`)];
  const { value } = await json(["explain", "read_file", "path=closed.txt", ...before], workspace);
  const [remedy] = value.would_be_allowed_by;
  assertEquals([remedy.file, remedy.key], ["policy.yaml", "paths"]);
  const after = ["--policy", workspace.policy(`${text}paths:\n  ${remedy.add}\n`)];
  const { status } = await call(["read_file", "path=closed.txt", ...after], {
    cwd: workspace.root,
  });
  assertEquals(status, 0);
});

Deno.test("test: named files, files beside, failures with their lines, and what cannot be read", async () => {
  await using workspace = new Workspace();
  const policy = workspace.policy(POLICY, "gate.yaml");
  workspace.policy(
    `version: 1
files: { closed/x: secret, way: { link: closed/x } }
cases:
  - { tool: read_file, args: { path: way }, effect: deny, rule: "paths[1]" }
  - { name: wrong, tool: read_file, args: { path: a }, effect: deny }
`,
    "gate.test.yaml",
  );
  const { status, value } = await json(["test", "--policy", policy], workspace);
  const [file] = value.files;
  assertEquals([status, value.ok, value.cases, value.failed], [1, false, 2, 1]);
  assertEquals([file.failures[0].line, file.failures[0].actual.effect], [5, "allow"]);
  assertEquals(file.coverage.missed.map(({ index }: { index: string }) => index), [
    "commands[1]",
    "commands[0]",
  ]);
  // Named, the policy beside it is found.
  const named = await json(["test", join(workspace.base, "gate.test.yaml")], workspace);
  assertEquals(named.value.files[0].failures.length, 1);
  const text = await start(["policy", "test", "--policy", policy, "--format", "text"], {
    cwd: workspace.root,
  });
  assertStringIncludes(text.stdout, "FAILED line 5: wrong");
  assertStringIncludes(text.stdout, "no case: gate.yaml commands[0] allow cat ls");
  for (const args of [[], ["none.yaml"], ["--policy", workspace.policy(POLICY, "alone.yaml")]]) {
    const unread = await start(["policy", "test", ...args], { cwd: workspace.root });
    assertEquals([unread.status, unread.stdout], [2, ""], args.join(" "));
  }
  assertEquals([...Deno.readDirSync(workspace.root)], []);
});

Deno.test("schema: the one beside the shipped policies", async () => {
  const { stdout } = await start(["policy", "schema"]);
  const kept = Deno.readTextFileSync(join(POLICIES, "policy.schema.json"));
  assertEquals(JSON.parse(stdout), JSON.parse(kept));
});

Deno.test("flags: what each layer is told", async () => {
  await using workspace = new Workspace({ "src/a": "x" });
  const policy = workspace.policy(
    'version: 1\npaths: [{ allow: [read], match: ["src/**"] }]\ncommands: [{ allow: [ls] }]\n',
  );
  const { status, value } = await json(["flags", "--policy", policy], workspace);
  assertEquals(status, 0);
  assert(value.flags.includes("--allow-read=./src"), value.flags.join(" "));
  const rule = value.landlock.files.find(({ path }: { path: string }) => path.endsWith("/src"));
  assertEquals(rule.rights, ["read_file", "read_dir"]);
  assert(value.bubblewrap.includes("--unshare-net"));
});

Deno.test("init: a policy that passes, outside of the workspace, never over what is there", async () => {
  await using workspace = new Workspace({
    "package.json": '{"scripts":{"test":"x"}}',
    Makefile: "lint:\n\ttrue\n",
  });
  const config = join(workspace.base, "config");
  const at = { cwd: workspace.root, env: { XDG_CONFIG_HOME: config } };
  const first = await start(["policy", "init"], at);
  assertEquals(first.status, 0, first.stderr);
  const [{ name = "" } = {}, ...others] = [...Deno.readDirSync(join(config, "toolgate"))];
  assertMatch(name, /^workspace-[0-9a-f]{8}\.yaml$/);
  assertEquals(others, []);
  const file = join(config, "toolgate", name);
  const text = Deno.readTextFileSync(file);
  assertEquals((parseYaml(text) as { version: number }).version, 1);
  const policy = ["--policy", file];
  const checked = await json(["check", "--strict", ...policy], workspace);
  assertEquals([checked.status, checked.value.warnings], [0, []]);
  for (
    const [argv, effect] of [
      ["npm,test", "allow"],
      ["make,lint", "allow"],
      ["node,x.js", "allow"],
      ["rm,-rf,src", "ask"],
      // It has no network, whoever agrees.
      ["npm,install,x", "deny"],
      ["sudo,id", "deny"],
      ["docker,run,x", "deny"],
    ]
  ) {
    const { value } = await json(["explain", "run_command", `argv=${argv}`, ...policy], workspace);
    assertEquals(value.effect, effect, argv);
  }
  Deno.writeTextFileSync(file, "mine");
  assertEquals((await start(["policy", "init"], at)).status, 2);
  assertEquals(Deno.readTextFileSync(file), "mine");
  assertEquals((await start(["policy", "init", "--force"], at)).status, 0);
  assertEquals(Deno.readTextFileSync(file), text);
  const printed = await start(["policy", "init", "-"], at);
  assertEquals([printed.status, printed.stdout], [0, text]);
  const names = [...Deno.readDirSync(workspace.root)].map(({ name }) => name).sort();
  assertEquals(names, ["Makefile", "package.json"]);
  // By a name, wherever that is; without a home there must be one.
  assertEquals((await start(["policy", "init", "own.yaml"], at)).status, 0);
  assertEquals(workspace.read("own.yaml"), text);
  const homeless = await start(["policy", "init"], { cwd: workspace.root, env: { HOME: "" } });
  assertEquals(homeless.status, 2);
  assertStringIncludes(homeless.stderr, "name a FILE");
});

Deno.test("replay: which decisions another policy would flip", async () => {
  await using workspace = new Workspace({ "a.txt": "text\n", "closed/b": "x" });
  const old = ["--policy", workspace.policy(`${POLICY}audit: { file: ../audit.ndjson }\n`)];
  const at = { cwd: workspace.root };
  await call(["read_file", "path=a.txt", ...old], at);
  await call(["read_file", "path=closed/b", ...old], at);
  await call(["run_command", "argv=cat,a.txt", ...old], at);
  await call(["write_file", "path=new.txt", "content=x", ...old], at);
  await call(["run_command", "argv=ls,--token,hidden-value", ...old], at);
  const log = join(workspace.base, "audit.ndjson");
  const before = Deno.readTextFileSync(log);
  const same = await json(["replay", "--audit", log, ...old.slice(0, 2)], workspace);
  assertEquals([same.status, same.value.decisions, same.value.same, same.value.flips], [
    0,
    5,
    5,
    [],
  ]);
  const tight = workspace.policy(
    `version: 1\npaths: [{ allow: [read], match: ["**"] }]\ncommands: [{ allow: [ls] }]\n`,
    "tight.yaml",
  );
  const args = ["replay", "--audit", log, "--policy", tight];
  const { status, value } = await json(args, workspace);
  const flips = value.flips.map(({ tool, then, now, rules }: Record<string, unknown>) => [
    tool,
    `${then} ${now}`,
    (rules as { now: string }).now,
  ]);
  assertEquals(flips, [
    ["read_file", "deny allow", null],
    ["run_command", "allow deny", "tight.yaml commands"],
    ["write_file", "allow deny", "tight.yaml paths"],
  ]);
  assertEquals([status, value.same, value.tightened, value.loosened], [0, 2, 2, 1]);
  assertEquals((await json([...args, "--strict"], workspace)).status, 1);
  // Looking changes nothing, and shows no secret.
  assertEquals(Deno.readTextFileSync(log), before);
  const text = await start(["policy", ...args, "--format", "text"], at);
  assert(!text.stdout.includes("hidden-value"), text.stdout);
  assertStringIncludes(text.stdout, "allow → deny: 2");
  const none = await start(["policy", "replay", "--audit", "none.ndjson", "--policy", tight], at);
  assertEquals([none.status, none.stdout], [2, ""]);
  assert(![...Deno.readDirSync(workspace.root)].some(({ name }) => name === "none.ndjson"));
});

Deno.test("replay: what a pipe registered is judged by who may register, its calls where the tool is known", async () => {
  const manifest = {
    version: 1,
    name: "say",
    description: "Says it.",
    risk: "safe",
    permission: "code_execution",
    parameters: { properties: { text: { type: "string" } }, required: ["text"] },
    command: ["echo", "{text}"],
    output: "text",
  };
  await using workspace = new Workspace();
  const open = `version: 1
paths: [{ allow: [read, write], match: ["**"] }]
commands: [{ allow: [echo] }]
plugins: { registration: allow }
`;
  const log = join(workspace.base, "audit.ndjson");
  const policy = workspace.policy(`${open}audit: { file: ../audit.ndjson }\n`);
  await serveAll(
    [
      { id: 1, op: "register", manifest },
      { id: 2, tool: "say", args: { text: "x" } },
      { id: 3, op: "unregister", tool: "say" },
    ],
    ["--policy", policy],
    { cwd: workspace.root },
  );
  const same = await json(["replay", "--audit", log, "--policy", policy], workspace);
  assertEquals([same.value.decisions, same.value.same, same.value.unjudged["no such tool"]], [
    3,
    2,
    1,
  ]);
  const closed = workspace.policy(open.replace(/plugins:.*\n/, ""), "closed.yaml");
  const { value } = await json(["replay", "--audit", log, "--policy", closed], workspace);
  assertEquals(
    value.flips.map(({ tool, then, now }: Record<string, unknown>) => [tool, then, now]),
    [["plugin.register", "allow", "deny"], ["plugin.unregister", "allow", "deny"]],
  );
  const word = await start(["policy", "replay", log], { cwd: workspace.root });
  assertEquals(word.status, 2);
  assertStringIncludes(word.stderr, "--audit FILE");
});

Deno.test("replay: a log that somebody wrote by hand judges, and breaks, nothing", async () => {
  await using workspace = new Workspace();
  const policy = ["--policy", workspace.policy(POLICY)];
  const record = (more: Record<string, unknown>) =>
    JSON.stringify({
      kind: "decision",
      agent: "root",
      tool: "read_file",
      effect: "allow",
      ...more,
    });
  const path = (text: string) => [{ kind: "fs.read", path: text }];
  const lines = [
    "not json",
    "[]",
    record({}),
    record({ capabilities: [{ kind: "more", count: 3 }] }),
    record({ capabilities: [{ kind: "fs.read", path: 5 }] }),
    record({ tool: "nothing", capabilities: [] }),
    record({ agent: "root*", capabilities: path("a") }),
    record({ capabilities: path("a/../../outside/sentinel.txt") }),
    record({ capabilities: [{ kind: "process.spawn", argv: ["ls", "x\u0000"], cwd: "." }] }),
    record({ capabilities: path(`${"../".repeat(5000)}etc`) }),
  ];
  Deno.writeTextFileSync(join(workspace.base, "log"), lines.join("\n"));
  const { status, value, stdout } = await json(
    ["replay", "--audit", join(workspace.base, "log"), ...policy],
    workspace,
  );
  assertEquals(status, 0);
  assertEquals([value.decisions, value.unreadable], [8, 2]);
  assertEquals(value.unjudged["no such tool"], 1);
  assertEquals(value.unjudged["not whole"], 3);
  const now = value.flips.map(({ agent, now }: Record<string, unknown>) => `${agent} ${now}`);
  assert(now.includes("root* deny") && now.includes("root deny"), JSON.stringify(now));
  assert(!stdout.includes(SENTINEL.slice(0, 10)));
  workspace.assertOutsideUntouched();
});

Deno.test("agents: a name with wildcards or controls is a name and no pattern", async () => {
  await using workspace = new Workspace({ "a.txt": "x" });
  const policy = [
    "--policy",
    workspace.policy(`${POLICY}agents:
  "*": { permissions: [file_read] }
  root: { permissions: [all] }
  "child-*": { permissions: [file_read, file_write] }
`),
  ];
  const names = [
    "*",
    "root*",
    "r*t",
    "child-*",
    "root\n",
    "root\u0000",
    " root",
    "ROOT",
    "root\u202e",
    "{root,x}",
  ];
  const { answers } = await serveAll(
    names.map((agent, id) => ({
      id,
      agent,
      tool: "run_command",
      args: { argv: ["cat", "a.txt"] },
    })),
    policy,
    { cwd: workspace.root },
  );
  for (const { id, error } of answers) {
    assert(
      error?.code === "PERMISSION_DENIED" || error?.code === "INVALID_REQUEST",
      `${JSON.stringify(names[Number(id)])}: ${JSON.stringify(error)}`,
    );
  }
  for (const agent of ["*", "root*", "root\n"]) {
    const flag = await start([
      "policy",
      "explain",
      "read_file",
      "path=a.txt",
      "--agent",
      agent,
      ...policy,
    ], {
      cwd: workspace.root,
    });
    assertEquals([flag.status, flag.stdout], [2, ""]);
  }
});

/** Policies made to eat memory or time: the key of the problem where they are refused, null where they load. */
const HOSTILE: readonly (readonly [name: string, text: () => string, word: string | null])[] = [
  [
    "a million rules",
    () => `version: 1\npaths:\n${"  - {allow: [read], match: [a]}\n".repeat(130_000)}`,
    "500000 values",
  ],
  [
    "more than is read",
    () => `version: 1\npaths:\n${"  - {allow: [read], match: [a]}\n".repeat(300_000)}`,
    "bytes",
  ],
  ["aliases of aliases", () => {
    const level = (at: number) => `a${at}: &a${at} [${Array(10).fill(`*a${at - 1}`)}]`;
    return [
      "version: 1",
      `a0: &a0 [${Array(10).fill("x")}]`,
      ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map(level),
    ].join("\n");
  }, "aliases repeat"],
  ["an alias of itself", () => "version: 1\npaths: &p\n  - *p\n", "nests too deeply"],
  ["brackets", () => `version: 1\npaths: ${"[".repeat(200_000)}`, "nests too deeply"],
  [
    "groups",
    () =>
      `version: 1\npaths:\n${
        Array.from(
          { length: 5_000 },
          (_, at) => `  - { allow: [read], match: ["${"{a,b}".repeat(10)}/${at}"] }`,
        )
          .join("\n")
      }`,
    "100000 patterns",
  ],
  [
    "one path, often",
    () => `version: 1\npaths:\n${"  - {allow: [read], match: ['**']}\n".repeat(20_000)}`,
    null,
  ],
  [
    "many stars",
    () =>
      `version: 1\npaths:\n${
        Array.from(
          { length: 1_000 },
          (_, at) =>
            `  - { ${at % 7 === 0 ? "deny" : "allow"}: [read], match: ["**/*x${at}*y?/**/*"] }`,
        )
          .join("\n")
      }`,
    null,
  ],
];

for (const [name, text, word] of HOSTILE) {
  Deno.test(`a policy made to hurt ends soon and small: ${name}`, async () => {
    await using workspace = new Workspace({ "a.txt": "x" });
    const policy = workspace.policy(text());
    // Whoever overruns these seconds of processor time is ended by a signal.
    for (const args of [["policy", "check"], ["call", "read_file", "path=a.txt"]]) {
      const child = new Deno.Command("/bin/sh", {
        args: [
          "-c",
          'ulimit -t 60; exec "$@"',
          "sh",
          BINARY,
          ...args,
          "--policy",
          policy,
        ],
        cwd: workspace.root,
        stdin: "null",
        stdout: "piped",
        stderr: "piped",
      });
      const { code, signal, stdout, stderr } = await child.output();
      const said = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
      assertEquals(signal, null, `${args.join(" ")}: ${said.slice(0, 500)}`);
      if (word === null) {
        assert(code === 0 || code === 3, `${code} ${said.slice(0, 500)}`);
      } else {
        assert(code === 1 || code === 2, `${code} ${said.slice(0, 500)}`);
        assertStringIncludes(said, word);
      }
    }
  });
}

Deno.test("doctor: each layer and each kind, tried; nothing is left behind", async () => {
  await using workspace = new Workspace({ "a.txt": "x" });
  const temporary = join(workspace.base, "tmp");
  Deno.mkdirSync(temporary);
  const { status, stdout } = await start(["doctor", "--policy", workspace.policy(POLICY)], {
    cwd: workspace.root,
    env: { TMPDIR: temporary },
  });
  const report = JSON.parse(stdout);
  assertEquals([status, report.healthy, report.sealed], [0, true, false]);
  const kinds = new Set(
    report.layers.map(({ layer, kind }: Record<string, unknown>) => `${layer} ${kind}`),
  );
  for (
    const wanted of [
      ...["file read", "file write", "program start", "network connect", "environment"].map((
        kind,
      ) => `policy ${kind}`),
      ...["file read", "file write", "program start", "network connect"].map((kind) =>
        `runtime ${kind}`
      ),
      ...["file read", "file write", "program start", "network connect", "signals"].map((kind) =>
        `landlock ${kind}`
      ),
      "seccomp network connect",
      ...["ptrace", "scheduling", "memory", "shared memory"].map((kind) => `seccomp ${kind}`),
      "launcher limits",
      "bubblewrap namespaces",
    ]
  ) assert(kinds.has(wanted), `${wanted}: ${[...kinds].join(", ")}`);
  const missing = report.layers.filter(({ holds, absent }: Record<string, unknown>) =>
    holds === false && absent !== true
  );
  assertEquals(missing, []);
  assertEquals([...Deno.readDirSync(temporary)], []);
  const text = await start(["doctor", "--format", "text"], { cwd: workspace.root });
  assertStringIncludes(text.stdout, "refused; what is allowed is done");
});

Deno.test("policy: unknown actions and stray words are usage errors", async () => {
  for (const args of [["chekc"], ["show", "x"], ["check", "x"], ["init", "a", "b"], ["explain"]]) {
    const { status, stdout, stderr } = await start(["policy", ...args]);
    assertEquals([status, stdout], [2, ""], args.join(" "));
    assert(stderr.startsWith("toolgate: "), stderr);
  }
  assertStringIncludes((await start(["policy", "chekc"])).stderr, "check");
});
