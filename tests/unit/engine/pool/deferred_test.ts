import { assertEquals } from "@std/assert";
import { deferred } from "../../../../src/engine/pool/_deferred.ts";
import type { Runner } from "../../../../src/engine/runner.ts";
import { NOTHING } from "../_stand_ins.ts";
import { jobOf } from "./_stand_in_threads.ts";

Deno.test("a call that comes before its runner is run and cancelled as if it had been there", async () => {
  for (const when of ["before", "after", "never"] as const) {
    const steps: string[] = [];
    const loading = Promise.withResolvers<Pick<Runner, "run">>();
    const { outcome, cancel } = deferred(loading.promise, jobOf("read"), () => {});
    if (when === "before") cancel();
    loading.resolve({
      run({ tool }) {
        steps.push(`run ${tool.name}`);
        return { outcome: Promise.resolve(NOTHING), cancel: () => steps.push("cancel") };
      },
    });
    assertEquals(await outcome, NOTHING);
    if (when === "after") cancel();
    assertEquals(steps, when === "never" ? ["run look"] : ["run look", "cancel"]);
  }
});
