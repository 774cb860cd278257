/** The life of a thread: held before it looks at work, its jobs in order, an answer to each. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { ToWorker } from "../../../../src/engine/pool/_protocol.ts";
import type { PathGrant } from "../../../../src/policy/grant.ts";
import { SENTINEL, Workspace } from "../../../binary/toolgate.ts";
import { canonical, pathRule, policy } from "../../policy/_fixtures.ts";
import { ABI } from "../../sandbox/_libc.ts";
import { RealThread } from "./_thread.ts";

/** The next messages of a thread wait on shared memory, which outlives a test that does not read them all. */
const RINGS_STAY = { sanitizeOps: false };

function threadIn(
  workspace: Workspace,
  more: Partial<ConstructorParameters<typeof RealThread>[0]> = {},
) {
  const root = canonical(workspace.root);
  const sections = policy({ paths: [pathRule("allow", ["**"])] });
  return new RealThread({
    boundary: { read: [root], write: [], connect: [], spawn: null },
    policies: [{ source: "p.yaml", policy: sections, workspace: root }],
    ...more,
  });
}

function job(
  number: number,
  tool: string,
  input: Readonly<Record<string, unknown>>,
  read: readonly PathGrant[] = [],
  timeoutMs = 60_000,
): Extract<ToWorker, { kind: "job" }> {
  return {
    kind: "job",
    job: number,
    tool,
    manifest: null,
    input,
    texts: 0,
    grant: { read, write: [], spawn: [], connect: [], timeoutMs },
    preview: false,
    stream: false,
    subject: null,
    share: null,
    agreed: [],
  };
}

const reading = (workspace: Workspace, path: string): PathGrant => ({
  requested: path,
  path: canonical(workspace.path(path)),
  tree: false,
});

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
  "a job reads what it was granted and nothing else, whatever the thread may read",
  RINGS_STAY,
  async () => {
    await using workspace = new Workspace({ "a.txt": "one\n", "b.txt": "two\n" });
    Deno.symlinkSync(`${workspace.outside}/sentinel.txt`, workspace.path("link"));
    using thread = threadIn(workspace);
    thread.say(
      job(1, "read_file", { path: "b.txt" }, [reading(workspace, "a.txt")]),
      // Granted by a name that was changed for a link since: the kernel's rules hold.
      job(2, "read_file", { path: "link" }, [reading(workspace, "link")]),
      job(3, "read_file", { path: "out" }, [{
        requested: "out",
        path: canonical(`${workspace.outside}/sentinel.txt`),
        tree: false,
      }]),
    );
    for (let number = 1; number <= 3; number++) {
      const { job, error, output } = await thread.done();
      assertEquals([job, error === null], [number, false]);
      assert(!output.includes(SENTINEL.trim()));
    }
  },
);

Deno.test(
  "a job that waits can be cancelled, and one whose time is over when it begins does not run",
  RINGS_STAY,
  async () => {
    await using workspace = new Workspace({ "a.txt": "one\n" });
    using thread = threadIn(workspace);
    const granted = [reading(workspace, "a.txt")];
    thread.say(
      job(1, "read_file", { path: "a.txt" }, granted),
      job(2, "read_file", { path: "a.txt" }, granted),
      { kind: "cancel", job: 2, reason: "CANCELLED" },
      job(3, "read_file", { path: "a.txt" }, granted, 0),
      { kind: "cancel", job: 99, reason: "CANCELLED" },
    );
    const codes = [];
    for (let number = 1; number <= 3; number++) {
      codes.push((await thread.done()).error?.code ?? null);
    }
    assertEquals(codes, [null, "CANCELLED", "TIMEOUT"]);
  },
);

Deno.test("a running job hears that it is to end", RINGS_STAY, async () => {
  await using workspace = new Workspace();
  workspace.write("long.txt", "a".repeat(60) + "!\n");
  using thread = threadIn(workspace);
  const tree = [{ requested: ".", path: canonical(workspace.root), tree: true }];
  for (let file = 0; file < 3_000; file++) {
    Deno.writeTextFileSync(workspace.path(`${file}.txt`), "x");
  }
  thread.say(job(1, "search_files", { pattern: "never there", path: "." }, tree));
  thread.say({ kind: "cancel", job: 1, reason: "RESOURCE_LIMIT:memory" });
  const { error } = await thread.done();
  assertEquals(error?.code, "RESOURCE_LIMIT");
  assertStringIncludes(error?.message ?? "", "limits.memory");
});

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
