/** When a tree is read anew: told by a watch, by times, or not to be known. The reader is one that counts, or makes up. */

import { assert, assertEquals } from "@std/assert";
import type { CanonicalPath } from "../../../../src/core/capability.ts";
import { FolderTree } from "../../../../src/host/scan/_folder_tree.ts";
import type { FolderReader, FolderWatch } from "../../../../src/host/scan/folder_reader.ts";
import { createFolderReader } from "../../../../src/host/scan/linux/folder_reader.ts";
import { pathRule } from "../../policy/_fixtures.ts";
import { rulebookOf } from "../_rulebook.ts";
import { withDirectory } from "../files/_temporary.ts";
import { LIBC } from "./_paths.ts";

const POLICY = { paths: [pathRule("allow", ["**"]), pathRule("deny", ["**/.env"])] };

/** A tree of four folders, its reader with parts replaced, and which folders it read since it was last asked. */
async function withTree(
  parts: (reader: FolderReader) => Partial<FolderReader>,
  use: (tree: FolderTree, root: CanonicalPath, read: () => readonly string[]) => void,
): Promise<void> {
  await withDirectory((root) => {
    for (const name of ["a/b", "c"]) Deno.mkdirSync(`${root}/${name}`, { recursive: true });
    const real = createFolderReader(LIBC);
    const reader = { ...real, ...parts(real) };
    const seen: string[] = [];
    const tree = new FolderTree(rulebookOf(root, POLICY), {
      ...reader,
      read(path, filter, most, watch) {
        seen.push(path === root ? "." : path.slice(root.length + 1));
        return reader.read(path, filter, most, watch);
      },
    }, 5_000_000);
    use(tree, root, () => seen.splice(0).sort());
    tree.close();
  });
}

const ALL = [".", "a", "a/b", "c"];

Deno.test("a watched tree reads what changed alone, and plain names change nothing", async () => {
  await withTree(() => ({}), (tree, root, read) => {
    tree.refresh([root]);
    assertEquals([read(), tree.isWatched], [ALL, false]);
    tree.refresh([root]);
    assertEquals([read(), tree.isWatched], [ALL, true]);
    const { version } = tree;
    Deno.writeTextFileSync(`${root}/a/plain`, "");
    Deno.removeSync(`${root}/a/plain`);
    tree.refresh([root]);
    assertEquals([read(), tree.version], [[], version]);
    Deno.writeTextFileSync(`${root}/a/.env`, "");
    tree.refresh([root]);
    assertEquals(read(), ["a"]);
    assertEquals(tree.root(root)?.isWhole("read"), false);
    Deno.removeSync(`${root}/a/.env`);
    tree.refresh([root]);
    assertEquals([read(), tree.root(root)?.isWhole("read")], [["a"], true]);
  });
});

Deno.test("settled folders that cannot be watched are looked at, and read when their times changed", async () => {
  const now = Date.now;
  // The change time cannot be set back: the clock is set forward instead.
  Date.now = () => now() + 3_600_000;
  try {
    await withTree(() => ({ watch: () => null }), (tree, root, read) => {
      tree.refresh([root]);
      read();
      tree.refresh([root]);
      assertEquals([read(), tree.isWatched], [[], false]);
      Deno.writeTextFileSync(`${root}/c/.env`, "");
      // The clock of the file system may not have ticked since: another time stands for that.
      Deno.utimeSync(`${root}/c`, 1_000_000_000, 1_000_000_000);
      tree.refresh([root]);
      assertEquals([read(), tree.root(root)?.isWhole("read")], [["c"], false]);
    });
  } finally {
    Date.now = now;
  }
});

Deno.test("folders that changed just now are read again, whatever their times", async () => {
  await withTree(() => ({ watch: () => null }), (tree, root, read) => {
    tree.refresh([root]);
    read();
    tree.refresh([root]);
    assertEquals(read(), ALL);
  });
});

/** The watch of this machine with parts replaced, and how many were closed. */
function watching(parts: (watch: FolderWatch) => Partial<FolderWatch>) {
  const closed = { count: 0 };
  const replace = (reader: FolderReader): Partial<FolderReader> => ({
    watch() {
      const watch = reader.watch();
      assert(watch !== null);
      const close = () => {
        closed.count++;
        watch.close();
      };
      return {
        add: (descriptor, device) => watch.add(descriptor, device),
        remove: (watched) => watch.remove(watched),
        take: () => watch.take(),
        close,
        ...parts(watch),
      };
    },
  });
  return { closed, replace };
}

Deno.test("without watches enough the tree goes on by times, and nothing is half watched", async () => {
  let left = 2;
  const { closed, replace } = watching((watch) => ({
    add: (descriptor, device) => left-- > 0 ? watch.add(descriptor, device) : null,
  }));
  await withTree(replace, (tree, root) => {
    tree.refresh([root]);
    tree.refresh([root]);
    assertEquals([tree.isWatched, closed.count], [false, 1]);
    for (const name of ["c", "a/b", "."]) {
      Deno.writeTextFileSync(`${root}/${name}/.env`, "");
      tree.refresh([root]);
      assertEquals(tree.root(root)?.isWhole("read"), false, name);
      Deno.removeSync(`${root}/${name}/.env`);
      tree.refresh([root]);
      assertEquals(tree.root(root)?.isWhole("read"), true, name);
    }
  });
});

Deno.test("what was lost sight of is read whole, and too many losses end the watch", async () => {
  let losses = 0;
  const { closed, replace } = watching((watch) => ({
    take: () => losses-- > 0 ? null : watch.take(),
  }));
  await withTree(replace, (tree, root, read) => {
    tree.refresh([root]);
    tree.refresh([root]);
    read();
    losses = 1;
    tree.refresh([root]);
    assertEquals([read(), tree.isWatched, closed.count], [ALL, true, 1]);
    losses = 100;
    tree.refresh([root]);
    assertEquals([tree.isWatched, closed.count], [false, 4]);
    assertEquals(tree.root(root)?.isWhole("read"), true);
  });
});

Deno.test("what changes all the while is closed, and open again when it rests", async () => {
  let restless: string | null = null;
  const { replace } = watching((watch) => ({
    take() {
      // A folder that comes and goes each time that anybody looks.
      if (restless !== null) {
        Deno.mkdirSync(restless);
        Deno.removeSync(restless);
      }
      return watch.take();
    },
  }));
  await withTree(replace, (tree, root) => {
    tree.refresh([root]);
    tree.refresh([root]);
    restless = `${root}/a/x`;
    tree.refresh([root]);
    assertEquals(tree.root(root)?.isWhole("read"), false);
    assertEquals(tree.root(root)?.listed?.folders.get("a")?.contents, "restless");
    assertEquals(tree.root(root)?.listed?.folders.get("c")?.isWhole("read"), true);
    restless = null;
    tree.refresh([root]);
    assertEquals([tree.root(root)?.isWhole("read"), tree.isWatched], [true, true]);
  });
});

Deno.test("a million entries that no rule speaks of are counted and not kept", async () => {
  await withTree((reader) => ({
    read(path, filter, most, watch) {
      const listing = reader.read(path, filter, most, watch);
      return listing === null || listing === "too many" ? listing : { ...listing, others: 250_000 };
    },
  }), (tree, root) => {
    tree.refresh([root]);
    assertEquals(tree.root(root)?.isWhole("write"), true);
  });
});
