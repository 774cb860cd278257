/** What git tools look at changes nothing, what is denied is not committed, and what stands in the way is said. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { ToolError } from "../../../../src/core/errors.ts";
import { pathRule } from "../../policy/_fixtures.ts";
import { inWorkspace } from "../_real_workspace.ts";
import { git, makeRepository, said, stateOf } from "./_history.ts";
import { copyFolder, makeTemplate } from "./_hostile.ts";
import pushTool from "../../../../src/tools/git/git_push.ts";

// deno-lint-ignore no-explicit-any
type Loose = any;

/** Of git_diff it is the kernel's rules that keep git from refreshing its index, which nothing here holds. */
const PREVIEWS: readonly (readonly [string, Record<string, unknown>])[] = [
  ["git_status", {}],
  ["git_log", {}],
  ["git_show", { ref: "HEAD" }],
  ["git_add", { all: true }],
  ["git_commit", { message: "x" }],
  ["git_checkout", { branch_or_commit: "side" }],
  ["git_checkout", { branch_or_commit: "side", paths: ["a"] }],
  ["git_branch", { action: "delete", branch_name: "side", force: true }],
  ["git_stash", { action: "push" }],
  ["git_worktree", { action: "add", branch: "apart" }],
  ["git_push", { remote: "there", branch: "side" }],
];

Deno.test("a preview leaves every byte, where the index knows nothing of the files' times too", async () => {
  const outside = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    await makeTemplate(`${outside}/template`);
    await inWorkspace(async ({ root, call }) => {
      copyFolder(`${outside}/template`, `${root}/r`);
      const before = bytesBelow(`${root}/r`);
      for (const [name, args] of PREVIEWS) {
        const paths = args["paths"] === undefined ? {} : { paths: ["r/a"] };
        const shown: Loose = await call(name, { repository: "r", ...args, ...paths }, true);
        assertEquals(bytesBelow(`${root}/r`), before, name);
        // Files that were copied and not changed are nothing to be staged.
        if (name === "git_add") assertEquals(shown.staged, []);
      }
    }, {
      git: { hooks: null, filters: null, protocols: ["file"], worktrees: null, identity: null },
    });
  } finally {
    Deno.removeSync(outside, { recursive: true });
  }
});

function bytesBelow(folder: string): readonly string[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) => {
    const path = `${folder}/${name}`;
    if (isDirectory) return [path, ...bytesBelow(path)];
    return [`${path} ${new TextDecoder("latin1").decode(Deno.readFileSync(path))}`];
  }).sort();
}

Deno.test("a name that is no UTF-8 is denied as programs are denied it, byte by byte", async () => {
  await inWorkspace(async ({ root, call }) => {
    await makeRepository(root);
    const script =
      "for one in '\\342\\202.two' '\\377.two' '\\377.key'; do echo HUSH > \"$(printf \"$one\")\"; done";
    const made = await new Deno.Command("sh", { args: ["-c", script], cwd: root }).output();
    assert(made.success);
    const { staged }: Loose = await call("git_add", { all: true });
    assertEquals(staged, [String.raw`"\377.two"`]);
    const listed = await said(root, ["ls-files", "--stage", "--", "*.two", "*.key"]);
    assertEquals(listed.split("\n").length, 1);
  }, {
    paths: [
      pathRule("allow", ["**"], ["read", "write"]),
      pathRule("deny", ["**/??.two", "**/*.key"], ["read", "write"]),
    ],
  });
});

Deno.test("a denied file that is staged already is not committed, before the first commit either", async () => {
  await inWorkspace(async ({ root, call }) => {
    await makeRepository(root);
    Deno.writeTextFileSync(`${root}/secret.txt`, "HUSH\n");
    Deno.writeTextFileSync(`${root}/a`, "one\n");
    await git(root, ["add", "--all"]);
    const commits = [
      { message: "x" },
      { message: "x", allow_empty: true },
      { message: "x", amend: true },
    ];
    for (const args of commits.slice(0, 2)) {
      const error = await assertRejects(() => call("git_commit", args), ToolError);
      assertEquals([error.code, error.details?.["denied"]], ["PATH_DENIED", ["secret.txt"]]);
    }
    await git(root, ["commit", "-qm", "by somebody else"]);
    Deno.writeTextFileSync(`${root}/secret.txt`, "CHANGED\n");
    await git(root, ["add", "secret.txt"]);
    const before = await stateOf(root);
    for (const args of commits) {
      for (const preview of [false, true]) {
        const error = await assertRejects(() => call("git_commit", args, preview), ToolError);
        assertEquals(error.code, "PATH_DENIED");
      }
    }
    assertEquals(await stateOf(root), before);
    // What was committed before stays as it is, and may be taken away.
    await git(root, ["reset", "--quiet"]);
    Deno.writeTextFileSync(`${root}/a`, "two\n");
    await git(root, ["add", "a"]);
    await call("git_commit", { message: "two" });
    await git(root, ["rm", "--quiet", "--cached", "secret.txt"]);
    await call("git_commit", { message: "without it" });
    assertEquals(await said(root, ["ls-files"]), "a");
  }, { paths: [pathRule("allow", ["**"]), pathRule("deny", ["secret.txt"])] });
});

Deno.test("a lock that was left is named, with its age and what to do", async () => {
  await inWorkspace(async ({ root, call }) => {
    await makeRepository(root);
    Deno.writeTextFileSync(`${root}/a`, "one\n");
    Deno.writeTextFileSync(`${root}/.git/index.lock`, "");
    const then = new Date(Date.now() - 3_600_000);
    Deno.utimeSync(`${root}/.git/index.lock`, then, then);
    const error = await assertRejects(() => call("git_add", { all: true }), ToolError);
    assertEquals([error.code, error.details?.["lock"]], ["GIT_ERROR", ".git/index.lock"]);
    assert(/60 minutes old: .*delete that file/.test(error.message), error.message);
    Deno.removeSync(`${root}/.git/index.lock`);
    await call("git_add", { all: true });
  });
});

Deno.test("a push is as dangerous as what it can reach", () => {
  const riskOf = (force: boolean, protocols: readonly ("file" | "https")[]) => {
    const git = {
      hooks: "deny" as const,
      filters: [],
      protocols,
      worktrees: "w",
      identity: null,
      home: null,
    };
    const input = { repository: ".", remote: "origin", set_upstream: false, force };
    const needs = pushTool.capabilities(input, { cwd: ".", git });
    assert(!(needs instanceof Promise));
    return needs.flatMap((one) => one.kind === "process.spawn" ? one.own?.risk ?? [] : []);
  };
  assertEquals(riskOf(false, ["file"]), ["moderate"]);
  assertEquals(riskOf(true, ["file"]), ["dangerous"]);
  assertEquals(riskOf(false, ["file", "https"]), ["dangerous"]);
});

Deno.test("a folder that is not there is no other repository above it", async () => {
  await inWorkspace(async ({ root, call }) => {
    await makeRepository(root);
    Deno.mkdirSync(`${root}/packages/one`, { recursive: true });
    Deno.writeTextFileSync(`${root}/packages/one/a`, "one\n");
    for (
      const [repository, code] of [
        ["pakcages/one", "FILE_NOT_FOUND"],
        ["packages/one/a", "NOT_A_DIRECTORY"],
      ]
    ) {
      for (const [name, args] of [["git_status", {}], ["git_add", { all: true }]] as const) {
        const error = await assertRejects(() => call(name, { ...args, repository }), ToolError);
        assertEquals(error.code, code, error.message);
      }
    }
    assertEquals(await said(root, ["ls-files"]), "");
    const found: Loose = await call("git_add", { all: true, repository: "packages/one" });
    assertEquals(found.staged, ["packages/one/a"]);
  }, {});
});
