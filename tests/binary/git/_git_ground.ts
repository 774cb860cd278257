/** A repository that lines speak with through a pipe, as an ordinary user has it. */

import { assertEquals } from "@std/assert";
import { own } from "../../attacks/_users.ts";
import { Pipe, Workspace } from "../toolgate.ts";

/** Whose the repository is, and who speaks: nobody of power. */
export const USER = Deno.uid() === 0 ? { user: { uid: 65532, gid: 65532 } } : {};
const IDENTITY = {
  GIT_AUTHOR_NAME: "Ada",
  GIT_AUTHOR_EMAIL: "ada@example.org",
  GIT_COMMITTER_NAME: "Ada",
  GIT_COMMITTER_EMAIL: "ada@example.org",
};

/** Runs a line through the pipe: a text, or an argv. */
export type RunLine = (
  command: string | readonly string[],
  more?: { readonly timeout_ms: number },
) => ReturnType<Pipe["ask"]>;

/** What a script of the shell does in the workspace without Toolgate. */
export async function plainShell(
  workspace: Workspace,
  script: string,
  /** Ends it. */
  signal?: AbortSignal,
): Promise<{ readonly success: boolean; readonly stdout: string; readonly stderr: string }> {
  const { stdout, stderr, success } = await new Deno.Command("sh", {
    args: ["-c", script],
    cwd: workspace.root,
    env: { ...IDENTITY, HOME: workspace.outside, GIT_CONFIG_NOSYSTEM: "1" },
    ...USER.user,
    ...(signal === undefined ? {} : { signal }),
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { success, stdout: text(stdout), stderr: text(stderr) };
}

/** `history`: the script that makes the repository. */
export async function withGitGround(
  { history, policy }: { readonly history: string; readonly policy: string },
  use: (workspace: Workspace, run: RunLine, pipe: Pipe) => Promise<void>,
): Promise<void> {
  await using workspace = new Workspace();
  own(workspace.base, USER.user);
  const made = await plainShell(workspace, history);
  assertEquals([made.success, made.success ? "" : made.stderr], [true, ""]);
  const pipe = new Pipe(["--policy", workspace.policy(policy)], {
    cwd: workspace.root,
    env: IDENTITY,
    ...USER,
  });
  let id = 0;
  await use(workspace, (command, more) => {
    const words = typeof command === "string" ? { command } : { argv: command };
    return pipe.ask({ id: ++id, tool: "run_command", args: { ...words, ...more } });
  }, pipe);
  assertEquals((await pipe.close()).status, 0);
}
