/** Git tools that are killed in the middle: the next call goes on, and nobody's work is lost for it. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { git, said, stateOf } from "../../unit/tools/git/_history.ts";
import { copyFolder } from "../../unit/tools/git/_hostile.ts";
import {
  asked,
  type Call,
  edit,
  FILES,
  type Ground,
  name,
  POLICY,
  SHUT,
  withGrounds,
} from "./_cut_ground.ts";
import { exists } from "./_cut_short.ts";
import { HeldFile } from "./_held_file.ts";

const NOTE = "toolgate-moves";

/** Where git reads an object of the repository, by its name. */
const objectOf = (name: string) => async (root: string): Promise<string> => {
  const hash = await said(root, ["rev-parse", "--verify", name]);
  return `${root}/.git/objects/${hash.slice(0, 2)}/${hash.slice(2)}`;
};
const file = (path: string) => (root: string) => `${root}/${path}`;

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
    line !== "?? mine" && line !== "" && line !== ` M ${SHUT}`
  );

const addWorktree = ({ place }: Ground): Call => [
  "git_worktree",
  { action: "add", branch: "apart", path: place },
];

/** Whole, and nobody's. */
async function isMade({ root, place }: Ground): Promise<boolean> {
  const folder = `${root}/../${place}`;
  const list = await said(root, ["worktree", "list", "--porcelain"]);
  return list.includes(`worktree ${Deno.realPathSync(folder)}\n`) && !list.includes("locked") &&
    await said(folder, ["status", "--porcelain"]) === "" &&
    await said(folder, ["branch", "--show-current"]) === "apart";
}

/** Of files that are changed by `side`, and by {@linkcode edit}: in the middle of the others. */
const [CHANGED, EDITED] = [name(22), name(20)];

interface Row {
  readonly call: Call | ((ground: Ground) => Call);
  readonly prepare?: (root: string) => Promise<void> | void;
  /** Files that its gits come to, each in the middle of something else: there it is killed. */
  readonly at: readonly ((root: string) => string | Promise<string>)[];
  /** Whether it changes a repository elsewhere, of whose locks nobody can tell whose they are. */
  readonly elsewhere?: true;
  /** What is true once it was done. */
  readonly isDone: (ground: Ground) => Promise<boolean>;
}

/** Where working files are half written, and where they are whole but HEAD or a ref is not moved yet, of each tool. */
const ROWS: readonly Row[] = [
  {
    call: ["git_checkout", { branch_or_commit: "side" }],
    at: [objectOf(`side:${CHANGED}`), file(".git/logs/HEAD")],
    isDone: async ({ root }) => await said(root, ["branch", "--show-current"]) === "side",
  },
  {
    call: ["git_merge", { branch: "side" }],
    at: [objectOf(`side:${CHANGED}`), file(".git/logs/HEAD")],
    isDone: async ({ root }) =>
      await said(root, ["rev-list", "--count", "--merges", "HEAD"]) === "1",
  },
  {
    // Git cannot put it aside, so the merge goes in steps.
    call: ["git_merge", { branch: "side" }],
    prepare: (root) => Deno.writeTextFileSync(`${root}/${SHUT}`, "two\n"),
    at: [objectOf(`side:${CHANGED}`), file(".git/logs/HEAD")],
    isDone: async ({ root }) =>
      await said(root, ["rev-list", "--count", "--merges", "HEAD"]) === "1" &&
      Deno.readTextFileSync(`${root}/${SHUT}`) === "two\n",
  },
  {
    call: ["git_merge", { branch: "side" }],
    prepare: async (root) => void await git(root, ["reset", "-q", "--hard", "main~1"]),
    at: [file(".git/ORIG_HEAD"), objectOf(`side:${CHANGED}`), file(".git/logs/refs/heads/main")],
    isDone: async ({ root }) => await said(root, ["log", "-1", "--format=%s"]) === "side",
  },
  {
    call: ["git_pull", { remote: "there", branch: "side", strategy: "rebase" }],
    prepare: async (root) => {
      await git(root, ["clone", "-q", "--bare", ".", "mine.git"]);
      await git(root, ["remote", "add", "there", "mine.git"]);
      Deno.writeTextFileSync(`${root}/.git/info/exclude`, "mine.git\n");
    },
    at: [objectOf(`side:${CHANGED}`), file(".git/logs/HEAD")],
    isDone: async ({ root }) => await said(root, ["log", "-2", "--format=%s"]) === "main\nside",
  },
  {
    call: ["git_stash", { action: "push" }],
    prepare: edit,
    at: [file(EDITED), objectOf(`main:${EDITED}`)],
    isDone: async ({ root }) =>
      (await said(root, ["stash", "list"])) !== "" && (await status(root)).length === 0,
  },
  {
    call: ["git_stash", { action: "pop" }],
    prepare: async (root) => {
      edit(root);
      await git(root, ["stash", "-q"]);
    },
    at: [objectOf(`stash:${EDITED}`)],
    isDone: async ({ root }) =>
      (await said(root, ["stash", "list"])) === "" && (await status(root)).length === FILES / 3,
  },
  {
    call: ["git_add", { all: true }],
    prepare: (root) => {
      edit(root);
      Deno.writeTextFileSync(`${root}/.git/info/exclude`, "mine\n");
    },
    at: [file(EDITED)],
    isDone: async ({ root }) => (await status(root)).every((line) => line.startsWith("M ")),
  },
  {
    call: ["git_commit", { message: "work" }],
    prepare: async (root) => {
      edit(root);
      await git(root, ["add", "--update"]);
    },
    at: [file(".git/COMMIT_EDITMSG"), file(".git/logs/HEAD")],
    isDone: async ({ root }) => await said(root, ["log", "-1", "--format=%s"]) === "work",
  },
  {
    call: ["git_push", { remote: "there", branch: "main" }],
    prepare: async (root) => {
      const there = `${root}/mine.git`;
      await git(root, ["clone", "-q", "--bare", ".", "mine.git"]);
      await git(there, ["config", "core.logAllRefUpdates", "always"]);
      await git(there, ["update-ref", "refs/heads/main", "main~1"]);
      await git(root, ["remote", "add", "there", "mine.git"]);
      await git(root, ["fetch", "-q", "there"]);
      Deno.writeTextFileSync(`${root}/.git/info/exclude`, "mine.git\n");
    },
    // The branch there, and what is known of it here.
    elsewhere: true,
    at: [file("mine.git/logs/refs/heads/main"), file(".git/logs/refs/remotes/there/main")],
    isDone: async ({ root }) => {
      await git(`${root}/mine.git`, ["fsck", "--strict", "--connectivity-only"]);
      return await said(`${root}/mine.git`, ["rev-parse", "main"]) ===
        await said(root, ["rev-parse", "main"]);
    },
  },
  {
    call: addWorktree,
    at: [objectOf(`main:${CHANGED}`)],
    isDone: isMade,
  },
];

/** Of a lock that is not taken away. */
const TOLD = /\.lock is there, \d+ seconds old: .*delete that file/;

Deno.test("git tools that are killed in the middle: the next call does it, whatever was done of it", async () => {
  await withGrounds(async (lay) => {
    for (const { call: named, prepare, at, elsewhere, isDone } of ROWS) {
      for (const place of at) {
        const ground = await lay();
        const { root } = ground;
        await prepare?.(root);
        const held = await place(root);
        const call = typeof named === "function" ? named(ground) : named;
        const of = `${JSON.stringify(call)} ${held}`;
        await ground.kill(call, held);
        const isNoted = exists(`${root}/.git/${NOTE}`);
        assert(isNoted || elsewhere === true, `${of} was not in the middle`);
        const tip = await said(root, ["rev-parse", "HEAD"]);
        const { success, error } = await ground.ask(call);
        if (elsewhere === true && TOLD.test(error?.message ?? "")) {
          await git(`${root}/mine.git`, ["fsck", "--strict", "--connectivity-only"]);
          await assertWhole(root, of);
          continue;
        }
        assert(success || await isDone(ground), `${of}: ${JSON.stringify(error)}`);
        assert(await isDone(ground), of);
        await assertWhole(root, of);
        await git(root, ["cat-file", "-e", tip]);
        if (["git_checkout", "git_merge", "git_pull"].includes(call[0])) {
          assertEquals(await status(root), [], of);
        }
      }
    }
  });
});

const CHECKOUT: Call = ["git_checkout", { branch_or_commit: "side" }];

/** A checkout of which a part is done, whose lock is there. */
async function cutShort({ root, kill }: Ground): Promise<void> {
  await kill(CHECKOUT, await objectOf(`side:${CHANGED}`)(root));
  const half = await status(root);
  assert(
    exists(`${root}/.git/index.lock`) && exists(`${root}/.git/${NOTE}`) &&
      half.some((line) => line.startsWith(" M d1/")) && half.length < FILES,
    half.join("\n"),
  );
}

Deno.test("what somebody makes of files that a killed checkout has left stays, and so does what he stages", async () => {
  await withGrounds(async (lay) => {
    {
      const ground = await lay();
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
      const preview = await ground.ask(CHECKOUT, { preview: true });
      assertEquals(
        [preview.success, await stateOf(root)],
        [false, before],
        "a preview takes nothing back",
      );
      const { error } = await ground.ask(CHECKOUT);
      assertEquals(error?.code, "GIT_ERROR");
      assertEquals(
        error?.details?.in_the_way,
        [gone, changed].map((path) => `${root.split("/").at(-1)}/${path}`).sort(),
      );
      assertEquals(Deno.readTextFileSync(`${root}/${gone}`), "work\n");
      assertEquals(Deno.readTextFileSync(`${root}/${changed}`), kept);
      // All else is as it was before the call that was killed.
      assertEquals(
        (await status(root)).map((line) => line.slice(3)).sort(),
        [gone, changed].sort(),
      );
      await assertWhole(root, "after the refusal");
      await git(root, ["checkout", "-q", "--", gone, changed]);
      assertEquals((await ground.ask(CHECKOUT)).error, null);
      assertEquals(await status(root), []);
    }
    {
      const ground = await lay();
      const { root } = ground;
      Deno.writeTextFileSync(`${root}/staged`, "new\n");
      await git(root, ["add", "staged"]);
      await cutShort(ground);
      assertEquals((await ground.ask(CHECKOUT)).error, null);
      assertEquals(await status(root), ["A  staged"]);
      await assertWhole(root, "with a staged file");
    }
  });
});

Deno.test("a lock is taken away where it is a killed call's alone: not a person's, not an open one, not a later one", async () => {
  await withGrounds(async (lay) => {
    const ground = await lay();
    const { root } = ground;
    const lock = `${root}/.git/index.lock`;
    const stays = async (why: string) => {
      const before = await stateOf(root);
      const { error } = await ground.ask(CHECKOUT);
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
    assertEquals((await ground.ask(CHECKOUT)).error, null);
    await assertWhole(root, "at last");
  });
});

Deno.test("git of a line that is killed with Toolgate: the next tool takes its locks away, and nothing else", async () => {
  const line = (...argv: readonly string[]): Call => ["run_command", { argv: ["git", ...argv] }];
  const rows = [
    // The files, some of which are changed, stay as they are: nobody knows what they were to be.
    [line("checkout", "-q", "side"), objectOf(`side:${CHANGED}`)],
    [line("commit", "-qam", "work"), file(EDITED)],
  ] as const;
  await withGrounds(async (lay) => {
    for (const [call, at] of rows) {
      const ground = await lay();
      const { root } = ground;
      if (call === rows[1][0]) edit(root);
      // The control: nothing is noted any more of one that ends.
      assertEquals((await ground.ask(line("tag", "ended"))).error, null);
      assertEquals(exists(`${root}/.git/${NOTE}`), false);
      await ground.kill(call, await at(root));
      const left = ["index.lock", NOTE].map((name) => exists(`${root}/.git/${name}`));
      assertEquals(left, [true, true]);
      const before = await status(root);
      const { error } = await ground.ask(["git_branch", { action: "create", branch_name: "next" }]);
      assertEquals(error, null);
      await assertWhole(root, JSON.stringify(call));
      assertEquals(await status(root), before);
      assertEquals(
        (await ground.ask(["git_commit", { message: "after", allow_empty: true }])).error,
        null,
      );
    }
  });
});

Deno.test("a lock that a person's git holds closed is not taken for one of a call that was killed just before", async () => {
  const HELD = [
    // While he writes a message: the index is written, and not in place.
    ["index.lock", "editor", ["commit", "-qa"], `echo person > "$1"`],
    // While somebody looks at what is to be changed: branches and HEAD likewise.
    [
      "HEAD.lock",
      "hooks/reference-transaction",
      ["commit", "-qam", "person"],
      `[ "$1" = prepared ] || exit 0`,
    ],
  ] as const;
  await withGrounds(async (lay) => {
    for (const [lock, waiter, words, first] of HELD) {
      const ground = await lay();
      const { root } = ground;
      edit(root);
      await git(root, ["add", name(2)]);
      const call: Call = ["git_commit", { message: "work" }];
      await ground.kill(call, `${root}/.git/COMMIT_EDITMSG`);
      assert(exists(`${root}/.git/${NOTE}`) && !exists(`${root}/.git/${lock}`));
      const [came, go] = [`${root}/.git/came`, `${root}/.git/go`];
      await new Deno.Command("mkfifo", { args: [came, go] }).output();
      const script = `${root}/.git/${waiter}`;
      const waits = `echo x > '${came}'; cat '${go}' > /dev/null`;
      Deno.mkdirSync(`${root}/.git/hooks`, { recursive: true });
      Deno.writeTextFileSync(script, `#!/bin/sh\n${first}\n${waits}\n`, { mode: 0o755 });
      const person = new Deno.Command("git", {
        args: [...words],
        cwd: root,
        env: { GIT_EDITOR: script, GIT_CONFIG_NOSYSTEM: "1", HOME: "/nonexistent" },
        stderr: "piped",
      }).spawn();
      await Deno.readTextFile(came);
      assert(exists(`${root}/.git/${lock}`), lock);
      const { error } = await ground.ask(["git_add", {
        files: [`${root.split("/").at(-1)}/mine`],
      }]);
      const isThere = exists(`${root}/.git/${lock}`);
      await Deno.writeTextFile(go, "");
      const { success, stderr } = await person.output();
      assertEquals([isThere, success], [true, true], new TextDecoder().decode(stderr));
      // It holds that of the index meanwhile, too.
      assertStringIncludes(error?.message ?? "", ".lock is there");
      assertEquals(await said(root, ["log", "-1", "--format=%s"]), "person");
      for (const path of [script, came, go]) Deno.removeSync(path);
      // The control: what was killed is gone over by the next call.
      assertEquals((await ground.ask(["git_checkout", { branch_or_commit: "side" }])).error, null);
      await assertWhole(root, lock);
    }
  });
});

Deno.test("a note that came with a repository from elsewhere changes nothing, and none writes what the policy denies", async () => {
  await withGrounds(async (lay) => {
    const ground = await lay();
    await cutShort(ground);
    const other = await lay();
    Deno.removeSync(`${other.root}/.git`, { recursive: true });
    copyFolder(`${ground.root}/.git`, `${other.root}/.git`);
    assert(exists(`${other.root}/.git/${NOTE}`));
    // As the one that was killed left it; nothing of it is taken back here.
    Deno.writeTextFileSync(`${other.root}/${name(1)}`, "side 1\n".repeat(200));
    const refused = await other.ask(CHECKOUT);
    assertStringIncludes(refused.error?.message ?? "", "index.lock is there");
    assertStringIncludes(Deno.readTextFileSync(`${other.root}/${name(1)}`), "side");
    const { root } = ground;
    const half = (await status(root)).map((line) => line.slice(3));
    const denied = half.filter((path) => path.startsWith("d1/"));
    assert(denied.length > 0 && denied.length < half.length);
    const policy = POLICY.replace('"**/.git/**"]', '"**/.git/**", "*/d1/**"]');
    const { error } = await ground.askUnder(policy, CHECKOUT);
    assertEquals(error?.code, "PATH_DENIED");
    assertEquals((await status(root)).map((line) => line.slice(3)), denied);
  });
});

Deno.test("a call whose time is over in the middle is taken back by the next; one that goes on is left alone", async () => {
  await withGrounds(async (lay) => {
    for (const place of [objectOf(`side:${CHANGED}`), file(".git/logs/HEAD")]) {
      const ground = await lay();
      const { root } = ground;
      const isCut = async (ms: number) => {
        await using held = await HeldFile.hold(await place(root));
        const answer = ground.ask(CHECKOUT, { timeout_ms: ms });
        const came = await Promise.race([held.wanted(), answer]);
        assertEquals((await answer).error?.code, "TIMEOUT");
        return came === true;
      };
      // As long as this machine needs to come there.
      for (let ms = 1500; !await isCut(ms); ms *= 2);
      await git(root, ["fsck", "--connectivity-only"]);
      assert(exists(`${root}/.git/${NOTE}`));
      assertEquals((await ground.ask(CHECKOUT)).error, null);
      await assertWhole(root, "after a time that was over");
      assertEquals([await status(root), await said(root, ["branch", "--show-current"])], [
        [],
        "side",
      ]);
    }
    const ground = await lay();
    const { root } = ground;
    const other = ground.begin();
    for (const place of [objectOf(`side:${CHANGED}`), file(".git/logs/HEAD")]) {
      await git(root, ["checkout", "-q", "main"]);
      const held = await HeldFile.hold(await place(root));
      const going = ground.ask(CHECKOUT);
      assert(await held.wanted());
      const { success, error } = await other.ask(
        asked(root.split("/").at(-1)!, ["git_add", { all: true }]),
      );
      assert(success || error?.code === "GIT_ERROR", JSON.stringify(error));
      await held[Symbol.asyncDispose]();
      assertEquals((await going).error, null);
      await ground.ask(["git_add", { all: true }]);
      await git(root, ["reset", "-q"]);
      assertEquals(await status(root), []);
    }
    await other.close();
  });
});

Deno.test("a worktree whose making was killed is taken away and made again, but not where somebody has put something", async () => {
  await withGrounds(async (lay) => {
    for (const [path, text] of [[null, ""], ["new", "work\n"], [name(1), "work\n"]] as const) {
      const ground = await lay();
      const { root } = ground;
      const folder = `${root}/../${ground.place}`;
      await ground.kill(addWorktree(ground), await objectOf(`main:${CHANGED}`)(root));
      // As one that is being made is.
      assert(
        exists(`${root}/.git/worktrees/${root.split("/").at(-1)}/locked`),
        "it was not in the middle",
      );
      if (path !== null) {
        Deno.mkdirSync(`${folder}/d1`, { recursive: true });
        Deno.writeTextFileSync(`${folder}/${path}`, text);
      }
      const { error } = await ground.ask(addWorktree(ground));
      assertEquals(error?.code ?? null, path === null ? null : "FILE_EXISTS", `${path}`);
      if (path === null) assert(await isMade(ground));
      else assertEquals(Deno.readTextFileSync(`${folder}/${path}`), text);
    }
  });
});
