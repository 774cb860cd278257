/** The repository of a call: found by Toolgate itself, inside the workspace with all that it leans on, and git in it. */

import type { Capability, OwnUse } from "../../core/capability.ts";
import { ToolError } from "../../core/errors.ts";
import type { GitHome } from "../../core/git_settings.ts";
import { printable, quoted } from "../../core/printable.ts";
import type { FileInfo, ReadFiles, ToolContext } from "../../core/tool.ts";
import { commandError } from "../command_output.ts";
import { isOutOfTime } from "../run_program.ts";
import { splitNul, textOf } from "./names.ts";
import {
  ENVIRONMENT,
  isPlain,
  NOTHING_OVERRIDDEN,
  type Overrides,
  overridesOf,
  settingOptions,
} from "./_settings.ts";

/** Longer ones are no settings and no pointers that anybody wrote. */
const LONGEST_FILE = 1 << 20;
/** Alternates of alternates; git itself follows five (object-file.c). */
const MOST_ALTERNATES = 5;

/** What a call of a git tool needs; `words` stand for its use of git and are what rules are held against. */
export function gitNeeds(
  repository: string,
  words: readonly string[],
  use: GitUse,
): readonly Capability[] {
  const own = { ...use, starts: STARTS, missing: MISSING };
  return [
    { kind: "process.spawn", argv: ["git", ...words], cwd: repository, own },
    { kind: "fs.read", path: repository, tree: true },
    // A repository may begin above the folder that was named.
    ...(repository === "." ? [] : [ABOVE]),
  ];
}

const ABOVE = { kind: "fs.read", path: ".", tree: true, optional: true } as const;

/** Git and the programs that it is made of. */
const STARTS = ["git", "git-*"];

const MISSING =
  "the git tools take git 2.30 or later of the system, where sandbox.system reaches: " +
  "apt-get install git, dnf install git, or apk add git";

/** What a use of git comes to. */
export type GitUse = Omit<OwnUse, "starts" | "missing">;

/** Reading alone. */
export const READS: GitUse = { access: "read", risk: "safe", because: "" };

/** What git printed, up to the limit of output. */
export interface GitOutput {
  readonly bytes: Uint8Array;
  readonly truncated: boolean;
  readonly stderr: string;
  readonly status: number;
}

/** How git is to be run beside its words. */
export interface GitOptions {
  readonly stdin?: Uint8Array;
  /** Statuses that are no failure; 0 alone unless given. */
  readonly good?: readonly number[];
  readonly env?: Readonly<Record<string, string>>;
  /** Whether it changes files anywhere in the workspace, those of the repository, those of `.git` alone, or nothing. */
  readonly changes?: "workspace" | "files" | "git" | "nothing";
  /** A folder that was lent, in which it may write too. */
  readonly scratch?: string;
  /** Asks for the repository's own settings: without those that else stand above them. */
  readonly own?: true;
}

/** A repository in the workspace. Paths are relative to the workspace. */
export interface Repository {
  readonly tool: string;
  /** Where its files begin. */
  readonly root: string;
  /** `.git`, or where a linked worktree has its part of it. */
  readonly folder: string;
  /** Where objects, refs and settings are. */
  readonly common: string;
  readonly overrides: Overrides;
  readonly files: ReadFiles;
  readonly now: () => Date;
  /** Variables with which new objects go there and into no repository. */
  objectsIn(folder: string): Readonly<Record<string, string>>;
  /** Where another repository has its objects, as an entry of GIT_ALTERNATE_OBJECT_DIRECTORIES here. */
  objectsOf(other: Pick<Repository, "common">): string;
  /** Whether the repository's own configuration may name such a key: in lower case, without its section. */
  mayName(key: string): boolean;
  /** Throws GIT_ERROR with what git said, and TIMEOUT, CANCELLED, RESOURCE_LIMIT. */
  git(words: readonly string[], options?: GitOptions): Promise<GitOutput>;
}

/** Finds it. Throws NOT_A_REPOSITORY, PATH_OUTSIDE_WORKSPACE and GIT_ERROR. */
export async function openRepository(
  tool: string,
  context: ToolContext,
  repository: string,
  /** Whether it must be known of every key what it says, as for what speaks to others. */
  listed = false,
): Promise<Repository> {
  const { files } = context;
  const place = find(tool, files, files.display(repository), context.git.home);
  return await openAt(tool, context, place, listed);
}

/** Where a repository lies, relative to the workspace. */
export interface Place {
  readonly root: string;
  readonly folder: string;
}

/** As {@linkcode openRepository}, of one that was found. */
export async function openAt(
  tool: string,
  context: ToolContext,
  { root, folder }: Place,
  listed: boolean,
): Promise<Repository> {
  const { files } = context;
  const { home } = context.git;
  const common = commonOf(tool, files, folder, home);
  for (const name of ["HEAD", "objects", "refs", "config", "config.worktree", "info", "logs"]) {
    for (const place of new Set([folder, common])) requireNoLink(tool, files, `${place}/${name}`);
  }
  checkAlternates(tool, files, `${common}/objects`, MOST_ALTERNATES);
  const start = { context, tool, root, folder, common };
  const keys = !listed && hasPlainSettings(files, folder, common) ? null : await keysOf(start);
  const overrides = keys === null ? NOTHING_OVERRIDDEN : overridesOf(keys);
  const settings = [`${common}/config`, `${folder}/config.worktree`];
  return {
    tool,
    root,
    folder,
    common,
    overrides,
    files,
    now: context.now,
    objectsIn: (folder: string) => ({
      GIT_OBJECT_DIRECTORY: folder,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: quotedAlternate(`${seenFrom(root, common)}/objects`),
    }),
    objectsOf: (other) => quotedAlternate(`${seenFrom(root, other.common)}/objects`),
    mayName: (key) =>
      keys === null
        ? settings.some((path) => (textIn(files, path) ?? "").toLowerCase().includes(key))
        : keys.some((name) => name.endsWith(`.${key}`)),
    git: (words, options = {}) => runGit({ ...start, overrides }, words, options),
  };
}

interface Start {
  readonly context: ToolContext;
  readonly tool: string;
  readonly root: string;
  readonly folder: string;
  readonly common: string;
}

/** The repository of exactly that folder: with files of its own, or bare; null where there is none. */
export function repositoryAt(tool: string, files: ReadFiles, root: string): Place | null {
  const dot = within(root, ".git");
  const found = look(files, dot);
  if (found?.type === "file") return { root, folder: pointed(tool, files, root, null) };
  const folder = found?.type === "directory" ? dot : root;
  const parts = ["HEAD", "objects", "refs"].map((name) => look(files, within(folder, name)));
  return parts.every((part) => part !== null) ? { root, folder } : null;
}

function find(tool: string, files: ReadFiles, start: string, home: GitHome | null): Place {
  for (let root = start;; root = above(root)) {
    const dot = within(root, ".git");
    const found = look(files, dot);
    if (found?.type === "symlink") throw leadsOut(tool, `${dot} is a symbolic link`);
    if (found?.type === "file") return { root, folder: pointed(tool, files, root, home) };
    if (found?.type === "directory" && look(files, `${dot}/HEAD`) !== null) {
      return { root, folder: dot };
    }
    if (root === "." || root.startsWith("/")) {
      throw new ToolError(
        "NOT_A_REPOSITORY",
        `${tool}: ${quoted(start)} lies in no git repository of the workspace; name one as ` +
          "repository, or make one with `git init`",
      );
    }
  }
}

/** What may not be seen is not there. */
export function look(files: ReadFiles, path: string): FileInfo | null {
  try {
    return files.find(path);
  } catch (error) {
    if (error instanceof ToolError) return null;
    throw error;
  }
}

function textIn(files: ReadFiles, path: string): string | null {
  if (look(files, path)?.type !== "file") return null;
  return textOf(files.read(path, LONGEST_FILE).bytes);
}

/** gitrepository-layout(5): `gitdir: PATH`. The agent's own worktree leads to the one folder that is its own. */
function pointed(tool: string, files: ReadFiles, root: string, home: GitHome | null): string {
  const dot = within(root, ".git");
  const target = /^gitdir: ([^\n]+)\n*$/.exec(textIn(files, dot) ?? "")?.[1];
  if (home !== null && root === "." && target === home.own) return target;
  const folder = target === undefined ? null : inside(files, root, target);
  if (folder === null) throw leadsOut(tool, `the file ${dot} leads out of the workspace`);
  if (look(files, folder)?.type !== "directory") {
    throw leadsOut(tool, `the file ${dot} leads to no folder of the workspace`);
  }
  return folder;
}

function commonOf(
  tool: string,
  files: ReadFiles,
  folder: string,
  home: GitHome | null,
): string {
  if (folder === home?.own) return home.common;
  const path = `${folder}/commondir`;
  if (look(files, path) === null) return folder;
  const common = inside(files, folder, (textIn(files, path) ?? "").replace(/\n+$/, ""));
  if (common === null) throw leadsOut(tool, `${path} leads out of the workspace`);
  return common;
}

/** gitrepository-layout(5), `objects/info/alternates`: a folder of objects a line, comments with `#`. */
function checkAlternates(
  tool: string,
  files: ReadFiles,
  objects: string,
  depth: number,
): void {
  const path = `${objects}/info/alternates`;
  if (look(files, path) === null) return;
  for (const line of (textIn(files, path) ?? "\0").split("\n")) {
    if (line === "" || line.startsWith("#")) continue;
    const other = line.startsWith('"') || objects.startsWith("/")
      ? null
      : inside(files, objects, line);
    if (other === null || depth === 0) {
      throw leadsOut(tool, `${path} leads out of the workspace`);
    }
    checkAlternates(tool, files, other, depth - 1);
  }
}

function requireNoLink(tool: string, files: ReadFiles, path: string): void {
  if (look(files, path)?.type === "symlink") {
    throw leadsOut(tool, `${path} is a symbolic link`);
  }
}

/** PATH_OUTSIDE_WORKSPACE. */
export function leadsOut(tool: string, what: string): ToolError {
  return new ToolError(
    "PATH_OUTSIDE_WORKSPACE",
    `${tool}: ${printable(what)}; git is only used on what lies in the workspace itself`,
  );
}

/** Where a pointer of the repository leads, relative to the workspace; null for outside of it, and for nowhere. */
export function inside(files: ReadFiles, from: string, target: string): string | null {
  if (target === "" || target.includes("\0")) return null;
  const absolute = target.startsWith("/");
  const base = absolute || from === "." ? [] : from.split("/");
  const parts = plainParts(base, target);
  if (parts === null) return null;
  if (!absolute) return parts.length === 0 ? "." : parts.join("/");
  const shown = files.display(`/${parts.join("/")}`);
  return shown.startsWith("/") ? null : shown;
}

/** Null where it climbs above the beginning. */
function plainParts(base: readonly string[], path: string): readonly string[] | null {
  const parts = [...base];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts;
}

/** The path of a name in a folder, which is `.` for the one that paths begin at. */
export function within(folder: string, name: string): string {
  return folder === "." ? name : `${folder}/${name}`;
}

function above(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash <= 0 ? "." : path.slice(0, slash);
}

function hasPlainSettings(files: ReadFiles, folder: string, common: string): boolean {
  return [`${common}/config`, `${folder}/config.worktree`].every((path) =>
    look(files, path) === null || isPlain(textIn(files, path) ?? "[unknown]")
  );
}

async function keysOf(start: Start): Promise<readonly string[]> {
  const words = ["config", "--list", "-z", "--name-only", "--includes"];
  const { bytes, truncated } = await runGit(
    { ...start, overrides: NOTHING_OVERRIDDEN },
    words,
    { own: true },
  );
  if (!truncated) return splitNul(bytes).map(textOf);
  throw new ToolError("GIT_ERROR", `${start.tool}: the repository's configuration is too long`);
}

/** Folders there are parted by colons, but in quotes (git(1), GIT_ALTERNATE_OBJECT_DIRECTORIES). */
function quotedAlternate(path: string): string {
  return `"${path.replaceAll(/["\\]/g, "\\$&")}"`;
}

/** Where a path of the workspace lies, seen from the folder that git stands in. */
function seenFrom(root: string, path: string): string {
  if (root === "." || path.startsWith("/")) return path;
  if (path.startsWith(`${root}/`)) return path.slice(root.length + 1);
  return `${root.split("/").map(() => "..").join("/")}/${path}`;
}

async function runGit(
  { context, tool, root, folder, common, overrides }: Start & { readonly overrides: Overrides },
  words: readonly string[],
  { stdin, good = [0], env = {}, changes = "nothing", own, scratch }: GitOptions,
): Promise<GitOutput> {
  const writes = changes === "nothing" ? [] : [...new Set([folder, common])];
  const outcome = await context.processes.runOwn(
    ["git", "--no-pager", ...(own === true ? [] : settingOptions(overrides)), ...words],
    {
      cwd: root,
      env: {
        ...ENVIRONMENT,
        GIT_DIR: seenFrom(root, folder),
        GIT_WORK_TREE: ".",
        ...(changes === "nothing" ? { GIT_OPTIONAL_LOCKS: "0" } : {}),
        ...env,
      },
      stdin: stdin ?? null,
      timeoutMs: context.timeoutMs,
      writes: changes === "files" || changes === "workspace"
        ? [changes === "files" ? root : ".", ...writes]
        : writes,
      ...(scratch === undefined ? {} : { scratch }),
    },
  );
  context.checkpoint();
  const { exitCode, stdout, dropped, timedOut, cancelled, exceeded } = outcome;
  const stderr = textOf(outcome.stderr);
  if (exitCode === null || timedOut || cancelled || exceeded !== null) {
    const late = cancelled && isOutOfTime(context);
    const ended = late ? { ...outcome, cancelled: false, timedOut: true } : outcome;
    const error = commandError(tool, "git", ended, context.timeoutMs);
    if (error !== null) throw error;
  }
  if (exitCode === 128) requireNoLock({ tool, now: context.now, files: context.files }, stderr);
  if (exitCode === null || !good.includes(exitCode)) throw gitError(tool, stderr);
  return { bytes: stdout, truncated: dropped.stdout > 0, stderr, status: exitCode };
}

/**
 * GIT_ERROR with what to do where git found a lock (lockfile.c): a git is at work there, or one that was killed has left
 * it, and nobody can tell which.
 */
function requireNoLock(
  { tool, files, now }: Pick<Repository, "tool" | "files" | "now">,
  stderr: string,
): void {
  const path = /Unable to create '([^\n]+\.lock)': File exists/.exec(stderr)?.[1];
  if (path === undefined) return;
  const lock = files.display(path);
  const found = look(files, lock);
  const seconds = found === null ? 0 : Math.max(0, (now().getTime() - found.modified) / 1000);
  const age = seconds < 120
    ? `${Math.round(seconds)} seconds`
    : `${Math.round(seconds / 60)} minutes`;
  throw new ToolError(
    "GIT_ERROR",
    `${tool}: ${
      printable(lock)
    } is there, ${age} old: a git is at work in this repository, or one that was killed ` +
      "left it behind; nothing was changed. Where no git runs there any more, delete that file and call again",
    { details: { lock, age_seconds: Math.round(seconds) } },
  );
}

/** What git said when it gave up, on one line. */
export function gitError(tool: string, stderr: string): ToolError {
  const lines = stderr.split("\n").map((line) => line.trim()).filter((line) => line !== "");
  const telling = lines.filter((line) => /^(?:fatal|error):/.test(line));
  const said = (telling.length > 0 ? telling : lines).slice(0, 5).join("; ");
  return new ToolError(
    "GIT_ERROR",
    `${tool}: ${said === "" ? "git gave up without a word" : printable(said, 500)}`,
  );
}
