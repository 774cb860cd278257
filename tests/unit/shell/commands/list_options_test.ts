/** What `mapfile` is told, by its words. */

import { assertEquals } from "@std/assert";
import { listOptions } from "../../../../src/shell/commands/list_options.ts";

Deno.test("the options of mapfile, and the forms that are not known", () => {
  const all = { name: "L", strips: false, mark: "\n", most: Infinity };
  assertEquals(listOptions(["L"]), all);
  assertEquals(listOptions(["-t", "-n", "2", "L"]), { ...all, strips: true, most: 2 });
  assertEquals(listOptions(["-n", "0", "-d", "", "L"]), { ...all, mark: "\0" });
  assertEquals(listOptions(["-d", "-n", "L"]), { ...all, mark: "-n" });
  for (
    const words of [[], [null], ["-n", "L"], ["-n", "x", "L"], ["-n", null, "L"], ["-C", "ls", "L"]]
  ) assertEquals([words, listOptions(words)], [words, null]);
});
