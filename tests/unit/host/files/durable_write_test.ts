import { assert, assertEquals } from "@std/assert";
import type { CanonicalPath } from "../../../../src/core/capability.ts";
import { ToolError } from "../../../../src/core/errors.ts";
import type { Target } from "../../../../src/host/files/file_backend.ts";
import { createLinuxFiles } from "../../../../src/host/files/linux/files.ts";
import { createPortableFiles } from "../../../../src/host/files/portable/files.ts";
import { ERRNO } from "../../../../src/sandbox/kernel/errno.ts";
import type { Libc } from "../../../../src/sandbox/kernel/libc.ts";
import { LIBC } from "../../sandbox/_libc.ts";
import { Crash, failingAt } from "./_failing_libc.ts";
import { withDirectory } from "./_temporary.ts";

const at = (path: string): Target => ({ path: path as CanonicalPath, shown: "it" });
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const ALONE = { createParents: false, expect: "anything" } as const;
const names = (path: string): readonly string[] =>
  [...Deno.readDirSync(path)].map(({ name }) => name).sort();

/** How many system calls one write makes. */
function callsOfWrite(root: string): number {
  const counting = failingAt(Infinity, 1);
  Deno.writeTextFileSync(`${root}/f`, "old");
  createLinuxFiles(counting.libc).write(at(`${root}/f`), bytes("new"), {
    createParents: false,
    expect: "anything",
  });
  return counting.calls();
}

Deno.test("a writer that dies at any system call leaves old or new, and nothing after the next write", async () => {
  await withDirectory((root) => {
    const total = callsOfWrite(root);
    assert(total >= 10);
    for (let n = 1; n <= total; n++) {
      Deno.writeTextFileSync(`${root}/f`, "old");
      const writer = failingAt(n, null);
      try {
        createLinuxFiles(writer.libc).write(at(`${root}/f`), bytes("new"), {
          createParents: false,
          expect: "anything",
        });
      } catch (error) {
        if (!(error instanceof Crash)) throw error;
      }
      writer.bury();
      const content = Deno.readTextFileSync(`${root}/f`);
      assert(content === "old" || content === "new", `after call ${n}: ${content}`);
      assert(names(root).length <= 2);
      createLinuxFiles(LIBC).write(at(`${root}/other`), bytes("x"), {
        createParents: false,
        expect: "anything",
      });
      assertEquals(names(root), ["f", "other"], `after call ${n}`);
      Deno.removeSync(`${root}/other`);
    }
  });
});

Deno.test("an error at any system call leaves old or new, whole, and no temporary file", async () => {
  await withDirectory((root) => {
    const total = callsOfWrite(root);
    for (const errno of [ERRNO.EIO, ERRNO.ENOSPC, ERRNO.EACCES, ERRNO.EROFS]) {
      for (let n = 1; n <= total; n++) {
        Deno.writeTextFileSync(`${root}/f`, "old");
        let thrown: string | null = null;
        try {
          createLinuxFiles(failingAt(n, errno).libc)
            .write(at(`${root}/f`), bytes("new"), { createParents: false, expect: "anything" });
        } catch (error) {
          if (!(error instanceof ToolError)) throw error;
          thrown = error.code;
        }
        const content = Deno.readTextFileSync(`${root}/f`);
        // What failed was of no consequence, or the old is there.
        assertEquals(content, thrown === null ? "new" : content === "new" ? "new" : "old");
        const left = names(root).filter((name) => name !== "f");
        // Removing it may be what failed: then the next write does.
        if (left.length > 0) {
          createLinuxFiles(LIBC).write(at(`${root}/f`), bytes("x"), {
            createParents: false,
            expect: "anything",
          });
        }
        assertEquals(names(root), ["f"], `errno ${errno} at call ${n}`);
      }
    }
  });
});

Deno.test("a full disk and a quota are RESOURCE_LIMIT, a read-only file system is NATIVE_DENIED", async () => {
  await withDirectory((root) => {
    const cases = [
      [ERRNO.ENOSPC, "RESOURCE_LIMIT"],
      [ERRNO.EDQUOT, "RESOURCE_LIMIT"],
      [ERRNO.EFBIG, "RESOURCE_LIMIT"],
      [ERRNO.EROFS, "NATIVE_DENIED"],
      [ERRNO.EIO, "EXECUTION_ERROR"],
    ] as const;
    for (const [errno, expected] of cases) {
      let writes = 0;
      const libc: Libc = {
        ...LIBC,
        transfer(number, descriptor, buffer, count) {
          if (number !== LIBC.numbers.write) {
            return LIBC.transfer(number, descriptor, buffer, count);
          }
          // A disk takes some before it is full.
          return writes++ === 0
            ? LIBC.transfer(number, descriptor, buffer, Math.min(count, 2))
            : -errno;
        },
      };
      Deno.writeTextFileSync(`${root}/f`, "old");
      let thrown = "";
      try {
        createLinuxFiles(libc).write(at(`${root}/f`), bytes("newer"), {
          createParents: false,
          expect: "anything",
        });
      } catch (error) {
        thrown = (error as ToolError).code;
      }
      assertEquals(thrown, expected);
      assertEquals(Deno.readTextFileSync(`${root}/f`), "old");
      assertEquals(names(root), ["f"]);
    }
  });
});

Deno.test("a live writer's temporary file is left alone, a dead one's is cleared", async () => {
  await withDirectory((root) => {
    const { numbers } = LIBC;
    const hold = (name: string): number => {
      Deno.writeTextFileSync(`${root}/${name}`, "theirs");
      const descriptor = LIBC.call(numbers.openat, -100, LIBC.path(`${root}/${name}`), 2, 0);
      assertEquals(LIBC.call(numbers.flock, descriptor, 6), 0);
      return descriptor;
    };
    const live = hold(".toolgate-0.tmp");
    Deno.writeTextFileSync(`${root}/.toolgate-1.tmp`, "leftover");
    Deno.writeTextFileSync(`${root}/.toolgate-5.tmp`, "leftover");
    Deno.mkdirSync(`${root}/.toolgate-2.tmp`);
    Deno.symlinkSync("f", `${root}/.toolgate-3.tmp`);
    createLinuxFiles(LIBC).write(at(`${root}/f`), bytes("ours"), {
      createParents: false,
      expect: "anything",
    });
    assertEquals(names(root), [".toolgate-0.tmp", ".toolgate-2.tmp", ".toolgate-3.tmp", "f"]);
    assertEquals(Deno.readTextFileSync(`${root}/.toolgate-0.tmp`), "theirs");
    LIBC.call(numbers.close, live);
    createLinuxFiles(LIBC).write(at(`${root}/f`), bytes("again"), {
      createParents: false,
      expect: "anything",
    });
    assertEquals(names(root), [".toolgate-2.tmp", ".toolgate-3.tmp", "f"]);
    assertEquals(Deno.readTextFileSync(`${root}/f`), "again");
  });
});

Deno.test("what a dead writer had beside its slot goes with it, a live one's stays", async () => {
  await withDirectory((root) => {
    const { numbers } = LIBC;
    Deno.writeTextFileSync(`${root}/.toolgate-0.tmp`, "");
    const live = LIBC.call(numbers.openat, -100, LIBC.path(`${root}/.toolgate-0.tmp`), 2, 0);
    assertEquals(LIBC.call(numbers.flock, live, 6), 0);
    Deno.writeTextFileSync(`${root}/.toolgate-1.tmp`, "");
    for (const slot of [0, 1]) {
      Deno.mkdirSync(`${root}/.toolgate-${slot}-0.tmp/tree`, { recursive: true });
      Deno.chmodSync(`${root}/.toolgate-${slot}-0.tmp/tree`, 0o555);
      Deno.writeTextFileSync(`${root}/.toolgate-${slot}-12.tmp`, "");
    }
    Deno.writeTextFileSync(`${root}/.toolgate-1-x.tmp`, "somebody's");
    createLinuxFiles(LIBC).write(at(`${root}/f`), bytes("ours"), ALONE);
    assertEquals(names(root), [
      ".toolgate-0-0.tmp",
      ".toolgate-0-12.tmp",
      ".toolgate-0.tmp",
      ".toolgate-1-x.tmp",
      "f",
    ]);
    LIBC.call(numbers.close, live);
    createPortableFiles().write(at(`${root}/f`), bytes("ours"), ALONE);
    assertEquals(names(root), [".toolgate-1-x.tmp", "f"]);
  });
});

Deno.test("a program that keeps a lock on the file only delays a write", async () => {
  await withDirectory((root) => {
    const { numbers } = LIBC;
    for (const create of [() => createLinuxFiles(LIBC), createPortableFiles]) {
      Deno.writeTextFileSync(`${root}/f`, "old");
      const held = LIBC.call(numbers.openat, -100, LIBC.path(`${root}/f`), 2, 0);
      assertEquals(LIBC.call(numbers.flock, held, 6), 0);
      create().append(at(`${root}/f`), bytes(" and new"), {
        createParents: false,
        checkpoint: () => {},
      });
      LIBC.call(numbers.close, held);
      assertEquals(Deno.readTextFileSync(`${root}/f`), "old and new");
    }
  });
});

Deno.test("with every slot held there is still a way to write", async () => {
  await withDirectory((root) => {
    for (let slot = 0; slot < 8; slot++) Deno.mkdirSync(`${root}/.toolgate-${slot}.tmp`);
    createLinuxFiles(LIBC).write(at(`${root}/f`), bytes("ours"), {
      createParents: false,
      expect: "anything",
    });
    assertEquals(Deno.readTextFileSync(`${root}/f`), "ours");
    assertEquals(names(root).length, 9);
  });
});

Deno.test("another writer that takes the temporary file for a leftover costs a try, not the contents", async () => {
  await withDirectory((root) => {
    let stolen = 0;
    const libc: Libc = {
      ...LIBC,
      call(number, ...rest) {
        // Between making and locking it.
        if (number === LIBC.numbers.flock && stolen++ === 0) {
          Deno.removeSync(`${root}/.toolgate-0.tmp`);
        }
        return LIBC.call(number, ...rest);
      },
    };
    createLinuxFiles(libc).write(at(`${root}/f`), bytes("ours"), {
      createParents: false,
      expect: "anything",
    });
    assertEquals(names(root), ["f"]);
    assertEquals(Deno.readTextFileSync(`${root}/f`), "ours");
  });
});

Deno.test("many threads that write one file leave one of their texts, whole", async () => {
  await withDirectory(async (root) => {
    const source = (path: string) => JSON.stringify(import.meta.resolve(`../../../../src/${path}`));
    Deno.writeTextFileSync(
      `${root}/writer.ts`,
      `import { openLibc } from ${source("sandbox/kernel/libc.ts")};
       import { createLinuxFiles } from ${source("host/files/linux/files.ts")};
       const files = createLinuxFiles(openLibc());
       const [path, letter] = Deno.args;
       for (let i = 0; i < 100; i++) {
         files.write({ path, shown: "it" }, new Uint8Array(20_000).fill(letter.charCodeAt(0)), { createParents: false, expect: "anything" });
       }`,
    );
    Deno.mkdirSync(`${root}/d`);
    const done = await Promise.all(
      ["a", "b", "c", "d"].map((letter) =>
        new Deno.Command(Deno.execPath(), {
          args: [
            "run",
            "-q",
            "-A",
            "--no-lock",
            "--no-check",
            `${root}/writer.ts`,
            `${root}/d/f`,
            letter,
          ],
          stderr: "inherit",
        }).output()
      ),
    );
    assert(done.every(({ success }) => success));
    const content = Deno.readTextFileSync(`${root}/d/f`);
    assertEquals(content, (content[0] ?? "").repeat(20_000));
    assertEquals(names(`${root}/d`), ["f"]);
  });
});
