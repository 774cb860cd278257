/** `apply_patch`: a patch over any number of files, applied whole or not at all. */

import { ToolError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import type { Infer, Schema } from "../../core/schema.ts";
import type { Preview, ReadContext, Tool } from "../../core/tool.ts";
import { loadValidators } from "../../syntax/validators.ts";
import { byteOrderMark, looksBinary } from "../../toolkit/decode.ts";
import { VALIDATE_SYNTAX } from "./edit/edit_arguments.ts";
import type { HunkNote } from "./patch/apply.ts";
import { changesOf, planPatch } from "./patch/plan.ts";
import { parsePatch } from "./patch/parse.ts";
import type { PlannedFile } from "./patch/tree.ts";
import { describeChange } from "../../toolkit/unified_diff.ts";

interface ChangedFile {
  readonly path: string;
  readonly change: "added" | "modified" | "deleted" | "moved";
  readonly added_lines: number;
  readonly removed_lines: number;
  readonly from?: string;
  readonly executable?: boolean;
  readonly hunks?: readonly HunkNote[];
}

/** Files that a description names. */
const MAX_NAMED = 5;

const input = {
  type: "object",
  properties: {
    patch: {
      type: "string",
      minLength: 1,
      description: "The diff. Paths are relative to the workspace, behind a/ and b/ or alone.",
    },
    validate_syntax: VALIDATE_SYNTAX,
  },
  required: ["patch"],
} as const satisfies Schema;

const output = {
  type: "object",
  properties: {
    files: {
      type: "array",
      description: "One for each file that is other than it was.",
      items: {
        type: "object",
        properties: {
          path: { type: "string", description: "Relative to the workspace." },
          change: {
            type: "string",
            enum: ["added", "modified", "deleted", "moved"],
            description: "What became of it.",
          },
          added_lines: { type: "integer", description: "Lines that the patch adds." },
          removed_lines: { type: "integer", description: "Lines that it takes away." },
          from: { type: "string", description: "What it was moved or copied from." },
          executable: { type: "boolean", description: "Where the patch set or cleared it." },
          hunks: {
            type: "array",
            description: "Hunks that went elsewhere than they say.",
            items: {
              type: "object",
              properties: {
                hunk: { type: "integer", description: "Its number in the file, from 1." },
                line: { type: "integer", description: "Where it went, in the old file." },
                offset: { type: "integer", description: "Lines from where it says." },
                fuzz: { type: "integer", description: "Lines of context that did not fit." },
              },
              required: ["hunk", "line", "offset", "fuzz"],
            },
          },
        },
        required: ["path", "change", "added_lines", "removed_lines"],
      },
    },
  },
  required: ["files"],
} as const satisfies Schema;

type Input = Infer<typeof input>;

const tool: Tool<typeof input, typeof output> = {
  name: "apply_patch",
  category: "fs",
  description:
    "Applies a unified diff (diff -u, git diff) over one or more files, all of it or nothing: changes, new " +
    "files, deletions, renames, copies, executable bits. Hunks that have moved are found as patch finds " +
    "them, up to 2 lines of context apart. What does not fit is told hunk by hunk. The *** Begin Patch form is " +
    "taken, too.",
  risk: "moderate",
  permission: "file_modify",
  input,
  output,
  examples: [
    {
      note: "one line of a file",
      args: { patch: "--- a/README.md\n+++ b/README.md\n@@ -1 +1 @@\n-# Title\n+# Toolgate\n" },
    },
    {
      note: "a new file",
      args: { patch: "--- /dev/null\n+++ b/notes/plan.md\n@@ -0,0 +1,2 @@\n+# Plan\n+- tests\n" },
    },
  ],
  describe: ({ patch }) => `Apply patch: ${describePaths(patch)}`,
  check({ patch }) {
    if (!patch.isWellFormed()) {
      throw new ToolError("INVALID_ARGUMENTS", "patch: holds half a surrogate pair");
    }
  },
  capabilities: ({ patch }) =>
    pathsOf(patch).flatMap((path) => [
      { kind: "fs.read", path, tree: false },
      { kind: "fs.write", path, tree: false },
    ]),
  prepare: () => Promise.all([loadValidators(), import("diff")]),
  async preview(input, context): Promise<Preview> {
    const files: Preview[] = [];
    for (const file of await plan(input, context)) {
      for (const shape of shapeOf(file, context)) {
        files.push({ ...shape, diff: await diffOf(file) });
      }
    }
    return { files };
  },
  async run(input, context) {
    const planned = await plan(input, context);
    context.files.apply(changesOf(planned));
    for (const { node: { bytes } } of planned) context.count("bytes_written", bytes?.length ?? 0);
    return { files: planned.flatMap((file) => shapeOf(file, context)) };
  },
};

export default tool;

/** All that is done to files, once nothing speaks against it. */
async function plan(
  { patch, validate_syntax }: Input,
  context: ReadContext,
): Promise<readonly PlannedFile[]> {
  const planned = planPatch(parsePatch(patch), context);
  if (!validate_syntax) return planned;
  for (const { path, node: { bytes }, before } of planned) {
    if (bytes === null || bytes === before) continue;
    const text = textOf(bytes);
    if (text !== null) await context.syntax.check(path, text);
  }
  return planned;
}

/** Nothing for a file that only goes elsewhere. */
function shapeOf(
  { path, change, node, from, executable }: PlannedFile,
  { files }: ReadContext,
): readonly ChangedFile[] {
  if (change === null) return [];
  return [{
    path,
    change,
    added_lines: node.added,
    removed_lines: node.removed,
    ...(from === undefined ? {} : { from: files.display(from) }),
    ...(executable === undefined ? {} : { executable }),
    ...(node.notes.length === 0 ? {} : { hunks: node.notes }),
  }];
}

/** Null where one of the two is no text. */
async function diffOf({ path, base, node: { bytes } }: PlannedFile): Promise<string | null> {
  const before = base === null ? null : textOf(base);
  const after = bytes === null ? null : textOf(bytes);
  if ((base !== null && before === null) || (bytes !== null && after === null)) return null;
  return (await describeChange(path, before, after)).diff;
}

/** By the byte order mark, else as UTF-8; null for what is binary. */
function textOf(bytes: Uint8Array): string | null {
  const encoding = byteOrderMark(bytes)?.encoding ?? "utf-8";
  if (encoding === "utf-8" && looksBinary(bytes)) return null;
  return new TextDecoder(encoding).decode(bytes);
}

function pathsOf(patch: string): readonly string[] {
  return [...new Set(parsePatch(patch).flatMap(({ from, to }) => [from, to]))];
}

/** For people: never fails, whatever the patch holds. */
function describePaths(patch: string): string {
  try {
    const paths = pathsOf(patch);
    const named = paths.slice(0, MAX_NAMED).map((path) => printable(path, 100)).join(", ");
    return paths.length > MAX_NAMED ? `${named} and ${paths.length - MAX_NAMED} more` : named;
  } catch (error) {
    if (error instanceof ToolError) return "one that cannot be read";
    throw error;
  }
}
