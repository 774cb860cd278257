/** What gits say of worktrees that know less than the one of this machine, as they said it (2.30.2). */

import { assertEquals, assertRejects } from "@std/assert";
import type { ReadFiles } from "../../../../src/core/files.ts";
import { ToolError } from "../../../../src/core/errors.ts";
import type { Repository } from "../../../../src/toolkit/git/repository.ts";
import { requireLeavesOut } from "../../../../src/toolkit/git/worktree_files.ts";
import { worktreeRecords } from "../../../../src/toolkit/git/worktree_records.ts";

/** Its git knows neither `-z` nor what else came with 2.36. */
function older(list: string, linked: readonly string[] = []): Repository {
  const files = {
    find: (path: string) => path === "g/worktrees" || linked.includes(path) ? {} : null,
    walk: () => linked.map((path) => ({ path: path.replace(/\/gitdir$/, "") })),
  } as unknown as ReadFiles;
  const git: Repository["git"] = (words, { good = [0] } = {}) => {
    const isKnown = !words.some((word) => ["-z", "--ignore-skip-worktree-bits"].includes(word));
    if (!isKnown && !good.includes(129)) throw new ToolError("GIT_ERROR", "unknown switch `z'");
    const bytes = new TextEncoder().encode(isKnown ? list : "");
    return Promise.resolve({ bytes, truncated: false, stderr: "", status: isKnown ? 0 : 129 });
  };
  return { tool: "git_worktree", common: "g", files, git } as Repository;
}

const OWN = `worktree /w
HEAD 5d26b4d0b7e57a0ae5e3e1f7b9d8f6c4a3b2c1d0
branch refs/heads/main

`;
const LINKED = `worktree /w/.toolgate/worktrees/a b
HEAD 5d26b4d0b7e57a0ae5e3e1f7b9d8f6c4a3b2c1d0
detached

`;

Deno.test("worktrees are told by lines where git ends none of them by a NUL", async () => {
  for (
    const [list, linked] of [
      [OWN, []],
      [OWN + LINKED, ["g/worktrees/a/gitdir"]],
      [`worktree /w\nbare\n\n${LINKED}`, ["g/worktrees/a/gitdir"]],
    ] as const
  ) {
    const records = list.trimEnd().split("\n\n").map((record) => record.split("\n"));
    assertEquals(await worktreeRecords(older(list, linked)), records);
  }
});

Deno.test("no name that has a line break in it passes for two worktrees, or for what is known of one", async () => {
  const [first = "", second = ""] = [OWN, LINKED];
  const places = ["g/worktrees/a/gitdir"];
  for (
    const [what, list, linked] of [
      ["another worktree", first + second.replace("a b", `a\n\n${first}`), places],
      ["one that is not there", first + second, []],
      ["a key", first + second.replace("a b", "a\nlocked"), places],
      ["keys", first + second.replace("a b", "a\nHEAD 0\ndetached"), places],
      ["a path", first + second.replace("a b", "a\n/b"), places],
    ] as const
  ) {
    const error = await assertRejects(
      () => worktreeRecords(older(list, linked)),
      ToolError,
      "2.36",
    );
    assertEquals([what, error.code], [what, "GIT_ERROR"]);
  }
});

Deno.test("what is denied is laid out by no git that knows not how to leave it out", async () => {
  const error = await assertRejects(() => requireLeavesOut(older("")), ToolError, "2.36");
  assertEquals(error.code, "GIT_ERROR");
});
