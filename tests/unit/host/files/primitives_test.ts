import { assert, assertEquals } from "@std/assert";
import type { CanonicalPath } from "../../../../src/core/capability.ts";
import { createLinuxPrimitives } from "../../../../src/host/files/linux/primitives.ts";
import { createPortablePrimitives } from "../../../../src/host/files/portable/primitives.ts";
import { CANNOT, type FilePrimitives, type Handle } from "../../../../src/host/files/primitives.ts";
import { ERRNO, errnoName } from "../../../../src/sandbox/kernel/errno.ts";
import { LIBC } from "../../sandbox/_libc.ts";
import { bytes, modeOf, paint, picture, pipe, text } from "./_backends.ts";
import { withDirectory } from "./_temporary.ts";

const sets: readonly (readonly [string, () => FilePrimitives])[] = [
  ["system calls", () => createLinuxPrimitives(LIBC)],
  ["the runtime", createPortablePrimitives],
];

/** What they say in words: a name for an error, "done" for all else. */
const said = (result: unknown): string =>
  typeof result !== "number" || result >= 0
    ? "done"
    : result === CANNOT
    ? "cannot"
    : errnoName(-result);

const ROOM = [
  "d/",
  "d/x = x",
  "dangling -> none",
  "empty/",
  "f = f",
  "g = g",
  "l -> f",
  "p = ?",
  "to -> d",
];

/** What each is to say, over both sets, of names in one directory. */
type Attempt = (files: FilePrimitives, at: Handle) => unknown;
const open = (name: string, how: "directory" | "read" | "write" | "update" | "create"): Attempt =>
(
  files,
  at,
) => {
  const handle = files.openAt(at, name, how, 0o600);
  if (handle >= 0) files.close(handle);
  return handle;
};
const answers: readonly (readonly [string, Attempt, string])[] = [
  ["open a directory", open("d", "directory"), "done"],
  ["open a link as a directory", open("to", "directory"), "ENOTDIR|ELOOP"],
  ["open a file as a directory", open("f", "directory"), "ENOTDIR"],
  ["open what is missing", open("none", "read"), "ENOENT"],
  ["open a link", open("l", "read"), "ELOOP"],
  ["open a dangling link", open("dangling", "read"), "ELOOP"],
  ["open a pipe to read", open("p", "read"), "done"],
  ["open a pipe to write", open("p", "write"), "ENXIO"],
  ["open a directory to write", open("d", "update"), "EISDIR"],
  ["create where a file is", open("f", "create"), "EEXIST"],
  ["create where a link dangles", open("dangling", "create"), "EEXIST"],
  ["open the one above", open("..", "directory"), "done"],
  ["make a directory", (files, at) => files.makeDirectoryAt(at, "new", 0o700), "done"],
  ["make one that is there", (files, at) => files.makeDirectoryAt(at, "d", 0o700), "EEXIST"],
  ["make one over a link", (files, at) => files.makeDirectoryAt(at, "dangling", 0o700), "EEXIST"],
  ["remove a file", (files, at) => files.unlinkAt(at, "f", "entry"), "done"],
  ["remove a link", (files, at) => files.unlinkAt(at, "to", "entry"), "done"],
  ["remove a directory as an entry", (files, at) => files.unlinkAt(at, "empty", "entry"), "EISDIR"],
  ["remove an empty directory", (files, at) => files.unlinkAt(at, "empty", "directory"), "done"],
  ["remove a full directory", (files, at) => files.unlinkAt(at, "d", "directory"), "ENOTEMPTY"],
  ["remove a link as a directory", (files, at) => files.unlinkAt(at, "to", "directory"), "ENOTDIR"],
  ["remove what is missing", (files, at) => files.unlinkAt(at, "none", "entry"), "ENOENT"],
  ["read a link", (files, at) => files.readLinkAt(at, "dangling"), "done"],
  ["read a file as a link", (files, at) => files.readLinkAt(at, "f"), "EINVAL"],
  ["make a link", (files, at) => files.symlinkAt(bytes("x"), { directory: at, name: "n" }), "done"],
  [
    "make a link over one",
    (files, at) => files.symlinkAt(bytes("x"), { directory: at, name: "l" }),
    "EEXIST",
  ],
  ...([
    ["link", "linkAt", "EEXIST"],
    ["rename", "renameOver", "done"],
    ["rename anew", "renameNew", "EEXIST|cannot"],
    ["exchange", "exchange", "done|cannot"],
  ] as const).map(([what, name, expected]): readonly [string, Attempt, string] => [
    `${what} onto a file`,
    (files, at) => files[name]({ directory: at, name: "f" }, { directory: at, name: "g" }),
    expected,
  ]),
  [
    "rename over a directory",
    (files, at) => files.renameOver({ directory: at, name: "f" }, { directory: at, name: "empty" }),
    "EISDIR",
  ],
  ["look at what is missing", (files, at) => files.statAt(at, "none"), "ENOENT"],
  ["look at a dangling link", (files, at) => files.statAt(at, "dangling"), "done"],
  ["sync the directory", (files, at) => files.sync(at), "done"],
];

for (const [name, create] of sets) {
  Deno.test(`${name}: each primitive says what it did, and what not`, async () => {
    for (const [what, attempt, expected] of answers) {
      await withDirectory((root) => {
        paint(root, ROOM);
        const before = picture(root);
        const files = create();
        const at = files.openPath(root, "directory");
        assert(at >= 0);
        const result = said(attempt(files, at));
        files.close(at);
        assert(expected.split("|").includes(result), `${what}: ${result}`);
        if (result !== "done") assertEquals(picture(root), before, what);
      });
    }
  });

  Deno.test(`${name}: a path is opened where it is what it was judged to be, and through no link`, async () => {
    await withDirectory((root) => {
      paint(root, ROOM);
      const files = create();
      const opened = (path: string, how: "entry" | "file" | "directory" | "passage") => {
        const handle = files.openPath(`${root}/${path}` as CanonicalPath, how);
        const stat = handle < 0 ? null : files.statOf(handle);
        if (handle >= 0) files.close(handle);
        return stat === null ? said(handle) : typeof stat === "number" ? said(stat) : stat.type;
      };
      assertEquals(["l", "d", "p", "f"].map((path) => opened(path, "entry")), [
        "symlink",
        "directory",
        "other",
        "file",
      ]);
      assertEquals(["f", "p", "d"].map((path) => opened(path, "file")), [
        "file",
        "other",
        "directory",
      ]);
      assertEquals(["l", "to/x", "none", "f/x"].map((path) => opened(path, "file")), [
        "ELOOP",
        "ELOOP",
        "ENOENT",
        "ENOTDIR",
      ]);
      for (const how of ["directory", "passage"] as const) {
        assertEquals([opened("d", how), opened("f", how)], ["directory", "ENOTDIR"]);
        assert(["ELOOP", "ENOTDIR"].includes(opened("to", how)));
      }
    });
  });

  Deno.test(`${name}: what is written, sought and cut is there, with the mode and the times it was given`, async () => {
    await withDirectory((root) => {
      const files = create();
      const at = files.openPath(root, "directory");
      const file = files.openAt(at, "new", "create", 0o600);
      assertEquals(files.write(file, bytes("abcdef")), 6);
      assertEquals(files.seek(file, 2), 2);
      const buffer = new Uint8Array(10);
      assertEquals([files.read(file, buffer, 3), text(buffer.subarray(0, 3))], [3, "cde"]);
      assertEquals([files.truncate(file, 8), files.seek(file, 8), files.write(file, bytes("z"))], [
        0,
        8,
        1,
      ]);
      assertEquals([files.sync(file), files.setMode(file, 0o640)], [0, 0]);
      Deno.writeTextFileSync(`${root}/old`, "");
      Deno.utimeSync(`${root}/old`, 1_000_000_000, 1_234_567_890.5);
      const old = files.openAt(at, "old", "read");
      assertEquals(files.copyTimes(old, file), 0);
      const stat = files.statOf(file);
      assert(typeof stat === "object");
      assertEquals([stat.size, stat.mode, stat.modified, stat.accessed], [
        9,
        0o640,
        1_234_567_890_500,
        1_000_000_000_000,
      ]);
      assertEquals(modeOf(`${root}/new`), 0o640);
      assertEquals(Deno.readTextFileSync(`${root}/new`), "abcdef\0\0z");
      for (const handle of [old, file, at]) files.close(handle);
    });
  });

  Deno.test(`${name}: a lock is held by one, and ends with its handle`, async () => {
    await withDirectory((root) => {
      paint(root, ["f = f"]);
      const files = create();
      const at = files.openPath(root, "directory");
      const [one, other] = [files.openAt(at, "f", "update"), files.openAt(at, "f", "read")];
      assertEquals([files.tryLock(one), files.tryLock(other)], [0, -ERRNO.EAGAIN]);
      files.close(one);
      assertEquals(files.tryLock(other), 0);
      for (const handle of [other, at]) files.close(handle);
    });
  });

  Deno.test(`${name}: names are listed in order, all or those that begin alike, a pipe among them`, async () => {
    await withDirectory((root) => {
      paint(root, ["b/", "a1 = 1", "a0 = 0", "l -> b"]);
      pipe(`${root}/p`);
      const files = create();
      const listed = (prefix?: string) => {
        const at = files.openPath(root, "directory");
        const entries = files.list(at, prefix);
        files.close(at);
        assert(typeof entries !== "number");
        return entries.map((entry) => `${entry.name} ${entry.type}`);
      };
      assertEquals(listed(), ["a0 file", "a1 file", "b directory", "l symlink", "p other"]);
      assertEquals(listed("a"), ["a0 file", "a1 file"]);
    });
  });
}
