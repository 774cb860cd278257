/** `git_worktree`: further working files of the same repository, each on a branch of its own. */

import { ToolError } from "../../core/errors.ts";
import { printable, quoted } from "../../core/printable.ts";
import type { Capability } from "../../core/capability.ts";
import type { Infer, Schema } from "../../core/schema.ts";
import type { Tool, ToolContext } from "../../core/tool.ts";
import { checkWord, invalid } from "../../toolkit/words.ts";
import { requireWritable } from "../../toolkit/git/change.ts";
import { openSettled } from "../../toolkit/git/cut_short.ts";
import { seenFrom, takeBack, unmake } from "../../toolkit/git/half_made.ts";
import { type Adds, moving, RECORDING, removeFiles } from "../../toolkit/git/moves.ts";
import { bytesOf, isText } from "../../toolkit/git/names.ts";
import { openWorktree } from "../../toolkit/git/open_worktree.ts";
import { isAllowed, shown } from "../../toolkit/git/paths.ts";
import { look } from "../../toolkit/git/place.ts";
import { LFS_POINTERS, pointersAmong } from "../../toolkit/git/pointers.ts";
import { gitNeeds, type GitUse, READS, type Repository } from "../../toolkit/git/repository.ts";
import { findCommits, headOf, noCommit } from "../../toolkit/git/revisions.ts";
import { holdsMore, takeAway } from "../../toolkit/git/take_away.ts";
import {
  layOut,
  layOutMissing,
  leftIn,
  pathsIn,
  requireLeavesOut,
} from "../../toolkit/git/worktree_files.ts";
import { hookNeeds, Hooks, HOOKS_RUN, HOOKS_SKIPPED } from "./_hooks.ts";
import { type CloneStep, takeStep } from "./_clones.ts";
import {
  listedOf,
  ofRules,
  unmergedOf,
  WORKTREE,
  type Worktree,
  worktreesOf,
} from "./_worktrees.ts";
import { checkBranch, checkRevision, LEFT_OUT, REPOSITORY, revisionSchema } from "./_schemas.ts";

const input = {
  type: "object",
  properties: {
    repository: REPOSITORY,
    action: {
      type: "string",
      enum: ["list", "add", "remove", "prune"],
      description: "What is to be done. prune forgets those whose folders are gone.",
    },
    path: {
      type: "string",
      minLength: 1,
      maxLength: 4095,
      description:
        "Its folder; of a new one: one of git.worktrees by the branch's name, if not given.",
    },
    branch: revisionSchema("The branch of a new one: made where there is none."),
    from: revisionSchema("Where a new branch begins: HEAD unless given."),
  },
  required: ["action"],
} as const satisfies Schema;

const HASH = { oneOf: [{ type: "string" }, { type: "null" }] } as const;

const output = {
  type: "object",
  properties: {
    worktrees: {
      type: "array",
      items: WORKTREE,
      description: "All there are afterwards, the repository's own first.",
    },
    removed: {
      type: "object",
      properties: {
        path: { type: "string", description: "Where it was." },
        branch: { ...HASH, description: "Its branch, which stays." },
        hash: { ...HASH, description: "What its HEAD was." },
        unmerged: {
          type: "integer",
          description:
            "Commits of it that are on no other branch and no remote's: on its own still.",
        },
      },
      required: ["path", "branch", "hash", "unmerged"],
      description: "What was removed. Of a preview: would be.",
    },
    left_out: LEFT_OUT,
    lfs_pointers: LFS_POINTERS,
    hooks_run: HOOKS_RUN,
    hooks_skipped: HOOKS_SKIPPED,
  },
  required: ["worktrees"],
} as const satisfies Schema;

interface Chosen {
  /** Of the preview, which only looks. */
  readonly only_look?: true;
  /** Of who makes them for agents, and asks for no more: neither for the others nor for what its files hold. */
  readonly unlisted?: true;
  /** Likewise: its folder is there, made just now, and nothing in it, which git sees to. */
  readonly folder_made?: true;
  /** Of who makes child agents, in place of the action. */
  readonly clone?: CloneStep;
  /** Likewise: what is to be removed was looked at just now. */
  readonly looked?: true;
  /** Likewise: one whose missing files are put back. */
  readonly missing?: string;
  /** Likewise: one that a process that is gone had begun to make. */
  readonly begun?: { readonly place: string; readonly branch: string };
}

type Input = Infer<typeof input> & Chosen;
type Output = Infer<typeof output>;

const tool: Tool<typeof input, typeof output, Chosen> = {
  name: "git_worktree",
  category: "git",
  description:
    "Lists, makes and removes further working files of a repository, each on a branch of its own, below the folder " +
    "git.worktrees of the policy. One that holds anything that is not committed is not removed; branches stay.",
  risk: "moderate",
  riskOfPrograms: true,
  permission: "git_operations",
  input,
  output,
  examples: [
    { note: "all of them", args: { action: "list" } },
    { note: "one for a new branch", args: { action: "add", branch: "try-this" } },
  ],
  describe: ({ action, path, branch }) =>
    `Git worktree: ${action} ${printable(path ?? branch ?? "", 80)}`.trimEnd(),
  check({ action, path, branch, from }) {
    checkBranch("branch", branch);
    checkRevision("from", from);
    if (path !== undefined) checkWord("path", path);
    const takes = (name: string, given: boolean, actions: readonly string[]) => {
      if (given && !actions.includes(action)) throw invalid(name, `does not go with ${action}`);
    };
    takes("path", path !== undefined, ["add", "remove"]);
    takes("branch", branch !== undefined, ["add"]);
    takes("from", from !== undefined, ["add"]);
    if (action === "add" && branch === undefined) throw invalid("branch", "must be given");
    if (action === "remove" && path === undefined) throw invalid("path", "must be given");
  },
  dryRun: (input) => ({ ...input, only_look: true }),
  capabilities: (input, { git }) => [
    ...gitNeeds(input.repository, wordsOf(input), useOf(input)),
    ...(git !== undefined && input.action === "add" && input.only_look !== true
      ? [folderOf(git.worktrees), ...hookNeeds(git, input.repository, HOOKS)]
      : []),
  ],
  preview: (input) => ({ action: tool.describe(input) }),
  async run(input, context) {
    if (input.clone !== undefined) {
      await takeStep(tool.name, context, input.clone);
      return { worktrees: [] };
    }
    const repository = await openSettled(tool.name, context, input.repository);
    if (input.missing !== undefined) {
      await layOutMissing(await requireWorktree(repository, context, input.missing));
      return { worktrees: [] };
    }
    if (input.begun !== undefined) {
      const isGone = await takeBack(repository, context, input.begun);
      return { worktrees: isGone ? [] : [keptOf(input.begun)] };
    }
    requireOutside(context, input);
    let removed: Output["removed"];
    const added = input.action === "add" ? await add(repository, context, input) : {};
    if (input.action === "remove") removed = await remove(repository, context, input);
    if (input.action === "prune" && input.only_look !== true) {
      await repository.git(["worktree", "prune", "--expire=now"], { changes: "git" });
    }
    return {
      worktrees: input.unlisted === true ? [] : await worktreesOf(repository, context),
      ...(removed === undefined ? {} : { removed }),
      ...added,
    };
  },
};

/** As far as it concerns who asks. */
function keptOf({ place, branch }: NonNullable<Chosen["begun"]>): Worktree {
  return { path: place, branch, hash: null, dirty: true, locked: false, gone: false };
}

/** The folder that worktrees lie in is made beforehand: the kernel's rules for git speak of what is there. */
function folderOf(path: string): Capability {
  return { kind: "fs.write", path, tree: true, contents: "any", optional: true };
}

/** GIT_ERROR where an agent that has a worktree of its own would make, or take away, others. */
function requireOutside({ git }: ToolContext, { action, only_look }: Input): void {
  if (git.home === null || action === "list" || only_look === true) return;
  throw new ToolError(
    "GIT_ERROR",
    `${tool.name}: agent ${git.home.agent} works in a worktree of its own; others are made and removed from the ` +
      "repository's workspace",
  );
}

/** As one would type it: what rules are held against. */
function wordsOf(
  { action, path, branch, from, only_look, clone, missing, begun }: Input,
): readonly string[] {
  if (begun !== undefined) return ["worktree", "remove", begun.place];
  if (clone !== undefined) return ["clone", ".", clone.place];
  if (missing !== undefined) return ["checkout-index", "--all"];
  if (only_look === true || action === "list") return ["worktree", "list"];
  if (action === "prune") return ["worktree", "prune"];
  if (action === "remove") return ["worktree", "remove", path ?? ""];
  const named = [branch, from].filter((one) => one !== undefined);
  return ["worktree", "add", ...(path === undefined ? [] : [path]), ...named];
}

function useOf({ action, only_look, clone, missing, begun }: Input): GitUse {
  const isOwn = [clone, missing, begun].some((step) => step !== undefined);
  if (!isOwn && (action === "list" || only_look === true)) {
    return READS;
  }
  return { access: "write", risk: "moderate", because: "makes or removes working files" };
}

/** Where a new one is made. Throws GIT_ERROR and PATH_DENIED. */
function placeOf(
  repository: Repository,
  { git }: ToolContext,
  { path, branch = "", folder_made: isMade }: Input,
): string {
  const { files } = repository;
  const named = path === undefined
    ? `${git.worktrees}/${branch.replaceAll(/[^A-Za-z0-9._-]/g, "-")}`
    : path.startsWith("/")
    ? files.display(path)
    : path;
  const parts = named.split("/").filter((part) => part !== "" && part !== ".");
  const place = parts.join("/");
  const below = place.startsWith(`${git.worktrees}/`);
  if (named.startsWith("/") || parts.includes("..") || !below || !isText(bytesOf(named))) {
    throw new ToolError(
      "PATH_DENIED",
      `${tool.name}: worktrees are made below ${
        quoted(git.worktrees)
      } (git.worktrees of the policy), and ${quoted(path ?? "")} is not`,
    );
  }
  if (isMade === true || look(files, place) === null) return place;
  throw new ToolError("FILE_EXISTS", `${tool.name}: ${quoted(place)} is there already`);
}

/** githooks(5): run in the new one. */
const HOOKS = ["post-checkout"];

/** Makes it; the files that the policy keeps out of it, and what else is to be told. */
async function add(
  repository: Repository,
  context: ToolContext,
  input: Input,
): Promise<Omit<Output, "worktrees">> {
  const { branch = "", from = "HEAD" } = input;
  const place = placeOf(repository, context, input);
  const named = [`refs/heads/${branch}`, from, "HEAD"] as const;
  const [known, start, head] = await findCommits(repository, named);
  if (known !== null && input.from !== undefined) {
    throw new ToolError("GIT_ERROR", `${tool.name}: there is a branch ${quoted(branch)} already`);
  }
  const hash = known ?? start ?? noCommit(repository, from);
  const paths = await pathsIn(repository, hash);
  // Judged as what they are in the repository: a rule that denies the folder of worktrees speaks of no file of theirs.
  const denied = paths.filter((path) => !isAllowed(repository, "write", path));
  if (denied.length > 0 && denied.length === paths.length) {
    requireWritable(repository, denied, "it");
  }
  if (denied.length > 0) await requireLeavesOut(repository);
  const names = denied.map((path) => shown({ root: place }, path));
  const leftOut = names.length === 0 ? {} : { left_out: names };
  if (input.only_look === true) {
    return { ...leftOut, ...(await Hooks.of(repository, context, HOOKS, true)).told };
  }
  const how = known === null ? ["-b", branch, "--no-track"] : [];
  // Locked for as long as its files are not there.
  const whole = denied.length === 0 ? [] : ["--no-checkout", "--lock"];
  const adds = { place, branch: known === null ? branch : null, hash };
  makeFolder(context, context.git.worktrees);
  let isMade = false;
  try {
    const words = [
      ...["worktree", "add", "--quiet", ...whole, ...how, "--"],
      ...[seenFrom(repository, place), known === null ? hash : branch],
    ];
    const worktree = await moving(repository, { head, steps: [], adds }, async () => {
      await repository.git(words, { changes: "workspace" });
      isMade = true;
      const made = await requireWorktree(repository, context, place);
      if (denied.length > 0) await layOut(made, denied);
      if (denied.length > 0) await removeFiles(made, made.folder, [`${made.folder}/locked`]);
      return made;
    });
    const hooks = await Hooks.of(worktree, context, HOOKS);
    await hooks.after("post-checkout", ["0".repeat(hash.length), hash, "1"]);
    const pointers = input.unlisted === true ? {} : await pointersAmong(worktree, paths);
    return { ...leftOut, ...pointers, ...hooks.told };
  } catch (error) {
    // What was begun and could not be done (a full disk) leaves nothing.
    const undone = isMade
      ? unmake(repository, context, adds, { justNow: true })
      : dropBranch(repository, adds);
    await undone.catch(() => {});
    throw ofRules(error, context, place);
  }
}

/** Where git itself gave up: it takes away what it has made but the branch, which may be that of one that another call has made. */
async function dropBranch(repository: Repository, { branch, hash }: Adds): Promise<void> {
  const worktrees = await listedOf(repository);
  if (branch === null || worktrees.some((one) => one.branch === branch)) return;
  await repository.git(["update-ref", "-d", `refs/heads/${branch}`, hash], {
    changes: "git",
    good: [0, 1, 128],
  });
}

async function requireWorktree(repository: Repository, context: ToolContext, place: string) {
  const worktree = await openWorktree(repository, context, place);
  if (worktree !== null) return worktree;
  throw new ToolError(
    "GIT_ERROR",
    `${tool.name}: ${quoted(place)} is no worktree of the repository`,
  );
}

/** That it lies where the policy denies writing is no hindrance: git writes there. */
function makeFolder({ files, processes }: ToolContext, path: string): void {
  if (processes.makeFolder(["git"], path)) return;
  try {
    files.createDirectory(path, { parents: true });
  } catch (error) {
    // Git makes it, as far as it can.
    if (!(error instanceof ToolError)) throw error;
  }
}

async function remove(
  repository: Repository,
  context: ToolContext,
  { path = "", only_look, looked, unlisted }: Input,
): Promise<Output["removed"]> {
  const wanted = repository.files.display(path).replace(/\/+$/, "");
  const take = async (worktree: Repository) => {
    await takeAway(worktree, context);
    // There is nothing left of it but what the repository knows.
    const words = ["worktree", "remove", "--", seenFrom(repository, wanted)];
    await repository.git(words, { changes: "git" });
  };
  if (looked === true) {
    await take(await requireWorktree(repository, context, wanted));
    return undefined;
  }
  const [own, ...others] = await listedOf(repository);
  const found = others.find((one) => one.path === wanted);
  if (found === undefined) {
    throw new ToolError(
      "GIT_ERROR",
      `${tool.name}: ${quoted(path)} is ${
        own?.path === wanted ? "the repository itself" : "none of its worktrees"
      }`,
    );
  }
  if (found.locked) throw new ToolError("GIT_ERROR", `${tool.name}: ${quoted(path)} is locked`);
  const worktree = found.gone ? null : await openWorktree(repository, context, wanted);
  if (worktree === null) {
    throw new ToolError(
      "GIT_ERROR",
      `${tool.name}: ${
        quoted(path)
      } cannot be looked at, or is gone; prune forgets those that are gone`,
    );
  }
  const left = await leftIn(worktree, "matching");
  if (left.length > 0) throw holdsMore(worktree, left);
  const { branch, hash } = await headOf(worktree);
  if (branch === null && hash !== null && await unmergedOf(repository, hash, null) > 0) {
    throw new ToolError(
      "GIT_ERROR",
      `${tool.name}: the commits of ${
        quoted(path)
      } are on no branch: git_branch with from ${hash} keeps them`,
    );
  }
  if (only_look === true && unlisted === true) return undefined;
  const unmerged = hash === null ? 0 : await unmergedOf(repository, hash, branch);
  if (only_look !== true) {
    const { folder } = worktree;
    const removes = hash === null ? {} : { removes: { place: wanted, folder, hash } };
    await moving(repository, { ...RECORDING, ...removes }, () => take(worktree));
  }
  return { path: wanted, branch, hash, unmerged };
}

export default tool;
