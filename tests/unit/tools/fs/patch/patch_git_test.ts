/** What `git diff` and `git format-patch` write leads to the tree that Git has: renames, copies, modes, odd names. */

import { assert, assertEquals } from "@std/assert";
import { Random } from "../../../../random.ts";
import { inWorkspace } from "../../_real_workspace.ts";

const NAMES = ["a.txt", "b c.txt", 'grö"ße', "d/e", "d/tab\tx", "d/f/g", "b/h", "a/i", "new\nline"];
const LINES = ["", "x", "y = 1", "-- z", "++ q", "größe", "\tq"];
const ROUNDS = 12;

/** Contents and whether it may be executed, by path. */
type Tree = Readonly<Record<string, readonly [string, boolean]>>;

/** Null where there is no Git, or one that cannot do it. */
function git(cwd: string, ...args: readonly string[]): string | null {
  try {
    const { success, stdout } = new Deno.Command("git", {
      args: ["-c", "user.name=x", "-c", "user.email=x", "-c", "commit.gpgsign=false", ...args],
      cwd,
      env: { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" },
    }).outputSync();
    return success ? new TextDecoder().decode(stdout) : null;
  } catch {
    return null;
  }
}

function treeOf(root: string, below = ""): Tree {
  const found: Record<string, readonly [string, boolean]> = {};
  for (const { name, isDirectory } of Deno.readDirSync(`${root}/${below}`)) {
    const path = below + name;
    if (name === ".git") continue;
    if (isDirectory) Object.assign(found, treeOf(root, `${path}/`));
    else {
      const { mode } = Deno.statSync(`${root}/${path}`);
      found[path] = [Deno.readTextFileSync(`${root}/${path}`), ((mode ?? 0) & 0o100) !== 0];
    }
  }
  return found;
}

function put(root: string, path: string, text: string, isExecutable: boolean): void {
  Deno.mkdirSync(`${root}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
  Deno.writeTextFileSync(`${root}/${path}`, text);
  Deno.chmodSync(`${root}/${path}`, isExecutable ? 0o755 : 0o644);
}

function randomText(random: Random): string {
  const lines = random.text(30, LINES.map((line) => line + (random.once(9) ? "\r\n" : "\n")));
  return lines + (random.once(5) ? "end" : "");
}

/** Adds, deletes, edits and renames files, and changes their modes. */
function disturb(random: Random, root: string): void {
  for (const name of NAMES) {
    const [text, isExecutable] = treeOf(root)[name] ?? [null, false];
    const choice = random.below(8);
    if (text === null) {
      if (choice < 2) put(root, name, randomText(random), random.once(3));
    } else if (choice === 0) Deno.removeSync(`${root}/${name}`);
    else if (choice < 4) {
      const lines = text.split("\n");
      lines.splice(random.below(lines.length), random.below(2), `new ${random.below(9)}`);
      put(root, name, lines.join("\n"), isExecutable);
    } else if (choice === 4) put(root, name, text, random.once(2));
    else if (choice === 5) {
      const other = random.pick(NAMES);
      if (other === name) continue;
      Deno.removeSync(`${root}/${name}`);
      put(root, other, text, isExecutable);
    }
  }
}

function commit(root: string): string | null {
  git(root, "add", "--all");
  return git(root, "commit", "--quiet", "--allow-empty", "--message", "x");
}

Deno.test("patches that Git writes lead to the tree that Git has", async () => {
  const random = new Random(5);
  let applied = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const repository = Deno.makeTempDirSync();
    try {
      // Without Git there is nothing to compare with.
      if (git(repository, "init", "--quiet") === null) return;
      for (const name of NAMES) {
        if (!random.once(3)) put(repository, name, randomText(random), random.once(4));
      }
      commit(repository);
      const before = treeOf(repository);
      disturb(random, repository);
      commit(repository);
      const context = `-U${random.below(4)}`;
      const patch = random.once(4)
        ? (disturb(random, repository),
          commit(repository),
          git(repository, "format-patch", "--stdout", "-2", "-M", "-C"))
        : git(repository, "diff", "-M", "-C", "-B", "--find-copies-harder", context, "HEAD~1");
      const after = treeOf(repository);
      if (patch === null || !patch.includes("diff --git")) continue;
      await inWorkspace(async ({ root, call }) => {
        for (const [path, [text, isExecutable]] of Object.entries(before)) {
          put(root, path, text, isExecutable);
        }
        await call("apply_patch", { patch, validate_syntax: false });
        assertEquals(treeOf(root), after, patch);
      });
      applied++;
    } finally {
      Deno.removeSync(repository, { recursive: true });
    }
  }
  assert(applied > ROUNDS / 2, String(applied));
});
