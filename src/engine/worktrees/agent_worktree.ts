/** The worktree of an agent that the policy gives one: found, or made with a branch of its own. */

import { ToolError } from "../../core/errors.ts";
import type { CanonicalPath } from "../../core/capability.ts";
import { baseName } from "../../core/path_text.ts";
import type { CommandEngine } from "../create_engine.ts";
import { runOwn } from "../own_call.ts";
import type { Worktree } from "./place_policies.ts";
import { realPath, textIn } from "./what_is_there.ts";

/** The branch that its commits go to. */
export function branchOf(agent: string): string {
  return `toolgate/${nameOf(agent)}`;
}

/** Of a folder and of a branch, by which both are found again: no agent's name gives another's (git-check-ref-format(1) minds dots). */
export function nameOf(agent: string): string {
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
      `agent ${agent} works in a git worktree, and the workspace itself is no git repository (it has no folder .git)`,
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

/**
 * What git calls HEAD of an agent's worktree in the repository (gitrepository-layout(5), worktrees); null where there is none, or
 * a clone in its place.
 */
export function headNameOf(
  workspace: CanonicalPath,
  worktrees: string,
  agent: string,
): string | null {
  const dot = `${placeOf(workspace, worktrees, agent)}/.git`;
  if (!textIn(dot).startsWith("gitdir: ")) return null;
  const found = findWorktree(workspace, worktrees, agent);
  return found === null ? null : `worktrees/${baseName(found.home.own)}/HEAD`;
}

/** The one that git makes where it never had another of this name. */
export function worktreeToBe(
  workspace: CanonicalPath,
  worktrees: string,
  agent: string,
): Worktree {
  const common = `${workspace === "/" ? "" : workspace}/.git`;
  const root = placeOf(workspace, worktrees, agent) as CanonicalPath;
  return { root, home: { agent, common, own: `${common}/worktrees/${nameOf(agent)}` } };
}

/** How a worktree is made. */
export interface Making {
  /** HEAD unless given. */
  readonly from?: string;
  /** Begun once git is at work. */
  readonly meanwhile?: () => void;
  /** Its folder is there, and nothing in it: false unless given. */
  readonly isFolderMade?: boolean;
}

/** Makes it by the tool that makes worktrees, held as every call is. Throws what the tool throws. */
export async function makeWorktree(
  engine: CommandEngine,
  agent: string,
  { from, meanwhile = () => {}, isFolderMade = false }: Making = {},
): Promise<void> {
  const { settings } = engine.rulebook;
  const path = `${settings.git.worktrees}/${nameOf(agent)}`;
  const begin = from === undefined ? {} : { from };
  const add = { repository: ".", action: "add", branch: branchOf(agent), path, ...begin };
  const chosen = { ...UNLISTED.chosen, ...(isFolderMade ? { folder_made: true } : {}) };
  try {
    await runOwn(engine, agent, TOOL, add, { chosen, onRunning: meanwhile });
  } catch (error) {
    // One whose folder somebody deleted is known to git still.
    const known = error instanceof ToolError && error.code === "GIT_ERROR" &&
      /missing but (?:already registered|locked)/.test(error.message);
    if (!known) throw error;
    await runOwn(engine, agent, TOOL, { repository: ".", action: "prune" }, UNLISTED);
    await runOwn(engine, agent, TOOL, add, { chosen });
  }
}

/**
 * Removes it, by the same tool: not where it holds anything that is not committed. `during`: what goes on around
 * it, once that was found not to be so; git looks again. Throws what the tool throws.
 */
export async function removeWorktree(
  engine: CommandEngine,
  agent: string,
  during: (remove: () => Promise<void>) => Promise<void> = (remove) => remove(),
): Promise<void> {
  const path = `${engine.rulebook.settings.git.worktrees}/${nameOf(agent)}`;
  const words = { repository: ".", action: "remove", path };
  const call = (step: Readonly<Record<string, true>>) =>
    runOwn(engine, agent, TOOL, words, { chosen: { ...UNLISTED.chosen, ...step } });
  await call({ only_look: true });
  await during(async () => {
    await call({ looked: true });
  });
}

/**
 * Takes it away, by the same tool, where a process that is gone had begun to make it; its branch stays. Why it is there still,
 * whole, where somebody has put anything in it; null: it is gone. Throws what the tool throws.
 */
export async function takeBackWorktree(
  engine: CommandEngine,
  agent: string,
): Promise<string | null> {
  const place = `${engine.rulebook.settings.git.worktrees}/${nameOf(agent)}`;
  const chosen = { ...UNLISTED.chosen, begun: { place, branch: branchOf(agent) } };
  const list = { repository: ".", action: "list" };
  const { worktrees } = await runOwn(engine, agent, TOOL, list, { chosen }) as {
    readonly worktrees: readonly unknown[];
  };
  return worktrees.length === 0 ? null : `somebody has put something in ${place}`;
}

/** Puts back, by the same tool, what is missing of its files; what is there stays. Throws what the tool throws. */
export async function layOutMissing(engine: CommandEngine, agent: string): Promise<void> {
  const place = `${engine.rulebook.settings.git.worktrees}/${nameOf(agent)}`;
  const chosen = { ...UNLISTED.chosen, missing: place };
  await runOwn(engine, agent, TOOL, { repository: ".", action: "list" }, { chosen });
}

const TOOL = "git_worktree";
/** The more worktrees there are the longer a list of them takes, and nobody reads it here. */
const UNLISTED = { chosen: { unlisted: true } } as const;

function typeOf(path: string): "directory" | "other" | null {
  try {
    return Deno.lstatSync(path).isDirectory ? "directory" : "other";
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}
