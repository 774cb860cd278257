import { assertEquals } from "@std/assert";
import {
  type ChangedFile,
  conflictsOf,
  type Party,
} from "../../../../../src/serve/gate/children/changes.ts";

/** `path=content`, or `-path` for what is gone. */
function party(name: string, ...files: readonly string[]): Party {
  const changed = files.map((file): ChangedFile => {
    if (file.startsWith("-")) return { path: file.slice(1), change: "deleted", content: null };
    const [path = "", content = ""] = file.split("=");
    return { path, change: "modified", content: content === "?" ? null : content };
  });
  return {
    name,
    changes: { files: changed, addedLines: 0, removedLines: 0, commits: [], incomplete: null },
  };
}

Deno.test("who has changed the same path to something else stands against the other", () => {
  const table: readonly [
    one: readonly string[],
    two: readonly string[],
    paths: readonly string[],
  ][] = [
    [["a=1"], ["b=1"], []],
    [["a=1"], ["a=2"], ["a"]],
    [["a=1"], ["a=1"], []],
    // What cannot be compared is not taken for the same.
    [["a=?"], ["a=?"], ["a"]],
    [["-a"], ["-a"], []],
    [["-a"], ["a=1"], ["a"]],
    [["a=1", "b=1"], ["b=2", "a=2"], ["a", "b"]],
    // A file of one that is a folder of the other.
    [["a=1"], ["a/b=1"], ["a"]],
    [["a/b/c=1"], ["a/b=1"], ["a/b"]],
    [["-a"], ["a/b=1"], []],
    [["ab=1"], ["a/b=1"], []],
    [[], ["a=1"], []],
  ];
  for (const [one, two, paths] of table) {
    const said = conflictsOf([party("x", ...one), party("y", ...two)]);
    const expected = paths.length === 0 ? [] : [{ paths, agents: ["x", "y"] }];
    assertEquals(said, expected, JSON.stringify([one, two]));
  }
});

Deno.test("each two of them are told apart", () => {
  const parties = [party("x", "a=1"), party("y", "a=2"), party("z", "a=2", "b=1")];
  assertEquals(conflictsOf(parties).map(({ agents }) => agents.join()), ["x,y", "x,z"]);
});
