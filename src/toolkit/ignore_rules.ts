/** What ignore files name, for one walk through a tree. */

import { ToolError } from "../core/errors.ts";
import type { Capability } from "../core/capability.ts";
import type { ReadContext } from "../core/tool.ts";
import { compileIgnoreFile, type IgnoreVerdict, type IgnoreView } from "./_ignore_file.ts";

/** A directory with what it holds for those who look for rules. */
export interface IgnoreSource {
  readonly path: string;
  has(name: string): boolean;
  read(name: string, limit: number): Uint8Array | null;
}

/** The rules as they hold in one directory. */
export interface IgnoreRules {
  verdict(name: string, isDirectory: boolean): IgnoreVerdict;
  /** In the directory of that name, with what its own files say; these where nothing is different there. */
  into(name: string, directory: IgnoreSource): IgnoreRules;
}

type ReadFile = (path: string, limit: number) => Uint8Array | null;

/**
 * The kinds of rules, and which of them speaks first: as in ripgrep each kind has its say from the innermost directory
 * outwards before the next one is asked.
 */
const OWN = [".rgignore", ".ignore"] as const;
const GIT = ".gitignore";
const FILES: readonly string[] = [...OWN, GIT];
/** Rules of one clone, for its whole repository. */
const EXCLUDE = ".git/info/exclude";

/** Larger ones are no list that a person wrote. */
const LARGEST = 1024 * 1024;

/** The rules of a kind, the innermost file first. */
type Views = readonly IgnoreView[];

/** One kind of rules after the other, first `OWN`, then `GIT`, then `EXCLUDE`. */
type Kinds = readonly Views[];

const NO_RULES: Kinds = [...FILES, EXCLUDE].map(() => []);

/** What a search below `path` would like to read of the directories above it; nothing for paths with `..`. */
export function ignoreCapabilities(path: string): readonly Capability[] {
  return directoriesAbove(path).flatMap((directory) =>
    [...FILES, EXCLUDE].map((name): Capability => ({
      kind: "fs.read",
      path: `${directory}${name}`,
      tree: false,
      optional: true,
    }))
  );
}

/**
 * The rules where a search begins: those of its own directory, and of the directories above it as far as the
 * workspace. Who names an ignored directory wants to see into it: then nothing above it counts.
 */
export function createIgnoreRules(
  path: string,
  directory: IgnoreSource,
  { files }: ReadContext,
): IgnoreRules {
  const readFile: ReadFile = (file, limit) => {
    try {
      return files.find(file)?.type === "file" ? files.read(file, limit).bytes : null;
    } catch (error) {
      // Denied, too large, gone: then it names nothing.
      if (error instanceof ToolError) return null;
      throw error;
    }
  };
  let kinds = NO_RULES;
  for (const [above, name] of chainTo(directory.path, path, files.display)) {
    const has = (file: string) => readFile(`${above}${file}`, LARGEST) !== null;
    kinds = withFiles(kinds, {
      repository: has(EXCLUDE),
      read: (file) => readFile(`${above}${file}`, LARGEST),
    });
    kinds = verdictOf(kinds.flat(), name, true) === "ignored" ? NO_RULES : enter(kinds, name);
  }
  return rulesIn(kinds, directory, readFile);
}

/** The directories above, each with a slash at its end where it has a name, the outermost first. */
export function directoriesAbove(path: string): readonly string[] {
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.includes("..")) return [];
  const root = path.startsWith("/") ? "/" : "";
  return parts.map((_, depth) => parts.slice(0, depth).map((part) => `${part}/`).join(""))
    .map((directory) => `${root}${directory}`);
}

/**
 * The directories above the start that lie in the workspace, in the words of the request, each with the name that
 * leads on. None where the words lead over links: then the rules of other directories would speak.
 */
function chainTo(
  start: string,
  path: string,
  display: (path: string) => string,
): readonly (readonly [directory: string, name: string])[] {
  if (start === "." || start.startsWith("/")) return [];
  const names = start.split("/");
  const above = directoriesAbove(path).slice(-names.length);
  const plain = path.split("/").filter((part) => part !== "" && part !== ".").join("/");
  if (above.length < names.length || !(plain === start || plain.endsWith(`/${start}`))) return [];
  // A relative path begins in the workspace; an absolute one may begin above it.
  if (path.startsWith("/") && display(`${above[0]}${GIT}`) !== GIT) return [];
  return names.map((name, depth) => [above[depth] as string, name]);
}

function rulesIn(inherited: Kinds, directory: IgnoreSource, readFile: ReadFile): IgnoreRules {
  const repository = directory.has(".git");
  const exclude = directory.path === "." ? EXCLUDE : `${directory.path}/${EXCLUDE}`;
  const kinds = withFiles(inherited, {
    repository,
    read(file) {
      if (file !== EXCLUDE) return directory.read(file, LARGEST);
      return repository ? readFile(exclude, LARGEST) : null;
    },
  });
  return rulesOf(kinds, readFile);
}

function rulesOf(kinds: Kinds, readFile: ReadFile): IgnoreRules {
  // In the order in which they speak.
  const views = kinds.flat();
  return {
    verdict: (name, isDirectory) => verdictOf(views, name, isDirectory),
    into(name, directory) {
      const entered = enter(kinds, name);
      const silent = !directory.has(".git") && !FILES.some((file) => directory.has(file));
      if (!silent) return rulesIn(entered, directory, readFile);
      return entered === kinds ? this : rulesOf(entered, readFile);
    },
  };
}

function verdictOf(views: Views, name: string, isDirectory: boolean): IgnoreVerdict {
  for (const view of views) {
    const verdict = view.verdict(name, isDirectory);
    if (verdict !== null) return verdict;
  }
  return null;
}

/** In a repository within another one Git's rules begin anew. */
function withFiles(
  inherited: Kinds,
  { repository, read }: {
    readonly repository: boolean;
    readonly read: (file: string) => Uint8Array | null;
  },
): Kinds {
  return [...FILES, EXCLUDE].map((file, kind) => {
    const outer = repository && kind >= OWN.length ? [] : inherited[kind] ?? [];
    const bytes = read(file);
    const view = bytes === null ? null : compileIgnoreFile(bytes);
    return view === null ? outer : [view, ...outer];
  });
}

/** The same where the directory sees them all alike. */
function enter(kinds: Kinds, name: string): Kinds {
  const entered = kinds.map((views) => {
    const below = views.flatMap((view) => view.into(name) ?? []);
    const same = below.length === views.length && below.every((view, at) => view === views[at]);
    return same ? views : below;
  });
  return entered.every((views, kind) => views === kinds[kind]) ? kinds : entered;
}
