/** Listing backups and restoring them, over the real files. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { pathRule } from "../../policy/_fixtures.ts";
import { failure } from "../_failure.ts";
import { inWorkspace } from "../_real_workspace.ts";

/** Files of the workspace by name, with their contents. */
function filesOf(root: string): Record<string, string> {
  return Object.fromEntries(
    [...Deno.readDirSync(root)].filter(({ isFile }) => isFile).map(({ name }) => [
      name,
      Deno.readTextFileSync(`${root}/${name}`),
    ]),
  );
}

function write(root: string, files: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(files)) {
    Deno.writeTextFileSync(`${root}/${name}`, content);
  }
}

Deno.test("list_backups lists them oldest first, of a file that is gone, too", () =>
  inWorkspace(async ({ root, call }) => {
    write(root, {
      "x.bak": "1",
      "x.bak.2": "333",
      "x.bak.10": "22",
      "x.bak.old": "",
      "xy.bak": "",
    });
    Deno.utimeSync(`${root}/x.bak`, 1000, 1000);
    const { backups } = await call("list_backups", { path: "./x" });
    const shown = backups as { path: string; size: number; modified: string }[];
    assertEquals(shown.map(({ path, size }) => [path, size]), [
      ["x.bak", 1],
      ["x.bak.2", 3],
      ["x.bak.10", 2],
    ]);
    assertEquals(shown[0]?.modified, "1970-01-01T00:16:40.000Z");
    assertEquals(await call("list_backups", { path: "y" }), { backups: [] });
    assertEquals(
      (await failure(() => call("list_backups", { path: "../x" }))).code,
      "PATH_OUTSIDE_WORKSPACE",
    );
  }));

Deno.test("restore_file puts the newest back, or the one named, and can be undone", () =>
  inWorkspace(async ({ root, call }) => {
    write(root, { "x": "now", "x.bak": "first", "x.bak.1": "second" });
    Deno.chmodSync(`${root}/x.bak`, 0o600);
    assertEquals(await call("restore_file", { path: "x" }), {
      path: "x",
      restored_from: "x.bak.1",
      backup_path: "x.bak.2",
    });
    assertEquals(filesOf(root), {
      "x": "second",
      "x.bak": "first",
      "x.bak.1": "second",
      "x.bak.2": "now",
    });
    // Undone by the same call.
    await call("restore_file", { path: "x" });
    assertEquals(filesOf(root).x, "now");
    const cases = [["x", "x.bak"], ["x", "./x.bak"], [`${root}/x`, `${root}/x.bak`], [
      "./x",
      "x.bak",
    ]];
    for (const [path, backup] of cases) {
      await call("restore_file", { path, backup });
      assertEquals([filesOf(root).x, (Deno.statSync(`${root}/x`).mode ?? 0) & 0o777], [
        "first",
        0o600,
      ]);
    }
  }));

Deno.test("restore_file brings a file back that was deleted", () =>
  inWorkspace(async ({ root, call }) => {
    write(root, { "x.bak": "first" });
    assertEquals(await call("restore_file", { path: "x" }), {
      path: "x",
      restored_from: "x.bak",
      backup_path: null,
    });
    assertEquals(filesOf(root), { "x": "first", "x.bak": "first" });
  }));

Deno.test("restore_file's preview shows what would change, and changes nothing", () =>
  inWorkspace(async ({ root, call }) => {
    write(root, { "x": "1\n2\n", "x.bak": "1\nzwei\n", "b": "1\n", "b.bak": "\0" });
    const before = filesOf(root);
    const { modified: _, ...shown } = await call("restore_file", { path: "x" }, true);
    assertEquals(shown, {
      path: "x",
      restored_from: "x.bak",
      size: 7,
      exists: true,
      diff: "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n 1\n-2\n+zwei\n",
    });
    assertEquals((await call("restore_file", { path: "b" }, true)).diff, null);
    assertEquals(filesOf(root), before);
  }));

Deno.test("restore_file never lets the backup go that it restores, however few the policy keeps", () =>
  inWorkspace(async ({ root, call }) => {
    write(root, { "x": "now", "x.bak": "first", "x.bak.1": "second" });
    await call("restore_file", { path: "x", backup: "x.bak" });
    const files = filesOf(root);
    assertEquals([files.x, files["x.bak"], files["x.bak.2"]], ["first", "first", "now"]);
  }, { backups: { keep: 1, ageMs: null } }));

Deno.test("restore_file refuses what is no backup of the file, naming those there are", () =>
  inWorkspace(async ({ root, call }) => {
    write(root, {
      "x": "now",
      "x.bak": "1",
      "y": "y",
      "y.bak": "2",
      "no": "3",
      "secret.txt.bak": "4",
    });
    const cases: readonly (readonly [Record<string, unknown>, string, string])[] = [
      [{ path: "no" }, "FILE_NOT_FOUND", "has no backups"],
      [{ path: "x", backup: "x.bak.7" }, "FILE_NOT_FOUND", "there are: x.bak"],
      [{ path: "x", backup: "y.bak" }, "FILE_NOT_FOUND", "no backup of"],
      [{ path: "x", backup: "../x.bak" }, "FILE_NOT_FOUND", "no backup of"],
      [{ path: "secret.txt" }, "PATH_DENIED", ""],
      [{ path: "../x" }, "PATH_OUTSIDE_WORKSPACE", ""],
    ];
    const before = filesOf(root);
    for (const [args, code, part] of cases) {
      for (const isPreview of [true, false]) {
        const error = await failure(() => call("restore_file", args, isPreview));
        assertEquals(error.code, code, JSON.stringify(args));
        assertStringIncludes(error.message, part);
        assertEquals(filesOf(root), before);
      }
    }
  }, { paths: [pathRule("allow", ["**"]), pathRule("deny", ["secret.txt*"])] }));
