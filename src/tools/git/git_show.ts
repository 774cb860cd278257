/** `git_show`: one commit with what it changed, or a file as it was in it. */

import { ToolError } from "../../core/errors.ts";
import { printable, quoted } from "../../core/printable.ts";
import type { Schema } from "../../core/schema.ts";
import type { Tool } from "../../core/tool.ts";
import { pathSchema } from "../../toolkit/path_schema.ts";
import { checkWord } from "../../toolkit/words.ts";
import { COMMIT, COMMIT_FORMAT, readCommits } from "./_commits.ts";
import { compare, DIFF_PROPERTIES } from "./_diff.ts";
import { encoded, textOf } from "../../toolkit/git/names.ts";
import { asWords, requireAllowed } from "../../toolkit/git/paths.ts";
import { gitNeeds, openRepository, READS, type Repository } from "../../toolkit/git/repository.ts";
import { requireCommit } from "../../toolkit/git/revisions.ts";
import { checkRevision, REPOSITORY, revisionSchema } from "./_schemas.ts";

const input = {
  type: "object",
  properties: {
    repository: REPOSITORY,
    ref: revisionSchema("The commit, or what names one."),
    path: pathSchema("A file, to be shown as it is in that commit."),
  },
  required: ["ref"],
} as const satisfies Schema;

const output = {
  type: "object",
  properties: {
    hash: { type: "string", description: "Of the commit." },
    commit: { ...COMMIT, description: "The commit, where no path was given." },
    ...DIFF_PROPERTIES,
    path: { type: "string", description: "The file that was asked for." },
    content: { type: "string", description: "What it holds in that commit." },
    bytes: { type: "integer", description: "How long it is." },
  },
  required: ["hash", "truncated"],
} as const satisfies Schema;

/** As for files that are read: a NUL byte this near the start makes it binary. */
const LOOKED_AT = 8192;

const tool: Tool<typeof input, typeof output> = {
  name: "git_show",
  category: "git",
  description:
    "Shows one commit: author, date, message and the diff against its first parent. With path it shows that file " +
    "as it is in the commit.",
  risk: "safe",
  permission: "git_operations",
  input,
  output,
  examples: [
    { note: "the last commit", args: { ref: "HEAD" } },
    { note: "a file as it was", args: { ref: "HEAD", path: "src/main.ts" } },
  ],
  describe: ({ ref, path }) =>
    `Git show: ${printable(ref, 80)}${path === undefined ? "" : ` ${printable(path)}`}`,
  check({ ref, path }) {
    checkRevision("ref", ref);
    if (path !== undefined) checkWord("path", path);
  },
  capabilities: ({ repository, ref, path }) =>
    gitNeeds(repository, ["show", path === undefined ? ref : `${ref}:${path}`], READS),
  // It changes nothing: what it would do is what it does.
  dryRun: (input) => input,
  async run({ repository: folder, ref, path }, context) {
    const repository = await openRepository(tool.name, context, folder);
    if (path !== undefined) {
      const [word = ""] = asWords(repository, [path]);
      if (word !== "") requireAllowed(repository, "read", encoded(word));
      const hash = await requireCommit(repository, ref);
      const shown = await contentOf(repository, hash, word, context.limits.read);
      return { hash, path: repository.files.display(path), ...shown };
    }
    const { bytes, status } = await repository.git([
      ...["log", "-z", "-1", COMMIT_FORMAT, "--no-show-signature", "--no-patch", "--no-mailmap"],
      ...[`${ref}^{commit}`, "--"],
    ], { good: [0, 128] });
    const [commit] = readCommits(bytes);
    if (commit === undefined) {
      if (status !== 0) await requireCommit(repository, ref);
      throw new ToolError("GIT_ERROR", `${tool.name}: the commit is too long to be shown`);
    }
    const command = ["show", "--format=", "-m", "--first-parent"];
    const { hash } = commit;
    const diff = await compare(repository, { command, revisions: [hash], paths: [] }, 3);
    return { hash, commit, ...diff };
  },
};

async function contentOf(
  repository: Repository,
  hash: string,
  path: string,
  limit: number,
): Promise<{ readonly content: string; readonly bytes: number; readonly truncated: boolean }> {
  const object = `${hash}:${path}`;
  const kind = await repository.git(["cat-file", "-t", object], { good: [0, 128] });
  const type = textOf(kind.bytes).trim();
  if (type !== "blob") {
    throw new ToolError(
      type === "" ? "FILE_NOT_FOUND" : "NOT_A_FILE",
      `${tool.name}: ${quoted(path)} is ${
        type === ""
          ? "not in that commit"
          : type === "tree"
          ? "a folder there"
          : "a submodule there"
      }`,
    );
  }
  const size = Number(textOf((await repository.git(["cat-file", "-s", object])).bytes));
  if (size > limit) {
    throw new ToolError(
      "FILE_TOO_LARGE",
      `${tool.name}: ${quoted(path)} has ${size} bytes there; limits.read lets ${limit} be read`,
    );
  }
  const { bytes, truncated } = await repository.git(["cat-file", "blob", object]);
  if (bytes.subarray(0, LOOKED_AT).includes(0)) {
    throw new ToolError("BINARY_FILE", `${tool.name}: ${quoted(path)} is binary, ${size} bytes`);
  }
  return { content: textOf(bytes), bytes: size, truncated };
}

export default tool;
