import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { sha256 } from "../../../../src/core/sha256.ts";
import { ToolError } from "../../../../src/core/errors.ts";
import type { Change, FileBackend } from "../../../../src/host/files/file_backend.ts";
import { createChanging } from "../../../../src/host/files/change/changing.ts";
import { createLinuxFiles } from "../../../../src/host/files/linux/files.ts";
import { createPortablePrimitives } from "../../../../src/host/files/portable/primitives.ts";
import type { FilePrimitives, Name } from "../../../../src/host/files/primitives.ts";
import { createReading } from "../../../../src/host/files/read/reading.ts";
import { isTemporary } from "../../../../src/host/files/_temporary_names.ts";
import { ERRNO } from "../../../../src/sandbox/kernel/errno.ts";
import type { Libc } from "../../../../src/sandbox/kernel/libc.ts";
import { LIBC } from "../../sandbox/_libc.ts";
import {
  ALONE,
  at,
  bytes,
  code,
  KEEPING,
  keeping,
  LONG,
  OVERWRITING,
  paint,
  picture,
  tree,
} from "./_backends.ts";
import { Crash, failingAt } from "./_failing_libc.ts";
import { failingPrimitivesAt } from "./_failing_primitives.ts";
import { withDirectoryInMemory } from "./_temporary.ts";

/** Two directories are two file systems. */
const apart: Libc = {
  ...LIBC,
  call: (number, ...rest) =>
    number === LIBC.numbers.renameat2 && rest[0] !== rest[2]
      ? -ERRNO.EXDEV
      : LIBC.call(number, ...rest),
};

/** As {@linkcode apart}, over the runtime, which renames and links by path. */
function portableApart(): FilePrimitives {
  const base = createPortablePrimitives();
  const across = ({ directory: from }: Name, { directory: to }: Name) => from !== to;
  return {
    ...base,
    renameOver: (from, to) => across(from, to) ? -ERRNO.EXDEV : base.renameOver(from, to),
    linkAt: (from, to) => across(from, to) ? -ERRNO.EXDEV : base.linkAt(from, to),
  };
}

interface Case {
  readonly what: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly change: (files: FileBackend, root: string) => unknown;
  /** Whether a state in between is one that nobody loses anything by. All of `before` or `after` always is. */
  readonly legal?: (entries: readonly string[]) => boolean;
  readonly apart?: true;
}

/** A backend that fails at the `n`th step: with `errno`, or by dying there. */
interface Failing {
  readonly files: FileBackend;
  readonly calls: () => number;
  readonly bury: () => void;
}

const failing: Readonly<
  Record<string, (one: Case, n: number, errno: number | null) => Failing>
> = {
  "system call": (one, n, errno) => {
    const { libc, ...rest } = failingAt(n, errno, one.apart ? apart : LIBC);
    return { files: createLinuxFiles(libc), ...rest };
  },
  "primitive over the runtime": (one, n, errno) => {
    const base = one.apart ? portableApart() : createPortablePrimitives();
    const { primitives, ...rest } = failingPrimitivesAt(n, errno, base);
    return { files: { ...createReading(primitives), ...createChanging(primitives) }, ...rest };
  },
};

const ERRORS: Readonly<Record<string, readonly number[]>> = {
  "system call": [ERRNO.EIO, ERRNO.ENOSPC, ERRNO.EACCES],
  "primitive over the runtime": [ERRNO.EIO, ERRNO.EACCES],
};

const expecting = (words: string) => ({ sha256: sha256(bytes(words)) });
const TREE = ["t/", "t/a = a", "t/b/", "t/b/c = c", "t/l -> a"];
const as = (name: string) => TREE.map((entry) => name + entry.slice(1));
const has = (entries: readonly string[], wanted: readonly string[]) =>
  wanted.every((entry) => entries.includes(entry));

const cases: readonly Case[] = [
  {
    what: "append",
    before: ["log = one"],
    after: ["log = onetwo"],
    change: (files, root) =>
      files.append(at(`${root}/log`), bytes("two"), { createParents: false, ...LONG }),
  },
  {
    what: "write that expects contents",
    before: ["f = old"],
    after: ["f = new"],
    change: (files, root) =>
      files.write(at(`${root}/f`), bytes("new"), {
        createParents: false,
        expect: expecting("old"),
      }),
  },
  {
    what: "write with parents",
    before: [],
    after: ["a/", "a/b/", "a/b/f = new"],
    change: (files, root) =>
      files.write(at(`${root}/a/b/f`), bytes("new"), { createParents: true, expect: "nothing" }),
    legal: (entries) => !entries.some((entry) => entry.includes("= ") && !entry.endsWith("= new")),
  },
  {
    what: "backUp",
    before: ["x = x", "x.bak = old"],
    after: ["x = x", "x.bak = old", "x.bak.1 = x"],
    change: (files, root) => files.backUp(at(`${root}/x`), keeping()),
  },
  {
    what: "restore",
    before: ["x = new", "x.bak = old"],
    after: ["x = old", "x.bak = old"],
    change: (files, root) => files.restore(at(`${root}/x`), at(`${root}/x.bak`), LONG),
  },
  {
    what: "apply",
    before: ["a = a", "b = b", "d/", "d/x = x"],
    after: ["a = A", "b = B", "d/", "d/y = y"],
    change: (files, root) => {
      const write = (path: string, words: string, old: string | null): Change => ({
        kind: "write",
        target: at(`${root}/${path}`),
        bytes: bytes(words),
        createParents: false,
        expect: old === null ? "nothing" : expecting(old),
      });
      const removing = { target: at(`${root}/d/x`), expect: expecting("x") };
      files.apply([
        write("a", "A", "a"),
        write("d/y", "y", null),
        { kind: "remove", ...removing },
        write("b", "B", "b"),
      ], LONG);
    },
    legal: (entries) =>
      entries.every((entry) => /^(?:a = [aA]|b = [bB]|d\/|d\/x = x|d\/y = y)$/.test(entry)) &&
      entries.some((entry) => entry.startsWith("a")) &&
      entries.some((entry) => entry.startsWith("b")),
  },
  {
    what: "copy of a file over another",
    before: ["a = a", "b = b"],
    after: ["a = a", "b = a"],
    change: (files, root) => files.copy(tree(`${root}/a`), tree(`${root}/b`), OVERWRITING),
  },
  {
    what: "copy of a tree",
    before: TREE,
    after: [...TREE, ...as("u")],
    change: (files, root) => files.copy(tree(`${root}/t`), tree(`${root}/u`), KEEPING),
    // A tree that the system does not let us read in part is copied without it.
    legal: (entries) => has(entries, TREE) && entries.includes("u/"),
  },
  {
    what: "move of a tree",
    before: TREE,
    after: as("u"),
    change: (files, root) => files.move(tree(`${root}/t`, "none"), tree(`${root}/u`), KEEPING),
  },
  {
    what: "move of a file over another",
    before: ["a = a", "b = b"],
    after: ["b = a"],
    change: (files, root) => files.move(tree(`${root}/a`), tree(`${root}/b`), OVERWRITING),
  },
  {
    what: "move of a file between file systems",
    before: ["a = a", "d/"],
    after: ["d/", "d/a = a"],
    change: (files, root) => files.move(tree(`${root}/a`), tree(`${root}/d/a`), KEEPING),
    legal: (entries) => entries.includes("a = a") || entries.includes("d/a = a"),
    apart: true,
  },
  {
    what: "move of a tree between file systems",
    before: ["d/", ...TREE],
    after: ["d/", ...as("d/u")],
    change: (files, root) => files.move(tree(`${root}/t`), tree(`${root}/d/u`), KEEPING),
    legal: (entries) => has(entries, TREE) || has(entries, as("d/u")),
    apart: true,
  },
  {
    what: "remove of a tree",
    before: ["k = k", ...TREE],
    after: ["k = k"],
    change: (files, root) => files.remove(tree(`${root}/t`), { ...LONG, recursive: true }),
    legal: (entries) => entries.includes("k = k"),
  },
];

const isOurs = (entry: string): boolean =>
  isTemporary(
    (entry.split(/\/| = | -> /).findLast((part) => part.startsWith(".toolgate"))) ?? "",
  ) ||
  /\.toolgate-[^/]*\.tmp\//.test(entry);
const withoutOurs = (entries: readonly string[]) => entries.filter((entry) => !isOurs(entry));

function isLegal(one: Case, entries: readonly string[]): boolean {
  const same = (wanted: readonly string[]) =>
    JSON.stringify(entries) === JSON.stringify(wanted.toSorted());
  return same(one.before) || same(one.after) || one.legal?.(entries) === true;
}

function callsOf(one: Case, step: string, root: string): number {
  paint(root, one.before);
  const counting = failing[step]!(one, Infinity, 1);
  one.change(counting.files, root);
  assertEquals(picture(root).toSorted(), one.after.toSorted(), one.what);
  return counting.calls();
}

/** Writes in every directory, which is what clears them. */
function writeEverywhere(root: string): void {
  for (const directory of ["", ...picture(root).filter((entry) => entry.endsWith("/"))]) {
    if (isOurs(directory) || !exists(`${root}/${directory}`)) continue;
    createLinuxFiles(LIBC).write(at(`${root}/${directory}z`), bytes("z"), ALONE);
    Deno.removeSync(`${root}/${directory}z`);
  }
}

function exists(path: string): boolean {
  try {
    return Deno.lstatSync(path) !== null;
  } catch {
    return false;
  }
}

async function counted(one: Case, step: string): Promise<number> {
  let total = 0;
  await withDirectoryInMemory((root) => {
    total = callsOf(one, step, root);
  });
  assert(total > 5);
  return total;
}

for (
  const [one, step] of cases.flatMap((one) =>
    Object.keys(failing).map((step) => [one, step] as const)
  )
) {
  Deno.test(`${one.what}: dying at any ${step} loses nothing, and the next writes clear what is left`, async () => {
    const total = await counted(one, step);
    for (let n = 1; n <= total; n++) {
      await withDirectoryInMemory((root) => {
        paint(root, one.before);
        const writer = failing[step]!(one, n, null);
        try {
          one.change(writer.files, root);
        } catch (error) {
          if (!(error instanceof Crash)) throw error;
        }
        writer.bury();
        const left = picture(root);
        assert(isLegal(one, withoutOurs(left)), `call ${n}: ${left.join("; ")}`);
        writeEverywhere(root);
        assertEquals(picture(root), withoutOurs(left), `call ${n}`);
      });
    }
  });

  Deno.test(`${one.what}: an error of any ${step} loses nothing and leaves nothing behind`, async () => {
    const total = await counted(one, step);
    for (const errno of ERRORS[step]!) {
      for (let n = 1; n <= total; n++) {
        await withDirectoryInMemory((root) => {
          paint(root, one.before);
          const descriptors = [...Deno.readDirSync("/proc/self/fd")].length;
          let thrown = false;
          const { files } = failing[step]!(one, n, errno);
          try {
            one.change(files, root);
          } catch (error) {
            if (!(error instanceof ToolError)) throw error;
            thrown = true;
          }
          files.settle();
          assertEquals([...Deno.readDirSync("/proc/self/fd")].length, descriptors);
          const left = picture(root);
          const where = `errno ${errno} at call ${n}: ${left.join("; ")}`;
          assert(isLegal(one, withoutOurs(left)), where);
          // What was of no consequence is not reported; what is reported has not happened, or only in part.
          if (!thrown && one.legal === undefined) {
            assertEquals(withoutOurs(left).toSorted(), one.after.toSorted(), where);
          }
          writeEverywhere(root);
          assertEquals(picture(root), withoutOurs(left), where);
        });
      }
    }
  });
}

/** Calls `then` after the `n`th rename. */
function afterRename(n: number, then: () => void): Libc {
  let renames = 0;
  return {
    ...LIBC,
    call(number, ...rest) {
      const result = LIBC.call(number, ...rest);
      if (number === LIBC.numbers.renameat2 && ++renames === n) then();
      return result;
    },
  };
}

Deno.test("several changes: one whose file changes at the last moment takes all before it back", async () => {
  const one = cases.find(({ what }) => what === "apply")!;
  for (const n of [1, 2, 3]) {
    await withDirectoryInMemory((root) => {
      paint(root, one.before);
      const libc = afterRename(n, () => Deno.writeTextFileSync(`${root}/b`, "theirs"));
      assertEquals(code(() => one.change(createLinuxFiles(libc), root)), "STALE_FILE");
      assertEquals(picture(root), ["a = a", "b = theirs", "d/", "d/x = x"]);
    });
  }
});

Deno.test("several changes: what cannot be taken back is told, and kept", async () => {
  const one = cases.find(({ what }) => what === "apply")!;
  await withDirectoryInMemory((root) => {
    paint(root, one.before);
    // After the removal of d/x.
    const libc = afterRename(3, () => {
      Deno.writeTextFileSync(`${root}/b`, "theirs");
      Deno.writeTextFileSync(`${root}/d/x`, "theirs");
    });
    const error = assertThrows(() => one.change(createLinuxFiles(libc), root), ToolError);
    const [kept = ""] = error.details?.kept as readonly string[];
    assertStringIncludes(error.message, kept);
    assertEquals(picture(root), [
      "a = a",
      "b = theirs",
      "d/",
      `d/${kept} = x`,
      "d/x = theirs",
    ]);
  });
});

Deno.test("several changes: a link or a directory that takes a file's name at the last moment keeps it", async () => {
  const swaps: readonly (readonly [string, (path: string) => void])[] = [
    ["b -> d/x", (path) => Deno.symlinkSync("d/x", path)],
    ["b/", (path) => Deno.mkdirSync(path)],
    ["b = theirs", (path) => Deno.writeTextFileSync(path, "theirs")],
  ];
  for (const [there, swap] of swaps) {
    await withDirectoryInMemory((root) => {
      paint(root, ["a = a", "b = b", "d/", "d/x = x"]);
      let renames = 0;
      const libc: Libc = {
        ...LIBC,
        call(number, ...rest) {
          if (number === LIBC.numbers.renameat2 && ++renames === 2) {
            Deno.removeSync(`${root}/b`);
            swap(`${root}/b`);
          }
          return LIBC.call(number, ...rest);
        },
      };
      const change = (name: string): Change => ({
        kind: "write",
        target: at(`${root}/${name}`),
        bytes: bytes("new"),
        createParents: false,
        expect: expecting(name),
      });
      const changing = () => createLinuxFiles(libc).apply([change("a"), change("b")], LONG);
      assertEquals(code(changing), "STALE_FILE");
      assertEquals(picture(root), ["a = a", there, "d/", "d/x = x"]);
    });
  }
});
