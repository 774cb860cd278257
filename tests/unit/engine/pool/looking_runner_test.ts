import { assertEquals } from "@std/assert";
import { jsonText } from "../../../../src/core/result.ts";
import type { Tool } from "../../../../src/core/tool.ts";
import { LookingRunner } from "../../../../src/engine/pool/looking_runner.ts";
import type { Job } from "../../../../src/engine/runner.ts";
import { NO_FILES, NO_SYNTAX } from "../../../../src/engine/_no_files.ts";
import { canonical } from "../../policy/_fixtures.ts";
import { grantOf, rulebookOf } from "../../host/_rulebook.ts";
import { registryOf, toolOf } from "../_stand_ins.ts";

const workspace = canonical("/w");
const read = [{ requested: "a", path: canonical("/w/a"), tree: false }];

function runnerOf(tool: Tool) {
  const runner = new LookingRunner({
    rulebook: rulebookOf(workspace, {}),
    registry: registryOf(tool),
    parts: { files: NO_FILES, syntax: NO_SYNTAX },
    held: { layers: ["policy", "landlock"] },
  });
  const run = (parts: Partial<Job> = {}) =>
    runner.run({
      tool,
      input: {},
      grant: grantOf(workspace, { read }),
      preview: false,
      stream: false,
      subject: {
        tool: tool.name,
        agent: "root",
        risk: "safe",
        permission: null,
        riskOfPrograms: false,
      },
      ...parts,
    });
  return { runner, run };
}

Deno.test("a look runs here, with what it counts and what holds it", async () => {
  const tool = toolOf({
    run: (_, { count, limits }) => {
      count("bytes_read", 3);
      count("bytes_read", 4);
      return { most: limits.read > 0 };
    },
  });
  const { runner, run } = runnerOf(tool);
  const { output, error, usage } = await run().outcome;
  assertEquals([jsonText(output), error], ['{"most":true}', null]);
  assertEquals(usage, { bytes_read: 7, layers: ["policy", "landlock"] });
  assertEquals([runner.hasRun(), runner.hasRun()], [true, false]);
  await runner.close();
});

Deno.test("what is granted more, followed, previewed or was asked for does not run here", async () => {
  let ran = 0;
  const tool = toolOf({ run: () => ran++ });
  const { runner, run } = runnerOf(tool);
  const write = [{ requested: "a", path: canonical("/w/a"), tree: false }];
  const cases: readonly Partial<Job>[] = [
    { grant: grantOf(workspace, { write }) },
    { grant: grantOf(workspace, { read, connect: ["a.example:443"] }) },
    { tool: toolOf({ long: true }) },
    { tool: toolOf({ riskOfPrograms: true }) },
    { preview: true },
    { stream: true },
    { agreed: [{ path: canonical("/w/a") } as never] },
  ];
  for (const parts of cases) {
    const { error } = await run(parts).outcome;
    assertEquals([error?.code, runner.hasRun()], ["INTERNAL_ERROR", false]);
  }
  assertEquals(ran, 0);
});

Deno.test("what a tool throws is its failure, and a call that is cancelled ends at its next look up", async () => {
  const failing = toolOf({
    run: () => {
      throw new Deno.errors.PermissionDenied("no");
    },
  });
  assertEquals((await runnerOf(failing).run().outcome).error?.code, "NATIVE_DENIED");
  const begun = Promise.withResolvers<void>();
  const slow = toolOf({
    run: async (_, { checkpoint }) => {
      await begun.promise;
      checkpoint();
      return {};
    },
  });
  const running = runnerOf(slow).run();
  running.cancel();
  begun.resolve();
  assertEquals((await running.outcome).error?.code, "CANCELLED");
});
