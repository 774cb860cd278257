/** The life of a thread: held before it looks at work, and refused where it cannot be. */

import { assert, assertEquals } from "@std/assert";
import { Workspace } from "../../../binary/toolgate.ts";
import { canonical, policy } from "../../policy/_fixtures.ts";
import { ABI } from "../../sandbox/_libc.ts";
import { job, reading, RINGS_STAY, threadIn } from "./_thread_jobs.ts";

Deno.test(
  "a thread says what holds it before it does anything, and answers its jobs in their order",
  RINGS_STAY,
  async () => {
    await using workspace = new Workspace({ "a.txt": "one\n", "b.txt": "two\n" });
    using thread = threadIn(workspace);
    thread.say(
      job(1, "read_file", { path: "a.txt" }, [reading(workspace, "a.txt")]),
      job(2, "no_such_tool", {}),
      job(3, "read_file", { path: "b.txt" }, [reading(workspace, "b.txt")]),
    );
    const { message: ready } = await thread.next();
    assert(ready.kind === "ready", JSON.stringify(ready));
    assertEquals(ready.layers.includes("landlock"), ABI > 0);
    assertEquals(ready.reasons, []);
    const first = await thread.done();
    assertEquals([first.job, first.error, JSON.parse(first.output).content], [1, null, "one\n"]);
    assertEquals(first.usage["bytes_read"], 4);
    const second = await thread.done();
    assertEquals([second.job, second.error?.code], [2, "UNKNOWN_TOOL"]);
    const third = await thread.done();
    assertEquals([third.job, JSON.parse(third.output).content], [3, "two\n"]);
    // What one call counted is not in the usage of the next.
    assertEquals(third.usage["bytes_read"], 4);
  },
);

Deno.test(
  "a thread that cannot be held as the policy requires takes no work",
  RINGS_STAY,
  async () => {
    await using workspace = new Workspace({ "a.txt": "one\n" });
    // Policies of two workspaces make no rules.
    using thread = threadIn(workspace, {
      policies: [
        { source: "a", policy: policy(), workspace: canonical("/a") },
        { source: "b", policy: policy(), workspace: canonical("/b") },
      ],
    });
    thread.say(job(1, "read_file", { path: "a.txt" }, [reading(workspace, "a.txt")]));
    const { message } = await thread.next();
    assertEquals(message.kind, "refused");
  },
);
