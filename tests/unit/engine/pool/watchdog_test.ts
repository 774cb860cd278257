/** A process that is stuck on its only thread is ended; one that is done in time is not. */

import { assertEquals } from "@std/assert";
import { LIBC } from "../../sandbox/_libc.ts";

const MODULE = import.meta.resolve("../../../../src/engine/pool/_watchdog.ts");
const LIBRARY = import.meta.resolve("../../../../src/sandbox/kernel/libc.ts");

Deno.test({
  name: "the kernel ends what is stuck, and leaves alone what has switched it off",
  ignore: LIBC === null,
  async fn() {
    for (
      const [ms, end, signal] of [
        [120, "for (;;);", "SIGALRM"],
        [1_000, "armWatchdog(libc, 0);", null],
      ] as const
    ) {
      const code = `import { armWatchdog } from ${JSON.stringify(MODULE)};
        import { openLibc } from ${JSON.stringify(LIBRARY)};
        const libc = openLibc();
        armWatchdog(libc, ${ms});
        ${end}
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500);`;
      const status = await new Deno.Command(Deno.execPath(), {
        args: ["eval", "--quiet", code],
        stdin: "null",
        stdout: "null",
        stderr: "null",
      }).spawn().status;
      assertEquals(status.signal, signal);
    }
  },
});
