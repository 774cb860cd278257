/** Git in a line of `run_command`: what a repository's settings name does not run there either. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { GIT_KEYS, namesGit } from "../../../../src/core/git/settings.ts";
import { ToolError } from "../../../../src/core/errors.ts";
import { HOSTILE_REPOSITORIES } from "../../../attacks/hostile_repositories.ts";
import { inWorkspace } from "../_real_workspace.ts";
import { git, makeRepository, said } from "./_history.ts";
import { isSprung, layOut, makeTemplate } from "./_hostile.ts";

// deno-lint-ignore no-explicit-any
type Loose = any;

/** Traps that settings of our own switch off; the others are names that a repository makes up, held by the kernel. */
const SETTLED = [
  ...["fsmonitor", "hooks", "hooks elsewhere", "a signing program", "an ssh signing program"],
  ...["an editor", "attributes from elsewhere", "an included file", "credentials and ssh"],
  "a promised object over a transport that is a program",
];

Deno.test("a line's git obeys none of the settings that tools override, whatever holds it", async () => {
  const outside = Deno.makeTempDirSync();
  const template = `${outside}/template`;
  try {
    await makeTemplate(template);
    await inWorkspace(async ({ root, call }) => {
      for (const name of SETTLED) {
        const repository = HOSTILE_REPOSITORIES.find((one) => one.name === name);
        assert(repository?.springs, name);
        const marker = `${outside}/${name.replaceAll(" ", "-")}`;
        await layOut(template, `${root}/r`, repository, marker);
        const argv = ["git", ...repository.springs];
        // By words that name no git, too.
        Deno.writeTextFileSync(`${root}/r/in.sh`, 'exec git "$@"\n');
        const script = ["sh", "in.sh", ...repository.springs];
        for (const words of [argv, ["timeout", "20", ...argv], script]) {
          try {
            await call("run_command", { argv: words, cwd: "r" });
          } catch (error) {
            assert(error instanceof ToolError, `${name}: ${error}`);
          }
          assert(!isSprung(marker), `${words.join(" ")}: ${name}`);
        }
        Deno.removeSync(`${root}/r`, { recursive: true });
      }
    });
  } finally {
    Deno.removeSync(outside, { recursive: true });
  }
});

Deno.test("a line's git uses the transports that the policy names, and no others", async () => {
  const line = { argv: ["git", "clone", "--quiet", "there", "here"] };
  const clone = (protocols: readonly "file"[]) =>
    inWorkspace(async ({ root, call }) => {
      await makeRepository(`${root}/there`);
      await git(`${root}/there`, ["commit", "-qm", "one", "--allow-empty"]);
      if (protocols.length === 0) {
        const error = await assertRejects(() => call("run_command", line), ToolError);
        // Before it starts, where that can be looked at (tests/binary/git/git_lines_test.ts); else git says so itself.
        const said = JSON.stringify([error.message, error.output]);
        assert(/git\.protocols does not name file|'file' not allowed/.test(said), said);
        assertEquals([...Deno.readDirSync(root)].map(({ name }) => name), ["there"]);
        return;
      }
      await call("run_command", line);
      assertEquals(await said(`${root}/here`, ["log", "--format=%s"]), "one");
    }, { git: { hooks: null, filters: null, protocols, worktrees: null, identity: null } });
  await clone([]);
  await clone(["file"]);
});

Deno.test("the policy's identity commits where the repository names nobody, and only there", async () => {
  const identity = { name: "Agent", email: "agent@example.org" };
  await inWorkspace(async ({ root, call }) => {
    await makeRepository(root);
    await call("git_commit", { message: "one", allow_empty: true });
    await git(root, ["config", "--unset", "user.name"]);
    await git(root, ["config", "--unset", "user.email"]);
    const made: Loose = await call("git_commit", { message: "two", allow_empty: true });
    assertEquals(made.subject, "two");
    const people = await said(root, ["log", "--format=%an <%ae> %cn"]);
    assertEquals(people, "Agent <agent@example.org> Agent\nAda <ada@example.org> Ada");
  }, { git: { hooks: null, filters: null, protocols: null, worktrees: null, identity } });
});

Deno.test("it is told which words name git", () => {
  for (
    const words of [["git"], ["/usr/bin/git", "x"], ["env", "git"], [
      "sh",
      "-c",
      "cd x&&git status",
    ]]
  ) {
    assert(namesGit(words), words.join(" "));
  }
  for (
    const words of [["ls", ".git"], ["cat", "legit"], ["digit"], ["git-lfs"], ["x.git"], [
      "git.txt",
    ]]
  ) {
    assert(!namesGit(words), words.join(" "));
  }
  assert(Object.keys(GIT_KEYS).length > 30);
});
