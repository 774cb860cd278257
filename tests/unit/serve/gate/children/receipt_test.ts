import { assertEquals } from "@std/assert";
import type { ResolvedCapability } from "../../../../../src/core/capability.ts";
import type { CallRequest } from "../../../../../src/core/request.ts";
import { JSON_NULL, type Result, toJsonText } from "../../../../../src/core/result.ts";
import { NO_RECORDER } from "../../../../../src/engine/_no_recorder.ts";
import { Receipt } from "../../../../../src/serve/gate/children/receipt.ts";
import { file, spawn, WORKSPACE } from "../../../policy/_fixtures.ts";

const REQUEST: CallRequest = {
  id: null,
  tool: "t",
  args: {},
  agent: "child-1",
  timeoutMs: null,
  preview: false,
  stream: false,
};

function after(
  receipt: Receipt,
  capabilities: readonly ResolvedCapability[],
  { success = true, output = JSON_NULL, ...request }: Partial<CallRequest & Result>,
): void {
  const record = receipt.beside(NO_RECORDER).begin({ ...REQUEST, ...request, tool: "t" });
  record.decided({ name: "t", describe: () => "" }, {}, {
    effect: "allow",
    rule: null,
    risk: "safe",
    verdicts: capabilities.map((capability) => ({
      capability,
      verdict: { effect: "allow", code: null, reason: "", rule: null },
    })),
  });
  record.ended({
    tool: "t",
    success,
    output,
    error: null,
    risk: null,
    latencyMs: 0,
    usage: {},
  });
}

Deno.test("a receipt holds what was done, not what was asked for", () => {
  const receipt = new Receipt(WORKSPACE, 0);
  after(receipt, [file("fs.read", "a")], {});
  after(receipt, [file("fs.read", "a"), file("fs.write", "b/c")], { tokens: 5 });
  after(receipt, [file("fs.write", "denied")], { success: false });
  after(receipt, [file("fs.write", "looked")], { preview: true });
  after(receipt, [file("fs.read", "src", true)], {});
  after(receipt, [file("fs.read", "/etc/passwd")], {});
  // What git looks at beside its work.
  after(receipt, [{ ...file("fs.read", ".git/HEAD"), optional: true }], {});
  after(receipt, [spawn(["seq", "3"])], { output: toJsonText({ exit_code: 0 }) });
  after(receipt, [spawn(["false"])], { success: false, output: toJsonText({ exit_code: 1 }) });
  after(receipt, [spawn(["rm"])], { success: false });
  assertEquals(receipt.report(), {
    calls: 10,
    failed: 3,
    files_read: ["a"],
    files_written: ["b/c"],
    commands: [{ command: "seq 3", exit_code: 0 }, { command: "false", exit_code: 1 }],
    tokens: 5,
    truncated: false,
  });
});

Deno.test("a receipt is bounded, and says so", () => {
  const receipt = new Receipt(WORKSPACE, 0);
  for (let at = 0; at < 1001; at++) after(receipt, [file("fs.read", `f${at}`)], {});
  const { files_read, truncated, calls } = receipt.report();
  assertEquals([files_read.length, truncated, calls], [1000, true, 1001]);
});
