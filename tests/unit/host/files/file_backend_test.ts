import { assert, assertEquals, assertThrows } from "@std/assert";
import { createHash } from "node:crypto";
import { ToolError } from "../../../../src/core/errors.ts";
import type { WalkEntry } from "../../../../src/core/tool.ts";
import type { WalkOptions } from "../../../../src/host/files/file_backend.ts";
import { at, backends, bytes, code, pipe, text } from "./_backends.ts";
import { withDirectory } from "./_temporary.ts";

const everything: WalkOptions = {
  maxDepth: 100,
  sizes: true,
  admit: () => null,
  show: (path) => path,
};

for (const [name, create] of backends) {
  Deno.test(`${name}: read gives whole files, whatever their size, and what they are`, async () => {
    await withDirectory((root) => {
      const files = create();
      for (const size of [0, 1, 4095, 4096, 70_000, 300_000, 5_000_000]) {
        const content = new Uint8Array(size).map((_, index) => index * 31 + (index >> 8));
        Deno.writeFileSync(`${root}/f`, content);
        const read = files.read(at(`${root}/f`), 5_000_000);
        assertEquals(read.bytes.length, size);
        assert(read.bytes.every((byte, index) => byte === content[index]));
        assertEquals(read.info.size, size);
        assertEquals(text(files.readStart(at(`${root}/f`), 3).bytes), text(content.slice(0, 3)));
        assertEquals(files.readStart(at(`${root}/f`), 0).bytes.length, 0);
      }
    });
  });

  Deno.test(`${name}: read says what is wrong, by its code`, async () => {
    await withDirectory((root) => {
      const files = create();
      Deno.mkdirSync(`${root}/dir`);
      Deno.writeTextFileSync(`${root}/file`, "12345");
      Deno.symlinkSync("file", `${root}/link`);
      Deno.symlinkSync("dir", `${root}/dirlink`);
      Deno.writeTextFileSync(`${root}/dir/in`, "secret");
      pipe(`${root}/pipe`);
      const sparse = Deno.openSync(`${root}/sparse`, { create: true, write: true });
      sparse.truncateSync(1e13);
      sparse.close();
      const cases: readonly (readonly [string, string])[] = [
        ["/none", "FILE_NOT_FOUND"],
        ["/none/below", "FILE_NOT_FOUND"],
        ["/dir", "NOT_A_FILE"],
        ["/pipe", "NOT_A_FILE"],
        ["/file", "FILE_TOO_LARGE"],
        ["/sparse", "FILE_TOO_LARGE"],
        // Canonical paths have no links: one that has is no longer what was judged.
        ["/link", "NATIVE_DENIED"],
        ["/dirlink/in", "NATIVE_DENIED"],
      ];
      for (const [path, expected] of cases) {
        assertEquals(code(() => files.read(at(root + path), 4)), expected, path);
      }
      assertEquals(code(() => files.read(at("/dev/zero"), 4)), "NOT_A_FILE");
      const error = assertThrows(() => files.read(at(`${root}/file`), 4), ToolError);
      assertEquals(error.details, { size: 5, limit: 4 });
      assertEquals(files.read(at(`${root}/file`), 5).bytes.length, 5);
    });
  });

  Deno.test(`${name}: read holds its limit over files that never say their size`, () => {
    const files = create();
    assertEquals(code(() => files.read(at("/proc/kallsyms"), 100)), "FILE_TOO_LARGE");
    const status = files.read(at("/proc/version"), 100_000);
    assert(text(status.bytes).startsWith("Linux"));
    assertEquals(status.info.size, 0);
  });

  Deno.test(`${name}: find says what is there, links for what they are`, async () => {
    await withDirectory((root) => {
      const files = create();
      Deno.writeTextFileSync(`${root}/file`, "12345", { mode: 0o640 });
      Deno.chmodSync(`${root}/file`, 0o640);
      Deno.utimeSync(`${root}/file`, 1_000_000_000, 1_234_567_890.5);
      Deno.mkdirSync(`${root}/dir`);
      Deno.symlinkSync("no/where", `${root}/link`);
      pipe(`${root}/pipe`);
      const info = files.find(at(`${root}/file`));
      assert(info !== null);
      assertEquals(
        [info.type, info.size, info.mode, info.modified, info.accessed],
        ["file", 5, 0o640, 1_234_567_890_500, 1_000_000_000_000],
      );
      assert(info.created === null || Math.abs(Date.now() - info.created) < 60_000);
      assertEquals(files.find(at(`${root}/dir`))?.type, "directory");
      assertEquals(files.find(at(`${root}/pipe`))?.type, "other");
      const link = files.find(at(`${root}/link`));
      assertEquals([link?.type, link?.target], ["symlink", "no/where"]);
      assertEquals(files.find(at(`${root}/none`)), null);
      assertEquals(files.find(at(`${root}/none/below`)), null);
    });
  });

  Deno.test(`${name}: the runtime is queried about no file that is read or found: it keeps each path`, async () => {
    await withDirectory((root) => {
      const files = create();
      Deno.writeTextFileSync(`${root}/f`, "1");
      const asked: unknown[] = [];
      const { permissions } = Deno;
      const own = permissions.querySync;
      permissions.querySync = (descriptor) => {
        asked.push(descriptor);
        return own.call(permissions, descriptor);
      };
      try {
        files.read(at(`${root}/f`), 10);
        files.find(at(`${root}/f`));
        files.find(at(`${root}/none/f`));
      } finally {
        Reflect.deleteProperty(permissions, "querySync");
      }
      assertEquals(asked, []);
    });
  });

  Deno.test(`${name}: walk gives entries in order, follows no link, and looks only where it may`, async () => {
    await withDirectory((root) => {
      const files = create();
      Deno.mkdirSync(`${root}/b/deep/er`, { recursive: true });
      Deno.mkdirSync(`${root}/hidden`);
      Deno.mkdirSync(`${root}/skipped`);
      Deno.symlinkSync("/", `${root}/rootlink`);
      Deno.symlinkSync("b", `${root}/z`);
      const contents = [
        "a",
        "B",
        "é😀",
        "line\nbreak",
        "b/x",
        "b/deep/er/y",
        "hidden/h",
        "skipped/s",
      ];
      for (const path of contents) Deno.writeTextFileSync(`${root}/${path}`, "123");
      const walked = (options: Partial<WalkOptions>): readonly WalkEntry[] => [
        ...files.walk(at(root), {
          ...everything,
          show: (path) => path.slice(root.length + 1),
          enter: (entry) => entry.name !== "skipped",
          admit: () => (path) => !path.endsWith("/hidden"),
          ...options,
        }),
      ];
      assertEquals(
        walked({}).map(({ path, type, size, depth }) => `${path} ${type} ${size} ${depth}`),
        [
          "B file 3 1",
          "a file 3 1",
          "b directory 0 1",
          "b/deep directory 0 2",
          "b/deep/er directory 0 3",
          "b/deep/er/y file 3 4",
          "b/x file 3 2",
          "line\nbreak file 3 1",
          "rootlink symlink 1 1",
          "skipped directory 0 1",
          "z symlink 1 1",
          "é😀 file 3 1",
        ],
      );
      assertEquals(walked({ maxDepth: 2 }).filter(({ depth }) => depth > 2), []);
      assertEquals(walked({ sizes: false }).every(({ size }) => size === 0), true);
      assertEquals(code(() => [...files.walk(at(`${root}/a`), everything)]), "NOT_A_DIRECTORY");
      assertEquals(code(() => [...files.walk(at(`${root}/none`), everything)]), "FILE_NOT_FOUND");
    });
  });

  Deno.test(`${name}: walk gives every one of many entries, and lets its descriptors go when left early`, async () => {
    await withDirectory((root) => {
      const files = create();
      for (let i = 0; i < 2_000; i++) {
        Deno.writeTextFileSync(`${root}/${"n".repeat(i % 50)}${i}`, "");
      }
      Deno.mkdirSync(`${root}/0dir/0dir`, { recursive: true });
      Deno.writeTextFileSync(`${root}/0dir/0dir/file`, "");
      const before = [...Deno.readDirSync("/proc/self/fd")].length;
      assertEquals([...files.walk(at(root), everything)].length, 2_003);
      for (let round = 0; round < 50; round++) {
        for (const entry of files.walk(at(root), everything)) if (entry.depth === 3) break;
      }
      assertEquals([...Deno.readDirSync("/proc/self/fd")].length, before);
    });
  });

  Deno.test(`${name}: write creates and replaces, keeps mode, makes parents where it is told`, async () => {
    await withDirectory((root) => {
      const files = create();
      const write = (path: string, words: string, createParents = false) =>
        files.write(at(`${root}/${path}`), bytes(words), { createParents, expect: "anything" });
      assertEquals(write("new", "one"), { created: true });
      assertEquals(Deno.statSync(`${root}/new`).mode! & 0o777, 0o666 & ~Deno.umask());
      Deno.chmodSync(`${root}/new`, 0o4751);
      assertEquals(write("new", "two"), { created: false });
      assertEquals(Deno.readTextFileSync(`${root}/new`), "two");
      // set-user-ID does not survive a change of contents.
      assertEquals(Deno.statSync(`${root}/new`).mode! & 0o7777, 0o751);
      assertEquals(write("empty", ""), { created: true });
      assertEquals(Deno.statSync(`${root}/empty`).size, 0);
      assertEquals(code(() => write("a/b/c", "x")), "FILE_NOT_FOUND");
      assertEquals(write("a/b/c", "deep", true), { created: true });
      assertEquals(write("a/b/c", "deeper", true), { created: false });
      assertEquals(Deno.readTextFileSync(`${root}/a/b/c`), "deeper");
      const large = new Uint8Array(3_000_000).fill(7);
      files.write(at(`${root}/large`), large, { createParents: false, expect: "anything" });
      assertEquals(Deno.statSync(`${root}/large`).size, 3_000_000);
      assertEquals([...Deno.readDirSync(root)].map((entry) => entry.name).sort(), [
        "a",
        "empty",
        "large",
        "new",
      ]);
    });
  });

  Deno.test(`${name}: write refuses what is no file, and writes nothing`, async () => {
    await withDirectory((root) => {
      const files = create();
      Deno.mkdirSync(`${root}/dir/sub`, { recursive: true });
      Deno.writeTextFileSync(`${root}/file`, "old");
      Deno.symlinkSync("file", `${root}/link`);
      Deno.symlinkSync("dir", `${root}/dirlink`);
      pipe(`${root}/pipe`);
      const cases: readonly (readonly [string, string])[] = [
        ["dir", "NOT_A_FILE"],
        ["pipe", "NOT_A_FILE"],
        ["link", "NATIVE_DENIED"],
        ["dirlink/new", "NATIVE_DENIED"],
        ["dirlink/deep/new", "NATIVE_DENIED"],
        ["file/new", "NATIVE_DENIED"],
      ];
      for (const [path, expected] of cases) {
        const target = at(`${root}/${path}`);
        const write = () =>
          files.write(target, bytes("new"), { createParents: true, expect: "anything" });
        assertEquals(code(write), expected, path);
      }
      assertEquals(Deno.readTextFileSync(`${root}/file`), "old");
      assertEquals([...Deno.readDirSync(`${root}/dir`)].map((entry) => entry.name), ["sub"]);
      assertEquals([...Deno.readDirSync(root)].length, 5);
    });
  });

  Deno.test(`${name}: write checks what it is told to expect, on what is there`, async () => {
    await withDirectory((root) => {
      const files = create();
      const hash = (words: string) => createHash("sha256").update(words).digest("hex");
      const write = (words: string, sha256: string) =>
        files.write(at(`${root}/f`), bytes(words), { createParents: false, expect: { sha256 } });
      assertEquals(code(() => write("x", hash("old"))), "STALE_FILE");
      assertEquals([...Deno.readDirSync(root)], []);
      Deno.writeTextFileSync(`${root}/f`, "old");
      assertEquals(code(() => write("x", hash("other"))), "STALE_FILE");
      assertEquals(Deno.readTextFileSync(`${root}/f`), "old");
      assertEquals(write("new", hash("old").toUpperCase()), { created: false });
      assertEquals(Deno.readTextFileSync(`${root}/f`), "new");
    });
  });

  Deno.test(`${name}: writing through a hard link leaves the other name as it was`, async () => {
    await withDirectory((root) => {
      Deno.writeTextFileSync(`${root}/a`, "shared");
      Deno.linkSync(`${root}/a`, `${root}/b`);
      create().write(at(`${root}/b`), bytes("own"), { createParents: false, expect: "anything" });
      assertEquals(Deno.readTextFileSync(`${root}/a`), "shared");
      assertEquals(Deno.readTextFileSync(`${root}/b`), "own");
    });
  });
}

Deno.test("the runtime's permission set holds over system calls too", async () => {
  await withDirectory(async (root) => {
    Deno.mkdirSync(`${root}/in/sub`, { recursive: true });
    Deno.mkdirSync(`${root}/out`);
    Deno.writeTextFileSync(`${root}/out/secret`, "sentinel");
    Deno.writeTextFileSync(`${root}/in/a`, "inside");
    Deno.writeTextFileSync(`${root}/in/sub/denied`, "sentinel");
    const source = (path: string) => JSON.stringify(import.meta.resolve(`../../../../src/${path}`));
    const script = `
      import { openLibc } from ${source("sandbox/kernel/libc.ts")};
      import { createLinuxFiles } from ${source("host/files/linux/files.ts")};
      import { createPortableFiles } from ${source("host/files/portable/files.ts")};
      const libc = openLibc();
      Deno.permissions.revokeSync({ name: "ffi" });
      const at = (path) => ({ path: ${JSON.stringify(root)} + path, shown: path });
      const all = { maxDepth: 9, sizes: true, admit: () => null, show: (path) => path };
      const said = [];
      const attempt = (action) => {
        try { said.push(String(action())); } catch (error) { said.push(error.code ?? error.name); }
      };
      for (const files of [createLinuxFiles(libc), createPortableFiles()]) {
        attempt(() => files.read(at("/in/a"), 100).bytes.length);
        attempt(() => files.read(at("/out/secret"), 100).bytes.length);
        attempt(() => files.readStart(at("/out/secret"), 100).bytes.length);
        attempt(() => files.find(at("/out/secret")));
        attempt(() => [...files.walk(at("/out"), all)].length);
        attempt(() => [...files.walk(at("/in"), all)].map((entry) => entry.name).join());
        attempt(() => files.write(at("/in/a"), new Uint8Array(), { createParents: true, expect: "anything" }));
        attempt(() => files.write(at("/out/new"), new Uint8Array(), { createParents: true, expect: "anything" }));
      }
      console.log(JSON.stringify(said));`;
    Deno.writeTextFileSync(`${root}/script.ts`, script);
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "--quiet",
        "--no-prompt",
        "--no-lock",
        "--no-check",
        "--allow-ffi",
        `--allow-read=${root}/in`,
        `--deny-read=${root}/in/sub`,
        `${root}/script.ts`,
      ],
      cwd: root,
    }).output();
    const decoder = new TextDecoder();
    const denied = "NATIVE_DENIED";
    // The runtime itself lists no directory in which something is denied.
    const expected = (walk: string) => ["6", denied, denied, denied, denied, walk, denied, denied];
    assertEquals(
      JSON.parse(decoder.decode(stdout) || JSON.stringify(decoder.decode(stderr))),
      [...expected("a,sub"), ...expected(denied)],
    );
    assertEquals(Deno.readTextFileSync(`${root}/in/a`), "inside");
  });
});
