import { assertEquals } from "@std/assert";
import { createStayingRunner } from "../../../../src/engine/pool/staying_runner.ts";
import { NO_PROGRAM_ENVIRONMENT } from "../../../../src/engine/programs/no_program_environment.ts";
import { pathRule } from "../../policy/_fixtures.ts";
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

Deno.test("what starts programs is bound to folders that are being made once all of its scope is there that lies in them", async () => {
  const base = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    using threads = new StandInThreads();
    const paths = [
      pathRule("allow", [`${base}/made/a/**`, `${base}/made/src/**`, "/elsewhere/**"]),
    ];
    const { parts, free } = partsOf({ paths });
    const programs = { programEnvironment: NO_PROGRAM_ENVIRONMENT, watch: () => null };
    const preparation = { ...parts.preparation, programs: () => programs as never };
    const runner = await createStayingRunner({ ...parts, preparation }, free);
    const bind = () => runner.bind([`${base}/made`, `${base}/own`]);
    assertEquals([bind(), threads.lanes], [false, []]);
    Deno.mkdirSync(`${base}/made/a`, { recursive: true });
    // In place of a file there is another a moment later.
    Deno.writeTextFileSync(`${base}/made/src`, "");
    assertEquals([bind(), threads.lanes], [false, []]);
    Deno.removeSync(`${base}/made/src`);
    Deno.mkdirSync(`${base}/made/src`);
    assertEquals([bind(), threads.lanes], [true, ["spawn"]]);
    assertEquals(threads.of(0).setup.ahead, true);
    // It is the one that the first call gets.
    void runner.run(jobOf("spawn"), () => {});
    assertEquals(threads.lanes, ["spawn"]);
    await runner.close();
    assertEquals([bind(), threads.lanes], [true, ["spawn"]]);
  } finally {
    Deno.removeSync(base, { recursive: true });
  }
});
