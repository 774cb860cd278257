/** Ways to have what is denied opened by a rule: each must end with no rule over it. */

import { assert, assertEquals } from "@std/assert";
import type { CanonicalPath } from "../../../../src/core/capability.ts";
import type {
  LandlockPaths,
  LandlockPathSource,
} from "../../../../src/host/scan/landlock_paths.ts";
import { nameText } from "../../../../src/core/name_text.ts";
import { AT_FDCWD } from "../../../../src/sandbox/kernel/open_without_links.ts";
import { isWithin } from "../../../../src/sandbox/within.ts";
import { pathRule } from "../../policy/_fixtures.ts";
import { rulebookOf } from "../_rulebook.ts";
import { withDirectory } from "../files/_temporary.ts";
import { LIBC, sourceOf } from "./_paths.ts";

/** Exchanges two names (include/uapi/linux/fs.h). */
const RENAME_EXCHANGE = 2;
const POLICY = {
  paths: [pathRule("allow", ["**"]), pathRule("deny", ["**/.env", "**/*.pem", "**/closed/**"])],
};

/** The name as bytes, which need not be UTF-8, made by the kernel alone. */
function makeByBytes(root: string, name: readonly number[], make: "file" | "directory"): void {
  const path = nameText(new Uint8Array([...new TextEncoder().encode(`${root}/`), ...name]));
  const { numbers } = LIBC;
  const made = make === "directory"
    ? LIBC.call(numbers.mkdirat, AT_FDCWD, LIBC.path(path), 0o755)
    : LIBC.call(numbers.openat, AT_FDCWD, LIBC.path(path), 0o2000101, 0o644);
  assert(made >= 0, `${made}`);
  if (make === "file") LIBC.call(numbers.close, made);
}

function exchange(a: string, b: string): void {
  const { numbers } = LIBC;
  const from = LIBC.path(a, 0);
  const done = LIBC.call(
    numbers.renameat2,
    AT_FDCWD,
    from,
    AT_FDCWD,
    LIBC.path(b, 1),
    RENAME_EXCHANGE,
  );
  assertEquals(done, 0);
}

interface Attack {
  readonly name: string;
  /** Before the first listing. */
  before(root: string): void;
  /** Between the last listing and the next. */
  attack(root: string): void;
  /** What no rule may open then, relative to the root. */
  readonly closed: readonly string[];
  /** What rules open all the same. */
  readonly open: readonly string[];
}

const mkdir = (path: string) => Deno.mkdirSync(path, { recursive: true });
const write = (path: string) => Deno.writeTextFileSync(path, "");

const ATTACKS: readonly Attack[] = [
  {
    name: "a file is renamed to a denied name",
    before: (root) => (mkdir(`${root}/d`), write(`${root}/d/plain`), write(`${root}/ok`)),
    attack: (root) => Deno.renameSync(`${root}/d/plain`, `${root}/d/.env`),
    closed: ["d/.env", "d"],
    open: ["ok"],
  },
  {
    name: "a denied file is moved to where nothing was denied",
    before: (root) => (mkdir(`${root}/a`), mkdir(`${root}/b`), write(`${root}/a/.env`)),
    attack: (root) => Deno.renameSync(`${root}/a/.env`, `${root}/b/.env`),
    closed: ["b/.env", "b"],
    open: ["a"],
  },
  {
    name: "a second name of a file is a denied one",
    before: (root) => (mkdir(`${root}/d`), write(`${root}/d/plain`)),
    attack: (root) => Deno.linkSync(`${root}/d/plain`, `${root}/d/key.pem`),
    closed: ["d/key.pem", "d"],
    open: ["d/plain"],
  },
  {
    name: "a folder that holds a denied name is moved in, and another stays behind",
    before: (
      root,
    ) => (mkdir(`${root}/a/in/deep`), mkdir(`${root}/b`), write(`${root}/a/in/deep/.env`)),
    attack: (root) => (Deno.renameSync(`${root}/a/in`, `${root}/b/in`), mkdir(`${root}/a/in`)),
    closed: ["b/in/deep/.env", "b", "b/in", "b/in/deep"],
    open: ["a"],
  },
  {
    name: "two folders exchange their names, and only one holds something denied",
    before: (root) => (mkdir(`${root}/a/x`), mkdir(`${root}/b/x`), write(`${root}/a/x/.env`)),
    attack: (root) => exchange(`${root}/a/x`, `${root}/b/x`),
    closed: ["b/x/.env", "b/x", "b"],
    open: ["a"],
  },
  {
    name: "a folder is made anew, with the inode of the old one",
    before: (root) => mkdir(`${root}/a/x/y`),
    attack(root) {
      Deno.removeSync(`${root}/a/x`, { recursive: true });
      mkdir(`${root}/a/x/y`);
      write(`${root}/a/x/y/.env`);
    },
    closed: ["a/x/y/.env", "a/x/y", "a/x", "a"],
    open: [],
  },
  {
    name: "folders in folders are made with a denied name at their end",
    before: (root) => mkdir(`${root}/a`),
    attack: (root) => (mkdir(`${root}/a/b/c/d/e/f`), write(`${root}/a/b/c/d/e/f/.env`)),
    closed: ["a/b/c/d/e/f/.env", "a", "a/b", "a/b/c/d/e/f"],
    open: [],
  },
  {
    name: "something moved in the same tree, with a denied name put into it on both sides",
    before: (root) => (mkdir(`${root}/a/x`), mkdir(`${root}/b`)),
    attack(root) {
      Deno.renameSync(`${root}/a/x`, `${root}/b/x`);
      write(`${root}/b/x/.env`);
      Deno.renameSync(`${root}/b/x`, `${root}/a/y`);
    },
    closed: ["a/y/.env", "a", "a/y"],
    open: ["b"],
  },
  {
    name: "a link has a denied name",
    before: (root) => (mkdir(`${root}/a`), mkdir(`${root}/b`)),
    attack: (root) => Deno.symlinkSync("/etc/passwd", `${root}/a/.env`),
    closed: ["a"],
    open: ["b"],
  },
  {
    name: "names with line breaks end like denied ones",
    before: (root) => mkdir(`${root}/a`),
    attack: (root) => (write(`${root}/a/.env\n`), write(`${root}/a/x\n.pem`)),
    closed: ["a", "a/x\n.pem"],
    open: ["a/.env\n"],
  },
  {
    name: "a name that is no UTF-8 ends like a denied one",
    before: (root) => (mkdir(`${root}/a`), mkdir(`${root}/b`), write(`${root}/a/ok`)),
    attack(root) {
      makeByBytes(`${root}/a`, [0xff, 0x2e, 0x70, 0x65, 0x6d], "file");
      makeByBytes(`${root}/b`, [0xff, 0x2e, 0x74, 0x78, 0x74], "file");
    },
    closed: ["a"],
    open: ["a/ok", "b"],
  },
  {
    name: "a name that is no UTF-8 lies beside a denied one",
    before: (root) => mkdir(`${root}/a`),
    attack(root) {
      makeByBytes(`${root}/a`, [0xff, 0x2e, 0x70, 0x65, 0x6d], "file");
      makeByBytes(`${root}/a`, [0xe2, 0x82, 0x2e, 0x74, 0x78, 0x74], "file");
      makeByBytes(`${root}/a`, [0xff], "directory");
    },
    closed: ["a", "a/\udcff.pem"],
    open: ["a/\udce2\udc82.txt", "a/\udcff"],
  },
  {
    name: "a folder whose name is no UTF-8 holds something denied",
    before: (root) => (mkdir(`${root}/a`), write(`${root}/a/ok`)),
    attack(root) {
      makeByBytes(`${root}/a`, [0xff], "directory");
      makeByBytes(`${root}/a`, [0xff, 0x2f, 0x2e, 0x65, 0x6e, 0x76], "file");
    },
    closed: ["a", "a/\udcff", "a/\udcff/.env"],
    open: ["a/ok"],
  },
  {
    name: "a denied folder is made again elsewhere",
    before: (root) => (mkdir(`${root}/a`), mkdir(`${root}/b`)),
    attack: (root) => (mkdir(`${root}/a/closed`), write(`${root}/a/closed/x`)),
    closed: ["a", "a/closed", "a/closed/x"],
    open: ["b"],
  },
  {
    name: "the denied name stands at the end of a path as long as can be",
    before: (root) => mkdir(`${root}/a`),
    attack(root) {
      const long = "d".repeat(200);
      let path = `${root}/a`;
      while (path.length + 201 + 5 < 4_095) mkdir(path += `/${long}`);
      write(`${path}/.env`);
    },
    closed: ["a", `a/${"d".repeat(200)}`],
    open: [],
  },
  {
    name: "a denied name stands 1,500 folders deep",
    before: (root) => mkdir(`${root}/a`),
    attack(root) {
      const path = `${root}/a${"/d".repeat(1_500)}`;
      mkdir(path);
      write(`${path}/.env`);
    },
    closed: ["a", "a/d", `a${"/d".repeat(1_500)}`],
    open: [],
  },
];

/** How the tree was followed before the attack. */
const MODES: Readonly<Record<string, (source: LandlockPathSource) => void>> = {
  "at first sight": () => {},
  "by times": (source) => (source.list(), source.list(), source.close()),
  watched: (source) => (source.list(), source.list(), source.list()),
};

function checkClosed(root: string, { read, write }: LandlockPaths, attack: Attack): void {
  for (const path of attack.closed) {
    for (const rule of [...read, ...write]) {
      assert(!isWithin(rule, `${root}/${path}`), `${rule} opens ${path}`);
    }
  }
  for (const path of attack.open) {
    for (const rules of [read, write]) {
      assert(rules.some((rule) => isWithin(rule, `${root}/${path}`)), `nothing opens ${path}`);
    }
  }
}

for (const attack of ATTACKS) {
  for (const [mode, follow] of Object.entries(MODES)) {
    Deno.test(`${attack.name}, ${mode}`, async () => {
      await withDirectory((root) => {
        attack.before(root);
        const source = sourceOf(rulebookOf(root, POLICY));
        follow(source);
        attack.attack(root);
        checkClosed(root, source.list(), attack);
        checkClosed(root, source.list(), attack);
        source.close();
      });
    });
  }
}

for (const [mode, follow] of Object.entries(MODES)) {
  Deno.test(`the workspace itself is another folder under the same name, ${mode}`, async () => {
    await withDirectory((parent) => {
      const root = `${parent}/w` as CanonicalPath;
      mkdir(`${root}/a`);
      const source = sourceOf(rulebookOf(root, POLICY));
      follow(source);
      Deno.renameSync(root, `${parent}/old`);
      mkdir(`${root}/a`);
      write(`${root}/a/.env`);
      const { read, list } = source.list();
      assertEquals(read, []);
      assertEquals<readonly string[]>(list, [root, `${root}/a`]);
      source.close();
    });
  });
}

Deno.test("what watches the trees is closed on exec, and given back", async () => {
  await withDirectory((root) => {
    mkdir(`${root}/a`);
    const before = descriptors();
    const source = sourceOf(rulebookOf(root, POLICY));
    for (let round = 0; round < 3; round++) source.list();
    const opened = descriptors().filter((one) => !before.includes(one));
    assertEquals(opened.length, 2);
    for (const descriptor of opened) {
      const info = Deno.readTextFileSync(`/proc/self/fdinfo/${descriptor}`);
      const flags = parseInt(/^flags:\s*([0-7]+)/m.exec(info)?.[1] ?? "0", 8);
      assert((flags & 0o2000000) !== 0, info);
    }
    source.close();
    source.close();
    assertEquals(descriptors(), before);
    assertEquals(source.list().read, [root]);
    assertEquals(descriptors(), before);
  });
});

/** Open now, without the one that lists them. */
function descriptors(): readonly string[] {
  return [...Deno.readDirSync("/proc/self/fd")].map(({ name }) => name).filter((name) => {
    try {
      return !Deno.readLinkSync(`/proc/self/fd/${name}`).endsWith("/fd");
    } catch {
      return false;
    }
  }).sort();
}
