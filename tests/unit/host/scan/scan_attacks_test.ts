/** Scans of trees that change meanwhile, or are made to be hard to go through. */

import { assert, assertEquals, assertThrows } from "@std/assert";
import type { CanonicalPath } from "../../../../src/core/capability.ts";
import { ToolError } from "../../../../src/core/errors.ts";
import { createLinuxFiles } from "../../../../src/host/files/linux/files.ts";
import { AT_FDCWD, OPEN } from "../../../../src/sandbox/kernel/open_without_links.ts";
import { LIBC } from "../../sandbox/_libc.ts";
import { withDirectory, withDirectoryInMemory } from "../files/_temporary.ts";

import { backends, EVERYTHING, quick, scanOf, write } from "./_scan.ts";

/** Those of this process that belong to files. */
function openDescriptors(): number {
  return [...Deno.readDirSync("/proc/self/fd")].length;
}

for (const [name, create] of backends) {
  Deno.test(`${name}: what a visit throws ends the scan, and leaves nothing open`, async () => {
    await withDirectory((root) => {
      write(root, { "a/b/c": "1", "a/d": "2" });
      const before = openDescriptors();
      const stop = () => {
        throw new ToolError("CANCELLED", "cancelled");
      };
      const scan = scanOf(root, create());
      assertEquals(assertThrows(() => scan({}, stop), ToolError).code, "CANCELLED");
      const below = { ...EVERYTHING, below: stop };
      assertThrows(() => scan({ filter: () => below }), ToolError);
      assertThrows(() => scan({ filter: stop }), ToolError);
      assertEquals(openDescriptors(), before);
    });
  });

  Deno.test(`${name}: files and directories that vanish meanwhile are passed over`, async () => {
    await withDirectory((root) => {
      write(root, { "a/b": "1", "a/c": "2", "d/e": "3", "f": "4" });
      const found = scanOf(root, create())({}, (path) => {
        if (path !== "a/b") return;
        Deno.removeSync(`${root}/a`, { recursive: true });
        Deno.removeSync(`${root}/d`, { recursive: true });
      });
      assertEquals(found, ["a/b=1", ...(found.includes("a/c") ? ["a/c"] : []), "f=4"]);
    });
  });

  Deno.test(`${name}: links that take the place of files and directories are never followed`, async () => {
    await withDirectory((base) => {
      const root = `${base}/in` as CanonicalPath;
      write(base, {
        "in/a": "1",
        "in/b": "2",
        "in/d/x": "3",
        "out/x": "sentinel",
        "out/b": "sentinel",
      });
      const found = scanOf(root, create())({}, (path) => {
        if (path !== "a") return;
        Deno.removeSync(`${root}/b`);
        Deno.symlinkSync(`${base}/out/b`, `${root}/b`);
        Deno.renameSync(`${root}/d`, `${base}/d`);
        Deno.symlinkSync(`${base}/out`, `${root}/d`);
      });
      assert(!found.join().includes("sentinel"), found.join());
      assertEquals(found[0], "a=1");
    });
  });

  Deno.test(`${name}: a pipe or a directory that takes the place of a file holds nobody up`, async () => {
    await withDirectory((root) => {
      write(root, { "a": "1", "b": "2", "c": "3", "d": "4" });
      const found = scanOf(root, create())({}, (path) => {
        if (path !== "a") return;
        Deno.removeSync(`${root}/b`);
        new Deno.Command("mkfifo", { args: [`${root}/b`] }).outputSync();
        Deno.removeSync(`${root}/c`);
        Deno.mkdirSync(`${root}/c`);
      });
      assertEquals(found.filter((one) => one !== "b" && one !== "c"), ["a=1", "d=4"]);
    });
  });

  Deno.test(`${name}: a file of 10 GB without contents is passed over unread`, async () => {
    await withDirectory((root) => {
      write(root, { "a": "1", "huge": "", "z": "2" });
      Deno.truncateSync(`${root}/huge`, 10_000_000_000);
      assertEquals(scanOf(root, create())({ limit: 1_000_000 }), ["a=1", "huge", "z=2"]);
    });
  });
}

Deno.test("names that are no UTF-8 are passed over, with all that lies below them", async () => {
  await withDirectory((root) => {
    write(root, { "a": "1", "z": "2" });
    const { success } = new Deno.Command("sh", {
      args: [
        "-c",
        `printf x > "$(printf 'b\\377')"; mkdir "$(printf 'd\\377')"; printf x > "$(printf 'd\\377')/e"`,
      ],
      cwd: root,
    }).outputSync();
    assert(success);
    for (const libc of [LIBC, quick]) {
      assertEquals(scanOf(root, createLinuxFiles(libc))(), ["a=1", "z=2"]);
    }
  });
});

/** A file in a directory that is open. */
function createAt(directory: number, name: string, contents = ""): void {
  const { call, path, transfer, numbers } = LIBC;
  const file = call(numbers.openat, directory, path(name), OPEN.WRONLY | OPEN.CREAT, 0o600);
  assert(file >= 0);
  if (contents !== "") {
    const bytes = new TextEncoder().encode(contents);
    assertEquals(transfer(numbers.write, file, bytes, bytes.length), bytes.length);
  }
  call(numbers.close, file);
}

/** So deep that no path leads to the bottom: each directory is made from the one above. */
function makeDeep(root: string, depth: number): void {
  const { call, path, numbers } = LIBC;
  const flags = OPEN.RDONLY | numbers.O_DIRECTORY;
  let directory = call(numbers.openat, AT_FDCWD, path(root), flags);
  for (let level = 0; level <= depth; level++) {
    createAt(directory, "file", level === depth ? "end" : String(level));
    if (level === depth) break;
    assertEquals(call(numbers.mkdirat, directory, path("d"), 0o700), 0);
    const below = call(numbers.openat, directory, path("d"), flags);
    call(numbers.close, directory);
    directory = below;
  }
  call(numbers.close, directory);
}

Deno.test("a tree of 5,000 levels takes few descriptors, and every file of it is read", async () => {
  await withDirectory((root) => {
    makeDeep(root, 5000);
    let most = 0;
    const before = openDescriptors();
    let visited = 0;
    const found = scanOf(root, createLinuxFiles(quick))({}, () => {
      if (visited++ % 100 === 0) most = Math.max(most, openDescriptors() - before);
    });
    assertEquals(found.length, 5001);
    assert(found[0]?.endsWith("d/file=end"));
    assertEquals(found.at(-1), "file=0");
    assert(most <= 70, `${most}`);
    assertEquals(openDescriptors(), before);
    new Deno.Command("rm", { args: ["-rf", `${root}/d`] }).outputSync();
  });
});

Deno.test("a directory that was moved while it was closed is not taken for another one", async () => {
  await withDirectory((base) => {
    const root = `${base}/in` as CanonicalPath;
    Deno.mkdirSync(root);
    Deno.mkdirSync(`${base}/out`);
    write(base, { "out/e": "sentinel", "out/d/e": "sentinel" });
    makeDeep(root, 150);
    const level = (depth: number) => `${root}${"/d".repeat(depth)}`;
    const before = openDescriptors();
    const found: string[] = [];
    const scan = () =>
      scanOf(root, createLinuxFiles(quick))({}, (path) => {
        found.push(path);
        if (path.split("/").length !== 151) return;
        // The third level goes elsewhere, and a stranger takes its place.
        Deno.renameSync(level(3), `${base}/out/moved`);
        Deno.mkdirSync(level(3));
        Deno.writeTextFileSync(`${level(3)}/e`, "sentinel");
      });
    assertEquals(assertThrows(scan, ToolError).code, "NATIVE_DENIED");
    // All of what was moved, and nothing of where it is now.
    assertEquals(found.at(-1), "d/d/d/file");
    assertEquals(openDescriptors(), before);
  });
});

Deno.test("100,000 files in one directory are all visited", async () => {
  await withDirectoryInMemory((root) => {
    const { call, path, numbers } = LIBC;
    const directory = call(numbers.openat, AT_FDCWD, path(root), numbers.O_DIRECTORY);
    for (let index = 0; index < 100_000; index++) createAt(directory, `f${index}`);
    call(numbers.close, directory);
    const found = scanOf(root, createLinuxFiles(quick))({ room: null });
    assertEquals(found.length, 100_000);
    assertEquals([found[0], found[1], found.at(-1)], ["f0", "f1", "f99999"]);
  });
});
