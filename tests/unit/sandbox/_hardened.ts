/** A process that hardens itself, shows that it still works, and waits to be looked at. */

import { hardenProcess } from "../../../src/sandbox/harden.ts";
import { openLibc } from "../../../src/sandbox/kernel/libc.ts";

/** PR_GET_DUMPABLE (include/uapi/linux/prctl.h) */
const PR_GET_DUMPABLE = 3;

const libc = openLibc();
if (libc === null) throw new Error("no C library");
const before = libc.call(libc.numbers.prctl, PR_GET_DUMPABLE);
const failure = hardenProcess(libc);
const after = libc.call(libc.numbers.prctl, PR_GET_DUMPABLE);
const { stdout } = new Deno.Command("/bin/sh", {
  args: ["-c", "echo child"],
  clearEnv: true,
}).outputSync();
const worker = new Worker(
  `data:application/javascript,${encodeURIComponent('postMessage("worker")')}`,
  { type: "module" },
);
worker.onmessage = (event: MessageEvent<string>) => {
  worker.terminate();
  console.log(JSON.stringify({
    before,
    failure,
    after,
    child: new TextDecoder().decode(stdout).trim(),
    worker: event.data,
    executable: Deno.execPath().length > 0,
    file: Deno.readTextFileSync("/proc/self/comm").length > 0,
  }));
  Deno.stdin.readSync(new Uint8Array(1));
};
