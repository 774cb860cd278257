/** What a program may execute: itself, what loads it, and what it is said to start. */

import { baseName } from "../../core/path_text.ts";
import type { CanonicalPath, Program } from "../../core/capability.ts";
import { resolvePath } from "../../host/paths/canonicalize.ts";
import { createKernelProbe } from "../../host/paths/path_probe.ts";
import { type ExecutableFacts, executableFacts } from "../../host/run/executable.ts";
import type { ProgramFinder } from "../../host/run/program_search.ts";
import type { StartList } from "../../host/broker/handed_rules.ts";
import { identityOf } from "../../host/kernel/stat.ts";
import type { Starts } from "../../policy/rulebook.ts";
import { readEntries } from "../../host/kernel/directory_entries.ts";
import { OPEN, openWithoutLinks } from "../../sandbox/kernel/open_without_links.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";

/** Where git keeps the programs that it is made of, beside its own (git(1), --exec-path). */
export const GIT_FOLDERS = [
  "/usr/lib/git-core",
  "/usr/libexec/git-core",
  "/usr/local/libexec/git-core",
];
/** Scripts name scripts that name scripts; the kernel follows four (BINPRM_MAX_RECURSION, fs/exec.c). */
const MOST_INTERPRETERS = 5;

/** What is found out of executables, once each. */
export class OwnStarts {
  readonly #libc: Libc;
  readonly #finder: Pick<ProgramFinder, "find">;
  readonly #facts = new Map<string, ExecutableFacts | null>();

  /** `finder` finds what may be started by its bare name. */
  constructor(libc: Libc, finder: Pick<ProgramFinder, "find">) {
    this.#libc = libc;
    this.#finder = finder;
  }

  /** Whether this is a program itself, and no script. */
  isBinary(path: string): boolean {
    return this.#factsOf(path)?.kind === "program";
  }

  /** The files to be executed for a program that starts these; "any" where nobody can say. `own`: the run's own folder. */
  executables(
    program: Program,
    starts: Starts,
    directory: CanonicalPath,
    own: CanonicalPath | null,
  ): readonly string[] | "any" {
    if (starts === "any") return "any";
    const names = starts === "none" ? [] : starts;
    const found = names.flatMap((name) => {
      if (name === "git-*") return GIT_FOLDERS;
      const other = this.#finder.find(name, directory, own);
      return other === null ? [] : this.#withInterpreters(other.start, directory);
    });
    return [...new Set([...this.#withInterpreters(program.start, directory), ...found])];
  }

  /** Whether its very start takes further ones: env(1) looks for what runs the script. */
  startsAgain(path: string): boolean {
    return this.#factsOf(path)?.named !== undefined;
  }

  /** What loads the programs among these, not what runs the scripts: by the places where that lies. */
  loaders(executables: readonly string[]): readonly string[] {
    const { entryAt } = createKernelProbe(this.#libc);
    return this.#interpreters(executables)
      .map((path) => resolvePath("/" as CanonicalPath, path, entryAt));
  }

  /** These as those that are started by themselves: what only loads them is none, nor is it when it has their name. */
  listOf(executables: readonly string[], system: readonly string[]): StartList {
    const libc = this.#libc;
    const identities = (paths: readonly string[]) =>
      paths.flatMap((path) => identityOf(libc, path) ?? []);
    const loaders = new Set(identities(this.#interpreters(executables)));
    const files = identities(executables).filter((one) => !loaders.has(one));
    const { entryAt } = createKernelProbe(libc);
    const folders = executables.filter((path) => GIT_FOLDERS.includes(path))
      .map((path) => resolvePath("/" as CanonicalPath, path, entryAt));
    return { files: new Set(files), folders, names: new Set(executables), system };
  }

  /** By the paths that their programs name. */
  #interpreters(executables: readonly string[]): readonly string[] {
    const found = executables.flatMap((path) => {
      const facts = this.#factsOf(path);
      return facts?.kind === "program" && facts.interpreter !== null ? [facts.interpreter] : [];
    });
    return [...new Set(found)];
  }

  /** The file, and what is executed in its turn. */
  #withInterpreters(path: string, directory: CanonicalPath): readonly string[] {
    const all = [path];
    for (let at: string | null = path; at !== null && all.length <= MOST_INTERPRETERS;) {
      const facts = this.#factsOf(at);
      const named = facts?.named === undefined ? null : this.#finder.find(facts.named, directory);
      at = facts?.interpreter ?? null;
      if (at !== null) all.push(at);
      if (named !== null) all.push(...this.#withInterpreters(named.start, directory));
    }
    return all;
  }

  #factsOf(path: string): ExecutableFacts | null {
    const known = this.#facts.get(path);
    if (known !== undefined) return known;
    const facts = executableFacts(this.#libc, path);
    if (facts !== null) this.#facts.set(path, facts);
    return facts;
  }
}

/** Folders of programs, by the names that they have everywhere (hier(7)). */
const PROGRAM_FOLDERS: ReadonlySet<string> = new Set(["bin", "sbin", "games"]);
/** Folders that have such among them: they are given by their parts. */
const PARTED: ReadonlySet<string> = new Set(["/", "/usr", "/usr/local"]);

/** The paths of the system without the folders of programs. */
export function withoutPrograms(libc: Libc, system: readonly string[]): readonly string[] {
  return system.flatMap((path): readonly string[] => {
    if (PROGRAM_FOLDERS.has(baseName(path))) return [];
    if (!PARTED.has(path)) return [path];
    const prefix = path === "/" ? "" : path;
    return withoutPrograms(libc, namesIn(libc, path).map((name) => `${prefix}/${name}`));
  });
}

function namesIn(libc: Libc, folder: string): readonly string[] {
  const { numbers } = libc;
  const flags = OPEN.RDONLY | numbers.O_DIRECTORY;
  const descriptor = openWithoutLinks(libc, folder, flags);
  if (descriptor < 0) return [];
  const entries = readEntries(libc, descriptor, new Uint8Array(32 * 1024));
  libc.call(numbers.close, descriptor);
  return typeof entries === "number" ? [] : entries.map(({ name }) => name);
}
