import { assertEquals } from "@std/assert";
import { createHash } from "node:crypto";
import type { Durability } from "../../../../src/core/files.ts";
import type { FileBackend } from "../../../../src/host/files/file_backend.ts";
import { createLinuxFiles } from "../../../../src/host/files/linux/files.ts";
import { ERRNO } from "../../../../src/sandbox/kernel/errno.ts";
import type { Libc } from "../../../../src/sandbox/kernel/libc.ts";
import { LIBC } from "../../sandbox/_libc.ts";
import { ALONE, at, bytes, keeping, LONG, tree } from "./_backends.ts";
import { withDirectory } from "./_temporary.ts";

/** Calls that tell when what reached the disk, in one letter each. */
function recording(apart: boolean): { readonly libc: Libc; readonly order: () => string } {
  const { numbers } = LIBC;
  let order = "";
  const isDirectory = (descriptor: unknown): boolean =>
    Deno.statSync(`/proc/self/fd/${descriptor}`).isDirectory;
  const libc: Libc = {
    ...LIBC,
    call(number, ...rest) {
      if (number === numbers.renameat2 && apart && rest[0] !== rest[2]) return -ERRNO.EXDEV;
      if (number === numbers.fsync) order += isDirectory(rest[0]) ? "N" : "C";
      if (number === numbers.syncfs) order += "A";
      if (number === numbers.renameat2) order += "r";
      if (number === numbers.unlinkat && LIBC.call(number, ...rest) === 0) {
        order += "u";
        return 0;
      }
      return LIBC.call(number, ...rest);
    },
  };
  return { libc, order: () => order };
}

function keepWriting(files: FileBackend, root: string, [old, written]: [string, string]): void {
  const sha256 = createHash("sha256").update(old).digest("hex");
  files.writeKeeping(at(`${root}/f`), bytes(written), { ...keeping(), expect: { sha256 } });
}

interface Case {
  readonly what: string;
  readonly change: (files: FileBackend, root: string) => unknown;
  /** Two directories are two file systems. */
  readonly apart?: true;
  /** C: contents synced, N: names synced, A: all of the file system synced, r: renamed, u: removed. */
  readonly order: Readonly<Record<Durability, string>>;
}

const cases: readonly Case[] = [
  {
    what: "write",
    change: (files, root) => files.write(at(`${root}/f`), bytes("new"), ALONE),
    order: { full: "CrN", atomic: "Cr" },
  },
  {
    what: "backUp",
    change: (files, root) => files.backUp(at(`${root}/f`), keeping()),
    order: { full: "CrN", atomic: "Cr" },
  },
  {
    what: "writeKeeping: what is kept, too, but not where it was written here",
    change: (files, root) => {
      keepWriting(files, root, ["old", "new"]);
      keepWriting(files, root, ["new", "newer"]);
    },
    order: { full: "CCrNCrN", atomic: "CCrCr" },
  },
  {
    what: "remove",
    change: (files, root) => files.remove(tree(`${root}/f`), { ...LONG, recursive: false }),
    order: { full: "uN", atomic: "u" },
  },
  {
    what: "createDirectory",
    change: (files, root) => files.createDirectory(at(`${root}/new`), { parents: false }),
    order: { full: "N", atomic: "" },
  },
  {
    what: "move",
    change: (files, root) =>
      files.move(tree(`${root}/f`), tree(`${root}/d/f`), { ...LONG, overwrite: false }),
    order: { full: "rNN", atomic: "r" },
  },
  {
    what: "move to another file system: the name is there before the old one goes",
    change: (files, root) =>
      files.move(tree(`${root}/f`), tree(`${root}/d/f`), { ...LONG, overwrite: false }),
    apart: true,
    order: { full: "CrNNuN", atomic: "CrNu" },
  },
  {
    what: "apply",
    change: (files, root) =>
      files.apply([{
        kind: "write",
        target: at(`${root}/f`),
        bytes: bytes("new"),
        createParents: false,
        expect: "anything",
      }], LONG),
    order: { full: "CrNuu", atomic: "Cruu" },
  },
  {
    what: "apply that removes: the names are there before old contents go",
    change: (files, root) =>
      files.apply([
        {
          kind: "write",
          target: at(`${root}/d/g`),
          bytes: bytes("new"),
          createParents: false,
          expect: "nothing",
        },
        { kind: "remove", target: at(`${root}/f`), expect: "anything" },
      ], LONG),
    order: { full: "CrrNNuuu", atomic: "CrrNNuuu" },
  },
];

for (const { what, change, apart, order } of cases) {
  Deno.test(`durability of ${what}`, async () => {
    for (const durability of ["full", "atomic"] as const) {
      await withDirectory((root) => {
        Deno.writeTextFileSync(`${root}/f`, "old");
        Deno.mkdirSync(`${root}/d`);
        const recorded = recording(apart === true);
        change(createLinuxFiles(recorded.libc, durability), root);
        assertEquals(recorded.order(), order[durability], durability);
      });
    }
  });
}
