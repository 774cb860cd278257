/** What a write has replaced is let go of once the write is answered, and keeps nobody out until then. */

import { assertEquals } from "@std/assert";
import { createLinuxFiles } from "../../../../src/host/files/linux/files.ts";
import { createPortableFiles } from "../../../../src/host/files/portable/files.ts";
import { LIBC } from "../../sandbox/_libc.ts";
import { ALONE, at, bytes } from "./_backends.ts";
import { withDirectory } from "./_temporary.ts";

/** Files of this directory without a name that this process has open. */
function nameless(root: string): readonly string[] {
  return [...Deno.readDirSync("/proc/self/fd")].flatMap(({ name }) => {
    try {
      const path = Deno.readLinkSync(`/proc/self/fd/${name}`);
      return path.startsWith(`${root}/`) && path.endsWith(" (deleted)") ? [path] : [];
    } catch {
      return []; // the descriptor of the listing itself
    }
  });
}

Deno.test("one replaced file at most stays open, until it is settled", async () => {
  await withDirectory((root) => {
    const files = createLinuxFiles(LIBC);
    const write = (text: string) => files.write(at(`${root}/f`), bytes(text), ALONE);
    const open: number[] = [];
    for (const text of ["one", "two", "three"]) {
      write(text);
      open.push(nameless(root).length);
    }
    files.settle();
    open.push(nameless(root).length);
    assertEquals(open, [0, 1, 1, 0]);
    files.settle();
    assertEquals(Deno.readTextFileSync(`${root}/f`), "three");
  });
});

Deno.test("its lock is let go of before it is closed", async () => {
  await withDirectory((root) => {
    Deno.writeTextFileSync(`${root}/f`, "one");
    using waiting = Deno.openSync(`${root}/f`);
    const files = createLinuxFiles(LIBC);
    files.write(at(`${root}/f`), bytes("two"), ALONE);
    assertEquals(nameless(root).length, 2);
    assertEquals(waiting.tryLockSync(true), true);
    files.settle();
  });
});

Deno.test("over the runtime nothing stays open", async () => {
  await withDirectory((root) => {
    const files = createPortableFiles();
    for (const text of ["one", "two"]) files.write(at(`${root}/f`), bytes(text), ALONE);
    assertEquals(nameless(root), []);
    files.settle();
  });
});
