import { assert, assertEquals, assertThrows } from "@std/assert";
import { ToolError } from "../../../src/core/errors.ts";
import { createPluginRegistry, manifestOf } from "../../../src/engine/plugin_registry.ts";
import { createRegistry } from "../../../src/tools/registry.ts";
import { manifest } from "../plugins/_manifests.ts";

const fixed = manifest({ name: "fixed" });
const create = () => createPluginRegistry(createRegistry(), [fixed]);

const refusal = (act: () => unknown) => assertThrows(act, ToolError).code;

Deno.test("custom tools are found by name and alias, beside the built-in ones", async () => {
  const { registry, manifests } = create();
  assertEquals(manifests, [fixed]);
  for (const name of ["fixed", "custom.fixed"]) {
    assertEquals(registry.canonicalName(name), "fixed");
    const tool = await registry.get(name);
    assertEquals([tool.name, manifestOf(tool)], ["fixed", fixed]);
  }
  assertEquals(manifestOf(await registry.get("read_file")), null);
  assertEquals(registry.names.at(-1), "fixed");
  assertEquals(
    (await registry.list()).filter(({ category }) => category === "custom").map(({ name }) => name),
    ["fixed"],
  );
  assertEquals((await registry.search("wraps a command"))[0]?.name, "fixed");
  assertEquals(registry.nearest("fixd"), ["fixed"]);
});

Deno.test("tools come, change and go; the registry answers by those that are there", async () => {
  const plugins = create();
  const { registry } = plugins;
  const first = manifest({ name: "added", description: "First." });
  const second = manifest({ name: "added", description: "Second." });
  assertEquals(plugins.register(first), { replaced: false });
  assertEquals(plugins.version, 1);
  const judged = await registry.get("added");
  assertEquals(plugins.register(second), { replaced: true });
  assertEquals((await registry.get("custom.added")).description, "Second.");
  // A call that was judged by the first still has it.
  assertEquals(manifestOf(judged)?.description, "First.");
  assertEquals(plugins.manifests, [fixed, second]);
  assertEquals((await registry.catalogue.all()).at(-1)?.description, "Second.");
  assertEquals(plugins.unregister("custom.added"), { tool: "added" });
  assertEquals([registry.canonicalName("added"), plugins.version], [null, 3]);
  assertEquals(await registry.catalogue.describe("added"), null);
});

Deno.test("no tool takes a name that is taken, and a pipe changes only its own", () => {
  const plugins = create();
  for (const name of ["read_file", "grep", "metadata", "timestamp", "fixed"]) {
    assertEquals(refusal(() => plugins.register(manifest({ name }))), "INVALID_REQUEST", name);
  }
  assertEquals(refusal(() => plugins.unregister("fixed")), "INVALID_REQUEST");
  assertEquals(refusal(() => plugins.unregister("read_file")), "INVALID_REQUEST");
  assertEquals(refusal(() => plugins.unregister("none")), "UNKNOWN_TOOL");
  assertEquals([plugins.version, plugins.manifests], [0, [fixed]]);
  assertThrows(() => createPluginRegistry(createRegistry(), [manifest({ name: "read_file" })]));
});

Deno.test("there are only so many", () => {
  const plugins = create();
  for (let i = 0; i < 100; i++) plugins.register(manifest({ name: `t${i}` }));
  assertEquals(refusal(() => plugins.register(manifest({ name: "more" }))), "RESOURCE_LIMIT");
  assertEquals(plugins.register(manifest({ name: "t5" })), { replaced: true });
  plugins.unregister("t5");
  assert(!plugins.register(manifest({ name: "more" })).replaced);
});
