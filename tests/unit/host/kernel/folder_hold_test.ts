/** Folders that are held, and files that nobody writes. */

import { assert, assertEquals } from "@std/assert";
import { holdFolder, isLeftAlone } from "../../../../src/host/kernel/folder_hold.ts";
import { LIBC } from "../../sandbox/_libc.ts";

Deno.test("a folder is held by one, until he lets go of it or is gone", async () => {
  const root = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    Deno.writeTextFileSync(`${root}/file`, "");
    Deno.symlinkSync(root, `${root}/link`);
    const release = holdFolder(LIBC, root);
    assert(release !== null);
    assertEquals(holdFolder(LIBC, root), null);
    release();
    const again = holdFolder(LIBC, root);
    assert(again !== null);
    again();
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
    last();
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
