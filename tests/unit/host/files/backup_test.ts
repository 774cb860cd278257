import { assertEquals } from "@std/assert";
import { ToolError } from "../../../../src/core/errors.ts";
import { backupNumber, expired, nextNumber } from "../../../../src/host/files/_backup_names.ts";
import { createChanging } from "../../../../src/host/files/change/changing.ts";
import { createPortablePrimitives } from "../../../../src/host/files/portable/primitives.ts";
import {
  ALONE,
  at,
  backends,
  bytes,
  code,
  keeping,
  LONG,
  modeOf,
  names,
  paint,
  picture,
  pipe,
} from "./_backends.ts";
import { withDirectory } from "./_temporary.ts";

Deno.test("a backup's name says its place in the row, and nothing else is one", () => {
  const cases: readonly (readonly [string, number | null])[] = [
    ["x.bak", 0],
    ["x.bak.1", 1],
    ["x.bak.10", 10],
    ["x.bak.999999999999999", 999_999_999_999_999],
    ["x.bak.9999999999999999", null],
    ["x.bak.0", null],
    ["x.bak.01", null],
    ["x.bak.", null],
    ["x.bak.1.bak", null],
    ["x.bak.-1", null],
    ["x.bak.1\n", null],
    ["x.bak ", null],
    ["x.BAK", null],
    ["xx.bak", null],
    ["x", null],
  ];
  for (const [name, expected] of cases) assertEquals(backupNumber("x", name), expected, name);
  assertEquals(backupNumber("a(b", "a(b.bak.2"), 2);
  assertEquals([nextNumber([]), nextNumber([0]), nextNumber([3, 7, 5])], [0, 1, 8]);
});

Deno.test("limits on backups let the oldest go, and never the newest", () => {
  const made = (...times: number[]) => times.map((made, number) => ({ number, made }));
  const gone = (backups: ReturnType<typeof made>, keep: number | null, ageMs: number | null) =>
    expired(backups, { keep, ageMs, now: 1_000 }).map(({ number }) => number);
  assertEquals(gone(made(1, 2, 3, 4), null, null), []);
  assertEquals(gone(made(1, 2, 3, 4), 2, null), [0, 1]);
  assertEquals(gone(made(1, 2, 3, 4), 0, null), [0, 1, 2]);
  assertEquals(gone(made(1, 2), 9, null), []);
  assertEquals(gone(made(100, 600, 100), null, 500), [0]);
  assertEquals(gone(made(1, 1, 1), null, 0), [0, 1]);
  assertEquals(gone(made(1, 900, 2, 950), 3, 500), [0, 2]);
  assertEquals(gone([{ number: 5, made: 1 }, { number: 0, made: 1 }], 1, null), [0]);
});

for (const [name, create] of backends) {
  Deno.test(`${name}: backups are numbered upwards, with mode, times and contents of their file`, async () => {
    await withDirectory((root) => {
      const files = create();
      const target = at(`${root}/x`);
      const made: string[] = [];
      for (const words of ["one", "two", "three"]) {
        Deno.writeTextFileSync(`${root}/x`, words);
        Deno.chmodSync(`${root}/x`, 0o640);
        Deno.utimeSync(`${root}/x`, 1_000_000_000, 1_234_567_890);
        made.push(files.backUp(target, keeping()));
      }
      assertEquals(made, ["x.bak", "x.bak.1", "x.bak.2"]);
      assertEquals(picture(root), [
        "x = three",
        "x.bak = one",
        "x.bak.1 = two",
        "x.bak.2 = three",
      ]);
      const info = Deno.statSync(`${root}/x.bak.1`);
      assertEquals([info.mtime?.getTime(), modeOf(`${root}/x.bak`)], [1_234_567_890_000, 0o640]);
      assertEquals(info.nlink, 1);
      assertEquals(files.backups(target), [
        { name: "x.bak", size: 3, modified: 1_234_567_890_000 },
        { name: "x.bak.1", size: 3, modified: 1_234_567_890_000 },
        { name: "x.bak.2", size: 5, modified: 1_234_567_890_000 },
      ]);
    });
  });

  Deno.test(`${name}: what bears a backup's name and is none is neither listed, nor replaced, nor let go`, async () => {
    await withDirectory((root) => {
      const files = create();
      paint(root, [
        "x = x",
        "x.bak.3/",
        "x.bak.4 -> x",
        "x.bak.5 = five",
        "x.bak.02 = no",
        "y.bak = y",
      ]);
      pipe(`${root}/x.bak`);
      assertEquals(files.backups(at(`${root}/x`)).map(({ name }) => name), ["x.bak.5"]);
      assertEquals(files.backUp(at(`${root}/x`), keeping({ keep: 1 })), "x.bak.6");
      assertEquals(names(root), [
        "x",
        "x.bak",
        "x.bak.02",
        "x.bak.3",
        "x.bak.4",
        "x.bak.6",
        "y.bak",
      ]);
    });
  });

  Deno.test(`${name}: the policy's limits are held, as far as it lets the backups be removed`, async () => {
    await withDirectory((root) => {
      const files = create();
      const target = at(`${root}/x`);
      paint(root, ["x = x"]);
      for (let round = 0; round < 5; round++) files.backUp(target, keeping({ keep: 2 }));
      assertEquals(names(root), ["x", "x.bak.3", "x.bak.4"]);
      // An old file's backup is new.
      Deno.utimeSync(`${root}/x.bak.3`, 1, 1);
      files.backUp(target, keeping({ ageMs: 60_000 }));
      assertEquals(names(root), ["x", "x.bak.3", "x.bak.4", "x.bak.5"]);
      files.backUp(target, keeping({ ageMs: 60_000, now: Date.now() + 120_000 }));
      assertEquals(names(root), ["x", "x.bak.6"]);
      const require = (path: string) => {
        if (path.endsWith(".6")) throw new ToolError("PATH_DENIED", "not this one");
      };
      files.backUp(target, keeping({ keep: 1, require }));
      files.backUp(target, keeping({ keep: 1, require }));
      assertEquals(names(root), ["x", "x.bak.6", "x.bak.8"]);
    });
  });

  Deno.test(`${name}: a backup whose name is refused is not made`, async () => {
    await withDirectory((root) => {
      paint(root, ["x = x"]);
      const require = () => {
        throw new ToolError("PATH_DENIED", "no");
      };
      assertEquals(
        code(() => create().backUp(at(`${root}/x`), keeping({ require }))),
        "PATH_DENIED",
      );
      assertEquals(picture(root), ["x = x"]);
    });
  });

  Deno.test(`${name}: only files are backed up`, async () => {
    await withDirectory((root) => {
      const files = create();
      paint(root, ["dir/", "file = x", "link -> file"]);
      pipe(`${root}/pipe`);
      const cases: readonly (readonly [string, string])[] = [
        ["dir", "NOT_A_FILE"],
        ["pipe", "NOT_A_FILE"],
        ["link", "NATIVE_DENIED"],
        ["none", "FILE_NOT_FOUND"],
        ["no/where", "FILE_NOT_FOUND"],
      ];
      for (const [path, expected] of cases) {
        assertEquals(code(() => files.backUp(at(`${root}/${path}`), keeping())), expected, path);
      }
      assertEquals(names(root), ["dir", "file", "link", "pipe"]);
      assertEquals(files.backups(at(`${root}/none`)), []);
    });
  });

  Deno.test(`${name}: a backup is put back with its mode and times, and stays`, async () => {
    await withDirectory((root) => {
      const files = create();
      const target = at(`${root}/x`);
      Deno.writeTextFileSync(`${root}/x`, "old");
      Deno.chmodSync(`${root}/x`, 0o751);
      Deno.utimeSync(`${root}/x`, 1_000_000_000, 1_234_567_890);
      files.backUp(target, keeping());
      files.write(target, bytes("new"), ALONE);
      Deno.chmodSync(`${root}/x`, 0o600);
      const restored = () => {
        files.restore(target, at(`${root}/x.bak`), LONG);
        assertEquals(picture(root), ["x = old", "x.bak = old"]);
        const info = Deno.statSync(`${root}/x`);
        assertEquals([info.mtime?.getTime(), modeOf(`${root}/x`)], [1_234_567_890_000, 0o751]);
      };
      restored();
      Deno.removeSync(`${root}/x`);
      restored();
      Deno.removeSync(`${root}/x.bak`);
      Deno.mkdirSync(`${root}/x.bak`);
      assertEquals(code(() => files.restore(target, at(`${root}/x.bak`), LONG)), "NOT_A_FILE");
      assertEquals(Deno.readTextFileSync(`${root}/x`), "old");
    });
  });

  Deno.test(`${name}: a big file is backed up and put back whole`, async () => {
    await withDirectory((root) => {
      const files = create();
      const content = new Uint8Array(3_000_001).map((_, index) => index * 7 + (index >> 9));
      Deno.writeFileSync(`${root}/x`, content);
      files.backUp(at(`${root}/x`), keeping());
      Deno.writeTextFileSync(`${root}/x`, "");
      files.restore(at(`${root}/x`), at(`${root}/x.bak`), LONG);
      assertEquals(Deno.readFileSync(`${root}/x`), content);
    });
  });
}

Deno.test("the folder is listed for the first backup of a file, and again where others have made or removed one", async () => {
  await withDirectory((root) => {
    Deno.writeTextFileSync(`${root}/x`, "words");
    const primitives = createPortablePrimitives();
    let listed = 0;
    const files = createChanging({
      ...primitives,
      list: (...asked) => {
        listed++;
        return primitives.list(...asked);
      },
    });
    const target = at(`${root}/x`);
    const backUp = (limits?: Parameters<typeof keeping>[0]) => [
      files.backUp(target, keeping(limits)),
      listed,
    ];
    assertEquals(backUp(), ["x.bak", 1]);
    assertEquals(backUp(), ["x.bak.1", 1]);
    assertEquals(backUp(), ["x.bak.2", 1]);
    Deno.removeSync(`${root}/x.bak.2`);
    assertEquals(backUp(), ["x.bak.2", 2]);
    // Another made one, and one far above it: the newest still has the highest number.
    for (const name of ["x.bak.3", "x.bak.9"]) Deno.writeTextFileSync(`${root}/${name}`, "other");
    assertEquals(backUp(), ["x.bak.10", 3]);
    assertEquals(backUp(), ["x.bak.11", 3]);
    assertEquals(Deno.readTextFileSync(`${root}/x.bak.9`), "other");
    assertEquals(backUp({ keep: 2 }), ["x.bak.12", 4]);
    assertEquals(names(root), ["x", "x.bak.11", "x.bak.12"]);
  });
});
