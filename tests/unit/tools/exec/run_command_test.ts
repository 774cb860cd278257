import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { ToolError } from "../../../../src/core/errors.ts";
import type { ProcessOutcome } from "../../../../src/core/tool.ts";
import { parseLine } from "../../../../src/shell/parse_line.ts";
import runCommand from "../../../../src/tools/exec/run_command.ts";
import { failure } from "../_failure.ts";
import { call, createMemory } from "../_memory_context.ts";

const text = (value: string) => new TextEncoder().encode(value);

const DONE = {
  stdout: "",
  stderr: "",
  exit_code: 0,
  signal: null,
  timed_out: false,
  truncated: false,
  duration_ms: 1.23,
  sandbox: ["policy"],
};

Deno.test("run_command starts exactly what it was told to", async () => {
  const cases:
    readonly (readonly [Record<string, unknown>, readonly string[], Record<string, unknown>])[] = [
      [{ argv: ["a"], output_file: "out.txt" }, ["a"], { spill: "out.txt" }],
      [{ argv: ["echo", "a b", "$x", ""] }, ["echo", "a b", "$x", ""], {}],
      [{ argv: ["a"], cwd: "src" }, ["a"], { cwd: "src" }],
      [{ argv: ["a"], env: { A: "1" } }, ["a"], { env: { A: "1" } }],
      [{ argv: ["a"], stdin: "é" }, ["a"], { stdin: text("é") }],
      [{ argv: ["a"], stdin: "" }, ["a"], { stdin: text("") }],
      [{ argv: ["a"], timeout_ms: 5 }, ["a"], { timeoutMs: 5 }],
      // The policy's time is the most there is.
      [{ argv: ["a"], timeout_ms: 99_000 }, ["a"], {}],
    ];
  for (const [args, argv, options] of cases) {
    const memory = createMemory();
    assertEquals(await call(runCommand, args, memory), DONE);
    assertEquals(memory.started, [[
      argv,
      { cwd: ".", env: {}, stdin: null, timeoutMs: 30_000, ...options },
    ]]);
  }
});

Deno.test("run_command says which rule refused which name to a program, whatever became of it", async () => {
  const denied: ProcessOutcome["denied"] = [{
    path: ".git/HEAD",
    access: "write",
    code: "PATH_DENIED",
    reason: "writing to .git/HEAD is denied by p.yaml paths[1]",
    rule: { file: "p.yaml", index: "paths[1]" },
  }];
  const { path, access, code, reason } = denied[0]!;
  const output = { ...DONE, denied: [{ path, access, code, reason }] };
  const went = await call(runCommand, { argv: ["a"] }, createMemory({ outcome: { denied } }));
  assertEquals(went, output);
  const outcome = { exitCode: 1, stderr: text("Permission denied\n"), denied };
  const error = await assertRejects(
    () => call(runCommand, { argv: ["x"] }, createMemory({ outcome })),
    ToolError,
    `x ended with status 1: Permission denied (${reason}; ` +
      '"toolgate policy explain write_file path=.git/HEAD content=x" says what would allow it)',
  );
  assertEquals(error.details?.denied, denied);
});

Deno.test("run_command gives the output as text and says where it was none, or cut", async () => {
  const cases: readonly (readonly [Partial<ProcessOutcome>, Record<string, unknown>])[] = [
    [{ stdout: text("größe\n"), stderr: text("warn") }, { stdout: "größe\n", stderr: "warn" }],
    [{ stdout: text("\ufeffx") }, { stdout: "\ufeffx" }],
    [{ stdout: Uint8Array.of(0x61, 0xff) }, { stdout: "a\ufffd", invalid_utf8: true }],
    [{ stderr: Uint8Array.of(0xc3) }, { stderr: "\ufffd", invalid_utf8: true }],
    [{ dropped: { stdout: 0, stderr: 1 } }, { truncated: true }],
  ];
  for (const [outcome, expected] of cases) {
    const output = await call(runCommand, { argv: ["a"] }, createMemory({ outcome }));
    assertEquals(output, { ...DONE, ...expected });
  }
});

Deno.test("run_command fails with the whole output", async () => {
  const cases:
    readonly (readonly [Partial<ProcessOutcome>, string, string, Record<string, unknown>])[] = [
      [
        { exitCode: 1, stdout: text("out"), stderr: text("a\nfatal: b\n") },
        "COMMAND_FAILED",
        "x ended with status 1: fatal: b",
        {
          exit_code: 1,
          stdout: "out",
          stderr: "a\nfatal: b\n",
        },
      ],
      [{ exitCode: 127 }, "COMMAND_FAILED", "x ended with status 127", { exit_code: 127 }],
      [
        { exitCode: 1, stderr: text("\x1b[31mred") },
        "COMMAND_FAILED",
        "x ended with status 1: \\x1b[31mred",
        {
          exit_code: 1,
          stderr: "\x1b[31mred",
        },
      ],
      [{ exitCode: null, signal: "SIGSEGV" }, "COMMAND_FAILED", "x was ended by SIGSEGV", {
        exit_code: null,
        signal: "SIGSEGV",
      }],
      [
        { exitCode: null, signal: "SIGKILL", timedOut: true, stdout: text("partial") },
        "TIMEOUT",
        "run_command: no exit in 30 s; sent SIGTERM, then SIGKILL",
        {
          exit_code: null,
          signal: "SIGKILL",
          timed_out: true,
          stdout: "partial",
        },
      ],
      [{ exitCode: 0, timedOut: true }, "TIMEOUT", "run_command: no exit in 30 s; sent SIGTERM", {
        timed_out: true,
      }],
      [
        { exitCode: null, signal: "SIGTERM", cancelled: true },
        "CANCELLED",
        "run_command: cancelled; sent SIGTERM",
        {
          exit_code: null,
          signal: "SIGTERM",
        },
      ],
    ];
  for (const [outcome, code, message, expected] of cases) {
    const error = await failure(() => call(runCommand, { argv: ["x"] }, createMemory({ outcome })));
    assertEquals([error.code, error.message], [code, message]);
    assertEquals(error.output, { ...DONE, ...expected });
  }
});

Deno.test("a program that the call's own clock ended has timed out", async () => {
  const checkpoint = () => {
    throw new ToolError("TIMEOUT", "no answer");
  };
  const memory = createMemory({
    outcome: { cancelled: true, exitCode: null, signal: "SIGTERM" },
    checkpoint,
  });
  const error = await failure(() => call(runCommand, { argv: ["x"] }, memory));
  assertEquals(error.code, "TIMEOUT");
  assertEquals((error.output as { timed_out: boolean }).timed_out, true);
});

Deno.test("run_command refuses what cannot be run, and starts nothing", async () => {
  const cases: readonly (readonly [Record<string, unknown>, string, string])[] = [
    [{}, "INVALID_ARGUMENTS", "command: missing"],
    [{ command: "ls", argv: ["ls"] }, "INVALID_ARGUMENTS", "both are given"],
    [{ command: "" }, "INVALID_ARGUMENTS", "must not be empty"],
    [{ argv: [] }, "INVALID_ARGUMENTS", "at least 1 item"],
    [{ argv: [""] }, "INVALID_ARGUMENTS", "argv[0]"],
    [{ argv: ["a", "b\0c"] }, "INVALID_ARGUMENTS", "argv[1]: holds a NUL"],
    [{ argv: ["a", "\ud800"] }, "INVALID_ARGUMENTS", "argv[1]: holds half"],
    [{ argv: ["a"], env: { "A=B": "1" } }, "INVALID_ARGUMENTS", '"A=B" is no name'],
    [{ argv: ["a"], env: { "": "1" } }, "INVALID_ARGUMENTS", '"" is no name'],
    [{ argv: ["a"], env: { A: "\0" } }, "INVALID_ARGUMENTS", "env.A: holds a NUL"],
    [{ argv: ["a"], env: { A: 1 } }, "INVALID_ARGUMENTS", "expected a string"],
    [{ argv: ["a"], plan: null }, "INVALID_ARGUMENTS", "unknown argument"],
    [{ argv: ["a"], timeout_ms: 0 }, "INVALID_ARGUMENTS", "at least 1"],
    [{ command: "ls; coproc ls" }, "COMMAND_UNPARSABLE", "a coprocess at character 5"],
    [{ command: "ls; alias x=y" }, "COMMAND_UNPARSABLE", "not run here at character 5"],
    [{ argv: ["bash", "-c", "fc x"] }, "COMMAND_UNPARSABLE", "reads text as commands"],
  ];
  for (const [args, code, part] of cases) {
    for (const preview of [false, true]) {
      const memory = createMemory();
      const error = await failure(() => call(runCommand, args, memory, { preview }));
      assertEquals(error.code, code, JSON.stringify(args));
      assertStringIncludes(error.message, part);
      assertEquals(memory.started, []);
    }
  }
});

Deno.test("run_command hands lines, and shells with their script, on as plans", async () => {
  const line = "cd src && ls *.ts | wc -l > ../out";
  for (const args of [{ command: line }, { argv: ["bash", "-lc", line] }]) {
    const memory = createMemory();
    assertEquals(await call(runCommand, { ...args, env: { A: "1" } }, memory), DONE);
    assertEquals(memory.started, []);
    const [plan, request] = memory.lines[0]!;
    assertEquals(plan.line, line);
    assertEquals(request, { cwd: ".", env: { A: "1" }, stdin: null, timeoutMs: 30_000 });
    if ("command" in args) assertEquals(plan, await parseLine(line));
  }
});

Deno.test("run_command runs the plan that was judged, and reads no line a second time", async () => {
  const memory = createMemory();
  const plan = await parseLine("pwd");
  await runCommand.run({ command: "for x in a; do rm $x; done", env: {}, plan }, memory.context);
  assertEquals(memory.lines.map(([{ line }]) => line), ["pwd"]);
  const unread = async () => await runCommand.run({ command: "pwd", env: {} }, memory.context);
  await assertRejects(unread, Error, "asked before the line was read");
});

Deno.test("run_command tells why a line was stopped, with what came before", async () => {
  const refusal = new ToolError("COMMAND_DENIED", "rm x is denied", {
    rule: { file: "p", index: "commands[1]" },
  });
  const outcome = { refusal, stdout: text("before\n"), exitCode: 126 };
  const error = await failure(() =>
    call(runCommand, { command: "a; b" }, createMemory({ outcome }))
  );
  assertEquals([error.code, error.message, error.rule], [
    "COMMAND_DENIED",
    "rm x is denied",
    refusal.rule,
  ]);
  assertEquals((error.output as { stdout: string }).stdout, "before\n");
  const over = { exceeded: "memory", exitCode: null, signal: "SIGKILL" } as const;
  const killed = await failure(() =>
    call(runCommand, { argv: ["a"] }, createMemory({ outcome: over }))
  );
  assertEquals(killed.code, "RESOURCE_LIMIT");
  assertStringIncludes(killed.message, "limits.memory");
});

Deno.test("run_command needs every program, file and variable that it names", async () => {
  const needs = async (input: Parameters<typeof runCommand.capabilities>[0]) =>
    await runCommand.capabilities(await runCommand.complete!(input), { cwd: "." });
  assertEquals(await needs({ command: "git 'a b'", env: {} }), [
    { kind: "process.spawn", argv: ["git", "a b"], cwd: "." },
  ]);
  assertEquals(await needs({ argv: ["ls"], cwd: "src", env: { LD_PRELOAD: "x", A: "1" } }), [
    { kind: "process.spawn", argv: ["ls"], cwd: "src" },
    { kind: "env.read", name: "LD_PRELOAD", change: true },
    { kind: "env.read", name: "A", change: true },
  ]);
  assertEquals(
    await needs({
      command: "A=1 cat < a | tee b >> /dev/null; cd d; ls *.x",
      output_file: "o",
      env: {},
    }),
    [
      { kind: "env.read", name: "A", change: true },
      { kind: "process.spawn", argv: ["cat"], cwd: "." },
      { kind: "fs.read", path: "a", tree: false },
      { kind: "process.spawn", argv: ["tee", "b"], cwd: "." },
      { kind: "process.spawn", argv: ["ls", "*.x"], cwd: "d", open: [1] },
      { kind: "fs.write", path: "o", tree: false },
    ],
  );
  assertEquals(await needs({ argv: ["bash", "-c", "ls > x"], env: {} }), [
    { kind: "process.spawn", argv: ["bash", "-c", "ls > x"], cwd: ".", opened: true },
    { kind: "process.spawn", argv: ["ls"], cwd: "." },
    { kind: "fs.write", path: "x", tree: false },
  ]);
  assertEquals(await needs({ argv: ["timeout", "5", "sh", "-c", "ls"], env: {} }), [
    { kind: "process.spawn", argv: ["timeout", "5", "sh", "-c", "ls"], cwd: ".", scripts: ["ls"] },
    { kind: "process.spawn", argv: ["ls"], cwd: "." },
  ]);
});

Deno.test("run_command previews and describes without starting anything", async () => {
  const memory = createMemory();
  const args = { argv: ["git", "commit", "-m", "it's"], cwd: "src", env: { A: "1" } };
  assertEquals(await call(runCommand, args, memory, { preview: true }), {
    description: "Run command: git commit -m 'it'\\''s'",
    argv: args.argv,
    cwd: "src",
    env: ["A"],
  });
  assertEquals(memory.started, []);
  const describe = (command: string) => runCommand.describe({ command, env: {} });
  assertEquals(describe("git status"), "Run command: git status");
  assertEquals(describe("echo \x1b]0;x\x07"), "Run command: echo \\x1b]0;x\\x07");
  assertEquals(describe("x".repeat(9999)).length < 400, true);
});
