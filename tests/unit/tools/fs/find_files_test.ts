import { assertEquals, assertStringIncludes } from "@std/assert";
import { ToolError } from "../../../../src/core/errors.ts";
import findFiles from "../../../../src/tools/fs/find_files.ts";
import { failure } from "../_failure.ts";
import { call, createMemory, type Node } from "../_memory_context.ts";

const FILES: Readonly<Record<string, Node>> = {
  "README.md": "",
  "src/a.ts": "",
  "src/a_test.ts": "",
  "src/deep/b.ts": "",
  "src/.hidden.ts": "",
  ".github/workflows/ci.yml": "",
  ".env": "",
  ".git/config": "",
  "node_modules/x/index.js": "",
  "dist/out.ts": "",
  ".gitignore": "dist/\n",
  "link.ts": { target: "src/a.ts" },
  "empty": "<directory>",
};

const run = (args: Record<string, unknown>, limits = {}) =>
  call(findFiles, args, createMemory({ files: FILES, limits }));

Deno.test("find_files gives the files that a glob matches, in path order", async () => {
  const cases: readonly (readonly [Record<string, unknown>, readonly string[]])[] = [
    [{ glob: "*.ts" }, ["src/a.ts", "src/a_test.ts", "src/deep/b.ts"]],
    [{ glob: "src/*.ts" }, ["src/a.ts", "src/a_test.ts"]],
    [{ glob: "src/**/b.ts" }, ["src/deep/b.ts"]],
    [{ glob: "**" }, ["README.md", "src/a.ts", "src/a_test.ts", "src/deep/b.ts"]],
    [{ glob: "*.{md,js}" }, ["README.md"]],
    [{ glob: "!*.ts" }, ["README.md"]],
    [{ glob: "*.ts", path: "src/deep" }, ["src/deep/b.ts"]],
    [{ glob: "deep/*", path: "src" }, ["src/deep/b.ts"]],
    [{ glob: "src/deep/*", path: "src" }, ["src/deep/b.ts"]],
    [{ glob: "*", path: "src/a.ts" }, ["src/a.ts"]],
    [{ glob: "*.md", path: "src/a.ts" }, []],
    // Hidden ones: where the glob names them, or where they are asked for.
    [{ glob: ".env" }, [".env"]],
    [{ glob: ".github/**/*.yml" }, [".github/workflows/ci.yml"]],
    [{ glob: "*.yml" }, []],
    [{ glob: "*.yml", hidden: true }, [".github/workflows/ci.yml"]],
    [{ glob: "**/.*.ts" }, ["src/.hidden.ts"]],
    [{ glob: ".git/*" }, []],
    [{ glob: "index.js" }, []],
    [{ glob: "index.js", path: "node_modules" }, ["node_modules/x/index.js"]],
    [{ glob: "out.ts" }, []],
    [{ glob: "out.ts", path: "dist" }, ["dist/out.ts"]],
    [{ glob: "none" }, []],
  ];
  for (const [args, files] of cases) {
    assertEquals(
      await run(args),
      { files, total: files.length, truncated: false },
      JSON.stringify(args),
    );
  }
});

Deno.test("find_files counts all and gives so many", async () => {
  const files = ["src/a.ts"];
  assertEquals(await run({ glob: "*.ts", max_results: 1 }), { files, total: 3, truncated: true });
  assertEquals(await run({ glob: "*.ts", max_results: 9 }, { entries: 1 }), {
    files,
    total: 3,
    truncated: true,
  });
});

Deno.test("find_files refuses with code and reason", async () => {
  const cases: readonly (readonly [Record<string, unknown>, string, string])[] = [
    [{}, "INVALID_ARGUMENTS", "glob"],
    [{ glob: "[" }, "INVALID_PATTERN", "glob: "],
    [{ glob: "![" }, "INVALID_PATTERN", "is not closed"],
    [{ glob: "*", path: "gone" }, "FILE_NOT_FOUND", "gone"],
  ];
  for (const [args, code, part] of cases) {
    const error = await failure(() => run(args));
    assertEquals(error.code, code, JSON.stringify(args));
    assertStringIncludes(error.message, part);
  }
});

Deno.test("find_files ends when the call is to end", async () => {
  const files = Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`f${index}`, ""]));
  let left = 1;
  const checkpoint = () => {
    if (left-- === 0) throw new ToolError("CANCELLED", "cancelled");
  };
  const memory = createMemory({ files, checkpoint });
  const error = await failure(() => call(findFiles, { glob: "*" }, memory));
  assertEquals(error.code, "CANCELLED");
});

Deno.test("find_files says what it is about to do", () => {
  assertEquals(
    findFiles.describe({ glob: "*.ts", path: "src", hidden: false }),
    "Find files: *.ts in src",
  );
});
