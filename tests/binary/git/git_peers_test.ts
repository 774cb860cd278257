/** Repositories of the workspace that git in a line speaks with: fetched from and pushed to, and what their settings could run. */

import { assert, assertEquals } from "@std/assert";
import { plainShell, type RunLine, withGitGround } from "./_git_ground.ts";
import type { Workspace } from "../toolgate.ts";

const POLICY = `version: 1
paths:
  - { allow: [read, write], match: ["**"] }
  - { deny: [write], match: ["**/.git/**"], reason: internals }
commands: [{ allow: [git, cat, echo, cd, ls, touch] }]
risk: { allow: dangerous, ask: dangerous }
git: { protocols: [https, file] }
`;
const HISTORY = `set -e
git init -q -b main && echo one > a.txt && git add . && git commit -qm one
git branch topic
git clone -q . copy && cd copy && echo two > a.txt && git commit -qam two && cd ..
git clone -q --bare . hub.git
git clone -q . ../elsewhere
`;

const WORKS: readonly (readonly [line: string, prints: string])[] = [
  ["git fetch -q copy main && git log -1 --format=%s FETCH_HEAD", "two\n"],
  ["git fetch -q file://$PWD/copy main:there && git log -1 --format=%s there", "two\n"],
  ["git fetch -q ./copy/.git main && git log -1 --format=%s FETCH_HEAD", "two\n"],
  [
    "cd copy && git fetch -q && git push -q ../hub.git main && git ls-remote --exit-code ../hub main > ../listed",
    "",
  ],
  ["git fetch --all", ""],
  ["git -C copy fetch -q origin topic && git -C copy log -1 --format=%s FETCH_HEAD", "one\n"],
  ["git push -q hub topic:other && git --git-dir=hub.git log -1 --format=%s other", "one\n"],
  ["git clone -q --depth 1 file://$PWD/copy shallow && git -C shallow log --format=%s", "two\n"],
  ["GIT_EDITOR=true git commit -q --amend && git log -1 --format=%s", "one\n"],
  ["GIT_SEQUENCE_EDITOR=true git -C copy rebase -q -i HEAD~1 && cat copy/a.txt", "two\n"],
  ["touch -d 2001-01-01 a.txt && git status -uno --short && git diff-files --name-only", ""],
];

const REFUSED: readonly (readonly [line: string, says: string])[] = [
  ["git -C copy push -q origin HEAD:refs/heads/x", "fetch from here there"],
  ["git -C copy push -q ../.git HEAD:refs/heads/x", "fetch from here there"],
  ["git fetch -q file://$PWD/../elsewhere main", "no repository"],
  ["git clone -q file://$PWD/../elsewhere y", "outside"],
  ["git fetch -q ./nowhere", "no repository"],
  ["git merge -q topic there", "merged by a script"],
  ["git merge -s resolve topic", "merged by a script"],
];

const MARK = "echo pwned > mark; touch pwned";
/** What a repository says is run when another speaks with it, and the line that has it run. */
const HOSTILE: readonly (readonly [settings: string, line: string])[] = [
  [
    `git config remote.evil.url ./copy; git config remote.evil.uploadpack "${MARK}; git-upload-pack"`,
    "git fetch -q evil",
  ],
  [
    `git config remote.evil.url ./hub.git; git config remote.evil.receivepack "${MARK}; git-receive-pack"`,
    "git push -q evil topic:t",
  ],
  [
    `git config branch.main.remote evil; git config remote.evil.url ./copy; git config remote.evil.uploadpack "${MARK}; git-upload-pack"`,
    "git fetch -q",
  ],
  [
    `git -C copy config core.alternateRefsCommand "${MARK} #"; echo "$PWD/hub.git/objects" > copy/.git/objects/info/alternates`,
    "git push -q ./copy topic:t",
  ],
  [
    `git --git-dir=hub.git config core.alternateRefsCommand "${MARK} #"; echo "$PWD/copy/.git/objects" > hub.git/objects/info/alternates`,
    "git push -q hub topic:t",
  ],
  [
    `echo '[include] path = more' >> .git/config; printf '[remote "evil"]\\nurl = ./copy\\nuploadpack = ${MARK}; git-upload-pack\\n' > .git/more`,
    "git fetch -q evil",
  ],
  ...["git fetch -q --all", "git remote update"].map((line) =>
    [
      `git config remote.evil.url ./copy; git config remote.evil.uploadpack "${MARK}; git-upload-pack"`,
      line,
    ] as const
  ),
  [
    `git -C copy config core.alternateRefsCommand "${MARK} #"; echo "$PWD/hub.git/objects" > copy/.git/objects/info/alternates`,
    "git push -q --repo=./copy --all",
  ],
];

async function shell(workspace: Workspace, script: string): Promise<string> {
  return (await plainShell(workspace, script)).stdout;
}

async function withRepositories(
  use: (workspace: Workspace, run: RunLine) => Promise<void>,
): Promise<void> {
  await withGitGround({ history: HISTORY, policy: POLICY }, use);
}

Deno.test("git in a line fetches from repositories of the workspace, and pushes to those that have no working files", async () => {
  await withRepositories(async (_, run) => {
    for (const [line, prints] of WORKS) {
      const { output, error } = await run(line);
      const stdout = output?.stdout ?? error?.details?.stdout;
      assertEquals([line, error?.code, stdout], [line, undefined, prints], error?.message);
    }
  });
});

Deno.test("git in a line is refused before it starts where the other repository is out of reach, or would be half written", async () => {
  await withRepositories(async (workspace, run) => {
    await shell(workspace, "git branch there");
    const state = "find . -not -path '*/objects/*' -type f -printf '%p %T@\\n' | sort";
    const before = await shell(workspace, state);
    for (const [line, says] of REFUSED) {
      const { error } = await run(line);
      assertEquals([line, error?.code], [line, "PATH_DENIED"], error?.message);
      assert(error?.message.includes(says), `${line}: ${error?.message}`);
      assertEquals(await shell(workspace, state), before, line);
    }
  });
});

Deno.test("no setting of either repository has git run something else when they speak", async () => {
  for (const [settings, line] of HOSTILE) {
    await withRepositories(async (workspace, run) => {
      const marks = async () => (await shell(workspace, "find . -name mark -o -name pwned")).trim();
      await shell(workspace, settings);
      const { error } = await run(line);
      assertEquals([line, error?.code], [line, "PATH_DENIED"], error?.message);
      assert(/says what is run/.test(error?.message ?? ""), `${line}: ${error?.message}`);
      assertEquals([line, await marks()], [line, ""]);
      // The control: git alone runs it.
      await shell(workspace, line);
      assert((await marks()) !== "", `${settings} is no attack`);
    });
  }
});
