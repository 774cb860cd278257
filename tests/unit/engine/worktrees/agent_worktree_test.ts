/** Which folder is an agent's worktree, and which only looks like one. */

import { assertEquals } from "@std/assert";
import { ToolError } from "../../../../src/core/errors.ts";
import {
  branchOf,
  findWorktree,
  placeOf,
} from "../../../../src/engine/worktrees/agent_worktree.ts";
import type { CanonicalPath } from "../../../../src/core/capability.ts";
import { withDirectory } from "../../host/files/_temporary.ts";
import { canonical } from "../../policy/_fixtures.ts";

const WORKTREES = ".toolgate/worktrees";

Deno.test("no two agents have one folder or one branch", () => {
  const names = ["a", "a.b", "a_2Eb", "child-1", "child-10", "..", "a..b"];
  assertEquals(new Set(names.map(branchOf)).size, names.length);
  assertEquals(placeOf(canonical("/w"), WORKTREES, "a.b"), "/w/.toolgate/worktrees/a%2Eb");
  assertEquals(placeOf(canonical("/"), WORKTREES, ".."), "/.toolgate/worktrees/%2E%2E");
});

/** A repository, as far as it is looked at, with a worktree of agent `a`; `change` spoils it. */
async function found(change: (parts: { root: string; place: string; own: string }) => void) {
  let result: unknown = null;
  await withDirectory((root) => {
    const place = `${root}/${WORKTREES}/a`;
    const own = `${root}/.git/worktrees/a`;
    Deno.mkdirSync(place, { recursive: true });
    Deno.mkdirSync(own, { recursive: true });
    Deno.writeTextFileSync(`${root}/.git/HEAD`, "ref: refs/heads/main\n");
    Deno.writeTextFileSync(`${place}/.git`, `gitdir: ${own}\n`);
    Deno.writeTextFileSync(`${own}/gitdir`, `${place}/.git\n`);
    Deno.writeTextFileSync(`${own}/commondir`, "../..\n");
    change({ root, place, own });
    try {
      const worktree = findWorktree(root as CanonicalPath, WORKTREES, "a");
      result = worktree === null ? null : worktree.root === place && worktree.home.own === own;
    } catch (error) {
      result = error instanceof ToolError ? error.code : error;
    }
  });
  return result;
}

Deno.test("a worktree is one that its repository knows, and that knows its repository", async () => {
  const rows: readonly [string, Parameters<typeof found>[0], unknown][] = [
    ["as git makes it", () => {}, true],
    ["not there", ({ place }) => Deno.removeSync(place, { recursive: true }), null],
    ["no repository", ({ root }) => Deno.removeSync(`${root}/.git/HEAD`), "NOT_A_REPOSITORY"],
    ["the repository is a file", ({ root }) => {
      Deno.removeSync(`${root}/.git`, { recursive: true });
      Deno.writeTextFileSync(`${root}/.git`, "gitdir: /elsewhere\n");
    }, "NOT_A_REPOSITORY"],
    ["no .git", ({ place }) => Deno.removeSync(`${place}/.git`), "GIT_ERROR"],
    [
      "of another repository",
      ({ place }) => Deno.writeTextFileSync(`${place}/.git`, "gitdir: /r/.git/worktrees/a\n"),
      "GIT_ERROR",
    ],
    [
      "of the repository itself",
      ({ place, root }) => Deno.writeTextFileSync(`${place}/.git`, `gitdir: ${root}/.git\n`),
      "GIT_ERROR",
    ],
    [
      "led out by dots",
      ({ place, own }) => Deno.writeTextFileSync(`${place}/.git`, `gitdir: ${own}/../a\n`),
      "GIT_ERROR",
    ],
    [
      "tied to another folder",
      ({ own }) => Deno.writeTextFileSync(`${own}/gitdir`, "/elsewhere/.git\n"),
      "GIT_ERROR",
    ],
    [
      "objects of another",
      ({ own }) => Deno.writeTextFileSync(`${own}/commondir`, "/elsewhere/.git\n"),
      "GIT_ERROR",
    ],
    ["a link in its place", ({ root, place }) => {
      Deno.renameSync(place, `${root}/moved`);
      Deno.symlinkSync(`${root}/moved`, place);
    }, "GIT_ERROR"],
    ["a link to its folder", ({ root, own }) => {
      Deno.renameSync(own, `${root}/moved`);
      Deno.symlinkSync(`${root}/moved`, own);
    }, "GIT_ERROR"],
  ];
  for (const [name, change, expected] of rows) {
    assertEquals(await found(change), expected, name);
  }
});
