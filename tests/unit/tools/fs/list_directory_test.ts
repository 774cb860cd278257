import { assertEquals, assertStringIncludes } from "@std/assert";
import listDirectory from "../../../../src/tools/fs/list_directory.ts";
import { failure } from "../_failure.ts";
import { call, createMemory } from "../_memory_context.ts";

const FILES = {
  "README.md": "12345",
  ".hidden": "",
  "src/a.ts": "1",
  "src/b.js": "12",
  "src/deep/c.ts": "123",
  "src/deep/er/d.ts": "",
  "src/deep/er/est/e.ts": "",
  "src/deep/er/est/of/f.ts": "",
  "src/deep/er/est/of/all/g.ts": "",
  "link": { target: "src" },
  "empty": "<directory>",
} as const;

const paths = (output: Record<string, unknown>) =>
  (output.entries as readonly { path: string }[]).map(({ path }) => path);

Deno.test("list_directory lists names, types and sizes in order", async () => {
  const output = await call(listDirectory, {}, createMemory({ files: FILES }));
  assertEquals(output, {
    path: ".",
    total: 5,
    truncated: false,
    entries: [
      { name: ".hidden", path: ".hidden", type: "file", size: 0 },
      { name: "README.md", path: "README.md", type: "file", size: 5 },
      { name: "empty", path: "empty", type: "directory", size: 0 },
      { name: "link", path: "link", type: "symlink", size: 3 },
      { name: "src", path: "src", type: "directory", size: 0 },
    ],
  });
});

Deno.test("list_directory goes as deep as asked and matches names or paths", async () => {
  const cases: readonly (readonly [Record<string, unknown>, readonly string[]])[] = [
    [{ path: "src" }, ["src/a.ts", "src/b.js", "src/deep"]],
    [{ path: "src/" }, ["src/a.ts", "src/b.js", "src/deep"]],
    [{ path: "empty" }, []],
    [{ path: "src", pattern: "*.ts" }, ["src/a.ts"]],
    [{ path: "src", pattern: "*.{ts,js}" }, ["src/a.ts", "src/b.js"]],
    [{ path: "src", pattern: "!*.{ts,js}" }, ["src/deep"]],
    [{ path: "src", recursive: true, max_depth: 2 }, [
      "src/a.ts",
      "src/b.js",
      "src/deep",
      "src/deep/c.ts",
      "src/deep/er",
    ]],
    [{ path: "src", recursive: true, pattern: "deep/*.ts" }, ["src/deep/c.ts"]],
    [{ path: "src", recursive: true, pattern: "**/er/*.ts" }, ["src/deep/er/d.ts"]],
    [{ path: "src", max_depth: 3 }, ["src/a.ts", "src/b.js", "src/deep"]],
    [{ path: ".", recursive: true, pattern: "?.ts" }, [
      "src/a.ts",
      "src/deep/c.ts",
      "src/deep/er/d.ts",
      "src/deep/er/est/e.ts",
    ]],
    // The policy's depth caps what is asked for.
    [{ path: ".", recursive: true, max_depth: 99, pattern: "f.ts" }, []],
  ];
  for (const [args, expected] of cases) {
    const output = await call(listDirectory, args, createMemory({ files: FILES }));
    assertEquals(paths(output), expected, JSON.stringify(args));
    assertEquals([output.total, output.truncated], [expected.length, false]);
  }
});

Deno.test("list_directory stops at the limit and says how many there are", async () => {
  const files = Object.fromEntries(
    Array.from({ length: 30 }, (_, index) => [`f${index + 10}`, ""]),
  );
  const memory = createMemory({ files, limits: { entries: 7 } });
  const output = await call(listDirectory, {}, memory);
  assertEquals(paths(output), ["f10", "f11", "f12", "f13", "f14", "f15", "f16"]);
  assertEquals([output.total, output.truncated], [30, true]);
});

Deno.test("list_directory refuses with code and reason", async () => {
  const cases: readonly (readonly [Record<string, unknown>, string, string])[] = [
    [{ path: "gone" }, "FILE_NOT_FOUND", "gone"],
    [{ path: "README.md" }, "NOT_A_DIRECTORY", "README.md"],
    [{ pattern: "[a" }, "INVALID_PATTERN", "[ is not closed"],
    [{ pattern: "{a" }, "INVALID_PATTERN", "{ is not closed"],
    [{ max_depth: 0 }, "INVALID_ARGUMENTS", "at least 1"],
  ];
  for (const [args, code, part] of cases) {
    const error = await failure(() => call(listDirectory, args, createMemory({ files: FILES })));
    assertEquals(error.code, code);
    assertStringIncludes(error.message, part);
  }
});

Deno.test("list_directory needs the whole tree it is asked for", async () => {
  const input = { path: "src", recursive: false };
  assertEquals(await listDirectory.capabilities(input, { cwd: "." }), [
    { kind: "fs.read", path: "src", tree: true },
  ]);
  assertEquals(listDirectory.describe(input), "List directory: src");
});
