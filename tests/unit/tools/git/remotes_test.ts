/** git_push and git_pull: between repositories of the workspace, whole or not at all, and nowhere else. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { ToolError } from "../../../../src/core/errors.ts";
import { pathRule } from "../../policy/_fixtures.ts";
import { inWorkspace } from "../_real_workspace.ts";
import { git, makeRepository, said, stateOf } from "./_history.ts";

// deno-lint-ignore no-explicit-any
type Loose = any;

const FILE = {
  git: { hooks: null, filters: null, protocols: ["file"], worktrees: null, identity: null },
} as const;
const TWO = { repository: "two" };

/** A bare repository, and two that have it as their origin, beside one another. */
async function makeThree(root: string): Promise<void> {
  await git(root, ["init", "--quiet", "--bare", "--initial-branch=main", "there.git"]);
  await makeRepository(`${root}/one`);
  await commit(`${root}/one`, "a", "one\n");
  await git(`${root}/one`, ["remote", "add", "origin", `${root}/there.git`]);
  await makeRepository(`${root}/two`);
  await git(`${root}/two`, ["remote", "add", "origin", "../there.git"]);
}

async function commit(at: string, name: string, text: string): Promise<void> {
  Deno.mkdirSync(`${at}/${name}`.replace(/\/[^/]*$/, ""), { recursive: true });
  Deno.writeTextFileSync(`${at}/${name}`, text);
  await git(at, ["add", "--all"]);
  await git(at, ["commit", "-qm", `${name} ${text}`]);
}

Deno.test("what one pushes another pulls, as git does, and both are told what became of it", async () => {
  await inWorkspace(async ({ root, call }) => {
    await makeThree(root);
    const [one, two, there] = ["one", "two", "there.git"].map((name) => `${root}/${name}`) as [
      string,
      string,
      string,
    ];
    const push = { repository: "one", set_upstream: true };
    const shown: Loose = await call("git_push", push, true);
    assertEquals(await said(there, ["for-each-ref"]), "");
    const made: Loose = await call("git_push", push);
    assertEquals(made, shown);
    const first = await said(one, ["rev-parse", "main"]);
    assertEquals(made.updates, [{
      ref: "refs/heads/main",
      from: null,
      to: first,
      status: "created",
    }]);
    assertEquals(await said(one, ["rev-parse", "main@{upstream}"]), first);
    const again: Loose = await call("git_push", push);
    assertEquals(again.updates[0].status, "up_to_date");
    // Into a repository without a commit yet.
    const got: Loose = await call("git_pull", TWO);
    assertEquals([got.from, got.to, got.fast_forward, got.files_changed], [null, first, true, 1]);
    await commit(two, "b", "two\n");
    assertEquals((await call("git_push", TWO) as Loose).updates[0].status, "updated");
    await commit(one, "c", "one\n");
    const behind = await assertRejects(() => call("git_push", { repository: "one" }), ToolError);
    assert(/commits that this one has not/.test(behind.message), behind.message);
    const parted = await assertRejects(() => call("git_pull", { repository: "one" }), ToolError);
    assert(/no fast-forward/.test(parted.message), parted.message);
    const before = await stateOf(one);
    const merge = { repository: "one", strategy: "merge" };
    const will: Loose = await call("git_pull", merge, true);
    assertEquals(await stateOf(one), before);
    const merged: Loose = await call("git_pull", merge);
    assertEquals([merged.files_changed, merged.conflicts], [will.files_changed, []]);
    assertEquals(await said(one, ["log", "-1", "--format=%s"]), "Merge branch 'main' of origin");
    // Both changed the same lines.
    await call("git_push", { repository: "one" });
    await call("git_pull", TWO);
    await commit(one, "a", "mine\n");
    await commit(two, "a", "yours\n");
    await call("git_push", { repository: "one" });
    const conflict = await assertRejects(
      () => call("git_pull", { ...TWO, strategy: "merge" }),
      ToolError,
    );
    assertEquals(conflict.code, "MERGE_CONFLICT");
    await call("git_merge", { ...TWO, abort: true });
    // Force takes away what was seen, and nothing else.
    const tip = await said(two, ["rev-parse", "main"]);
    await git(two, ["update-ref", "refs/remotes/origin/main", first]);
    const stale = await assertRejects(() => call("git_push", { ...TWO, force: true }), ToolError);
    assert(/last seen/.test(stale.message), stale.message);
    await assertRejects(() => call("git_pull", { ...TWO, strategy: "ff_only" }), ToolError);
    const theirs = await said(one, ["rev-parse", "main"]);
    await git(two, ["update-ref", "refs/remotes/origin/main", theirs]);
    const forced: Loose = await call("git_push", { ...TWO, force: true });
    assertEquals(forced.updates, [{
      ref: "refs/heads/main",
      from: theirs,
      to: tip,
      status: "forced",
    }]);
    assertEquals(await said(there, ["cat-file", "-t", theirs]), "commit");
    for (const at of [one, two, there]) await git(at, ["fsck", "--strict"]);
  }, FILE);
});

Deno.test("a pull that would write a denied file, or lose something, brings in nothing", async () => {
  await inWorkspace(async ({ root, call }) => {
    await makeThree(root);
    const two = `${root}/two`;
    await call("git_push", { repository: "one" });
    await call("git_pull", TWO);
    await commit(`${root}/one`, "shut/x", "one\n");
    await commit(`${root}/one`, "a", "two\n");
    await call("git_push", { repository: "one" });
    const before = [await stateOf(two), await said(two, ["count-objects"])];
    const denied = await assertRejects(() => call("git_pull", TWO), ToolError);
    assertEquals(denied.code, "PATH_DENIED", denied.message);
    assertEquals([await stateOf(two), await said(two, ["count-objects"])], before);
    await git(`${root}/one`, ["rm", "-qr", "shut"]);
    await git(`${root}/one`, ["commit", "-qm", "open"]);
    await call("git_push", { repository: "one" });
    Deno.writeTextFileSync(`${two}/a`, "mine\n");
    const dirty = await assertRejects(() => call("git_pull", TWO), ToolError);
    assertEquals(dirty.details?.in_the_way, ["two/a"]);
    assertEquals(await said(two, ["count-objects"]), before[1]);
  }, { ...FILE, paths: [pathRule("allow", ["**"]), pathRule("deny", ["**/shut/**"], ["write"])] });
});

Deno.test("remotes that lie elsewhere, or are reached otherwise, are refused by name", async () => {
  const outside = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    await git(outside, ["init", "--quiet", "--bare"]);
    await inWorkspace(async ({ root, call }) => {
      await makeThree(root);
      Deno.symlinkSync(outside, `${root}/link.git`);
      const cases: readonly (readonly [string, string, RegExp])[] = [
        [outside, "PATH_OUTSIDE_WORKSPACE", /leads out/],
        [`file://${outside}`, "PATH_OUTSIDE_WORKSPACE", /leads out/],
        ["../../../../../etc", "PATH_OUTSIDE_WORKSPACE", /leads out/],
        ["../link.git", "NOT_A_REPOSITORY", /no repository/],
        ["../nowhere.git", "NOT_A_REPOSITORY", /no repository/],
        [
          "https://example.org/x.git",
          "NETWORK_DENIED",
          /reached by https, and the policy.*it names file/,
        ],
        [
          "git@example.org:x.git",
          "NETWORK_DENIED",
          /by ssh, .*whatever.*names: .* by https and http;/,
        ],
        ["git://example.org/x", "NETWORK_DENIED", /by git, .*by https and http;/],
        ["ext::sh -c true", "NETWORK_DENIED", /ext::/],
      ];
      for (const [address, code, message] of cases) {
        await git(`${root}/one`, ["config", "remote.origin.url", address]);
        for (const tool of ["git_push", "git_pull"]) {
          const error = await assertRejects(() => call(tool, { repository: "one" }), ToolError);
          assertEquals(error.code, code, `${address}: ${error.message}`);
          assert(message.test(error.message), error.message);
        }
      }
      assertEquals(await said(outside, ["for-each-ref"]), "");
    }, FILE);
    await inWorkspace(async ({ root, call }) => {
      await makeThree(root);
      const error = await assertRejects(() => call("git_push", { repository: "one" }), ToolError);
      assert(/does not name file/.test(error.message), error.message);
    });
  } finally {
    Deno.removeSync(outside, { recursive: true });
  }
});

Deno.test("a lock of another repository of the workspace is named by its plain path", async () => {
  await inWorkspace(async ({ root, call }) => {
    await makeThree(root);
    await commit(`${root}/two`, "a", "one\n");
    Deno.writeTextFileSync(`${root}/there.git/refs/heads/main.lock`, "");
    const error = await assertRejects(() => call("git_push", TWO), ToolError);
    assertEquals(error.details?.["lock"], "there.git/refs/heads/main.lock", error.message);
  }, FILE);
});
