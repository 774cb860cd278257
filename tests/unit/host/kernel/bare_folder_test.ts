/** Folders that go where nothing is left in them. */

import { assertEquals } from "@std/assert";
import {
  makeBareFolder,
  makeEmptyFolder,
  removeBareFolder,
  removeBarePortably,
  removeEmptyFolder,
} from "../../../../src/host/kernel/bare_folder.ts";
import { LIBC } from "../../sandbox/_libc.ts";

const WAYS = {
  kernel: (path: string) => removeBareFolder(LIBC, path, ".git"),
  portable: (path: string) => removeBarePortably(path, ".git"),
};

for (const [way, remove] of Object.entries(WAYS)) {
  Deno.test(`a folder goes with its file and empty folders, and with nothing else: ${way}`, () => {
    const outer = Deno.realPathSync(Deno.makeTempDirSync());
    try {
      const rows: readonly [string, (folder: string) => void, boolean][] = [
        ["the file alone", () => {}, true],
        ["empty folders", (at) => Deno.mkdirSync(`${at}/a/b\u00e9/c`, { recursive: true }), true],
        ["a file more", (at) => Deno.writeTextFileSync(`${at}/x`, "mine"), false],
        ["a file deep in it", (at) => {
          Deno.mkdirSync(`${at}/a/b`, { recursive: true });
          Deno.writeTextFileSync(`${at}/a/b/x`, "mine");
        }, false],
        ["a link", (at) => Deno.symlinkSync(outer, `${at}/link`), false],
        ["a file of that name deeper in it", (at) => {
          Deno.mkdirSync(`${at}/a`);
          Deno.writeTextFileSync(`${at}/a/.git`, "mine");
        }, false],
        ["a folder for the file", (at) => {
          Deno.removeSync(`${at}/.git`);
          Deno.mkdirSync(`${at}/.git`);
        }, false],
        ["a link for the file", (at) => {
          Deno.renameSync(`${at}/.git`, `${outer}/moved`);
          Deno.symlinkSync(`${outer}/moved`, `${at}/.git`);
        }, false],
        ["no file", (at) => Deno.removeSync(`${at}/.git`), true],
        ["another file", (at) => Deno.renameSync(`${at}/.git`, `${at}/git`), false],
      ];
      for (const [name, fill, gone] of rows) {
        const folder = `${outer}/folder`;
        Deno.mkdirSync(folder);
        Deno.writeTextFileSync(`${folder}/.git`, "gitdir: there\n");
        fill(folder);
        const before = listOf(folder);
        assertEquals(remove(folder), gone, name);
        if (gone) continue;
        assertEquals(listOf(folder), before, name);
        Deno.removeSync(folder, { recursive: true });
      }
      // Whoever has the place of the folder for a link loses nothing of what that leads to.
      Deno.mkdirSync(`${outer}/other`);
      Deno.writeTextFileSync(`${outer}/other/.git`, "gitdir: there\n");
      Deno.symlinkSync("other", `${outer}/link`);
      if (way === "kernel") assertEquals(remove(`${outer}/link`), false);
      assertEquals(remove(`${outer}/none`), false);
      assertEquals(listOf(`${outer}/other`), ["/.git"]);
    } finally {
      Deno.removeSync(outer, { recursive: true });
    }
  });
}

Deno.test("a folder goes with the empty ones in it, and with nothing else", () => {
  const outer = Deno.realPathSync(Deno.makeTempDirSync());
  const folder = `${outer}/folder`;
  try {
    Deno.mkdirSync(`${folder}/a/b`, { recursive: true });
    Deno.writeTextFileSync(`${folder}/a/b/x`, "mine");
    Deno.mkdirSync(`${folder}/c`);
    assertEquals(removeEmptyFolder(LIBC, folder), false);
    assertEquals(listOf(folder), ["/a", "/a/b", "/a/b/x", "/c"]);
    Deno.removeSync(`${folder}/a/b/x`);
    Deno.symlinkSync(folder, `${outer}/link`);
    assertEquals(removeEmptyFolder(LIBC, `${outer}/link`), false);
    assertEquals(removeEmptyFolder(LIBC, folder), true);
    assertEquals(listOf(outer), ["/link"]);
    assertEquals(removeEmptyFolder(LIBC, folder), false);
  } finally {
    Deno.removeSync(outer, { recursive: true });
  }
});

Deno.test("a folder is made with those above it, and nowhere that a link leads", () => {
  const outer = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    const root = `${outer}/root`;
    for (const name of ["root", "other"]) Deno.mkdirSync(`${outer}/${name}`);
    Deno.writeTextFileSync(`${root}/file`, "");
    Deno.symlinkSync("../other", `${root}/link`);
    const made = (name: string) => makeBareFolder(LIBC, root, `${root}/${name}`);
    assertEquals(["a", "a/b/c", "a/b/d"].map(made), [true, true, true]);
    assertEquals(["link", "link/x", "file", "file/x", "a/b/c"].map(made), [
      ...[false, false, false, false],
      true,
    ]);
    // What is first in it lies in one that is made, and in none that was there.
    const first = { name: "first", text: "1" };
    for (const name of ["a/b/d/e", "a/b/d", "link"]) {
      makeBareFolder(LIBC, root, `${root}/${name}`, first);
    }
    assertEquals(Deno.readTextFileSync(`${root}/a/b/d/e/first`), "1");
    assertEquals(listOf(outer), [
      ...["/other", "/root", "/root/a", "/root/a/b", "/root/a/b/c", "/root/a/b/d"],
      ...["/root/a/b/d/e", "/root/a/b/d/e/first", "/root/file", "/root/link"],
    ]);
  } finally {
    Deno.removeSync(outer, { recursive: true });
  }
});

Deno.test("a folder is made in one that is there, where nothing has its name and no link leads", () => {
  const outer = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    Deno.mkdirSync(`${outer}/other`);
    Deno.writeTextFileSync(`${outer}/file`, "");
    Deno.symlinkSync("other", `${outer}/link`);
    Deno.symlinkSync("nowhere", `${outer}/dangling`);
    const names = ["a", "a", "a/b", "none/x", "file", "file/x", "link", "link/x", "dangling"];
    assertEquals(names.map((name) => makeEmptyFolder(LIBC, `${outer}/${name}`)), [
      ...[true, false, true, false, false, false, false, false, false],
    ]);
    assertEquals(listOf(outer), ["/a", "/a/b", "/dangling", "/file", "/link", "/other"]);
  } finally {
    Deno.removeSync(outer, { recursive: true });
  }
});

function listOf(folder: string, below = ""): readonly string[] {
  return [...Deno.readDirSync(`${folder}${below}`)].flatMap(({ name, isDirectory }) => {
    const path = `${below}/${name}`;
    return [path, ...isDirectory ? listOf(folder, path) : []];
  }).sort();
}
