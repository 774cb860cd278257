import { assertEquals } from "@std/assert";
import { limitText } from "../../../src/policy/limit_text.ts";
import { mergedRules } from "../../../src/policy/merged.ts";
import { commandRule, policy } from "./_fixtures.ts";

Deno.test("limits are shown as a policy writes them", () => {
  const cases = [
    ["memory", 4 * 2 ** 30, "4GiB"],
    ["file", 2 ** 20, "1MiB"],
    ["processes", 64, "64"],
    ["cpu", 3_600_000, "1h"],
    ["timeout", 1_500, "1500ms"],
  ] as const;
  for (const [name, value, text] of cases) assertEquals(limitText(name, value), text);
});

Deno.test("a rule is shown with what its commands may use", () => {
  const rule = {
    ...commandRule("ask", ["npm ci"]),
    limits: { memory: 4 * 2 ** 30, processes: 9 },
    timeoutMs: 300_000,
  };
  const shown = mergedRules([{ source: "p", policy: policy({ commands: [rule] }) }]);
  assertEquals(shown.commands.map(({ only }) => only), [
    ["limits.memory: 4GiB", "limits.processes: 9", "timeout: 5m"],
  ]);
});
