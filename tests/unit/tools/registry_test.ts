import {
  assert,
  assertEquals,
  assertRejects,
  assertStrictEquals,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { ToolError } from "../../../src/core/errors.ts";
import type { Tool } from "../../../src/core/tool.ts";
import { listedTool } from "../../../src/tools/listing.ts";
import { createRegistry, type RegistryEntry, TOOLS } from "../../../src/tools/registry.ts";

const custom: Tool = {
  name: "shout_text",
  category: "util",
  description: "Turns text into capitals.",
  risk: "moderate",
  permission: null,
  input: {
    type: "object",
    properties: { words: { type: "string", description: "What to shout." } },
  },
  output: { type: "object" },
  describe: () => "Shout",
  capabilities: () => [],
  run: () => ({}),
};

const entryOf = (tool: Tool, aliases: readonly string[] = []): RegistryEntry => ({
  name: tool.name,
  aliases,
  load: () => Promise.resolve({ default: tool }),
});

const names = (tools: readonly { readonly name: string }[]) => tools.map(({ name }) => name);

Deno.test("the registry finds tools by name and by every alias of the interface", async () => {
  const registry = createRegistry();
  const cases = [
    ["read_file", "read_file"],
    ["fs.read", "read_file"],
    ["fs.write", "write_file"],
    ["fs.list", "list_directory"],
    ["metadata", "get_file_info"],
    ["grep", "search_files"],
    ["run_shell_command", "run_command"],
    ["shell.run", "run_command"],
    ["custom.timestamp", "get_timestamp"],
    ["get_help", "get_help"],
  ] as const;
  for (const [asked, name] of cases) {
    assertEquals(registry.canonicalName(asked), name);
    assertEquals((await registry.get(asked)).name, name);
  }
  for (const asked of ["", "toString", "__proto__", "READ_FILE"]) {
    assertEquals(registry.canonicalName(asked), null, asked);
    assertEquals(registry.aliasesOf(asked), []);
  }
});

Deno.test("a tool's module is loaded when it is asked for, and no other is", async () => {
  const loaded: string[] = [];
  const registry = createRegistry(TOOLS.map((entry) => ({
    ...entry,
    load: () => {
      loaded.push(entry.name);
      return entry.load();
    },
  })));
  assertEquals(registry.canonicalName("grep"), "search_files");
  assertEquals(registry.nearest("grepp"), ["search_files"]);
  assertEquals(loaded, []);
  const first = await registry.get("fs.read");
  assertEquals(loaded, ["read_file"]);
  // Once it is there it is given at once.
  assertStrictEquals(registry.get("read_file"), first);
  assertEquals(loaded, ["read_file"]);
});

Deno.test("an unknown tool is answered with the nearest names", () => {
  const registry = createRegistry();
  const cases = [
    ["raed_file", ["read_file"]],
    ["read", ["read_file"]],
    ["fs.raed", ["read_file"]],
    ["shell_run", ["run_command"]],
    ["teleport", []],
  ] as const;
  for (const [asked, nearest] of cases) {
    assertEquals(registry.nearest(asked), nearest, asked);
    const error = assertThrows(() => registry.get(asked), ToolError);
    assertEquals([error.code, error.details], ["UNKNOWN_TOOL", { nearest }]);
  }
  assertStringIncludes(assertThrows(() => registry.get("teleport"), ToolError).message, "get_help");
  const forged = assertThrows(() => registry.get("a\x1b[2J" + "b".repeat(999)), ToolError);
  assert(!forged.message.includes("\x1b") && forged.message.length < 200);
});

Deno.test("the registry lists its tools in their order", async () => {
  const registry = createRegistry();
  assertEquals(names(await registry.list()), registry.names);
});

Deno.test("search finds tools by name, description and function, best first", async () => {
  const registry = createRegistry();
  const cases: readonly (readonly [string, string | undefined])[] = [
    ["read_file", "read_file"],
    ["Write File", "write_file"],
    ["shell", "run_command"],
    ["grep", "search_files"],
    ["regular expression", "search_files"],
    ["time utc", "get_timestamp"],
    ["octal permissions", "get_file_info"],
    ["stdin", "run_command"],
    ["code_execution", "run_command"],
    ["", undefined],
    ["zzz", undefined],
  ];
  for (const [text, first] of cases) {
    assertEquals(names(await registry.search(text))[0], first, text);
  }
});

Deno.test("extend answers with another registry", async () => {
  const registry = createRegistry();
  const more = registry.extend([entryOf(custom, ["text.shout"])]);
  assertStrictEquals(await more.get("text.shout"), custom);
  assertEquals(names(await more.search("capitals"))[0], "shout_text");
  assertEquals(more.names, [...registry.names, "shout_text"]);
  assertEquals(registry.canonicalName("shout_text"), null);
});

Deno.test("no two tools can share a name", () => {
  const registry = createRegistry();
  const cases: readonly (readonly [Tool, readonly string[], string])[] = [
    [{ ...custom, name: "read_file" }, [], "read_file"],
    [{ ...custom, name: "fs.read" }, [], "fs.read"],
    [custom, ["grep"], "grep"],
    [custom, ["shout_text"], "shout_text"],
  ];
  for (const [tool, aliases, taken] of cases) {
    assertThrows(() => registry.extend([entryOf(tool, aliases)]), TypeError, taken);
  }
});

Deno.test("loadAll loads every tool and what it would load later", async () => {
  let prepared = 0;
  const prepare = () => Promise.resolve(prepared++);
  const registry = createRegistry().extend([entryOf({ ...custom, prepare })]);
  await registry.loadAll();
  assertEquals(prepared, 1);
  for (const name of registry.names) assert(!(registry.get(name) instanceof Promise), name);
});

Deno.test("the catalogue shows what tools say of themselves, and nothing that runs", async () => {
  const { catalogue } = createRegistry();
  const shown = await catalogue.describe("fs.read");
  assertEquals([shown?.name, shown?.aliases], ["read_file", ["fs.read"]]);
  assertEquals(shown?.input.additionalProperties, false);
  assert(shown !== null && !("run" in shown));
  assertEquals(await catalogue.describe("nothing"), null);
  assertEquals((await catalogue.all()).length, TOOLS.length);
});

Deno.test("what is carried as data is listed, searched and shown without a tool loaded, the same to the letter", async () => {
  const plain = createRegistry();
  const data = JSON.stringify(await plain.listed());
  const unloadable = TOOLS.map((entry) => ({
    ...entry,
    load: () => Promise.reject(new Error(`${entry.name} is loaded`)),
  }));
  const carrying = createRegistry(
    unloadable,
    () => Promise.resolve({ default: JSON.parse(data) }),
  );
  assertEquals(JSON.stringify(await carrying.listed()), data);
  assertEquals(await carrying.catalogue.all(), await plain.catalogue.all());
  for (const text of ["grep", "octal permissions", "code_execution", "zzz"]) {
    assertEquals(await carrying.catalogue.search(text), await plain.catalogue.search(text), text);
  }
  // What came later is asked itself.
  const more = carrying.extend([entryOf(custom, ["text.shout"])]);
  assertEquals((await more.listed()).at(-1), listedTool(custom, ["text.shout"]));
  assertEquals(names(await more.search("capitals"))[0], "shout_text");
  await assertRejects(() => Promise.resolve(carrying.get("grep")), Error, "search_files is loaded");
});
