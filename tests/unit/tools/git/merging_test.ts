/** git_merge: what it says before is what git then does, and what git alone would have done. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { ToolError } from "../../../../src/core/errors.ts";
import { pathRule } from "../../policy/_fixtures.ts";
import { Random } from "../../../random.ts";
import { inWorkspace } from "../_real_workspace.ts";
import { contentsOf, git, makeRepository, said, stateOf } from "./_history.ts";

// deno-lint-ignore no-explicit-any
type Loose = any;

const FILES = ["a", "b", "two words", "new\nline", "folder/c", "folder/d", "ünï"];

/** Two branches of one beginning that change, remove, add and move files, at random. */
async function makeBranches(root: string, seed: number): Promise<void> {
  const random = new Random(seed);
  await makeRepository(root);
  Deno.mkdirSync(`${root}/folder`);
  const lines = (name: string) => Array.from({ length: 30 }, (_, line) => `${name} ${line}\n`);
  for (const name of FILES) Deno.writeTextFileSync(`${root}/${name}`, lines(name).join(""));
  Deno.mkdirSync(`${root}/closed`);
  Deno.writeTextFileSync(`${root}/${UNREAD}`, "one\n");
  await git(root, ["add", "--all"]);
  await git(root, ["commit", "-qm", "base"]);
  for (const branch of ["side", "main"]) {
    if (branch === "side") await git(root, ["checkout", "-qb", "side"]);
    else await git(root, ["checkout", "-q", "main"]);
    for (const name of FILES) {
      const choice = random.below(8);
      const changed = lines(name).with(random.below(30), `${branch}\n`).join("");
      if (choice < 3) Deno.writeTextFileSync(`${root}/${name}`, changed);
      else if (choice === 3) Deno.removeSync(`${root}/${name}`);
      else if (choice === 4) Deno.renameSync(`${root}/${name}`, `${root}/${name} of ${branch}`);
      else if (choice === 5) Deno.writeTextFileSync(`${root}/added ${random.below(3)}`, changed);
    }
    await git(root, ["add", "--all"]);
    await git(root, ["commit", "-qm", branch, "--allow-empty"]);
  }
  // Git puts aside what it merges beside, for which it reads it.
  if (seed % 2 === 1) Deno.writeTextFileSync(`${root}/${UNREAD}`, "two\n");
}

/** Git knows it, and the tools may not read it. */
const UNREAD = "closed/x";

/** What git knows of a merge that is under way, and where HEAD was before. */
function underWay(root: string): readonly string[] {
  return ["MERGE_HEAD", "MERGE_MODE", "MERGE_MSG", "ORIG_HEAD", "AUTO_MERGE"].map((name) => {
    try {
      return Deno.readTextFileSync(`${root}/.git/${name}`);
    } catch {
      return `no ${name}`;
    }
  });
}

/** Every file below, git's own too. Of an object that is there already git may freshen the time (object-file.c). */
function bytesBelow(root: string): readonly string[] {
  return [...Deno.readDirSync(root)].flatMap(({ name, isDirectory }) => {
    const path = `${root}/${name}`;
    if (isDirectory) return [path, ...bytesBelow(path)];
    const time = path.includes("/objects/") ? 0 : Deno.lstatSync(path).mtime?.getTime();
    return [`${path} ${time} ${Deno.readFileSync(path).join()}`];
  }).sort();
}

Deno.test("git_merge says what will be, writes nothing for that, and does what git does", async () => {
  const seeds = [41, 42, 43, 44, 45, 46];
  const seen = { clean: 0, conflicts: 0 };
  await inWorkspace(async ({ root, call }) => {
    for (const seed of seeds.splice(0, 3)) {
      const repository = `r${seed}`;
      const [ours, theirs] = [`${root}/${repository}`, `${root}/git${seed}`];
      await makeBranches(ours, seed);
      await makeBranches(theirs, seed);
      const before = bytesBelow(ours);
      const shown: Loose = await call("git_merge", { repository, branch: "side" }, true);
      assertEquals(bytesBelow(ours), before);
      await git(theirs, ["merge", "-q", "--no-edit", "side"], { good: [0, 1] });
      const state = async (at: string) => [
        ...contentsOf(at),
        // Of trees with other marks the hashes differ.
        ...underWay(at).map((text, index) => index === 4 ? text.length : text),
        await said(at, ["reflog", "--format=%P", "HEAD"]),
        (await said(at, ["ls-files", "--stage", "-z"])).split("\0").sort(),
      ];
      if (shown.merged) {
        seen.clean++;
        const made: Loose = await call("git_merge", { repository, branch: "side" });
        assertEquals([made.merged, made.files_changed], [true, shown.files_changed]);
        assertEquals(made.hash, await said(ours, ["rev-parse", "HEAD"]));
        assertEquals(
          await said(ours, ["log", "-1", "--format=%P %s"]),
          await said(theirs, ["log", "-1", "--format=%P %s"]),
        );
        await git(ours, ["fsck", "--strict"]);
      } else {
        seen.conflicts++;
        const error = await assertRejects(
          () => call("git_merge", { repository, branch: "side" }),
          ToolError,
        );
        assertEquals(error.code, "MERGE_CONFLICT", error.message);
        assertEquals((error.output as Loose).conflicts, shown.conflicts);
      }
      const marks = (lines: unknown) =>
        JSON.stringify(lines).replaceAll(/(<<<<<<<|>>>>>>>) [^\\]*/g, "$1");
      assertEquals(marks(await state(ours)), marks(await state(theirs)));
      if (!shown.merged) {
        const back: Loose = await call("git_merge", { repository, abort: true });
        const left = seed % 2 === 1 ? ` M ${UNREAD}` : "";
        assertEquals([back.aborted, await said(ours, ["status", "--porcelain"])], [true, left]);
        assertEquals(underWay(ours).filter((text) => !text.startsWith("no ")).length, 1);
      }
    }
  }, { paths: [pathRule("allow", ["**"]), pathRule("deny", ["**/closed/**"])] });
  assert(seen.clean > 0 && seen.conflicts > 0, JSON.stringify(seen));
});

Deno.test("git_merge goes forward, makes commits where told to, and refuses with what stands in the way", async () => {
  await inWorkspace(async ({ root, call }) => {
    await makeRepository(root);
    const write = (name: string, text: string) => Deno.writeTextFileSync(`${root}/${name}`, text);
    Deno.mkdirSync(`${root}/shut`);
    for (const name of ["a", "b", "shut/x"]) write(name, "one\n");
    await git(root, ["add", "--all"]);
    await git(root, ["commit", "-qm", "one"]);
    const branch = async (name: string, path: string, text: string) => {
      await git(root, ["checkout", "-qb", name, "main"]);
      write(path, text);
      await git(root, ["add", "--all"]);
      await git(root, ["commit", "-qm", name]);
      await git(root, ["checkout", "-q", "main"]);
    };
    await branch("forward", "b", "forward\n");
    await branch("denied", "shut/x", "denied\n");
    await branch("other", "a", "other\n");
    const same: Loose = await call("git_merge", { branch: "main" });
    assertEquals([same.merged, same.files_changed], [true, 0]);
    const before = await stateOf(root);
    const denied = await assertRejects(() => call("git_merge", { branch: "denied" }), ToolError);
    assertEquals(denied.code, "PATH_DENIED", denied.message);
    write("b", "mine\n");
    const dirty = await assertRejects(() => call("git_merge", { branch: "forward" }), ToolError);
    assertEquals(dirty.details?.in_the_way, ["b"]);
    write("b", "one\n");
    assertEquals(await stateOf(root), before);
    const went: Loose = await call("git_merge", { branch: "forward", strategy: "ff_only" });
    assertEquals([went.fast_forward, went.hash], [
      true,
      await said(root, ["rev-parse", "forward"]),
    ]);
    const parted = await assertRejects(
      () => call("git_merge", { branch: "other", strategy: "ff_only" }),
      ToolError,
    );
    assert(/no fast-forward/.test(parted.message), parted.message);
    write("new", "staged\n");
    await git(root, ["add", "new"]);
    const staged = await assertRejects(() => call("git_merge", { branch: "other" }), ToolError);
    assertEquals(staged.details?.in_the_way, ["new"]);
    await git(root, ["rm", "-q", "--cached", "new"]);
    const well = await stateOf(root);
    const deniedMerge = await assertRejects(
      () => call("git_merge", { branch: "denied" }),
      ToolError,
    );
    assertEquals(deniedMerge.code, "PATH_DENIED", deniedMerge.message);
    assertEquals(await stateOf(root), well);
    await git(root, ["config", "branch.main.mergeOptions", "--squash"]);
    const made: Loose = await call("git_merge", { branch: "other", message: "both\n\nof them" });
    assertEquals([made.merged, made.fast_forward], [true, false]);
    assertEquals(await said(root, ["log", "-1", "--format=%B"]), "both\n\nof them\n");
    assertEquals((await said(root, ["log", "-1", "--format=%P"])).split(" ").length, 2);
    await branch("next", "b", "next\n");
    const kept: Loose = await call("git_merge", { branch: "next", strategy: "no_ff" });
    assertEquals([kept.merged, kept.fast_forward], [true, false]);
    const none = await assertRejects(() => call("git_merge", { abort: true }), ToolError);
    assert(/no merge is under way/.test(none.message), none.message);
  }, { paths: [pathRule("allow", ["**"]), pathRule("deny", ["shut/**"], ["write"])] });
});

Deno.test("a program that merges stands in the way of what both sides changed of its files, and of nothing else", async () => {
  const marker = Deno.makeTempFileSync();
  try {
    await inWorkspace(async ({ root, call }) => {
      await makeRepository(root);
      const write = (name: string, changed: number) =>
        Deno.writeTextFileSync(
          `${root}/${name}`,
          Array.from({ length: 30 }, (_, line) => `${line === changed ? "changed" : line}\n`).join(
            "",
          ),
        );
      for (const name of ["a", "b", "c.lock"]) write(name, -1);
      await git(root, ["add", "--all"]);
      await git(root, ["commit", "-qm", "base"]);
      for (const [branch, name, line] of [["one", "a", 3], ["both", "c.lock", 3]] as const) {
        await git(root, ["checkout", "-qb", branch, "main"]);
        write(name, line);
        await git(root, ["commit", "-qam", branch]);
      }
      await git(root, ["checkout", "-q", "main"]);
      for (const name of ["a", "c.lock"]) write(name, 25);
      await git(root, ["commit", "-qam", "main"]);
      const settings = `${root}/.git/config`;
      const plain = Deno.readTextFileSync(settings);
      const driver = `${plain}[merge "own"]\ndriver = "echo ran > ${marker}"\n`;
      for (
        const [way, text, attributes, refused] of [
          ["by an attribute", driver, "*.lock merge=own\n", ["both"]],
          ["by default", `${driver}[merge]\ndefault = own\n`, "", ["one", "both"]],
          ["by nothing", driver, "*.lock merge=another\n", []],
        ] as const
      ) {
        Deno.writeTextFileSync(settings, text);
        Deno.writeTextFileSync(`${root}/.git/info/attributes`, attributes);
        for (const branch of ["one", "both"] as const) {
          const before = bytesBelow(root);
          for (const preview of [true, false]) {
            const merging = () => call("git_merge", { branch }, preview);
            if (refused.some((name) => name === branch)) {
              const error = await assertRejects(merging, ToolError);
              assertEquals([error.code, way], ["GIT_ERROR", way]);
              assert(error.message.includes("merge.own.driver"), error.message);
              assertEquals(bytesBelow(root), before, `${way} ${branch}`);
            } else {
              const done: Loose = await merging();
              assertEquals([done.merged, done.conflicts], [true, []], `${way} ${branch}`);
            }
          }
          if (refused.every((name) => name !== branch)) {
            await git(root, ["-c", "merge.default=text", "reset", "-q", "--hard", "HEAD^"]);
          }
        }
        assertEquals(Deno.readTextFileSync(marker), "", way);
      }
    }, {});
  } finally {
    Deno.removeSync(marker);
  }
});
