import { assertEquals } from "@std/assert";
import file from "../../../../src/tools/fs/file.ts";
import { TOOLS } from "../../../../src/tools/registry.ts";

type Arguments = Readonly<Record<string, unknown>>;

/** The arguments of `file`, and the call that is meant. */
const MEANT: readonly (readonly [Arguments, string, Arguments])[] = [
  [{ operation: "read", path: "a", start_line: 2 }, "read_file", { path: "a", start_line: 2 }],
  [
    { operation: "write", path: "a", content: "", validate_syntax: false },
    "write_file",
    { path: "a", content: "", validate_syntax: false },
  ],
  [
    { operation: "search", pattern: "x", glob: "*.ts", context: 1 },
    "search_files",
    { pattern: "x", file_pattern: "*.ts", context: 1 },
  ],
  [{ operation: "search", pattern: "x" }, "search_files", { pattern: "x" }],
  [{ operation: "search", glob: "*.ts", path: "src" }, "find_files", { glob: "*.ts", path: "src" }],
  [{ operation: "search", glob: "*.ts", pattern: "" }, "find_files", { glob: "*.ts" }],
  [{ operation: "list", glob: "*.ts" }, "list_directory", { pattern: "*.ts" }],
  [{ operation: "list", recursive: true }, "list_directory", { recursive: true }],
  [{ operation: "metadata", path: "a" }, "get_file_info", { path: "a" }],
];

Deno.test("file means the tool of its operation, with that tool's names for the arguments", () => {
  for (const [args, tool, own] of MEANT) {
    assertEquals(file.standsFor?.call(args as never), { tool, args: own });
  }
});

Deno.test("all tools that file stands for are there", () => {
  const names = new Set(TOOLS.map(({ name }) => name));
  const meant = new Set(MEANT.map(([, tool]) => tool));
  assertEquals(new Set(file.standsFor?.tools), meant);
  assertEquals([...meant].filter((name) => !names.has(name)), []);
});
