/** `git_branch`: lists, makes, renames and deletes branches. */

import { ToolError } from "../../core/errors.ts";
import { printable, quoted } from "../../core/printable.ts";
import type { Infer, Schema } from "../../core/schema.ts";
import type { Tool } from "../../core/tool.ts";
import { invalid } from "../../toolkit/words.ts";
import { openSettled } from "../../toolkit/git/cut_short.ts";
import { moving, RECORDING } from "../../toolkit/git/moves.ts";
import { splitNul, textOf } from "../../toolkit/git/names.ts";
import { gitNeeds, type GitUse, READS, type Repository } from "../../toolkit/git/repository.ts";
import { findCommit, headOf, requireCommit } from "../../toolkit/git/revisions.ts";
import { checkBranch, checkRevision, REPOSITORY, revisionSchema } from "./_schemas.ts";

const input = {
  type: "object",
  properties: {
    repository: REPOSITORY,
    action: {
      type: "string",
      enum: ["list", "current", "create", "delete", "rename"],
      description: "What is to be done.",
    },
    branch_name: revisionSchema("The branch that is made, deleted or renamed."),
    new_name: revisionSchema("What it is renamed to."),
    from: revisionSchema("Where a new branch begins: HEAD unless given."),
    force: {
      type: "boolean",
      default: false,
      description: "Deletes a branch whose commits are on no other: its tip is in the answer.",
    },
  },
  required: ["action"],
} as const satisfies Schema;

const output = {
  type: "object",
  properties: {
    branches: {
      type: "array",
      items: {
        type: "object",
        properties: {
          name: { type: "string", description: "Without refs/heads/." },
          hash: { type: "string", description: "Its last commit." },
          current: { type: "boolean", description: "Whether HEAD is on it." },
          upstream: { type: "string", description: "The branch that it follows." },
          ahead: { type: "integer", description: "Commits that the upstream has not." },
          behind: { type: "integer", description: "Commits of the upstream that it has not." },
        },
        required: ["name", "hash", "current", "ahead", "behind"],
      },
      description: "All branches of this repository, as they are afterwards.",
    },
    current: {
      oneOf: [{ type: "string" }, { type: "null" }],
      description: "The branch that HEAD is on; null where it is detached.",
    },
    deleted: {
      type: "object",
      properties: {
        name: { type: "string", description: "The branch that is gone." },
        hash: { type: "string", description: "Its tip: create with this as from brings it back." },
      },
      required: ["name", "hash"],
      description: "What was deleted.",
    },
  },
  required: ["branches", "current"],
} as const satisfies Schema;

/** Of the preview, which only looks. */
interface Chosen {
  readonly only_look?: true;
}

type Input = Infer<typeof input> & Chosen;

const tool: Tool<typeof input, typeof output, Chosen> = {
  name: "git_branch",
  category: "git",
  description:
    "Lists the branches with their last commits and how far they are from what they follow, or makes, renames or " +
    "deletes one. Deleting answers the tip, from which the branch can be made again.",
  risk: "dangerous",
  riskOfPrograms: true,
  permission: "git_operations",
  input,
  output,
  examples: [
    { note: "all of them", args: { action: "list" } },
    { note: "a new one", args: { action: "create", branch_name: "topic" } },
    { note: "one that is done with", args: { action: "delete", branch_name: "other" } },
  ],
  describe: ({ action, branch_name = "", new_name }) =>
    `Git branch: ${action} ${printable(branch_name, 80)}${
      new_name === undefined ? "" : ` to ${printable(new_name, 80)}`
    }`.trimEnd(),
  check({ action, branch_name, new_name, from }) {
    checkBranch("branch_name", branch_name);
    checkBranch("new_name", new_name);
    checkRevision("from", from);
    const changes = action !== "list" && action !== "current";
    if (changes && branch_name === undefined) throw invalid("branch_name", "must be given");
    if ((action === "rename") !== (new_name !== undefined)) {
      throw invalid("new_name", "goes with rename, and only with it");
    }
    if (from !== undefined && action !== "create") throw invalid("from", "goes with create alone");
  },
  dryRun: (input) => ({ ...input, only_look: true }),
  capabilities: (input) => gitNeeds(input.repository, wordsOf(input), useOf(input)),
  preview: (input) => ({ action: tool.describe(input) }),
  async run(input, context) {
    const repository = await openSettled(tool.name, context, input.repository);
    const { hash, current } = await currentOf(repository);
    let deleted: Infer<typeof output>["deleted"];
    switch (input.action) {
      case "create":
        await create(repository, input);
        break;
      case "rename":
        await rename(repository, input);
        break;
      case "delete":
        deleted = await remove(repository, input, { hash, current });
        break;
    }
    const after = await currentOf(repository);
    const branches = await branchesOf(repository);
    return {
      branches: input.action === "current" ? branches.filter((one) => one.current) : branches,
      current: after.current,
      ...(deleted === undefined ? {} : { deleted }),
    };
  },
};

/** As one would type it: what rules are held against. */
function wordsOf({ action, branch_name = "", new_name = "", from, force, only_look }: Input) {
  if (only_look === true) return ["branch"];
  switch (action) {
    case "list":
    case "current":
      return ["branch"];
    case "create":
      return ["branch", branch_name, ...(from === undefined ? [] : [from])];
    case "rename":
      return ["branch", "-m", branch_name, new_name];
    case "delete":
      return ["branch", force ? "-D" : "-d", branch_name];
  }
}

function useOf({ action, only_look }: Input): GitUse {
  if (action === "list" || action === "current" || only_look === true) return READS;
  return action === "delete"
    ? { access: "write", risk: "dangerous", because: "deletes a branch" }
    : { access: "write", risk: "moderate", because: "changes a branch" };
}

interface Current {
  readonly hash: string | null;
  readonly current: string | null;
}

async function currentOf(repository: Repository): Promise<Current> {
  const { branch, hash } = await headOf(repository);
  return { current: branch, hash };
}

const ref = (name: string) => `refs/heads/${name}`;

async function requireFree(repository: Repository, name: string): Promise<void> {
  if (await findCommit(repository, ref(name)) === null) return;
  throw new ToolError("GIT_ERROR", `${tool.name}: there is a branch ${quoted(name)} already`);
}

async function tipOf(repository: Repository, name: string): Promise<string> {
  const hash = await findCommit(repository, ref(name));
  if (hash !== null) return hash;
  throw new ToolError("GIT_ERROR", `${tool.name}: there is no branch ${quoted(name)}`);
}

/** Noted while it goes on: one that is killed leaves locks. */
async function change(
  repository: Repository,
  branches: readonly string[],
  words: readonly string[],
): Promise<void> {
  const moves = { ...RECORDING, refs: branches.map(ref) };
  await moving(repository, moves, () => repository.git(["branch", ...words], { changes: "git" }));
}

async function create(
  repository: Repository,
  { branch_name = "", from = "HEAD", only_look }: Input,
): Promise<void> {
  await requireFree(repository, branch_name);
  const hash = await requireCommit(repository, from);
  if (only_look === true) return;
  await change(repository, [branch_name], ["--no-track", "--", branch_name, hash]);
}

async function rename(
  repository: Repository,
  { branch_name = "", new_name = "", only_look }: Input,
): Promise<void> {
  await tipOf(repository, branch_name);
  await requireFree(repository, new_name);
  if (only_look === true) return;
  await change(repository, [branch_name, new_name], ["--move", "--", branch_name, new_name]);
}

/** Commits that no other branch, tag or remote has are kept, unless told to let go of them. */
async function remove(
  repository: Repository,
  { branch_name = "", force, only_look }: Input,
  { current }: Current,
): Promise<{ readonly name: string; readonly hash: string }> {
  const hash = await tipOf(repository, branch_name);
  if (branch_name === current) {
    throw new ToolError("GIT_ERROR", `${tool.name}: ${quoted(branch_name)} is checked out`);
  }
  if (!force) {
    const { bytes } = await repository.git([
      ...["rev-list", "--count", hash, "--not", `--exclude=${ref(branch_name)}`, "--all", "HEAD"],
      ...["--"],
    ]);
    const lost = Number(textOf(bytes));
    if (lost > 0) {
      throw new ToolError(
        "GIT_ERROR",
        `${tool.name}: ${lost} of the commits of ${quoted(branch_name)} are on no other branch; ` +
          "merge it first, or delete it with force: true",
      );
    }
  }
  if (only_look !== true) {
    await change(repository, [branch_name], ["--delete", "--force", "--", branch_name]);
  }
  return { name: branch_name, hash };
}

/** git-for-each-ref(1). Names of refs have no NUL; each record ends with a newline, which none has either. */
const FORMAT = "--format=%(refname)%00%(objectname)%00%(HEAD)%00%(upstream:short)%00" +
  "%(upstream:track,nobracket)%00";
const FIELDS = 5;

async function branchesOf(repository: Repository): Promise<Infer<typeof output>["branches"]> {
  const { bytes } = await repository.git(["for-each-ref", FORMAT, "refs/heads/"]);
  const fields = splitNul(bytes).map(textOf);
  const branches: Infer<typeof output>["branches"][number][] = [];
  for (let at = 0; at + FIELDS <= fields.length; at += FIELDS) {
    const [name = "", hash = "", head = "", upstream = "", track = ""] = fields.slice(
      at,
      at + FIELDS,
    );
    const count = (word: string) => Number(new RegExp(`${word} (\\d+)`).exec(track)?.[1] ?? 0);
    branches.push({
      name: name.trimStart().replace(/^refs\/heads\//, ""),
      hash,
      current: head === "*",
      ...(upstream === "" ? {} : { upstream }),
      ahead: count("ahead"),
      behind: count("behind"),
    });
  }
  return branches;
}

export default tool;
