/** Deleting, copying, moving and making entries, over the real files. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { pathRule } from "../../policy/_fixtures.ts";
import { failure } from "../_failure.ts";
import { inWorkspace } from "../_real_workspace.ts";

/** Everything below a directory: files by their contents, links by where they point, directories by a slash. */
function treeOf(root: string, below = ""): Record<string, string> {
  const found: Record<string, string> = {};
  for (const { name, isDirectory, isSymlink } of Deno.readDirSync(`${root}/${below}`)) {
    const path = `${root}/${below}${name}`;
    if (isSymlink) found[below + name] = `-> ${Deno.readLinkSync(path)}`;
    else if (isDirectory) {
      Object.assign(found, { [`${below}${name}/`]: "" }, treeOf(root, `${below}${name}/`));
    } else found[below + name] = Deno.readTextFileSync(path);
  }
  return found;
}

function plant(root: string, tree: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(tree)) {
    Deno.mkdirSync(`${root}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
    if (content.startsWith("-> ")) Deno.symlinkSync(content.slice(3), `${root}/${path}`);
    else if (!path.endsWith("/")) Deno.writeTextFileSync(`${root}/${path}`, content);
  }
}

/** Protected: `keep` may not be changed, `secret` not be seen, wherever they lie. */
const PROTECTED = {
  paths: [
    pathRule("allow", ["**"]),
    pathRule("deny", ["**/keep"], ["write"]),
    pathRule("deny", ["**/secret"]),
  ],
};

Deno.test("delete_file takes away files, links themselves, and directories when told so", () =>
  inWorkspace(async ({ root, call }) => {
    plant(root, {
      "a": "1",
      "d/x": "2",
      "d/e/y": "3",
      "d/l": "-> ../a",
      "to-a": "-> a",
      "to-d": "-> d",
      "empty/": "",
    });
    const cases: readonly (readonly [Record<string, unknown>, number])[] = [
      [{ path: "to-a" }, 1],
      [{ path: "to-d", recursive: true }, 1],
      [{ path: "empty" }, 1],
      [{ path: "d", recursive: true }, 5],
      [{ path: "./a" }, 1],
    ];
    for (const [args, entries] of cases) {
      const before = treeOf(root);
      const shown = await call("delete_file", args, true);
      assertEquals([shown.entries, treeOf(root)], [entries, before], JSON.stringify(args));
      const path = String(args.path).replace("./", "");
      assertEquals(await call("delete_file", args), { path, deleted: true, entries });
    }
    assertEquals(treeOf(root), {});
  }));

Deno.test("delete_file's preview counts what would go", () =>
  inWorkspace(async ({ root, call }) => {
    plant(root, { "d/x": "22", "d/e/y": "333", "d/l": "-> x" });
    assertEquals(await call("delete_file", { path: "d", recursive: true }, true), {
      path: "d",
      entries: 5,
      type: "directory",
      files: 2,
      directories: 2,
      others: 1,
      bytes: 5,
    });
  }));

Deno.test("delete_file deletes nothing where it may not delete all", async () => {
  await inWorkspace(async ({ root, call }) => {
    const tree = {
      "d/a": "1",
      "d/e/keep": "2",
      "d/z": "3",
      "f/secret": "4",
      "keep": "5",
      "l": "-> keep",
    };
    plant(root, tree);
    const before = treeOf(root);
    const cases: readonly (readonly [Record<string, unknown>, string])[] = [
      [{ path: "d" }, "INVALID_ARGUMENTS"],
      [{ path: "d", recursive: true }, "PATH_DENIED"],
      [{ path: "f", recursive: true }, "PATH_DENIED"],
      [{ path: "keep" }, "PATH_DENIED"],
      [{ path: "gone" }, "FILE_NOT_FOUND"],
      [{ path: ".", recursive: true }, "PATH_DENIED"],
      [{ path: "..", recursive: true }, "PATH_OUTSIDE_WORKSPACE"],
    ];
    for (const [args, code] of cases) {
      for (const isPreview of [true, false]) {
        const error = await failure(() => call("delete_file", args, isPreview));
        assertEquals(error.code, code, `${JSON.stringify(args)} ${isPreview}: ${error.message}`);
        assert(!error.message.includes(root), error.message);
        assertEquals(treeOf(root), before);
      }
    }
  }, PROTECTED);
});

Deno.test("copy_file copies files and directories whole, links as links", () =>
  inWorkspace(async ({ root, call }) => {
    plant(root, { "a": "11", "d/x": "2", "d/e/y": "33", "d/l": "-> ../a", "to-a": "-> a" });
    Deno.chmodSync(`${root}/a`, 0o750);
    const before = treeOf(root);
    const shown = await call("copy_file", { src: "d", dst: "n/d" }, true);
    assertEquals(shown, {
      src: "d",
      dst: "n/d",
      type: "directory",
      files: 2,
      directories: 2,
      others: 1,
      bytes: 3,
      left_out: 0,
      replaced: false,
    });
    assertEquals(treeOf(root), before);
    assertEquals(await call("copy_file", { src: "d", dst: "n/d" }), {
      src: "d",
      dst: "n/d",
      files: 2,
      bytes: 3,
      left_out: 0,
    });
    await call("copy_file", { src: "a", dst: "n/a" });
    await call("copy_file", { src: "to-a", dst: "n/b" });
    await call("copy_file", { src: "d/x", dst: "n/a", overwrite: true });
    assertEquals(treeOf(root), {
      ...before,
      "n/": "",
      "n/d/": "",
      "n/d/x": "2",
      "n/d/e/": "",
      "n/d/e/y": "33",
      "n/d/l": "-> ../a",
      "n/a": "2",
      "n/b": "11",
    });
    assertEquals((Deno.statSync(`${root}/n/b`).mode ?? 0) & 0o777, 0o750);
  }));

Deno.test("copy_file leaves out what may not be read, and says how much", () =>
  inWorkspace(async ({ root, call }) => {
    plant(root, { "d/x": "1", "d/secret": "2", "d/e/secret": "3" });
    const shown = await call("copy_file", { src: "d", dst: "n" }, true);
    assertEquals([shown.files, shown.left_out], [1, 2]);
    const made = await call("copy_file", { src: "d", dst: "n" });
    assertEquals([made.files, made.left_out], [1, 2]);
    assertEquals(treeOf(`${root}/n`), { "x": "1", "e/": "" });
  }, PROTECTED));

Deno.test("move_file moves files, links themselves and directories", () =>
  inWorkspace(async ({ root, call }) => {
    plant(root, { "a": "1", "d/x": "2", "d/l": "-> x", "to-a": "-> a" });
    const shown = await call("move_file", { src: "d", dst: "n/m/d" }, true);
    assertEquals([shown.files, shown.others, shown.bytes, shown.replaced], [1, 1, 1, false]);
    assertEquals(await call("move_file", { src: "d", dst: "n/m/d" }), { src: "d", dst: "n/m/d" });
    assertEquals(await call("move_file", { src: "to-a", dst: "n/l" }), { src: "to-a", dst: "n/l" });
    await call("move_file", { src: "a", dst: "n/m/d/x", overwrite: true });
    assertEquals(treeOf(root), {
      "n/": "",
      "n/m/": "",
      "n/m/d/": "",
      "n/m/d/x": "1",
      "n/m/d/l": "-> x",
      "n/l": "-> a",
    });
  }));

Deno.test("copies and moves refuse what they may not do, and do nothing then", async () => {
  const outside = Deno.makeTempDirSync();
  Deno.writeTextFileSync(`${outside}/sentinel`, "old");
  try {
    await inWorkspace(async ({ root, call }) => {
      plant(root, {
        "a": "1",
        "b": "2",
        "d/x": "3",
        "f/keep": "4",
        "g/secret": "5",
        "secret": "6",
        "out": `-> ${outside}/sentinel`,
        "outside": `-> ${outside}`,
      });
      const before = treeOf(root);
      const cases: readonly (readonly [string, string, string, string, string])[] = [
        ["copy_file", "a", "b", "FILE_EXISTS", "overwrite"],
        ["move_file", "a", "b", "FILE_EXISTS", "overwrite"],
        ["copy_file", "a", "d", "FILE_EXISTS", "name the new entry in it"],
        ["move_file", "a", "d", "FILE_EXISTS", "name the new entry in it"],
        ["copy_file", "d", "a", "FILE_EXISTS", "another"],
        ["move_file", "d", "a", "FILE_EXISTS", "another"],
        ["copy_file", "gone", "n", "FILE_NOT_FOUND", "gone"],
        ["move_file", "gone", "n", "FILE_NOT_FOUND", "gone"],
        ["copy_file", "secret", "n", "PATH_DENIED", ""],
        ["copy_file", "a", "keep", "PATH_DENIED", ""],
        ["move_file", "f", "n", "PATH_DENIED", ""],
        ["move_file", "g", "n", "PATH_DENIED", ""],
        ["copy_file", "out", "n", "PATH_OUTSIDE_WORKSPACE", ""],
        ["copy_file", "a", "out", "PATH_OUTSIDE_WORKSPACE", ""],
        ["copy_file", "a", "outside/sentinel", "PATH_OUTSIDE_WORKSPACE", ""],
        ["move_file", "a", "../x", "PATH_OUTSIDE_WORKSPACE", ""],
      ];
      for (const [tool, src, dst, code, part] of cases) {
        for (const isPreview of [true, false]) {
          const error = await failure(() => call(tool, { src, dst }, isPreview));
          const which = `${tool} ${src} ${dst} ${isPreview}: ${error.message}`;
          assertEquals(error.code, code, which);
          assertStringIncludes(error.message, part, which);
          assert(!error.message.includes(root) && !error.message.includes(outside), which);
          assertEquals(treeOf(root), before);
          assertEquals(Deno.readTextFileSync(`${outside}/sentinel`), "old");
        }
      }
      // A directory never comes to lie in itself, nor takes the place of what it lies in.
      for (const [src, dst] of [["d", "d/x/y"], ["d", "d/new"], ["d/x", "d"]]) {
        for (const tool of ["copy_file", "move_file"]) {
          await failure(() => call(tool, { src, dst, overwrite: true }));
          assertEquals(treeOf(root), before);
        }
      }
    }, PROTECTED);
  } finally {
    Deno.removeSync(outside, { recursive: true });
  }
});

Deno.test("create_directory makes a directory with its parents, and nothing of one that is there", () =>
  inWorkspace(async ({ root, call }) => {
    const shown = await call("create_directory", { path: "a/b/c" }, true);
    assertEquals([shown, treeOf(root)], [{ path: "a/b/c", created: true }, {}]);
    assertEquals(await call("create_directory", { path: "a/b/c" }), {
      path: "a/b/c",
      created: true,
    });
    assertEquals(await call("create_directory", { path: "a/b" }), { path: "a/b", created: false });
    assertEquals((await call("create_directory", { path: "a/b" }, true)).created, false);
    assertEquals(treeOf(root), { "a/": "", "a/b/": "", "a/b/c/": "" });
    plant(root, { "file": "x" });
    const cases: readonly (readonly [Record<string, unknown>, string])[] = [
      [{ path: "n/m", parents: false }, "FILE_NOT_FOUND"],
      [{ path: "file" }, "FILE_EXISTS"],
      [{ path: "file/x" }, "NOT_A_DIRECTORY"],
      [{ path: "../x" }, "PATH_OUTSIDE_WORKSPACE"],
    ];
    for (const [args, code] of cases) {
      const error = await failure(() => call("create_directory", args));
      assertEquals(error.code, code, JSON.stringify(args));
    }
  }));

Deno.test("get_file_info tells of a link itself, where it may be known where it leads", () =>
  inWorkspace(async ({ root, call }) => {
    plant(root, { "a": "1", "l": "-> a", "dangling": "-> nowhere", "out": "-> /etc/hostname" });
    const info = await call("get_file_info", { path: "l" });
    assertEquals([info.path, info.type, info.target], ["l", "symlink", "a"]);
    assertEquals((await call("get_file_info", { path: "dangling" })).target, "nowhere");
    const error = await failure(() => call("get_file_info", { path: "out" }));
    assertEquals(error.code, "PATH_OUTSIDE_WORKSPACE");
  }));
