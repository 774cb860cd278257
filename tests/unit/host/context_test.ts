import { assert, assertEquals } from "@std/assert";
import type { CanonicalPath } from "../../../src/core/capability.ts";
import { createContext, createFileBackend } from "../../../src/host/context.ts";
import { pathRule } from "../policy/_fixtures.ts";
import { LIBC } from "../sandbox/_libc.ts";
import { SYNTAX } from "../syntax/_syntax.ts";
import { grantOf, rulebookOf } from "./_rulebook.ts";
import { ALONE, STARTER } from "./run/_starter.ts";
import { withDirectory } from "./files/_temporary.ts";

Deno.test("a context holds the handles of its grant and what the engine adds", async () => {
  await withDirectory(async (root) => {
    Deno.writeTextFileSync(`${root}/a`, "text");
    const argv = ["echo", "hi"];
    const program = { path: "/bin/echo" as CanonicalPath, start: "/bin/echo", names: ["echo"] };
    const grant = grantOf(root, {
      read: [{ requested: "a", path: `${root}/a` as CanonicalPath, tree: false }],
      spawn: [{ argv, program, cwd: root }],
    });
    const counted: string[] = [];
    for (const libc of [LIBC, null]) {
      let left = 5_000;
      const context = createContext({
        grant,
        rulebook: rulebookOf(root, { paths: [pathRule("allow", ["**"])] }),
        programs: {
          ...ALONE,
          environment: { A: "1" },
          starter: libc === null ? null : STARTER,
          onGroup: () => counted.push("group"),
        },
        catalogue: {
          describe: () => Promise.resolve(null),
          search: () => Promise.resolve([]),
          all: () => Promise.resolve([]),
          nearest: () => [],
        },
        signal: () => new AbortController().signal,
        checkpoint: () => counted.push("checkpoint"),
        left: () => left,
        count: (name) => counted.push(name),
        progress: () => counted.push("progress"),
        files: await createFileBackend(libc),
        syntax: SYNTAX,
      });
      assertEquals(new TextDecoder().decode(context.files.read("a", 10).bytes), "text");
      const request = { cwd: ".", env: {}, stdin: null, timeoutMs: 600_000 };
      const outcome = await context.processes.run(argv, request);
      assertEquals(new TextDecoder().decode(outcome.stdout), "hi\n");
      context.checkpoint();
      context.count("bytes_read", 4);
      for (const [ms, told] of [[4_999.2, 5_000], [0.5, 1], [-3, 0]] as const) {
        left = ms;
        assertEquals(context.timeoutMs, told);
      }
      assertEquals(context.limits, grant.limits);
      // With one each context would have a shape of its own, which stays until all of the heap is collected.
      const own = Object.values(Object.getOwnPropertyDescriptors(context));
      assertEquals(own.filter(({ get }) => get !== undefined), []);
      const before = Date.now();
      const now = context.now().getTime();
      assert(before <= now && now <= Date.now());
    }
    assertEquals(counted, [
      "group",
      "checkpoint",
      "bytes_read",
      "checkpoint",
      "bytes_read",
    ]);
  });
});
