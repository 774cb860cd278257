/** A repository under a policy that gives some agents worktrees of their own. */

import { git, makeRepository } from "../../unit/tools/git/_history.ts";
import type { Caller } from "../_gate.ts";
import { Workspace } from "../toolgate.ts";

/** `worker-*` work apart, `root` where everybody does. */
export const POLICY = `version: 1
risk: { allow: dangerous, ask: dangerous }
paths:
  - { allow: [read, write], match: ["**"] }
  - { deny: [write], match: [".git/**", ".toolgate/**"] }
commands: [{ allow: [git, sh, cat, echo, pwd] }]
environment: { pass: [PATH] }
git: { identity: { name: Agent, email: agent@example.org } }
agents:
  root: { permissions: [all] }
  "worker-*": { permissions: [all], worktree: true }
`;

/** With a workspace whose repository has one commit, and the file of a policy. */
export async function inRepository(
  test: (workspace: Workspace, policy: string) => Promise<void>,
  policy = POLICY,
): Promise<void> {
  await using workspace = new Workspace({});
  const { root } = workspace;
  await makeRepository(root);
  Deno.writeTextFileSync(`${root}/a`, "one\n");
  Deno.writeTextFileSync(`${root}/.gitignore`, ".toolgate\n");
  await git(root, ["add", "--all"]);
  await git(root, ["commit", "-qm", "one"]);
  await test(workspace, workspace.policy(policy));
  await git(root, ["fsck", "--strict"]);
}

/** Where the worktree of an agent lies, from the workspace. */
export const placeOf = (agent: string) => `.toolgate/worktrees/${agent}`;

/** What `git_status` answers a client of MCP whose first words these are. */
export async function statusByMcp(client: Caller): Promise<string> {
  await client.send({
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "test", version: "1" },
    },
  });
  await client.next();
  await client.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  await client.send({
    jsonrpc: "2.0",
    id: 2,
    method: "tools/call",
    params: { name: "git_status", arguments: {} },
  });
  return JSON.stringify(await client.next());
}

/** Waits until it is so. */
export async function until(found: () => boolean): Promise<void> {
  while (!found()) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** Whether anything has that name. */
export function exists(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}
