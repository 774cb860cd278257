/** Patches that cannot be read, or do not fit: what is said of them. */

import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { ToolError } from "../../../../../src/core/errors.ts";
import { parsePatch } from "../../../../../src/tools/fs/patch/parse.ts";
import { planPatch } from "../../../../../src/tools/fs/patch/plan.ts";
import { createMemory, type Node } from "../../_memory_context.ts";
import { Random } from "../../../../random.ts";

/** A patch, and parts of what is said. */
type Refused = readonly [string, readonly string[]];

const NAMES = "--- a/a\n+++ b/a\n";

const UNREADABLE: readonly Refused[] = [
  ["", ["there is no diff in the patch"]],
  ["hello\n", ["there is no diff in the patch"]],
  [NAMES, ["line 3", "expected a hunk"]],
  [`${NAMES}text\n`, ["line 3", "expected a hunk"]],
  ["@@ -1 +1 @@\n-a\n+b\n", ["line 1", "a hunk without a file"]],
  [`${NAMES}@@ -1,2 @@\n-a\n+b\n`, ["line 3", "no header of a hunk"]],
  [`${NAMES}@@ -1,2 +1,2 @@\n a\n b\n`, ["line 3", "changes nothing"]],
  [`${NAMES}@@ -1,2 +1,2 @@\n`, ["line 3", "changes nothing"]],
  ["diff --git a/x b/x\nBinary files a/x and b/x differ\n", ["line 2", "binary", "base64"]],
  ["Binary files a/x and b/x differ\n", ["line 1", "binary"]],
  ["diff --git a/x b/x\nindex 1..2\nGIT binary patch\nliteral 3\n", ["line 3", "binary"]],
  ["diff --git a/l b/l\nnew file mode 120000\n", ["line 2", "symbolic links"]],
  ["diff --git a/l b/l\nindex 1..2 120000\n", ["line 2", "symbolic links"]],
  ["diff --git a/l b/l\nold mode 120000\nnew mode 100644\n", ["line 2", "symbolic links"]],
  ["diff --git a/m b/m\nindex 1..2 160000\n", ["line 2", "submodules"]],
  ["*** a\n--- b\n***************\n", ["line 1", "context diff"]],
  [`diff --cc a\n--- a/a\n+++ b/a\n@@@ -1,1 -1,1 +1,2 @@@\n`, ["line 4", "combined diff"]],
  ["--- x/f\n+++ y/f\n@@ -1 +1 @@\n-a\n+b\n", ["line 1", '"x/f" or "y/f"?', "a/ and b/"]],
  ["--- /dev/null\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b\n", ["line 1", "both names are /dev/null"]],
  ['--- "a/\\777"\n+++ "b/\\777"\n@@ -1 +1 @@\n-a\n+b\n', ["line 1", "no name"]],
  ['--- "a/\\377"\n+++ "b/\\377"\n@@ -1 +1 @@\n-a\n+b\n', ["line 1", "no UTF-8"]],
  ["--- /dev/null\n+++ b/\n@@ -0,0 +1 @@\n+x\n", ["line 1", '"b/" is no name of a file']],
  ["--- a/\n+++ b/\n@@ -1 +1 @@\n-a\n+b\n", ["line 1", "Name one file in both lines"]],
  ["diff --git a/x b/y\nrename from x\n", ["line 1", "both its from and its to"]],
  ["diff --git nonsense\nold mode 100644\nnew mode 100755\n", ["line 1", "which file"]],
  ["*** Begin Patch\n*** End Patch\n", ["names no file"]],
  ["*** Begin Patch\nfoo\n*** End Patch\n", ["line 2", "*** Update File: path"]],
  ["*** Begin Patch\n*** Update File: a\n*** End Patch\n", ["line 2", "without a change"]],
  ["*** Begin Patch\n*** Update File: a\nx\n*** End Patch\n", ["line 3", "begin with a space"]],
  ["*** Begin Patch\n*** Update File: a\n@@ x\n y\n*** End Patch\n", ["line 3", "changes nothing"]],
  ["*** Begin Patch\n*** Add File: a\nx\n*** End Patch\n", ["line 3", "begin with +"]],
  ["*** Begin Patch\n*** Delete File: a\n-x\n*** End Patch\n", ["line 3", "takes no lines"]],
];

Deno.test("a patch that cannot be read is refused with its line", () => {
  for (const [patch, parts] of UNREADABLE) {
    const error = assertThrows(() => parsePatch(patch), ToolError);
    assertEquals(error.code, "PATCH_FAILED", patch);
    for (const part of parts) assertStringIncludes(error.message, part, patch);
  }
});

const TEN = Array.from({ length: 10 }, (_, index) => `line ${index + 1}\n`).join("");

const FILES: Readonly<Record<string, Node>> = {
  a: TEN,
  unended: "1\n2",
  twice: "x\ny\nx\ny\n",
  tabs: "def f():\n\treturn 1\n",
  binary: Uint8Array.of(0x31, 0, 0x0a),
  directory: "<directory>",
  secret: "<denied>",
};

/** What is said, and what `details.failures` has of the first failure. */
const UNFIT: readonly (readonly [...Refused, Readonly<Record<string, unknown>>])[] = [
  [
    `${NAMES}@@ -2,3 +2,3 @@\n line 2\n-lime 3\n+drei\n line 4\n`,
    ["a: hunk 1 (line 3 of the patch) was expected at line 2", 'line 3 is "line 3"', '"lime 3"'],
    {
      file: "a",
      hunk: 1,
      patch_line: 3,
      expected_line: 2,
      line: 3,
      nearest_line: 2,
      patch_has: "lime 3",
      file_has: "line 3",
    },
  ],
  [
    `${NAMES}@@ -1,3 +1,3 @@\n line 6\n-line 7!\n+sieben\n line 8\n`,
    ["was expected at line 1; the nearest to it is line 6", 'line 7 is "line 7"'],
    { line: 7, nearest_line: 6 },
  ],
  [
    `${NAMES}@@ -2,3 +2,3 @@\n foo\n-bar\n+baz\n qux\n`,
    ["was expected at line 2, and nothing in the file is like its first line", '"foo"'],
    { line: null, patch_has: "foo", file_has: null },
  ],
  [
    `${NAMES}@@ -9,4 +9,4 @@\n line 9\n line 10\n-line 11\n+x\n line 12\n`,
    ["the file ends before line 11"],
    { line: 11, file_has: null },
  ],
  [
    `${NAMES}@@ -99,0 +100 @@\n+x\n`,
    ["adds lines behind line 99, but the file has 10"],
    { lines: 10 },
  ],
  [
    `${NAMES}@@ -5,3 +5,3 @@\n line 5\n-line 6\n+x\n line 7\n@@ -2,3 +2,3 @@\n line 2\n-line 3\n+x\n line 4\n`,
    ["hunk 2 (line 8 of the patch)", "stand at line 2, but it cannot go there"],
    { hunk: 2, nearest_line: 2 },
  ],
  [
    "--- a/unended\n+++ b/unended\n@@ -1,2 +1,2 @@\n 1\n-2\n+zwei\n",
    ["line 2 has another line end: none in the file", "No newline at end of file"],
    { line: 2 },
  ],
  [
    "--- a/tabs\n+++ b/tabs\n@@ -1,2 +1,2 @@\n def f():\n-    return 1\n+    return 2\n",
    ["indentation: the file has 1 tab, old has 4 spaces"],
    { line: 2 },
  ],
  [
    `${NAMES}@@ -2,3 +2,3 @@\n line 2\n-drei\n+line 3\n line 4\n`,
    ["hunk 1 (line 3 of the patch) was applied before"],
    { applied_before: true },
  ],
  [
    "--- /dev/null\n+++ b/unended\n@@ -0,0 +1,2 @@\n+1\n+2\n\\ No newline at end of file\n",
    ["the patch was applied before"],
    { file: "unended" },
  ],
  ["--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+x\n", ["a: it is there already"], { file: "a" }],
  ["--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-line 1\n", ["9 of its lines are not in the patch"], {}],
  ["diff --git a/a b/a\ndeleted file mode 100644\n", ["none of its lines", "delete_file"], {}],
  ["--- a/no\n+++ b/no\n@@ -1 +1 @@\n-a\n+b\n", ["no: there is no such file"], { file: "no" }],
  ["--- a/no\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", ["perhaps it was deleted before"], {}],
  [
    "diff --git a/no b/a\nrename from no\nrename to a\n",
    ["no: there is no such file", "perhaps it was moved before"],
    {},
  ],
  [
    "diff --git a/a b/twice\nrename from a\nrename to twice\n",
    ["twice: it is there already"],
    { file: "twice" },
  ],
  [
    "*** Begin Patch\n*** Update File: twice\n-y\n+z\n*** End Patch\n",
    ["fits at lines 2, 4; give it more lines of context"],
    { lines: [2, 4] },
  ],
  [
    "*** Begin Patch\n*** Update File: twice\n@@ none\n-y\n+z\n*** End Patch\n",
    ['no line from 1 on is "none"'],
    { anchor: "none" },
  ],
  [
    "*** Begin Patch\n*** Update File: a\n line 4\n line 5\n-line 7\n+z\n*** End Patch\n",
    ["was sought from line 1 on; the nearest to it is line 4", 'line 6 is "line 6"'],
    { line: 6 },
  ],
];

Deno.test("a patch that does not fit is refused with what differs", () => {
  for (const [patch, parts, details] of UNFIT) {
    const error = refused(patch);
    assertEquals(error.code, "PATCH_FAILED", patch);
    assertStringIncludes(error.message, "nothing was written");
    for (const part of parts) assertStringIncludes(error.message, part, patch);
    const [failure = {}] = error.details?.failures as Record<string, unknown>[];
    const known = Object.fromEntries(Object.keys(details).map((key) => [key, failure[key]]));
    assertEquals(known, { ...details }, patch);
  }
});

Deno.test("all hunks of all files that do not fit are told at once", () => {
  const hunk = (at: number) => `@@ -${at},1 +${at},1 @@\n-no ${at}\n+x\n`;
  const error = refused(
    `${NAMES}${hunk(1)}@@ -2 +2 @@\n-line 2\n+x\n${hunk(3)}--- a/no\n+++ b/no\n${hunk(1)}` +
      `--- a/tabs\n+++ b/tabs\n${hunk(1)}${hunk(2)}${hunk(3)}${hunk(4)}`,
  );
  const failures = error.details?.failures as { readonly file: string; readonly hunk?: number }[];
  assertEquals(
    failures.map(({ file, hunk }) => [file, hunk]),
    [["a", 1], ["a", 3], ["no", undefined], ["tabs", 1], ["tabs", 2], ["tabs", 3], ["tabs", 4]],
  );
  assertStringIncludes(error.message, "; and 2 more, in details");
});

Deno.test("what cannot be read is refused as reading refuses it", () => {
  const cases = [["binary", "BINARY_FILE"], ["directory", "NOT_A_FILE"], ["secret", "PATH_DENIED"]];
  for (const [path, code] of cases) {
    const error = refused(`--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-1\n+2\n`);
    assertEquals(error.code, code, path);
  }
  const large = `--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+${"x".repeat(5000)}\n`;
  assertEquals(refused(large).code, "FILE_TOO_LARGE");
});

Deno.test("whatever a patch is made of, it is read, refused or applied, and nothing else happens", () => {
  const pieces = [
    "--- a/a",
    "+++ b/a",
    "--- /dev/null",
    "+++ b/new",
    "+++ /dev/null",
    "@@ -1,3 +1,3 @@",
    "@@ -0,0 +1,2 @@",
    "@@ -99999999999999999999,1 +1 @@",
    "@@",
    "@@ line 3",
    "diff --git a/a b/a",
    "diff --git a/a b/twice",
    "rename from a",
    "rename to twice",
    "copy from a",
    "copy to new",
    "deleted file mode 100644",
    "new file mode 100755",
    "index 1..2 100644",
    " line 1",
    "-line 1",
    "-line 2",
    "+x",
    "",
    "\\ No newline at end of file",
    "*** Begin Patch",
    "*** Update File: a",
    "*** Add File: new",
    "*** Delete File: a",
    "*** Move to: b",
    "*** End of File",
    "*** End Patch",
    "From 1111111111111111111111111111111111111111 Mon",
    "-- ",
    "2.39.2",
    "\r",
    "\t",
    "prose",
  ];
  const random = new Random(21);
  let applied = 0;
  for (let round = 0; round < 20_000; round++) {
    const lines = Array.from({ length: 1 + random.below(12) }, () => random.pick(pieces));
    const patch = (random.once(3) ? [...pieces.slice(0, 2), ...lines] : lines).join("\n") + "\n";
    try {
      planPatch(parsePatch(patch), createMemory({ files: FILES }).context);
      applied++;
    } catch (error) {
      assert(error instanceof ToolError, `${JSON.stringify(patch)}: ${error}`);
    }
  }
  assert(applied > 100, String(applied));
});

function refused(patch: string): ToolError {
  const { context } = createMemory({ files: FILES });
  return assertThrows(() => planPatch(parsePatch(patch), context), ToolError);
}
