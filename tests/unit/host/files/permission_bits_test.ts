import { assert, assertEquals } from "@std/assert";
import { ToolError } from "../../../../src/core/errors.ts";
import { createLinuxFiles } from "../../../../src/host/files/linux/files.ts";
import { LIBC } from "../../sandbox/_libc.ts";
import {
  ALONE,
  at,
  bytes,
  code,
  KEEPING,
  keeping,
  LONG,
  modeOf,
  OVERWRITING,
  paint,
  picture,
  tree,
} from "./_backends.ts";
import { withDirectory } from "./_temporary.ts";

/** The user that owns nothing, by custom (Linux: /proc/sys/fs/overflowuid). */
const NOBODY = 65_534;
/** setfsuid(2), setfsgid(2): of this thread alone, and with it goes what root may do to any file. */
const SETFS = Deno.build.arch === "x86_64" ? [122, 123] as const : [151, 152] as const;
const isRoot = Deno.uid() === 0;

/** Runs `use` in a directory of a user's who is not root, as that user. */
async function asUser(
  before: readonly string[],
  use: (root: string, asRoot: (action: () => void) => void) => void,
): Promise<void> {
  const become = (id: number): void => {
    if (!isRoot) return;
    for (const call of SETFS.toReversed()) LIBC.call(call, id);
  };
  await withDirectory((root) => {
    if (isRoot) Deno.chownSync(root, NOBODY, NOBODY);
    become(NOBODY);
    try {
      paint(root, before);
      use(root, (action) => {
        become(0);
        try {
          action();
        } finally {
          become(NOBODY);
        }
      });
    } finally {
      become(0);
      new Deno.Command("chmod", { args: ["-R", "u+rwX", root] }).outputSync();
    }
  });
}

const files = createLinuxFiles(LIBC);
const ALL = { ...LONG, recursive: true };

Deno.test("what this user may not write is not replaced, whatever its folder lets him do", async () => {
  await asUser(["f = f", "g = g", "d/", "d/x = x"], (root) => {
    Deno.chmodSync(`${root}/f`, 0o444);
    const before = picture(root);
    const denied: Readonly<Record<string, () => unknown>> = {
      write: () => files.write(at(`${root}/f`), bytes("x"), ALONE),
      append: () => files.append(at(`${root}/f`), bytes("x"), { createParents: false, ...LONG }),
      apply: () =>
        files.apply([{ kind: "remove", target: at(`${root}/f`), expect: "anything" }], LONG),
      restore: () => files.restore(at(`${root}/f`), at(`${root}/g`), LONG),
      copy: () => files.copy(tree(`${root}/g`), tree(`${root}/f`), OVERWRITING),
      move: () => files.move(tree(`${root}/g`), tree(`${root}/f`), OVERWRITING),
    };
    for (const [what, action] of Object.entries(denied)) {
      assertEquals(code(action), "NATIVE_DENIED", what);
      assertEquals(picture(root), before, what);
    }
    // To be moved away or backed up it need not be writable.
    assertEquals(files.backUp(at(`${root}/f`), keeping()), "f.bak");
    files.move(tree(`${root}/f`), tree(`${root}/d/f`), KEEPING);
    assertEquals(modeOf(`${root}/d/f`), 0o444);
  });
});

Deno.test("in a folder that this user may not write to nothing is made, changed or removed", async () => {
  await asUser(["d/", "d/x = x", "d/e/", "y = y"], (root) => {
    Deno.chmodSync(`${root}/d`, 0o555);
    const before = picture(root);
    const denied: Readonly<Record<string, () => unknown>> = {
      write: () => files.write(at(`${root}/d/x`), bytes("x"), ALONE),
      "write new": () =>
        files.write(at(`${root}/d/n/e/w`), bytes("x"), { ...ALONE, createParents: true }),
      append: () => files.append(at(`${root}/d/x`), bytes("x"), { createParents: false, ...LONG }),
      backUp: () => files.backUp(at(`${root}/d/x`), keeping()),
      remove: () => files.remove(tree(`${root}/d/x`), ALL),
      "remove of a folder in it": () => files.remove(tree(`${root}/d/e`), ALL),
      "copy into": () => files.copy(tree(`${root}/y`), tree(`${root}/d/y`), KEEPING),
      "copy of a folder into": () => files.copy(tree(`${root}/d/e`), tree(`${root}/d/f`), KEEPING),
      "move into": () => files.move(tree(`${root}/y`), tree(`${root}/d/y`), KEEPING),
      "move out of": () => files.move(tree(`${root}/d/x`), tree(`${root}/x`), KEEPING),
      createDirectory: () => files.createDirectory(at(`${root}/d/new`), { parents: true }),
      apply: () =>
        files.apply([
          { kind: "write", target: at(`${root}/y`), bytes: bytes("new"), ...ALONE },
          { kind: "remove", target: at(`${root}/d/x`), expect: "anything" },
        ], LONG),
    };
    for (const [what, action] of Object.entries(denied)) {
      assertEquals(code(action), "NATIVE_DENIED", what);
      assertEquals(picture(root), before, what);
    }
  });
});

Deno.test("a tree that this user may not read in part is copied without that, and removed or moved whole", async () => {
  await asUser(["t/", "t/a = a", "t/closed = c", "t/d/"], (root) => {
    Deno.chmodSync(`${root}/t/closed`, 0o200);
    Deno.chmodSync(`${root}/t/d`, 0o000);
    assertEquals(files.copy(tree(`${root}/t`), tree(`${root}/u`), KEEPING), {
      files: 1,
      bytes: 1,
      leftOut: 2,
    });
    assertEquals(picture(`${root}/u`), ["a = a"]);
    const { files: seen, directories } = files.countTree(tree(`${root}/t`), LONG);
    assertEquals([seen, directories], [2, 2]);
    assertEquals(
      code(() =>
        files.append(at(`${root}/t/closed`), bytes("x"), { createParents: false, ...LONG })
      ),
      "NATIVE_DENIED",
    );
    files.move(tree(`${root}/t`), tree(`${root}/v`), KEEPING);
    Deno.removeSync(`${root}/v/d`);
    assertEquals(files.remove(tree(`${root}/v`), ALL).entries, 3);
  });
});

Deno.test("what cannot be removed stops the removal, which says how far it came", async () => {
  await asUser(["t/", "t/a = a", "t/b/", "t/b/c = c", "t/d = d"], (root) => {
    Deno.chmodSync(`${root}/t/b`, 0o555);
    try {
      files.remove(tree(`${root}/t`), ALL);
      throw new Error("it was removed");
    } catch (error) {
      assert(error instanceof ToolError, String(error));
      assertEquals([error.code, error.details], ["NATIVE_DENIED", { removed: 1 }]);
      assert(error.message.includes("1 of the entries"));
    }
    assertEquals(picture(root), ["t/", "t/b/", "t/b/c = c", "t/d = d"]);
  });
});

Deno.test("a backup of another user's file lets nobody read it who could not before", async () => {
  await asUser(["f = f"], (root, asRoot) => {
    asRoot(() => {
      // Only root has files of others to show; any other user's own keep their group.
      if (isRoot) Deno.chownSync(`${root}/f`, 0, 0);
      Deno.chmodSync(`${root}/f`, 0o644);
    });
    files.backUp(at(`${root}/f`), keeping());
    assertEquals(modeOf(`${root}/f.bak`), isRoot ? 0o604 : 0o644);
    assertEquals(
      code(() => files.write(at(`${root}/f`), bytes("x"), ALONE)),
      isRoot ? "NATIVE_DENIED" : "nothing thrown",
    );
  });
});
