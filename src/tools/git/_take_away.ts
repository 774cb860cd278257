/**
 * Worktrees that are taken away: of a folder that was looked at, only what is recorded goes, file by file, and then the
 * folder, where nothing else is in it. So what comes there after the look stays, also what git is told to ignore.
 */

import { ToolError } from "../../core/errors.ts";
import { quoted } from "../../core/printable.ts";
import type { ToolContext } from "../../core/tool.ts";
import { listOf } from "../../toolkit/git/change.ts";
import { removeFiles } from "../../toolkit/git/moves.ts";
import { look } from "../../toolkit/git/place.ts";
import type { Repository } from "../../toolkit/git/repository.ts";
import { headOf } from "../../toolkit/git/revisions.ts";
import { layOutMissing, leftIn } from "./_worktrees.ts";

/** The index that files are taken away by: the worktree's own says all along what must be put back. */
const TAKEN = "toolgate-taken";
/** Of no file at all (git's "empty tree"), by the length of hashes. */
const NO_FILES: Readonly<Record<number, string>> = {
  40: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
  64: "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
};

/** Its files and its folder; of the repository nothing. Throws GIT_ERROR where it holds anything else, with all put back. */
export async function takeAway(worktree: Repository, context: ToolContext): Promise<void> {
  const { files, folder, root, tool } = worktree;
  // A repository of its own for each submodule that was ever laid out.
  if (look(files, `${folder}/modules`) !== null) {
    throw new ToolError("GIT_ERROR", `${tool}: ${quoted(root)} holds submodules`);
  }
  if (look(files, `${folder}/locked`) !== null) {
    throw new ToolError("GIT_ERROR", `${tool}: ${quoted(root)} is locked`);
  }
  const { hash } = await headOf(worktree);
  const dropIndex = async () => {
    const names = [TAKEN, `${TAKEN}.lock`].map((name) => `${folder}/${name}`);
    await removeFiles(worktree, folder, names.filter((name) => look(files, name) !== null));
  };
  // Of one who was killed over it.
  await dropIndex();
  let refused: unknown = null;
  try {
    if (hash !== null) await takeFiles(worktree, hash);
    if (context.processes.removeBare(["git"], root, ".git")) return;
  } catch (error) {
    refused = error;
  }
  await dropIndex();
  if (hash !== null) await layOutMissing(worktree);
  const left = await leftIn(worktree, "matching");
  throw left.length === 0 && refused !== null ? refused : holdsMore(worktree, left);
}

/** Git looks at each once more, and takes none that is not what it was, nor any other. */
async function takeFiles(worktree: Repository, hash: string): Promise<void> {
  const { folder, root } = worktree;
  const up = root.split("/").map(() => "..").join("/");
  const index = folder.startsWith("/") ? `${folder}/${TAKEN}` : `${up}/${folder}/${TAKEN}`;
  const env = { GIT_INDEX_FILE: index };
  await worktree.git(["read-tree", "-m", `--index-output=${index}`, hash], { changes: "git" });
  await worktree.git(["update-index", "-q", "--refresh"], { changes: "git", env, good: [0, 1] });
  const nothing = NO_FILES[hash.length] ?? "";
  await worktree.git(["read-tree", "-m", "-u", hash, nothing], { changes: "files", env });
}

/** What to say of a worktree that is not taken away. `left`: what was found in it. */
export function holdsMore({ tool, root }: Repository, left: readonly string[]): ToolError {
  return new ToolError(
    "GIT_ERROR",
    `${tool}: ${quoted(root)} holds what is not committed: ${
      left.length === 0 ? "something that came and went, or cannot be taken away" : listOf(left)
    }; commit it or delete it first`,
    { details: { left: left.slice(0, 100) } },
  );
}
