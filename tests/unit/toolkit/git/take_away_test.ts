/** Worktrees of which the making or the removal was cut short: what comes there after they were looked at stays. */

import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { ToolError } from "../../../../src/core/errors.ts";
import type { Hold, ToolContext } from "../../../../src/core/tool.ts";
import { dropHalfMade, takeBack } from "../../../../src/toolkit/git/half_made.ts";
import { dropHalfRemoved } from "../../../../src/toolkit/git/half_removed.ts";
import { openRepository } from "../../../../src/toolkit/git/repository.ts";
import { git, makeRepository, said } from "../../tools/git/_history.ts";
import { inWorkspace, type World } from "../../tools/_real_workspace.ts";

const APART = ".toolgate/worktrees/apart";
const PART = ".git/worktrees/apart";
const FILES = ["a", "folder/b", "folder/deep/c"];
const LARGE = "large\n".repeat(1000);
const HOLD: Hold = {
  isLeftAlone: () => true,
  mayBeHeld: () => false,
  write: () => true,
  remove: () => {},
  release: () => {},
};

function isThere(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

/** A worktree of which one file is gone and one is half written; `made`: as git has it while it makes one. */
async function makeHalf(root: string, made: boolean): Promise<string> {
  await makeRepository(root);
  for (const name of FILES) {
    Deno.mkdirSync(`${root}/${name}`.replace(/\/[^/]*$/, ""), { recursive: true });
    Deno.writeTextFileSync(`${root}/${name}`, name === "a" ? LARGE : "one\n");
  }
  Deno.writeTextFileSync(`${root}/.gitignore`, "*.log\n.toolgate\n");
  await git(root, ["add", "--all"]);
  await git(root, ["commit", "-qm", "one"]);
  await git(root, ["worktree", "add", "-q", "-b", "apart", APART]);
  Deno.removeSync(`${root}/${APART}/folder/b`);
  Deno.truncateSync(`${root}/${APART}/a`, 100);
  if (made) {
    Deno.removeSync(`${root}/${PART}/index`);
    Deno.writeTextFileSync(`${root}/${PART}/locked`, "initializing");
  }
  return await said(root, ["rev-parse", "HEAD"]);
}

/** By what git takes files away. */
const TAKING = ["-u", "clean", "remove"];

/** Just before git is started to take files away for the first time somebody has written there. */
function meanwhile(context: ToolContext, write: () => void): ToolContext {
  const { processes } = context;
  let isWritten = false;
  return {
    ...context,
    timeoutMs: context.timeoutMs,
    processes: {
      ...processes,
      runOwn: (...[argv, ...more]: Parameters<typeof processes.runOwn>) => {
        if (!isWritten && TAKING.some((word) => argv.includes(word))) {
          isWritten = true;
          write();
        }
        return processes.runOwn(argv, ...more);
      },
    },
  };
}

const DROPS = {
  made: async (context: ToolContext, hash: string) => {
    const repository = await openRepository("git_worktree", context, ".");
    await dropHalfMade(repository, context, { place: APART, branch: "apart", hash }, HOLD);
  },
  removed: async (context: ToolContext, hash: string) => {
    const repository = await openRepository("git_worktree", context, ".");
    await dropHalfRemoved(repository, context, { place: APART, folder: PART, hash }, HOLD);
  },
};

async function drop(
  way: keyof typeof DROPS,
  { root, during }: World,
  hash: string,
  write: () => void,
): Promise<void> {
  // In the folder of a worktree others may be made.
  const args = { action: "remove", path: APART };
  await during("git_worktree", args, (context) => DROPS[way](meanwhile(context, write), hash));
  await git(root, ["fsck", "--strict"]);
}

for (const way of ["made", "removed"] as const) {
  Deno.test(`a worktree that was half ${way} goes, with files that are half written and empty folders`, () =>
    inWorkspace(async (world) => {
      const { root } = world;
      const hash = await makeHalf(root, way === "made");
      Deno.mkdirSync(`${root}/${APART}/empty/within`, { recursive: true });
      await drop(way, world, hash, () => {});
      assertEquals([APART, PART].filter((path) => isThere(`${root}/${path}`)), []);
      const branches = await said(root, ["branch", "--format=%(refname:short)"]);
      assertEquals(branches.split("\n"), way === "made" ? ["main"] : ["apart", "main"]);
    }));

  Deno.test(`what comes into a worktree that was half ${way} after the look stays, with all of it`, () =>
    inWorkspace(async (world) => {
      const { root } = world;
      const place = `${root}/${APART}`;
      const hash = await makeHalf(root, way === "made");
      // Ignored: git itself would say that nothing is there.
      const late = ["late.log", "folder/late.log", "new/late.log"];
      const write = () => {
        for (const name of late) {
          Deno.mkdirSync(`${place}/${name}`.replace(/\/[^/]*$/, ""), { recursive: true });
          Deno.writeTextFileSync(`${place}/${name}`, "nowhere else\n");
        }
      };
      await drop(way, world, hash, write);
      for (const name of late) {
        assertEquals(Deno.readTextFileSync(`${place}/${name}`), "nowhere else\n");
      }
      const texts = FILES.map((name) => Deno.readTextFileSync(`${place}/${name}`));
      assertEquals(texts, [LARGE, "one\n", "one\n"]);
      assertEquals(await said(place, ["status", "--porcelain"]), "");
      assertEquals(await said(place, ["branch", "--show-current"]), "apart");
      // It can be removed as any.
      for (const name of late) Deno.removeSync(`${place}/${name}`);
      await world.call("git_worktree", { action: "remove", path: APART });
      assertEquals([APART, PART].filter((path) => isThere(`${root}/${path}`)), []);
    }));

  Deno.test(`a recorded file that somebody changes after the look at a worktree half ${way} stays`, () =>
    inWorkspace(async (world) => {
      const { root } = world;
      const place = `${root}/${APART}`;
      const hash = await makeHalf(root, way === "made");
      const write = () => Deno.writeTextFileSync(`${place}/folder/deep/c`, "work that is long\n");
      await drop(way, world, hash, write);
      assertEquals(Deno.readTextFileSync(`${place}/folder/deep/c`), "work that is long\n");
      assertEquals(Deno.readTextFileSync(`${place}/folder/b`), "one\n");
    }));
}

/** Of a process that is gone, which nothing but a mark beside it tells of. */
async function takenBack({ root, during }: World): Promise<boolean> {
  const args = { action: "remove", path: APART };
  const isGone = await during("git_worktree", args, async (context) => {
    const repository = await openRepository("git_worktree", context, ".");
    return await takeBack(repository, context, { place: APART, branch: "apart" });
  });
  await git(root, ["fsck", "--strict"]);
  return isGone;
}

Deno.test("a worktree that a process that is gone had begun is taken back, and its branch is not", () =>
  inWorkspace(async (world) => {
    const { root } = world;
    for (const laid of ["half", "whole"]) {
      if (laid === "half") await makeHalf(root, true);
      else await git(root, ["worktree", "add", "-q", APART, "apart"]);
      assertEquals([laid, await takenBack(world)], [laid, true]);
      assertEquals([APART, PART].filter((path) => isThere(`${root}/${path}`)), []);
      assertEquals(await said(root, ["branch", "--format=%(refname:short)"]), "apart\nmain");
    }
    assertEquals(await takenBack(world), true);
  }));

Deno.test("the lock of the git that laid a worktree out goes with it, or before it is made whole, but not while anybody has it open", async () => {
  let taken = 0;
  await inWorkspace(async (world) => {
    const { root } = world;
    const lock = `${root}/${PART}/index.lock`;
    await makeHalf(root, true);
    const file = Deno.openSync(lock, { write: true, create: true });
    await assertRejects(() => takenBack(world), ToolError, "index.lock");
    file.close();
    Deno.writeTextFileSync(`${root}/${APART}/mine`, "mine\n");
    try {
      assertEquals(await takenBack(world), false);
    } catch (error) {
      // Nobody can tell where the kernel's own calls are not to be had: it is named.
      assertStringIncludes(String(error), "index.lock");
      return;
    }
    assertEquals([isThere(lock), Deno.readTextFileSync(`${root}/${APART}/a`)], [false, LARGE]);
    Deno.removeSync(`${root}/${APART}/mine`);
    Deno.writeTextFileSync(lock, "");
    assertEquals(await takenBack(world), true);
    taken++;
  });
  assertEquals(taken, 1);
});

Deno.test("what somebody has put, staged or committed in a worktree that was begun stays, with all of it", async () => {
  const rows: readonly (readonly [string, (place: string) => Promise<void> | void, string])[] = [
    ["a file", (place) => Deno.writeTextFileSync(`${place}/new.log`, "mine\n"), ""],
    ["a change", (place) => Deno.writeTextFileSync(`${place}/a`, "mine\n"), " M a"],
    ["a stage", async (place) => {
      await git(place, ["reset", "-q", "--hard"]);
      Deno.writeTextFileSync(`${place}/staged`, "mine\n");
      await git(place, ["add", "staged"]);
      Deno.removeSync(`${place}/staged`);
    }, "A  staged"],
    ["a commit", async (place) => {
      await git(place, ["reset", "-q", "--hard"]);
      await git(place, ["checkout", "-q", "--detach"]);
      await git(place, ["commit", "-q", "--allow-empty", "-m", "mine"]);
    }, ""],
  ];
  for (const [what, put, status] of rows) {
    await inWorkspace(async (world) => {
      const { root } = world;
      const place = `${root}/${APART}`;
      await makeHalf(root, true);
      await put(place);
      const head = await said(place, ["rev-parse", "HEAD"]);
      assertEquals([what, await takenBack(world)], [what, false]);
      assertEquals([what, await said(place, ["rev-parse", "HEAD"])], [what, head]);
      assertEquals([what, await said(place, ["status", "--porcelain"])], [what, status]);
      assertEquals(isThere(`${root}/${PART}/locked`), false, what);
      if (what === "a file") assertEquals(Deno.readTextFileSync(`${place}/new.log`), "mine\n");
      if (what === "a change") assertEquals(Deno.readTextFileSync(`${place}/a`), "mine\n");
    });
  }
});
