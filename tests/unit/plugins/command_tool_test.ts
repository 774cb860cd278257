import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { Ajv } from "ajv";
import { ToolError } from "../../../src/core/errors.ts";
import { toStandardSchema } from "../../../src/core/schema.ts";
import { Random } from "../../random.ts";
import { failure } from "../tools/_failure.ts";
import { call, createMemory } from "../tools/_memory_context.ts";
import { pluginTool, required } from "./_manifests.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const text = { type: "string" };
const list = { type: "array", items: text };

/** What a call of the tool with these keys starts. */
async function started(
  keys: Readonly<Record<string, unknown>>,
  args: Readonly<Record<string, unknown>>,
) {
  const memory = createMemory();
  await call(pluginTool(keys), args, memory);
  assertEquals(memory.started.length, 1);
  return memory.started[0]!;
}

Deno.test("a placeholder is the text of one argument, whatever is in it", async () => {
  const keys = {
    parameters: required({ text }),
    command: ["prog", "a{text}b", "{{text}}", "--", "{text}"],
  };
  const hostile = [
    "",
    " ",
    "a b",
    "'\"`",
    "$(id)",
    "`id`",
    "a;b|c&d>e<f",
    "line\nline\r\n",
    "{text}",
    "{other}",
    "{{text}}",
    "$text",
    "%s%n",
    "*",
    "~",
    "-rf",
    "--",
    "\u202e\u0000x".replace("\0", ""),
    "𝒳".repeat(100),
  ];
  for (const value of hostile) {
    const [argv] = await started(keys, { text: value });
    assertEquals(argv, ["prog", `a${value}b`, "{text}", "--", value], JSON.stringify(value));
  }
});

Deno.test("a list is one word for each item, and none for none", async () => {
  const keys = {
    parameters: { properties: { list } },
    command: ["prog", "--x={list...}", "--", "{list...}"],
  };
  const cases: readonly (readonly [unknown, readonly string[]])[] = [
    [{}, ["prog", "--"]],
    [{ list: [] }, ["prog", "--"]],
    [{ list: ["a b"] }, ["prog", "--x=a b", "--", "a b"]],
    [{ list: ["a", "", "{list}"] }, [
      "prog",
      "--x=a",
      "--x=",
      "--x={list}",
      "--",
      "a",
      "",
      "{list}",
    ]],
  ];
  for (const [args, argv] of cases) {
    assertEquals((await started(keys, args as Record<string, unknown>))[0], argv);
  }
});

Deno.test("groups are there where their parameter is", async () => {
  const keys = {
    parameters: {
      properties: {
        flag: { type: "boolean" },
        mode: { enum: ["a", "b"] },
        count: { type: "integer" },
        list,
        text,
      },
    },
    command: [
      "prog",
      { when: "flag", words: ["--flag"] },
      { when: "flag", is: false, words: ["--no-flag"] },
      { when: "mode", is: "b", words: ["--mode", "{mode}"] },
      { when: "count", words: ["-n", "{count}"] },
      { when: "list", words: ["--", "{list...}"] },
      { when: "text", words: ["{text}!"] },
    ],
  };
  const cases: readonly (readonly [Record<string, unknown>, readonly string[]])[] = [
    [{}, []],
    [{ flag: true }, ["--flag"]],
    [{ flag: false }, ["--no-flag"]],
    [{ mode: "a" }, []],
    [{ mode: "b" }, ["--mode", "b"]],
    [{ count: 0 }, ["-n", "0"]],
    [{ list: [] }, []],
    [{ list: ["-x"] }, ["--", "-x"]],
    [{ text: "" }, ["!"]],
  ];
  for (const [args, words] of cases) {
    assertEquals((await started(keys, args))[0], ["prog", ...words], JSON.stringify(args));
  }
});

Deno.test("a value that would be an option is refused, unless the template says otherwise", async () => {
  const refused: readonly (readonly [unknown[], Record<string, unknown>])[] = [
    [["prog", "{text}"], { text: "-x" }],
    [["prog", "{text}"], { text: "--" }],
    [["prog", "{text}"], { text: "-" }],
    [["prog", "{text}=1"], { text: "--x" }],
    [["prog", "{text}-x"], { text: "" }],
    [["prog", "--file", "{text}"], { text: "-x" }],
    [["prog", "{list...}"], { list: ["a", "-x"] }],
    [["prog", "{list...}x"], { list: ["-"] }],
    [["prog", "{text}", "--"], { text: "-x" }],
    [["prog", "{count}"], { count: -1 }],
    [["prog", "--{text}", "{list...}"], { text: "", list: ["-x"] }],
    [["prog", { when: "flag", words: ["--"] }, "{text}"], { text: "-x" }],
  ];
  const parameters = {
    properties: {
      text: { ...text, default: "a" },
      list: { ...list, default: [] },
      count: { type: "integer", default: 1 },
      flag: { type: "boolean" },
    },
  };
  for (const [command, args] of refused) {
    const memory = createMemory();
    const error = await failure(() => call(pluginTool({ parameters, command }), args, memory));
    assertEquals(error.code, "INVALID_ARGUMENTS", JSON.stringify(command));
    assertStringIncludes(error.message, 'begins with "-" where it would be taken for an option');
    assertEquals(memory.started, []);
  }
  const taken: readonly (readonly [unknown[], Record<string, unknown>, readonly string[]])[] = [
    [["prog", "{-text}"], { text: "-x" }, ["prog", "-x"]],
    [["prog", "{-list...}"], { list: ["-x"] }, ["prog", "-x"]],
    [["prog", "--", "{text}"], { text: "--x" }, ["prog", "--", "--x"]],
    [["prog", "--x={text}"], { text: "-x" }, ["prog", "--x=-x"]],
    [["prog", { when: "flag", words: ["--"] }, "{text}"], { flag: true, text: "-x" }, [
      "prog",
      "--",
      "-x",
    ]],
  ];
  for (const [command, args, argv] of taken) {
    assertEquals((await started({ parameters, command }, args))[0], argv);
  }
});

Deno.test("what no program can be given is refused before anything starts", async () => {
  const keys = { parameters: required({ text }), command: ["prog", "x{text}"] };
  for (const value of ["a\0b", "\ud800"]) {
    const memory = createMemory();
    const error = await failure(() => call(pluginTool(keys), { text: value }, memory));
    assertEquals(error.code, "INVALID_ARGUMENTS");
    assertStringIncludes(error.message, "wrap: text: holds ");
    assertEquals(memory.started, []);
  }
});

Deno.test("a template cannot make more of its values than a machine can hold", async () => {
  const big = "x".repeat(100_000);
  const cases: readonly (readonly [Record<string, unknown>, Record<string, unknown>, string])[] = [
    [
      { command: ["prog", "{text}{text}"] },
      { text: big },
      "text: makes a word of more than 131071 bytes",
    ],
    [{ command: ["prog", "{text}".repeat(10_000)] }, { text: big }, "text: makes a word"],
    [{ command: ["prog"], cwd: "{text}".repeat(10_000) }, { text: big }, "text: makes a word"],
    [
      { command: ["prog", ...Array(200).fill("a{list...}")] },
      { list: Array(100_000).fill("x") },
      "more than 10000 words",
    ],
  ];
  const parameters = {
    properties: { text: { ...text, default: "" }, list },
  };
  for (const [keys, args, message] of cases) {
    const memory = createMemory();
    const error = await failure(() => call(pluginTool({ parameters, ...keys }), args, memory));
    assertEquals([error.code, memory.started], ["INVALID_ARGUMENTS", []]);
    assertStringIncludes(error.message, message);
  }
});

Deno.test("words are made of values once: random templates and values", async () => {
  const random = new Random(72);
  const parts = ["{a}", "{b}", "{{", "}}", "x", " ", "-", "$", "'"];
  const values = ["", "{a}", "{b}", "{{a}}", "x y", "-", "--b", "\n", "}", "{"];
  for (let round = 0; round < 300; round++) {
    const word = Array.from({ length: random.below(5) }, () => random.pick(parts)).join("");
    const args = { a: random.pick(values), b: random.pick(values) };
    const expected = word.replaceAll(
      /\{\{|\}\}|\{a\}|\{b\}/g,
      (found) => found === "{{" ? "{" : found === "}}" ? "}" : args[found[1] as "a" | "b"],
    );
    const keys = { parameters: required({ a: text, b: text }), command: ["prog", "--", word] };
    assertEquals((await started(keys, args))[0], ["prog", "--", expected], word);
  }
});

Deno.test("directory, input and time are those of the manifest", async () => {
  const parameters = required({ text, list });
  const args = { text: "a/b", list: ["x"] };
  const cases: readonly (readonly [Record<string, unknown>, Record<string, unknown>])[] = [
    [{}, {}],
    [{ cwd: "sub/{text}" }, { cwd: "sub/a/b" }],
    [{ stdin: "{text}" }, { stdin: bytes("a/b") }],
    [{ stdin: "{list}" }, { stdin: bytes('["x"]') }],
    [{ stdin: "{*}" }, { stdin: bytes('{"text":"a/b","list":["x"]}') }],
    [{ timeout: "5ms" }, { timeoutMs: 5 }],
    // The policy's time is the most there is.
    [{ timeout: "1h" }, { timeoutMs: 30_000 }],
  ];
  for (const [keys, options] of cases) {
    const [, given] = await started({ parameters, ...keys }, args);
    assertEquals(given, { cwd: ".", env: {}, stdin: null, timeoutMs: 30_000, ...options });
  }
});

Deno.test("a call needs what run_command would need for these words, and the variables", async () => {
  const tool = pluginTool({
    parameters: required({ text }),
    command: ["prog", "{text}"],
    cwd: "sub",
    env: ["LANG"],
  });
  assertEquals(await tool.capabilities({ text: "x y" }, { cwd: "." }), [
    { kind: "process.spawn", argv: ["prog", "x y"], cwd: "sub" },
    { kind: "env.read", name: "LANG" },
  ]);
  assertEquals([tool.riskOfPrograms, tool.leastRisk, tool.permission], [
    true,
    "safe",
    "code_execution",
  ]);
});

Deno.test("the output has the form that the manifest promises", async () => {
  const schema = { type: "array", items: { type: "integer" } };
  const cases: readonly (readonly [unknown, string, Record<string, unknown>])[] = [
    ["text", "a\nb\n", { text: "a\nb\n" }],
    ["text", "", { text: "" }],
    ["lines", "a\r\nb\n\nc", { lines: ["a", "b", "", "c"] }],
    ["lines", "", { lines: [] }],
    ["lines", "\n", { lines: [""] }],
    ["json", ' {"a": [1]} \n', { value: { a: [1] } }],
    ["json", "null", { value: null }],
    [{ format: "json", schema }, "[1, 2]", { value: [1, 2] }],
  ];
  for (const [output, stdout, expected] of cases) {
    const tool = pluginTool({ output });
    const answer = await call(
      tool,
      {},
      createMemory({ outcome: { stdout: bytes(stdout), stderr: bytes("w") } }),
    );
    assertEquals(answer, { ...expected, stderr: "w", exit_code: 0, truncated: false });
    const validate = new Ajv({ strict: true, allowUnionTypes: false }).compile(
      toStandardSchema(tool.output),
    );
    assert(validate(answer), JSON.stringify(validate.errors));
  }
});

Deno.test("what is no such output is an error, with what was written", async () => {
  const schema = { type: "object", properties: { a: { type: "integer" } }, required: ["a"] };
  const cases: readonly (readonly [string, Record<string, unknown>, string, string])[] = [
    ["", {}, "EXECUTION_ERROR", "wrote nothing"],
    ["{", {}, "EXECUTION_ERROR", "wrote something else"],
    ["{} {}", {}, "EXECUTION_ERROR", "wrote something else"],
    ["\x1b[31m{}", {}, "EXECUTION_ERROR", "wrote something else"],
    ['{"a": "x"}', {}, "EXECUTION_ERROR", "value.a: expected an integer"],
    ['{"a": 1, "b": 2}', {}, "EXECUTION_ERROR", "value.b: unknown argument"],
    ["[".repeat(100) + "]".repeat(100), {}, "EXECUTION_ERROR", "nested deeper"],
    ['{"a": 1', { dropped: { stdout: 5, stderr: 0 } }, "RESOURCE_LIMIT", "limits.output"],
  ];
  for (const [stdout, outcome, code, message] of cases) {
    const memory = createMemory({ outcome: { stdout: bytes(stdout), ...outcome } });
    const error = await failure(() =>
      call(pluginTool({ output: { format: "json", schema } }), {}, memory)
    );
    assertEquals([error.code, error.message.startsWith("wrap: ")], [code, true], stdout);
    assertStringIncludes(error.message, message);
    assertEquals((error.output as { stdout: string }).stdout, stdout);
  }
});

Deno.test("exit statuses are success where the manifest says so", async () => {
  const run = (success: readonly number[], outcome: Record<string, unknown>) =>
    call(
      pluginTool({ success }),
      {},
      createMemory({ outcome: { stdout: bytes("out"), ...outcome } }),
    );
  assertEquals((await run([0, 1], { exitCode: 1 }))["exit_code"], 1);
  assertEquals((await run([0, 1], { exitCode: 0 }))["text"], "out");
  const failures: readonly (readonly [readonly number[], Record<string, unknown>, string])[] = [
    [[0], { exitCode: 1 }, "COMMAND_FAILED"],
    [[1], { exitCode: 0 }, "COMMAND_FAILED"],
    [[0, 1], { exitCode: 2 }, "COMMAND_FAILED"],
    [[0, 1], { exitCode: null, signal: "SIGKILL" }, "COMMAND_FAILED"],
    [[0, 1], { exitCode: 1, timedOut: true }, "TIMEOUT"],
    [[0, 1], { exitCode: 1, cancelled: true }, "CANCELLED"],
  ];
  for (const [success, outcome, code] of failures) {
    const error = await failure(() => run(success, outcome));
    assertEquals(error.code, code, JSON.stringify(outcome));
    assertEquals((error.output as { stdout: string }).stdout, "out");
    assert(!error.message.includes("run_command"), error.message);
  }
});

Deno.test("a pending call is described by its command, on one bounded line", async () => {
  const tool = pluginTool({ parameters: required({ text }), command: ["prog", "x{text}"] });
  assertEquals(tool.describe({ text: "a b" }), "Custom tool wrap. Run command: prog 'xa b'");
  const hostile = tool.describe({ text: `\x1b[2J\n\u202e${"x".repeat(10_000)}` });
  assert(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]{1,500}$/u.test(hostile), hostile);
  const memory = createMemory();
  const preview = await call(tool, { text: "a" }, memory, { preview: true });
  assertEquals([preview["argv"], preview["description"], memory.started], [
    ["prog", "xa"],
    "Custom tool wrap. Run command: prog xa",
    [],
  ]);
});

Deno.test("a template that lost its parameter to another schema fails closed", async () => {
  // The arguments of a tool that was replaced between judging and running.
  const tool = pluginTool({
    parameters: required({ text, list }),
    command: ["prog", "{text}", "{list...}"],
  });
  for (const args of [{}, { text: ["-x"] }, { list: "-x" }, { text: null, list: null }]) {
    try {
      const needs = await tool.capabilities(args, { cwd: "." });
      assertEquals(needs.length, 1);
    } catch (error) {
      assert(error instanceof ToolError && error.code === "INVALID_ARGUMENTS", String(error));
    }
  }
});
