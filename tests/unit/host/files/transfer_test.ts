import { assert, assertEquals } from "@std/assert";
import {
  backends,
  code,
  KEEPING,
  modeOf,
  OVERWRITING,
  paint,
  picture,
  pipe,
  refusing,
  tree,
} from "./_backends.ts";
import { withDirectory } from "./_temporary.ts";

const TREE = ["t/", "t/a = a", "t/b/", "t/b/c = c", "t/b/d/", "t/l -> a", "t/out -> /etc/passwd"];
const under = (name: string) => TREE.map((entry) => name + entry.slice(1));

for (const [name, create] of backends) {
  Deno.test(`${name}: copy of a file keeps mode and times, and replaces only where it may`, async () => {
    await withDirectory((root) => {
      const files = create();
      paint(root, ["a = a", "b = b", "dir/", "link -> a"]);
      Deno.chmodSync(`${root}/a`, 0o4751);
      Deno.utimeSync(`${root}/a`, 1_000_000_000, 1_234_567_890);
      const copy = (to: string, options = KEEPING) =>
        files.copy(tree(`${root}/a`), tree(`${root}/${to}`), options);
      assertEquals(copy("new"), { files: 1, bytes: 1, leftOut: 0 });
      assertEquals(modeOf(`${root}/new`), 0o751);
      assertEquals(Deno.statSync(`${root}/new`).mtime?.getTime(), 1_234_567_890_000);
      assertEquals(code(() => copy("b")), "FILE_EXISTS");
      assertEquals(copy("b", OVERWRITING), { files: 1, bytes: 1, leftOut: 0 });
      assertEquals(code(() => copy("dir", OVERWRITING)), "FILE_EXISTS");
      assertEquals(code(() => copy("link", OVERWRITING)), "FILE_EXISTS");
      assertEquals(
        code(() => files.copy(tree(`${root}/none`), tree(`${root}/m`), KEEPING)),
        "FILE_NOT_FOUND",
      );
      assertEquals(picture(root), ["a = a", "b = a", "dir/", "link -> a", "new = a"]);
    });
  });

  Deno.test(`${name}: copy takes a link as a link, and no pipe`, async () => {
    await withDirectory((root) => {
      const files = create();
      paint(root, ["link -> no/where", "pipe = ?"]);
      assertEquals(files.copy(tree(`${root}/link`), tree(`${root}/l`), KEEPING), {
        files: 0,
        bytes: 0,
        leftOut: 0,
      });
      assertEquals(
        code(() => files.copy(tree(`${root}/pipe`), tree(`${root}/p`), KEEPING)),
        "NOT_A_FILE",
      );
      assertEquals(
        code(() => files.copy(tree(`${root}/link`), tree(`${root}/l`), OVERWRITING)),
        "FILE_EXISTS",
      );
      assertEquals(picture(root), ["l -> no/where", "link -> no/where", "pipe = ?"]);
    });
  });

  Deno.test(`${name}: copy of a directory has all in it, with modes and times`, async () => {
    await withDirectory((root) => {
      const files = create();
      paint(root, TREE);
      Deno.chmodSync(`${root}/t/a`, 0o640);
      Deno.chmodSync(`${root}/t/b`, 0o750);
      Deno.utimeSync(`${root}/t/b`, 1_000_000_000, 1_234_567_890);
      assertEquals(files.copy(tree(`${root}/t`), tree(`${root}/u`), KEEPING), {
        files: 2,
        bytes: 2,
        leftOut: 0,
      });
      assertEquals(picture(root), [...TREE, ...under("u")]);
      assertEquals([modeOf(`${root}/u`), modeOf(`${root}/u/a`), modeOf(`${root}/u/b`)], [
        modeOf(`${root}/t`),
        0o640,
        0o750,
      ]);
      assertEquals(Deno.statSync(`${root}/u/b`).mtime?.getTime(), 1_234_567_890_000);
      for (const options of [KEEPING, OVERWRITING]) {
        assertEquals(
          code(() => files.copy(tree(`${root}/t`), tree(`${root}/u`), options)),
          "FILE_EXISTS",
        );
        assertEquals(
          code(() => files.copy(tree(`${root}/t`), tree(`${root}/u/a`), options)),
          "FILE_EXISTS",
        );
      }
      assertEquals(picture(root), [...TREE, ...under("u")]);
    });
  });

  Deno.test(`${name}: copy leaves out what is refused, at either name, and what cannot be copied`, async () => {
    await withDirectory((root) => {
      const files = create();
      paint(root, [...TREE, "t/p = ?", "t/.toolgate-0.tmp = left"]);
      const copied = files.copy(
        tree(`${root}/t`, "/t/a", "/t/l"),
        tree(`${root}/u`, "/u/b"),
        KEEPING,
      );
      assertEquals(copied, { files: 0, bytes: 0, leftOut: 4 });
      assertEquals(picture(root).filter((entry) => entry.startsWith("u")), [
        "u/",
        "u/out -> /etc/passwd",
      ]);
    });
  });

  Deno.test(`${name}: move gives files, links and trees their new names`, async () => {
    await withDirectory((root) => {
      const files = create();
      paint(root, [...TREE, "f = f", "g = g", "link -> f", "x/"]);
      const move = (from: string, to: string, options = KEEPING) =>
        files.move(tree(`${root}/${from}`), tree(`${root}/${to}`), options);
      move("t", "x/u");
      move("link", "x/link");
      assertEquals(code(() => move("f", "g")), "FILE_EXISTS");
      move("f", "g", OVERWRITING);
      assertEquals(picture(root), ["g = f", "x/", "x/link -> f", ...under("x/u")]);
      for (const options of [KEEPING, OVERWRITING]) {
        assertEquals(code(() => move("g", "x", options)), "FILE_EXISTS");
        assertEquals(code(() => move("x", "g", options)), "FILE_EXISTS");
        assertEquals(code(() => move("x/link", "g", options)), "FILE_EXISTS");
        assertEquals(code(() => move("x/u", "x/link", options)), "FILE_EXISTS");
      }
      assertEquals(code(() => move("none", "y")), "FILE_NOT_FOUND");
      assertEquals(picture(root), ["g = f", "x/", "x/link -> f", ...under("x/u")]);
    });
  });

  Deno.test(`${name}: move of one name of a file onto its other removes the first`, async () => {
    await withDirectory((root) => {
      paint(root, ["a = shared"]);
      Deno.linkSync(`${root}/a`, `${root}/b`);
      create().move(tree(`${root}/a`), tree(`${root}/b`), OVERWRITING);
      assertEquals(picture(root), ["b = shared"]);
    });
  });

  Deno.test(`${name}: move between file systems gives all, with modes and times, and takes the old away`, async () => {
    await withDirectory((root) => {
      const files = create();
      const away = Deno.makeTempDirSync({ dir: "/dev/shm", prefix: "toolgate-test-" });
      try {
        assert(Deno.statSync(away).dev !== Deno.statSync(root).dev, "this needs two file systems");
        paint(root, [...TREE, "f = f", "link -> f", "g = g"]);
        Deno.chmodSync(`${root}/t/a`, 0o640);
        Deno.chmodSync(`${root}/t/b`, 0o500);
        Deno.utimeSync(`${root}/t/a`, 1_000_000_000, 1_234_567_890);
        const move = (from: string, to: string, options = KEEPING) =>
          files.move(tree(from), tree(to), options);
        move(`${root}/t`, `${away}/u`);
        move(`${root}/f`, `${away}/f`);
        move(`${root}/link`, `${away}/link`);
        assertEquals(picture(root), ["g = g"]);
        assertEquals(picture(away), ["f = f", "link -> f", ...under("u")]);
        assertEquals([modeOf(`${away}/u/a`), modeOf(`${away}/u/b`)], [0o640, 0o500]);
        assertEquals(Deno.statSync(`${away}/u/a`).mtime?.getTime(), 1_234_567_890_000);
        assertEquals(code(() => move(`${away}/f`, `${root}/g`)), "FILE_EXISTS");
        move(`${away}/f`, `${root}/g`, OVERWRITING);
        assertEquals(picture(root), ["g = f"]);
        assertEquals(code(() => move(`${away}/u`, `${root}/g`)), "FILE_EXISTS");
        pipe(`${away}/u/pipe`);
        assertEquals(code(() => move(`${away}/u`, `${root}/u`)), "NOT_A_FILE");
        assertEquals(picture(root), ["g = f"]);
        assertEquals(picture(away), ["link -> f", ...under("u"), "u/pipe = ?"]);
      } finally {
        Deno.removeSync(away, { recursive: true });
      }
    });
  });

  Deno.test(`${name}: move takes nothing where a part is protected, under the old name or the new`, async () => {
    await withDirectory((root) => {
      const files = create();
      paint(root, TREE);
      for (
        const [from, to] of [
          [tree(`${root}/t`, "/t/b/c"), tree(`${root}/u`)],
          [tree(`${root}/t`), tree(`${root}/u`, "/u/b/c")],
          [tree(`${root}/t`, "/none"), tree(`${root}/u`, "/u/l")],
        ] as const
      ) {
        assertEquals(code(() => files.move(from, to, KEEPING)), "PATH_DENIED");
        assertEquals(picture(root), TREE);
      }
      files.move(tree(`${root}/t`, "/u/a"), tree(`${root}/u`, "/t/a"), KEEPING);
      assertEquals(picture(root), under("u"));
    });
  });

  Deno.test(`${name}: copy and move make the directories that are missing, and take them back where they fail`, async () => {
    await withDirectory((root) => {
      const files = create();
      paint(root, TREE);
      files.copy(tree(`${root}/t/a`), tree(`${root}/n/e/a`), KEEPING);
      files.copy(tree(`${root}/t`), tree(`${root}/n/f/t`), KEEPING);
      files.move(tree(`${root}/n/f/t`), tree(`${root}/m/e/t`), KEEPING);
      const made = picture(root);
      assertEquals(
        made,
        [...under("m/e/t"), "m/", "m/e/", "n/", "n/e/", "n/e/a = a", "n/f/", ...TREE].sort(),
      );
      const failing: readonly (() => unknown)[] = [
        () => files.copy(refusing(tree(`${root}/t/a`), "file"), tree(`${root}/o/p/a`), KEEPING),
        () => files.copy(tree(`${root}/none`), tree(`${root}/o/p/a`), KEEPING),
        () => files.move(tree(`${root}/none`), tree(`${root}/o/p/a`), KEEPING),
        () => files.move(tree(`${root}/t`, "/t/a"), tree(`${root}/o/p/t`), KEEPING),
        () => files.copy(tree(`${root}/t/a`), tree(`${root}/t/a/b`), KEEPING),
      ];
      for (const action of failing) {
        assert(code(action) !== "nothing thrown", String(action));
        assertEquals(picture(root), made);
      }
    });
  });
}
