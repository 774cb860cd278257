/** `git_log`: commits, the newest first. */

import { printable } from "../../core/printable.ts";
import type { Schema } from "../../core/schema.ts";
import type { Tool } from "../../core/tool.ts";
import { pathSchema } from "../../toolkit/path_schema.ts";
import { COMMIT, COMMIT_FORMAT, readCommits } from "./_commits.ts";
import { encoded, exactly } from "../../toolkit/git/names.ts";
import { asWords, requireAllowed } from "../../toolkit/git/paths.ts";
import { gitError, gitNeeds, openRepository, READS } from "../../toolkit/git/repository.ts";
import { findCommit } from "../../toolkit/git/revisions.ts";
import { checkRevision, checkTexts, REPOSITORY, revisionSchema, TRUNCATED } from "./_schemas.ts";

const text = (description: string) =>
  ({ type: "string", minLength: 1, maxLength: 1000, description }) as const;

const input = {
  type: "object",
  properties: {
    repository: REPOSITORY,
    limit: {
      type: "integer",
      minimum: 1,
      maximum: 1000,
      default: 10,
      description: "How many at most.",
    },
    ref: revisionSchema("Where to begin: a branch, a tag or a commit; HEAD unless given."),
    path: pathSchema("Only commits that changed this file or folder."),
    author: text("A part of the author's name or address, as a regular expression."),
    since: text("Not before: 2026-01-31, or 2 weeks ago."),
    until: text("Not after."),
    grep: text("A part of the message, as a regular expression."),
  },
} as const satisfies Schema;

const output = {
  type: "object",
  properties: {
    commits: { type: "array", items: COMMIT, description: "The newest first." },
    truncated: TRUNCATED,
  },
  required: ["commits", "truncated"],
} as const satisfies Schema;

const tool: Tool<typeof input, typeof output> = {
  name: "git_log",
  category: "git",
  description:
    "Lists commits, the newest first, with author, date, message, parents and what names them. Can begin at a " +
    "branch or commit, and be narrowed to a path, an author, a time or words of the message.",
  risk: "safe",
  permission: "git_operations",
  input,
  output,
  examples: [
    { note: "the last ten", args: {} },
    { note: "of one file", args: { path: "src/main.ts", limit: 3 } },
  ],
  describe: ({ repository, ref, path }) =>
    `Git log: ${printable(path ?? repository)}${
      ref === undefined ? "" : ` from ${printable(ref, 80)}`
    }`,
  check({ ref, path, author, since, until, grep }) {
    checkRevision("ref", ref);
    checkTexts({ path, author, since, until, grep });
  },
  capabilities: ({ repository, ref, path }) =>
    gitNeeds(repository, [
      "log",
      ...(ref === undefined ? [] : [ref]),
      ...path === undefined ? [] : ["--", path],
    ], READS),
  // It changes nothing: what it would do is what it does.
  dryRun: (input) => input,
  async run({ repository: folder, limit, ref, path, author, since, until, grep }, context) {
    const repository = await openRepository(tool.name, context, folder);
    const paths = path === undefined ? [] : asWords(repository, [path]);
    for (const one of paths.filter((word) => word !== "")) {
      requireAllowed(repository, "read", encoded(one));
    }
    const options = Object.entries({ author, since, until, grep })
      .flatMap(([name, value]) => value === undefined ? [] : [`--${name}=${value}`]);
    const { bytes, truncated, status, stderr } = await repository.git([
      ...["log", "-z", COMMIT_FORMAT, `--max-count=${limit + 1}`, "--extended-regexp"],
      ...["--no-show-signature", "--no-patch", "--no-mailmap", ...options],
      ...["--end-of-options", ref ?? "HEAD", "--"],
      ...paths.filter((word) => word !== "").map(exactly),
    ], { good: [0, 128] });
    if (status === 128) {
      const unborn = ref === undefined && await findCommit(repository, "HEAD") === null;
      if (unborn) return { commits: [], truncated: false };
      throw gitError(tool.name, stderr);
    }
    const commits = readCommits(bytes);
    return {
      commits: commits.slice(0, limit),
      truncated: truncated || commits.length > limit,
    };
  },
};

export default tool;
