/** git_pull with strategy: rebase, beside `git pull --rebase`: the same commits, or nothing at all. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { ToolError } from "../../../../src/core/errors.ts";
import { Random } from "../../../random.ts";
import { pathRule } from "../../policy/_fixtures.ts";
import { inWorkspace, wayOf, type World } from "../_real_workspace.ts";
import { git, makeRepository, said, setAuthor, stateOf } from "./_history.ts";
import { copyFolder } from "./_hostile.ts";

// deno-lint-ignore no-explicit-any
type Loose = any;

const FILE = {
  git: { hooks: null, filters: null, protocols: ["file"], worktrees: null, identity: null },
} as const;
const REBASE = { repository: "mine", strategy: "rebase" };

/** `theirs` and `mine` begin with one commit of files with many lines, and `mine` has the other as its origin. */
async function makePair(root: string): Promise<readonly [string, string]> {
  const [theirs, mine] = [`${root}/theirs`, `${root}/mine`] as const;
  await makeRepository(theirs);
  for (const name of ["a", "b", "c"]) {
    Deno.writeTextFileSync(
      `${theirs}/${name}`,
      Array.from({ length: 30 }, (_, line) => `${line}\n`).join(""),
    );
  }
  await git(theirs, ["add", "--all"]);
  await git(theirs, ["commit", "-qm", "base"]);
  await git(root, ["clone", "--quiet", "theirs", "mine"]);
  setAuthor(mine);
  return [theirs, mine];
}

async function commit(at: string, message: string, author = "Ada <ada@example.org>") {
  await git(at, ["add", "--all"]);
  await git(at, ["commit", "-q", "--allow-empty", `--author=${author}`, "-m", message]);
}

function changeLine(file: string, line: number, text: string): void {
  const lines = Deno.readTextFileSync(file).split("\n");
  lines[line] = text;
  Deno.writeTextFileSync(file, lines.join("\n"));
}

/** What a rebase must keep of a history: all but who made it anew, and when. */
const LOG = ["log", "--format=%T %an <%ae> %ad %e %B", "--date=raw"];

async function makeParted(theirs: string, mine: string, random: Random): Promise<void> {
  const name = () => ["a", "b", "c"][random.below(3)]!;
  for (let turn = 0; turn < 3; turn++) {
    // The halves of the files are far from one another, but for one change in eight.
    changeLine(`${theirs}/${name()}`, random.below(8) === 0 ? 25 : random.below(10), `t${turn}`);
    await commit(theirs, `theirs ${turn}`, "Bob <bob@example.org>");
    if (random.below(4) === 0) await commit(mine, `empty ${turn}`);
    if (random.below(3) === 0) {
      // The same change on both sides, once.
      for (const at of [theirs, mine]) {
        Deno.writeTextFileSync(`${at}/both${turn}`, "the same\n");
        await commit(at, "both");
      }
    }
    if (random.below(3) === 0) Deno.writeTextFileSync(`${mine}/new ${turn}`, `${turn}\n`);
    const there = () =>
      [...Deno.readDirSync(mine)].map(({ name }) => name)
        .filter((name) => /^(?:a|b|c|moved\d)$/.test(name)).sort();
    const [, moved] = there();
    if (random.below(4) === 0) Deno.renameSync(`${mine}/${moved}`, `${mine}/moved${turn}`);
    const names = there();
    changeLine(`${mine}/${names[random.below(names.length)]}`, 18 + random.below(10), `m${turn}`);
    await commit(mine, `mine ${turn}\n\nof several\nlines: ü`, "Cleo <cleo@example.org>");
  }
}

Deno.test("a rebase makes the commits that git makes, or refuses where git stops", async () => {
  const outcomes = new Map<string, number>();
  let way = 0;
  await inWorkspace(async ({ root, call }) => {
    const own = way++;
    for (let seed = 8; seed < 16; seed++) {
      if (wayOf(seed) !== own) continue;
      const at = `${root}/${seed}`;
      Deno.mkdirSync(at);
      const [theirs, mine] = await makePair(at);
      await makeParted(theirs, mine, new Random(seed));
      const args = { repository: `${seed}/mine`, strategy: "rebase" };
      const control = `${at}/control`;
      await new Deno.Command("cp", { args: ["-a", mine, control] }).output();
      await git(control, ["pull", "--quiet", "--rebase"], { good: [0, 1, 128] });
      const stopped = [...Deno.readDirSync(`${control}/.git`)]
        .some(({ name }) => name === "rebase-merge");
      const before = [await stateOf(mine), await said(mine, ["count-objects"])];
      if (stopped) {
        const error = await assertRejects(() => call("git_pull", args), ToolError);
        assertEquals(error.code, "MERGE_CONFLICT", `${seed}: ${error.message}`);
        assertEquals([await stateOf(mine), await said(mine, ["count-objects"])], before, `${seed}`);
        outcomes.set("stopped", (outcomes.get("stopped") ?? 0) + 1);
        continue;
      }
      const head = await said(mine, ["rev-parse", "HEAD"]);
      const will: Loose = await call("git_pull", args, true);
      assertEquals([await stateOf(mine), await said(mine, ["count-objects"])], before, `${seed}`);
      const made: Loose = await call("git_pull", args);
      assertEquals(will.files_changed, made.files_changed);
      assertEquals([made.from, made.to], [head, await said(mine, ["rev-parse", "HEAD"])]);
      assertEquals(await said(mine, LOG), await said(control, LOG), `${seed}`);
      assertEquals((await stateOf(mine)).slice(2), (await stateOf(control)).slice(2), `${seed}`);
      assertEquals(await said(mine, ["status", "--porcelain"]), "");
      assertEquals(await said(mine, ["rev-parse", "ORIG_HEAD"]), head);
      await git(mine, ["fsck", "--strict"]);
      const gone = made.rebased.some(({ to }: Loose) => to === null) ? "dropped" : "kept";
      outcomes.set(gone, (outcomes.get(gone) ?? 0) + 1);
    }
  }, FILE);
  for (const outcome of ["stopped", "dropped", "kept"]) {
    assert((outcomes.get(outcome) ?? 0) > 0, JSON.stringify([...outcomes]));
  }
});

/** What is refused, and why: nothing has changed then, no object either. */
const REFUSED: readonly (readonly [
  string,
  (mine: string) => Promise<void> | void,
  string,
  RegExp,
])[] = [
  ["a denied file of theirs", () => {}, "PATH_DENIED", /shut\/x/],
  [
    "something staged",
    async (mine) => {
      Deno.writeTextFileSync(`${mine}/staged`, "x\n");
      await git(mine, ["add", "staged"]);
    },
    "GIT_ERROR",
    /staged, of which what is there is not committed/,
  ],
  [
    "a changed file",
    (mine) => Deno.writeTextFileSync(`${mine}/a`, "mine\n"),
    "GIT_ERROR",
    /\ba, of which/,
  ],
  [
    "an unknown file where theirs has one",
    (mine) => Deno.writeTextFileSync(`${mine}/fresh`, "mine\n"),
    "GIT_ERROR",
    /fresh, of which/,
  ],
  [
    "a merge of this side",
    async (mine) => {
      await git(mine, ["checkout", "-qb", "side", "HEAD~1"]);
      await commit(mine, "aside");
      await git(mine, ["checkout", "-q", "main"]);
      await git(mine, ["merge", "-q", "--no-edit", "side"]);
    },
    "GIT_ERROR",
    /is a merge/,
  ],
  [
    "a history of its own",
    async (mine) => {
      await git(mine, ["checkout", "-q", "--orphan", "other"]);
      await commit(mine, "begin");
      await git(mine, ["branch", "-M", "main"]);
    },
    "GIT_ERROR",
    /no commit in common/,
  ],
  [
    "a rebase that is under way",
    (mine) => Deno.mkdirSync(`${mine}/.git/rebase-merge`),
    "GIT_ERROR",
    /under way/,
  ],
  [
    "a program that merges",
    async (mine) => {
      changeLine(`${mine}/a`, 20, "mine");
      await commit(mine, "mine, of a file of theirs");
      await git(mine, ["config", "merge.evil.driver", "false"]);
      Deno.writeTextFileSync(`${mine}/.git/info/attributes`, "a merge=evil\n");
    },
    "GIT_ERROR",
    /merge\.evil\.driver/,
  ],
];

async function partedPair(root: string, denied: boolean): Promise<string> {
  const [theirs, mine] = await makePair(root);
  changeLine(`${theirs}/a`, 3, "theirs");
  Deno.writeTextFileSync(`${theirs}/fresh`, "theirs\n");
  if (denied) {
    Deno.mkdirSync(`${theirs}/shut`);
    Deno.writeTextFileSync(`${theirs}/shut/x`, "theirs\n");
  }
  await commit(theirs, "theirs");
  changeLine(`${mine}/b`, 20, "mine");
  await commit(mine, "mine");
  return mine;
}

Deno.test("what a rebase would lose, write or not understand is refused before anything changes", async () => {
  let way = 0;
  await inWorkspace(async ({ root, call }) => {
    const own = way++;
    const pairs = new Map<boolean, string>();
    for (const [index, [what, prepare, code, message]] of REFUSED.entries()) {
      if (wayOf(index) !== own) continue;
      const denied = code === "PATH_DENIED";
      const pair = pairs.get(denied) ?? await partedPair(`${root}/${denied}`, denied);
      pairs.set(denied, pair);
      const repository = `${index}`;
      const mine = `${root}/${repository}`;
      copyFolder(pair, mine);
      // The index knows times and numbers of files that were copied.
      await git(mine, ["update-index", "-q", "--refresh"]);
      await prepare(mine);
      const before = [await stateOf(mine), await said(mine, ["count-objects"])];
      for (const preview of [true, false]) {
        const args = { ...REBASE, repository };
        const error = await assertRejects(() => call("git_pull", args, preview), ToolError);
        assertEquals(error.code, code, `${what}: ${error.message}`);
        assert(message.test(error.message), `${what}: ${error.message}`);
      }
      assertEquals([await stateOf(mine), await said(mine, ["count-objects"])], before, what);
    }
  }, {
    ...FILE,
    paths: [pathRule("allow", ["**"]), pathRule("deny", ["**/shut/**"], ["write"])],
  });
});

Deno.test("a rebase leaves what is changed elsewhere, and signatures behind", async () => {
  await inWorkspace(async ({ root, call }: World) => {
    const mine = await partedPair(root, false);
    const raw = new TextDecoder().decode(await git(mine, ["cat-file", "commit", "HEAD"]));
    const signed = raw.replace("\n\n", "\ngpgsig -----BEGIN\n -----END\nencoding ISO-8859-1\n\n");
    const bytes = new TextEncoder().encode(signed);
    const made = await git(mine, ["hash-object", "-t", "commit", "-w", "--stdin"], {
      input: bytes,
    });
    await git(mine, ["reset", "-q", "--hard", new TextDecoder().decode(made).trim()]);
    Deno.writeTextFileSync(`${mine}/c`, "changed and not committed\n");
    Deno.writeTextFileSync(`${mine}/unknown`, "nobody's\n");
    const done: Loose = await call("git_pull", REBASE);
    assertEquals(done.rebased.length, 1);
    assertEquals(Deno.readTextFileSync(`${mine}/c`), "changed and not committed\n");
    assertEquals(Deno.readTextFileSync(`${mine}/unknown`), "nobody's\n");
    const now = await said(mine, ["cat-file", "commit", "HEAD"]);
    assert(!now.includes("gpgsig") && !now.includes("-----END"), now);
    assert(now.includes("\nencoding ISO-8859-1\n\nmine"), now);
    assertEquals(await said(mine, ["diff", "--name-only"]), "c");
  }, FILE);
});
