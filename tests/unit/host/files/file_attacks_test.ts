import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import type { CanonicalPath } from "../../../../src/core/capability.ts";
import { ToolError } from "../../../../src/core/errors.ts";
import { canonicalize } from "../../../../src/host/paths/canonicalize.ts";
import type { Target } from "../../../../src/host/files/file_backend.ts";
import { createLinuxFiles } from "../../../../src/host/files/linux/files.ts";
import { ERRNO } from "../../../../src/sandbox/kernel/errno.ts";
import type { Libc } from "../../../../src/sandbox/kernel/libc.ts";
import { LIBC } from "../../sandbox/_libc.ts";
import { withDirectory } from "./_temporary.ts";

const SENTINEL = "sentinel-of-what-lies-outside";
const at = (path: string): Target => ({ path: path as CanonicalPath, shown: "it" });
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (content: Uint8Array): string => new TextDecoder().decode(content);

function code(action: () => unknown): string {
  try {
    action();
    return "nothing thrown";
  } catch (error) {
    if (error instanceof ToolError) return error.code;
    throw error;
  }
}

/** A C library that does something just before a system call goes out. */
function before(name: keyof Libc["numbers"], action: () => void): Libc {
  let done = false;
  return {
    ...LIBC,
    call(number, ...rest) {
      if (number === LIBC.numbers[name] && !done) {
        done = true;
        // The path arena is taken anew by nobody in between: the action uses the runtime's own calls.
        action();
      }
      return LIBC.call(number, ...rest);
    },
  };
}

Deno.test("a link swapped in between judging and opening is refused, for files and their parents", async () => {
  await withDirectory((root) => {
    Deno.mkdirSync(`${root}/in/dir`, { recursive: true });
    Deno.mkdirSync(`${root}/out`);
    Deno.writeTextFileSync(`${root}/out/file`, SENTINEL);
    const base = `${root}/in` as CanonicalPath;
    const swaps: readonly (readonly [string, () => void])[] = [
      ["file", () => {
        Deno.removeSync(`${base}/dir/file`);
        Deno.symlinkSync(`${root}/out/file`, `${base}/dir/file`);
      }],
      ["parent", () => {
        Deno.removeSync(`${base}/dir`, { recursive: true });
        Deno.symlinkSync(`${root}/out`, `${base}/dir`);
      }],
    ];
    for (const [what, swap] of swaps) {
      for (const operation of ["read", "find", "write", "walk"] as const) {
        Deno.removeSync(`${base}/dir`, { recursive: true });
        Deno.mkdirSync(`${base}/dir`);
        Deno.writeTextFileSync(`${base}/dir/file`, "inside");
        const target: Target = { path: canonicalize(base, "dir/file"), shown: "dir/file" };
        const files = createLinuxFiles(before("openat2", swap));
        const found = code(() => {
          switch (operation) {
            case "read":
              return files.read(target, 100);
            case "find": {
              // A link in the file's own place is what is there; it is not followed.
              const info = files.find(target);
              if (info?.type === "symlink") {
                throw new ToolError("NATIVE_DENIED", "a link, not its target");
              }
              return info;
            }
            case "write":
              return files.write(target, bytes("changed"), {
                createParents: true,
                expect: "anything",
              });
            case "walk":
              return [...files.walk({ ...target, path: `${base}/dir` as CanonicalPath }, {
                maxDepth: 9,
                sizes: true,
                admit: () => null,
                show: (path) => path,
              })].filter((entry) => entry.type !== "symlink").map((entry) => {
                throw new Error(`listed ${entry.path}`);
              });
          }
        });
        const expected = what === "file" && operation === "walk"
          ? ["nothing thrown"]
          : ["NATIVE_DENIED", "NOT_A_DIRECTORY"];
        assert(expected.includes(found), `${operation} with ${what} swapped: ${found}`);
        assertEquals(Deno.readTextFileSync(`${root}/out/file`), SENTINEL);
        assertEquals([...Deno.readDirSync(`${root}/out`)].length, 1);
      }
    }
  });
});

Deno.test("the target swapped for a link during a write: the link is replaced, never followed", async () => {
  await withDirectory((root) => {
    Deno.writeTextFileSync(`${root}/outside`, SENTINEL);
    Deno.writeTextFileSync(`${root}/file`, "old");
    const files = createLinuxFiles(before("renameat2", () => {
      Deno.removeSync(`${root}/file`);
      Deno.symlinkSync("outside", `${root}/file`);
    }));
    files.write(at(`${root}/file`), bytes("new"), { createParents: false, expect: "anything" });
    assertEquals(Deno.readTextFileSync(`${root}/outside`), SENTINEL);
    assertEquals(Deno.lstatSync(`${root}/file`).isFile, true);
    assertEquals(Deno.readTextFileSync(`${root}/file`), "new");
  });
});

Deno.test("a file that appears while a new one is written is not run over unseen", async () => {
  await withDirectory((root) => {
    Deno.mkdirSync(`${root}/d`);
    let looks = 0;
    const files = createLinuxFiles(before("renameat2", () => {
      looks++;
      Deno.writeTextFileSync(`${root}/d/f`, "theirs", { mode: 0o600 });
    }));
    assertEquals(
      files.write(at(`${root}/d/f`), bytes("ours"), { createParents: false, expect: "anything" }),
      { created: false },
    );
    assertEquals([looks, Deno.statSync(`${root}/d/f`).mode! & 0o777], [1, 0o600]);
    assertEquals([...Deno.readDirSync(`${root}/d`)].length, 1);
  });
});

Deno.test("a directory swapped for a link during a walk is not walked into", async () => {
  await withDirectory((root) => {
    Deno.mkdirSync(`${root}/in/a`, { recursive: true });
    Deno.mkdirSync(`${root}/out`);
    Deno.writeTextFileSync(`${root}/out/${SENTINEL}`, "");
    Deno.writeTextFileSync(`${root}/in/a/own`, "");
    const names: string[] = [];
    const entries = createLinuxFiles(LIBC).walk(at(`${root}/in`), {
      maxDepth: 9,
      sizes: true,
      admit: () => null,
      show: (path) => path,
    });
    for (const entry of entries) {
      names.push(entry.name);
      if (entry.name === "a") {
        Deno.renameSync(`${root}/in/a`, `${root}/in-a`);
        Deno.symlinkSync(`${root}/out`, `${root}/in/a`);
      }
    }
    assertEquals(names, ["a"]);
  });
});

Deno.test("two thousand reads and writes against a program that swaps links reach nothing outside", async () => {
  await withDirectory(async (root) => {
    for (const name of ["in", "in/dir", "out"]) Deno.mkdirSync(`${root}/${name}`);
    Deno.writeTextFileSync(`${root}/out/secret`, SENTINEL);
    Deno.writeTextFileSync(`${root}/out/file`, SENTINEL);
    Deno.writeTextFileSync(`${root}/in/file`, "inside");
    Deno.writeTextFileSync(`${root}/in/dir/file`, "inside");
    const flipper = new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "--quiet",
        "-A",
        "--no-config",
        "--no-lock",
        fromFileUrl(import.meta.resolve("./_flipper.ts")),
        `${root}/in`,
        `${root}/out`,
      ],
      stdin: "piped",
      stdout: "piped",
    }).spawn();
    const output = flipper.stdout.getReader();
    await output.read();
    const base = `${root}/in` as CanonicalPath;
    const files = createLinuxFiles(LIBC);
    const outcomes = new Map<string, number>();
    const note = (what: string): void => {
      outcomes.set(what, (outcomes.get(what) ?? 0) + 1);
    };
    for (let round = 0; round < 2_000; round++) {
      const requested = round % 2 === 0 ? "file" : "dir/file";
      try {
        const path = canonicalize(base, requested);
        // The policy layer's part: what leads outside is not opened.
        if (!path.startsWith(`${base}/`)) {
          note("judged outside");
          continue;
        }
        const target = { path, shown: requested };
        if (round % 8 < 6) {
          assert(!text(files.read(target, 1_000).bytes).includes(SENTINEL));
          note("read");
        } else {
          files.write(target, bytes("inside"), { createParents: false, expect: "anything" });
          note("written");
        }
      } catch (error) {
        if (!(error instanceof ToolError)) throw error;
        note(error.code);
      }
    }
    await flipper.stdin.close();
    await output.cancel();
    await flipper.status;
    assertEquals(Deno.readTextFileSync(`${root}/out/secret`), SENTINEL);
    assertEquals(Deno.readTextFileSync(`${root}/out/file`), SENTINEL);
    assertEquals([...Deno.readDirSync(`${root}/out`)].length, 2);
    assert((outcomes.get("read") ?? 0) > 0, JSON.stringify([...outcomes]));
  });
});

Deno.test("names that are no text are shown with escapes and lead nowhere", async () => {
  await withDirectory((root) => {
    // A name of bytes that are no UTF-8, which the runtime itself cannot write.
    const { success } = new Deno.Command("/bin/sh", {
      args: ["-c", "touch \"$(printf 'bad\\377name')\" good"],
      cwd: root,
    }).outputSync();
    assert(success);
    const files = createLinuxFiles(LIBC);
    const entries = [...files.walk(at(root), {
      maxDepth: 1,
      sizes: true,
      admit: () => null,
      show: (path) => path.slice(root.length + 1),
    })];
    assertEquals(entries.map(({ path, type }) => [path, type]), [
      ["bad\\xffname", "other"],
      ["good", "file"],
    ]);
    assertEquals(code(() => files.read(at(`${root}/bad\\xffname`), 10)), "FILE_NOT_FOUND");
  });
});

Deno.test("extended attributes of the user's own go over to the new contents", async () => {
  await withDirectory((root) => {
    const path = `${root}/file`;
    Deno.writeTextFileSync(path, "old");
    const { numbers, struct, structAddress } = LIBC;
    const open = () => LIBC.call(numbers.openat, -100, LIBC.path(path), 2, 0);
    const descriptor = open();
    struct.setUint32(0, 0x6f6c6c61, true);
    const set = LIBC.call(
      numbers.fsetxattr,
      descriptor,
      LIBC.path("user.test"),
      structAddress,
      4,
      0,
    );
    LIBC.call(numbers.close, descriptor);
    createLinuxFiles(LIBC).write(at(path), bytes("new"), {
      createParents: false,
      expect: "anything",
    });
    const after = open();
    const length = LIBC.call(
      numbers.fgetxattr,
      after,
      LIBC.path("user.test"),
      structAddress,
      100,
    );
    LIBC.call(numbers.close, after);
    // A file system without such attributes loses none.
    if (set === -ERRNO.EOPNOTSUPP) return;
    assertEquals([set, length, struct.getUint32(0, true)], [0, 4, 0x6f6c6c61]);
  });
});
