/** `git_add`: puts changes of files into the index, for the next commit. */

import { joinedBytes } from "../../core/bytes.ts";
import { ToolError } from "../../core/errors.ts";
import { printable, quoted } from "../../core/printable.ts";
import type { Infer, Schema } from "../../core/schema.ts";
import type { Tool } from "../../core/tool.ts";
import { checkWords, invalid } from "../../toolkit/words.ts";
import { readStatus } from "../../toolkit/git/change.ts";
import { openSettled } from "../../toolkit/git/cut_short.ts";
import { moving, RECORDING } from "../../toolkit/git/moves.ts";
import { nameOf, textOf } from "../../toolkit/git/names.ts";
import { isAllowed, ofRepository, requireAllowed, shown } from "../../toolkit/git/paths.ts";
import { gitNeeds, READS, type Repository } from "../../toolkit/git/repository.ts";
import { LEFT_OUT, pathsSchema, REPOSITORY } from "./_schemas.ts";

const input = {
  type: "object",
  properties: {
    repository: REPOSITORY,
    files: pathsSchema("What to stage: files, and folders with all that changed in them."),
    all: {
      type: "boolean",
      default: false,
      description: "Everything that changed, in place of files.",
    },
  },
} as const satisfies Schema;

const output = {
  type: "object",
  properties: {
    staged: {
      type: "array",
      items: { type: "string" },
      description: "What was staged, those that are gone too. Of a preview: what would be.",
    },
    left_out: LEFT_OUT,
    filters_skipped: {
      type: "array",
      items: { type: "string" },
      description: "Filters of the repository that did not run: contents were taken as they are.",
    },
  },
  required: ["staged"],
} as const satisfies Schema;

/** Of the preview, which only looks. */
interface Chosen {
  readonly only_look?: true;
}

type Input = Infer<typeof input> & Chosen;

const tool: Tool<typeof input, typeof output, Chosen> = {
  name: "git_add",
  category: "git",
  description:
    "Stages changes for the next commit: new, changed and deleted files, by name or all of them. What .gitignore " +
    "names is not taken, what the policy denies is refused by name and left out of folders.",
  risk: "moderate",
  riskOfPrograms: true,
  permission: "git_operations",
  input,
  output,
  examples: [
    { note: "two files", args: { files: ["README.md", "src/main.ts"] } },
    { note: "everything", args: { all: true } },
  ],
  describe: (input) => `Git add: ${input.all ? "all" : namesIn(input)}`,
  check({ files, all }) {
    if (all === (files !== undefined)) throw invalid("files", "either files or all: true");
    checkWords("files", files);
  },
  dryRun: (input) => ({ ...input, only_look: true }),
  capabilities: ({ repository, files = [], all, only_look }) =>
    only_look === true ? gitNeeds(repository, ["status"], READS) : gitNeeds(
      repository,
      ["add", ...(all ? ["--all"] : ["--", ...files])],
      { access: "write", risk: "moderate", because: "stages changes" },
    ),
  preview: (input) => ({ action: tool.describe(input), files: input.files ?? [], all: input.all }),
  async run({ repository: folder, files, only_look }, context) {
    const repository = await openSettled(tool.name, context, folder);
    const named = (files ?? []).map((path) => ofRepository(repository, path));
    const { taken, leftOut } = await changedBelow(repository, named, files ?? []);
    if (taken.length > 0 && only_look !== true) {
      await moving(repository, RECORDING, () =>
        repository.git(
          ["--literal-pathspecs", "add", "--all", "--pathspec-from-file=-", "--pathspec-file-nul"],
          { stdin: joinedBytes(taken.flatMap((path) => [path, NUL])), changes: "git" },
        ));
    }
    const filters = [...new Set([...repository.overrides.filters, ...context.git.filters])]
      .filter((name) => !repository.filters.includes(name));
    return {
      staged: taken.map((path) => shown(repository, path)),
      ...(leftOut.length === 0 ? {} : { left_out: leftOut.map((path) => shown(repository, path)) }),
      ...(filters.length === 0 ? {} : { filters_skipped: filters }),
    };
  },
};

const NUL = Uint8Array.of(0);

function namesIn({ files = [] }: Input): string {
  const names = files.slice(0, 10).map((file) => printable(file, 80)).join(", ");
  return files.length > 10 ? `${names} and ${files.length - 10} more` : names;
}

/** What differs from the index at those paths, and below them; all where none is named. */
async function changedBelow(
  repository: Repository,
  named: readonly Uint8Array[],
  words: readonly string[],
): Promise<{ readonly taken: readonly Uint8Array[]; readonly leftOut: readonly Uint8Array[] }> {
  const all = named.length === 0 || named.some((path) => path.length === 0);
  named.filter((path) => path.length > 0).forEach((path) =>
    requireAllowed(repository, "read", path)
  );
  const { bytes, truncated } = await repository.git(CHANGED);
  if (truncated) {
    throw new ToolError(
      "RESOURCE_LIMIT",
      `${tool.name}: more names have changed than limits.output lets be read; name folders apart`,
    );
  }
  const changed = readStatus(bytes).filter(({ status: [, since] }) => since !== ".");
  const found = new Map(changed.map(({ path }) => [nameOf(path), path]));
  const wanted = [...found.values()].filter((path) =>
    all || named.some((one) => isBelow(one, path))
  );
  for (const [index, one] of named.entries()) {
    if (all || wanted.some((path) => isBelow(one, path))) continue;
    await requireKnown(repository, one, words[index] ?? "");
  }
  const taken: Uint8Array[] = [];
  const leftOut: Uint8Array[] = [];
  for (const path of wanted) {
    // A repository within this one is no file of it.
    const takes = path[path.length - 1] !== SLASH && isAllowed(repository, "read", path);
    (takes ? taken : leftOut).push(path);
  }
  return { taken, leftOut };
}

const SLASH = 0x2f;
/** Submodules are no business of this one. Unlike git-diff-files(1), it tells what was only touched from what changed. */
const CHANGED = [
  ...["status", "--porcelain=v2", "-z", "--untracked-files=all", "--ignored=no"],
  ...["--ignore-submodules=all", "--no-renames"],
];

function isBelow(folder: Uint8Array, path: Uint8Array): boolean {
  return folder.every((byte, index) => path[index] === byte) &&
    (path.length === folder.length || path[folder.length] === SLASH);
}

/** What has not changed is staged already; what is ignored, or is not there, is an error. */
async function requireKnown(
  repository: Repository,
  path: Uint8Array,
  word: string,
): Promise<void> {
  const text = textOf(path);
  const { bytes } = await repository.git([
    ...["--literal-pathspecs", "ls-files", "-z", "--", text],
  ]);
  if (bytes.length > 0) return;
  const file = repository.root === "." ? text : `${repository.root}/${text}`;
  const there = repository.files.find(file);
  if (there?.type === "directory") return;
  throw there === null
    ? new ToolError("FILE_NOT_FOUND", `${tool.name}: ${quoted(word)} does not exist`)
    : new ToolError(
      "GIT_ERROR",
      `${tool.name}: ${quoted(word)} is ignored by .gitignore or .git/info/exclude`,
    );
}

export default tool;
