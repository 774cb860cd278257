import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { ToolError } from "../../../../src/core/errors.ts";
import { at, backends, code, KEEPING, LONG, paint, picture, refusing, tree } from "./_backends.ts";
import { withDirectory } from "./_temporary.ts";

const TREE = ["t/", "t/a = a", "t/b/", "t/b/c = c", "t/b/d/", "t/l -> a", "t/out -> /etc/passwd"];
const ALL = { ...LONG, recursive: true };
const ONE = { ...LONG, recursive: false };

for (const [name, create] of backends) {
  Deno.test(`${name}: remove takes a file, a link and an empty directory themselves`, async () => {
    await withDirectory((root) => {
      const files = create();
      paint(root, ["file = f", "dir/", "dir/x = x", "empty/", "link -> dir", "dangling -> none"]);
      for (const path of ["file", "empty", "link", "dangling"]) {
        assertEquals(files.remove(tree(`${root}/${path}`), ONE), { entries: 1 });
      }
      assertEquals(picture(root), ["dir/", "dir/x = x"]);
      assertEquals(code(() => files.remove(tree(`${root}/none`), ONE)), "FILE_NOT_FOUND");
      assertEquals(code(() => files.remove(tree(`${root}/no/where`), ONE)), "FILE_NOT_FOUND");
      const error = assertThrows(() => files.remove(tree(`${root}/dir`), ONE), ToolError);
      assertEquals(error.code, "INVALID_ARGUMENTS");
      assertStringIncludes(error.message, "recursive: true");
      assertEquals(picture(root), ["dir/", "dir/x = x"]);
    });
  });

  Deno.test(`${name}: remove takes a tree, links for what they are`, async () => {
    await withDirectory((root) => {
      paint(root, [...TREE, "kept/", "kept/k = k", "t/away -> ../kept", "t/p = ?"]);
      assertEquals(create().remove(tree(`${root}/t`), ALL), { entries: 9 });
      assertEquals(picture(root), ["kept/", "kept/k = k"]);
    });
  });

  Deno.test(`${name}: remove says that somebody filled what it empties, and leaves that`, async () => {
    await withDirectory((root) => {
      paint(root, ["t/", "t/b/", "t/b/c = c"]);
      // All is judged before anything is removed, and again as it is removed: what is in the directory is known by then.
      let judged = 0;
      const admit = () => (path: string) => {
        if (path.endsWith("/c") && ++judged === 2) Deno.writeTextFileSync(`${root}/t/b/new`, "n");
        return true;
      };
      const removing = () => create().remove({ ...tree(`${root}/t`), admit }, ALL);
      const error = assertThrows(removing, ToolError);
      assertEquals([error.code, error.details?.["removed"]], ["STALE_FILE", 1]);
      assertStringIncludes(error.message, "while it was removed");
      assertEquals(picture(root), ["t/", "t/b/", "t/b/new = n"]);
    });
  });

  Deno.test(`${name}: remove changes nothing where anything below is protected`, async () => {
    await withDirectory((root) => {
      paint(root, TREE);
      for (const refused of ["/t/b/c", "/t/b", "/t/l", "/t/b/d"]) {
        const removing = () => create().remove(tree(`${root}/t`, refused), ALL);
        const error = assertThrows(removing, ToolError);
        assertEquals([error.code, error.details], ["PATH_DENIED", { refused: 1 }]);
        assertEquals(picture(root), TREE);
      }
      // An empty directory has nothing to protect.
      assertEquals(create().remove(tree(`${root}/t/b/d`, "x"), ALL), { entries: 1 });
    });
  });

  Deno.test(`${name}: what is there is judged by its kind, before anything is done`, async () => {
    await withDirectory((root) => {
      const files = create();
      paint(root, TREE);
      const denied = "EXTENSION_DENIED";
      const cases: readonly (readonly [string, () => unknown])[] = [
        ["remove file", () => files.remove(refusing(tree(`${root}/t/a`), "file"), ONE)],
        ["remove link", () => files.remove(refusing(tree(`${root}/t/l`), "file"), ONE)],
        ["remove tree", () => files.remove(refusing(tree(`${root}/t`), "directory"), ALL)],
        ["countTree", () => files.countTree(refusing(tree(`${root}/t/a`), "file"), LONG)],
        [
          "copy",
          () => files.copy(refusing(tree(`${root}/t/a`), "file"), tree(`${root}/n`), KEEPING),
        ],
        [
          "copy to",
          () => files.copy(tree(`${root}/t/a`), refusing(tree(`${root}/n`), "file"), KEEPING),
        ],
        [
          "move",
          () => files.move(refusing(tree(`${root}/t`), "directory"), tree(`${root}/n`), KEEPING),
        ],
        [
          "move to",
          () => files.move(tree(`${root}/t`), refusing(tree(`${root}/n`), "directory"), KEEPING),
        ],
      ];
      for (const [what, action] of cases) {
        assertEquals(code(action), denied, what);
        assertEquals(picture(root), TREE, what);
      }
    });
  });

  Deno.test(`${name}: survey counts what a change would touch`, async () => {
    await withDirectory((root) => {
      const files = create();
      paint(root, [...TREE, "t/p = ?"]);
      const whole = {
        type: "directory",
        files: 2,
        directories: 3,
        others: 3,
        bytes: 2,
        refused: 0,
      };
      assertEquals(files.countTree(tree(`${root}/t`), LONG), whole as never);
      assertEquals(files.countTree(tree(`${root}/t`, "/b"), LONG), {
        ...whole,
        files: 1,
        directories: 1,
        bytes: 1,
        refused: 1,
      } as never);
      const one = { files: 0, directories: 0, others: 0, bytes: 0, refused: 0 };
      assertEquals(files.countTree(tree(`${root}/t/a`), LONG), {
        ...one,
        type: "file",
        files: 1,
        bytes: 1,
      });
      assertEquals(files.countTree(tree(`${root}/t/l`), LONG), {
        ...one,
        type: "symlink",
        others: 1,
      });
      assertEquals(code(() => files.countTree(tree(`${root}/none`), LONG)), "FILE_NOT_FOUND");
    });
  });

  Deno.test(`${name}: createDirectory makes one, its parents where it is told, and nothing twice`, async () => {
    await withDirectory((root) => {
      const files = create();
      const make = (path: string, parents: boolean) =>
        files.createDirectory(at(`${root}/${path}`), { parents });
      assertEquals(make("a", false), { created: true });
      assertEquals(make("a", false), { created: false });
      assertEquals(code(() => make("b/c", false)), "FILE_NOT_FOUND");
      assertEquals(make("b/c/d", true), { created: true });
      assertEquals(make("b/c/d", true), { created: false });
      paint(root, ["file = f", "link -> a"]);
      assertEquals(code(() => make("file", true)), "FILE_EXISTS");
      assertEquals(code(() => make("link", true)), "FILE_EXISTS");
      assertEquals(code(() => make("file/x", true)), "NATIVE_DENIED");
      assertEquals(picture(root), ["a/", "b/", "b/c/", "b/c/d/", "file = f", "link -> a"]);
    });
  });
}
