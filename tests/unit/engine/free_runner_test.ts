import { assertEquals } from "@std/assert";
import type { CanonicalPath } from "../../../src/core/capability.ts";
import { isFree } from "../../../src/engine/_free_runner.ts";
import type { Job } from "../../../src/engine/runner.ts";
import type { SandboxMode } from "../../../src/policy/model.ts";
import { createRegistry } from "../../../src/tools/registry.ts";
import { grantOf, rulebookOf } from "../host/_rulebook.ts";

const ROOT = "/workspace" as CanonicalPath;

const CALL: Omit<Job, "tool" | "grant"> = {
  input: {},
  preview: false,
  stream: false,
  subject: {
    tool: "any",
    agent: "root",
    risk: "safe",
    permission: null,
    riskOfPrograms: false,
  },
};

Deno.test("a command line is run by what runs lines, also where it names nothing", async () => {
  const tool = await createRegistry().get("run_command");
  const { settings } = rulebookOf(ROOT, {});
  assertEquals(isFree({ ...CALL, tool, grant: grantOf(ROOT, {}) }, settings), false);
});

Deno.test("a call without any power runs where it is, unless the kernel is required to hold it", async () => {
  const tool = await createRegistry().get("get_timestamp");
  const read = [{ requested: "a", path: `${ROOT}/a` as CanonicalPath, tree: false }];
  const cases: readonly (readonly [SandboxMode, Job["grant"], boolean])[] = [
    ["auto", grantOf(ROOT, {}), true],
    ["off", grantOf(ROOT, {}), true],
    ["required", grantOf(ROOT, {}), false],
    ["auto", grantOf(ROOT, { read }), false],
    ["auto", grantOf(ROOT, { connect: ["example.org:443"] }), false],
  ];
  for (const [kernel, grant, expected] of cases) {
    const { settings } = rulebookOf(ROOT, { sandbox: { kernel } });
    const job = { ...CALL, tool, grant };
    assertEquals(isFree(job, settings), expected, kernel);
  }
});
