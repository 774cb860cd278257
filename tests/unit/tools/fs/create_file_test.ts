import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import createFile from "../../../../src/tools/fs/create_file.ts";
import { failure } from "../_failure.ts";
import { call, createMemory, type Node } from "../_memory_context.ts";
import { inWorkspace } from "../_real_workspace.ts";

const FILES: Readonly<Record<string, Node>> = {
  "a.txt": "old\n",
  "src/b.ts": "x",
  "secret.txt": "<denied>",
};
const utf8 = (text: string) => new TextEncoder().encode(text);

Deno.test("create_file makes files and their directories, and replaces only where told", async () => {
  const cases: readonly (readonly [Record<string, unknown>, boolean])[] = [
    [{ path: "new.txt", content: "größe\n" }, true],
    [{ path: "deep/er/new.txt", content: "" }, true],
    [{ path: "a.txt", content: "new\r\n", overwrite: true }, false],
    [{ path: "b.json", content: "{", validate_syntax: false }, true],
  ];
  for (const [args, created] of cases) {
    const memory = createMemory({ files: FILES });
    const bytes = utf8(String(args.content));
    const output = await call(createFile, args, memory);
    assertEquals(output, { path: args.path, bytes_written: bytes.length, created });
    assertEquals(memory.nodes.get(String(args.path)), bytes);
    assertEquals(memory.usage, { bytes_written: bytes.length });
  }
});

Deno.test("create_file refuses with code and reason, in a preview too, and writes nothing", async () => {
  const cases: readonly (readonly [Record<string, unknown>, string, string])[] = [
    [
      { path: "a.txt", content: "" },
      "FILE_EXISTS",
      "a.txt exists; edit_file changes it, overwrite",
    ],
    [{ path: "src", content: "", overwrite: true }, "NOT_A_FILE", "directory"],
    [{ path: "b.json", content: "{" }, "SYNTAX_INVALID", "b.json:1"],
    [{ path: "b", content: "x".repeat(5000) }, "FILE_TOO_LARGE", "5000 bytes"],
    [{ path: "b", content: "\ud800" }, "INVALID_ENCODING", "content holds half"],
    [{ path: "b" }, "INVALID_ARGUMENTS", "missing"],
  ];
  for (const [args, code, part] of cases) {
    for (const preview of [false, true]) {
      const memory = createMemory({ files: FILES });
      const error = await failure(() => call(createFile, args, memory, { preview }));
      assertEquals(error.code, code, JSON.stringify(args));
      assertStringIncludes(error.message, part);
      assertEquals(Object.fromEntries(memory.nodes), FILES);
    }
  }
});

Deno.test("create_file's preview shows what would be there", async () => {
  const diff = "--- /dev/null\n+++ b/n/new.txt\n@@ -0,0 +1,1 @@\n+x\n";
  const lines = { added_lines: 1, removed_lines: 0 };
  const cases: readonly (readonly [Record<string, unknown>, Record<string, unknown>])[] = [
    [{ path: "n/new.txt", content: "x\n" }, {
      change: "added",
      exists: false,
      bytes: 2,
      ...lines,
      diff,
    }],
    [{ path: "a.txt", content: "old\nx\n", overwrite: true }, {
      change: "modified",
      exists: true,
      bytes: 6,
      ...lines,
      diff: "--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,2 @@\n old\n+x\n",
    }],
    [{ path: "secret.txt", content: "x", overwrite: true }, {
      change: "modified",
      exists: true,
      bytes: 1,
      added_lines: null,
      removed_lines: null,
      diff: null,
    }],
  ];
  for (const [args, expected] of cases) {
    const memory = createMemory({ files: FILES });
    const output = await call(createFile, args, memory, { preview: true });
    assertEquals(output, { path: args.path, ...expected });
    assertEquals(Object.fromEntries(memory.nodes), FILES);
  }
});

Deno.test("create_file needs to write; reading is for the preview alone", async () => {
  const input = { path: "a", content: "", overwrite: false, validate_syntax: true };
  assertEquals(await createFile.capabilities(input, { cwd: "." }), [
    { kind: "fs.write", path: "a", tree: false },
  ]);
  assertEquals(createFile.previewReads?.(input), [{ path: "a", tree: false }]);
  assertEquals(createFile.describe({ ...input, path: "src/a.ts" }), "Create file: src/a.ts");
});

Deno.test("what is there stays, whatever it is; what is replaced keeps its mode", () =>
  inWorkspace(async ({ root, call }) => {
    Deno.writeTextFileSync(`${root}/file`, "old");
    Deno.chmodSync(`${root}/file`, 0o751);
    Deno.mkdirSync(`${root}/directory`);
    Deno.symlinkSync("file", `${root}/link`);
    for (const path of ["file", "directory", "link"]) {
      for (const preview of [false, true]) {
        const error = await failure(() => call("create_file", { path, content: "new" }, preview));
        const code = path === "directory" ? "NOT_A_FILE" : "FILE_EXISTS";
        assert(error.code === code || error.code === "FILE_EXISTS", `${path}: ${error.message}`);
        assert(!error.message.includes(root));
      }
    }
    assertEquals(Deno.readTextFileSync(`${root}/file`), "old");
    await call("create_file", { path: "file", content: "new", overwrite: true });
    assertEquals(Deno.readTextFileSync(`${root}/file`), "new");
    assertEquals((Deno.statSync(`${root}/file`).mode ?? 0) & 0o777, 0o751);
    assertEquals(Deno.readLinkSync(`${root}/link`), "file");
  }));

Deno.test("of many who create one file at once, one does", () =>
  inWorkspace(async ({ root, call }) => {
    for (let round = 0; round < 20; round++) {
      const path = `deep/${round}/file.txt`;
      const results = await Promise.allSettled(
        Array.from({ length: 8 }, (_, at) => call("create_file", { path, content: `${at}` })),
      );
      const made = results.flatMap((result, at) => result.status === "fulfilled" ? [`${at}`] : []);
      assertEquals(made, [Deno.readTextFileSync(`${root}/${path}`)]);
    }
  }));

Deno.test("who may not read learns nothing from a preview but what the call itself would tell", () =>
  inWorkspace(async ({ root, call }) => {
    Deno.writeTextFileSync(`${root}/secret.txt`, "hush");
    const args = { path: "secret.txt", content: "x", overwrite: true };
    assertEquals(await call("create_file", args, true), {
      path: "secret.txt",
      change: null,
      exists: null,
      bytes: 1,
      added_lines: null,
      removed_lines: null,
      diff: null,
    });
  }));
