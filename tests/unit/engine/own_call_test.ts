import { assertEquals, assertRejects } from "@std/assert";
import { ToolError } from "../../../src/core/errors.ts";
import { runOwn, startOwn } from "../../../src/engine/own_call.ts";
import { pathRule } from "../policy/_fixtures.ts";
import { openEngine } from "./_stand_ins.ts";

Deno.test("calls of one's own ask nobody for leave, and see no more than the policy lets be seen", async () => {
  const root = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "toolgate-test-" }));
  try {
    Deno.writeTextFileSync(`${root}/a.txt`, "a\n");
    const engine = openEngine(root, {
      paths: [pathRule("ask", ["**"])],
      agents: { root: { permissions: [] } },
    });
    const read = await runOwn(engine, "root", "read_file", { path: "a.txt" }) as {
      readonly content: string;
    };
    assertEquals(read.content, "a\n");
    await assertRejects(
      () => runOwn(engine, "root", "read_file", { path: "b.txt" }),
      ToolError,
      "b.txt",
    );
    await assertRejects(() => runOwn(engine, "root", "read_file", { paht: "a.txt" }), Error);
    const changed = await startOwn(engine, "root", "read_file", { path: "a.txt" }, {
      granted: (grant) => ({ ...grant, read: [] }),
    });
    assertEquals(changed.error === null, false);
    await engine.runner.close();
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
});
