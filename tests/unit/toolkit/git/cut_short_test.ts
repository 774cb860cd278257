/** Changes of refs and settings that were cut short: the locks that they left are taken away by the next call. */

import { assertEquals, assertRejects } from "@std/assert";
import { ToolError } from "../../../../src/core/errors.ts";
import { openSettled } from "../../../../src/toolkit/git/cut_short.ts";
import { NOTE } from "../../../../src/core/git/moves_note.ts";
import { moving, RECORDING } from "../../../../src/toolkit/git/moves.ts";
import { git, makeRepository, said } from "../../tools/git/_history.ts";
import { inWorkspace, type World } from "../../tools/_real_workspace.ts";

const LOCKS = [".git/refs/heads/made.lock", ".git/config.lock"];
const CREATE = { action: "create", branch_name: "made" };
const RENAME = { action: "rename", branch_name: "made", new_name: "named" };

function isThere(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

async function begin({ root, during }: World, refs: readonly string[]): Promise<boolean> {
  await during("git_branch", CREATE, async (context) => {
    const repository = await openSettled("git_branch", context, ".");
    await assertRejects(() =>
      moving(repository, { ...RECORDING, refs }, () => {
        for (const lock of LOCKS) Deno.writeTextFileSync(`${root}/${lock}`, "");
        // As a git that was killed.
        throw new ToolError("COMMAND_FAILED", "ended", { details: { signal: "SIGKILL" } });
      })
    );
  });
  return isThere(`${root}/.git/${NOTE}`);
}

Deno.test("a change of branches that was killed leaves no lock to the next call, and takes none that it did not speak of", async () => {
  let noted = 0;
  await inWorkspace(async (world) => {
    const { root, call } = world;
    await makeRepository(root);
    await git(root, ["commit", "-q", "--allow-empty", "-m", "one"]);
    // Where nothing can be noted locks are named.
    if (!await begin(world, ["refs/heads/made"])) {
      await assertRejects(() => call("git_branch", CREATE), ToolError, "made.lock");
      return;
    }
    noted++;
    await call("git_branch", CREATE);
    await call("git_branch", RENAME);
    assertEquals(LOCKS.filter((lock) => isThere(`${root}/${lock}`)), []);
    assertEquals(
      await said(root, ["branch", "--list", "named", "--format=%(refname:short)"]),
      "named",
    );
    await git(root, ["fsck", "--strict"]);
    // Of another branch; and names that lead elsewhere make it no note at all.
    for (const refs of [["refs/heads/other"], ["refs/../refs/heads/made"], ["config"]]) {
      await begin(world, refs);
      await assertRejects(() => call("git_branch", CREATE), ToolError, "made.lock");
      for (const lock of LOCKS) if (isThere(`${root}/${lock}`)) Deno.removeSync(`${root}/${lock}`);
    }
  });
  assertEquals(noted, 1);
});
