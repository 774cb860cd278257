import { assert, assertEquals } from "@std/assert";
import { createDescendantProbe } from "../../../../src/engine/programs/own_descendant.ts";
import { openLibc } from "../../../../src/sandbox/kernel/libc.ts";

const libc = openLibc();

Deno.test({
  name: "what this process has started is its own, at any depth; what it has not is not",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    assert(libc !== null);
    const isOwn = createDescendantProbe(libc);
    const child = new Deno.Command("/bin/sh", {
      args: ["-c", "sleep 30 & echo $!; wait"],
      stdin: "null",
      stdout: "piped",
    }).spawn();
    const reader = child.stdout.getReader();
    const { value } = await reader.read();
    const grandchild = Number(new TextDecoder().decode(value));
    try {
      assertEquals([isOwn(child.pid), isOwn(grandchild)], [true, true]);
      // Its parent, the first process, and itself.
      assertEquals([isOwn(Deno.ppid), isOwn(1), isOwn(Deno.pid)], [false, false, false]);
    } finally {
      Deno.kill(grandchild, "SIGKILL");
      await reader.cancel();
      await child.status;
    }
    // Nobody can say what it was.
    assertEquals([isOwn(grandchild), isOwn(2 ** 30)], [true, true]);
  },
});
