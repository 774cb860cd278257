import { assert, assertEquals } from "@std/assert";
import { openTrial } from "../../../../src/engine/pool/trial.ts";
import { SENTINEL, Workspace } from "../../../binary/toolgate.ts";
import { canonical, pathRule, program } from "../../policy/_fixtures.ts";
import { ABI } from "../../sandbox/_libc.ts";
import { openEngine } from "../_stand_ins.ts";

/** The C library is opened once a process and never closed. */
const KERNEL = { sanitizeResources: false, ignore: ABI === 0 };

// With the runtime's set alone a thread cannot load from source what it runs: that layer is tried in tests/binary.
Deno.test("kernel: a thread does what it may inside, and is refused outside", KERNEL, async () => {
  await using workspace = new Workspace({ "a.txt": "inside\n" });
  const engine = openEngine(workspace.root, { paths: [pathRule("allow", ["**"])] });
  const trial = openTrial(engine, {
    policies: engine.policies,
    layer: "kernel",
    inside: canonical(workspace.root),
    programs: [],
  });
  try {
    const inside = canonical(workspace.path("a.txt"));
    assertEquals((await trial.read(inside)).error, null);
    assertEquals((await trial.write(canonical(workspace.path("b.txt")))).error, null);
    assertEquals(workspace.read("b.txt"), "doctor");
    const outside = canonical(`${workspace.outside}/sentinel.txt`);
    for (const attempt of [trial.read, trial.write]) {
      const { error, output } = await attempt(outside);
      assert(error !== null, "it was let through");
      assert(!output.includes(SENTINEL.trim()));
    }
    workspace.assertOutsideUntouched();
  } finally {
    await trial.close();
    await engine.runner.close();
  }
});

Deno.test(
  "a thread that starts programs starts those it may, and shows what they print",
  KERNEL,
  async () => {
    await using workspace = new Workspace({ "a.txt": "inside\n" });
    const engine = openEngine(workspace.root, {});
    const cat = program("cat");
    const trial = openTrial(engine, {
      policies: engine.policies,
      layer: "kernel",
      inside: canonical(workspace.root),
      programs: [cat],
    });
    try {
      const shown = await trial.start(cat, ["cat", "a.txt"]);
      assertEquals([shown.error, shown.output], [null, "inside\n"]);
      const closed = await trial.start(cat, ["cat", `${workspace.outside}/sentinel.txt`]);
      assert(closed.error !== null && !closed.output.includes(SENTINEL.trim()), closed.output);
    } finally {
      await trial.close();
      await engine.runner.close();
    }
  },
);
