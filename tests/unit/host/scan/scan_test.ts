import { assert, assertEquals, assertThrows } from "@std/assert";
import { ToolError } from "../../../../src/core/errors.ts";
import type { ScanFilter } from "../../../../src/core/scan.ts";
import { createLinuxFiles } from "../../../../src/host/files/linux/files.ts";
import type { Policy } from "../../../../src/policy/model.ts";
import type { Libc } from "../../../../src/sandbox/kernel/libc.ts";
import { pathRule } from "../../policy/_fixtures.ts";
import { withDirectory } from "../files/_temporary.ts";

import { backends, createRoom, EVERYTHING, quick, scanOf, write } from "./_scan.ts";

for (const [name, create] of backends) {
  Deno.test(`${name}: a scan reads what the filter takes, in path order, links left out`, async () => {
    await withDirectory((root) => {
      const scan = scanOf(root, create());
      write(root, {
        "b.txt": "2",
        "a/z": "1",
        "a/y/x": "deep",
        "a-b": "dash",
        "ä\n": "odd",
        "empty": "",
        "c/skip": "no",
      });
      Deno.symlinkSync("b.txt", `${root}/link`);
      Deno.symlinkSync("a", `${root}/linked`);
      new Deno.Command("mkfifo", { args: [`${root}/pipe`] }).outputSync();
      const all = [
        "a/y/x=deep",
        "a/z=1",
        "a-b=dash",
        "b.txt=2",
        "c/skip=no",
        "empty=",
        "ä\n=odd",
      ];
      assertEquals(scan(), all);
      assertEquals(scan({ path: "a" }), all.slice(0, 2));
      assertEquals(scan({ room: null }), all.map((one) => one.replace(/=.*/s, "")));
      const filter: ScanFilter = {
        takes: (name) => name !== "z",
        enters: (name) => name !== "c",
        below: (directory) => {
          assert(["a", "a/y"].includes(directory.path), directory.path);
          return filter;
        },
      };
      assertEquals(scan({ filter: () => filter }), [
        "a/y/x=deep",
        ...all.slice(2, 4),
        ...all.slice(5),
      ]);
      for (
        const [path, code] of [["gone", "FILE_NOT_FOUND"], ["b.txt", "NOT_A_DIRECTORY"]] as const
      ) {
        assertEquals(assertThrows(() => scan({ path }), ToolError).code, code);
      }
    });
  });

  Deno.test(`${name}: a scan reads files of any size up to its limit`, async () => {
    await withDirectory((root) => {
      const backend = create();
      const sizes = [0, 1, 7, 8, 9, 4095, 4096, 4097, 8192, 65_536, 65_537, 300_000];
      sizes.forEach((size, index) =>
        write(root, { [`f${String(index).padStart(2, "0")}`]: "x".repeat(size) })
      );
      for (const limit of [0, 8, 4096, 65_536, 1_000_000]) {
        for (const first of [8, 4096, 65_536, 1_000_000]) {
          const found = scanOf(root, backend)({ limit, room: createRoom(first) });
          const lengths = found.map((one) => one.includes("=") ? one.length - 4 : null);
          assertEquals(
            lengths,
            sizes.map((size) => size <= limit ? size : null),
            `${limit} ${first}`,
          );
        }
      }
    });
  });

  Deno.test(`${name}: a scan reads nothing that the policy denies, whatever the filter takes`, async () => {
    await withDirectory((root) => {
      write(root, { "a": "1", "secret": "s", "closed/b": "s", "open/c.pem": "s", "open/d": "2" });
      const policy: Partial<Policy> = {
        paths: [
          pathRule("allow", ["**"]),
          pathRule("deny", ["secret", "closed/**"], ["read"]),
          pathRule("ask", ["open/ask"], ["read"]),
        ],
        extensions: { read: { deny: [".pem"], allow: null }, write: null },
      };
      write(root, { "open/ask": "s" });
      const seen: string[] = [];
      const filter: ScanFilter = {
        takes: (name) => (seen.push(name), true),
        enters: () => true,
        below: (directory) => {
          assertEquals(directory.read("c.pem", 100), null);
          return filter;
        },
      };
      assertEquals(scanOf(root, create())({ policy, filter: () => filter }), ["a=1", "open/d=2"]);
      assert(seen.includes("d"));
    });
  });

  Deno.test(`${name}: a filter sees what lies in a directory, and reads of it what it may`, async () => {
    await withDirectory((root) => {
      write(root, {
        "a/.rules": "some",
        "a/b": "x",
        ".rules": "first",
        "a/large": "y".repeat(200),
      });
      Deno.symlinkSync(".rules", `${root}/a/link`);
      const said: string[] = [];
      const text = (bytes: Uint8Array | null) =>
        bytes === null ? null : new TextDecoder().decode(bytes);
      scanOf(root, create())({
        filter: (start) => {
          said.push(start.path, String(text(start.read(".rules", 100))));
          return {
            ...EVERYTHING,
            below(directory) {
              said.push(directory.path, String(text(directory.read(".rules", 100))));
              said.push(String(directory.has("b")), String(directory.has("c")));
              for (const name of ["gone", "link", "large", "..", "."]) {
                assertEquals(directory.read(name, 100), null, name);
              }
              assertEquals(directory.read("large", 200)?.length, 200);
              return EVERYTHING;
            },
          };
        },
      });
      assertEquals(said, [".", "first", "a", "some", "true", "false"]);
    });
  });
}

Deno.test("a file system that gives whole pages at a time is asked until the end", async () => {
  await withDirectory((root) => {
    const contents = Array.from({ length: 3000 }, (_, index) => `line ${index}`).join("\n");
    write(root, { "f": contents });
    const slow: Libc = {
      ...quick,
      files: {
        ...quick.files,
        read: (descriptor, buffer) => quick.files.read(descriptor, buffer.subarray(0, 4096)),
      },
    };
    const room = createRoom(1_000_000);
    assertEquals(scanOf(root, createLinuxFiles(slow))({ limit: 100_000, room }), [`f=${contents}`]);
  });
});

Deno.test("a scan asks the runtime's permission set, for each entry where that refuses some", async () => {
  await withDirectory(async (root) => {
    write(root, {
      "in/a": "inside",
      "in/sub/denied": "sentinel",
      "in/b/file": "sentinel",
      "in/b/open": "inside",
      "out/secret": "sentinel",
    });
    const source = (path: string) => JSON.stringify(import.meta.resolve(`../../../../src/${path}`));
    const script = `
      import { openLibc } from ${source("sandbox/kernel/libc.ts")};
      import { createLinuxFiles } from ${source("host/files/linux/files.ts")};
      const files = createLinuxFiles(openLibc({ quickFiles: true }));
      Deno.permissions.revokeSync({ name: "ffi" });
      const all = { takes: () => true, enters: () => true, below: () => all };
      const room = { bytes: new Uint8Array(1000), grow() {} };
      const timed = (work) => work();
      const options = { filter: () => all, room, limit: 999, judge: null, show: (path) => path, timed };
      const said = [];
      for (const path of ["/in", "/out", "/in/sub", "/in/b"]) {
        try {
          files.scan({ path: ${JSON.stringify(root)} + path, shown: path }, options, (file) =>
            said.push(file.path.split("/").at(-1) + "=" +
              new TextDecoder().decode(room.bytes.subarray(0, file.length))));
        } catch (error) {
          said.push(error.code ?? error.name);
        }
      }
      console.log(JSON.stringify(said));`;
    Deno.writeTextFileSync(`${root}/script.ts`, script);
    const { stdout } = await new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "--quiet",
        "--no-prompt",
        "--no-lock",
        "--no-check",
        "--allow-ffi",
        `--allow-read=${root}/in`,
        `--deny-read=${root}/in/sub,${root}/in/b/file`,
        `${root}/script.ts`,
      ],
      cwd: root,
    }).output();
    assertEquals(JSON.parse(new TextDecoder().decode(stdout)), [
      "a=inside",
      "open=inside",
      "NATIVE_DENIED",
      "NATIVE_DENIED",
      "open=inside",
    ]);
  });
});
