import { assertEquals } from "@std/assert";
import { type Circumstances, warningsOf } from "../../../src/cli/circumstances.ts";
import type { CanonicalPath } from "../../../src/core/capability.ts";

const CASES: readonly (readonly [
  workspace: string,
  home: string | null,
  user: number | null,
  words: readonly string[],
])[] = [
  ["/srv/project", "/home/ann", 1000, []],
  ["/", "/", 1000, ["the workspace is /,"]],
  ["/home/ann", "/home/ann", 1000, ["the workspace is the home folder"]],
  ["/home/ann", "/home/ann//", 1000, ["the workspace is the home folder"]],
  ["/home/ann/project", "/home/ann", 1000, []],
  ["/srv/project", null, null, []],
  ["/root", "/root", 0, ["the workspace is the home folder", "it runs as root"]],
];

Deno.test("warningsOf() tells what is odd about workspace and user", () => {
  for (const [workspace, home, user, words] of CASES) {
    const found = warningsOf(
      { workspace: workspace as CanonicalPath, home, user } satisfies Circumstances,
    );
    assertEquals(found.length, words.length, found.join(" "));
    words.forEach((word, i) => assertEquals(found[i]?.startsWith(word), true, found[i]));
  }
});
