import { assertEquals } from "@std/assert";
import { didYouMean, nearest, nearestOf } from "../../../src/core/nearest.ts";

const TOOLS = [
  "read_file",
  "write_file",
  "list_directory",
  "search_files",
  "run_command",
  "fs.read",
];

Deno.test("nearest finds slips of the finger and other ways of writing a name", () => {
  const cases: readonly (readonly [string, string | null])[] = [
    ["read_fil", "read_file"],
    ["raed_file", "read_file"],
    ["READ-FILE", "read_file"],
    ["read.file", "read_file"],
    ["serach_files", "search_files"],
    ["fs_read", "fs.read"],
    ["search", "search_files"],
    ["directory", "list_directory"],
    ["command_run", "run_command"],
    ["teleport", null],
    ["", null],
    ["x".repeat(10_000), null],
  ];
  for (const [word, expected] of cases) assertEquals(nearest(word, TOOLS), expected, word);
});

Deno.test("nearestOf gives the nearest first and no more than asked for", () => {
  assertEquals(nearestOf("rite_file", ["read_file", "write_file"]), ["write_file", "read_file"]);
  assertEquals(nearestOf("aa", ["ab", "ac", "ad", "ae"], 2), ["ab", "ac"]);
});

Deno.test("didYouMean joins names into a question", () => {
  assertEquals(didYouMean([]), "");
  assertEquals(didYouMean(["a"]), ' Did you mean "a"?');
  assertEquals(didYouMean(["a", "b", "c"]), ' Did you mean "a", "b" or "c"?');
});
