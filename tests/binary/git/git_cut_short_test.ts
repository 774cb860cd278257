/** Git tools that are killed in the middle: the next call goes on, and nobody's work is lost for it. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { git, makeRepository, said, stateOf } from "../../unit/tools/git/_history.ts";
import { copyFolder } from "../../unit/tools/git/_hostile.ts";
import { Pipe, Workspace } from "../toolgate.ts";
import { exists, untilNoGit } from "./_cut_short.ts";

const POLICY = `version: 1
risk: { allow: dangerous, ask: dangerous }
paths:
  - { allow: [read, write], match: ["**"] }
  - { deny: [write], match: [".git/**"] }
commands: [{ allow: [git] }]
git: { identity: { name: Agent, email: agent@example.org }, protocols: [file] }
timeouts: { default: 60s }
`;

const FILES = 300;
const name = (at: number) => `d${at % 7}/f${at}`;

type Call = readonly [tool: string, args: Record<string, unknown>];

/** `main` and `side`, which change many files, delete some and have some of their own; of nobody: `mine`. */
async function makeBranches(root: string): Promise<void> {
  await makeRepository(root);
  const write = (at: number, text: string) => {
    Deno.mkdirSync(`${root}/d${at % 7}`, { recursive: true });
    Deno.writeTextFileSync(`${root}/${name(at)}`, text.repeat(200));
  };
  const commit = async (message: string) => {
    await git(root, ["add", "--all"]);
    await git(root, ["commit", "-qm", message]);
  };
  for (let at = 0; at < FILES; at++) write(at, `one ${at}\n`);
  await commit("one");
  await git(root, ["checkout", "-qb", "side"]);
  for (let at = 0; at < FILES; at++) {
    if (at % 3 === 0) Deno.removeSync(`${root}/${name(at)}`);
    if (at % 3 === 1) write(at, `side ${at}\n`);
    if (at % 3 === 2) write(at + FILES, `side ${at}\n`);
  }
  await commit("side");
  await git(root, ["checkout", "-q", "main"]);
  Deno.writeTextFileSync(`${root}/only`, "main\n");
  await commit("main");
  Deno.writeTextFileSync(`${root}/mine`, "untracked\n");
}

/** Work of somebody on files that `side` leaves as they are. */
function edit(root: string): void {
  for (let at = 2; at < FILES; at += 3) {
    Deno.writeTextFileSync(`${root}/${name(at)}`, `work ${at}\n`.repeat(300));
  }
}

interface Ground {
  readonly workspace: Workspace;
  readonly root: string;
  readonly begin: (policy?: string) => Pipe;
}

/** Makes workspaces with the same repository in them. */
async function withGrounds(
  test: (onGround: (use: (ground: Ground) => Promise<void>) => Promise<void>) => Promise<void>,
): Promise<void> {
  const template = Deno.makeTempDirSync();
  try {
    await makeBranches(template);
    await test(async (use) => {
      await using workspace = new Workspace({});
      const { root } = workspace;
      copyFolder(template, root);
      await git(root, ["update-index", "-q", "--refresh"]);
      const begin = (policy = POLICY) =>
        new Pipe(["--policy", workspace.policy(policy), "--quiet"], { cwd: root });
      await use({ workspace, root, begin });
    });
  } finally {
    Deno.removeSync(template, { recursive: true });
  }
}

/** Kills the process of the call once git holds its index, and some moments later; whether it was there yet. */
async function killed(
  { root, begin }: Ground,
  [tool, args]: Call,
  later: number,
): Promise<boolean> {
  const pipe = begin();
  assertEquals(
    await pipe.ask({ id: 1, tool: "git_status", args: {} }).then(({ error }) => error),
    null,
  );
  await pipe.send({ id: 2, tool, args });
  let answered = false;
  const answer = pipe.next().then(() => answered = true, () => {});
  const lock = `${root}/.git/${tool === "git_worktree" ? "worktrees/apart/" : ""}index.lock`;
  while (!answered && !exists(lock)) await new Promise((resolve) => setTimeout(resolve, 0));
  await new Promise((resolve) => setTimeout(resolve, later));
  pipe.process.kill("SIGKILL");
  await pipe.process.status;
  await answer;
  await pipe.close();
  await untilNoGit(root);
  return answered;
}

/** Nothing is left of it, and nothing is lost. */
async function assertWhole(root: string, of: string): Promise<void> {
  await git(root, ["fsck", "--strict"]);
  const left = [...Deno.readDirSync(`${root}/.git`)].map(({ name }) => name)
    .filter((name) =>
      name.endsWith(".lock") || name.startsWith("toolgate") || name === "MERGE_HEAD"
    );
  assertEquals(left, [], of);
  assertEquals(Deno.readTextFileSync(`${root}/mine`), "untracked\n", of);
}

const status = async (root: string) =>
  (await said(root, ["status", "--porcelain"])).split("\n").filter((line) =>
    line !== "?? mine" && line !== ""
  );

const WORKTREE: Call = ["git_worktree", {
  action: "add",
  branch: "apart",
  path: ".toolgate/worktrees/apart",
}];

/** Whole, and nobody's. */
async function isMade(root: string): Promise<boolean> {
  const place = `${root}/.toolgate/worktrees/apart`;
  const list = await said(root, ["worktree", "list", "--porcelain"]);
  return list.includes(`worktree ${place}\n`) && !list.includes("locked") &&
    await said(place, ["status", "--porcelain"]) === "" &&
    await said(place, ["branch", "--show-current"]) === "apart";
}

/** What is prepared for each, and what is true once it was done. */
const CALLS: readonly (readonly [
  call: Call,
  prepare: (root: string) => Promise<void> | void,
  isDone: (root: string) => Promise<boolean>,
])[] = [
  [
    ["git_checkout", { branch_or_commit: "side" }],
    () => {},
    async (root) => await said(root, ["branch", "--show-current"]) === "side",
  ],
  [
    ["git_merge", { branch: "side" }],
    () => {},
    async (root) => await said(root, ["rev-list", "--count", "--merges", "HEAD"]) === "1",
  ],
  [
    ["git_merge", { branch: "side" }],
    async (root) => void await git(root, ["reset", "-q", "--hard", "main~1"]),
    async (root) => await said(root, ["log", "-1", "--format=%s"]) === "side",
  ],
  [
    ["git_pull", { remote: "there", branch: "side", strategy: "rebase" }],
    async (root) => {
      await git(root, ["clone", "-q", "--bare", ".", ".git/there.git"]);
      await git(root, ["clone", "-q", "--bare", ".", "mine.git"]);
      await git(root, ["remote", "add", "there", "mine.git"]);
      Deno.writeTextFileSync(`${root}/.git/info/exclude`, "mine.git\n");
    },
    async (root) => await said(root, ["log", "-2", "--format=%s"]) === "main\nside",
  ],
  [
    ["git_stash", { action: "push" }],
    edit,
    async (root) =>
      (await said(root, ["stash", "list"])) !== "" && (await status(root)).length === 0,
  ],
  [
    ["git_stash", { action: "pop" }],
    async (root) => {
      edit(root);
      await git(root, ["stash", "-q"]);
    },
    async (root) =>
      (await said(root, ["stash", "list"])) === "" && (await status(root)).length === FILES / 3,
  ],
  [
    ["git_add", { all: true }],
    (root) => {
      edit(root);
      Deno.writeTextFileSync(`${root}/.git/info/exclude`, "mine\n");
    },
    async (root) => (await status(root)).every((line) => line.startsWith("M ")),
  ],
  [
    ["git_commit", { message: "work" }],
    async (root) => {
      edit(root);
      await git(root, ["add", "--update"]);
    },
    async (root) => await said(root, ["log", "-1", "--format=%s"]) === "work",
  ],
  [
    WORKTREE,
    (root) => Deno.writeTextFileSync(`${root}/.git/info/exclude`, ".toolgate\n"),
    isMade,
  ],
];

Deno.test("git tools that are killed in the middle: the next call does it, whatever was done of it", async () => {
  let cut = 0;
  await withGrounds(async (onGround) => {
    for (const [at, [call, prepare, isDone]] of CALLS.entries()) {
      for (const later of [0, 3, 12]) {
        await onGround(async (ground) => {
          const { root, begin } = ground;
          await prepare(root);
          const of = `${at} ${JSON.stringify(call)} ${later}`;
          await killed(ground, call, later);
          if (exists(`${root}/.git/${NOTE}`)) cut++;
          const tip = await said(root, ["rev-parse", "HEAD"]);
          const [tool, args] = call;
          const pipe = begin();
          const { success, error } = await pipe.ask({ id: 1, tool, args });
          await pipe.close();
          assert(success || await isDone(root), `${of}: ${JSON.stringify(error)}`);
          assert(await isDone(root), of);
          await assertWhole(root, of);
          await git(root, ["cat-file", "-e", tip]);
          if (["git_checkout", "git_merge", "git_pull"].includes(tool)) {
            assertEquals(await status(root), [], of);
          }
        });
      }
    }
  });
  assert(cut >= CALLS.length, `${cut} were in the middle`);
});

const NOTE = "toolgate-moves";
const CHECKOUT: Call = ["git_checkout", { branch_or_commit: "side" }];

/** A checkout of which a part is done, whose lock is there. */
async function cutShort(ground: Ground): Promise<void> {
  const { root } = ground;
  const isCut = async () => {
    const half = await status(root);
    return exists(`${root}/.git/index.lock`) && exists(`${root}/.git/${NOTE}`) &&
      half.some((line) => line.startsWith(" M d1/")) && half.length < FILES;
  };
  for (let tries = 0; tries < 20; tries++) {
    await killed(ground, CHECKOUT, tries % 10);
    if (await isCut()) return;
    const pipe = ground.begin();
    await pipe.ask({ id: 1, tool: "git_checkout", args: { branch_or_commit: "main" } });
    await pipe.close();
  }
  throw new Error("it was never in the middle");
}

async function checkout({ begin }: Ground, more: Record<string, unknown> = {}, policy?: string) {
  const [tool, args] = CHECKOUT;
  const pipe = begin(policy);
  const answer = await pipe.ask({ id: 1, tool, args, ...more });
  await pipe.close();
  return answer;
}

Deno.test("what somebody makes of files that a killed checkout has left stays, and so does what he stages", async () => {
  await withGrounds(async (onGround) => {
    await onGround(async (ground) => {
      const { root } = ground;
      await cutShort(ground);
      const half = (await status(root)).map((line) => line.slice(3));
      const [gone = "", changed = ""] = [
        half.find((path) => !exists(`${root}/${path}`)),
        half.find((path) => exists(`${root}/${path}`) && !path.endsWith("/")),
      ];
      // One that was deleted has other contents now, one that was changed more of them.
      Deno.mkdirSync(`${root}/${gone.split("/")[0]}`, { recursive: true });
      Deno.writeTextFileSync(`${root}/${gone}`, "work\n");
      Deno.writeTextFileSync(`${root}/${changed}`, "more\n", { append: true });
      const kept = Deno.readTextFileSync(`${root}/${changed}`);
      const before = await stateOf(root);
      const preview = await checkout(ground, { preview: true });
      assertEquals(
        [preview.success, await stateOf(root)],
        [false, before],
        "a preview takes nothing back",
      );
      const { error } = await checkout(ground);
      assertEquals(error?.code, "GIT_ERROR");
      assertEquals(error?.details?.in_the_way, [gone, changed].sort());
      assertEquals(Deno.readTextFileSync(`${root}/${gone}`), "work\n");
      assertEquals(Deno.readTextFileSync(`${root}/${changed}`), kept);
      // All else is as it was before the call that was killed.
      assertEquals(
        (await status(root)).map((line) => line.slice(3)).sort(),
        [gone, changed].sort(),
      );
      await assertWhole(root, "after the refusal");
      await git(root, ["checkout", "-q", "--", gone, changed]);
      assertEquals((await checkout(ground)).error, null);
      assertEquals(await status(root), []);
    });
    await onGround(async (ground) => {
      const { root } = ground;
      Deno.writeTextFileSync(`${root}/staged`, "new\n");
      await git(root, ["add", "staged"]);
      await cutShort(ground);
      assertEquals((await checkout(ground)).error, null);
      assertEquals(await status(root), ["A  staged"]);
      await assertWhole(root, "with a staged file");
    });
  });
});

Deno.test("a lock is taken away where it is a killed call's alone: not a person's, not an open one, not a later one", async () => {
  await withGrounds(async (onGround) => {
    await onGround(async (ground) => {
      const { root } = ground;
      const lock = `${root}/.git/index.lock`;
      const stays = async (why: string) => {
        const before = await stateOf(root);
        const { error } = await checkout(ground);
        assertStringIncludes(error?.message ?? "", "index.lock is there", why);
        assertEquals([exists(lock), await stateOf(root)], [true, before], why);
      };
      // A person's git, as far as anybody can tell.
      Deno.writeTextFileSync(lock, "");
      await stays("without a note");
      Deno.removeSync(lock);
      await cutShort(ground);
      const open = Deno.openSync(lock, { write: true });
      await stays("somebody writes it");
      open.close();
      const { mtime } = Deno.statSync(lock);
      Deno.utimeSync(lock, new Date(), new Date(Date.now() + 86_400_000));
      await stays("later than the call can have been");
      Deno.utimeSync(lock, mtime ?? 0, mtime ?? 0);
      const held = new Deno.Command("flock", {
        args: [`${root}/.git`, "sh", "-c", "echo held; exec cat"],
        stdin: "piped",
        stdout: "piped",
      }).spawn();
      const reader = held.stdout.getReader();
      await reader.read();
      await stays("somebody holds the repository");
      await reader.cancel();
      await held.stdin.close();
      await held.status;
      // The control.
      assertEquals((await checkout(ground)).error, null);
      await assertWhole(root, "at last");
    });
  });
});

Deno.test("a note that came with a repository from elsewhere changes nothing, and none writes what the policy denies", async () => {
  await withGrounds(async (onGround) => {
    await onGround(async (ground) => {
      await cutShort(ground);
      await onGround(async (other) => {
        Deno.removeSync(`${other.root}/.git`, { recursive: true });
        copyFolder(`${ground.root}/.git`, `${other.root}/.git`);
        assert(exists(`${other.root}/.git/${NOTE}`));
        // As the one that was killed left it; nothing of it is taken back here.
        Deno.writeTextFileSync(`${other.root}/${name(1)}`, "side 1\n".repeat(200));
        const { error } = await checkout(other);
        assertStringIncludes(error?.message ?? "", "index.lock is there");
        assertStringIncludes(Deno.readTextFileSync(`${other.root}/${name(1)}`), "side");
      });
      const { root } = ground;
      const half = (await status(root)).map((line) => line.slice(3));
      const denied = half.filter((path) => path.startsWith("d1/"));
      assert(denied.length > 0 && denied.length < half.length);
      const policy = POLICY.replace('".git/**"]', '".git/**", "d1/**"]');
      const { error } = await checkout(ground, {}, policy);
      assertEquals(error?.code, "PATH_DENIED");
      assertEquals((await status(root)).map((line) => line.slice(3)), denied);
    });
  });
});

Deno.test("a call whose time is over in the middle is taken back by the next; one that goes on is left alone", async () => {
  await withGrounds(async (onGround) => {
    await onGround(async (ground) => {
      const { root } = ground;
      for (let ms = 40; ms < 400; ms += 20) {
        const { error } = await checkout(ground, { timeout_ms: ms });
        if (error === null) break;
        assertEquals(error.code, "TIMEOUT");
        await git(root, ["fsck", "--connectivity-only"]);
      }
      assertEquals((await checkout(ground)).error, null);
      await assertWhole(root, "after a time that was over");
      assertEquals([await status(root), await said(root, ["branch", "--show-current"])], [
        [],
        "side",
      ]);
    });
    await onGround(async (ground) => {
      const { root, begin } = ground;
      const [first, second] = [begin(), begin()];
      for (const pipe of [first, second]) {
        await pipe.ask({ id: 1, tool: "git_status", args: {} });
      }
      const [tool, args] = CHECKOUT;
      for (const branch_or_commit of ["side", "main", "side"]) {
        await first.send({ id: 2, tool, args: { ...args, branch_or_commit } });
        const answer = first.next();
        let over = false;
        void answer.then(() => over = true);
        while (!over) {
          const { success, error } = await second.ask({
            id: 3,
            tool: "git_add",
            args: { all: true },
          });
          assert(success || error?.code === "GIT_ERROR", JSON.stringify(error));
        }
        assertEquals((await answer)?.error, null);
        await second.ask({ id: 4, tool: "git_add", args: { all: true } });
        await git(root, ["reset", "-q"]);
        assertEquals(await status(root), []);
      }
      for (const pipe of [first, second]) await pipe.close();
    });
  });
});

Deno.test("a worktree whose making was killed is taken away and made again, but not where somebody has put something", async () => {
  await withGrounds(async (onGround) => {
    for (const [file, text] of [[null, ""], ["new", "work\n"], [name(1), "work\n"]] as const) {
      await onGround(async (ground) => {
        const { root, begin } = ground;
        const place = `${root}/.toolgate/worktrees/apart`;
        Deno.writeTextFileSync(`${root}/.git/info/exclude`, ".toolgate\n");
        // As one that is being made is locked; a git that it had started may have ended its own part of it.
        const isCut = () => exists(`${root}/.git/worktrees/apart/locked`);
        for (let tries = 0; tries < 20 && !isCut(); tries++) {
          await git(root, ["worktree", "remove", "-f", "-f", place], { good: [0, 128] });
          await git(root, ["branch", "-D", "apart"], { good: [0, 1] });
          await killed(ground, WORKTREE, 0);
        }
        assert(isCut(), "it was never in the middle");
        if (file !== null) {
          Deno.mkdirSync(`${place}/d1`, { recursive: true });
          Deno.writeTextFileSync(`${place}/${file}`, text);
        }
        const [tool, args] = WORKTREE;
        const pipe = begin();
        const { error } = await pipe.ask({ id: 1, tool, args });
        await pipe.close();
        assertEquals(error?.code ?? null, file === null ? null : "FILE_EXISTS", `${file}`);
        if (file === null) return assert(await isMade(root));
        assertEquals(Deno.readTextFileSync(`${place}/${file}`), text);
      });
    }
  });
});
