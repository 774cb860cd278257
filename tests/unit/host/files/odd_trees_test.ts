import { assert, assertEquals } from "@std/assert";
import type { CanonicalPath } from "../../../../src/core/capability.ts";
import { createLinuxFiles } from "../../../../src/host/files/linux/files.ts";
import { createLinuxPrimitives } from "../../../../src/host/files/linux/primitives.ts";
import { pathRule } from "../../policy/_fixtures.ts";
import { LIBC } from "../../sandbox/_libc.ts";
import { at, bytes, code, KEEPING, LONG, names, paint, picture, tree } from "./_backends.ts";
import { rulebookOf } from "../_rulebook.ts";
import { withDirectoryInMemory } from "./_temporary.ts";

const files = createLinuxFiles(LIBC);
const ALL = { ...LONG, recursive: true };
const { openAt } = createLinuxPrimitives(LIBC);
const { mkdirat, openat, close, symlinkat, lseek } = LIBC.numbers;
const AT_FDCWD = -100;
const CREATE = 0o102;

/** Runs a shell script in a directory: for names that the runtime cannot write. */
function sh(cwd: string, script: string): string {
  const { success, stdout } = new Deno.Command("/bin/sh", { args: ["-c", script], cwd })
    .outputSync();
  assert(success, script);
  return new TextDecoder().decode(stdout);
}

const ODD = String.raw`mkdir -p "t/$(printf 'd\377')" "$(printf 't/line\nbreak')" 't/ '
  printf 1 > "t/$(printf 'd\377')/$(printf 'f\200\201')"; printf 2 > "$(printf 't/line\nbreak')/x"
  printf 3 > 't/*'; printf 4 > 't/-rf'; ln -s "$(printf 'to\377')" "t/$(printf 'l\376')"; printf 5 > 't/\377'`;
const listing = (root: string, name: string) =>
  sh(
    root,
    `cd ${name} && find . | LC_ALL=C sort | od -c && cat */* * 2>/dev/null; readlink l* | od -c`,
  );

Deno.test("names that are no text, or odd text, are copied, moved and removed as they are", async () => {
  await withDirectoryInMemory((root) => {
    sh(root, ODD);
    const wanted = listing(root, "t");
    assert(wanted.includes("377") && wanted.includes("\\n"));
    assertEquals(files.copy(tree(`${root}/t`), tree(`${root}/u`), KEEPING).leftOut, 0);
    assertEquals(listing(root, "u"), wanted);
    files.move(tree(`${root}/u`, "/none"), tree(`${root}/v`), KEEPING);
    assertEquals(listing(root, "v"), wanted);
    assertEquals(listing(root, "t"), wanted);
    assertEquals(files.countTree(tree(`${root}/t`), LONG).files, 5);
    for (const name of ["t", "v"]) {
      assertEquals(files.remove(tree(`${root}/${name}`), ALL).entries, 10);
    }
    assertEquals(names(root), []);
  });
});

Deno.test("names that are no text are judged by what of them is text", async () => {
  await withDirectoryInMemory((root) => {
    sh(
      root,
      String
        .raw`mkdir t; printf 1 > "t/$(printf '\377.env')"; printf 2 > "t/$(printf 'a\377.txt')"`,
    );
    const rulebook = rulebookOf(root, {
      paths: [pathRule("allow", ["**"]), pathRule("deny", ["**/*.env"])],
    });
    const judged = (path: string) => ({
      ...tree(`${root}/${path}`),
      admit: () => (entry: CanonicalPath) => rulebook.judgePath("write", entry).effect === "allow",
    });
    assertEquals(code(() => files.remove(judged("t"), ALL)), "PATH_DENIED");
    assertEquals(files.copy(judged("t"), judged("u"), KEEPING), { files: 1, bytes: 1, leftOut: 1 });
  });
});

/** A chain of directories, made by descriptors: no path of that length can be named. */
function chain(root: string, name: string, depth: number): void {
  let directory = LIBC.call(openat, AT_FDCWD, LIBC.path(root), 0o200000);
  for (let level = 0; level < depth; level++) {
    const part = level === 0 ? name : "d";
    LIBC.call(mkdirat, directory, LIBC.path(part), 0o755);
    const below = openAt(directory, part, "directory");
    LIBC.call(close, directory);
    directory = below;
  }
  LIBC.call(close, LIBC.call(openat, directory, LIBC.path("bottom"), CREATE, 0o644));
  LIBC.call(close, directory);
}

Deno.test("trees ten thousand levels deep are counted, copied, moved and removed, by few descriptors", async () => {
  await withDirectoryInMemory((root) => {
    const depth = 10_000;
    chain(root, "t", depth);
    const descriptors = names("/proc/self/fd").length;
    let most = 0;
    let looks = 0;
    const watched = {
      checkpoint: () => {
        if (looks++ % 50 === 0) most = Math.max(most, names("/proc/self/fd").length);
      },
    };
    assertEquals(files.countTree(tree(`${root}/t`), watched).directories, depth);
    const copied = files.copy(tree(`${root}/t`), tree(`${root}/u`), {
      ...watched,
      overwrite: false,
    });
    assertEquals(copied, { files: 1, bytes: 0, leftOut: 0 });
    files.move(tree(`${root}/u`), tree(`${root}/v`), KEEPING);
    assertEquals(files.countTree(tree(`${root}/v`), watched).directories, depth);
    for (const name of ["t", "v"]) {
      const { entries } = files.remove(tree(`${root}/${name}`), { ...watched, recursive: true });
      assertEquals(entries, depth + 1);
    }
    assertEquals(names(root), []);
    assertEquals(names("/proc/self/fd").length, descriptors);
    assert(most < descriptors + 100, `${most} descriptors`);
  });
});

Deno.test("a protected file a thousand levels deep protects all above it", async () => {
  await withDirectoryInMemory((root) => {
    chain(root, "t", 1_000);
    const rulebook = rulebookOf(root, {
      paths: [pathRule("allow", ["**"]), pathRule("deny", ["**/bottom"])],
    });
    const judged = (path: string) => ({
      ...tree(`${root}/${path}`),
      admit: (directory: CanonicalPath) =>
        rulebook.mayDenyBelow("write", directory)
          ? (entry: CanonicalPath) => rulebook.judgePath("write", entry).effect === "allow"
          : null,
    });
    assertEquals(code(() => files.remove(judged("t"), ALL)), "PATH_DENIED");
    assertEquals(code(() => files.move(judged("t"), judged("u"), KEEPING)), "PATH_DENIED");
    assertEquals(files.copy(judged("t"), judged("u"), KEEPING).leftOut, 1);
    assertEquals(files.countTree(tree(`${root}/t`), LONG).files, 1);
    assertEquals(files.remove(judged("u"), ALL).entries, 1_000);
    files.remove(tree(`${root}/t`), ALL);
  });
});

/** So many links: of all entries they are made the quickest. */
function wide(path: string, count: number): void {
  Deno.mkdirSync(path);
  const directory = LIBC.call(openat, AT_FDCWD, LIBC.path(path), 0o200000);
  for (let index = 0; index < count; index++) {
    LIBC.call(symlinkat, LIBC.path("x"), directory, LIBC.path(`n${index}`, 1));
  }
  LIBC.call(close, directory);
}

Deno.test("a hundred thousand entries are counted and removed, and ten thousand copied", async () => {
  await withDirectoryInMemory((root) => {
    wide(`${root}/t`, 100_000);
    assertEquals(files.countTree(tree(`${root}/t`), LONG).others, 100_000);
    assertEquals(files.remove(tree(`${root}/t`), ALL).entries, 100_001);
    wide(`${root}/t`, 10_000);
    assertEquals(files.copy(tree(`${root}/t`), tree(`${root}/u`), KEEPING).leftOut, 0);
    assertEquals(files.remove(tree(`${root}/u`, "/none"), ALL).entries, 10_001);
  });
});

Deno.test("ten gigabytes of nothing are added to, copied and backed up, and stay nothing", async () => {
  await withDirectoryInMemory((root) => {
    const path = `${root}/sparse`;
    const file = Deno.openSync(path, { create: true, write: true });
    file.truncateSync(10e9);
    file.seekSync(5e9, Deno.SeekMode.Start);
    file.writeSync(bytes("middle"));
    file.close();
    const added = files.append(at(path), bytes("end"), { createParents: false, ...LONG });
    assertEquals(added.size, 10e9 + 3);
    files.copy(tree(path), tree(`${root}/copy`), KEEPING);
    const read = (name: string, offset: number, length: number): string => {
      const opened = Deno.openSync(`${root}/${name}`);
      opened.seekSync(offset, Deno.SeekMode.Start);
      const buffer = new Uint8Array(length);
      opened.readSync(buffer);
      opened.close();
      return new TextDecoder().decode(buffer);
    };
    for (const name of ["sparse", "copy"]) {
      const info = Deno.statSync(`${root}/${name}`);
      assertEquals([info.size, (info.blocks ?? 0) < 1_000], [10e9 + 3, true]);
      assertEquals([read(name, 5e9, 6), read(name, 10e9, 3), read(name, 7e9, 1)], [
        "middle",
        "end",
        "\0",
      ]);
    }
    assertEquals(LIBC.callWide(lseek, -1, 0, 0), -9);
  });
});

Deno.test("directories that their owner may not write in are copied, and their copies cleared", async () => {
  await withDirectoryInMemory((root) => {
    paint(root, ["t/", "t/r/", "t/r/x = x"]);
    Deno.chmodSync(`${root}/t/r`, 0o555);
    files.copy(tree(`${root}/t`), tree(`${root}/u`), KEEPING);
    assertEquals(picture(`${root}/u`), ["r/", "r/x = x"]);
    for (const name of ["t", "u"]) Deno.chmodSync(`${root}/${name}/r`, 0o755);
  });
});
