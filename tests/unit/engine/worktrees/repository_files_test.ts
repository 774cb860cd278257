/** Repositories by their files, beside what git says of them. */

import { assertEquals, assertThrows } from "@std/assert";
import { headOf, makeEmptyRepository } from "../../../../src/engine/worktrees/repository_files.ts";
import { withDirectory } from "../../host/files/_temporary.ts";
import { git, makeRepository, said } from "../../tools/git/_history.ts";

async function withCommit(use: (root: string) => Promise<void>): Promise<void> {
  await withDirectory(async (root) => {
    await makeRepository(root);
    await git(root, ["commit", "-q", "--allow-empty", "-m", "one"]);
    await use(root);
  });
}

Deno.test("where a repository is at is what git says, however it keeps that", async () => {
  const ways: readonly (readonly (readonly string[])[])[] = [
    [],
    [["pack-refs", "--all"]],
    [["pack-refs", "--all"], ["commit", "-q", "--allow-empty", "-m", "two"]],
    [["checkout", "-q", "-b", "a/b"], ["pack-refs", "--all"]],
    [["checkout", "-q", "--detach"]],
  ];
  for (const words of ways) {
    await withCommit(async (root) => {
      for (const each of words) await git(root, each);
      assertEquals(headOf(root), await said(root, ["rev-parse", "HEAD"]), JSON.stringify(words));
    });
  }
});

Deno.test("where git has to be asked, or there is no commit, files say nothing", async () => {
  const spoiled: readonly ((git: string) => void)[] = [
    (git) => Deno.removeSync(`${git}/HEAD`),
    (git) => Deno.writeTextFileSync(`${git}/HEAD`, "ref: refs/heads/other\n"),
    // A name that ends like one that is there, and a ref that leads to another.
    (git) => Deno.writeTextFileSync(`${git}/HEAD`, "ref: refs/heads/ain\n"),
    (git) => Deno.writeTextFileSync(`${git}/refs/heads/main`, "ref: refs/heads/other\n"),
    (git) => Deno.writeTextFileSync(`${git}/refs/heads/main`, "0".repeat(39)),
  ];
  for (const spoil of spoiled) {
    await withCommit((root) => {
      spoil(`${root}/.git`);
      assertEquals(headOf(root), null, spoil.toString());
      return Promise.resolve();
    });
  }
  await withDirectory((root) => assertEquals(headOf(root), null));
});

Deno.test("an empty repository is one to git, and is made where none is", async () => {
  await withDirectory(async (root) => {
    makeEmptyRepository(`${root}/.git`, "child-1");
    assertEquals(headOf(root), null);
    assertEquals(await said(root, ["symbolic-ref", "HEAD"]), "refs/heads/child-1");
    assertEquals(await said(root, ["status", "--porcelain"]), "");
    await git(
      root,
      ["-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-q"].concat(
        ["--allow-empty", "-m", "one"],
      ),
    );
    assertEquals(headOf(root), await said(root, ["rev-parse", "HEAD"]));
    assertThrows(() => makeEmptyRepository(`${root}/.git`, "child-2"), Deno.errors.AlreadyExists);
    assertEquals(await said(root, ["symbolic-ref", "HEAD"]), "refs/heads/child-1");
  });
});
