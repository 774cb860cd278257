/** `git_status`: what stands where between the last commit, the index and the files. */

import { joinedBytes } from "../../core/bytes.ts";
import { printable } from "../../core/printable.ts";
import type { Infer, Schema } from "../../core/schema.ts";
import type { Tool } from "../../core/tool.ts";
import { afterFields, emptyTree } from "../../toolkit/git/change.ts";
import { encoded, splitNul, textOf } from "../../toolkit/git/names.ts";
import { isAllowed, shown } from "../../toolkit/git/paths.ts";
import { look, within } from "../../toolkit/git/place.ts";
import { gitNeeds, openRepository, READS, type Repository } from "../../toolkit/git/repository.ts";
import { headOf } from "../../toolkit/git/revisions.ts";
import { CHANGE, CHANGES, LEFT_OUT, REPOSITORY, TRUNCATED } from "./_schemas.ts";

const input = {
  type: "object",
  properties: { repository: REPOSITORY },
} as const satisfies Schema;

const ENTRIES = {
  type: "array",
  items: {
    type: "object",
    properties: {
      path: { type: "string", description: "Relative to the workspace." },
      change: CHANGE,
      from: { type: "string", description: "Where it was renamed or copied from." },
    },
    required: ["path", "change"],
  },
} as const;

const PATHS = { type: "array", items: { type: "string" } } as const;

const output = {
  type: "object",
  properties: {
    branch: {
      oneOf: [{ type: "string" }, { type: "null" }],
      description: "Null where HEAD is detached.",
    },
    hash: {
      oneOf: [{ type: "string" }, { type: "null" }],
      description: "Of HEAD; null before the first commit.",
    },
    detached: { type: "boolean", description: "Whether HEAD names a commit and no branch." },
    upstream: { type: "string", description: "The branch that it follows, where it has one." },
    ahead: { type: "integer", description: "Commits that the upstream has not." },
    behind: { type: "integer", description: "Commits of the upstream that are not here." },
    staged: { ...ENTRIES, description: "What a commit would take." },
    unstaged: { ...ENTRIES, description: "What was changed since." },
    untracked: { ...PATHS, description: "What git does not know; a folder ends with a slash." },
    conflicted: { ...PATHS, description: "What a merge left to be settled." },
    clean: { type: "boolean", description: "Whether there is none of all that." },
    operation: {
      type: "string",
      enum: ["merge", "rebase", "cherry_pick", "revert", "bisect"],
      description: "What is under way, where something is.",
    },
    left_out: LEFT_OUT,
    truncated: TRUNCATED,
  },
  required: [
    ...["branch", "hash", "detached", "ahead", "behind", "staged", "unstaged", "untracked"],
    ...["conflicted", "clean", "truncated"],
  ],
} as const satisfies Schema;

type Output = Infer<typeof output>;
type Entry = Output["staged"][number];

/** Files of `.git` that say what is under way (gitrepository-layout(5), git-rebase(1)). */
const OPERATIONS = [
  ["rebase-merge", "rebase"],
  ["rebase-apply", "rebase"],
  ["MERGE_HEAD", "merge"],
  ["CHERRY_PICK_HEAD", "cherry_pick"],
  ["REVERT_HEAD", "revert"],
  ["BISECT_LOG", "bisect"],
] as const;

const tool: Tool<typeof input, typeof output> = {
  name: "git_status",
  category: "git",
  description:
    "Shows the branch, how far it is from its upstream, and which files are staged, changed, untracked or in " +
    "conflict. What lies in submodules is not looked at.",
  risk: "safe",
  permission: "git_operations",
  input,
  output,
  examples: [{ note: "of the workspace", args: {} }],
  describe: ({ repository }) => `Git status: ${printable(repository)}`,
  capabilities: ({ repository }) => gitNeeds(repository, ["status"], READS),
  // It changes nothing: what it would do is what it does.
  dryRun: (input) => input,
  async run({ repository: folder }, context) {
    const repository = await openRepository(tool.name, context, folder);
    const { bytes, truncated } = await repository.git([
      ...["status", "--porcelain=v2", "-z", "--branch", "--untracked-files=normal"],
      ...["--ignore-submodules=all", "--find-renames"],
    ]);
    const records = [...splitNul(bytes), ...await submodulesStaged(repository)];
    const read = readStatus(repository, records);
    const operation = OPERATIONS.find(([name]) =>
      repository.files.find(`${repository.folder}/${name}`) !== null
    )?.[1];
    return { ...read, ...(operation === undefined ? {} : { operation }), truncated };
  },
};

/**
 * What is staged of submodules, as git-status(1) has it: it says nothing of them where it may not look into them. No other
 * repository needs a start more.
 */
async function submodulesStaged(repository: Repository): Promise<readonly Uint8Array[]> {
  if (look(repository.files, within(repository.root, ".gitmodules")) === null) return [];
  const { hash } = await headOf(repository);
  const { bytes } = await repository.git([
    ...["diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev"],
    ...["--ignore-submodules=dirty", hash ?? await emptyTree(repository), "--"],
  ]);
  return splitNul(bytes).flatMap((facts, at, all) => {
    const [before = "", after = "", , , letter = ""] = textOf(facts).slice(1).split(" ");
    const isOne = at % 2 === 0 && [before, after].includes(SUBMODULE);
    // As many fields as there are before the path of any.
    return isOne ? [joinedBytes([encoded(`1 ${letter}. - - - - - - `), all[at + 1]!])] : [];
  });
}

/** The mode of a submodule (gitdatamodel(7)). */
const SUBMODULE = "160000";

/** git-status(1), "Porcelain Format Version 2": how many fields stand before the path. */
const FIELDS: Readonly<Record<string, number>> = { "1": 8, "2": 9, u: 10, "?": 1 };

function readStatus(
  repository: Repository,
  records: readonly Uint8Array[],
): Omit<Output, "truncated" | "operation"> {
  const headers = new Map<string, string>();
  const staged: Entry[] = [];
  const unstaged: Entry[] = [];
  const untracked: string[] = [];
  const conflicted: string[] = [];
  const leftOut: string[] = [];
  for (let at = 0; at < records.length; at++) {
    const record = records[at]!;
    const kind = String.fromCharCode(record[0] ?? 0);
    if (kind === "#") {
      const [, name = "", value = ""] = /^# (\S+) (.*)$/s.exec(textOf(record)) ?? [];
      headers.set(name, value);
      continue;
    }
    const count = FIELDS[kind];
    if (count === undefined) continue;
    const path = afterFields(record, count);
    const origin = kind === "2" ? records[++at] : undefined;
    const denied = [path, ...(origin === undefined ? [] : [origin])]
      .filter((one) => !isAllowed(repository, "read", one));
    if (denied.length > 0) {
      leftOut.push(...denied.map((one) => shown(repository, one)));
      continue;
    }
    const name = shown(repository, path);
    const [, x = ".", y = "."] = /^. (.)(.)/.exec(textOf(record.subarray(0, 4))) ?? [];
    if (kind === "?") untracked.push(name);
    else if (kind === "u") conflicted.push(name);
    else {
      const from = origin === undefined ? null : shown(repository, origin);
      if (x !== ".") staged.push(entryOf(name, x, from));
      if (y !== ".") unstaged.push(entryOf(name, y, from));
    }
  }
  const head = headers.get("branch.head") ?? "";
  const hash = headers.get("branch.oid") ?? "";
  const upstream = headers.get("branch.upstream");
  const [, ahead = "0", behind = "0"] = /^\+(\d+) -(\d+)$/.exec(headers.get("branch.ab") ?? "") ??
    [];
  const detached = head === "(detached)";
  const count = staged.length + unstaged.length + untracked.length + conflicted.length;
  return {
    branch: detached ? null : head,
    hash: hash === "(initial)" ? null : hash,
    detached,
    ...(upstream === undefined ? {} : { upstream }),
    ahead: Number(ahead),
    behind: Number(behind),
    staged,
    unstaged,
    untracked,
    conflicted,
    clean: count + leftOut.length === 0,
    ...(leftOut.length === 0 ? {} : { left_out: leftOut }),
  };
}

function entryOf(path: string, letter: string, from: string | null): Entry {
  const change = CHANGES[letter] ?? "modified";
  const moved = from !== null && (letter === "R" || letter === "C");
  return { path, change, ...(moved ? { from } : {}) };
}

export default tool;
