/** `git_worktree remove` that is killed in the middle: the next call ends it, where nobody has put anything in it. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { git, makeRepository, said } from "../../unit/tools/git/_history.ts";
import { Pipe, Workspace } from "../toolgate.ts";
import { exists, untilNoGit } from "./_cut_short.ts";

const POLICY = `version: 1
risk: { allow: dangerous, ask: dangerous }
paths:
  - { allow: [read, write], match: ["**"] }
  - { deny: [write], match: [".git/**"] }
commands: [{ allow: [git] }]
git: { identity: { name: Agent, email: agent@example.org } }
`;

const FILES = 1500;
const PLACE = ".toolgate/worktrees/apart";
const PART = ".git/worktrees/apart";
const NOTE = ".git/toolgate-moves";
const LOOKS = 1000;
const name = (at: number) => `d${at % 9}/f${at}`;
/** As an index has them. */
const NAMES = Array.from({ length: FILES }, (_, at) => name(at)).sort();

function filesIn(place: string): readonly string[] {
  return NAMES.filter((one) => exists(`${place}/${one}`));
}

/** Whether none is missing yet of those that go first or last, over and over for a moment: all are gone within few. */
function allOf(place: string): boolean {
  const [first, last] = [`${place}/${NAMES[0]}`, `${place}/${NAMES.at(-1)}`];
  for (let looks = 0; looks < LOOKS; looks++) {
    if (!exists(first) || !exists(last)) return false;
  }
  return true;
}

interface Ground {
  readonly root: string;
  readonly remove: () => Promise<{ readonly success: boolean; readonly message: string }>;
}

const ARGS = { action: "remove", path: PLACE };

/** Kills removals in a repository until one has left a worktree of which some files are gone and some are not. */
async function makeHalf(root: string, begin: () => Pipe): Promise<void> {
  await makeRepository(root);
  for (let at = 0; at < FILES; at++) {
    Deno.mkdirSync(`${root}/d${at % 9}`, { recursive: true });
    Deno.writeTextFileSync(`${root}/${name(at)}`, `${at}\n`);
  }
  await git(root, ["add", "--all"]);
  await git(root, ["commit", "-qm", "one"]);
  await git(root, ["repack", "-adq"]);
  await git(root, ["prune-packed"]);
  Deno.writeTextFileSync(`${root}/.git/info/exclude`, ".toolgate\n");
  const isHalf = () =>
    exists(`${root}/${NOTE}`) && exists(`${root}/${PLACE}/.git`) &&
    filesIn(`${root}/${PLACE}`).length > 0 && filesIn(`${root}/${PLACE}`).length < FILES;
  while (!isHalf()) {
    for (const path of [PLACE, PART, NOTE]) {
      if (exists(`${root}/${path}`)) Deno.removeSync(`${root}/${path}`, { recursive: true });
    }
    await git(root, ["worktree", "add", "-q", "-B", "apart", PLACE]);
    const pipe = begin();
    await pipe.ask({ id: 1, tool: "git_status", args: {} });
    await pipe.send({ id: 2, tool: "git_worktree", args: ARGS });
    let answered = false;
    const answer = pipe.next().then(() => answered = true, () => {});
    while (!answered && allOf(`${root}/${PLACE}`)) {
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    pipe.process.kill("SIGKILL");
    await pipe.process.status;
    await answer;
    await pipe.close();
    await untilNoGit(root);
  }
}

/**
 * Such a repository, as it was left, for each use: made once and copied to the very place where it was, with a note that was
 * made in it. One process goes on with all of them.
 */
async function withHalves(
  test: (onHalf: (use: (ground: Ground) => Promise<void>) => Promise<void>) => Promise<void>,
): Promise<void> {
  await using workspace = new Workspace({});
  const { root } = workspace;
  const begin = () => new Pipe(["--policy", workspace.policy(POLICY), "--quiet"], { cwd: root });
  await makeHalf(root, begin);
  const kept = `${workspace.base}/kept`;
  await copyAll(root, kept);
  const { birthtime } = Deno.statSync(`${root}/.git`);
  const pipe = begin();
  await test(async (use) => {
    for (const { name } of Deno.readDirSync(root)) {
      Deno.removeSync(`${root}/${name}`, { recursive: true });
    }
    await copyAll(kept, root);
    const now = Deno.statSync(`${root}/.git`).birthtime;
    const { mtime, atime } = Deno.statSync(`${kept}/${NOTE}`);
    const note = Deno.readTextFileSync(`${kept}/${NOTE}`);
    const born = note.replace(`"born":${birthtime?.getTime()}`, `"born":${now?.getTime()}`);
    assert(born !== note, note);
    Deno.writeTextFileSync(`${root}/${NOTE}`, born);
    Deno.utimeSync(`${root}/${NOTE}`, atime ?? 0, mtime ?? 0);
    await use({
      root,
      remove: async () => {
        const { success, error } = await pipe.ask({ id: 1, tool: "git_worktree", args: ARGS });
        return { success, message: JSON.stringify(error) };
      },
    });
  });
  assertEquals((await pipe.close()).status, 0);
}

/** With all times. */
async function copyAll(from: string, to: string): Promise<void> {
  Deno.mkdirSync(to, { recursive: true });
  const { success } = await new Deno.Command("cp", { args: ["-a", `${from}/.`, to] }).output();
  assert(success);
}

/** Nothing of it is left but its branch. */
async function assertGone(root: string, message: string): Promise<void> {
  const left = [PLACE, PART, NOTE].filter((path) => exists(`${root}/${path}`));
  assertEquals(left, [], message);
  assert(!(await said(root, ["worktree", "list"])).includes("apart"), message);
  await git(root, ["rev-parse", "--verify", "apart"]);
  assertEquals(await said(root, ["status", "--porcelain"]), "", message);
}

Deno.test("a worktree whose removal was killed", (t) =>
  withHalves(async (onHalf) => {
    await t.step(
      "a worktree whose removal was killed is removed by the next call, whatever of it is gone",
      async () => {
        for (
          const gone of [
            [],
            [`${PLACE}/.git`],
            [PLACE],
            [PLACE, `${PART}/gitdir`],
            [PLACE, `${PART}/HEAD`, `${PART}/index`],
          ]
        ) {
          await onHalf(async ({ root, remove }) => {
            for (const path of gone) Deno.removeSync(`${root}/${path}`, { recursive: true });
            const { message } = await remove();
            await assertGone(root, `${gone} ${message}`);
          });
        }
      },
    );

    await t.step(
      "what somebody has put in a worktree whose removal was killed stays, and is all that is told of it",
      async () => {
        for (const [file, text] of [["new", "work\n"], [name(1), "work\n"]] as const) {
          await onHalf(async ({ root, remove }) => {
            const place = `${root}/${PLACE}`;
            Deno.mkdirSync(`${place}/d1`, { recursive: true });
            Deno.writeTextFileSync(`${place}/${file}`, text);
            const { success, message } = await remove();
            assertEquals([success, Deno.readTextFileSync(`${place}/${file}`)], [false, text]);
            assertStringIncludes(message, `"left":[${JSON.stringify(`${PLACE}/${file}`)}]`);
            assertEquals((await said(place, ["status", "--porcelain"])).split("\n").length, 1);
            await git(place, ["add", "--all"]);
            await git(place, ["commit", "-qm", "work"]);
            assertEquals((await remove()).success, true);
            await assertGone(root, "once it was committed");
          });
        }
      },
    );

    await t.step(
      "what is staged or committed in a worktree whose removal was killed, and one that was locked, stays",
      async () => {
        const changes: readonly ((place: string) => Promise<unknown>)[] = [
          (place) => {
            Deno.writeTextFileSync(`${place}/new`, "work\n");
            return git(place, ["add", "new"]).then(() => Deno.removeSync(`${place}/new`));
          },
          (place) => git(place, ["commit", "-q", "--allow-empty", "-m", "work"]),
          (place) => git(place, ["worktree", "lock", place]),
        ];
        for (const change of changes) {
          await onHalf(async ({ root, remove }) => {
            const place = `${root}/${PLACE}`;
            const before = filesIn(place);
            await change(place);
            const { success } = await remove();
            assertEquals([success, exists(`${root}/${PART}/HEAD`)], [false, true]);
            assertEquals(filesIn(place), before);
          });
        }
      },
    );

    await t.step("a note of a removal that names another folder takes nothing away", async () => {
      for (const other of ["d1", ".", PART, ".toolgate", "../outside"]) {
        await onHalf(async ({ root, remove }) => {
          const note = Deno.readTextFileSync(`${root}/${NOTE}`);
          const forged = note.replace(`"place":"${PLACE}"`, `"place":${JSON.stringify(other)}`);
          assert(forged !== note);
          Deno.writeTextFileSync(`${root}/${NOTE}`, forged);
          const before = filesIn(`${root}/${PLACE}`);
          assertEquals((await remove()).success, false);
          assertEquals([filesIn(root).length, filesIn(`${root}/${PLACE}`)], [FILES, before]);
          assert(exists(`${root}/${PART}/gitdir`));
        });
      }
    });
  }));
