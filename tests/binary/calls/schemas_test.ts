/** Exported tool definitions and the reference, as the binary prints them. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { hasProgram } from "../../../scripts/_debian.ts";
import { REFERENCE_TARGETS } from "../../../src/cli/reference/targets.ts";
import { SCHEMA_TARGETS } from "../../../src/cli/tools/schema_export/targets.ts";
import {
  anthropicProblems,
  geminiProblems,
  isJsonSchema,
  openAiProblems,
  openAiResponsesProblems,
} from "../../unit/cli/tools/_api_rules.ts";
import { call, Pipe, start, Workspace } from "../toolgate.ts";

const POLICY = `version: 1
paths: [{ allow: [read], match: ["**"] }]
risk: { allow: moderate, ask: moderate }
tools: { get_help: { enabled: false } }
agents:
  root: { permissions: [all] }
  reader: { permissions: [file_read] }
`;

// deno-lint-ignore no-explicit-any
type Loose = any;

async function schemas(args: readonly string[]): Promise<Loose> {
  const { status, stdout, stderr } = await start(["tools", "schema", ...args, "--quiet"]);
  assertEquals([status, stderr], [0, ""], args.join(" "));
  return JSON.parse(stdout);
}

Deno.test("each export is one line of JSON that its API takes", async () => {
  const oracles: Readonly<Record<string, (value: unknown) => readonly string[]>> = {
    openai: openAiProblems,
    "openai-responses": openAiResponsesProblems,
    anthropic: anthropicProblems,
    gemini: geminiProblems,
    jsonschema: (value) => isJsonSchema(value, "document"),
  };
  for (const [target, problems] of Object.entries(oracles)) {
    assertEquals(problems(await schemas(["--for", target])), [], target);
  }
  for (const { name } of SCHEMA_TARGETS.filter(({ strict }) => strict)) {
    assertEquals(oracles[name]?.(await schemas(["--for", name, "--strict"])), [], name);
  }
  const { stdout } = await start(["tools", "schema", "--for", "openai", "--quiet"]);
  assertEquals(stdout.trimEnd().split("\n").length, 1);
});

Deno.test("what is exported for MCP is what the MCP server lists", async () => {
  await using workspace = new Workspace();
  const pipe = new Pipe([], { cwd: workspace.root, words: ["mcp"] });
  await pipe.send(
    {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: {
        protocolVersion: "2025-11-25",
        capabilities: {},
        clientInfo: { name: "t", version: "1" },
      },
    },
    { jsonrpc: "2.0", method: "notifications/initialized" },
    {
      jsonrpc: "2.0",
      id: 2,
      method: "tools/list",
    },
  );
  await pipe.next();
  const listed: Loose = await pipe.next();
  await pipe.close();
  assertEquals(await schemas(["--for", "mcp"]), listed.result.tools);
});

Deno.test("only what the policy can allow the agent is exported", async () => {
  await using workspace = new Workspace();
  const policy = workspace.policy(POLICY);
  const names = async (agent: string) =>
    (await schemas(["--for", "anthropic", "--policy", policy, "--agent", agent]))
      .map(({ name }: Loose) => name);
  const all = await names("root");
  assert(all.includes("read_file") && !all.includes("get_help"), all.join());
  const few = await names("reader");
  assert(few.includes("read_file") && !few.includes("write_file"), few.join());
  assertEquals(all.filter((name: string) => few.includes(name)), few, "the order is the same");
  assertEquals(await names("nobody"), []);
});

Deno.test("what a model in strict mode sends is a call like any other: null is left out", async () => {
  await using workspace = new Workspace({ "a.txt": "one\ntwo\n" });
  const tools: Loose[] = await schemas(["--for", "openai", "--strict"]);
  const { parameters } = tools.find((tool) => tool.function.name === "read_file").function;
  const args = Object.fromEntries(parameters.required.map((name: string) => [name, null]));
  const options = { cwd: workspace.root };
  const sent = JSON.stringify({ ...args, path: "a.txt" });
  const { answer } = await call(["read_file", "--json", sent], options);
  assertEquals([answer.success, answer.output.content], [true, "one\ntwo\n"]);
  const wrong = await call(["read_file", "--json", JSON.stringify(args)], options);
  assertEquals([wrong.status, wrong.answer.error?.code], [2, "INVALID_ARGUMENTS"]);
});

Deno.test("what cannot be said is told of on standard error; what cannot be asked is refused with what can", async () => {
  const told = await start(["tools", "schema", "--for", "openai", "--strict"]);
  assertEquals(told.status, 0);
  assertStringIncludes(told.stderr, "run_command: env");
  const cases: readonly (readonly [readonly string[], string])[] = [
    [["tools", "schema"], "--for openai|"],
    [["tools", "schema", "--for", "antropic"], 'Did you mean "anthropic"?'],
    [["tools", "schema", "--for", "gemini", "--strict"], "openai and openai-responses"],
    [["tools", "docs", "--for", "openai"], "markdown, man"],
    [["tools", "docs", "--strict"], "tools schema"],
    [["tools", "serch", "x"], 'Did you mean "search"?'],
    [["tools", "show", "raed_file"], 'Did you mean "read_file"?'],
    [["serve", "--strict"], "a flag of policy and tools"],
  ];
  for (const [args, words] of cases) {
    const { status, stdout, stderr } = await start(args);
    assertEquals([status, stdout], [2, ""], args.join(" "));
    assertStringIncludes(stderr, words);
  }
});

Deno.test("the reference tells of every tool, whatever the policy", async () => {
  await using workspace = new Workspace();
  const policy = workspace.policy(POLICY);
  const tools: Loose[] = await schemas(["--for", "mcp"]);
  for (const { name } of REFERENCE_TARGETS) {
    const { status, stdout } = await start(["tools", "docs", "--for", name, "--policy", policy]);
    assertEquals(status, 0);
    for (const tool of tools) assertStringIncludes(stdout, tool.name);
  }
  const { stdout } = await start(["tools", "docs"]);
  assert(stdout.startsWith("# "));
});

Deno.test({
  name: "groff formats the manual page and has nothing to say about it",
  ignore: !hasProgram("groff"),
  async fn() {
    await using workspace = new Workspace();
    const { stdout } = await start(["tools", "docs", "--for", "man"]);
    const page = workspace.policy(stdout, "toolgate.1");
    // Whether or not it is told, or guesses, what the page is encoded in.
    for (const encoding of [["-Kutf8"], []]) {
      const formatted = await new Deno.Command("groff", {
        args: ["-man", "-ww", "-Tutf8", ...encoding, "-P-cbou", page],
        env: { LANG: "C.UTF-8" },
      }).output();
      assertEquals(new TextDecoder().decode(formatted.stderr), "");
      const text = new TextDecoder().decode(formatted.stdout);
      for (const words of ["NAME", "EXIT STATUS", "read_file", "--policy", "PATH_DENIED", "≥"]) {
        assertStringIncludes(text, words);
      }
    }
  },
});
