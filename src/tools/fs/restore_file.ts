/** `restore_file`: puts a backup back, and keeps what it replaces as the newest backup. */

import { baseName } from "../../core/path_text.ts";
import { ToolError } from "../../core/errors.ts";
import { printable, quoted } from "../../core/printable.ts";
import type { Infer, Schema } from "../../core/schema.ts";
import type { Backup, Preview, ReadContext, Tool } from "../../core/tool.ts";
import { looksBinary } from "../../toolkit/decode.ts";
import { pathSchema } from "../../toolkit/path_schema.ts";
import { describeChange } from "../../toolkit/unified_diff.ts";

const input = {
  type: "object",
  properties: {
    path: pathSchema("The file to restore, not the backup."),
    backup: pathSchema("One of its backups as list_backups shows them; without it the newest."),
  },
  required: ["path"],
} as const satisfies Schema;

const output = {
  type: "object",
  properties: {
    path: { type: "string", description: "The file, relative to the workspace." },
    restored_from: { type: "string", description: "The backup that was put back; it stays." },
    backup_path: {
      oneOf: [{ type: "string" }, { type: "null" }],
      description: "The backup of what was there before; null where nothing was.",
    },
  },
  required: ["path", "restored_from", "backup_path"],
} as const satisfies Schema;

type Input = Infer<typeof input>;

const tool: Tool<typeof input, typeof output> = {
  name: "restore_file",
  category: "fs",
  description:
    "Puts a backup back in the place of its file, with its permissions and times: the newest, or the one " +
    "named. What is there now becomes the newest backup first, so that restoring it undoes this. A " +
    "file that was deleted comes back.",
  risk: "moderate",
  permission: "file_modify",
  input,
  output,
  examples: [
    { note: "as it was before the last edit", args: { path: "src/main.ts" } },
    { note: "as it was at first", args: { path: "src/main.ts", backup: "src/main.ts.bak" } },
  ],
  describe: ({ path, backup }) =>
    `Restore file: ${printable(path)} from ${
      backup === undefined ? "its newest backup" : printable(backup)
    }`,
  capabilities: ({ path }) => [
    { kind: "fs.write", path, tree: false, backups: true },
    { kind: "fs.read", path, tree: false, backups: true },
  ],
  prepare: () => import("diff"),
  async preview(input, context) {
    const { files } = context;
    const chosen = chooseBackup(input, context);
    return {
      path: files.display(input.path),
      restored_from: chosen.path,
      size: chosen.size,
      modified: new Date(chosen.modified).toISOString(),
      exists: files.find(input.path) !== null,
      diff: await compare(input.path, chosen, context),
    };
  },
  run(input, context) {
    const { files } = context;
    const chosen = chooseBackup(input, context);
    const replaced = files.find(input.path);
    const backup_path = replaced === null ? null : files.backUp(input.path, chosen.path);
    files.restore(input.path, chosen.path);
    context.count("bytes_written", chosen.size);
    return { path: files.display(input.path), restored_from: chosen.path, backup_path };
  },
};

export default tool;

/** Throws FILE_NOT_FOUND that names the backups there are. */
function chooseBackup({ path, backup }: Input, { files }: ReadContext): Backup {
  const backups = files.backups(path);
  const shown = files.display(path);
  const isNamed = (one: Backup): boolean =>
    [one.path, baseName(one.path), path + one.path.slice(shown.length)].some((name) =>
      name === backup || name === plain(backup ?? "")
    );
  const chosen = backup === undefined ? backups.at(-1) : backups.find(isNamed);
  if (chosen !== undefined) return chosen;
  throw new ToolError(
    "FILE_NOT_FOUND",
    backups.length === 0
      ? `${quoted(shown)} has no backups; edit_file makes one before each change`
      : `${quoted(backup ?? "")} is no backup of ${quoted(shown)}; there are: ${
        backups.map((one) => printable(one.path)).join(", ")
      }`,
    { details: { backups: backups.map((one) => one.path) } },
  );
}

/** Without `.` and repeated slashes, as results show paths. */
function plain(path: string): string {
  return path.split("/").filter((part, at) => part !== "." && (part !== "" || at === 0)).join("/");
}

/** Null where one of the two is no text, or too large to be compared. */
async function compare(
  path: string,
  backup: Backup,
  { files, limits }: ReadContext,
): Promise<Preview["diff"]> {
  const info = files.find(path);
  const isLarge = backup.size > limits.write || (info?.size ?? 0) > limits.write;
  if (isLarge || (info !== null && info.type !== "file")) return null;
  const textOf = (from: string): string | null => {
    const { bytes } = files.read(from, limits.write);
    return looksBinary(bytes) ? null : new TextDecoder().decode(bytes);
  };
  const before = info === null ? null : textOf(path);
  const after = textOf(backup.path);
  if ((info !== null && before === null) || after === null) return null;
  return (await describeChange(files.display(path), before, after)).diff;
}
