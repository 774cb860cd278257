/** Every git tool in every hostile repository, with nothing but its own settings in the way: no trap is sprung. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { ToolError } from "../../../../src/core/errors.ts";
import { TOOLS } from "../../../../src/tools/registry.ts";
import { HOSTILE_REPOSITORIES } from "../../../attacks/hostile_repositories.ts";
import { inWorkspace, wayOf, type World } from "../_real_workspace.ts";
import { git, makeRepository } from "./_history.ts";
import {
  CALLS,
  callsIn,
  DRIVER,
  isOddOne,
  isSprung,
  layOut,
  linesOf,
  makeTemplate,
  together,
  UNSWITCHABLE,
} from "./_hostile.ts";

Deno.test("all git tools of the registry are tried", () => {
  const tried = new Set(CALLS.map(([name]) => name));
  const all = TOOLS.map(({ name }) => name).filter((name) => name.startsWith("git_"));
  assertEquals(all.filter((name) => !tried.has(name)), []);
});

async function quietly(call: World["call"], name: string, args: unknown): Promise<boolean> {
  try {
    await call(name, args);
    return true;
  } catch (error) {
    assert(error instanceof ToolError, `${name}: ${error}`);
    if (error.code === "MERGE_CONFLICT") return true;
    return false;
  }
}

/** A folder outside of the workspaces, with `template` in it. */
async function withTemplate(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    await makeTemplate(`${folder}/template`);
    await test(folder);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

/** Git may well fail of what it has run. */
const ANY = Array.from({ length: 256 }, (_, status) => status);

Deno.test("every trap is one: plain git springs it", async () => {
  await withTemplate(async (outside) => {
    const idle: string[] = [];
    for (const [index, repository] of HOSTILE_REPOSITORIES.entries()) {
      await Promise.all(
        linesOf(repository).map(async (line, way) => {
          const marker = `${outside}/sprung-${index}-${way}`;
          const root = `${outside}/r${index}-${way}`;
          await layOut(`${outside}/template`, root, repository, marker);
          await git(root, line, { good: ANY });
          if (!isSprung(marker)) idle.push(`${repository.name}: git ${line.join(" ")}`);
        }),
      );
    }
    assertEquals(idle, []);
  });
});

/** Remotes may be paths. */
const FILE = {
  git: { hooks: null, filters: null, protocols: ["file"], worktrees: null, identity: null },
} as const;

/** Whether it merges, and not by going forward. */
function isMerge([name, { strategy }]: (typeof CALLS)[number]): boolean {
  return name === "git_merge" || strategy === "rebase";
}

Deno.test("no trap is sprung by any git tool", async () => {
  await withTemplate(async (outside) => {
    const repositories = together(HOSTILE_REPOSITORIES, outside, isOddOne);
    let way = 0;
    await inWorkspace(async ({ root, call }) => {
      const own = way++;
      for (const [index, repository] of repositories.entries()) {
        if (wayOf(index) !== own) continue;
        const folder = `r${index}`;
        await layOut(`${outside}/template`, `${root}/${folder}`, repository, "");
        const done: string[] = [];
        for (const [name, args] of callsIn(folder)) {
          if (await quietly(call, name, args)) done.push(name);
          for (const trap of repository.traps) {
            assert(!isSprung(trap.marker), `${trap.name}: ${name} sprang it`);
          }
        }
        // What cannot be switched off is refused; all else is done in spite of the traps.
        const refused = repository.name === UNSWITCHABLE;
        const merges = repository.name !== DRIVER;
        const all = CALLS.filter((call) => merges || !isMerge(call)).map(([name]) => name);
        assertEquals(done, refused ? [] : all, repository.name);
        if (!refused) await git(`${root}/${folder}`, ["-c", "core.fsmonitor=false", "fsck"]);
      }
    }, FILE);
  });
});

/** Ways to lead git out of the workspace, with the other repository's place. */
const LEADS: Readonly<Record<string, (root: string, other: string) => void>> = {
  "a .git file": (root, other) => Deno.writeTextFileSync(`${root}/.git`, `gitdir: ${other}/.git\n`),
  "a .git file that climbs": (root, other) =>
    Deno.writeTextFileSync(`${root}/.git`, `gitdir: ${"../".repeat(20)}${other.slice(1)}/.git\n`),
  "a link": (root, other) => Deno.symlinkSync(`${other}/.git`, `${root}/.git`),
  "a commondir": (root, other) => {
    Deno.mkdirSync(`${root}/.git`);
    Deno.writeTextFileSync(`${root}/.git/HEAD`, "ref: refs/heads/main\n");
    Deno.writeTextFileSync(`${root}/.git/commondir`, `${other}/.git\n`);
  },
  "objects": (root, other) => {
    Deno.mkdirSync(`${root}/.git/refs/heads`, { recursive: true });
    Deno.copyFileSync(`${other}/.git/HEAD`, `${root}/.git/HEAD`);
    Deno.copyFileSync(`${other}/.git/refs/heads/main`, `${root}/.git/refs/heads/main`);
    Deno.symlinkSync(`${other}/.git/objects`, `${root}/.git/objects`);
  },
  "alternates": (root, other) => {
    Deno.mkdirSync(`${root}/.git/refs/heads`, { recursive: true });
    Deno.mkdirSync(`${root}/.git/objects/info`, { recursive: true });
    Deno.copyFileSync(`${other}/.git/HEAD`, `${root}/.git/HEAD`);
    Deno.copyFileSync(`${other}/.git/refs/heads/main`, `${root}/.git/refs/heads/main`);
    Deno.writeTextFileSync(`${root}/.git/objects/info/alternates`, `${other}/.git/objects\n`);
  },
};

Deno.test("a repository that leads out of the workspace is refused", async () => {
  const other = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    await makeRepository(other);
    Deno.writeTextFileSync(`${other}/hushed`, "HUSH\n");
    await git(other, ["add", "hushed"]);
    await git(other, ["commit", "-qm", "hushed"]);
    let way = 0;
    await inWorkspace(async ({ root, call }) => {
      const own = way++;
      for (const [index, [name, lead]] of Object.entries(LEADS).entries()) {
        const repository = `r${index}`;
        const folder = `${root}/${repository}`;
        Deno.mkdirSync(folder);
        lead(folder, other);
        for (const [at, [tool, args]] of callsIn(repository).entries()) {
          if (wayOf(index + at) !== own) continue;
          const error = await assertRejects(() => call(tool, args), ToolError, undefined, name);
          assertEquals(error.code, "PATH_OUTSIDE_WORKSPACE", `${name}: ${error.message}`);
          assert(!error.message.includes(other), error.message);
        }
      }
    });
  } finally {
    Deno.removeSync(other, { recursive: true });
  }
});

Deno.test("files elsewhere that settings call the repository's own stay out of it", async () => {
  const other = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    Deno.writeTextFileSync(`${other}/hushed`, "HUSH\n");
    await inWorkspace(async ({ root, call }) => {
      await makeRepository(root);
      await git(root, ["config", "core.worktree", other]);
      await call("git_add", { all: true });
      assertEquals((await call("git_status", {})).staged, []);
    });
  } finally {
    Deno.removeSync(other, { recursive: true });
  }
});

Deno.test("where there is no repository, that is said", async () => {
  await inWorkspace(async ({ root, call }) => {
    Deno.mkdirSync(`${root}/empty/.git`, { recursive: true });
    for (const repository of [".", "empty"]) {
      const error = await assertRejects(() => call("git_status", { repository }), ToolError);
      assertEquals(error.code, "NOT_A_REPOSITORY");
    }
    // One that is all in a folder, as agents can write it, is none either.
    await git(root, ["init", "--quiet", "--bare", "bare"]);
    const bare = await assertRejects(() => call("git_status", { repository: "bare" }), ToolError);
    assertEquals(bare.code, "NOT_A_REPOSITORY");
  });
});

/** What git would take for an option or another transport, and what would then be there. */
const SPRINGING = [
  ...["--output=pwned", "--exec=touch pwned", "--upload-pack=touch pwned", "--ext-diff"],
  ...["--open-files-in-pager=touch pwned", "ext::sh -c touch% pwned", "x --output=pwned"],
];

/** What a shell would run: there is none, for any of them. */
const IN_A_SHELL = ["$(touch pwned)", "`touch pwned`", "; touch pwned", "@{-1} --output=pwned"];

/** A range, a pattern, a path, an option that leaves no mark. */
const ODD = [
  ...["-opwned", "-c", "--", "-", "--no-index", "HEAD..side", "^HEAD", ":(top)*", ":!b", "a\nb"],
  ...["../..", "/etc/passwd", ".git/config"],
];

/** All that may spring, at each place; of those that are refused for the same reason at each place others. */
function injectionsAt(place: number): readonly string[] {
  const inTurn = (all: readonly string[], of: number) =>
    all.filter((_, at) => (at + place) % of === 0);
  return [...SPRINGING, ...inTurn(IN_A_SHELL, IN_A_SHELL.length), ...inTurn(ODD, 3)];
}

Deno.test("no string of the arguments is taken for anything but what it is", async () => {
  let way = 0;
  await withTemplate((outside) =>
    inWorkspace(async ({ root, call }) => {
      await layOut(`${outside}/template`, root, { name: "none", springs: null }, `${root}/pwned`);
      const config = Deno.readTextFileSync(`${root}/.git/config`);
      const places: readonly (readonly [string, (text: string) => unknown])[] = [
        ["git_status", (repository) => ({ repository })],
        ...["ref", "author", "since", "until", "grep", "path"].map((key) =>
          ["git_log", (text: string) => ({ [key]: text })] as const
        ),
        ...["from", "to"].map((key) =>
          ["git_diff", (text: string) => ({ from: "HEAD", [key]: text })] as const
        ),
        ["git_diff", (text) => ({ paths: [text] })],
        ["git_show", (ref) => ({ ref })],
        ["git_show", (path) => ({ ref: "HEAD", path })],
        ["git_add", (text) => ({ files: [text] })],
        ...["branch_name", "from"].map((key) =>
          [
            "git_branch",
            (text: string) => ({ action: "create", branch_name: "made", [key]: text }),
          ] as const
        ),
        ["git_branch", (branch_name) => ({ action: "delete", branch_name, force: true })],
        [
          "git_branch",
          (new_name) => ({ action: "rename", branch_name: "side", new_name }),
        ],
        ...[{}, { create: true }, { paths: ["a"] }].map((more) =>
          ["git_checkout", (text: string) => ({ branch_or_commit: text, ...more })] as const
        ),
        ["git_checkout", (text) => ({ branch_or_commit: "HEAD", paths: [text] })],
        ...["branch", "path", "from"].map((key) =>
          [
            "git_worktree",
            (text: string) => ({ action: "add", branch: "new", [key]: text }),
          ] as const
        ),
        ["git_worktree", (path) => ({ action: "remove", path })],
        ...["git_push", "git_pull"].flatMap((name) =>
          ["remote", "branch"].map((key) =>
            [name, (text: string) => ({ remote: "there", branch: "main", [key]: text })] as const
          )
        ),
        ["git_merge", (branch) => ({ branch })],
        ["git_merge", (message) => ({ branch: "side", message })],
        ["git_stash", (message) => ({ action: "push", message })],
        ["git_commit", (message) => ({ message, allow_empty: true })],
        ["git_commit", (author) => ({ message: "x", allow_empty: true, author })],
      ];
      const own = way++;
      for (const [place, [name, args]] of places.entries()) {
        for (const [index, text] of injectionsAt(place).entries()) {
          if (wayOf(place + index) !== own) continue;
          await quietly(call, name, args(text));
          assert(!isSprung(`${root}/pwned`), `${name} ${JSON.stringify(args(text))}`);
        }
        // execve(2) would end the word there, and it would be another.
        const cut = await assertRejects(() => call(name, args("a\0b")), ToolError, undefined, name);
        assertEquals(cut.code, "INVALID_ARGUMENTS", `${name} ${JSON.stringify(args("a\0b"))}`);
        if (name === "git_merge") await quietly(call, name, { abort: true });
      }
      assertEquals(Deno.readTextFileSync(`${root}/.git/config`), config);
      await git(root, ["fsck"]);
    }, FILE)
  );
});
