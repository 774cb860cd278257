import { assert, assertEquals } from "@std/assert";
import { createChanging } from "../../../../src/host/files/change/changing.ts";
import { createPortableFiles } from "../../../../src/host/files/portable/files.ts";
import { createPortablePrimitives } from "../../../../src/host/files/portable/primitives.ts";
import { ERRNO } from "../../../../src/sandbox/kernel/errno.ts";
import {
  at,
  bytes,
  code,
  KEEPING,
  keeping,
  LONG,
  names,
  paint,
  picture,
  tree,
} from "./_backends.ts";
import { withDirectory } from "./_temporary.ts";

/** Runs a shell script in a directory: for names that the runtime cannot write. */
function sh(cwd: string, script: string): string {
  const { success, stdout } = new Deno.Command("/bin/sh", { args: ["-c", script], cwd })
    .outputSync();
  assert(success, script);
  return new TextDecoder().decode(stdout);
}

Deno.test("the runtime: names that are no text cannot be reached, and are never lost", async () => {
  await withDirectory((root) => {
    paint(root, ["d/", "t/", "t/a = a"]);
    sh(root, String.raw`printf odd > "t/$(printf 'o\377')"`);
    const removing = () =>
      createPortableFiles().remove(tree(`${root}/t`), { ...LONG, recursive: true });
    assertEquals(code(removing), "STALE_FILE");
    assertEquals(sh(root, "cat t/o*"), "odd");
    Deno.writeTextFileSync(`${root}/t/a`, "a");
    // Between file systems what was not copied is not removed.
    const base = createPortablePrimitives();
    const files = createChanging({
      ...base,
      renameOver: (from, to) =>
        from.directory === to.directory ? base.renameOver(from, to) : -ERRNO.EXDEV,
    });
    const moving = () => files.move(tree(`${root}/t`), tree(`${root}/d/t`), KEEPING);
    assertEquals(code(moving), "STALE_FILE");
    assertEquals(sh(root, "cat t/o* d/t/a"), "odda");
  });
});

Deno.test("the runtime: what is nothing but zeros stays a hole, though nobody tells of holes", async () => {
  await withDirectory((root) => {
    const files = createPortableFiles();
    const size = 64 * 1024 * 1024;
    const file = Deno.openSync(`${root}/f`, { create: true, write: true });
    file.truncateSync(size);
    file.seekSync(size / 2 + 5, Deno.SeekMode.Start);
    file.writeSync(bytes("middle"));
    file.close();
    files.backUp(at(`${root}/f`), keeping());
    files.append(at(`${root}/f`), bytes("end"), { createParents: false, ...LONG });
    files.copy(tree(`${root}/f`), tree(`${root}/g`), KEEPING);
    for (const [name, end] of [["f", "end"], ["g", "end"], ["f.bak", ""]] as const) {
      const info = Deno.statSync(`${root}/${name}`);
      assertEquals([info.size, (info.blocks ?? 0) < 10_000], [size + end.length, true], name);
      const read = Deno.readFileSync(`${root}/${name}`);
      const text = (start: number, length: number) =>
        new TextDecoder().decode(read.subarray(start, start + length));
      assertEquals([text(size / 2 + 5, 6), text(size, 3)], ["middle", end], name);
    }
  });
});

Deno.test("the runtime: a directory that was swapped for another since it was opened is not used", async () => {
  await withDirectory((root) => {
    const files = createPortablePrimitives();
    paint(root, [
      "in/",
      "in/d/",
      "in/d/f = inside",
      "out/",
      "out/f = sentinel",
      "out/g = sentinel",
    ]);
    const before = picture(`${root}/out`);
    const attempts: Readonly<Record<string, (directory: number, file: number) => unknown>> = {
      statAt: (directory) => files.statAt(directory, "f"),
      open: (directory) => files.openAt(directory, "f", "read"),
      create: (directory) => files.openAt(directory, "new", "create", 0o600),
      directory: (directory) => files.openAt(directory, ".", "directory"),
      above: (directory) => files.openAt(directory, "..", "directory"),
      list: (directory) => files.list(directory),
      link: (directory) => files.readLinkAt(directory, "f"),
      remove: (directory) => files.unlinkAt(directory, "f", "entry"),
      make: (directory) => files.makeDirectoryAt(directory, "new", 0o700),
      symlink: (directory) => files.symlinkAt(bytes("x"), { directory, name: "new" }),
      rename: (directory) => files.renameOver({ directory, name: "f" }, { directory, name: "g" }),
      second: (directory) => files.linkAt({ directory, name: "f" }, { directory, name: "new" }),
      sync: (directory) => files.sync(directory),
      mode: (directory) => files.setMode(directory, 0o700),
      "mode of the file": (_, file) => files.setMode(file, 0o700),
      "owner of the file": (_, file) => files.setOwner(file, { user: null, group: 0 }),
    };
    for (const swap of ["link", "directory"]) {
      for (const [what, attempt] of Object.entries(attempts)) {
        const directory = files.openPath(`${root}/in/d` as never, "directory");
        const file = files.openAt(directory, "f", "read");
        assert(directory >= 0 && file >= 0);
        Deno.renameSync(`${root}/in/d`, `${root}/in/away`);
        if (swap === "link") Deno.symlinkSync(`${root}/out`, `${root}/in/d`);
        else Deno.renameSync(`${root}/out`, `${root}/in/d`);
        const result = attempt(directory, file);
        assert(
          [-ERRNO.ESTALE, -ERRNO.ELOOP].includes(result as never),
          `${swap} ${what}: ${result}`,
        );
        if (swap === "link") Deno.removeSync(`${root}/in/d`);
        else Deno.renameSync(`${root}/in/d`, `${root}/out`);
        Deno.renameSync(`${root}/in/away`, `${root}/in/d`);
        files.close(file);
        files.close(directory);
        assertEquals(picture(`${root}/out`), before, `${swap} ${what}`);
        assertEquals(names(`${root}/in/d`), ["f"], `${swap} ${what}`);
      }
    }
  });
});
