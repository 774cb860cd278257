import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { createRegistry } from "../../../../src/tools/registry.ts";
import getHelp from "../../../../src/tools/util/get_help.ts";
import { failure } from "../_failure.ts";
import { call, createMemory } from "../_memory_context.ts";

const { catalogue } = createRegistry();
const help = (args: Record<string, unknown>) => call(getHelp, args, createMemory({ catalogue }));

Deno.test("get_help explains one tool, by name or alias", async () => {
  const output = await help({ tool: "fs.read" });
  assertEquals([output.tool, output.aliases, output.category, output.risk, output.permission], [
    "read_file",
    ["fs.read"],
    "fs",
    "safe",
    "file_read",
  ]);
  const { arguments: args, answers, examples } = output as Record<
    string,
    Record<string, unknown>[]
  >;
  assertEquals(args?.[0]?.name, "path");
  assertEquals(args?.[1], {
    name: "encoding",
    type: "string",
    required: false,
    description: "utf-8, any other WHATWG label (latin1, utf-16le, shift_jis, …), or base64.",
    default: "utf-8",
  });
  assertEquals([args?.[2]?.name, args?.[2]?.type], ["start_line", "integer ≥ 1"]);
  assertEquals(answers?.[0]?.name, "content");
  assertEquals(examples?.[0], { note: "a whole file", args: { path: "README.md" } });
});

Deno.test("get_help lists all tools by category, each in a sentence", async () => {
  const { categories } = await help({}) as {
    categories: { category: string; tools: { name: string; description: string }[] }[];
  };
  assertEquals(categories.map(({ category }) => category), [
    "fs",
    "exec",
    "git",
    "web",
    "agent",
    "analysis",
    "util",
  ]);
  const tools = categories.flatMap((category) => category.tools);
  assertEquals(tools.map(({ name }) => name).sort(), [...createRegistry().names].sort());
  for (const { description } of tools) assert(/^[A-Z].*\.$/.test(description), description);
});

Deno.test("get_help finds tools by words", async () => {
  const { found } = await help({ search: "read lines" }) as { found: { name: string }[] };
  assertEquals(found[0]?.name, "read_file");
  assertEquals(await help({ search: "zzz" }), { found: [] });
});

Deno.test("get_help names the nearest tools for one that is not there", async () => {
  const error = await failure(() => help({ tool: "raed_file" }));
  assertEquals(error.code, "UNKNOWN_TOOL");
  assertStringIncludes(error.message, 'Did you mean "read_file"');
  const both = await failure(() => help({ tool: "read_file", search: "x" }));
  assertEquals(both.code, "INVALID_ARGUMENTS");
});

Deno.test("get_help describes itself", () => {
  assertEquals(getHelp.describe({}), "Get help");
  assertEquals(getHelp.describe({ tool: "a\n" }), "Get help: a\\n");
  assertEquals(getHelp.describe({ search: "b" }), "Get help on: b");
});
