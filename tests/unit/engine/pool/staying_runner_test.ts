import { assertEquals } from "@std/assert";
import { createStayingRunner } from "../../../../src/engine/pool/staying_runner.ts";
import { FREE, partsOf } from "./_pool_parts.ts";
import { jobOf, StandInThreads } from "./_stand_in_threads.ts";

Deno.test("the runner of many calls warms its first thread, and makes it anew when the custom tools change", async () => {
  using threads = new StandInThreads();
  const { parts, free, steps, plugins } = partsOf();
  const runner = await createStayingRunner(parts, free);
  runner.warm();
  assertEquals([threads.lanes, runner.threads], [["read"], 1]);
  void runner.run(jobOf("read"), () => {});
  void runner.run(jobOf("write"), () => {});
  assertEquals([threads.lanes, runner.running], [["read", "write"], 2]);
  assertEquals((await runner.run(FREE, () => {}).outcome).error, null);
  assertEquals(steps.filter((step) => step.startsWith("free")), ["free look"]);
  plugins.register({
    name: "say",
    module: "say.ts",
    description: "",
    risk: "safe",
  } as never);
  void runner.run(jobOf("write"), () => {});
  assertEquals(threads.all.length, 2);
  void runner.run(jobOf("read"), () => {});
  assertEquals(threads.lanes, ["read", "write", "read"]);
  assertEquals(threads.of(2).setup.plugins.map(({ name }) => name), ["say"]);
  await runner.close();
  assertEquals([runner.threads, steps.at(-1)], [0, "close preparation"]);
});
