/** What becomes of calls where the kernel lacks a layer, or a call that layers are made with. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { ERRNO } from "../../../src/sandbox/kernel/errno.ts";
import { syscallsOf } from "../../../src/sandbox/kernel/_syscalls.ts";
import { BINARY, call, Pipe, SENTINEL, start, type Started, Workspace } from "../toolgate.ts";

const LAUNCHER = fromFileUrl(new URL("../_without_call.ts", import.meta.url));
const numbers = syscallsOf(Deno.build.arch);
assert(numbers !== null, "these tests know two architectures");

/** As Linux answers where Landlock is not built in, and where it is not switched on. */
const NO_LANDLOCK = [
  `${numbers.landlockCreateRuleset}:${ERRNO.ENOSYS}`,
  `${numbers.landlockCreateRuleset}:${ERRNO.EOPNOTSUPP}`,
] as const;

const POLICY = `version: 1
paths: [{ allow: [read, write], match: ["**"] }]
commands: [{ allow: [cat, touch] }]
`;

/** Arguments of Deno that start the binary without these calls. */
function lacking(calls: string): readonly string[] {
  return ["run", "--quiet", "-A", LAUNCHER, calls, BINARY];
}

function startLacking(calls: string, args: readonly string[], cwd: string): Promise<Started> {
  return start([...lacking(calls), ...args], { binary: Deno.execPath(), cwd });
}

const RUNS: readonly (readonly [readonly string[], readonly string[]])[] = [
  [["read_file", "path=a.txt"], ["policy", "runtime"]],
  [["write_file", "path=b.txt", "content=x"], ["policy", "runtime"]],
  // The program holds itself: the set of the process that starts it is none of its walls.
  [["run_command", "argv=cat,a.txt"], ["policy", "seccomp"]],
];

for (const calls of NO_LANDLOCK) {
  Deno.test(`auto, without Landlock (${calls}): calls run, and say what held them`, async () => {
    await using workspace = new Workspace({ "a.txt": "text\n" });
    const policy = workspace.policy(POLICY);
    for (const [args, layers] of RUNS) {
      const { status, stdout } = await startLacking(
        calls,
        ["call", ...args, "--policy", policy],
        workspace.root,
      );
      const { success, usage } = JSON.parse(stdout);
      assertEquals([status, success, usage.layers], [0, true, layers], args.join(" "));
    }
  });
}

Deno.test("auto, without Landlock: the other layers still hold", async () => {
  await using workspace = new Workspace();
  Deno.symlinkSync(workspace.outside, workspace.path("link"));
  const policy = workspace.policy(POLICY);
  const { status, stdout } = await startLacking(
    NO_LANDLOCK[0],
    ["call", "read_file", "path=link/sentinel.txt", "--policy", policy],
    workspace.root,
  );
  assertEquals([status, JSON.parse(stdout).error.code], [3, "PATH_OUTSIDE_WORKSPACE"]);
});

Deno.test("required, with Landlock: calls run", async () => {
  await using workspace = new Workspace({ "a.txt": "text\n" });
  const policy = workspace.policy(`${POLICY}sandbox: { kernel: required }\n`);
  for (
    const args of [["read_file", "path=a.txt"], ["get_timestamp"], [
      "run_command",
      "argv=cat,a.txt",
    ]]
  ) {
    const { status, answer } = await call([...args, "--policy", policy], { cwd: workspace.root });
    assertEquals([status, answer.error], [0, null], args.join(" "));
  }
  const doctor = await start(["doctor", "--policy", policy], { cwd: workspace.root });
  assertEquals([doctor.status, JSON.parse(doctor.stdout).healthy], [0, true]);
});

/** Each way to require it: arguments behind `call TOOL …`. */
function waysToRequire(workspace: Workspace): readonly (readonly string[])[] {
  const open = workspace.policy(POLICY, "open.yaml");
  const required = workspace.policy(`${POLICY}sandbox: { kernel: required }\n`, "required.yaml");
  const further = workspace.policy("version: 1\nsandbox: { kernel: required }\n", "further.yaml");
  const off = workspace.policy("version: 1\nsandbox: { kernel: off }\n", "off.yaml");
  return [
    ["--policy", required],
    ["--policy", open, "--policy", further],
    ["--policy", open, "--sandbox", "required"],
    // What is required stays so.
    ["--policy", required, "--policy", off, "--sandbox", "off"],
  ];
}

Deno.test("required, without Landlock: call refuses, and nothing runs", async () => {
  await using workspace = new Workspace({ "a.txt": "text\n" });
  for (const way of waysToRequire(workspace)) {
    for (
      const args of [
        ["read_file", "path=a.txt"],
        ["write_file", "path=new.txt", "content=x"],
        ["write_file", "path=a.txt", "content=x", "--preview"],
        ["run_command", "argv=touch,new.txt"],
        ["get_timestamp"],
      ]
    ) {
      const words = ["call", ...args, ...way];
      const { status, stdout } = await startLacking(NO_LANDLOCK[0], words, workspace.root);
      const { error, output } = JSON.parse(stdout);
      assertEquals([status, error?.code, output], [3, "NATIVE_DENIED", null], words.join(" "));
      assertStringIncludes(error.message, "required");
      assertStringIncludes(error.message, "Landlock");
    }
  }
  assertEquals([...Deno.readDirSync(workspace.root)].map(({ name }) => name), ["a.txt"]);
  assertEquals(workspace.read("a.txt"), "text\n");
});

Deno.test("required, without Landlock: serve refuses each call and goes on", async () => {
  await using workspace = new Workspace({ "a.txt": "text\n" });
  const policy = workspace.policy(`${POLICY}sandbox: { kernel: required }\n`);
  const pipe = new Pipe(["--policy", policy], {
    binary: Deno.execPath(),
    words: [...lacking(NO_LANDLOCK[0]), "serve"],
    cwd: workspace.root,
  });
  for (let round = 0; round < 2; round++) {
    for (
      const [tool, args] of [
        ["read_file", { path: "a.txt" }],
        ["write_file", { path: "new.txt", content: "x" }],
        ["run_command", { argv: ["touch", "new.txt"] }],
        ["get_timestamp", {}],
      ] as const
    ) {
      const { success, error } = await pipe.ask({ id: tool, tool, args });
      assertEquals([success, error?.code], [false, "NATIVE_DENIED"], tool);
    }
    assertEquals((await pipe.ask({ id: 1, op: "ping" })).output, { pong: true });
  }
  assertEquals(await pipe.close(), { status: 0, rest: [] });
  assertEquals([...Deno.readDirSync(workspace.root)].map(({ name }) => name), ["a.txt"]);
});

Deno.test("doctor says that Landlock is missing: exit 0 where it may be, 1 where it is required", async () => {
  await using workspace = new Workspace();
  for (
    const [mode, expected] of [["auto", 0], ["required", 1]] as const
  ) {
    const args = ["doctor", "--policy", workspace.policy(POLICY), "--sandbox", mode];
    const { status, stdout } = await startLacking(NO_LANDLOCK[0], args, workspace.root);
    const { layers, healthy } = JSON.parse(stdout);
    const holds = Object.fromEntries(
      layers.map(({ layer, attempt, holds }: Record<string, unknown>) => [
        `${layer}: ${attempt}`,
        holds,
      ]),
    );
    const expectations: Readonly<Record<string, boolean>> = {
      "policy: judge a path that no rule names": true,
      "runtime: read a file outside": true,
      "runtime: write a file outside": true,
      "runtime: start a program that is not on the list": true,
      "landlock: read a file outside": false,
      "landlock: write a file outside": false,
      "landlock: a program (cat) reads a file outside": false,
    };
    for (const [attempt, held] of Object.entries(expectations)) {
      assertEquals(holds[attempt], held, attempt);
    }
    assertEquals([status, healthy], [expected, expected === 0]);
  }
  const here = await start(["doctor"], { cwd: workspace.root });
  assertEquals([here.status, JSON.parse(here.stdout).healthy], [0, true]);
});

Deno.test("a kernel that has Landlock and will not hold us by it, and one without system call filters", async () => {
  await using workspace = new Workspace({ "a.txt": "text\n" });
  const policy = workspace.policy(POLICY);
  const cases = [
    [`${numbers.landlockRestrictSelf}:${ERRNO.EPERM}`, ["policy", "seccomp"]],
    [`${numbers.seccomp}:${ERRNO.ENOSYS}`, ["policy", "landlock"]],
  ] as const;
  for (const [calls, layers] of cases) {
    const args = ["call", "run_command", "argv=cat,a.txt", "--policy", policy];
    const auto = await startLacking(calls, args, workspace.root);
    assertEquals([auto.status, JSON.parse(auto.stdout).usage.layers], [0, layers]);
    const required = await startLacking(calls, [...args, "--sandbox", "required"], workspace.root);
    assertEquals(
      [required.status, JSON.parse(required.stdout).error?.code],
      [3, "NATIVE_DENIED"],
      calls,
    );
  }
});

Deno.test("a kernel or a container without openat2: the same answers", async () => {
  await using workspace = new Workspace({ "a.txt": "text\n", "sub/b.txt": "b\n" });
  Deno.symlinkSync(workspace.outside, workspace.path("link"));
  const policy = workspace.policy(POLICY);
  for (const errno of [ERRNO.ENOSYS, ERRNO.EPERM]) {
    const pipe = new Pipe(["--policy", policy], {
      binary: Deno.execPath(),
      words: [...lacking(`${numbers.openat2}:${errno}`), "serve"],
      cwd: workspace.root,
    });
    const ask = (tool: string, args: Record<string, unknown>) => pipe.ask({ id: 1, tool, args });
    const read = await ask("read_file", { path: "sub/b.txt" });
    assertEquals([read.output?.content, read.usage["layers"]], [
      "b\n",
      ["policy", "runtime", "landlock"],
    ]);
    const written = await ask("write_file", { path: "new/deep.txt", content: "x" });
    assertEquals(written.output?.created, true, written.error?.message);
    const ran = await ask("run_command", { argv: ["cat", "a.txt"] });
    assertEquals([ran.output?.stdout, ran.usage["layers"]], [
      "text\n",
      ["policy", "landlock", "seccomp"],
    ]);
    const outside = await ask("read_file", { path: "link/sentinel.txt" });
    assertEquals(outside.error?.code, "PATH_OUTSIDE_WORKSPACE");
    assert(!JSON.stringify(outside).includes(SENTINEL.trim()));
    assertEquals((await pipe.close()).status, 0);
    Deno.removeSync(workspace.path("new"), { recursive: true });
  }
});
