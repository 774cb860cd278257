/** Linked worktrees: the repository of one. */

import type { ToolContext } from "../../core/tool.ts";
import { textOf } from "./names.ts";
import { inside, look, within } from "./place.ts";
import { openAt, type Repository } from "./repository.ts";

/** The repository of a worktree's folder, where it is one of this repository's; null where it is not. */
export async function openWorktree(
  repository: Repository,
  context: ToolContext,
  root: string,
): Promise<Repository | null> {
  const { tool, common, files } = repository;
  if (root === repository.root) return repository;
  const dot = within(root, ".git");
  const type = look(files, dot)?.type;
  if (type === "directory") return await openAt(tool, context, { root, folder: dot }, false);
  if (type !== "file") return null;
  const target = /^gitdir: ([^\n]+)\n*$/.exec(textOf(files.read(dot, 4096).bytes))?.[1];
  const folder = target === undefined ? null : inside(files, root, target);
  if (folder === null || look(files, folder) === null) return null;
  const open = await openAt(tool, context, { root, folder }, false);
  return open.common === common ? open : null;
}
