/** The searches that say what find would do. */

import { assertEquals } from "@std/assert";
import { type Search, searchOf } from "../../../src/core/find_words.ts";

const looks = (line: string) => {
  const search = searchOf(line.split(" "));
  return search === null || search === "too many"
    ? search
    : search.looks.map((one) => one.join(" "));
};

Deno.test("what find does is searched for without doing it, in each way that its commands may end", () => {
  assertEquals(looks("find . -name a -print"), null);
  assertEquals(looks("find . -name a -delete"), [
    "find . -name a ( -depth -printf 0 %p\\0 )",
  ]);
  assertEquals(looks("find . -exec rm {} + -print"), ["find . ( -printf 0 %p\\0 ) -true"]);
  // How the last ends is asked by nothing that would be done.
  assertEquals(looks("find . -exec rm {} ;"), ["find . ( -printf 0 %p\\0 , -true )"]);
  assertEquals(looks("find . -exec a {} ; -o -delete"), [
    "find . ( -printf 0 %p\\0 , -true ) -o ( -depth -printf 1 %p\\0 )",
    "find . ( -printf 0 %p\\0 , -false ) -o ( -depth -printf 1 %p\\0 )",
  ]);
  const { looks: ways = [], does = [] } = (searchOf(
    "find . -exec a {} ; -exec b {} + -exec c ;".split(" "),
  ) ?? {}) as Partial<Search>;
  assertEquals(does, [["a", "{}"], ["b", "{}"], ["c"]]);
  assertEquals(ways.map((one) => one.join(" ")), [
    "find . ( -printf 0 %p\\0 , -true ) ( -printf 1 %p\\0 ) ( -printf 2 %p\\0 , -true )",
    "find . ( -printf 0 %p\\0 , -false ) ( -printf 1 %p\\0 ) ( -printf 2 %p\\0 , -true )",
  ]);
  assertEquals(looks(`find .${" -exec a {} ;".repeat(5)}`), "too many");
});
