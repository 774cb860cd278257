/** Who is helped, and for how long. */

import { assertEquals } from "@std/assert";
import { ScanSharing } from "../../../../src/engine/pool/_scan_sharing.ts";
import { helpFor, type PendingJob } from "../../../../src/engine/pool/pool_thread.ts";
import type { Job } from "../../../../src/engine/runner.ts";
import type { Tool } from "../../../../src/core/tool.ts";
import searchFiles from "../../../../src/tools/fs/search_files.ts";
import findFiles from "../../../../src/tools/fs/find_files.ts";

function call(number: number, tool: unknown = searchFiles): PendingJob {
  const job = { tool: tool as Tool } as unknown as Job;
  return {
    number,
    job,
    onEvent: () => {},
    settle: () => {},
    deadline: Infinity,
    stop: null,
    asking: 0,
    helps: null,
  };
}

/** What was done, as words. */
function helpOf(options: { readonly ready: boolean; readonly processors?: number }) {
  const done: string[] = [];
  const help = new ScanSharing({
    processors: options.processors ?? 2,
    isReady: () => options.ready,
    give: (helped) => {
      done.push(`help ${helped.number}`);
      return helpFor(helped, helped.number + 100);
    },
    take: ({ number, helps }) => done.push(`end ${number} of ${helps}`),
  });
  return { help, done };
}

const LATER = () => performance.now() + 1000;

Deno.test("a call is helped once it says that it is long, until it has answered", () => {
  const { help, done } = helpOf({ ready: true });
  assertEquals(help.begin(call(1), true), true);
  help.tick(LATER());
  assertEquals(done, []);
  help.call(1);
  help.call(1);
  help.tick(LATER());
  assertEquals(done, ["help 1"]);
  help.end(2);
  assertEquals(done, ["help 1"]);
  help.end(1);
  help.end(1);
  help.call(1);
  assertEquals(done, ["help 1", "end 101 of 1"]);
});

Deno.test("a thread is started only for a call that has gone on for a while", () => {
  const { help, done } = helpOf({ ready: false });
  help.begin(call(1), true);
  help.call(1);
  help.tick(performance.now());
  assertEquals(done, []);
  help.tick(LATER());
  help.tick(LATER());
  assertEquals(done, ["help 1"]);
});

Deno.test("with a second long call nobody is helped, and help under way ends", () => {
  const { help, done } = helpOf({ ready: true });
  help.begin(call(1), true);
  help.call(1);
  assertEquals(help.begin(call(2), false), false);
  assertEquals(done, ["help 1", "end 101 of 1"]);
  help.call(1);
  help.call(2);
  help.tick(LATER());
  assertEquals(done.length, 2);
  assertEquals(help.begin(call(3), true), true);
});

Deno.test("calls that cannot be shared, and machines with one processor, have no help", () => {
  assertEquals(helpOf({ ready: true }).help.begin(call(1, findFiles), true), false);
  assertEquals(helpOf({ ready: true, processors: 1 }).help.begin(call(1), true), false);
});
