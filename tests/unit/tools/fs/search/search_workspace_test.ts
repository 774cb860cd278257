/** Searches over the real handles: what the memory context promises must hold there. */

import { assertEquals } from "@std/assert";
import { inWorkspace, type World } from "../../_real_workspace.ts";

function write(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    const full = `${root}/${path}`;
    Deno.mkdirSync(full.slice(0, full.lastIndexOf("/")), { recursive: true });
    Deno.writeTextFileSync(full, text);
  }
}

const found = async ({ call }: World, args: Record<string, unknown>) => {
  const { matches } = await call("search_files", args) as {
    matches: readonly { readonly file: string; readonly line: number; readonly column: number }[];
  };
  return matches.map(({ file, line, column }) => `${file}:${line}:${column}`);
};

Deno.test("a search sees what the policy lets it, wherever it starts", () =>
  inWorkspace(async (world) => {
    const { root, call } = world;
    write(root, {
      "a.txt": "one\nhit\n",
      "b/c.txt": "a hit\n",
      "b/secret.txt": "hit\n",
      "secret.txt": "hit\n",
      "closed/d.txt": "hit\n",
      "b/.gitignore": "ignored.txt\n",
      "b/ignored.txt": "hit\n",
      ".git/info/exclude": "/b/excluded.txt\n",
      "b/excluded.txt": "hit\n",
    });
    const all = ["a.txt:2:1", "b/c.txt:1:3", "b/secret.txt:1:1"];
    assertEquals(await found(world, { pattern: "hit" }), all);
    assertEquals(await found(world, { pattern: "hit", path: root }), all);
    for (const path of ["b", `${root}/b`, "./b/"]) {
      assertEquals(await found(world, { pattern: "hit", path }), all.slice(1), path);
    }
    assertEquals(await found(world, { pattern: "HIT", case_sensitive: false, path: "a.txt" }), [
      "a.txt:2:1",
    ]);
    assertEquals(await call("find_files", { glob: "*.txt" }), {
      files: ["a.txt", "b/c.txt", "b/secret.txt"],
      total: 3,
      truncated: false,
    });
  }));

Deno.test("the rules above an absolute start hold as far as the workspace", () =>
  inWorkspace(async (world) => {
    const { root } = world;
    write(root, { ".ignore": "*.log\n", "d/e/a.log": "hit\n", "d/e/a.txt": "hit\n" });
    for (const path of ["d/e", `${root}/d/e`, `${root}/d/./e`]) {
      assertEquals(await found(world, { pattern: "hit", path }), ["d/e/a.txt:1:1"], path);
    }
    // Other words for the same directory: the rules of the directories that they lead through are not asked.
    Deno.symlinkSync("d", `${root}/way`);
    assertEquals(await found(world, { pattern: "hit", path: "way/e" }), [
      "d/e/a.log:1:1",
      "d/e/a.txt:1:1",
    ]);
  }));

Deno.test("large files are searched up to 32 MiB, however large the one before", () =>
  inWorkspace(async (world) => {
    const { root, call } = world;
    const large = `${"x".repeat(2_000_000)}\nhit\n`;
    write(root, { "a.txt": large, "b.txt": "hit\n", "d.txt": "hit\n" });
    Deno.writeTextFileSync(`${root}/c.txt`, "hit\n");
    Deno.truncateSync(`${root}/c.txt`, 32 * 1024 * 1024 + 1);
    const output = await call("search_files", { pattern: "hit" });
    assertEquals([output.total_matches, output.files_searched, output.files_skipped], [3, 3, 1]);
  }));
