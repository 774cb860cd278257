/** Folders that are held, and files that nobody writes. */

import { assert, assertEquals } from "@std/assert";
import { holdFolder, isLeftAlone, mayBeHeld } from "../../../../src/host/kernel/folder_hold.ts";
import { ERRNO } from "../../../../src/sandbox/kernel/errno.ts";
import { LIBC } from "../../sandbox/_libc.ts";

Deno.test("a folder is held by one, until he lets go of it or is gone", async () => {
  const root = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    Deno.writeTextFileSync(`${root}/file`, "");
    Deno.symlinkSync(root, `${root}/link`);
    const held = holdFolder(LIBC, root);
    assert(held !== null);
    assertEquals(holdFolder(LIBC, root), null);
    held.release();
    const again = holdFolder(LIBC, root);
    assert(again !== null);
    again.release();
    for (const name of ["file", "link", "none"]) {
      assertEquals(holdFolder(LIBC, `${root}/${name}`), null, name);
    }
    // Not of one command that another starts: what it has started would hold the folder with it.
    const other = new Deno.Command("flock", {
      args: ["--no-fork", root, "sh", "-c", "echo held; exec sleep 60"],
      stdout: "piped",
    }).spawn();
    const reader = other.stdout.getReader();
    await reader.read();
    assertEquals(holdFolder(LIBC, root), null);
    other.kill("SIGKILL");
    await other.status;
    await reader.cancel();
    const last = holdFolder(LIBC, root);
    assert(last !== null);
    last.release();
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
});

Deno.test("whoever holds a folder writes a note in it, in place of what is there, and takes it away", () => {
  const root = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    const held = holdFolder(LIBC, root);
    assert(held !== null);
    Deno.writeTextFileSync(`${root}/other`, "other");
    for (const text of ["one", "a longer one", ""]) {
      assertEquals(held.write("note", text), true);
      assertEquals(Deno.readTextFileSync(`${root}/note`), text);
    }
    // A link in its place, or in that of what it is written to first, leads nowhere.
    for (const name of ["note", "note.new"]) {
      held.remove("note");
      Deno.symlinkSync("other", `${root}/${name}`);
      assertEquals(held.write("note", "mine"), true);
      assertEquals(Deno.lstatSync(`${root}/note`).isFile, true);
    }
    held.remove("note");
    held.remove("none");
    assertEquals([...Deno.readDirSync(root)].map(({ name }) => name), ["other"]);
    assertEquals(Deno.readTextFileSync(`${root}/other`), "other");
    Deno.mkdirSync(`${root}/note`);
    assertEquals(held.write("note", "mine"), false);
    assertEquals([...Deno.readDirSync(root)].length, 2);
    held.release();
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
});

Deno.test("a note that a full disk takes but the beginning of leaves nothing behind, and what was noted before stays", () => {
  const root = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    for (const room of [3, 0]) {
      let isFull = false;
      const libc = Object.assign(Object.create(LIBC), {
        transfer: (number: number, file: number, buffer: Uint8Array, count: number) => {
          if (!isFull) return LIBC.transfer(number, file, buffer, count);
          return room === 0 ? -ERRNO.ENOSPC : LIBC.transfer(number, file, buffer, room);
        },
      });
      const held = holdFolder(libc, root);
      assert(held !== null);
      assertEquals(held.write("note", "what was there"), true);
      isFull = true;
      assertEquals(held.write("note", "a later one"), false);
      held.release();
      assertEquals([...Deno.readDirSync(root)].map(({ name }) => name), ["note"]);
      assertEquals(Deno.readTextFileSync(`${root}/note`), "what was there");
    }
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
});

Deno.test("a file is left alone where nobody has it open for writing", () => {
  const root = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    const path = `${root}/file`;
    Deno.writeTextFileSync(path, "");
    Deno.symlinkSync(path, `${root}/link`);
    assertEquals(isLeftAlone(LIBC, path), true);
    const reading = Deno.openSync(path);
    assertEquals(isLeftAlone(LIBC, path), true);
    const writing = Deno.openSync(path, { write: true });
    assertEquals(isLeftAlone(LIBC, path), false);
    writing.close();
    assertEquals(isLeftAlone(LIBC, path), true);
    reading.close();
    for (const name of ["link", "none", "."]) {
      assertEquals(isLeftAlone(LIBC, `${root}/${name}`), false, name);
    }
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
});

Deno.test("a file may be held by a program of a name that was there before it and goes on", async () => {
  const root = Deno.realPathSync(Deno.makeTempDirSync());
  const program = `held-${crypto.randomUUID().slice(0, 8)}`;
  // As parts of git are called.
  const path = `${root}/${program}-x`;
  Deno.copyFileSync("/bin/cat", path);
  const before = new Deno.Command(path, { stdin: "piped", stdout: "piped" }).spawn();
  const writer = before.stdin.getWriter();
  try {
    // It has begun once it answers.
    await writer.write(new Uint8Array(1));
    const reader = before.stdout.getReader();
    await reader.read();
    Deno.writeTextFileSync(`${root}/lock`, "");
    assertEquals(mayBeHeld(LIBC, `${root}/lock`, program, ["y"]), true);
    assertEquals(mayBeHeld(LIBC, `${root}/lock`, program, ["x"]), false, "an idle part");
    assertEquals(mayBeHeld(LIBC, `${root}/lock`, `${program}-`, []), false, "another name");
    assertEquals(mayBeHeld(LIBC, `${root}/none`, program, []), true, "nobody can tell");
    await writer.close();
    await reader.cancel();
    await before.status;
    assertEquals(mayBeHeld(LIBC, `${root}/lock`, program, []), false, "it has ended");
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
});
