/** Patches by what they make of files: what is there before, the patch, what is there after, or what is said. */

import { assert, assertEquals } from "@std/assert";
import { ToolError } from "../../../../../src/core/errors.ts";
import { sha256 } from "../../../../../src/core/sha256.ts";
import { parsePatch } from "../../../../../src/tools/fs/patch/parse.ts";
import { changesOf, planPatch } from "../../../../../src/tools/fs/patch/plan.ts";
import { createMemory, type Node } from "../../_memory_context.ts";

type Files = Readonly<Record<string, Node>>;

interface Scenario {
  readonly name: string;
  readonly before: Files;
  /** Lines; each gets a line end. */
  readonly patch: string;
  readonly after: Files;
}

/** All that a patch does, made in memory as the host makes it: in order, each only where its expectation holds. */
function applied(before: Files, patch: string): Record<string, Node> {
  const memory = createMemory({ files: before });
  const after: Record<string, Node> = { ...before };
  for (const change of changesOf(planPatch(parsePatch(patch), memory.context))) {
    const there = after[change.path];
    if (change.expect === "nothing") assertEquals(there, undefined, change.path);
    else {
      assert(typeof change.expect === "object" && there !== undefined);
      assertEquals(change.expect.sha256, sha256(bytesOf(there)), change.path);
    }
    if (change.kind === "remove") {
      delete after[change.path];
      continue;
    }
    if (change.like !== undefined) {
      assert(change.like in after, `${change.like} is there for its mode`);
    }
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(change.bytes);
    const isText = sha256(new TextEncoder().encode(text)) === sha256(change.bytes);
    after[change.path] = isText ? text : change.bytes;
  }
  return after;
}

function bytesOf(node: Node): Uint8Array {
  return typeof node === "string" ? new TextEncoder().encode(node) : node as Uint8Array;
}

const TEN = Array.from({ length: 10 }, (_, index) => `line ${index + 1}\n`).join("");

function utf16(text: string): Uint8Array {
  const bytes = new Uint8Array(2 + text.length * 2);
  bytes.set([0xff, 0xfe]);
  for (let at = 0; at < text.length; at++) {
    new DataView(bytes.buffer).setUint16(2 + at * 2, text.charCodeAt(at), true);
  }
  return bytes;
}

const SCENARIOS: readonly Scenario[] = [
  {
    name: "a plain diff with times, and prose around it",
    before: { "a.txt": "one\ntwo\nthree\n" },
    patch: `Here is the change:

--- a.txt\t2024-05-01 10:00:00.000000000 +0200
+++ a.txt\t2024-05-01 10:00:01.000000000 +0200
@@ -1,3 +1,3 @@
 one
-two
+2
 three

That is all - I hope it helps.
`,
    after: { "a.txt": "one\n2\nthree\n" },
  },
  {
    name: "several files and hunks, in a fence of Markdown, counts of one left out",
    before: { "a.txt": TEN, "dir/b.txt": "x\n" },
    patch: "```diff\n" + `--- a/a.txt
+++ b/a.txt
@@ -1 +1 @@
-line 1
+first
@@ -9,2 +9,3 @@ some function
 line 9
 line 10
+line 11
--- a/dir/b.txt
+++ b/dir/b.txt
@@ -1 +1,2 @@
 x
+y
` + "```\n",
    after: { "a.txt": TEN.replace("line 1\n", "first\n") + "line 11\n", "dir/b.txt": "x\ny\n" },
  },
  {
    name: "git: a new file, a deleted one, an empty one, one renamed with a change, one copied",
    before: { "old.txt": "1\n2\n", "gone.txt": "bye\n", "c.txt": "c\n" },
    patch: `From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001
Subject: [PATCH] several
---
 new.txt | 1 +

diff --git a/new.txt b/new.txt
new file mode 100644
index 0000000..d00491f
--- /dev/null
+++ b/new.txt
@@ -0,0 +1 @@
+1
diff --git a/gone.txt b/gone.txt
deleted file mode 100644
index b023018..0000000
--- a/gone.txt
+++ /dev/null
@@ -1 +0,0 @@
-bye
diff --git a/empty b/empty
new file mode 100644
index 0000000..e69de29
diff --git a/old.txt b/sub/now.txt
similarity index 50%
rename from old.txt
rename to sub/now.txt
index 1191247..e5ae02d 100644
--- a/old.txt
+++ b/sub/now.txt
@@ -1,2 +1,2 @@
 1
-2
+zwei
diff --git a/c.txt b/d.txt
similarity index 100%
copy from c.txt
copy to d.txt
--${" "}
2.39.2

`,
    after: {
      "new.txt": "1\n",
      "empty": "",
      "sub/now.txt": "1\nzwei\n",
      "c.txt": "c\n",
      "d.txt": "c\n",
    },
  },
  {
    name: "two files change places",
    before: { "a": "A\n", "b": "B\n" },
    patch: `diff --git a/a b/b
similarity index 100%
rename from a
rename to b
diff --git a/b b/a
similarity index 50%
rename from b
rename to a
--- a/b
+++ b/a
@@ -1 +1,2 @@
 B
+from b
`,
    after: { "a": "B\nfrom b\n", "b": "A\n" },
  },
  {
    name: "one file twice: the second builds on the first",
    before: { "a.txt": "one\n" },
    patch: `--- a/a.txt
+++ b/a.txt
@@ -1 +1,2 @@
 one
+two
--- a/a.txt
+++ b/a.txt
@@ -1,2 +1,3 @@
 one
 two
+three
`,
    after: { "a.txt": "one\ntwo\nthree\n" },
  },
  {
    name: "a file that is moved away and another moved into its place",
    before: { "a": "A\n", "b": "B\n" },
    patch: `diff --git a/b b/a
rename from b
rename to a
diff --git a/a b/c
rename from a
rename to c
`,
    after: { "a": "B\n", "c": "A\n" },
  },
  {
    name: "a series of mails: what a later one renames, an earlier one made",
    before: {},
    patch: `From 1111111111111111111111111111111111111111 Mon Sep 17 00:00:00 2001
diff --git a/a b/a
new file mode 100644
--- /dev/null
+++ b/a
@@ -0,0 +1 @@
+a
From 2222222222222222222222222222222222222222 Mon Sep 17 00:00:00 2001
diff --git a/a b/b
rename from a
rename to b
`,
    after: { "b": "a\n" },
  },
  {
    name: "a series of mails: what a later one deletes, an earlier one made",
    before: { "a": "a\n" },
    patch: `From 1111111111111111111111111111111111111111 Mon Sep 17 00:00:00 2001
diff --git a/b b/b
new file mode 100755
--- /dev/null
+++ b/b
@@ -0,0 +1 @@
+b
From 2222222222222222222222222222222222222222 Mon Sep 17 00:00:00 2001
diff --git a/b b/b
deleted file mode 100755
--- a/b
+++ /dev/null
@@ -1 +0,0 @@
-b
`,
    after: { "a": "a\n" },
  },
  {
    name: "names that Git quotes, and names with blanks",
    before: { 'größe "x".txt': "1\n", "with blank.txt": "1\n" },
    patch:
      `diff --git "a/gr\\303\\266\\303\\237e \\"x\\".txt" "b/gr\\303\\266\\303\\237e \\"x\\".txt"
index d00491f..0cfbf08 100644
--- "a/gr\\303\\266\\303\\237e \\"x\\".txt"
+++ "b/gr\\303\\266\\303\\237e \\"x\\".txt"
@@ -1 +1 @@
-1
+2
diff --git a/with blank.txt b/with blank.txt
index d00491f..0cfbf08 100644
--- a/with blank.txt\t
+++ b/with blank.txt\t
@@ -1 +1 @@
-1
+2
`,
    after: { 'größe "x".txt': "2\n", "with blank.txt": "2\n" },
  },
  {
    name: "other prefixes and none",
    before: { "src/a": "1\n", "b/c": "1\n" },
    patch: `diff --git i/src/a w/src/a
--- i/src/a
+++ w/src/a
@@ -1 +1 @@
-1
+2
diff --git b/c b/c
--- b/c
+++ b/c
@@ -1 +1 @@
-1
+2
`,
    after: { "src/a": "2\n", "b/c": "2\n" },
  },
  {
    name: "of two names the shorter, as patch takes it",
    before: { "a.c": "1\n" },
    patch: "--- a.c.orig\n+++ a.c\n@@ -1 +1 @@\n-1\n+2\n",
    after: { "a.c": "2\n" },
  },
  {
    name: "files that diff -N dates to the beginning of time",
    before: { "gone": "1\n" },
    patch: `diff -ruN a/gone b/gone
--- a/gone\t2024-01-01 10:00:00.000000000 +0100
+++ b/gone\t1970-01-01 01:00:00.000000000 +0100
@@ -1 +0,0 @@
-1
--- a/new\t1970-01-01 01:00:00.000000000 +0100
+++ b/new\t2024-01-01 10:00:00.000000000 +0100
@@ -0,0 +1 @@
+1
`,
    after: { "new": "1\n" },
  },
  {
    name: "line ends at the end of the file, taken and given",
    before: { "a": "1\n2", "b": "1\n2\n" },
    patch: `--- a/a
+++ b/a
@@ -1,2 +1,2 @@
 1
-2
\\ No newline at end of file
+2
--- a/b
+++ b/b
@@ -1,2 +1,3 @@
 1
 2
+3
\\ No newline at end of file
`,
    after: { "a": "1\n2\n", "b": "1\n2\n3" },
  },
  {
    name: "empty lines of context without their space, and those at the very end chopped",
    before: { "a": "\n1\n\n2\n\n" },
    patch: "--- a/a\n+++ b/a\n@@ -1,5 +1,5 @@\n\n 1\n\n-2\n+zwei\n",
    after: { "a": "\n1\n\nzwei\n\n" },
  },
  {
    name: "counts that are wrong",
    before: { "a": TEN, "b": TEN },
    patch: `--- a/a
+++ b/a
@@ -2,9 +2,9 @@
 line 2
-line 3
+drei
 line 4
@@ -7,1 +7,1 @@
 line 7
-line 8
+acht
 line 9
--- a/b
+++ b/b
@@ -1,2 +1,2 @@
-line 1
+eins
 line 2
-line 3
`,
    after: {
      "a": TEN.replace("line 3", "drei").replace("line 8", "acht"),
      "b": TEN.replace("line 1\n", "eins\n").replace("line 3\n", ""),
    },
  },
  {
    name: "lines that look like headers",
    before: { "a": "-- x\n-- y\nkeep\n" },
    patch: `--- a/a
+++ b/a
@@ -1,3 +1,3 @@
--- x
--- y
+++ x
+++ y
 keep
`,
    after: { "a": "++ x\n++ y\nkeep\n" },
  },
  {
    name: "hunks that have moved, and context that has changed",
    before: { "a": "new\nnew\n" + TEN.replace("line 2\n", "other\n") },
    patch: `--- a/a
+++ b/a
@@ -2,6 +2,6 @@
 line 2
 line 3
-line 4
+vier
 line 5
 line 6
 line 7
`,
    after: { "a": "new\nnew\n" + TEN.replace("line 2\n", "other\n").replace("line 4", "vier") },
  },
  {
    name: "a file with CR LF and a patch without, and the other way round",
    before: { "a": "1\r\n2\r\n3\r\n", "b": "1\n2\n" },
    patch: `--- a/a
+++ b/a
@@ -1,3 +1,4 @@
 1
-2
+zwei
+mehr
 3
--- a/b
+++ b/b
@@ -1,2 +1,2 @@
-1\r
+eins\r
 2\r
`,
    after: { "a": "1\r\nzwei\r\nmehr\r\n3\r\n", "b": "eins\n2\n" },
  },
  {
    name: "a patch carried with CR LF throughout",
    before: { "a": "1\r\n2\r\n", "b": "1\n2\n" },
    patch: [
      "diff --git a/a b/a",
      "--- a/a",
      "+++ b/a",
      "@@ -1,2 +1,2 @@",
      "-1",
      "+eins",
      " 2",
      "--- a/b",
      "+++ b/b",
      "@@ -1,2 +1,2 @@",
      " 1",
      "-2",
      "+zwei",
      "--- /dev/null",
      "+++ b/c",
      "@@ -0,0 +1 @@",
      "+new",
      "",
    ].join("\r\n"),
    after: { "a": "eins\r\n2\r\n", "b": "1\nzwei\n", "c": "new\n" },
  },
  {
    name: "line ends of both kinds: those around new lines are theirs",
    before: { "a": "1\n2\n3\r\n4\r\n" },
    patch: "--- a/a\n+++ b/a\n@@ -1,4 +1,5 @@\n 1\n+x\n 2\n 3\n-4\n+vier\n",
    after: { "a": "1\nx\n2\n3\r\nvier\r\n" },
  },
  {
    name: "a diff that changes line ends alone",
    before: { "a": "1\r\n2\r\n" },
    patch: "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-1\r\n+1\n 2\r\n",
    after: { "a": "1\n2\r\n" },
  },
  {
    name: "a byte order mark that the patch does not know of, and one that it does",
    before: { "a": "\ufeff1\n2\n", "b": "\ufeff1\n2\n" },
    patch: `--- a/a
+++ b/a
@@ -1,2 +1,2 @@
-1
+eins
 2
--- a/b
+++ b/b
@@ -1,2 +1,2 @@
-\ufeff1
+1
 2
`,
    after: { "a": "\ufeffeins\n2\n", "b": "1\n2\n" },
  },
  {
    name: "UTF-16, and bytes that are no UTF-8",
    before: {
      "w.txt": utf16("größe\r\n2 🦕\r\n"),
      "bytes": Uint8Array.of(0x80, 0xff, 0x0a, 0x31, 0x0a),
      "latin1": Uint8Array.of(0x67, 0xf6, 0x0a, 0x31, 0x0a),
    },
    patch: `--- a/w.txt
+++ b/w.txt
@@ -1,2 +1,2 @@
-größe
+Größe
 2 🦕
--- a/bytes
+++ b/bytes
@@ -2 +2 @@
-1
+ü
--- a/latin1
+++ b/latin1
@@ -1,2 +1,2 @@
-gö
+gö ü
 1
`,
    after: {
      "w.txt": utf16("Größe\r\n2 🦕\r\n"),
      "bytes": Uint8Array.of(0x80, 0xff, 0x0a, 0xc3, 0xbc, 0x0a),
      "latin1": Uint8Array.of(0x67, 0xf6, 0x20, 0xfc, 0x0a, 0x31, 0x0a),
    },
  },
  {
    name: "hunks without line numbers",
    before: {
      "a.py":
        "class A:\n    def f(self):\n        return 1\n\nclass B:\n    def f(self):\n        return 1\n",
    },
    patch: `--- a/a.py
+++ b/a.py
@@ class B:
     def f(self):
-        return 1
+        return 2
`,
    after: {
      "a.py":
        "class A:\n    def f(self):\n        return 1\n\nclass B:\n    def f(self):\n        return 2\n",
    },
  },
  {
    name: "the envelope: add, delete, change, move",
    before: {
      "gone": "x\n",
      "a.py": "import x\n\ndef one():\n    return 1\n\ndef two():\n    return 1",
      "old.txt": "1\n2\n3\n",
      "crlf.txt": "1\r\n2\r\n",
    },
    patch: `*** Begin Patch
*** Add File: new/file.txt
+first
+
+last
*** Delete File: gone
*** Update File: a.py
@@ def two():
-    return 1
+    return 2
*** Update File: old.txt
*** Move to: new/old.txt
@@
 1
-2
+zwei
 3
*** Update File: crlf.txt
 2
+3
*** End of File
*** End Patch
`,
    after: {
      "new/file.txt": "first\n\nlast\n",
      "a.py": "import x\n\ndef one():\n    return 1\n\ndef two():\n    return 2",
      "new/old.txt": "1\nzwei\n3\n",
      "crlf.txt": "1\r\n2\r\n3\r\n",
    },
  },
];

Deno.test("patches make of files what they say", () => {
  for (const { name, before, patch, after } of SCENARIOS) {
    try {
      assertEquals(applied(before, patch), after, name);
    } catch (error) {
      throw error instanceof ToolError ? new Error(`${name}: ${error.message}`) : error;
    }
  }
});
