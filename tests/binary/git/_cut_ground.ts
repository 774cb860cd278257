/** Repositories, all alike, in one workspace, of which git tools are killed in the middle. */

import { assertEquals } from "@std/assert";
import { comesToBe } from "../../until.ts";
import { git, makeRepository } from "../../unit/tools/git/_history.ts";
import { copyFolder } from "../../unit/tools/git/_hostile.ts";
import { type Answer, Pipe, Workspace } from "../toolgate.ts";
import { isGitElsewhere, untilNoGit } from "./_cut_short.ts";
import { HeldFile } from "./_held_file.ts";

/** What git knows and the tools may not read. */
export const SHUT = "shut";

export const POLICY = `version: 1
risk: { allow: dangerous, ask: dangerous }
paths:
  - { allow: [read, write], match: ["**"] }
  - { deny: [write], match: ["**/.git/**"] }
  - { deny: [read, write], match: ["**/${SHUT}"] }
commands: [{ allow: [git] }]
git: { identity: { name: Agent, email: agent@example.org }, protocols: [file] }
timeouts: { default: 60s }
`;

export const FILES = 42;
export const name = (at: number) => `d${at % 7}/f${at}`;

export type Call = readonly [tool: string, args: Record<string, unknown>];

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
  Deno.writeTextFileSync(`${root}/${SHUT}`, "one\n");
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
export function edit(root: string): void {
  for (let at = 2; at < FILES; at += 3) {
    Deno.writeTextFileSync(`${root}/${name(at)}`, `work ${at}\n`.repeat(300));
  }
}

/** A repository in the workspace, as others are. */
export interface Ground {
  readonly root: string;
  /** Of a worktree of it, relative to the workspace. */
  readonly place: string;
  /** By a process that is not killed, and does what is asked in all of them. */
  readonly ask: (call: Call, more?: Record<string, unknown>) => Promise<Answer>;
  /** By one of its own that is killed once a git of it has come to a file. */
  readonly kill: (call: Call, file: string) => Promise<void>;
  /** By one of its own under another policy. */
  readonly askUnder: (policy: string, call: Call) => Promise<Answer>;
  readonly begin: () => Pipe;
}

export const asked = (
  repository: string,
  [tool, args]: Call,
  more: Record<string, unknown> = {},
) => ({
  id: 1,
  tool,
  args: { ...(tool === "run_command" ? { cwd: repository } : { repository }), ...args },
  ...more,
});

/** Makes repositories, all alike, in one workspace. */
export async function withGrounds(
  test: (lay: () => Promise<Ground>) => Promise<void>,
): Promise<void> {
  await using workspace = new Workspace({});
  const template = `${workspace.base}/template`;
  await makeBranches(template);
  const begin = (policy = POLICY) =>
    new Pipe(["--policy", workspace.policy(policy), "--quiet"], { cwd: workspace.root });
  const pipe = begin();
  let laid = 0;
  await test(async () => {
    const repository = `r${++laid}`;
    const root = workspace.path(repository);
    copyFolder(template, root);
    await git(root, ["update-index", "-q", "--refresh"]);
    return {
      root,
      place: `.toolgate/worktrees/${repository}`,
      begin,
      ask: async (call, more) => {
        const ask = () => pipe.ask(asked(repository, call, more));
        let answer = await ask();
        const isLocked = () => answer.error?.message.includes(".lock is there") === true;
        // One that goes on for longer is none of a test.
        await comesToBe(async () => {
          if (!isLocked() || !isGitElsewhere(workspace.root)) return true;
          answer = await ask();
          return !isLocked();
        });
        return answer;
      },
      kill: async (call, file) => {
        await using held = await HeldFile.hold(file);
        const killed = begin();
        await killed.send(asked(repository, call));
        const answer = killed.next();
        const came = await Promise.race([held.wanted(), answer]);
        assertEquals(came, true, `${call[0]} before ${file}`);
        killed.process.kill("SIGKILL");
        await killed.process.status;
        assertEquals(await answer, null);
        await killed.close();
        await untilNoGit(root);
      },
      askUnder: async (policy, call) => {
        const other = begin(policy);
        const answer = await other.ask(asked(repository, call));
        await other.close();
        return answer;
      },
    };
  });
  assertEquals((await pipe.close()).status, 0);
}
