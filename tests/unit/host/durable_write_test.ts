import { assert, assertEquals } from "@std/assert";
import type { CanonicalPath } from "../../../src/core/capability.ts";
import { ToolError } from "../../../src/core/errors.ts";
import type { Target } from "../../../src/host/file_backend.ts";
import { createLinuxFiles } from "../../../src/host/files_linux.ts";
import { ERRNO } from "../../../src/sandbox/errno.ts";
import type { Libc } from "../../../src/sandbox/libc.ts";
import { LIBC } from "../sandbox/_libc.ts";
import { withDirectory } from "./_temporary.ts";

const at = (path: string): Target => ({ path: path as CanonicalPath, shown: "it" });
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const names = (path: string): readonly string[] =>
  [...Deno.readDirSync(path)].map(({ name }) => name).sort();

class Crash extends Error {}

interface Failing {
  readonly libc: Libc;
  readonly calls: () => number;
  /** Closes what a dead writer had open, as the kernel does, and with it lets its locks go. */
  readonly bury: () => void;
}

/** The `n`th system call that is no `close` fails with `errno`, or, without one, ends the writer there. */
function failingAt(n: number, errno: number | null): Failing {
  const { numbers } = LIBC;
  const open = new Set<number>();
  let calls = 0;
  const fails = (number: number): boolean => number !== numbers.close && ++calls === n;
  const pass: Libc["call"] = (number, ...rest) => {
    const result = LIBC.call(number, ...rest);
    if ((number === numbers.openat || number === numbers.openat2) && result >= 0) open.add(result);
    if (number === numbers.close) open.delete(Number(rest[0]));
    return result;
  };
  const libc: Libc = {
    ...LIBC,
    call(number, ...rest) {
      // A dead writer calls nothing any more; the kernel closes its files.
      if (calls >= n && errno === null && number !== numbers.close) throw new Crash();
      if (!fails(number)) return pass(number, ...rest);
      if (errno === null) throw new Crash();
      return -errno;
    },
    transfer(number, ...rest) {
      if (!fails(number)) return LIBC.transfer(number, ...rest);
      if (errno === null) {
        // Half of it was written.
        const [descriptor, buffer, count] = rest;
        LIBC.transfer(number, descriptor, buffer, count >> 1);
        throw new Crash();
      }
      return -errno;
    },
  };
  const bury = (): void => open.forEach((descriptor) => LIBC.call(numbers.close, descriptor));
  return { libc, calls: () => calls, bury };
}

/** How many system calls one write makes. */
function callsOfWrite(root: string): number {
  const counting = failingAt(Infinity, 1);
  Deno.writeTextFileSync(`${root}/f`, "old");
  createLinuxFiles(counting.libc).write(at(`${root}/f`), bytes("new"), { createParents: false });
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
        });
      } catch (error) {
        if (!(error instanceof Crash)) throw error;
      }
      writer.bury();
      const content = Deno.readTextFileSync(`${root}/f`);
      assert(content === "old" || content === "new", `after call ${n}: ${content}`);
      assert(names(root).length <= 2);
      createLinuxFiles(LIBC).write(at(`${root}/other`), bytes("x"), { createParents: false });
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
            .write(at(`${root}/f`), bytes("new"), { createParents: false });
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
          createLinuxFiles(LIBC).write(at(`${root}/f`), bytes("x"), { createParents: false });
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
        createLinuxFiles(libc).write(at(`${root}/f`), bytes("newer"), { createParents: false });
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
    createLinuxFiles(LIBC).write(at(`${root}/f`), bytes("ours"), { createParents: false });
    assertEquals(names(root), [".toolgate-0.tmp", ".toolgate-2.tmp", ".toolgate-3.tmp", "f"]);
    assertEquals(Deno.readTextFileSync(`${root}/.toolgate-0.tmp`), "theirs");
    LIBC.call(numbers.close, live);
    createLinuxFiles(LIBC).write(at(`${root}/f`), bytes("again"), { createParents: false });
    assertEquals(names(root), [".toolgate-2.tmp", ".toolgate-3.tmp", "f"]);
    assertEquals(Deno.readTextFileSync(`${root}/f`), "again");
  });
});

Deno.test("with every slot held there is still a way to write", async () => {
  await withDirectory((root) => {
    for (let slot = 0; slot < 8; slot++) Deno.mkdirSync(`${root}/.toolgate-${slot}.tmp`);
    createLinuxFiles(LIBC).write(at(`${root}/f`), bytes("ours"), { createParents: false });
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
    createLinuxFiles(libc).write(at(`${root}/f`), bytes("ours"), { createParents: false });
    assertEquals(names(root), ["f"]);
    assertEquals(Deno.readTextFileSync(`${root}/f`), "ours");
  });
});

Deno.test("many threads that write one file leave one of their texts, whole", async () => {
  await withDirectory(async (root) => {
    const source = (path: string) => JSON.stringify(import.meta.resolve(`../../../src/${path}`));
    Deno.writeTextFileSync(
      `${root}/writer.ts`,
      `import { openLibc } from ${source("sandbox/libc.ts")};
       import { createLinuxFiles } from ${source("host/files_linux.ts")};
       const files = createLinuxFiles(openLibc());
       const [path, letter] = Deno.args;
       for (let i = 0; i < 100; i++) {
         files.write({ path, shown: "it" }, new Uint8Array(20_000).fill(letter.charCodeAt(0)), { createParents: false });
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
