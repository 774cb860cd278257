/** `git_push`: gives a remote what a branch has. */

import { ToolError } from "../../core/errors.ts";
import { printable, quoted } from "../../core/printable.ts";
import type { Infer, Schema } from "../../core/schema.ts";
import type { Tool, ToolContext } from "../../core/tool.ts";
import { hookNeeds, Hooks, HOOKS_RUN, HOOKS_SKIPPED, hooksSkipped } from "./_hooks.ts";
import { openSettled } from "../../toolkit/git/cut_short.ts";
import { moving, RECORDING } from "../../toolkit/git/moves.ts";
import { textOf } from "../../toolkit/git/names.ts";
import { FarRepository } from "./_far_remote.ts";
import { moveRef, remoteOf, tipAt, transfer } from "./_remote.ts";
import { gitNeeds, READS, type Repository } from "../../toolkit/git/repository.ts";
import { headOf } from "../../toolkit/git/revisions.ts";
import { checkBranch, LAST_SEEN, REPOSITORY, revisionSchema } from "./_schemas.ts";

const input = {
  type: "object",
  properties: {
    repository: REPOSITORY,
    remote: { ...revisionSchema("The remote, by its name."), default: "origin" },
    branch: revisionSchema("What is given, under the same name; HEAD's branch unless given."),
    set_upstream: { type: "boolean", default: false, description: "The branch follows it then." },
    force: {
      type: "boolean",
      default: false,
      description: "Even where the remote's branch has other commits: those that were last seen.",
    },
  },
} as const satisfies Schema;

const HASH = { oneOf: [{ type: "string" }, { type: "null" }] } as const;

const output = {
  type: "object",
  properties: {
    updates: {
      type: "array",
      items: {
        type: "object",
        properties: {
          ref: { type: "string", description: "Of the remote." },
          from: { ...HASH, description: "What it was: brings back what force took away." },
          to: { ...HASH, description: "What it is now. Of a preview: would be." },
          status: {
            type: "string",
            enum: ["created", "updated", "forced", "up_to_date"],
            description: "What became of it.",
          },
        },
        required: ["ref", "from", "to", "status"],
      },
      description: "The branch there.",
    },
    last_seen: LAST_SEEN,
    hooks_run: HOOKS_RUN,
    hooks_skipped: HOOKS_SKIPPED,
  },
  required: ["updates"],
} as const satisfies Schema;

/** Of the preview, which only looks. */
interface Chosen {
  readonly only_look?: true;
}

type Input = Infer<typeof input> & Chosen;
type Output = Infer<typeof output>;
type Status = Output["updates"][number]["status"];

const tool: Tool<typeof input, typeof output, Chosen> = {
  name: "git_push",
  category: "git",
  description:
    "Gives a remote the commits of a branch. Refused where the remote has others, unless force says so and they are " +
    "those last seen. Remotes are reached by https where a network rule opens the host to git push, or are repositories " +
    "of the workspace where git.protocols names file.",
  risk: "dangerous",
  riskOfPrograms: true,
  permission: "git_operations",
  input,
  output,
  examples: [
    { note: "the branch that is checked out", args: {} },
    { note: "and follow it", args: { branch: "other", set_upstream: true } },
  ],
  describe: ({ remote, branch = "", force }) =>
    `Git push: ${printable(remote, 80)} ${printable(branch, 80)}`.trimEnd() +
    (force ? " (force)" : ""),
  check({ remote, branch }) {
    checkBranch("remote", remote);
    checkBranch("branch", branch);
  },
  dryRun: (input) => ({ ...input, only_look: true }),
  capabilities({ repository, remote, branch, set_upstream, force, only_look }, { git }) {
    if (only_look === true) return gitNeeds(repository, ["status"], READS);
    const options = [
      ...(set_upstream ? ["--set-upstream"] : []),
      ...(force ? ["--force-with-lease"] : []),
    ];
    const named = branch === undefined ? [] : [branch];
    // Where the policy names no transport but paths, nothing leaves the workspace; without force nothing is lost there.
    const stays = git?.protocols.every((one) => one === "file") === true;
    const hooks = hookNeeds(git, repository, HOOKS);
    return [
      ...hooks,
      ...gitNeeds(repository, ["push", ...options, remote, ...named], {
        access: "write",
        risk: stays && !force ? "moderate" : "dangerous",
        because: force
          ? "replaces what others may have"
          : stays
          ? "moves a branch of another repository forward"
          : "gives commits away",
      }),
    ];
  },
  preview: (input) => ({ action: tool.describe(input) }),
  run: (input, context) => push(input, context),
};

/** githooks(5): here, and there. */
const HOOKS = ["pre-push"];
const REMOTE_HOOKS = ["pre-receive", "update", "post-receive", "post-update"];

async function push(input: Input, context: ToolContext): Promise<Output> {
  const repository = await openSettled(tool.name, context, input.repository, true);
  const branch = input.branch ?? (await headOf(repository)).branch;
  if (branch === null) throw refused("HEAD is on no branch, so branch must say which one is meant");
  const ref = `refs/heads/${branch}`;
  const to = await tipAt(repository, ref);
  if (to === null) throw refused(`there is no branch ${quoted(branch)}, or no commit on it`);
  const remote = await remoteOf(repository, context, input.remote, "push");
  const tracking = `refs/remotes/${input.remote}/${branch}`;
  const seen = await tipAt(repository, tracking);
  const hooks = await Hooks.of(repository, context, HOOKS, input.only_look === true);
  const none = "0".repeat(to.length);
  const address = remote.kind === "near" ? remote.repository.root : remote.address;
  const before = async (from: string | null) => {
    const stdin = `${ref} ${to} ${ref} ${from ?? none}\n`;
    await hooks.run("pre-push", { words: [input.remote, address], stdin });
  };
  const update = { repository, ref, to, seen, before };
  const given = remote.kind === "near"
    ? await pushNear(context, remote.repository, update, input)
    : input.only_look === true
    ? { ...await foundOut({ ...update, from: seen }, input.force), last_seen: true as const }
    : await FarRepository.with(
      { repository, context, far: remote },
      (there) => pushFar(there, update, input),
    );
  const skipped = [
    ...hooks.told.hooks_skipped ?? [],
    ...(remote.kind === "near"
      ? (await hooksSkipped(remote.repository, REMOTE_HOOKS)).hooks_skipped ?? []
      : []),
  ];
  if (input.only_look !== true) {
    const upstream = input.set_upstream ? [["remote", input.remote], ["merge", ref]] as const : [];
    await moving(repository, { ...RECORDING, refs: [tracking] }, async () => {
      if (seen !== to) await moveRef(repository, tracking, { from: seen, to, why: "git_push" });
      for (const [key, value] of upstream) {
        await repository.git(["config", `branch.${branch}.${key}`, value], { changes: "git" });
      }
    });
  }
  const { from, status, ...more } = given;
  return {
    updates: [{ ref, from, to, status }],
    ...more,
    ...hooks.told,
    ...(skipped.length === 0 ? {} : { hooks_skipped: skipped }),
  };
}

interface Given {
  readonly from: string | null;
  readonly status: Status;
  readonly last_seen?: true;
}

/** Into another repository of the workspace. */
async function pushNear(
  context: ToolContext,
  remote: Repository,
  update: Omit<Update, "from">,
  { force, only_look }: Input,
): Promise<Given> {
  const { repository, ref, to } = update;
  const from = await tipAt(remote, ref);
  const bare = remote.root === remote.folder;
  if (from !== to && !bare && await isCheckedOut(remote, ref)) {
    throw refused(`${quoted(ref)} is checked out in the remote: its files would be left behind`);
  }
  const found = await foundOut({ ...update, from }, force);
  if (found.status === "forced") await requireBackward(remote);
  if (only_look === true || found.status === "up_to_date") return found;
  await update.before(from);
  await transfer(context, repository, remote, { ref, hash: to });
  await moveRef(remote, ref, { from, to, why: "git_push" });
  return found;
}

/** To another machine, which says what it takes. */
async function pushFar(
  there: FarRepository,
  update: Omit<Update, "from">,
  { force }: Input,
): Promise<Given> {
  const { ref, to } = update;
  const from = await there.tip(ref);
  const found = await foundOut({ ...update, from }, force);
  if (found.status === "up_to_date") return found;
  await update.before(from);
  await there.push(ref, { from, to });
  return found;
}

interface Update {
  readonly repository: Repository;
  readonly ref: string;
  readonly from: string | null;
  readonly to: string;
  /** What the branch there was when it was last seen. */
  readonly seen: string | null;
  /** Runs what wants to look at it before it goes over. Throws GIT_ERROR. */
  readonly before: (from: string | null) => Promise<void>;
}

/** What the update comes to. Throws GIT_ERROR where it must not be. */
async function foundOut(
  { repository, from, to, seen }: Omit<Update, "before" | "ref">,
  force: boolean,
): Promise<Given> {
  if (from === to) return { from, status: "up_to_date" };
  if (from === null) return { from, status: "created" };
  const { status } = await repository.git(["merge-base", "--is-ancestor", from, to], {
    good: [0, 1, 128],
  });
  if (status === 0) return { from, status: "updated" };
  if (!force) {
    throw refused(
      "the remote's branch has commits that this one has not; git_pull brings them in, force: true replaces them",
    );
  }
  if (seen !== from) {
    throw refused(
      "the remote's branch is not what it was when it was last seen, so it is not replaced; git_pull looks at it",
    );
  }
  return { from, status: "forced" };
}

/** Throws GIT_ERROR where the remote takes no branch that is not forward. */
async function requireBackward(remote: Repository): Promise<void> {
  const { bytes } = await remote.git(
    ["config", "--includes", "--type=bool", "--get", "receive.denyNonFastForwards"],
    { good: [0, 1], own: true },
  );
  if (textOf(bytes).trim() === "true") {
    throw refused("the remote takes no branch that is not forward");
  }
}

async function isCheckedOut(remote: Repository, ref: string): Promise<boolean> {
  const { bytes } = await remote.git(["symbolic-ref", "--quiet", "HEAD"], { good: [0, 1] });
  return textOf(bytes).trim() === ref;
}

function refused(why: string): ToolError {
  return new ToolError("GIT_ERROR", `${tool.name}: ${why}`);
}

export default tool;
