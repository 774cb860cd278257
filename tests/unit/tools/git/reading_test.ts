/** The git tools that look, against git itself on histories that are hard to read. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { ToolError } from "../../../../src/core/errors.ts";
import { bytesOf, nameOf } from "../../../../src/toolkit/git/names.ts";
import { pathRule } from "../../policy/_fixtures.ts";
import { inWorkspace } from "../_real_workspace.ts";
import { git, makeHistory, makeRepository, said } from "./_history.ts";

const SEEDS = [1, 2, 3, 4];

// deno-lint-ignore no-explicit-any
type Loose = any;

/** `name status -z` of git as a sorted list of `letter path`. */
function pairs(bytes: Uint8Array): readonly string[] {
  const parts = new TextDecoder().decode(bytes).split("\0").slice(0, -1);
  return parts.flatMap((part, index) => index % 2 === 0 ? [`${part[0]} ${parts[index + 1]}`] : [])
    .sort();
}

const LETTERS: Readonly<Record<string, string>> = {
  added: "A",
  modified: "M",
  deleted: "D",
  type_changed: "T",
};

/** What the tools say, with each rename taken apart as git does with --no-renames. */
function apart(files: readonly Loose[]): readonly string[] {
  return files.flatMap(({ path, from, change }) => {
    const name = nameToText(path);
    if (change === "renamed") return [`D ${nameToText(from)}`, `A ${name}`];
    return [`${change === "copied" ? "A" : LETTERS[change]} ${name}`];
  }).sort();
}

function nameToText(name: string): string {
  return new TextDecoder().decode(bytesOf(name));
}

Deno.test("git_status says what git says, on generated histories", async () => {
  let way = 0;
  await inWorkspace(async ({ root, call }) => {
    const own = way++;
    for (const seed of SEEDS.filter((_, at) => at % 2 === own)) {
      const folder = `r${seed}`;
      await makeHistory(`${root}/${folder}`, seed);
      const at = `${root}/${folder}`;
      const status: Loose = await call("git_status", { repository: folder });
      const cut = (list: readonly Loose[]) =>
        list.map((entry) => ({
          ...entry,
          path: below(entry.path),
          ...(entry.from === undefined ? {} : { from: below(entry.from) }),
        }));
      const below = (path: string) => nameOf(bytesOf(path).subarray(folder.length + 1));
      assertEquals(
        apart(cut(status.staged)),
        pairs(await git(at, ["diff", "--cached", "--name-status", "-z", "--no-renames"])),
      );
      assertEquals(
        apart(cut(status.unstaged)),
        pairs(await git(at, ["diff", "--name-status", "-z", "--no-renames"])),
      );
      const others = new TextDecoder().decode(
        await git(at, ["ls-files", "--others", "--directory", "-z"]),
      );
      assertEquals(
        status.untracked.map((path: string) => nameToText(below(path))).sort(),
        others.split("\0").slice(0, -1).sort(),
      );
      assertEquals([status.branch, status.detached], ["main", false]);
      assertEquals(status.hash, await said(at, ["rev-parse", "HEAD"]));
    }
  });
});

Deno.test("git_log, git_diff and git_show say what git says, on generated histories", async () => {
  let way = 0;
  await inWorkspace(async ({ root, call }) => {
    const own = way++;
    for (const seed of SEEDS.slice(0, 2).filter((_, at) => at === own)) {
      const repository = `r${seed}`;
      const at = `${root}/${repository}`;
      await makeHistory(at, seed);
      const log: Loose = await call("git_log", { repository, limit: 3 });
      assertEquals(
        log.commits.map(({ hash }: Loose) => hash),
        (await said(at, ["log", "-3", "--format=%H"])).split("\n"),
      );
      assertEquals(log.truncated, true);
      assertEquals(log.commits[0].body, `with a body\nof ${seed} lines`);
      assertEquals(log.commits[0].author, { name: "Ada", email: "ada@example.org" });
      assert(log.commits[0].refs.includes("main"), JSON.stringify(log.commits[0].refs));
      const patch = ["diff", "--find-renames"];
      const diff: Loose = await call("git_diff", { repository });
      assertEquals(diff.diff, await text(at, [...patch]));
      const staged: Loose = await call("git_diff", { repository, staged: true });
      assertEquals(staged.diff, await text(at, [...patch, "--cached"]));
      const range: Loose = await call("git_diff", { repository, from: "HEAD~2", to: "HEAD" });
      assertEquals(range.diff, await text(at, [...patch, "HEAD~2", "HEAD"]));
      const lines = (await said(at, ["diff", "--numstat", "-z", "HEAD~2", "HEAD"])).match(
        /(?:^|\0)\d+\t\d+\t/g,
      );
      assertEquals(range.files.length, lines?.length ?? 0);
      const shown: Loose = await call("git_show", { repository, ref: "HEAD~1" });
      assertEquals(
        shown.diff,
        await text(at, ["show", "--format=", "--find-renames", "HEAD~1"]),
      );
    }
  });
});

const FILES = 10_000;

/** Ten thousand files in one commit, then hundreds of changes of each kind, some of them staged. */
async function makeLarge(root: string): Promise<void> {
  await makeRepository(root);
  const name = (file: number) => `folder ${file % 97}/file${file}.txt`;
  const text = (file: number) => `of ${file}\n${"a line that many have\n".repeat(5)}`;
  const entries = Array.from({ length: FILES }, (_, file) => {
    const bytes = text(file);
    return `M 100644 inline "${name(file)}"\ndata ${bytes.length}\n${bytes}`;
  });
  const commit = "commit refs/heads/main\ncommitter a <a@b> 1700000000 +0000\ndata 3\none";
  await git(root, ["fast-import", "--quiet"], {
    input: new TextEncoder().encode(`${commit}\n${entries.join("\n")}\n`),
  });
  await git(root, ["reset", "-q", "--hard"]);
  const at = (file: number) => `${root}/${name(file)}`;
  for (let file = 0; file < FILES; file += 50) {
    Deno.renameSync(at(file), `${at(file)} moved`);
    Deno.removeSync(at(file + 1));
    Deno.writeTextFileSync(at(file + 2), "changed\n");
    Deno.chmodSync(at(file + 3), 0o755);
    if (file === FILES / 2) await git(root, ["add", "--all"]);
  }
}

Deno.test("ten thousand files, with a submodule among them, are what git says they are", async () => {
  await inWorkspace(async ({ root, call }) => {
    const at = `${root}/large`;
    await makeLarge(at);
    await makeRepository(`${root}/other`);
    await git(`${root}/other`, ["commit", "-q", "--allow-empty", "-m", "one"]);
    const add = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "../other"];
    await git(at, add);
    await git(at, ["commit", "-qm", "two"]);
    await git(`${at}/other`, ["-c", "user.name=a", "-c", "user.email=a@b", ...MOVE_ON]);
    Deno.writeTextFileSync(`${at}/other/unknown`, "of the submodule\n");
    const before: Loose = await call("git_diff", { repository: "large", staged: true });
    assertEquals(before.files, []);
    await git(at, ["rm", "-q", "--cached", "other"]);
    const removed: Loose = await call("git_diff", { repository: "large", staged: true });
    assertEquals(removed.files.map(({ path }: Loose) => path), ["large/other"]);
    const gone: Loose = await call("git_status", { repository: "large" });
    assertEquals(gone.staged, [{ path: "large/other", change: "deleted" }]);
    await git(at, ["reset", "-q", "--", "other"]);
    await git(at, ["add", "other"]);
    const moved: Loose = await call("git_status", { repository: "large" });
    assertEquals([moved.staged, moved.clean], [
      [{ path: "large/other", change: "modified" }],
      false,
    ]);
    await git(at, ["reset", "-q", "--", "other"]);
    const status: Loose = await call("git_status", { repository: "large" });
    const cut = (list: readonly Loose[]) =>
      list.map((one) => one.path.slice("large/".length)).sort();
    const names = async (words: readonly string[]) =>
      new TextDecoder().decode(await git(at, words)).split("\0").slice(0, -1).sort();
    const others = await names(["ls-files", "--others", "--exclude-standard", "-z"]);
    assertEquals(cut(status.untracked.map((path: string) => ({ path }))), others);
    const changed = ["diff", "--name-only", "-z", "--no-renames", "--ignore-submodules=all"];
    assertEquals(cut(status.unstaged), await names(changed));
    assertEquals([status.staged, status.truncated], [[], false]);
    assertEquals(status.unstaged.length > 300 && others.length > 50, true);
    const diff: Loose = await call("git_diff", { repository: "large", from: "HEAD~1", to: "HEAD" });
    const told = new TextDecoder().decode(
      await git(at, ["diff", "--name-status", "-z", "--no-renames", "HEAD~1", "HEAD"]),
    );
    assertEquals(
      apart(diff.files.map((one: Loose) => ({
        ...one,
        path: one.path.slice("large/".length),
        ...(one.from === undefined ? {} : { from: one.from.slice("large/".length) }),
      }))),
      pairs(new TextEncoder().encode(told)),
    );
    assertEquals(diff.diff.includes("Subproject commit"), true);
    const all: Loose = await call("git_add", { repository: "large", all: true }, true);
    assertEquals(all.staged.length > 300, true);
  });
});

/** A submodule that has gone on is a change of who has it, which the tools do not look at. */
const MOVE_ON = ["commit", "-q", "--allow-empty", "-m", "two"];

async function text(root: string, words: readonly string[]): Promise<string> {
  return new TextDecoder().decode(await git(root, ["-c", "core.quotePath=false", ...words]));
}

Deno.test("an unborn branch, a detached head and a merge in conflict are what they are", async () => {
  await inWorkspace(async ({ root, call }) => {
    await makeRepository(root);
    const unborn: Loose = await call("git_status", {});
    assertEquals([unborn.branch, unborn.hash, unborn.clean], ["main", null, true]);
    assertEquals(await call("git_log", {}), { commits: [], truncated: false });
    Deno.writeTextFileSync(`${root}/a`, "one\n");
    await git(root, ["add", "a"]);
    await git(root, ["commit", "-qm", "one"]);
    await git(root, ["checkout", "-qb", "side"]);
    Deno.writeTextFileSync(`${root}/a`, "side\n");
    await git(root, ["commit", "-qam", "side"]);
    await git(root, ["checkout", "-q", "main"]);
    Deno.writeTextFileSync(`${root}/a`, "main\n");
    await git(root, ["commit", "-qam", "main"]);
    await git(root, ["merge", "side"], { good: [1] });
    const merging: Loose = await call("git_status", {});
    assertEquals([merging.operation, merging.conflicted], ["merge", ["a"]]);
    const diff: Loose = await call("git_diff", {});
    assertEquals(diff.files.map(({ change }: Loose) => change), ["conflicted"]);
    await git(root, ["merge", "--abort"]);
    await git(root, ["checkout", "-q", "--detach"]);
    const detached: Loose = await call("git_status", {});
    assertEquals([detached.branch, detached.detached], [null, true]);
  });
});

Deno.test("names that are no UTF-8 come back, and what they come back as names them", async () => {
  let named = 0;
  await inWorkspace(async ({ root, call }) => {
    await makeRepository(root);
    const hash = new TextDecoder().decode(
      await git(root, ["hash-object", "-w", "--stdin"], { input: bytesOf("x\n") }),
    ).trim();
    const entry = [...bytesOf(`100644 ${hash}\t`), 0x63, 0xe9, 0x22, 0xff, 0];
    await git(root, ["update-index", "-z", "--index-info"], { input: Uint8Array.from(entry) });
    const staged: Loose = await call("git_diff", { staged: true });
    assertEquals(staged.files[0].path, '"c\\351\\"\\377"');
    await git(root, ["commit", "-qm", "one"]);
    const status: Loose = await call("git_status", {});
    assertEquals(status.unstaged, [{ path: '"c\\351\\"\\377"', change: "deleted" }]);
    const name = '"c\\351\\"\\377"';
    assertEquals(((await call("git_add", { files: [name] })) as Loose).staged, [name]);
    assertEquals(await said(root, ["ls-files"]), "");
    await git(root, ["reset", "-q"]);
    // The runtime hands programs texts alone.
    if (named === 1) {
      const error = await assertRejects(() => call("git_diff", { paths: [name] }), ToolError);
      assertEquals(error.code, "INVALID_ENCODING");
      return;
    }
    named++;
    const diff: Loose = await call("git_diff", { paths: [name] });
    assertEquals(diff.files.map(({ path }: Loose) => path), [name]);
    const log: Loose = await call("git_log", { path: name });
    assertEquals(log.commits.length, 1);
    const shown: Loose = await call("git_show", { ref: "HEAD", path: name });
    assertEquals(shown.content, "x\n");
    await call("git_checkout", { branch_or_commit: "HEAD", paths: [name] });
    assertEquals((await call("git_status", {})).clean, true);
    assertEquals(await said(root, ["ls-files"]), name);
  });
});

Deno.test("what the policy denies is named and not shown, whichever way it is asked for", async () => {
  await inWorkspace(async ({ root, call }) => {
    await makeRepository(root);
    Deno.writeTextFileSync(`${root}/open.txt`, "one\n");
    Deno.writeTextFileSync(`${root}/secret.txt`, "HUSH\n".repeat(20));
    await git(root, ["add", "--all"]);
    await git(root, ["commit", "-qm", "one"]);
    await git(root, ["mv", "secret.txt", "told.txt"]);
    await git(root, ["commit", "-qm", "two"]);
    Deno.writeTextFileSync(`${root}/open.txt`, "two\n");
    Deno.writeTextFileSync(`${root}/secret.txt`, "HUSH again\n");
    const answers = [
      await call("git_diff", { from: "HEAD~1" }),
      await call("git_show", { ref: "HEAD~1" }),
      await call("git_status", {}),
      await call("git_add", { all: true }),
      await call("git_diff", { staged: true }),
    ];
    const [diff, shown, status, added] = answers as readonly Loose[];
    assertEquals(diff.left_out, ["secret.txt"]);
    // What was renamed from it is a file like any other, and shown as a new one.
    assertEquals(diff.files.map(({ change }: Loose) => change), ["modified", "added"]);
    assertEquals(shown.left_out, ["secret.txt"]);
    assert(!shown.diff.includes("HUSH"), shown.diff);
    assertEquals(status.left_out, ["secret.txt"]);
    assertEquals(added, { staged: ["open.txt"], left_out: ["secret.txt"] });
    for (
      const [name, args] of [
        ["git_add", { files: ["secret.txt"] }],
        ["git_add", { files: ["./secret.txt"] }],
        ["git_add", { files: ['"secret\\056txt"'] }],
        ["git_diff", { paths: ["secret.txt"] }],
        ["git_show", { ref: "HEAD~1", path: "secret.txt" }],
        ["git_show", { ref: "HEAD~1", path: "open.txt/../secret.txt" }],
        ["git_log", { path: "secret.txt" }],
      ] as const
    ) {
      const error = await assertRejects(() => call(name, args), ToolError);
      assert(
        ["PATH_DENIED", "INVALID_ARGUMENTS"].includes(error.code),
        `${name}: ${error.message}`,
      );
    }
    // By the hash of what it holds there is no way to it either.
    const blob = await said(root, ["rev-parse", "HEAD~1:secret.txt"]);
    for (const ref of [blob, "HEAD~1:secret.txt", ":secret.txt", "HEAD~1^{tree}"]) {
      await assertRejects(() => call("git_show", { ref }), ToolError);
      await assertRejects(() => call("git_diff", { from: ref }), ToolError);
    }
  }, {
    paths: [
      pathRule("allow", ["**"]),
      pathRule("deny", ["secret.txt"], ["read", "write"]),
    ],
  });
});
