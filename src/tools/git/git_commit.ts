/** `git_commit`: makes a commit of what is staged. */

import { ToolError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import type { Infer, Schema } from "../../core/schema.ts";
import type { Tool } from "../../core/tool.ts";
import { checkWord, invalid } from "../../toolkit/words.ts";
import { changedNames, filesOf } from "./_diff.ts";
import { committer } from "./_identity.ts";
import { openSettled } from "../../toolkit/git/cut_short.ts";
import { moving, RECORDING } from "../../toolkit/git/moves.ts";
import { hookNeeds, Hooks, HOOKS_RUN, HOOKS_SKIPPED } from "./_hooks.ts";
import { splitNul } from "../../toolkit/git/names.ts";
import { type RawChange, readChanges } from "../../toolkit/git/raw_changes.ts";
import { listOf, requireWhole } from "../../toolkit/git/change.ts";
import { isAllowed, shown } from "../../toolkit/git/paths.ts";
import { look } from "../../toolkit/git/place.ts";
import { gitError, gitNeeds, READS, type Repository } from "../../toolkit/git/repository.ts";
import { headOf } from "../../toolkit/git/revisions.ts";
import { REPOSITORY } from "./_schemas.ts";

const input = {
  type: "object",
  properties: {
    repository: REPOSITORY,
    message: {
      type: "string",
      minLength: 1,
      maxLength: 100_000,
      description: "A subject, and after an empty line what else there is to say.",
    },
    amend: {
      type: "boolean",
      default: false,
      description: "In place of the last commit, which stays in the reflog.",
    },
    allow_empty: { type: "boolean", default: false, description: "Even where nothing is staged." },
    author: {
      type: "string",
      minLength: 3,
      maxLength: 300,
      description: "As in: Name <name@example.org>.",
    },
  },
  required: ["message"],
} as const satisfies Schema;

const output = {
  type: "object",
  properties: {
    hash: {
      oneOf: [{ type: "string" }, { type: "null" }],
      description: "Of the new commit; null of a preview.",
    },
    branch: {
      oneOf: [{ type: "string" }, { type: "null" }],
      description: "Where it was made; null where HEAD is detached.",
    },
    subject: { type: "string", description: "The first line of its message." },
    files_changed: { type: "integer", description: "How many files it changes." },
    added_lines: { type: "integer", description: "In all of them." },
    removed_lines: { type: "integer", description: "Likewise." },
    replaced: { type: "string", description: "The hash of the commit that it was amended from." },
    hooks_run: HOOKS_RUN,
    hooks_skipped: HOOKS_SKIPPED,
  },
  required: ["hash", "branch", "subject", "files_changed", "added_lines", "removed_lines"],
} as const satisfies Schema;

type Output = Infer<typeof output>;

/** Of the preview, which only looks. */
interface Chosen {
  readonly only_look?: true;
}

/** githooks(5): those that a commit runs. */
const HOOKS = ["pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "post-rewrite"];

const tool: Tool<typeof input, typeof output, Chosen> = {
  name: "git_commit",
  category: "git",
  description:
    "Makes a commit of what is staged (git_add stages) and answers its hash and what it changes. Hooks of the " +
    "repository that did not run are named in hooks_skipped; nothing is signed.",
  risk: "moderate",
  riskOfPrograms: true,
  permission: "git_operations",
  input,
  output,
  examples: [
    { note: "of what is staged", args: { message: "Say what is wrong with a bad port" } },
    { note: "once more, better said", args: { message: "Say what is wrong", amend: true } },
  ],
  describe: ({ message, amend }) =>
    `Git commit${amend ? " --amend" : ""}: ${printable(message.split("\n")[0] ?? "", 100)}`,
  check({ message, author }) {
    checkWord("message", message);
    if (message.trim() === "") throw invalid("message", "says nothing");
    if (author === undefined) return;
    checkWord("author", author);
    if (!/^[^<>\n]+ <[^<>\n\s]+>$/.test(author)) {
      throw invalid("author", "must be as in: Name <name@example.org>");
    }
  },
  dryRun: (input) => ({ ...input, only_look: true }),
  capabilities: ({ repository, amend, allow_empty, only_look }, { git }) =>
    only_look === true ? gitNeeds(repository, ["status"], READS) : [
      ...gitNeeds(
        repository,
        ["commit", ...(amend ? ["--amend"] : []), ...(allow_empty ? ["--allow-empty"] : [])],
        { access: "write", risk: "moderate", because: "makes a commit" },
      ),
      ...hookNeeds(git, repository, HOOKS),
    ],
  preview: (input) => ({ action: tool.describe(input), message: input.message }),
  async run({ repository: folder, message, amend, allow_empty, author, only_look }, context) {
    const found = await openSettled(tool.name, context, folder);
    const head = await headOf(found);
    const whole = { amend, allow_empty, born: head.hash !== null };
    const names = amend ? HOOKS : HOOKS.filter((name) => name !== "post-rewrite");
    const hooks = await Hooks.of(found, context, names, only_look === true);
    await requireCommittable(found, whole);
    if (only_look === true) {
      const staged = await stagedCounts(found);
      const subject = subjectOf(message);
      return { hash: null, branch: head.branch, subject, ...staged, ...hooks.told };
    }
    await hooks.run("pre-commit");
    const prepared = await hooks.run("prepare-commit-msg", { message, words: ["message"] });
    const text = await hooks.run("commit-msg", { message: prepared });
    // They may have staged something else, and changed what the repository says.
    const changed = hooks.told.hooks_run !== undefined;
    const repository = changed ? await openSettled(tool.name, context, folder) : found;
    if (changed) await requireCommittable(repository, whole);
    const env = await committer(repository, context);
    const words = [
      ...["commit", "--quiet", "--no-verify", "--no-gpg-sign", "--no-status", "--file=-"],
      ...["--cleanup=whitespace", ...(amend ? ["--amend"] : [])],
      ...(allow_empty ? ["--allow-empty"] : []),
      ...(author === undefined ? [] : [`--author=${author}`]),
    ];
    const { status, stderr } = await moving(
      repository,
      RECORDING,
      () =>
        repository.git(words, {
          ...{ stdin: new TextEncoder().encode(text), changes: "git", good: [0, 1, 128], env },
        }),
    );
    if (status !== 0) throw gitError(tool.name, stderr);
    const { hash, branch } = await headOf(repository);
    if (hash === null) throw new Error("a commit was made and HEAD names none");
    const made = await repository.git([
      ...["show", "--format=", "-m", "--first-parent", "--raw", "--numstat", "-z", "--no-abbrev"],
      ...["--no-ext-diff", "--no-textconv", hash, "--"],
    ]);
    const counts = countsOf(repository, made.bytes);
    const replaced = amend && head.hash !== null ? { replaced: head.hash } : {};
    await hooks.after("post-commit");
    if (amend) await hooks.after("post-rewrite", ["amend"], `${head.hash ?? hash} ${hash}\n`);
    return { hash, branch, subject: subjectOf(text), ...counts, ...replaced, ...hooks.told };
  },
};

function subjectOf(message: string): string {
  return message.trim().split("\n")[0] ?? "";
}

/** Throws GIT_ERROR where files are in conflict or nothing is staged, PATH_DENIED for what the policy keeps from the agent. */
async function requireCommittable(
  repository: Repository,
  { amend, allow_empty, born }: {
    readonly amend: boolean;
    readonly allow_empty: boolean;
    readonly born: boolean;
  },
): Promise<void> {
  const conflicts = await repository.git(["ls-files", "--unmerged", "-z"]);
  if (conflicts.bytes.length > 0) {
    throw new ToolError(
      "GIT_ERROR",
      `${tool.name}: files are in conflict; settle them and stage them first (git_status names them)`,
    );
  }
  const staged = await stagedChanges(repository, born);
  // What is only taken away holds nothing of it.
  const denied = staged.filter(({ letter, path }) =>
    letter !== "D" && !isAllowed(repository, "read", path)
  ).map(({ path }) => shown(repository, path));
  if (denied.length > 0) {
    throw new ToolError(
      "PATH_DENIED",
      `${tool.name}: ${
        listOf(denied)
      } is staged, and the policy's paths deny it, or do not plainly allow it; ` +
        "take it out of the index (git restore --staged PATH), nothing was committed",
      { details: { denied: denied.slice(0, 100) } },
    );
  }
  const merging = look(repository.files, `${repository.folder}/MERGE_HEAD`) !== null;
  if (amend || allow_empty || merging || staged.length > 0) return;
  throw new ToolError(
    "GIT_ERROR",
    `${tool.name}: nothing is staged; git_add stages changes, allow_empty: true does without`,
  );
}

/** What is in the index and not as in HEAD. */
async function stagedChanges(
  repository: Repository,
  born: boolean,
): Promise<readonly Pick<RawChange, "letter" | "path">[]> {
  if (!born) {
    const { bytes, truncated } = await repository.git(["ls-files", "-z"]);
    requireWhole(repository, truncated);
    return splitNul(bytes).map((path) => ({ letter: "A", path }));
  }
  const { changes, truncated } = await changedNames(repository, STAGED);
  requireWhole(repository, truncated);
  return changes;
}

const STAGED = { command: ["diff", "--cached"], revisions: [], paths: [] };

type Counts = Pick<Output, "files_changed" | "added_lines" | "removed_lines">;

async function stagedCounts(repository: Repository): Promise<Counts> {
  const { bytes } = await repository.git([
    ...["diff", "--cached", "--raw", "--numstat", "-z", "--no-abbrev"],
    ...["--no-ext-diff", "--no-textconv", "--"],
  ]);
  return countsOf(repository, bytes);
}

function countsOf(repository: Repository, bytes: Uint8Array): Counts {
  const files = filesOf(repository, readChanges(bytes));
  const sum = (of: "added_lines" | "removed_lines") =>
    files.reduce((count, file) => count + file[of], 0);
  return {
    files_changed: files.length,
    added_lines: sum("added_lines"),
    removed_lines: sum("removed_lines"),
  };
}

export default tool;
