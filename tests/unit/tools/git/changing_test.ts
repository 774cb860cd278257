/** The git tools that change something: what they leave is what git itself would have left, and nothing is lost. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { ToolError } from "../../../../src/core/errors.ts";
import { bytesOf, nameOf } from "../../../../src/toolkit/git/names.ts";
import { Random } from "../../../random.ts";
import { inWorkspace, wayOf } from "../_real_workspace.ts";
import { git, makeHistory, makeRepository, said } from "./_history.ts";

// deno-lint-ignore no-explicit-any
type Loose = any;

Deno.test("git_add of all stages what git stages, and git_commit leaves the same tree", async () => {
  let way = 0;
  await inWorkspace(async ({ root, call }) => {
    const own = way++;
    for (const seed of [5, 6, 7]) {
      if (wayOf(seed) !== own) continue;
      await makeHistory(`${root}/ours-${seed}`, seed);
      await makeHistory(`${root}/theirs-${seed}`, seed);
      const ours = `${root}/ours-${seed}`;
      const theirs = `${root}/theirs-${seed}`;
      await call("git_add", { repository: `ours-${seed}`, all: true });
      await git(theirs, ["add", "--all"]);
      assertEquals(await said(ours, ["write-tree"]), await said(theirs, ["write-tree"]));
      const message = `say it\n\n#not a comment\n  body`;
      const made: Loose = await call("git_commit", { repository: `ours-${seed}`, message });
      assertEquals(made.hash, await said(ours, ["rev-parse", "HEAD"]));
      assertEquals(await said(ours, ["log", "-1", "--format=%B"]), `${message}\n`);
      assertEquals([made.branch, made.subject], ["main", "say it"]);
      const lines = (await said(ours, ["show", "--numstat", "--format=", "-M", "HEAD"])).split(
        "\n",
      );
      assertEquals(made.files_changed, lines.filter((line) => line !== "").length);
      await git(ours, ["fsck", "--strict"]);
    }
  });
});

Deno.test("single files are staged by their names, whatever git would read into those", async () => {
  await inWorkspace(async ({ root, call }) => {
    await makeRepository(root);
    const names = [
      ":(glob)*",
      "*",
      "-A",
      "!x",
      "two words",
      "new\nline",
      "ü",
      '"whole"',
      "sub/[a]",
    ];
    Deno.mkdirSync(`${root}/sub`);
    for (const name of [...names, "other", "sub/a"]) Deno.writeTextFileSync(`${root}/${name}`, "x");
    for (const name of names) {
      const shown = nameOf(new TextEncoder().encode(name));
      assertEquals(await call("git_add", { files: [shown] }), { staged: [shown] });
    }
    const index = new TextDecoder().decode(await git(root, ["ls-files", "-z"]));
    assertEquals(index.split("\0").slice(0, -1).sort(), [...names].sort());
    assertEquals(await call("git_add", { files: ["./sub//"] }), { staged: ["sub/a"] });
  });
});

Deno.test("what cannot be staged or committed is an error that says why", async () => {
  await inWorkspace(async ({ root, call }) => {
    await makeRepository(root);
    Deno.writeTextFileSync(`${root}/.gitignore`, "*.log\n");
    Deno.writeTextFileSync(`${root}/a.log`, "x");
    Deno.writeTextFileSync(`${root}/a`, "x");
    const cases: readonly (readonly [string, Record<string, unknown>, string, RegExp])[] = [
      ["git_add", { files: ["nowhere"] }, "FILE_NOT_FOUND", /does not exist/],
      ["git_add", { files: ["a.log"] }, "GIT_ERROR", /ignored/],
      ["git_add", { files: [".git/config"] }, "PATH_DENIED", /git's own/],
      ["git_add", { files: ["../x"] }, "INVALID_ARGUMENTS", /repository/],
      ["git_commit", { message: "x" }, "GIT_ERROR", /nothing is staged/],
      ["git_show", { ref: "HEAD" }, "GIT_ERROR", /names no commit/],
      ["git_branch", { action: "create", branch_name: "x" }, "GIT_ERROR", /names no commit/],
    ];
    for (const [name, args, code, message] of cases) {
      const error = await assertRejects(() => call(name, args), ToolError);
      assertEquals(error.code, code, error.message);
      assert(message.test(error.message), error.message);
    }
    await git(root, ["config", "--unset", "user.name"]);
    await call("git_add", { files: ["a"] });
    const nobody = await assertRejects(() => call("git_commit", { message: "x" }), ToolError);
    assert(nobody.message.includes("user.name"), nobody.message);
    assertEquals(await said(root, ["ls-files"]), "a");
  });
});

Deno.test("hooks that did not run are named, and an amended commit is", async () => {
  await inWorkspace(async ({ root, call }) => {
    await makeRepository(root);
    Deno.writeTextFileSync(`${root}/.git/hooks/pre-commit`, "#!/bin/sh\nexit 1\n");
    Deno.chmodSync(`${root}/.git/hooks/pre-commit`, 0o755);
    const one: Loose = await call("git_commit", { message: "one", allow_empty: true });
    assertEquals(one.hooks_skipped, ["pre-commit"]);
    const author = "Grace <grace@example.org>";
    const two: Loose = await call("git_commit", {
      message: "two",
      amend: true,
      allow_empty: true,
      author,
    });
    assertEquals(two.replaced, one.hash);
    assertEquals(await said(root, ["log", "--format=%an %s"]), "Grace two");
    assertEquals(await said(root, ["cat-file", "-t", one.hash]), "commit");
  });
});

Deno.test("branches are made, renamed and deleted, and the tip of one that is gone is told", async () => {
  await inWorkspace(async ({ root, call }) => {
    await makeRepository(root);
    await call("git_commit", { message: "one", allow_empty: true });
    const random = new Random(3);
    for (let round = 0; round < 10; round++) {
      const name = random.text(3, ["a", "ü", "-", "1", "'"]).replace(/^-+/, "");
      if (name === "") continue;
      const well = await git(root, ["check-ref-format", `refs/heads/${name}`], { good: [0, 1] })
        .then(() => said(root, ["branch", "--list", name]));
      if (well !== "") continue;
      const made: Loose = await call("git_branch", { action: "create", branch_name: name });
      assert(made.branches.some((one: Loose) => one.name === name), name);
    }
    const list: Loose = await call("git_branch", { action: "list" });
    const own = await said(root, [
      "for-each-ref",
      "--format=%(refname:short) %(objectname)",
      "refs/heads",
    ]);
    assertEquals(list.branches.map(({ name, hash }: Loose) => `${name} ${hash}`), own.split("\n"));
    assertEquals(list.current, "main");
    await git(root, ["checkout", "-qb", "topic"]);
    await call("git_commit", { message: "two", allow_empty: true });
    const tip = await said(root, ["rev-parse", "HEAD"]);
    await git(root, ["checkout", "-q", "main"]);
    const kept = await assertRejects(
      () => call("git_branch", { action: "delete", branch_name: "topic" }),
      ToolError,
    );
    assert(/1 of the commits/.test(kept.message), kept.message);
    const gone: Loose = await call("git_branch", {
      action: "delete",
      branch_name: "topic",
      force: true,
    });
    assertEquals(gone.deleted, { name: "topic", hash: tip });
    await call("git_branch", { action: "create", branch_name: "back", from: tip });
    assertEquals(await said(root, ["rev-parse", "back"]), tip);
    await call("git_branch", { action: "rename", branch_name: "back", new_name: "forth" });
    for (
      const args of [
        { action: "delete", branch_name: "main" },
        { action: "delete", branch_name: "nowhere" },
        { action: "create", branch_name: "forth" },
        { action: "rename", branch_name: "main", new_name: "forth" },
      ]
    ) await assertRejects(() => call("git_branch", args), ToolError);
    assertEquals(await said(root, ["rev-parse", "forth"]), tip);
  });
});

Deno.test("names are read back from what they are shown as", () => {
  const random = new Random(9);
  for (let round = 0; round < 2_000; round++) {
    const bytes = Uint8Array.from(
      { length: 1 + random.below(12) },
      () =>
        random.once(3) ? random.pick([0x22, 0x5c, 0xff, 0xc3, 0xa9, 0x0a]) : 1 + random.below(255),
    );
    assertEquals(bytesOf(nameOf(bytes)), bytes);
  }
});
