/** `git_diff`: what differs between files, index and commits. */

import { printable } from "../../core/printable.ts";
import type { Schema } from "../../core/schema.ts";
import type { Tool } from "../../core/tool.ts";
import { invalid } from "../../toolkit/words.ts";
import { compare, DIFF_PROPERTIES } from "./_diff.ts";
import { seeingLeftOut } from "../../toolkit/git/left_out.ts";
import { encoded } from "../../toolkit/git/names.ts";
import { asWords, requireAllowed } from "../../toolkit/git/paths.ts";
import { gitNeeds, openRepository, READS } from "../../toolkit/git/repository.ts";
import { checkRevision, pathsSchema, REPOSITORY, revisionSchema } from "./_schemas.ts";
import { checkWords } from "../../toolkit/words.ts";

const input = {
  type: "object",
  properties: {
    repository: REPOSITORY,
    staged: {
      type: "boolean",
      default: false,
      description: "What a commit would take, in place of what is not staged.",
    },
    from: revisionSchema("The older side; alone it is compared with the files."),
    to: revisionSchema("The newer side."),
    paths: pathsSchema("Only these files and folders, relative to the workspace."),
    context: {
      type: "integer",
      minimum: 0,
      maximum: 1000,
      default: 3,
      description: "Lines around each change.",
    },
  },
} as const satisfies Schema;

const output = {
  type: "object",
  properties: DIFF_PROPERTIES,
  required: ["diff", "files", "truncated"],
} as const satisfies Schema;

/** Of who compares an agent's working files. */
interface Chosen {
  readonly left_out_too?: true;
}

const tool: Tool<typeof input, typeof output, Chosen> = {
  name: "git_diff",
  category: "git",
  description:
    "Shows what differs: files and index, with staged index and last commit, with from a commit and the files, with " +
    "from and to two commits. Answers a unified diff and the files with their counts of lines.",
  risk: "safe",
  permission: "git_operations",
  input,
  output,
  examples: [
    { note: "what is not staged", args: {} },
    { note: "what a commit would take", args: { staged: true } },
  ],
  describe: ({ repository, from, to, staged }) =>
    `Git diff: ${printable(repository)}${staged ? " staged" : ""}${
      from === undefined ? "" : ` from ${printable(from, 80)}`
    }${to === undefined ? "" : ` to ${printable(to, 80)}`}`,
  check({ from, to, staged, paths }) {
    checkRevision("from", from);
    checkRevision("to", to);
    checkWords("paths", paths);
    if (to !== undefined && from === undefined) throw invalid("to", "needs from beside it");
    if (to !== undefined && staged) throw invalid("staged", "compares with the index, not with to");
  },
  capabilities({ repository, from, to, staged, paths = [] }) {
    const revisions = [from, to].filter((one) => one !== undefined);
    const words = ["diff", ...(staged ? ["--cached"] : []), ...revisions];
    return gitNeeds(repository, [...words, ...(paths.length > 0 ? ["--", ...paths] : [])], READS);
  },
  // It changes nothing: what it would do is what it does.
  dryRun: (input) => input,
  async run(input, context) {
    const { repository: folder, staged, from, to, paths = [], context: around } = input;
    const opened = await openRepository(tool.name, context, folder);
    const repository = input.left_out_too === true ? seeingLeftOut(opened) : opened;
    const words = asWords(repository, paths).filter((path) => path !== "");
    for (const path of words) requireAllowed(repository, "read", encoded(path));
    const revisions = [from, to].filter((one) => one !== undefined);
    // What is recorded of a submodule lies in this repository; its files do not.
    const submodules = staged || to !== undefined ? "dirty" : "all";
    const command = ["diff", `--ignore-submodules=${submodules}`, ...(staged ? ["--cached"] : [])];
    const all = paths.length > words.length;
    return await compare(repository, { command, revisions, paths: all ? [] : words }, around);
  },
};

export default tool;
