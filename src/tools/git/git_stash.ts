/** `git_stash`: puts aside what is not committed, and brings it back. */

import { ToolError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import type { Infer, Schema } from "../../core/schema.ts";
import type { Tool } from "../../core/tool.ts";
import { checkWord, invalid } from "../../toolkit/words.ts";
import { openSettled } from "../../toolkit/git/cut_short.ts";
import { compare, DIFF_PROPERTIES } from "./_diff.ts";
import { shown } from "../../toolkit/git/paths.ts";
import { gitNeeds, type GitUse, READS, type Repository } from "../../toolkit/git/repository.ts";
import { LEFT_OUT, REPOSITORY } from "./_schemas.ts";
import { bringBack } from "./stash/bring_back.ts";
import { dropStash, listStashes, requireStash, STASH, type Stash } from "./stash/entries.ts";
import { LFS_POINTERS, pointersAmong } from "../../toolkit/git/pointers.ts";
import { putAside, stashed } from "./stash/put_aside.ts";

const input = {
  type: "object",
  properties: {
    repository: REPOSITORY,
    action: {
      type: "string",
      enum: ["push", "pop", "apply", "list", "show", "drop"],
      description: "What is to be done. pop is apply and, where that went well, drop.",
    },
    message: {
      type: "string",
      minLength: 1,
      maxLength: 1000,
      description: "What is put aside, in a line.",
    },
    index: {
      type: "integer",
      minimum: 0,
      maximum: 100_000,
      default: 0,
      description: "Which one: 0 is the last that was pushed.",
    },
    include_untracked: {
      type: "boolean",
      default: false,
      description: "Files that git does not know, too; not those that .gitignore names.",
    },
  },
  required: ["action"],
} as const satisfies Schema;

const output = {
  type: "object",
  properties: {
    entries: { type: "array", items: STASH, description: "All there are afterwards." },
    diff: DIFF_PROPERTIES.diff,
    files: { ...DIFF_PROPERTIES.files, description: "Of show: what it changes." },
    truncated: DIFF_PROPERTIES.truncated,
    changed: {
      type: "array",
      items: { type: "string" },
      description: "Files that were put aside, or brought back. Of a preview: that would be.",
    },
    dropped: { ...STASH, description: "What is gone; its hash brings it back (git_stash apply)." },
    left_out: LEFT_OUT,
    lfs_pointers: LFS_POINTERS,
  },
  required: ["entries"],
} as const satisfies Schema;

/** Of the preview, which only looks. */
interface Chosen {
  readonly only_look?: true;
}

type Input = Infer<typeof input> & Chosen;
type Output = Infer<typeof output>;

const tool: Tool<typeof input, typeof output, Chosen> = {
  name: "git_stash",
  category: "git",
  description:
    "Puts what is not committed aside and makes the files as they are in HEAD, brings it back, or lists, shows and " +
    "drops what was put aside. Bringing back is refused where it would lose something; what was dropped is named.",
  risk: "dangerous",
  riskOfPrograms: true,
  permission: "git_operations",
  input,
  output,
  examples: [
    { note: "put aside", args: { action: "push", message: "half done", include_untracked: true } },
    { note: "and back", args: { action: "pop" } },
  ],
  describe: ({ action, message, index }) =>
    `Git stash: ${action}${message === undefined ? "" : ` ${printable(message, 80)}`}${
      index === 0 ? "" : ` ${index}`
    }`,
  check({ action, message, index, include_untracked }) {
    if (message !== undefined) checkWord("message", message);
    if (message !== undefined && /\p{Cc}/u.test(message)) {
      throw invalid("message", "is one line");
    }
    if (action !== "push" && (message !== undefined || include_untracked)) {
      throw invalid(message === undefined ? "include_untracked" : "message", "goes with push");
    }
    if (index > 0 && (action === "push" || action === "list")) {
      throw invalid("index", `does not go with ${action}`);
    }
  },
  dryRun: (input) => ({ ...input, only_look: true }),
  capabilities: (input) => gitNeeds(input.repository, wordsOf(input), useOf(input)),
  preview: (input) => ({ action: tool.describe(input) }),
  async run(input, context) {
    const repository = await openSettled(tool.name, context, input.repository);
    const { action } = input;
    if (action === "list") return { entries: await listStashes(repository) };
    if (action === "push") return await push(repository, input);
    const stash = await requireStash(repository, input.index);
    if (action === "show") return await show(repository, stash);
    if (action === "drop") return await drop(repository, stash, input);
    const changed = await bringBack(repository, stash, input.only_look === true);
    const names = changed.map((path) => shown(repository, path));
    if (input.only_look === true) {
      return { entries: await listStashes(repository), changed: names };
    }
    const told = { changed: names, ...await pointersAmong(repository, changed) };
    if (action === "apply") return { entries: await listStashes(repository), ...told };
    return { ...await drop(repository, stash, input), ...told };
  },
};

function wordsOf({ action, index, include_untracked, only_look }: Input): readonly string[] {
  const looks = only_look === true && action !== "list" && action !== "show";
  if (looks) return ["stash", "list"];
  const untracked = include_untracked ? ["--include-untracked"] : [];
  return ["stash", action, ...(index > 0 ? [`stash@{${index}}`] : []), ...untracked];
}

function useOf({ action, only_look }: Input): GitUse {
  if (action === "list" || action === "show" || only_look === true) return READS;
  return action === "drop"
    ? { access: "write", risk: "dangerous", because: "drops what was put aside" }
    : { access: "write", risk: "moderate", because: "changes files" };
}

async function push(repository: Repository, input: Input): Promise<Output> {
  const { include_untracked: untracked } = input;
  const { taken, leftOut } = await stashed(repository, untracked);
  const names = leftOut.map((path) => shown(repository, path));
  if (taken.length === 0) {
    throw new ToolError(
      "GIT_ERROR",
      `${tool.name}: there is nothing to put aside${
        untracked ? "" : "; files that git does not know need include_untracked: true"
      }`,
      names.length === 0 ? {} : { details: { left_out: names } },
    );
  }
  if (input.only_look !== true) await putAside(repository, taken, input.message ?? null);
  return {
    entries: await listStashes(repository),
    changed: taken.map(({ path }) => shown(repository, path)),
    ...(names.length === 0 ? {} : { left_out: names }),
  };
}

async function show(repository: Repository, stash: Stash): Promise<Output> {
  const { hash } = stash;
  const comparison = { command: ["diff"], revisions: [`${hash}^1`, hash], paths: [] };
  return { entries: [stash], ...await compare(repository, comparison, 3) };
}

async function drop(repository: Repository, stash: Stash, { only_look }: Input): Promise<Output> {
  if (only_look !== true) await dropStash(repository, stash);
  return { entries: await listStashes(repository), dropped: stash };
}

export default tool;
