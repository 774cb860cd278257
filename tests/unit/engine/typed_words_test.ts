import { assertEquals } from "@std/assert";
import { ToolError } from "../../../src/core/errors.ts";
import { withWords } from "../../../src/engine/typed_words.ts";
import { createRegistry } from "../../../src/tools/registry.ts";

const registry = createRegistry();

/** The arguments, or the code of the error. */
async function typed(
  tool: string,
  given: Readonly<Record<string, unknown>>,
  ...words: readonly string[]
): Promise<unknown> {
  try {
    return await withWords(registry, tool, given, words);
  } catch (error) {
    if (error instanceof ToolError) return error.code;
    throw error;
  }
}

Deno.test("words are typed by the schema of their tool, beside what is given as JSON", async () => {
  const table: readonly [Promise<unknown>, unknown][] = [
    [typed("read_file", {}, "path=a", "start_line=3"), { path: "a", start_line: 3 }],
    [typed("fs.read", { path: "a" }, "end_line=2"), { path: "a", end_line: 2 }],
    [typed("run_command", {}, "argv=ls,-l"), { argv: ["ls", "-l"] }],
    [typed("read_file", { path: "a" }), { path: "a" }],
    // Without words nothing is looked up: what there is no tool for is said elsewhere.
    [typed("no_tool", { x: 1 }), { x: 1 }],
    [typed("no_tool", {}, "x=1"), "UNKNOWN_TOOL"],
    [typed("read_file", { path: "a" }, "path=b"), "INVALID_ARGUMENTS"],
    [typed("read_file", {}, "path=a", "start_line=x"), "INVALID_ARGUMENTS"],
    [typed("read_file", {}, "no words"), "INVALID_ARGUMENTS"],
  ];
  for (const [found, expected] of table) assertEquals(await found, expected);
});
