import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { sha256 } from "../../../../src/core/sha256.ts";
import { ToolError } from "../../../../src/core/errors.ts";
import type { Change } from "../../../../src/host/files/file_backend.ts";
import {
  ALONE,
  at,
  backends,
  bytes,
  code,
  LONG,
  modeOf,
  names,
  paint,
  picture,
  pipe,
} from "./_backends.ts";
import { withDirectory } from "./_temporary.ts";

type Expect = (Change & { kind: "write" })["expect"];

const write = (path: string, words: string, expect: Expect, createParents = false): Change => ({
  kind: "write",
  target: at(path),
  bytes: bytes(words),
  expect,
  createParents,
});
const remove = (path: string, expect: Expect = "anything"): Change => ({
  kind: "remove",
  target: at(path),
  expect,
});
const having = (words: string) => ({ sha256: sha256(bytes(words)) });

for (const [name, create] of backends) {
  Deno.test(`${name}: a write that expects nothing makes a file and never replaces one`, async () => {
    await withDirectory((root) => {
      const files = create();
      const options = { createParents: false, expect: "nothing" } as const;
      paint(root, ["file = old", "dir/"]);
      assertEquals(files.write(at(`${root}/new`), bytes("new"), options), { created: true });
      assertEquals(code(() => files.write(at(`${root}/new`), bytes("x"), options)), "FILE_EXISTS");
      assertEquals(code(() => files.write(at(`${root}/file`), bytes("x"), options)), "FILE_EXISTS");
      assertEquals(code(() => files.write(at(`${root}/dir`), bytes("x"), options)), "NOT_A_FILE");
      assertEquals(picture(root), ["dir/", "file = old", "new = new"]);
    });
  });

  Deno.test(`${name}: a write that fails takes the directories back that it made`, async () => {
    await withDirectory((root) => {
      const files = create();
      const failing = () =>
        files.write(at(`${root}/a/b/c`), bytes("x"), {
          createParents: true,
          expect: having("old"),
        });
      assertEquals(code(failing), "STALE_FILE");
      assertEquals(names(root), []);
    });
  });

  Deno.test(`${name}: append adds to the end, makes what is missing, keeps the mode`, async () => {
    await withDirectory((root) => {
      const files = create();
      const append = (path: string, words: string, createParents = false) =>
        files.append(at(`${root}/${path}`), bytes(words), { createParents, ...LONG });
      assertEquals(append("log", "one\n"), { created: true, size: 4 });
      Deno.chmodSync(`${root}/log`, 0o640);
      assertEquals(append("log", "two\n"), { created: false, size: 8 });
      assertEquals(append("log", ""), { created: false, size: 8 });
      assertEquals(Deno.readTextFileSync(`${root}/log`), "one\ntwo\n");
      assertEquals(modeOf(`${root}/log`), 0o640);
      assertEquals(code(() => append("a/b", "x")), "FILE_NOT_FOUND");
      assertEquals(append("a/b", "x", true), { created: true, size: 1 });
      pipe(`${root}/pipe`);
      assertEquals(code(() => append("pipe", "x")), "NOT_A_FILE");
      assertEquals(code(() => append("a", "x")), "NOT_A_FILE");
      assertEquals(names(root), ["a", "log", "pipe"]);
    });
  });

  Deno.test(`${name}: append leaves the other name of a hard link as it was`, async () => {
    await withDirectory((root) => {
      Deno.writeTextFileSync(`${root}/a`, "shared");
      Deno.linkSync(`${root}/a`, `${root}/b`);
      create().append(at(`${root}/b`), bytes(" no more"), { createParents: false, ...LONG });
      assertEquals(picture(root), ["a = shared", "b = shared no more"]);
    });
  });

  Deno.test(`${name}: append to files of all sizes, with and without holes, gives their bytes and the new ones`, async () => {
    await withDirectory((root) => {
      const files = create();
      const path = `${root}/f`;
      for (const size of [1, 65_535, 65_536, 65_537, 1_000_000, 5_000_001]) {
        for (const holes of [false, true]) {
          const content = new Uint8Array(size).map((_, index) =>
            holes && (index >> 17) % 2 === 1 ? 0 : index * 31 + (index >> 8)
          );
          Deno.writeFileSync(path, new Uint8Array());
          const file = Deno.openSync(path, { write: true });
          for (let start = 0; start < size; start += 1 << 17) {
            if (holes && (start >> 17) % 2 === 1) continue;
            file.seekSync(start, Deno.SeekMode.Start);
            file.writeSync(content.subarray(start, start + (1 << 17)));
          }
          file.truncateSync(size);
          file.close();
          const result = files.append(at(path), bytes("end"), { createParents: false, ...LONG });
          assertEquals(result, { created: false, size: size + 3 });
          const after = Deno.readFileSync(path);
          assertEquals(after.length, size + 3);
          assertEquals(sha256(after.subarray(0, size)), sha256(content), `${size} ${holes}`);
        }
      }
    });
  });

  Deno.test(`${name}: several changes are made as one`, async () => {
    await withDirectory((root) => {
      const files = create();
      paint(root, ["edited = old", "gone = g", "from = f", "d/"]);
      Deno.chmodSync(`${root}/edited`, 0o600);
      Deno.chmodSync(`${root}/from`, 0o750);
      files.apply([
        write(`${root}/edited`, "new", having("old")),
        write(`${root}/n/e/w`, "made", "nothing", true),
        write(`${root}/n/e/w2`, "too", "nothing"),
        { ...write(`${root}/d/to`, "f2", "nothing"), like: at(`${root}/from`) } as Change,
        remove(`${root}/from`, having("f")),
        remove(`${root}/gone`),
      ], LONG);
      assertEquals(picture(root), [
        "d/",
        "d/to = f2",
        "edited = new",
        "n/",
        "n/e/",
        "n/e/w = made",
        "n/e/w2 = too",
      ]);
      assertEquals([modeOf(`${root}/edited`), modeOf(`${root}/d/to`)], [0o600, 0o750]);
      assertEquals(modeOf(`${root}/n/e/w`), 0o666 & ~Deno.umask());
      files.apply([], LONG);
    });
  });

  Deno.test(`${name}: forty changes in one directory, more than there are slots, leave nothing behind`, async () => {
    await withDirectory((root) => {
      const many = [...Array(40).keys()];
      paint(root, many.map((number) => `f${number} = old`));
      create().apply(many.map((number) => write(`${root}/f${number}`, "new", having("old"))), LONG);
      assertEquals(picture(root), many.map((number) => `f${number} = new`).sort());
    });
  });

  Deno.test(`${name}: where one of several changes cannot be made, none is`, async () => {
    const before = ["a = a", "b = b", "dir/", "dir/x = x", "pipe = ?"];
    const good = (root: string): readonly Change[] => [
      write(`${root}/a`, "A", having("a")),
      write(`${root}/n/e/w`, "new", "nothing", true),
      remove(`${root}/dir/x`),
    ];
    const cases: readonly (readonly [string, (root: string) => Change])[] = [
      ["STALE_FILE", (root) => write(`${root}/b`, "B", having("other"))],
      ["STALE_FILE", (root) => write(`${root}/c`, "B", having("other"))],
      ["STALE_FILE", (root) => remove(`${root}/b`, having("other"))],
      ["FILE_EXISTS", (root) => write(`${root}/b`, "B", "nothing")],
      ["FILE_NOT_FOUND", (root) => remove(`${root}/none`)],
      ["FILE_NOT_FOUND", (root) => write(`${root}/no/where`, "B", "nothing")],
      ["NOT_A_FILE", (root) => write(`${root}/dir`, "B", "anything")],
      ["NOT_A_FILE", (root) => remove(`${root}/dir`)],
      ["NOT_A_FILE", (root) => write(`${root}/pipe`, "B", "anything")],
    ];
    for (const [expected, bad] of cases) {
      for (const position of [0, 1, 3]) {
        await withDirectory((root) => {
          paint(root, before);
          const changes = good(root).toSpliced(position, 0, bad(root));
          assertEquals(code(() => create().apply(changes, LONG)), expected);
          assertEquals(picture(root), before, `${expected} at ${position}`);
        });
      }
    }
  });

  Deno.test(`${name}: a file that must not exist is named by what is to be done about it`, async () => {
    await withDirectory((root) => {
      paint(root, ["file = old"]);
      const error = assertThrows(
        () =>
          create().write(at(`${root}/file`), bytes("x"), {
            createParents: false,
            expect: "nothing",
          }),
        ToolError,
      );
      assertStringIncludes(error.message, "overwrite");
      create().write(at(`${root}/file`), bytes("x"), ALONE);
    });
  });
}
