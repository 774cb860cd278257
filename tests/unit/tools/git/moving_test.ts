/** The git tools that change working files: what git itself would leave, or nothing changed and the reason why. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { ToolError } from "../../../../src/core/errors.ts";
import { pathRule } from "../../policy/_fixtures.ts";
import { inWorkspace } from "../_real_workspace.ts";
import { contentsOf, git, makeHistory, makeRepository, said, stateOf } from "./_history.ts";

// deno-lint-ignore no-explicit-any
type Loose = any;

const DENIES_WRITING = [
  pathRule("allow", ["**"]),
  pathRule("deny", ["shut/**"], ["write"]),
];

/** What became of a call: its answer, or the error. */
async function attempt(call: () => Promise<Loose>): Promise<Loose> {
  try {
    return await call();
  } catch (error) {
    assert(error instanceof ToolError, String(error));
    return error;
  }
}

Deno.test("git_checkout goes where git goes, or refuses and leaves every byte", async () => {
  const seeds = [21, 22];
  let gone = 0;
  let refused = 0;
  await inWorkspace(async ({ root, call }) => {
    for (const seed of [seeds.pop() ?? 0]) {
      const ours = `${root}/ours-${seed}`;
      const theirs = `${root}/theirs-${seed}`;
      await makeHistory(ours, seed);
      await git(ours, ["branch", "old", "HEAD~2"]);
      await git(ours, ["branch", "older", "HEAD~3"]);
      await git(root, ["clone", "--quiet", "--no-hardlinks", ours, theirs]);
      for (const dirty of [true, false]) {
        if (!dirty) {
          await git(ours, ["reset", "--quiet", "--hard"]);
          await git(ours, ["clean", "--quiet", "-dfx"]);
        }
        for (const where of ["old", "main", "older", "HEAD~1"]) {
          Deno.removeSync(theirs, { recursive: true });
          await git(root, ["init", "--quiet", theirs]);
          await new Deno.Command("cp", { args: ["-a", `${ours}/.`, theirs] }).output();
          const before = await stateOf(ours);
          const looked = await attempt(() =>
            call("git_checkout", { repository: `ours-${seed}`, branch_or_commit: where }, true)
          );
          assertEquals(await stateOf(ours), before, "a preview changed something");
          const made = await attempt(() =>
            call("git_checkout", { repository: `ours-${seed}`, branch_or_commit: where })
          );
          const how = await new Deno.Command("git", {
            args: ["checkout", "--quiet", "--no-overwrite-ignore", where],
            cwd: theirs,
            stderr: "null",
          }).output();
          assertEquals(looked instanceof ToolError, made instanceof ToolError, "preview and call");
          if (made instanceof ToolError) {
            refused++;
            assertEquals(await stateOf(ours), before, made.message);
          } else {
            gone++;
            assert(how.success, `git refused ${where}`);
            assertEquals(await stateOf(ours), await stateOf(theirs));
            assertEquals(made.hash, await said(theirs, ["rev-parse", "HEAD"]));
            const { branch, hash, detached, files_changed } = made;
            assertEquals(looked, { branch, hash, detached, files_changed }, "preview and call");
          }
        }
      }
    }
  });
  assert(gone >= 6 && refused >= 2, `${gone} ${refused}`);
});

Deno.test("git_checkout names what stands in the way, and keeps what it replaces", async () => {
  await inWorkspace(async ({ root, call }) => {
    await makeRepository(root);
    const write = (name: string, text: string) => Deno.writeTextFileSync(`${root}/${name}`, text);
    write("a", "one\n");
    write("two\nlines", "one\n");
    await git(root, ["add", "--all"]);
    await git(root, ["commit", "-qm", "one"]);
    await git(root, ["checkout", "-qb", "side"]);
    write("a", "two\n");
    write("new", "theirs\n");
    await git(root, ["add", "--all"]);
    await git(root, ["commit", "-qm", "two"]);
    await git(root, ["checkout", "-q", "main"]);
    write(".git/info/exclude", "new\n");
    write("new", "ignored, and nowhere else\n");
    const go = { branch_or_commit: "side" };
    const ignored = await assertRejects(() => call("git_checkout", go), ToolError);
    assertEquals(ignored.details?.in_the_way, ["new"]);
    Deno.removeSync(`${root}/new`);
    write("a", "mine\n");
    write("two\nlines", "mine\n");
    const dirty = await assertRejects(() => call("git_checkout", go), ToolError);
    assertEquals([dirty.code, dirty.details?.in_the_way], ["GIT_ERROR", ["a"]]);
    Deno.symlinkSync("/etc/passwd", `${root}/link`);
    await git(root, ["add", "link"]);
    await git(root, ["commit", "-qm", "link"]);
    Deno.removeSync(`${root}/link`);
    Deno.symlinkSync("/etc/hostname", `${root}/link`);
    const back: Loose = await call("git_checkout", { branch_or_commit: "HEAD", paths: ["."] });
    assertEquals(back.files_changed, 3);
    const kept = new Map(back.replaced.map(({ path, hash }: Loose) => [path, hash]));
    assertEquals(await said(root, ["cat-file", "blob", kept.get("a") as string]), "mine");
    assertEquals(await said(root, ["cat-file", "blob", kept.get("two\nlines") as string]), "mine");
    assertEquals(
      await said(root, ["cat-file", "blob", kept.get("link") as string]),
      "/etc/hostname",
    );
    assertEquals(Deno.readTextFileSync(`${root}/a`), "one\n");
    assertEquals(Deno.readLinkSync(`${root}/link`), "/etc/passwd");
    const gone = await assertRejects(
      () => call("git_checkout", { branch_or_commit: "HEAD", paths: ["nowhere"] }),
      ToolError,
    );
    assertEquals(gone.code, "FILE_NOT_FOUND");
    const made: Loose = await call("git_checkout", { branch_or_commit: "fresh", create: true });
    assertEquals([made.branch, made.files_changed], ["fresh", 0]);
    assertEquals(
      (await assertRejects(
        () => call("git_checkout", { branch_or_commit: "fresh", create: true }),
        ToolError,
      )).code,
      "GIT_ERROR",
    );
    const there: Loose = await call("git_checkout", { branch_or_commit: "side~1" });
    assertEquals([there.branch, there.detached], [null, true]);
  });
});

Deno.test("pointers of git-lfs that were left in place of contents are named, and nothing else is", async () => {
  await inWorkspace(async ({ root, call }) => {
    await makeRepository(root);
    const write = (name: string, text: string) => Deno.writeTextFileSync(`${root}/${name}`, text);
    const pointer = (size: number) =>
      `version https://git-lfs.github.com/spec/v1\noid sha256:${"0".repeat(64)}\nsize ${size}\n`;
    write(".gitattributes", "*.bin filter=lfs -text\n*.txt -filter\n");
    await git(root, ["add", "--all"]);
    await git(root, ["commit", "-qm", "first"]);
    await git(root, ["checkout", "-qb", "side"]);
    write("a\n1.bin", pointer(1));
    write("whole.bin", "contents\n");
    write("a.txt", pointer(2));
    await git(root, ["add", "--all"]);
    await git(root, ["commit", "-qm", "second"]);
    await git(root, ["checkout", "-q", "main"]);
    const left = ["a\n1.bin"];
    const took: Loose = await call("git_checkout", { branch_or_commit: "side" });
    assertEquals(took.lfs_pointers, left);
    const back: Loose = await call("git_checkout", { branch_or_commit: "main" });
    assertEquals(back.lfs_pointers, undefined);
    const made: Loose = await call("git_worktree", {
      action: "add",
      branch: "other",
      from: "side",
    });
    assertEquals(made.lfs_pointers, [".toolgate/worktrees/other/a\n1.bin"]);
    const looked: Loose = await call("git_merge", { branch: "side" }, true);
    assertEquals(looked.lfs_pointers, undefined);
    const merged: Loose = await call("git_merge", { branch: "side" });
    assertEquals(merged.lfs_pointers, left);
    write("a\n1.bin", pointer(3));
    await call("git_stash", { action: "push" });
    const popped: Loose = await call("git_stash", { action: "pop" });
    assertEquals(popped.lfs_pointers, left);
    const taken: Loose = await call("git_checkout", { branch_or_commit: "HEAD", paths: ["."] });
    assertEquals(taken.lfs_pointers, left);
  });
});

Deno.test("what would write a denied file is refused before anything changes", async () => {
  await inWorkspace(async ({ root, call }) => {
    await makeRepository(root);
    const write = (name: string, text: string) => Deno.writeTextFileSync(`${root}/${name}`, text);
    Deno.mkdirSync(`${root}/shut`);
    write("a", "one\n");
    write("shut/x", "one\n");
    await git(root, ["add", "--all"]);
    await git(root, ["commit", "-qm", "one"]);
    await git(root, ["checkout", "-qb", "side"]);
    write("a", "two\n");
    write("shut/x", "two\n");
    await git(root, ["commit", "-qam", "two"]);
    await git(root, ["checkout", "-q", "main"]);
    const before = await stateOf(root);
    for (
      const [name, args] of [
        ["git_checkout", { branch_or_commit: "side" }],
        ["git_checkout", { branch_or_commit: "side", paths: ["."] }],
        ["git_checkout", { branch_or_commit: "side", paths: ["shut/x"] }],
      ] as const
    ) {
      const error = await assertRejects(() => call(name, args), ToolError);
      assertEquals(error.code, "PATH_DENIED", error.message);
      assert(error.message.includes("shut/x"), error.message);
      assertEquals(await stateOf(root), before);
    }
  }, { paths: DENIES_WRITING });
});

Deno.test("git_stash puts aside what git would, and brings all of it back", async () => {
  let seed = 30;
  await inWorkspace(async ({ root, call }) => {
    seed++;
    await makeHistory(`${root}/r`, seed);
    const repository = "r";
    const at = `${root}/r`;
    const contents = contentsOf(at);
    const status = await said(at, ["status", "--porcelain"]);
    const untracked: Loose = await call("git_stash", {
      repository,
      action: "push",
      include_untracked: true,
    }, true);
    assertEquals(await said(at, ["status", "--porcelain"]), status);
    assertEquals(contentsOf(at), contents);
    const made: Loose = await call("git_stash", {
      repository,
      action: "push",
      message: "half done",
      include_untracked: true,
    });
    assertEquals(made.changed, untracked.changed);
    assertEquals(await said(at, ["status", "--porcelain"]), "");
    assertEquals(made.entries.map(({ message }: Loose) => message), ["On main: half done"]);
    const shown: Loose = await call("git_stash", { repository, action: "show" });
    const names = await said(at, [
      "diff",
      "--name-only",
      "--no-renames",
      "stash@{0}^1",
      "stash@{0}",
    ]);
    assertEquals(shown.files.length > 0, names !== "");
    // Git itself takes it for one of its own.
    await git(at, ["fsck", "--strict"]);
    await git(at, ["stash", "apply", "--quiet", "--index"]);
    assertEquals(contentsOf(at), contents);
    assertEquals(
      (await said(at, ["status", "--porcelain"])).split("\n").sort(),
      status.split("\n").sort(),
    );
    await git(at, ["reset", "--quiet", "--hard"]);
    await git(at, ["clean", "--quiet", "-df"]);
    const back: Loose = await call("git_stash", { repository, action: "pop" });
    assertEquals(contentsOf(at), contents);
    assertEquals([back.entries, back.dropped.message], [[], "On main: half done"]);
    assertEquals(await said(at, ["cat-file", "-t", back.dropped.hash]), "commit");
    assertEquals(await said(at, ["for-each-ref", "refs/toolgate"]), "");
  });
});

Deno.test("git_stash puts removals and new names aside that are staged, and brings them back", async () => {
  await inWorkspace(async ({ root, call }) => {
    await git(root, ["init", "--quiet", "--initial-branch=main"]);
    await git(root, ["config", "user.name", "a"]);
    await git(root, ["config", "user.email", "a@b"]);
    for (const name of ["gone", "old", "kept", "there"]) {
      Deno.writeTextFileSync(`${root}/${name}`, `${name}\n`);
    }
    await git(root, ["add", "--all"]);
    await git(root, ["commit", "--quiet", "--message=one"]);
    await git(root, ["rm", "--quiet", "gone"]);
    await git(root, ["mv", "old", "new"]);
    await git(root, ["rm", "--quiet", "--cached", "there"]);
    const contents = contentsOf(root);
    const staged: Loose = await call("git_stash", { action: "push" });
    assertEquals(staged.changed.toSorted(), ["gone", "new", "old", "there"]);
    assertEquals(await said(root, ["status", "--porcelain"]), "");
    assertEquals(Deno.readTextFileSync(`${root}/gone`), "gone\n");
    await call("git_stash", { action: "pop" });
    assertEquals(contentsOf(root), contents);
    await git(root, ["reset", "--quiet", "--hard"]);
    await git(root, ["rm", "--quiet", "gone"]);
    const alone: Loose = await call("git_stash", { action: "push" });
    assertEquals(alone.changed, ["gone"]);
    assertEquals(await said(root, ["status", "--porcelain"]), "");
  });
});

Deno.test("git_stash drops what was brought back and not dropped, and nothing that was changed since", async () => {
  await inWorkspace(async ({ root, call }) => {
    await makeRepository(root);
    for (const name of ["kept", "gone"]) Deno.writeTextFileSync(`${root}/${name}`, "one\n");
    await git(root, ["add", "kept", "gone"]);
    await git(root, ["commit", "--quiet", "-m", "two files"]);
    Deno.writeTextFileSync(`${root}/kept`, "two\n");
    Deno.removeSync(`${root}/gone`);
    await git(root, ["stash", "--quiet"]);
    await git(root, ["stash", "apply", "--quiet"]);
    Deno.writeTextFileSync(`${root}/kept`, "three\n");
    await assertRejects(() => call("git_stash", { action: "pop" }), ToolError, "not committed");
    assertEquals(await said(root, ["stash", "list", "--format=%gd"]), "stash@{0}");
    Deno.writeTextFileSync(`${root}/kept`, "two\n");
    const popped: Loose = await call("git_stash", { action: "pop" });
    assertEquals([popped.entries, popped.changed], [[], ["gone", "kept"]]);
    assertEquals(await said(root, ["status", "--porcelain"]), " D gone\n M kept");
  });
});

Deno.test("git_stash leaves denied files where they are, staged ones too, and says what stands in the way", async () => {
  await inWorkspace(async ({ root, call }) => {
    await makeRepository(root);
    const write = (name: string, text: string) => Deno.writeTextFileSync(`${root}/${name}`, text);
    Deno.mkdirSync(`${root}/shut`);
    for (const name of ["a", "b", "shut/x", "shut/y"]) write(name, "one\n");
    await git(root, ["add", "--all"]);
    await git(root, ["commit", "-qm", "one"]);
    for (const name of ["a", "shut/x", "shut/y", "shut/new"]) write(name, "two\n");
    await git(root, ["add", "shut/y", "shut/new"]);
    const made: Loose = await call("git_stash", { action: "push", include_untracked: true });
    assertEquals(made.changed, ["a"]);
    assertEquals(made.left_out.sort(), ["shut/new", "shut/x", "shut/y"]);
    assertEquals(Deno.readTextFileSync(`${root}/a`), "one\n");
    for (const name of ["shut/x", "shut/y", "shut/new"]) {
      assertEquals(Deno.readTextFileSync(`${root}/${name}`), "two\n");
    }
    assertEquals(await said(root, ["diff", "--cached", "--name-only"]), "shut/new\nshut/y");
    assertEquals(await said(root, ["diff", "--name-only", "stash@{0}^1", "stash@{0}"]), "a");
    const nothing = await assertRejects(() => call("git_stash", { action: "push" }), ToolError);
    assert(/nothing to put aside/.test(nothing.message), nothing.message);
    write("a", "mine\n");
    const blocked = await assertRejects(() => call("git_stash", { action: "pop" }), ToolError);
    assertEquals(blocked.details?.in_the_way, ["a"]);
    await git(root, ["commit", "-qm", "mine", "a"]);
    const conflict = await assertRejects(() => call("git_stash", { action: "pop" }), ToolError);
    assertEquals(conflict.code, "MERGE_CONFLICT", conflict.message);
    assertEquals(await said(root, ["stash", "list", "--format=%gd"]), "stash@{0}");
    assert(Deno.readTextFileSync(`${root}/a`).includes("<<<<<<<"));
    await git(root, ["checkout", "-q", "HEAD", "--", "a"]);
    // A stash of somebody else's may hold what is denied.
    write("shut/x", "three\n");
    await git(root, ["stash", "push", "-q", "--", "shut/x"]);
    const before = await stateOf(root);
    const denied = await assertRejects(() => call("git_stash", { action: "pop" }), ToolError);
    assertEquals(denied.code, "PATH_DENIED", denied.message);
    assertEquals(await stateOf(root), before);
    const dropped: Loose = await call("git_stash", { action: "drop", index: 1 });
    assertEquals(await said(root, ["cat-file", "-t", dropped.dropped.hash]), "commit");
    assertEquals(dropped.entries.length, 1);
  }, { paths: DENIES_WRITING });
});
