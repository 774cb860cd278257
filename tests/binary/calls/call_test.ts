import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { BINARY, call, SENTINEL, start, Workspace } from "../toolgate.ts";

const OPEN = `version: 1
paths:
  - { allow: [read, write], match: ["**"] }
  - { deny: [read, write], match: ["**/.env", "closed/**"], reason: secrets }
commands:
  - { allow: [cat, ls, echo, "true", "false", sleep] }
`;

Deno.test("call reads a file and says what held it", async () => {
  await using workspace = new Workspace({ "a.txt": "one\ntwo\nthree\n" });
  const { status, answer } = await call(["read_file", "path=a.txt", "start_line=2", "end_line=2"], {
    cwd: workspace.root,
  });
  assertEquals(status, 0);
  assertEquals(answer.output.content, "two\n");
  assertEquals(answer.output.total_lines, 3);
  assertEquals(answer.output.path, "a.txt");
  assertEquals(answer.usage["layers"], ["policy", "landlock"]);
  assertEquals(answer.id, null);
});

Deno.test("each way of giving arguments means the same", async () => {
  await using workspace = new Workspace({ "a.txt": "text\n", "args.json": `{"path": "a.txt"}` });
  const options = { cwd: workspace.root };
  const ways = [
    await call(["read_file", "path=a.txt"], options),
    await call(["fs.read", "path=a.txt"], options),
    await call(["read_file", "--json", `{"path":"a.txt"}`], options),
    await call(["read_file", `--json={"path":"a.txt"}`], options),
    await call(["read_file", "--json", "@args.json"], options),
    await call(["read_file", "--json", "-"], { ...options, stdin: `{"path":"a.txt"}` }),
    await call(["--format", "json", "read_file", "--json", `{}`, "path=a.txt"], options),
  ];
  for (const { status, answer } of ways) {
    assertEquals([status, answer.output?.content, answer.tool], [0, "text\n", "read_file"]);
  }
});

Deno.test("who asks for a program that is not there hears of the nearest, or of the folder that has it", async () => {
  await using workspace = new Workspace({ "shims/shimmed": "#!/bin/sh\n" });
  Deno.chmodSync(`${workspace.root}/shims/shimmed`, 0o755);
  const shims = `${workspace.outside}/shims`;
  Deno.renameSync(`${workspace.root}/shims`, shims);
  const policy = workspace.policy(
    `${
      OPEN.split("commands:")[0]
    }commands:\n  - { allow: ["*"] }\nrisk: { allow: dangerous, ask: dangerous }\n`,
  );
  const options = { cwd: workspace.root, env: { PATH: `/usr/bin:/bin:${shims}` } };
  const messageOf = async (command: string) => {
    const args = ["run_command", `command=${command}`, "--policy", policy];
    const { error } = (await call(args, options)).answer;
    assertEquals(error?.code, "COMMAND_NOT_FOUND", command);
    return error?.message ?? "";
  };
  assertStringIncludes(await messageOf("gerp x a.txt"), 'Did you mean "grep"');
  // Long paths are cut.
  const [, shown = ""] = /; "([^"]*?)…?" has one/.exec(await messageOf("shimmed")) ?? [];
  assert(shown.length > 40 && shims.startsWith(shown), shown);
  const nothing = await messageOf("nothing-like-this-is-there");
  assert(!/mean|has one/.test(nothing), nothing);
});

Deno.test("exit statuses and codes", async () => {
  await using workspace = new Workspace({ "a.txt": "x", "closed/b": "x", ".env": "KEY=1" });
  const policy = workspace.policy(OPEN);
  const cases: readonly (readonly [readonly string[], number, string | null])[] = [
    [["read_file", "path=a.txt"], 0, null],
    [["read_file", "path=missing"], 1, "FILE_NOT_FOUND"],
    [["run_command", "argv=false"], 1, "COMMAND_FAILED"],
    [["read_fil", "path=a.txt"], 2, "UNKNOWN_TOOL"],
    [["read_file"], 2, "INVALID_ARGUMENTS"],
    [["read_file", "pth=a.txt"], 2, "INVALID_ARGUMENTS"],
    [["read_file", "--json", "{"], 2, "INVALID_JSON"],
    [["read_file", "--json", "[]"], 2, "INVALID_ARGUMENTS"],
    [["read_file", "--json", `{"path":"a.txt"}`, "path=a.txt"], 2, "INVALID_ARGUMENTS"],
    [["read_file", "path=.env"], 3, "PATH_DENIED"],
    [["read_file", "path=closed/b"], 3, "PATH_DENIED"],
    [["read_file", "path=../outside/sentinel.txt"], 3, "PATH_OUTSIDE_WORKSPACE"],
    [["run_command", "argv=git,status"], 3, "COMMAND_DENIED"],
    [["run_command", "command=coproc cat a.txt"], 3, "COMMAND_UNPARSABLE"],
    [["run_command", "argv=sleep,5", "--timeout", "100ms"], 5, "TIMEOUT"],
  ];
  for (const [args, status, code] of cases) {
    const ran = await call([...args, "--policy", policy], { cwd: workspace.root });
    assertEquals([ran.status, ran.answer.error?.code ?? null], [status, code], args.join(" "));
    assertEquals(ran.answer.success, code === null);
    assert(!ran.stdout.includes(workspace.base), `${args.join(" ")} shows a path: ${ran.stdout}`);
  }
  workspace.assertOutsideUntouched();
});

Deno.test("what asks is not run: exit 4", async () => {
  await using workspace = new Workspace({ "a.txt": "x" });
  const policy = workspace.policy(`version: 1
paths: [{ allow: [read], match: ["**"] }, { ask: [write], match: ["**"], reason: say so }]
`);
  const { status, answer } = await call([
    "write_file",
    "path=a.txt",
    "content=new",
    "--policy",
    policy,
  ], {
    cwd: workspace.root,
  });
  assertEquals([status, answer.error?.code, answer.error?.rule?.index], [
    4,
    "APPROVAL_REQUIRED",
    "paths[1]",
  ]);
  assertEquals(workspace.read("a.txt"), "x");
});

Deno.test("a denial names the rule, its reason and what would be allowed", async () => {
  await using workspace = new Workspace({ ".env": "KEY=1" });
  const policy = workspace.policy(OPEN);
  const { answer } = await call(["read_file", "path=.env", "--policy", policy], {
    cwd: workspace.root,
  });
  assertEquals(answer.error?.rule, { file: "policy.yaml", index: "paths[1]", reason: "secrets" });
  const command = await call(["run_command", "argv=rm,-rf,x", "--policy", policy], {
    cwd: workspace.root,
  });
  assertStringIncludes(command.answer.error?.message ?? "", "cat");
});

Deno.test("unknown tools and flags get the nearest names", async () => {
  const { answer } = await call(["raed_file", "path=x"]);
  assertStringIncludes(answer.error?.message ?? "", "read_file");
  const flag = await start(["call", "read_file", "--polcy", "x"]);
  assertEquals(flag.status, 2);
  assertStringIncludes(flag.stderr, "--policy");
  const command = await start(["cal"]);
  assertEquals([command.status, command.stdout], [2, ""]);
  assertStringIncludes(command.stderr, "call");
});

Deno.test("a preview changes nothing", async () => {
  await using workspace = new Workspace({ "a.txt": "old\n" });
  const { status, answer } = await call(
    ["write_file", "path=a.txt", "content=new\n", "--preview"],
    {
      cwd: workspace.root,
    },
  );
  assertEquals(status, 0);
  assertStringIncludes(answer.output.diff, "-old");
  assertStringIncludes(answer.output.diff, "+new");
  assertEquals(workspace.read("a.txt"), "old\n");
  const command = await call(["run_command", "argv=ls", "--preview"], { cwd: workspace.root });
  assertEquals(command.answer.output.argv, ["ls"]);
});

Deno.test("a preview is judged like the call", async () => {
  await using workspace = new Workspace();
  const { status, answer } = await call(
    ["write_file", "path=../outside/sentinel.txt", "content=x", "--preview"],
    { cwd: workspace.root },
  );
  assertEquals([status, answer.error?.code], [3, "PATH_OUTSIDE_WORKSPACE"]);
});

Deno.test("a write is there, with its parents, and keeps the mode of what it replaces", async () => {
  await using workspace = new Workspace({ "run.sh": "old" });
  Deno.chmodSync(workspace.path("run.sh"), 0o750);
  const options = { cwd: workspace.root };
  const made = await call(["write_file", "path=new/deep/a.txt", "content=hello"], options);
  assertEquals(made.answer.output, { path: "new/deep/a.txt", bytes_written: 5, created: true });
  assertEquals(workspace.read("new/deep/a.txt"), "hello");
  const replaced = await call(["write_file", "path=run.sh", "content=new"], options);
  assertEquals(replaced.answer.output.created, false);
  assertEquals((Deno.statSync(workspace.path("run.sh")).mode ?? 0) & 0o777, 0o750);
  assertEquals([...Deno.readDirSync(workspace.root)].map(({ name }) => name).sort(), [
    "new",
    "run.sh",
  ]);
});

Deno.test("links: inside they are followed, outside they lead nowhere, in every tool", async () => {
  await using workspace = new Workspace({ "real.txt": "inside\n", "dir/x": "x" });
  Deno.symlinkSync("real.txt", workspace.path("good"));
  Deno.symlinkSync(workspace.outside, workspace.path("bad"));
  Deno.symlinkSync("../outside/sentinel.txt", workspace.path("bad.txt"));
  Deno.symlinkSync("../outside/new.txt", workspace.path("dangling"));
  const options = { cwd: workspace.root };
  assertEquals((await call(["read_file", "path=good"], options)).answer.output.content, "inside\n");
  const attempts: readonly (readonly string[])[] = [
    ["read_file", "path=bad.txt"],
    ["read_file", "path=bad/sentinel.txt"],
    ["read_file", "path=dir/../bad/sentinel.txt"],
    ["write_file", "path=bad.txt", "content=x"],
    ["write_file", "path=bad/new.txt", "content=x"],
    ["write_file", "path=dangling", "content=x"],
    ["list_directory", "path=bad"],
    ["search_files", "path=bad", "pattern=sentinel"],
    ["run_command", "argv=cat,bad.txt"],
    ["run_command", "argv=ls,bad"],
  ];
  for (const args of attempts) {
    const { status, stdout, answer } = await call(args, options);
    assertEquals([status, answer.error?.code], [3, "PATH_OUTSIDE_WORKSPACE"], args.join(" "));
    assert(!stdout.includes(SENTINEL.trim()));
  }
  workspace.assertOutsideUntouched();
});

Deno.test("what a program reaches is what the policy allows, whatever its arguments say", async () => {
  await using workspace = new Workspace({
    "a.txt": "needle a\n",
    ".env": "needle secret\n",
    "sub/.env": "needle secret\n",
    "sub/b.txt": "needle b\n",
    "closed/c.txt": "needle secret\n",
  });
  Deno.symlinkSync(workspace.outside, workspace.path("sub/out"));
  const policy = workspace.policy(`${OPEN}  - { allow: [grep] }\n`);
  const { answer, stdout } = await call([
    "run_command",
    "argv=grep,-rR,needle,.",
    "--policy",
    policy,
  ], {
    cwd: workspace.root,
  });
  assertStringIncludes(answer.output.stdout, "a.txt:needle a");
  assertStringIncludes(answer.output.stdout, "b.txt:needle b");
  assert(!answer.output.stdout.includes("secret"), answer.output.stdout);
  assert(!stdout.includes(SENTINEL.trim()));
});

Deno.test("programs get no environment but what the policy passes", async () => {
  await using workspace = new Workspace();
  const policy = workspace.policy(`version: 1
paths: [{ allow: [read], match: ["**"] }]
commands: [{ allow: [env, printenv] }]
environment: { pass: [LANG], set: { GREETING: hello } }
`);
  const { answer } = await call(["run_command", "argv=printenv", "--policy", policy], {
    cwd: workspace.root,
    env: { SECRET_TOKEN: "abc", LD_PRELOAD_X: "y", LANG: "C.UTF-8" },
  });
  const names = (answer.output.stdout as string).trim().split("\n").map((line) =>
    line.split("=")[0]
  ).sort();
  assert(names.includes("GREETING") && names.includes("LANG"), names.join(" "));
  assert(!names.includes("SECRET_TOKEN") && !names.includes("HOME"), names.join(" "));
});

Deno.test("a layer that is required and not there: nothing is started", async () => {
  await using workspace = new Workspace();
  const policy = workspace.policy(
    `${OPEN}  - { allow: [touch] }\nsandbox: { bubblewrap: required }\n`,
  );
  const { status, answer } = await call(["run_command", "argv=touch,made", "--policy", policy], {
    cwd: workspace.root,
  });
  const made = [...Deno.readDirSync(workspace.root)].map(({ name }) => name);
  if (answer.error?.code === "NATIVE_DENIED") assertEquals([status, made], [3, []]);
  else {
    // It is here after all, and then it holds the program.
    assert(answer.output?.sandbox.includes("bubblewrap"), JSON.stringify(answer));
  }
});

Deno.test("a bad policy: every problem with its key, and nothing runs", async () => {
  await using workspace = new Workspace();
  const policy = workspace.policy("version: 1\npahts: []\nlimits: { read: 5 parsecs }\n");
  const { status, stdout, stderr } = await start(
    ["call", "write_file", "path=x", "content=y", "--policy", policy],
    { cwd: workspace.root },
  );
  assertEquals([status, stdout], [2, ""]);
  for (const words of [policy, "pahts", "paths", "limits.read", "MiB"]) {
    assertStringIncludes(stderr, words);
  }
  assertEquals([...Deno.readDirSync(workspace.root)].length, 0);
});

Deno.test("policies that cannot be read: said, and nothing runs", async () => {
  await using workspace = new Workspace();
  const cases: readonly (readonly [string, string])[] = [
    [workspace.policy("", "empty.yaml"), "empty"],
    [workspace.root, "regular file"],
    [`${workspace.base}/none.yaml`, "no such file"],
    [workspace.policy("version: 1\n\tpaths: []\n", "tab.yaml"), "tab"],
    [workspace.policy("version: 1\nversion: 1\n", "twice.yaml"), "version"],
  ];
  for (const [file, words] of cases) {
    const { status, stdout, stderr } = await start(["call", "get_timestamp", "--policy", file]);
    assertEquals([status, stdout], [2, ""], file);
    assertStringIncludes(stderr, words);
  }
});

Deno.test("further policies, flags and variables only tighten", async () => {
  await using workspace = new Workspace({ "a.txt": "text", "src/b.txt": "text" });
  const open = workspace.policy(OPEN, "open.yaml");
  const tight = workspace.policy(
    `version: 1\npaths: [{ allow: [read], match: ["src/**"] }]\n`,
    "tight.yaml",
  );
  const wide = workspace.policy(
    `version: 1\npaths: [{ allow: [read, write], match: ["/**"] }]\n`,
    "wide.yaml",
  );
  const code = async (args: readonly string[], env: Record<string, string> = {}) => {
    const { answer } = await call(args, { cwd: workspace.root, env });
    return answer.error?.code ?? null;
  };
  const both = ["--policy", open, "--policy", tight];
  assertEquals(await code(["read_file", "path=src/b.txt", ...both]), null);
  assertEquals(await code(["read_file", "path=a.txt", ...both]), "PATH_DENIED");
  assertEquals(await code(["write_file", "path=src/b.txt", "content=x", ...both]), "PATH_DENIED");
  const widened = ["--policy", open, "--policy", wide];
  assertEquals(
    await code(["read_file", "path=../outside/sentinel.txt", ...widened]),
    "PATH_OUTSIDE_WORKSPACE",
  );
  const env = { TOOLGATE_POLICY: tight };
  assertEquals(await code(["read_file", "path=a.txt", "--policy", open], env), "PATH_DENIED");
  assertEquals(
    await code(["read_file", "path=a.txt"], { TOOLGATE_LIMITS: "read=2" }),
    "FILE_TOO_LARGE",
  );
  assertEquals(
    await code(["read_file", "path=a.txt"], { TOOLGATE_ROOT: workspace.path("src") }),
    "FILE_NOT_FOUND",
  );
  const escape = await start(["call", "read_file", "path=sentinel.txt"], {
    cwd: workspace.root,
    env: { TOOLGATE_ROOT: workspace.outside },
  });
  assertEquals([escape.status, escape.stdout], [2, ""]);
});

Deno.test("on a terminal's wish, results are text", async () => {
  await using workspace = new Workspace({ "a.txt": "line\u001b[31m\n", "b.txt": "x" });
  const options = { cwd: workspace.root };
  const text = await start(["call", "read_file", "path=a.txt", "--format", "text"], options);
  assertEquals(text.stdout, "line\\x1b[31m\n");
  const list = await start(["call", "list_directory", "--format", "text"], options);
  assertStringIncludes(list.stdout, "a.txt");
  const failed = await start(["call", "read_file", "path=none", "--format", "text"], options);
  assertEquals([failed.status, failed.stdout], [1, ""]);
  assertStringIncludes(failed.stderr, "FILE_NOT_FOUND");
});

Deno.test("help and version", async () => {
  for (const args of [["--help"], ["help", "call"], ["call", "--help"], ["--version"]]) {
    const { status, stdout, stderr } = await start(args);
    assertEquals([status, stderr], [0, ""], args.join(" "));
    assert(stdout.length > 5);
  }
  const nothing = await start([]);
  assertEquals([nothing.status, nothing.stdout], [2, ""]);
});

Deno.test("no home, no temporary folder, a working directory that is gone: an answer all the same", async () => {
  await using workspace = new Workspace({ "a.txt": "text" });
  const child = new Deno.Command(BINARY, {
    args: ["call", "read_file", "path=a.txt", "--root", workspace.root],
    clearEnv: true,
    cwd: "/",
  });
  const { code, stdout } = await child.output();
  assertEquals(code, 0);
  assertStringIncludes(new TextDecoder().decode(stdout), `"content":"text"`);
});
