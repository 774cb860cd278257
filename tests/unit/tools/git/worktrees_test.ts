/** git_worktree: working files apart, which are never taken away with something in them. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { ToolError } from "../../../../src/core/errors.ts";
import { pathRule } from "../../policy/_fixtures.ts";
import { inWorkspace } from "../_real_workspace.ts";
import { contentsOf, git, makeRepository, said } from "./_history.ts";

// deno-lint-ignore no-explicit-any
type Loose = any;

const DENIES_WRITING = {
  paths: [pathRule("allow", ["**"]), pathRule("deny", ["**/shut/**"], ["write"])],
};
const APART = ".toolgate/worktrees/apart";

async function makeOne(at: string): Promise<void> {
  await makeRepository(at);
  for (const name of ["a", "folder/b", "shut/x"]) {
    Deno.mkdirSync(`${at}/${name}`.replace(/\/[^/]*$/, ""), { recursive: true });
    Deno.writeTextFileSync(`${at}/${name}`, "one\n");
  }
  Deno.writeTextFileSync(`${at}/.gitignore`, "*.log\n.toolgate\n");
  await git(at, ["add", "--all"]);
  await git(at, ["commit", "-qm", "one"]);
}

async function refusal(call: () => Promise<unknown>): Promise<string> {
  const { code, message } = await assertRejects(call, ToolError);
  return `${code} ${message}`;
}

Deno.test("a worktree is made, worked in and removed, and nothing in it is lost", async () => {
  let place = 0;
  await inWorkspace(async ({ root, call }) => {
    // At the top of the workspace, and below it.
    const repository = [".", "sub/repo"][place++] ?? ".";
    const at = repository === "." ? root : `${root}/${repository}`;
    await makeOne(at);
    const would: Loose = await call(
      "git_worktree",
      { repository, action: "add", branch: "apart" },
      true,
    );
    assertEquals([would.worktrees.length, would.left_out], [1, [`${APART}/shut/x`]]);
    const made: Loose = await call("git_worktree", { repository, action: "add", branch: "apart" });
    assertEquals(made.left_out, [`${APART}/shut/x`]);
    const wanted = contentsOf(at).filter((line) => /^\/(?:a|\.gitignore|folder\/b):/.test(line));
    assertEquals(contentsOf(`${root}/${APART}`), wanted);
    assertEquals(made.worktrees.map(({ path, branch, dirty }: Loose) => [path, branch, dirty]), [
      [repository, "main", false],
      [APART, "apart", false],
    ]);
    // The other tools work in it as anywhere.
    Deno.writeTextFileSync(`${root}/${APART}/a`, "two\n");
    const remove = { repository, action: "remove", path: APART };
    assert(
      /GIT_ERROR.*not committed: .*apart\/a;/.test(
        await refusal(() => call("git_worktree", remove)),
      ),
    );
    await call("git_add", { repository: APART, all: true });
    await call("git_commit", { repository: APART, message: "two" });
    // What is ignored may be all there is of it.
    Deno.writeTextFileSync(`${root}/${APART}/only.log`, "x");
    assert(/apart\/only.log/.test(await refusal(() => call("git_worktree", remove))));
    Deno.removeSync(`${root}/${APART}/only.log`);
    await git(at, ["worktree", "lock", `${root}/${APART}`]);
    assert(/locked/.test(await refusal(() => call("git_worktree", remove))));
    await git(at, ["worktree", "unlock", `${root}/${APART}`]);
    await git(`${root}/${APART}`, ["checkout", "-q", "--detach"]);
    await git(`${root}/${APART}`, ["commit", "-qm", "on no branch", "--allow-empty"]);
    assert(/on no branch/.test(await refusal(() => call("git_worktree", remove))));
    await git(`${root}/${APART}`, ["checkout", "-q", "apart"]);
    const gone: Loose = await call("git_worktree", remove);
    const tip = await said(at, ["rev-parse", "apart"]);
    assertEquals(gone.removed, { path: APART, branch: "apart", hash: tip, unmerged: 1 });
    assertEquals(gone.worktrees.length, 1);
    assertEquals(await said(at, ["show", "apart:a"]), "two");
    assertEquals(await said(at, ["show", "apart:shut/x"]), "one");
    await git(at, ["fsck", "--strict"]);
  }, DENIES_WRITING);
});

Deno.test("worktrees are made nowhere else, and what cannot be is an error that says why", async () => {
  await inWorkspace(async ({ root, call }) => {
    await makeOne(root);
    const add = (more: Record<string, unknown>) =>
      refusal(() => call("git_worktree", { action: "add", branch: "x", ...more }));
    for (
      const path of [
        "elsewhere",
        "../x",
        "/tmp/x",
        ".toolgate/worktrees/../../x",
        ".git/worktrees/x",
        ".toolgate/worktrees",
      ]
    ) {
      assert(/^PATH_DENIED .*made below/.test(await add({ path })), path);
    }
    assert(/already used|already checked out/.test(await add({ branch: "main" })));
    assert(/already/.test(await add({ branch: "main", from: "HEAD" })));
    // Of two lines neither is what was named.
    for (const from of ["nowhere", "main\nx^{"]) {
      assert(/names no commit/.test(await add({ from })), from);
    }
    await call("git_worktree", { action: "add", branch: "x" });
    assert(/^FILE_EXISTS/.test(await add({ branch: "x" })));
    Deno.removeSync(`${root}/.toolgate/worktrees/x`, { recursive: true });
    const list: Loose = await call("git_worktree", { action: "list" });
    assertEquals(list.worktrees[1].gone, true);
    const remove = (path: string) =>
      refusal(() => call("git_worktree", { action: "remove", path }));
    assert(/is gone/.test(await remove(".toolgate/worktrees/x")));
    assert(/the repository itself/.test(await remove(".")));
    assert(/none of its worktrees/.test(await remove("folder")));
    const pruned: Loose = await call("git_worktree", { action: "prune" });
    assertEquals(pruned.worktrees.length, 1);
  });
});
