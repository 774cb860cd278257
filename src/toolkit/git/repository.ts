/** The repository of a call: found by Toolgate itself, inside the workspace with all that it leans on, and git in it. */

import type { Capability, OwnUse } from "../../core/capability.ts";
import { ToolError } from "../../core/errors.ts";
import { FILTER_PROGRAMS, type GitFilter } from "../../core/git/settings.ts";
import { foldersFrom } from "../../core/path_text.ts";
import { printable } from "../../core/printable.ts";
import type { DeniedName, Destination, Hold, ReadFiles, ToolContext } from "../../core/tool.ts";
import { commandError } from "../command_output.ts";
import { isOutOfTime } from "../run_program.ts";
import { requireNoLock } from "./locks.ts";
import { splitNul, textOf } from "./names.ts";
import {
  checkAlternates,
  commonOf,
  findPlace,
  look,
  type Place,
  requireFile,
  requireFolder,
  requireNoLink,
  seenOnce,
  textIn,
  within,
} from "./place.ts";
import {
  FILTER_VARIABLES,
  filterSettings,
  filtersOf,
  requirePlainFilters,
  usesFilters,
} from "./_filters.ts";
import {
  ENVIRONMENT,
  isPlain,
  NOTHING_OVERRIDDEN,
  type Overrides,
  overridesOf,
  settingOptions,
} from "./_settings.ts";

/** What a call of a git tool needs; `words` stand for its use of git and are what rules are held against. */
export function gitNeeds(
  repository: string,
  words: readonly string[],
  use: GitUse,
): readonly Capability[] {
  const own = { ...use, starts: STARTS, missing: MISSING };
  return [
    { kind: "process.spawn", argv: ["git", ...words], cwd: repository, own },
    { kind: "fs.read", path: repository, tree: true, contents: "any" },
    // A repository may begin above the folder that was named.
    ...(repository === "." ? [] : [ABOVE]),
    ...(use.access === "write" ? foldersFrom(repository).flatMap(stateIn) : []),
  ];
}

const ABOVE = {
  kind: "fs.read",
  path: ".",
  tree: true,
  contents: "any",
  optional: true,
} as const;

/** What a change begins with, wherever the repository begins: another index or another branch is another question. */
function stateIn(folder: string): readonly Capability[] {
  const read = { kind: "fs.read", optional: true } as const;
  const git = within(folder, ".git");
  return [
    ...["HEAD", "config", "index", "packed-refs"].map((name) =>
      ({ ...read, path: `${git}/${name}`, tree: false }) as const
    ),
    { ...read, path: `${git}/refs`, tree: true },
  ];
}

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
  /** A folder of the repository that it takes for the working files. */
  readonly inside?: string;
  /** A folder that was lent, in which it may write too. */
  readonly scratch?: string;
  /** Where it goes by the network. */
  readonly connects?: Destination;
  /** A filter that it may start. */
  readonly startsToo?: GitFilter;
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
  /** Filters that the policy lets run, here. */
  readonly filters: readonly string[];
  /** The lent folder that it lies in; absent where it lies in the workspace. */
  readonly scratch?: string;
  readonly files: ReadFiles;
  readonly now: () => Date;
  /** Milliseconds that the call may still take. */
  timeLeft(): number;
  /** Holds `folder`, as {@linkcode ToolContext.processes} does. */
  hold(): Hold | null;
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
  const files = seenOnce(context.files);
  const start = files.display(repository);
  requireFolder(tool, context.files, start);
  const place = findPlace(tool, files, start, context.git.home);
  return await openAt(tool, context, place, listed, files);
}

/** What git reads of its folder whatever it is asked (gitrepository-layout(5)). */
const READ_FIRST = [
  ...["HEAD", "config", "config.worktree", "commondir", "index", "packed-refs", "shallow"],
  ...["info/exclude", "info/attributes", "info/grafts"],
];

/** As {@linkcode openRepository}, of one that was found. */
export async function openAt(
  tool: string,
  context: ToolContext,
  { root, folder }: Place,
  listed: boolean,
  /** Those by which it was found. */
  seen = seenOnce(context.files),
): Promise<Repository> {
  const { files } = context;
  const { home } = context.git;
  const common = commonOf(tool, seen, folder, home);
  for (const name of ["HEAD", "objects", "refs", "config", "config.worktree", "info", "logs"]) {
    for (const place of new Set([folder, common])) requireNoLink(tool, seen, `${place}/${name}`);
  }
  for (const name of READ_FIRST) {
    for (const place of new Set([folder, common])) requireFile(tool, seen, `${place}/${name}`);
  }
  for (const name of [".gitattributes", ".gitignore", ".mailmap"]) {
    requireFile(tool, seen, within(root, name));
  }
  checkAlternates(tool, seen, `${common}/objects`);
  const start = { context, tool, root, folder, common };
  const filters = await filtersOf(context);
  const isPlain = !listed && filters.length === 0 && hasPlainSettings(seen, folder, common);
  const keys = isPlain ? null : await keysOf(start);
  const overrides = keys === null ? NOTHING_OVERRIDDEN : overridesOf(keys);
  const settings = [`${common}/config`, `${folder}/config.worktree`];
  return {
    tool,
    root,
    folder,
    common,
    overrides,
    filters: filters.map(({ name }) => name),
    files,
    now: context.now,
    timeLeft: () => context.timeoutMs,
    hold: () => context.processes.hold(["git"], folder),
    objectsIn: (folder: string) => ({
      GIT_OBJECT_DIRECTORY: folder,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: quotedAlternate(`${seenFrom(root, common)}/objects`),
    }),
    objectsOf: (other) => quotedAlternate(`${seenFrom(root, other.common)}/objects`),
    mayName: (key) =>
      keys === null
        ? settings.some((path) => (textIn(files, path) ?? "").toLowerCase().includes(key))
        : keys.some((name) => name.endsWith(`.${key}`)),
    async git(words, options = {}) {
      const { changes = "nothing", scratch, own } = options;
      if (own || filters.length === 0 || !usesFilters(words, changes !== "nothing")) {
        return await runGit({ ...start, overrides }, words, options);
      }
      requirePlainFilters(filters, { tool, files, common, keys: keys ?? [] });
      const run = async (store: string | null) => {
        const settings = { ...overrides.settings, ...filterSettings(filters, store) };
        const env = { ...FILTER_VARIABLES, ...options.env };
        const lent = store === null ? {} : { scratch: store };
        return await runGit({ ...start, overrides: { ...overrides, settings } }, words, {
          ...{ ...options, env, ...lent },
          startsToo: filters[0]!.name,
        });
      };
      if (changes !== "nothing") return await run(null);
      // Who only looks leaves nothing behind, and neither does what looks for him.
      return scratch === undefined ? await context.processes.withScratch(run) : await run(scratch);
    },
  };
}

/**
 * An empty repository without files in a lent folder, with none of the settings of `of`, whose objects it sees: for what
 * speaks to other machines.
 */
export async function makeApart(
  context: ToolContext,
  of: Repository,
  scratch: string,
): Promise<Repository> {
  const { tool, root, files } = of;
  const folder = `${scratch}/there.git`;
  const start = { context, tool, root, folder, common: folder, overrides: NOTHING_OVERRIDDEN };
  const shallow = `${of.common}/shallow`;
  const env = {
    GIT_ALTERNATE_OBJECT_DIRECTORIES: of.objectsOf(of),
    // gitrepository-layout(5): where history ends in a clone that has not all of it.
    ...(look(files, shallow) === null ? {} : { GIT_SHALLOW_FILE: seenFrom(root, shallow) }),
  };
  const apart: Repository = {
    ...{ ...of, folder, common: folder, scratch, overrides: NOTHING_OVERRIDDEN, filters: [] },
    mayName: () => false,
    git: (words, options = {}) =>
      runGit(start, words, { ...options, scratch, env: { ...env, ...options.env } }),
  };
  const { bytes: format } = await of.git(["rev-parse", "--show-object-format"]);
  await apart.git([
    ...["init", "--quiet", "--template=", `--object-format=${textOf(format).trim()}`],
  ]);
  return apart;
}

interface Start {
  readonly context: ToolContext;
  readonly tool: string;
  readonly root: string;
  readonly folder: string;
  readonly common: string;
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
  options: GitOptions,
): Promise<GitOutput> {
  const { stdin, good = [0], env = {}, changes = "nothing", scratch, connects } = options;
  const { own, startsToo, inside } = options;
  const writes = changes === "nothing" ? [] : [...new Set([folder, common])];
  const outcome = await context.processes.runOwn(
    ["git", "--no-pager", ...(own === true ? [] : settingOptions(overrides)), ...words],
    {
      cwd: inside ?? root,
      env: {
        ...ENVIRONMENT,
        GIT_DIR: inside === undefined ? seenFrom(root, folder) : ".",
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
      ...(connects === undefined ? {} : { connects }),
      ...(startsToo === undefined ? {} : { startsToo: FILTER_PROGRAMS[startsToo] }),
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
  if (exitCode === 128) {
    requireNoLock({ tool, root, now: context.now, files: context.files }, stderr);
  }
  if (exitCode === null || !good.includes(exitCode)) {
    throw connects === undefined ? gitError(tool, stderr) : farError(tool, outcome.denied, stderr);
  }
  return { bytes: stdout, truncated: dropped.stdout > 0, stderr, status: exitCode };
}

/** Why another machine was not reached, or did not do what it was asked. */
function farError(tool: string, denied: readonly DeniedName[], stderr: string): ToolError {
  const refused = denied.find(({ access }) => access === "connect");
  if (refused !== undefined) {
    return new ToolError("NETWORK_DENIED", `${tool}: ${refused.reason}`, { rule: refused.rule });
  }
  const error = gitError(tool, stderr);
  if (!/could not read (?:Username|Password)|Authentication failed/.test(stderr)) return error;
  return new ToolError(
    "GIT_ERROR",
    `${error.message}. It wants to know who asks, and the git tools know no names and passwords: secrets of the policy ` +
      "add what a host wants, without anybody seeing it",
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
