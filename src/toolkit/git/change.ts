/** Changes of the working files, looked at whole before any of them is made: what is denied, and what would be lost. */

import { ToolError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import { lockError } from "./locks.ts";
import { type RawChange, readChanges } from "./raw_changes.ts";
import { nameOf, splitNul, textOf } from "./names.ts";
import { isAllowed, shown } from "./paths.ts";
import { look, within } from "./place.ts";
import type { GitOptions, Repository } from "./repository.ts";

/** The tree with nothing in it, as this repository hashes. Nothing is written. */
export async function emptyTree(repository: Repository): Promise<string> {
  const { bytes } = await repository.git(["hash-object", "-t", "tree", "--stdin"], {
    stdin: new Uint8Array(0),
  });
  return textOf(bytes).trim();
}

/** What differs between two commits or trees, by name; renames come as two. Throws RESOURCE_LIMIT. */
export async function changesBetween(
  repository: Repository,
  from: string,
  to: string,
  options: GitOptions = {},
): Promise<readonly RawChange[]> {
  return await listed(repository, [
    ...["diff-tree", "-r", "--raw", "-z", "--no-renames", "--no-ext-diff", "--no-textconv"],
    ...["--no-abbrev", from, to, "--"],
  ], options);
}

/**
 * What differs between a commit or tree and the working files, likewise: deleted is what is not there any more. git-diff(1)
 * would tell it at once, and write the index anew where times alone differ.
 */
export async function changesSince(
  repository: Repository,
  from: string,
  paths: readonly string[] = [],
): Promise<readonly RawChange[]> {
  const options = ["--raw", "-z", "--no-renames", "--no-ext-diff", "--no-textconv"];
  const end = ["--ignore-submodules=all", "--no-abbrev", from, "--", ...paths];
  const touched = await listed(repository, ["diff-index", ...options, ...end]);
  const staged = await listed(repository, ["diff-index", "--cached", ...options, ...end]);
  const { unstaged } = await uncommitted(repository);
  const changed = new Set([...staged.map(({ path }) => path), ...unstaged].map(nameOf));
  return touched.filter(({ path }) => changed.has(nameOf(path)));
}

/** What of the working files has other contents than a commit or tree, whatever their times are. */
export async function contentsApart(
  repository: Repository,
  from: string,
): Promise<readonly RawChange[]> {
  return await listed(repository, [
    ...["diff", "--raw", "-z", "--no-renames", "--no-ext-diff", "--no-textconv"],
    ...["--ignore-submodules=all", "--no-abbrev", from, "--"],
  ]);
}

/** What is staged, likewise. */
export async function changesStaged(
  repository: Repository,
  from: string,
): Promise<readonly RawChange[]> {
  return await listed(repository, [
    ...["diff", "--cached", "--raw", "-z", "--no-renames", "--no-ext-diff", "--no-textconv"],
    ...["--ignore-submodules=all", "--no-abbrev", from, "--"],
  ]);
}

async function listed(
  repository: Repository,
  words: readonly string[],
  options: GitOptions = {},
): Promise<readonly RawChange[]> {
  const { bytes, truncated } = await repository.git(words, options);
  requireWhole(repository, truncated);
  return readChanges(bytes).changes;
}

/** Files that git knows and that are not as in HEAD: in the index, and since. git-status(1), "Porcelain Format Version 2". */
export async function uncommitted(repository: Repository): Promise<{
  readonly staged: readonly Uint8Array[];
  readonly unstaged: readonly Uint8Array[];
}> {
  const { bytes, truncated } = await repository.git([
    ...["status", "--porcelain=v2", "-z", "--untracked-files=no", "--ignore-submodules=all"],
    "--no-renames",
  ]);
  requireWhole(repository, truncated);
  const records = readStatus(bytes);
  const of = (column: number) =>
    records.filter(({ status }) => status[column] !== ".").map(({ path }) => path);
  return { staged: of(0), unstaged: of(1) };
}

/** Records of git-status(1) without renames: what was staged and what was changed since, a letter each, and the path. */
export function readStatus(
  bytes: Uint8Array,
): readonly { readonly status: string; readonly path: Uint8Array }[] {
  return splitNul(bytes).map((record) => {
    const [kind = "", status = ".."] = textOf(record.subarray(0, 4)).split(" ");
    const fields = kind === "?" ? 1 : kind === "u" ? 10 : 8;
    return { status: kind === "?" ? ".A" : status, path: afterFields(record, fields) };
  });
}

/** What stands behind so many fields that blanks end. */
export function afterFields(record: Uint8Array, count: number): Uint8Array {
  let at = 0;
  for (let field = 0; field < count; field++) at = record.indexOf(0x20, at) + 1;
  return record.subarray(at);
}

/** RESOURCE_LIMIT where names were cut off: what cannot be judged is not done. */
export function requireWhole({ tool }: Pick<Repository, "tool">, truncated: boolean): void {
  if (!truncated) return;
  throw new ToolError(
    "RESOURCE_LIMIT",
    `${tool}: more names are concerned than limits.output lets be read`,
  );
}

/** PATH_DENIED where one of them may not be written, before anything is. */
export function requireWritable(
  repository: Repository,
  paths: readonly Uint8Array[],
  doing: string,
): void {
  const denied = paths.filter((path) => !isAllowed(repository, "write", path));
  if (denied.length === 0) return;
  const names = denied.map((path) => shown(repository, path));
  throw new ToolError(
    "PATH_DENIED",
    `${repository.tool}: ${doing} would write ${
      listOf(names)
    }, which the policy's paths deny, or do not plainly ` +
      "allow; nothing was changed",
    { details: { denied: names.slice(0, MOST_NAMED) } },
  );
}

const MOST_NAMED = 100;

/** A few of the names, and how many more there are. */
export function listOf(names: readonly string[]): string {
  const few = names.slice(0, 5).map((name) => printable(name, 200)).join(", ");
  return names.length > 5 ? `${few} and ${names.length - 5} more` : few;
}

/** What stands in the way of these changes: files that were changed and not committed, and files that git does not know. */
export async function inTheWay(
  repository: Repository,
  changes: readonly RawChange[],
): Promise<readonly string[]> {
  if (changes.length === 0) return [];
  const { staged, unstaged } = await uncommitted(repository);
  const dirty = new Set([...staged, ...unstaged].map(nameOf));
  return changes.filter(({ letter, path }) =>
    dirty.has(nameOf(path)) || letter === "A" && isThere(repository, path)
  ).map(({ path }) => shown(repository, path));
}

/** Whether there is anything but a folder. */
export function isThere({ files, root }: Repository, path: Uint8Array): boolean {
  const found = look(files, within(root, textOf(path)));
  return found !== null && found.type !== "directory";
}

/** GIT_ERROR where something stands in the way: nothing is lost for it. */
export async function requireClear(
  repository: Repository,
  changes: readonly RawChange[],
  doing: string,
): Promise<void> {
  const names = await inTheWay(repository, changes);
  if (names.length > 0) requireNoKilledGit(repository);
  if (names.length > 0) throw inTheWayError(repository, names, doing);
}

/** What one that was killed had begun looks like work of somebody, which it is not: its lock says so. */
function requireNoKilledGit(repository: Repository): void {
  const lock = `${repository.folder}/index.lock`;
  if (look(repository.files, lock) !== null) throw lockError(repository, lock);
}

/** That error. */
export function inTheWayError(
  repository: Repository,
  names: readonly string[],
  doing: string,
): ToolError {
  return new ToolError(
    "GIT_ERROR",
    `${repository.tool}: ${doing} would change ${
      listOf(names)
    }, of which what is there is not committed; commit ` +
      "it, put it into a stash, or move it away; nothing was changed",
    { details: { in_the_way: names.slice(0, MOST_NAMED) } },
  );
}

/** A file as it was before it was replaced, kept as an object of the repository. */
export interface Kept {
  readonly path: string;
  readonly hash: string;
}

/** Keeps what these files hold, those that are there, as objects. Links are kept as what they point at. */
export async function keepContents(
  repository: Repository,
  paths: readonly Uint8Array[],
): Promise<readonly Kept[]> {
  const kept: Kept[] = [];
  const files: Uint8Array[] = [];
  for (const path of paths) {
    const found = look(repository.files, within(repository.root, textOf(path)));
    if (found?.type === "file") files.push(path);
    if (found?.type !== "symlink") continue;
    const { bytes } = await repository.git(["hash-object", "-w", "--stdin"], {
      stdin: new TextEncoder().encode(found.target ?? ""),
      changes: "git",
    });
    kept.push({ path: shown(repository, path), hash: textOf(bytes).trim() });
  }
  if (files.length === 0) return kept;
  const names = files.map((path) => `${quotedPath(path)}\n`).join("");
  const { bytes } = await repository.git(
    ["hash-object", "-w", "--no-filters", "--stdin-paths"],
    { stdin: new TextEncoder().encode(names), changes: "git" },
  );
  const hashes = textOf(bytes).split("\n");
  return [
    ...kept,
    ...files.map((path, index) => ({ path: shown(repository, path), hash: hashes[index] ?? "" })),
  ];
}

/** Always quoted, as git quotes what would end a line (quote.c). */
export function quotedPath(path: Uint8Array): string {
  const name = nameOf(path);
  if (name.startsWith('"')) return name;
  return `"${name.replaceAll(/["\\]/g, "\\$&").replaceAll("\n", "\\n").replaceAll("\r", "\\r")}"`;
}

/** What was replaced, in results. */
export const REPLACED = {
  type: "array",
  items: {
    type: "object",
    properties: {
      path: { type: "string", description: "Relative to the workspace." },
      hash: { type: "string", description: "What it held: git cat-file blob HASH." },
    },
    required: ["path", "hash"],
  },
  description: "Files that held something that was not committed, each kept as an object.",
} as const;
