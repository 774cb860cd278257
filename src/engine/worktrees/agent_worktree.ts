/** The worktree of an agent that the policy gives one: found, or made with a branch of its own. */

import { ToolError } from "../../core/errors.ts";
import type { CanonicalPath } from "../../core/capability.ts";
import { grantOf } from "../../policy/grant.ts";
import type { CommandEngine } from "../create_engine.ts";
import { subjectOf } from "../judge/decide_call.ts";
import { needsOf } from "../judge/needs.ts";
import { atOnce } from "../turns.ts";
import type { Worktree } from "./place_policies.ts";

/** The branch that its commits go to. */
export function branchOf(agent: string): string {
  return `toolgate/${nameOf(agent)}`;
}

/** Of a folder and of a branch: no agent's name gives another's (git-check-ref-format(1) minds dots). */
function nameOf(agent: string): string {
  return agent.replaceAll(".", "%2E");
}

/** Where the agent's worktree is, or would be. `worktrees`: the policy's `git.worktrees`. */
export function placeOf(workspace: CanonicalPath, worktrees: string, agent: string): string {
  return `${workspace === "/" ? "" : workspace}/${worktrees}/${nameOf(agent)}`;
}

/**
 * The agent's worktree where there is one: tied to the repository of this very workspace, and it to the worktree. Null
 * where nothing is there. Throws GIT_ERROR for what is there and is none, and NOT_A_REPOSITORY.
 */
export function findWorktree(
  workspace: CanonicalPath,
  worktrees: string,
  agent: string,
): Worktree | null {
  const common = `${workspace === "/" ? "" : workspace}/.git`;
  if (typeOf(common) !== "directory" || typeOf(`${common}/HEAD`) === null) {
    throw new ToolError(
      "NOT_A_REPOSITORY",
      `agent ${agent} works in a git worktree (agents.worktree), and the workspace is no git repository`,
    );
  }
  const root = placeOf(workspace, worktrees, agent);
  if (typeOf(root) === null) return null;
  const own = /^gitdir: ([^\n]+)\n*$/.exec(textIn(`${root}/.git`))?.[1] ?? "";
  const tied = own.startsWith(`${common}/worktrees/`) &&
    !own.slice(`${common}/worktrees/`.length).includes("/") &&
    realPath(own) === own && realPath(root) === root &&
    textIn(`${own}/gitdir`).trim() === `${root}/.git` &&
    ["../..", common].includes(textIn(`${own}/commondir`).trim());
  if (tied) return { root: root as CanonicalPath, home: { agent, common, own } };
  throw new ToolError(
    "GIT_ERROR",
    `agent ${agent} cannot work in ${worktrees}/${
      nameOf(agent)
    }: what is there is no worktree of this repository; ` +
      "move it away",
  );
}

/** Makes it by the tool that makes worktrees, held as every call is. Throws what the tool throws. */
export async function makeWorktree(
  engine: CommandEngine,
  agent: string,
): Promise<void> {
  const { settings } = engine.rulebook;
  const path = `${settings.git.worktrees}/${nameOf(agent)}`;
  const add = { repository: ".", action: "add", branch: branchOf(agent), path };
  try {
    await runTool(engine, agent, add);
  } catch (error) {
    // One whose folder somebody deleted is known to git still.
    if (!(error instanceof ToolError) || error.code !== "GIT_ERROR") throw error;
    await runTool(engine, agent, { repository: ".", action: "prune" });
    await runTool(engine, agent, add);
  }
}

const TOOL = "git_worktree";

/** The policy wants the worktree: the agent itself is not asked for leave to make one. */
async function runTool(
  engine: CommandEngine,
  agent: string,
  input: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { rulebook, registry, resolver, recorder } = engine;
  const tool = await registry.get(TOOL);
  const needs = await needsOf(tool, input, false, rulebook.settings);
  await engine.prepare(needs, tool);
  const resolved = atOnce(resolver.resolveInSteps(needs));
  const subject = subjectOf(tool, agent);
  const decision = rulebook.decide(subject, resolved);
  const record = recorder.begin({
    id: null,
    tool: TOOL,
    args: input,
    agent,
    timeoutMs: null,
    preview: false,
    stream: false,
  });
  record.decided(tool, input, { ...decision, effect: "allow", rule: null });
  const grant = grantOf(resolved, rulebook.settings, rulebook.timeoutOf(TOOL));
  const started = performance.now();
  const job = { tool, input, grant, preview: false, stream: false, subject };
  const { output, error, usage } = await engine.runner.run(job, () => {}).outcome;
  const latencyMs = performance.now() - started;
  record.ended({
    tool: TOOL,
    success: error === null,
    output,
    error,
    risk: decision.risk,
    latencyMs,
    usage,
  });
  if (error !== null) throw new ToolError(error.code, error.message);
}

function typeOf(path: string): "directory" | "other" | null {
  try {
    return Deno.lstatSync(path).isDirectory ? "directory" : "other";
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

/** Empty where there is none to be read. */
function textIn(path: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return "";
  }
}

function realPath(path: string): string | null {
  try {
    return Deno.realPathSync(path);
  } catch {
    return null;
  }
}
