import { assert, assertEquals, assertNotEquals } from "@std/assert";
import type { CanonicalPath } from "../../../../src/core/capability.ts";
import type { LandlockPaths } from "../../../../src/host/scan/landlock_paths.ts";
import type { Policy } from "../../../../src/policy/model.ts";
import type { Rulebook } from "../../../../src/policy/rulebook.ts";
import { isWithin } from "../../../../src/sandbox/within.ts";
import { Random } from "../../../random.ts";
import { pathRule } from "../../policy/_fixtures.ts";
import { rulebookOf } from "../_rulebook.ts";
import { withDirectory } from "../files/_temporary.ts";
import { listOnce, sourceOf } from "./_paths.ts";

const ALLOW_ALL = pathRule("allow", ["**"]);

function write(path: string): void {
  Deno.mkdirSync(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  Deno.writeTextFileSync(path, "");
}

/** Makes the files, lists the paths, and gives the lists relative to the workspace. */
async function listed(
  files: readonly string[],
  sections: Partial<Policy>,
  check: (
    lists: Record<"read" | "write" | "list" | "refused", readonly string[]>,
    root: CanonicalPath,
  ) => void,
): Promise<void> {
  await withDirectory((root) => {
    files.forEach((file) => write(`${root}/${file}`));
    const found = listOnce(rulebookOf(root, sections));
    const short = (paths: readonly CanonicalPath[]): readonly string[] =>
      paths.map((path) => path === root ? "." : path.slice(root.length + 1)).sort();
    check({
      read: short(found.read),
      write: short(found.write),
      list: short(found.list),
      refused: short(found.refused),
    }, root);
  });
}

Deno.test("a tree in which nothing is denied is one rule", async () => {
  await listed(["a", "d/b"], { paths: [ALLOW_ALL] }, (lists) => {
    assertEquals(lists, { read: ["."], write: ["."], list: [], refused: [] });
  });
});

Deno.test("what is denied is left out, and no more than its way down", async () => {
  const sections = {
    paths: [
      ALLOW_ALL,
      pathRule("deny", [".git/**"], ["write"]),
      pathRule("deny", ["**/.env"]),
    ],
  };
  const files = [".git/config", "a", "src/x", "src/deep/y", "conf/.env", "conf/ok", "docs/z"];
  await listed(files, sections, (lists) => {
    assertEquals(lists.read, [".git", "a", "conf/ok", "docs", "src"]);
    assertEquals(lists.write, ["a", "conf/ok", "docs", "src"]);
    assertEquals(lists.list, [".", "conf"]);
  });
});

Deno.test("a denied name of the policy that is not there yet cannot be made", async () => {
  const sections = { paths: [ALLOW_ALL, pathRule("deny", [".git/**", "a/b/c/**"], ["write"])] };
  await listed(["x", "a/b/y", "a/z/w"], sections, (lists) => {
    assertEquals(lists.read, ["."]);
    assertEquals(lists.write, ["a/b/y", "a/z", "x"]);
  });
});

Deno.test("programs get no more for being asked about, and write only what they may read", async () => {
  const sections = {
    paths: [
      ALLOW_ALL,
      pathRule("ask", ["asked/**"]),
      pathRule("deny", ["blind/**"], ["read"]),
    ],
  };
  await listed(["asked/a", "blind/b", "c"], sections, (lists) => {
    assertEquals(lists.read, ["c"]);
    assertEquals(lists.write, ["c"]);
  });
});

Deno.test("a policy that names single places opens those alone", async () => {
  const sections = {
    paths: [pathRule("allow", ["src/**"]), pathRule("allow", ["notes.md"], ["read"])],
  };
  await listed(["src/a", "src/b/c", "notes.md", "other/x", "secret"], sections, (lists) => {
    assertEquals(lists, { read: ["notes.md", "src"], write: ["src"], list: [], refused: [] });
  });
});

Deno.test("links get no rule, and extensions count for files alone", async () => {
  await withDirectory((root) => {
    write(`${root}/d.exe/ok`);
    write(`${root}/tool.exe`);
    write(`${root}/sub/x`);
    Deno.symlinkSync("/etc", `${root}/etc`);
    const extensions = { read: null, write: { allow: null, deny: [".exe"] } };
    const found = listOnce(rulebookOf(root, { paths: [ALLOW_ALL], extensions }));
    assertEquals(found.read, [root]);
    assertEquals<readonly string[]>(found.write, [`${root}/d.exe`, `${root}/sub`]);
  });
});

Deno.test("beyond its bounds a directory is refused, never allowed whole", async () => {
  await withDirectory((root) => {
    for (let i = 0; i < 40; i++) write(`${root}/d${i}/.env`);
    for (let i = 0; i < 40; i++) write(`${root}/d${i}/ok`);
    const rulebook = rulebookOf(root, { paths: [ALLOW_ALL, pathRule("deny", ["**/.env"])] });
    for (const bounds of [{ rules: 60, entries: 10_000 }, { rules: 10_000, entries: 60 }]) {
      const found = listOnce(rulebook, bounds);
      assert(found.refused.length > 0);
      assert(found.read.length + found.write.length + found.list.length <= bounds.rules);
      checkAgainstPolicy(rulebook, root, found);
    }
  });
});

Deno.test("listing again sees what has changed, and its fingerprint says whether the rules did", async () => {
  await withDirectory((root) => {
    write(`${root}/src/a`);
    const rulebook = rulebookOf(root, { paths: [ALLOW_ALL, pathRule("deny", ["**/.env"])] });
    const landlockPaths = sourceOf(rulebook);
    const first = landlockPaths.list();
    assertEquals(first.read, [root]);
    write(`${root}/src/b`);
    assertEquals(landlockPaths.list().fingerprint, first.fingerprint);
    write(`${root}/src/.env`);
    const second = landlockPaths.list();
    assertNotEquals(second.fingerprint, first.fingerprint);
    assertEquals<readonly string[]>(second.read, [`${root}/src/a`, `${root}/src/b`]);
    Deno.removeSync(`${root}/src/.env`);
    assertEquals(landlockPaths.list().fingerprint, first.fingerprint);
    landlockPaths.close();
  });
});

/** Whether a rule opens this path. */
const opens = (rules: readonly string[], path: string): boolean =>
  rules.some((rule) => isWithin(rule, path));

function checkAgainstPolicy(rulebook: Rulebook, root: CanonicalPath, found: LandlockPaths): number {
  let opened = 0;
  const visit = (directory: CanonicalPath): void => {
    for (const entry of Deno.readDirSync(directory)) {
      const path = `${directory}/${entry.name}` as CanonicalPath;
      const kind = entry.isDirectory ? "directory" : "file";
      const may = (access: "read" | "write"): boolean =>
        rulebook.judgePath(access, path, kind).effect === "allow";
      if (opens(found.read, path)) {
        opened++;
        assert(may("read"), `read of ${path}`);
      }
      if (opens(found.write, path)) assert(may("write") && may("read"), `write of ${path}`);
      if (entry.isDirectory) visit(path);
    }
  };
  visit(root);
  return opened;
}

Deno.test("no rule ever opens what the policy denies, over random trees and policies", async () => {
  await withDirectory((parent) => {
    const random = new Random(777);
    const names = ["a", "b", ".env", "c.pem", ".git", "x.exe"];
    const globs = [
      "**/.env",
      ".git/**",
      "**/*.pem",
      "a/**",
      "a/b/**",
      "**/b",
      "*/a",
      "b/.env",
      "x.exe",
    ];
    let opened = 0;
    for (let tree = 0; tree < 60; tree++) {
      const root = `${parent}/t${tree}` as CanonicalPath;
      Deno.mkdirSync(root);
      const directories: string[] = [root];
      for (let made = 0; made < 14; made++) {
        const path = `${random.pick(directories)}/${random.pick(names)}`;
        try {
          if (random.once(2)) {
            Deno.mkdirSync(path);
            directories.push(path);
          } else Deno.writeTextFileSync(path, "", { createNew: true });
        } catch {
          // The name is taken.
        }
      }
      const paths = [
        random.once(3) ? pathRule("allow", [random.pick(globs)]) : ALLOW_ALL,
        ...Array.from({ length: random.below(4) }, () =>
          pathRule(
            random.once(4) ? "ask" : "deny",
            [random.pick(globs)],
            random.pick([["read"], ["write"], ["read", "write"]]),
          )),
      ];
      const extensions = {
        read: null,
        write: random.once(3) ? { allow: null, deny: [".exe"] } : null,
      };
      const rulebook = rulebookOf(root, { paths, extensions });
      const bounds = { rules: 1 + random.below(60), entries: random.once(4) ? 5 : 1_000 };
      opened += checkAgainstPolicy(rulebook, root, listOnce(rulebook, bounds));
    }
    assert(opened > 100);
  });
});

Deno.test("a file that is replaced under its name is another to the kernel, so the listing is another", async () => {
  await withDirectory((root) => {
    for (const name of ["a", "secret"]) write(`${root}/${name}`);
    const rules = [ALLOW_ALL, pathRule("deny", ["secret"])];
    const landlockPaths = sourceOf(rulebookOf(root, { paths: rules }));
    const before = landlockPaths.list().fingerprint;
    assertEquals(landlockPaths.list().fingerprint, before);
    write(`${root}/new`);
    Deno.renameSync(`${root}/new`, `${root}/a`);
    const after = landlockPaths.list();
    assertEquals(after.read.map((path) => path.slice(root.length)), ["/a"]);
    assertNotEquals(after.fingerprint, before);
    landlockPaths.close();
  });
});
