/** The jobs of a thread: each with its own grant, stopped while it waits and while it runs. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { SENTINEL, Workspace } from "../../../binary/toolgate.ts";
import { canonical } from "../../policy/_fixtures.ts";
import { job, reading, RINGS_STAY, threadIn } from "./_thread_jobs.ts";

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

Deno.test("what a write has replaced is closed once that is answered", RINGS_STAY, async () => {
  await using workspace = new Workspace({ "a.txt": "one\n" });
  const root = canonical(workspace.root);
  const boundary = { read: [root], write: [root], connect: [], spawn: null };
  using thread = threadIn(workspace, { boundary });
  const written = job(1, "write_file", {
    path: "a.txt",
    content: "two\n",
    encoding: "utf-8",
    create_dirs: false,
    validate_syntax: true,
  });
  const write = [reading(workspace, "a.txt")];
  thread.say({ ...written, grant: { ...written.grant, write } });
  assertEquals((await thread.done()).error, null);
  const isOpen = () =>
    [...Deno.readDirSync("/proc/self/fd")].some(({ name }) => {
      try {
        return Deno.readLinkSync(`/proc/self/fd/${name}`) === `${root}/a.txt (deleted)`;
      } catch {
        return false; // the descriptor of the listing itself
      }
    });
  while (isOpen()) await new Promise((resolve) => setTimeout(resolve, 5));
});
