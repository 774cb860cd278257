/** Git by the binary, where the kernel holds it too: hostile repositories, and a commit that is cut short. */

import { assert, assertEquals } from "@std/assert";
import { HOSTILE_REPOSITORIES } from "../attacks/hostile_repositories.ts";
import { git, makeRepository, said } from "../unit/tools/git/_history.ts";
import { isSprung, layOut } from "../unit/tools/git/_hostile.ts";
import { Pipe, serveAll } from "./toolgate.ts";

const POLICY = `
version: 1
name: git
risk: { allow: dangerous, ask: dangerous }
paths:
  - { allow: [read, write], match: ["**"] }
  - { deny: [write], match: ["**/.git/**"] }
commands: [{ allow: [git] }]
environment: { pass: [PATH] }
agents: { "*": { permissions: [all] } }
limits: { processes: 64 }
`;

async function inFolder(test: (root: string, flags: readonly string[]) => Promise<void>) {
  const outer = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    Deno.writeTextFileSync(`${outer}/policy.yaml`, POLICY);
    const root = `${outer}/workspace`;
    Deno.mkdirSync(root);
    await test(root, ["--policy", `${outer}/policy.yaml`, "--root", root]);
  } finally {
    Deno.removeSync(outer, { recursive: true });
  }
}

Deno.test("git: no hostile repository runs anything, by the tools and by run_command", async () => {
  await inFolder(async (root, flags) => {
    const markers = await Promise.all(HOSTILE_REPOSITORIES.map(async (repository, index) => {
      const marker = `${root}/sprung-${index}`;
      await layOut(`${root}/r${index}`, repository, marker);
      return marker;
    }));
    const calls = HOSTILE_REPOSITORIES.flatMap((_, index) => {
      const repository = `r${index}`;
      const lines = ["git status", "git diff", "git log -p -2", "git add a"];
      return [
        { tool: "git_status", args: { repository } },
        { tool: "git_diff", args: { repository } },
        { tool: "git_add", args: { repository, files: [`${repository}/a`] } },
        { tool: "git_commit", args: { repository, message: "x" } },
        ...lines.map((command) => ({ tool: "run_command", args: { command, cwd: repository } })),
      ];
    });
    const { answers } = await serveAll(calls.map((call, id) => ({ id, ...call })), flags);
    assertEquals(answers.length, calls.length);
    const sprung = HOSTILE_REPOSITORIES.filter((_, index) => isSprung(markers[index] ?? ""));
    assertEquals(sprung.map(({ name }) => name), []);
    const status = answers.filter(({ tool, success }) => tool === "git_status" && success);
    assertEquals(status.length, HOSTILE_REPOSITORIES.length - 1);
  });
});

Deno.test("git: a commit that is killed at any moment leaves a whole repository", async () => {
  await inFolder(async (root, flags) => {
    for (const wait of [0, 60, 120, 240]) {
      const repository = `after-${wait}`;
      const at = `${root}/${repository}`;
      await makeRepository(at);
      for (let file = 0; file < 50; file++) Deno.writeTextFileSync(`${at}/f${file}`, `${file}\n`);
      const pipe = new Pipe(flags);
      const added = await pipe.ask({ id: 1, tool: "git_add", args: { repository, all: true } });
      assert(added.success, JSON.stringify(added.error));
      await pipe.send({ id: 2, tool: "git_commit", args: { repository, message: "one" } });
      await new Promise((resolve) => setTimeout(resolve, wait));
      pipe.process.kill("SIGKILL");
      await pipe.close();
      // A branch that was not reached yet is none.
      await git(at, ["fsck", "--strict", "--connectivity-only"]);
      assertEquals((await said(at, ["ls-files"])).split("\n").length, 50);
    }
  });
});
