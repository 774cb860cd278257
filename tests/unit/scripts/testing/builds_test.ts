import { assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { buildOnce } from "../../../../scripts/testing/builds.ts";
import { Workspace } from "../../../binary/toolgate.ts";

const SOURCES = {
  "deno.json": "{}",
  "deno.lock": "{}",
  "main.ts": "1",
  "policy/default.yaml": "version: 1",
  "scripts/build.ts": "2",
  "src/core/a.ts": "3",
  "tests/probe/main.ts": "4",
};

/** Builds that count themselves. */
function builder(workspace: Workspace) {
  const output = join(workspace.root, "dist", "binary");
  let builds = 0;
  return {
    output,
    build: (from = "options") =>
      buildOnce(workspace.root, output, from, async () => {
        await Promise.resolve();
        Deno.writeTextFileSync(output, `binary ${++builds}`);
      }),
  };
}

Deno.test("what is up to date is not built again; any other source, name, option or binary is", async () => {
  await using workspace = new Workspace(SOURCES);
  const { build, output } = builder(workspace);
  assertEquals([await build(), await build()], [true, false]);
  const changes: readonly (() => void)[] = [
    () => workspace.write("src/core/a.ts", "33"),
    () => workspace.write("src/core/b.ts", ""),
    () => Deno.removeSync(workspace.path("src/core/b.ts")),
    () => Deno.renameSync(workspace.path("policy/default.yaml"), workspace.path("policy/x.yaml")),
    () => workspace.write("deno.lock", '{ "version": "5" }'),
    () => Deno.writeTextFileSync(output, "somebody else's"),
    () => Deno.removeSync(output),
  ];
  for (const change of changes) {
    change();
    assertEquals([await build(), await build()], [true, false], change.toString());
  }
  assertEquals([await build("others"), await build("others")], [true, false]);
  workspace.write("tests/unit/a_test.ts", "no source of a binary");
  assertEquals(await build("others"), false);
});

Deno.test("of several that want it at once one builds; a build that fails is tried again", async () => {
  await using workspace = new Workspace(SOURCES);
  const { build, output } = builder(workspace);
  const failing = () => Promise.reject(new Error("no memory"));
  await assertRejects(() => buildOnce(workspace.root, output, "options", failing), Error, "memory");
  const built = await Promise.all([build(), build(), build()]);
  assertEquals(built.toSorted(), [false, false, true]);
});
