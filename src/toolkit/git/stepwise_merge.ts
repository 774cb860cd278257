/**
 * A merge in steps of its own, beside changed files that may not be read: git-merge(1) puts all that is not committed into a
 * stash before it begins (builtin/merge.c, save_state), for which it reads it. What is left is what it leaves.
 */

import { joinedBytes } from "../../core/bytes.ts";
import { ToolError } from "../../core/errors.ts";
import type { Hold } from "../../core/tool.ts";
import { uncommitted } from "./change.ts";
import { doMerge, type Merged, type MergedTree, mergeTree, type Merging } from "./merging.ts";
import { moving } from "./moves.ts";
import { encoded, textOf } from "./names.ts";
import { isAllowed } from "./paths.ts";
import type { Repository } from "./repository.ts";
import { type Head, headOf } from "./revisions.ts";

/** Whether a file that git knows was changed, for all that can be told, and may not be read. */
export async function hasUnread(repository: Repository): Promise<boolean> {
  const { unstaged } = await uncommitted(repository);
  return unstaged.some((path) => !isAllowed(repository, "read", path));
}

/** As {@linkcode doMerge}, which it leaves it to where the repository cannot be held: nothing keeps git from reading there. */
export async function mergeStepwise(
  repository: Repository,
  head: Head,
  theirs: string,
  merging: Merging,
): Promise<Merged> {
  const done = head.hash === null ? null : await moving(
    repository,
    { head: head.hash, steps: [], merged: theirs },
    async (held) => {
      const hold = held ?? repository.hold();
      try {
        return hold === null ? null : await inSteps(repository, hold, head, theirs, merging);
      } finally {
        if (hold !== held) hold?.release();
      }
    },
  );
  return done ?? await doMerge(repository, head, theirs, merging);
}

async function inSteps(
  repository: Repository,
  hold: Hold,
  { hash: head }: Head,
  theirs: string,
  { strategy, text, env, commit = true }: Merging,
): Promise<Merged> {
  const seen = async () => (await headOf(repository)).hash;
  const merged = await mergeTree(repository, ["HEAD", theirs], { changes: "git" });
  if (head === null || await seen() !== head) {
    throw new ToolError("GIT_ERROR", `${repository.tool}: HEAD was moved meanwhile`);
  }
  // What is staged would go into the merge: of submodules too, which nobody has looked at yet.
  const tree = async (words: readonly string[]) =>
    textOf((await repository.git(words, { changes: "git" })).bytes).trim();
  if (await tree(["write-tree"]) !== await tree(["rev-parse", "--verify", `${head}^{tree}`])) {
    throw new ToolError(
      "GIT_ERROR",
      `${repository.tool}: something is staged that is not committed; nothing was changed`,
    );
  }
  const state = {
    MERGE_HEAD: `${theirs}\n`,
    MERGE_MODE: strategy === "no_ff" ? "no-ff" : "",
    MERGE_MSG: messageOf(text, merged),
  };
  await repository.git(["update-ref", "ORIG_HEAD", head], { changes: "git" });
  // Files last: whoever finds some of them half written finds what they belong to.
  await underWay(repository, hold, state, () => layOut(repository, head, merged.tree));
  const { conflicts } = merged;
  if (conflicts.length > 0) {
    await stageConflicts(repository, head, merged);
    return { hash: null, conflicts };
  }
  if (!commit) return { hash: null, conflicts };
  await repository.git([
    ...["commit", "--quiet", "--no-verify", "--no-gpg-sign", "--no-status", "--file=-"],
    "--cleanup=whitespace",
  ], {
    stdin: encoded(text),
    changes: "git",
    env: { ...env, GIT_REFLOG_ACTION: `merge ${theirs}` },
  });
  return { hash: await seen(), conflicts };
}

/** As sequencer.c has it in append_conflicts_hint. */
function messageOf(text: string, { conflicted }: MergedTree): string {
  const message = text.endsWith("\n") ? text : `${text}\n`;
  if (conflicted.length === 0) return message;
  const comment = (path: Uint8Array) => new TextDecoder().decode(path).replaceAll("\n", "\n# ");
  const names = conflicted.map((path) => `#\t${comment(path)}\n`);
  return `${message}\n# Conflicts:\n${names.join("")}`;
}

/** Says that a merge is under way (builtin/merge.c, write_merge_state), unless it cannot be laid out. */
async function underWay(
  { tool, folder }: Repository,
  hold: Hold,
  state: Readonly<Record<string, string>>,
  lay: () => Promise<void>,
): Promise<void> {
  try {
    const isWritten = Object.entries(state).every(([name, text]) => hold.write(name, text));
    if (!isWritten) throw new ToolError("GIT_ERROR", `${tool}: ${folder} cannot be written in`);
    await lay();
  } catch (error) {
    for (const name of Object.keys(state)) hold.remove(name);
    throw error;
  }
}

/** What the merge comes to, in files and index. */
async function layOut(repository: Repository, head: string, tree: string): Promise<void> {
  const files = { changes: "files" } as const;
  // Times alone that differ would stand in the way.
  await repository.git(["update-index", "-q", "--refresh"], { ...files, good: [0, 1] });
  await repository.git(["read-tree", "-m", "-u", "--no-recurse-submodules", head, tree], files);
}

/** As merge-ort.c does it in record_conflicted_index_entries. */
async function stageConflicts(
  repository: Repository,
  head: string,
  { tree, conflicted, stages }: MergedTree,
): Promise<void> {
  await repository.git(["update-ref", "AUTO_MERGE", tree], { changes: "git" });
  const gone = encoded(`0 ${"0".repeat(head.length)}\t`);
  const [before, after] = [conflicted.map((path) => [gone, path]), stages.map((one) => [one])];
  await repository.git(["update-index", "-z", "--index-info"], {
    changes: "git",
    stdin: joinedBytes([...before, ...after].flatMap((record) => [...record, END])),
  });
}

const END = Uint8Array.of(0);
