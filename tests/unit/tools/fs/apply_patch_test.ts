/** `apply_patch` over the real files. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import applyPatch from "../../../../src/tools/fs/apply_patch.ts";
import { pathRule } from "../../policy/_fixtures.ts";
import { failure } from "../_failure.ts";
import { inWorkspace } from "../_real_workspace.ts";

const TEN = Array.from({ length: 10 }, (_, index) => `line ${index + 1}\n`).join("");

/** All regular files below a directory, with their contents. */
function filesOf(root: string, below = ""): Record<string, string> {
  const found: Record<string, string> = {};
  for (const { name, isDirectory, isFile } of Deno.readDirSync(`${root}/${below}`)) {
    if (isDirectory) Object.assign(found, filesOf(root, `${below}${name}/`));
    else if (isFile) found[below + name] = Deno.readTextFileSync(`${root}/${below}${name}`);
  }
  return found;
}

function write(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    Deno.mkdirSync(`${root}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
    Deno.writeTextFileSync(`${root}/${path}`, content);
  }
}

const SEVERAL = `diff --git a/a.txt b/a.txt
--- a/a.txt
+++ b/a.txt
@@ -1,3 +1,4 @@
 line 1
+new
 line 2
 line 3
diff --git a/run.sh b/run.sh
old mode 100644
new mode 100755
diff --git a/tool.sh b/bin/tool.sh
rename from tool.sh
rename to bin/tool.sh
diff --git a/gone.txt b/gone.txt
deleted file mode 100644
--- a/gone.txt
+++ /dev/null
@@ -1 +0,0 @@
-bye
diff --git a/new/script b/new/script
new file mode 100755
--- /dev/null
+++ b/new/script
@@ -0,0 +1 @@
+#!/bin/sh
diff --git a/a.txt b/copy.txt
copy from a.txt
copy to copy.txt
`;

Deno.test("apply_patch changes, adds, moves, copies and deletes, modes and all", () =>
  inWorkspace(async ({ root, call }) => {
    write(root, { "a.txt": "top\n" + TEN, "run.sh": "x\n", "tool.sh": "y\n", "gone.txt": "bye\n" });
    Deno.chmodSync(`${root}/run.sh`, 0o640);
    Deno.chmodSync(`${root}/tool.sh`, 0o700);
    const before = filesOf(root);
    const shown = await call("apply_patch", { patch: SEVERAL }, true);
    assertEquals(filesOf(root), before);
    const { files } = await call("apply_patch", { patch: SEVERAL });
    const expected = [
      {
        path: "a.txt",
        change: "modified",
        added_lines: 1,
        removed_lines: 0,
        // One line of context before it says that it is at the beginning, which it no longer is.
        hunks: [{ hunk: 1, line: 2, offset: 1, fuzz: 1 }],
      },
      { path: "run.sh", change: "modified", added_lines: 0, removed_lines: 0, executable: true },
      { path: "bin/tool.sh", change: "moved", added_lines: 0, removed_lines: 0, from: "tool.sh" },
      { path: "gone.txt", change: "deleted", added_lines: 0, removed_lines: 1 },
      { path: "new/script", change: "added", added_lines: 1, removed_lines: 0, executable: true },
      { path: "copy.txt", change: "added", added_lines: 0, removed_lines: 0, from: "a.txt" },
    ];
    const sorted = (list: unknown) =>
      (list as { path: string }[]).toSorted((x, y) => x.path < y.path ? -1 : 1);
    assertEquals(sorted(files), sorted(expected));
    const diffs = (shown.files as Record<string, unknown>[]).map(({ diff: _, ...rest }) => rest);
    assertEquals(sorted(diffs), sorted(expected));
    assertEquals(filesOf(root), {
      "a.txt": "top\n" + TEN.replace("line 1\n", "line 1\nnew\n"),
      "run.sh": "x\n",
      "bin/tool.sh": "y\n",
      "new/script": "#!/bin/sh\n",
      "copy.txt": "top\n" + TEN,
    });
    const mode = (path: string) => (Deno.statSync(`${root}/${path}`).mode ?? 0) & 0o777;
    assertEquals(mode("run.sh"), 0o750);
    assertEquals(mode("bin/tool.sh"), 0o700);
    assertEquals(mode("new/script") & 0o100, 0o100);
  }));

Deno.test("apply_patch's preview shows each file as it will be", () =>
  inWorkspace(async ({ root, call }) => {
    write(root, { "a": "1\n2\n", "b": "x\n" });
    const patch =
      "--- a/a\n+++ b/a\n@@ -2 +2 @@\n-2\n+zwei\n--- a/b\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n";
    const { files } = await call("apply_patch", { patch }, true);
    assertEquals((files as { diff: string }[]).map(({ diff }) => diff), [
      "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n 1\n-2\n+zwei\n",
      "--- a/b\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-x\n",
    ]);
    assertEquals(filesOf(root), { "a": "1\n2\n", "b": "x\n" });
  }));

Deno.test("apply_patch does all or nothing", () =>
  inWorkspace(async ({ root, call }) => {
    write(root, { "a.txt": TEN, "b.json": "{}\n", "sub/x": "x\n" });
    const good =
      "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-line 1\n+first\n--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+x\n";
    const cases: readonly (readonly [string, string])[] = [
      ["--- a/gone\n+++ b/gone\n@@ -1 +1 @@\n-a\n+b\n", "PATCH_FAILED"],
      ["--- a/b.json\n+++ b/b.json\n@@ -1 +1 @@\n-[]\n+[1]\n", "PATCH_FAILED"],
      ["--- a/b.json\n+++ b/b.json\n@@ -1 +1 @@\n-{}\n+{\n", "SYNTAX_INVALID"],
      ["--- a/sub\n+++ b/sub\n@@ -1 +1 @@\n-a\n+b\n", "NOT_A_FILE"],
      // The new file would need a directory where a file is.
      ["--- /dev/null\n+++ b/b.json/x\n@@ -0,0 +1 @@\n+x\n", "NOT_A_DIRECTORY"],
    ];
    for (const [patch, code] of cases) {
      const before = filesOf(root);
      for (const whole of [good + patch, patch + good]) {
        const error = await failure(() => call("apply_patch", { patch: whole }));
        assertEquals(error.code, code, `${patch}: ${error.message}`);
        assert(!error.message.includes(root), error.message);
        assertEquals(filesOf(root), before);
      }
    }
    const unchecked = "--- a/b.json\n+++ b/b.json\n@@ -1 +1 @@\n-{}\n+{\n";
    await call("apply_patch", { patch: unchecked, validate_syntax: false });
    assertEquals(Deno.readTextFileSync(`${root}/b.json`), "{\n");
  }));

Deno.test("apply_patch changes nothing that the policy does not let it", async () => {
  const outside = Deno.makeTempDirSync();
  const sentinel = `${Deno.realPathSync(outside)}/sentinel`;
  try {
    await inWorkspace(async ({ root, call }) => {
      Deno.writeTextFileSync(sentinel, "1\n");
      write(root, { "a": "1\n", ".git/config": "1\n", "secret.txt": "1\n", "in/file": "1\n" });
      Deno.symlinkSync(sentinel, `${root}/link`);
      Deno.symlinkSync(outside, `${root}/folder`);
      Deno.symlinkSync(".git", `${root}/git`);
      const up = `${"../".repeat(20)}${sentinel.slice(1)}`;
      const change = (path: string) => `--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-1\n+2\n`;
      const cases: readonly (readonly [string, string])[] = [
        [change(up), "PATH_OUTSIDE_WORKSPACE"],
        [`--- ${sentinel}\n+++ ${sentinel}\n@@ -1 +1 @@\n-1\n+2\n`, "PATH_OUTSIDE_WORKSPACE"],
        [change("link"), "PATH_OUTSIDE_WORKSPACE"],
        [change("folder/sentinel"), "PATH_OUTSIDE_WORKSPACE"],
        [`--- a/folder/sentinel\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n`, "PATH_OUTSIDE_WORKSPACE"],
        [`diff --git a/a b/a\nrename from a\nrename to ${up}\n`, "PATH_OUTSIDE_WORKSPACE"],
        [`diff --git a/a b/a\ncopy from ${up}\ncopy to here\n`, "PATH_OUTSIDE_WORKSPACE"],
        [`diff --git a/a b/a\nrename from ${up}\nrename to here\n`, "PATH_OUTSIDE_WORKSPACE"],
        [change(".git/config"), "PATH_DENIED"],
        [change("git/config"), "PATH_DENIED"],
        [change("in/../.git/config"), "PATH_DENIED"],
        ["--- /dev/null\n+++ b/.git/hooks/post-commit\n@@ -0,0 +1 @@\n+x\n", "PATH_DENIED"],
        ["diff --git a/a b/a\nrename from a\nrename to .git/x\n", "PATH_DENIED"],
        [change("secret.txt"), "PATH_DENIED"],
        ["diff --git a/a b/a\ncopy from secret.txt\ncopy to here\n", "PATH_DENIED"],
        ["*** Begin Patch\n*** Delete File: .git/config\n*** End Patch\n", "PATH_DENIED"],
        // Whatever the names of the lines say, those of git's headers are judged, too.
        [
          `diff --git a/a b/a\nrename from a\nrename to ${up}\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+2\n`,
          "PATH_OUTSIDE_WORKSPACE",
        ],
        [`${change("a")}${change(".git/config")}`, "PATH_DENIED"],
      ];
      const before = filesOf(root);
      for (const [patch, code] of cases) {
        for (const isPreview of [true, false]) {
          const error = await failure(() => call("apply_patch", { patch }, isPreview));
          assertEquals(error.code, code, patch);
          assertEquals(filesOf(root), before);
          assertEquals(Deno.readTextFileSync(sentinel), "1\n");
        }
      }
    }, {
      paths: [
        pathRule("allow", ["**"]),
        pathRule("deny", [".git/**"], ["write"]),
        pathRule("deny", ["secret.txt"], ["read"]),
      ],
    });
  } finally {
    Deno.removeSync(outside, { recursive: true });
  }
});

Deno.test("apply_patch through a link inside changes what it leads to, once", () =>
  inWorkspace(async ({ root, call }) => {
    write(root, { "real.txt": "1\n2\n" });
    Deno.symlinkSync("real.txt", `${root}/link.txt`);
    const patch = "--- a/link.txt\n+++ b/link.txt\n@@ -1 +1 @@\n-1\n+eins\n" +
      "--- a/real.txt\n+++ b/real.txt\n@@ -2 +2 @@\n-2\n+zwei\n";
    const { files } = await call("apply_patch", { patch });
    assertEquals(files, [{
      path: "real.txt",
      change: "modified",
      added_lines: 2,
      removed_lines: 2,
    }]);
    assertEquals(Deno.readTextFileSync(`${root}/real.txt`), "eins\nzwei\n");
    assert(Deno.lstatSync(`${root}/link.txt`).isSymlink);
  }));

Deno.test("apply_patch keeps the mode of what it changes, and leaves other names of a file alone", () =>
  inWorkspace(async ({ root, call }) => {
    write(root, { "a": "1\n" });
    Deno.chmodSync(`${root}/a`, 0o600);
    Deno.linkSync(`${root}/a`, `${root}/other`);
    await call("apply_patch", { patch: "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+2\n" });
    assertEquals(filesOf(root), { a: "2\n", other: "1\n" });
    assertEquals((Deno.statSync(`${root}/a`).mode ?? 0) & 0o777, 0o600);
  }));

Deno.test("apply_patch says what it needs from the patch alone", async () => {
  const needs = await applyPatch.capabilities(
    { patch: "diff --git a/x b/y\nrename from x\nrename to y\n", validate_syntax: true },
    { cwd: "." },
  );
  assertEquals(needs.map((need) => "path" in need ? `${need.kind} ${need.path}` : need.kind), [
    "fs.read x",
    "fs.write x",
    "fs.read y",
    "fs.write y",
  ]);
  const describe = (patch: string) => applyPatch.describe({ patch, validate_syntax: true });
  assertEquals(
    describe("--- a/a\u202e\n+++ b/a\u202e\n@@ -1 +1 @@\n-a\n+b\n"),
    "Apply patch: a\\u202e",
  );
  assertEquals(describe("nonsense"), "Apply patch: one that cannot be read");
  const many = Array.from(
    { length: 7 },
    (_, at) => `diff --git a/${at} b/${at}\nnew file mode 100644\n`,
  );
  assertStringIncludes(describe(many.join("")), "0, 1, 2, 3, 4 and 2 more");
});
