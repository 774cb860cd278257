/** Writing that keeps what it replaces: the old file gets a second name before the new one takes its first. */

import { assertEquals } from "@std/assert";
import { createHash } from "node:crypto";
import { ToolError } from "../../../../src/core/errors.ts";
import type { FileBackend } from "../../../../src/host/files/file_backend.ts";
import { createChanging } from "../../../../src/host/files/change/changing.ts";
import { createPortablePrimitives } from "../../../../src/host/files/portable/primitives.ts";
import type { FilePrimitives } from "../../../../src/host/files/primitives.ts";
import { ERRNO } from "../../../../src/sandbox/kernel/errno.ts";
import { at, backends, bytes, code, keeping, modeOf, names, picture } from "./_backends.ts";
import { withDirectory } from "./_temporary.ts";

type Keeping = Pick<FileBackend, "writeKeeping">;

/** Writes over `x`, which has to hold `old`. */
function write(
  files: Keeping,
  root: string,
  [old, written]: readonly [string, string],
  limits: Parameters<typeof keeping>[0] = {},
): string {
  const sha256 = createHash("sha256").update(old).digest("hex");
  const options = { ...keeping(limits), expect: { sha256 } };
  return files.writeKeeping(at(`${root}/x`), bytes(written), options);
}

/** Changes over primitives of which some do otherwise. */
function over(other: (usual: FilePrimitives) => Partial<FilePrimitives>): Keeping {
  const usual = createPortablePrimitives();
  return createChanging({ ...usual, ...other(usual) });
}

for (const [name, create] of backends) {
  Deno.test(`${name}: each write keeps the file before it, with its mode and times`, async () => {
    await withDirectory((root) => {
      const files = create();
      Deno.writeTextFileSync(`${root}/x`, "one");
      Deno.chmodSync(`${root}/x`, 0o640);
      Deno.utimeSync(`${root}/x`, 1_000_000_000, 1_234_567_890);
      const { ino } = Deno.statSync(`${root}/x`);
      assertEquals(write(files, root, ["one", "two"]), "x.bak");
      assertEquals(write(files, root, ["two", "three"]), "x.bak.1");
      assertEquals(picture(root), ["x = three", "x.bak = one", "x.bak.1 = two"]);
      const kept = Deno.statSync(`${root}/x.bak`);
      // The file itself, not a copy, and nothing else leads to it.
      assertEquals([kept.ino, kept.nlink, kept.mtime?.getTime()], [ino, 1, 1_234_567_890_000]);
      assertEquals([modeOf(`${root}/x`), modeOf(`${root}/x.bak`)], [0o640, 0o640]);
      // What is written to the one does not show in the other.
      Deno.writeTextFileSync(`${root}/x`, "other");
      assertEquals(Deno.readTextFileSync(`${root}/x.bak.1`), "two");
    });
  });

  Deno.test(`${name}: a file with another name, or with a mode of its own, is copied`, async () => {
    await withDirectory((root) => {
      const files = create();
      Deno.writeTextFileSync(`${root}/x`, "one");
      Deno.linkSync(`${root}/x`, `${root}/also`);
      write(files, root, ["one", "two"]);
      Deno.writeTextFileSync(`${root}/also`, "changed");
      assertEquals(picture(root), ["also = changed", "x = two", "x.bak = one"]);
      Deno.chmodSync(`${root}/x`, 0o4755);
      write(files, root, ["two", "three"]);
      assertEquals([modeOf(`${root}/x.bak.1`), modeOf(`${root}/x`)], [0o755, 0o755]);
      assertEquals(Deno.readTextFileSync(`${root}/x.bak.1`), "two");
    });
  });

  Deno.test(`${name}: where nothing is written no backup is made`, async () => {
    await withDirectory((root) => {
      const files = create();
      assertEquals(code(() => write(files, root, ["one", "two"])), "STALE_FILE");
      Deno.writeTextFileSync(`${root}/x`, "other");
      assertEquals(code(() => write(files, root, ["one", "two"])), "STALE_FILE");
      const require = () => {
        throw new ToolError("PATH_DENIED", "no");
      };
      assertEquals(code(() => write(files, root, ["other", "two"], { require })), "PATH_DENIED");
      assertEquals(picture(root), ["x = other"]);
    });
  });

  Deno.test(`${name}: a name that is taken is left, and the policy's limits are held`, async () => {
    await withDirectory((root) => {
      const files = create();
      for (const taken of ["x", "x.bak", "x.bak.4"]) {
        Deno.writeTextFileSync(`${root}/${taken}`, "a");
      }
      assertEquals(write(files, root, ["a", "b"]), "x.bak.5");
      assertEquals(write(files, root, ["b", "c"], { keep: 2 }), "x.bak.6");
      assertEquals(picture(root), ["x = c", "x.bak.5 = a", "x.bak.6 = b"]);
    });
  });
}

Deno.test("where a file can have no second name it is copied", async () => {
  for (const errno of [ERRNO.EPERM, ERRNO.EMLINK, ERRNO.ENOSYS]) {
    await withDirectory((root) => {
      Deno.writeTextFileSync(`${root}/x`, "one");
      const files = over((usual) => ({
        linkAt: () => -errno,
        renameNew: usual.renameNew,
      }));
      assertEquals(write(files, root, ["one", "two"]), "x.bak");
      assertEquals(picture(root), ["x = two", "x.bak = one"]);
    });
  }
});

Deno.test("where the new file does not get the name the backup goes again", async () => {
  await withDirectory((root) => {
    Deno.writeTextFileSync(`${root}/x`, "one");
    const files = over(() => ({ renameOver: () => -ERRNO.EIO }));
    code(() => write(files, root, ["one", "two"]));
    assertEquals(picture(root), ["x = one"]);
    assertEquals(Deno.statSync(`${root}/x`).nlink, 1);
  });
});

Deno.test("another file that is put in the way meanwhile is neither kept nor replaced", async () => {
  await withDirectory((root) => {
    Deno.writeTextFileSync(`${root}/x`, "one");
    const files = over((usual) => ({
      linkAt(from, to) {
        Deno.writeTextFileSync(`${root}/y`, "another's");
        Deno.renameSync(`${root}/y`, `${root}/x`);
        return usual.linkAt(from, to);
      },
    }));
    assertEquals(code(() => write(files, root, ["one", "two"])), "STALE_FILE");
    assertEquals(picture(root), ["x = another's"]);
    assertEquals(names(root), ["x"]);
  });
});
