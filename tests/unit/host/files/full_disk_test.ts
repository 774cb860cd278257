import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import type { FileBackend } from "../../../../src/host/files/file_backend.ts";
import {
  ALONE,
  at,
  backends,
  bytes,
  code,
  KEEPING,
  LONG,
  paint,
  picture,
  text,
  tree,
} from "./_backends.ts";
import { attempts, paintBig, sizes } from "./_filling.ts";
import { withDirectory } from "./_temporary.ts";

function requireRefused(files: FileBackend, root: string, what: string): void {
  const before = sizes(root);
  for (const [name, attempt] of Object.entries(attempts(files, root))) {
    assertEquals(code(attempt), "RESOURCE_LIMIT", `${what}: ${name}`);
    assertEquals(sizes(root), before, `${what}: ${name}`);
  }
}

function mounted(root: string, options: string): boolean {
  return new Deno.Command("mount", {
    args: ["-t", "tmpfs", "-o", options, "tmpfs", root],
    stderr: "null",
  })
    .outputSync().success;
}

function unmount(root: string): void {
  assert(new Deno.Command("umount", { args: [root] }).outputSync().success);
}

Deno.test("on a full disk nothing is lost, and nothing left behind", async () => {
  await withDirectory((root) => {
    // Where this user may not mount, the next test has to do.
    if (!mounted(root, "size=1m")) return;
    try {
      paintBig(root);
      for (const [name, create] of backends) requireRefused(create(), root, name);
    } finally {
      unmount(root);
    }
  });
});

Deno.test("on a disk without room for names nothing is lost either", async () => {
  await withDirectory((root) => {
    if (!mounted(root, "size=1m,nr_inodes=4")) return;
    try {
      paint(root, ["a = a", "d/"]);
      for (const [name, create] of backends) {
        const files = create();
        files.write(at(`${root}/a`), bytes("b"), ALONE);
        files.write(at(`${root}/a`), bytes("a"), ALONE);
        const full = () =>
          files.write(at(`${root}/d/e/f`), bytes("x"), { createParents: true, expect: "nothing" });
        assertEquals(code(full), "RESOURCE_LIMIT", name);
        assertEquals(picture(root), ["a = a", "d/"], name);
      }
    } finally {
      unmount(root);
    }
  });
});

Deno.test("on a file system that is read-only nothing is changed, and that is said", async () => {
  await withDirectory((root) => {
    if (!mounted(root, "size=4m")) return;
    try {
      paintBig(root);
      const remounted = new Deno.Command("mount", { args: ["-o", "remount,ro", root] })
        .outputSync();
      assert(remounted.success);
      const before = sizes(root);
      for (const [name, create] of backends) {
        const files = create();
        const all = {
          ...attempts(files, root),
          remove: () => files.remove(tree(`${root}/small`), { ...LONG, recursive: false }),
          "remove of a tree": () => files.remove(tree(`${root}/t`), { ...LONG, recursive: true }),
          move: () => files.move(tree(`${root}/t`), tree(`${root}/u`), KEEPING),
          createDirectory: () => files.createDirectory(at(`${root}/new`), { parents: true }),
        };
        for (const [what, attempt] of Object.entries(all)) {
          assertEquals(code(attempt), "NATIVE_DENIED", `${name}: ${what}`);
          assertEquals(sizes(root), before, `${name}: ${what}`);
        }
      }
    } finally {
      unmount(root);
    }
  });
});

Deno.test("where the process may write no more to a file nothing is lost, and nothing left behind", async () => {
  await withDirectory((root) => {
    paintBig(root);
    const before = sizes(root);
    const script = fromFileUrl(import.meta.resolve("./_filling.ts"));
    // In blocks of 512 bytes (POSIX, ulimit). The signal for it would end the process.
    const { stdout } = new Deno.Command("/bin/sh", {
      args: [
        "-c",
        `trap '' XFSZ; ulimit -f 1000; exec "$0" run -A -q --no-lock --no-check --cached-only "$1" "$2"`,
        Deno.execPath(),
        script,
        root,
      ],
      stderr: "inherit",
    }).outputSync();
    const said: readonly (readonly string[])[] = JSON.parse(text(stdout));
    assertEquals(said.length, backends.length);
    for (const outcomes of said) {
      assert(outcomes.length > 8);
      for (const outcome of outcomes) assert(outcome.endsWith(": RESOURCE_LIMIT"), outcome);
    }
    assertEquals(sizes(root), before);
  });
});
