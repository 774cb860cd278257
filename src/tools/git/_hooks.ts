/** Hooks of a repository: those that a policy lets run, as the programs that they are, and the others by name. */

import type { Capability } from "../../core/capability.ts";
import { ToolError } from "../../core/errors.ts";
import type { GitSettings } from "../../core/git/settings.ts";
import { foldersFrom } from "../../core/path_text.ts";
import { printable } from "../../core/printable.ts";
import type { HookOutcome, ToolContext } from "../../core/tool.ts";
import { textOf } from "../../toolkit/git/names.ts";
import { within } from "../../toolkit/git/place.ts";
import type { Repository } from "../../toolkit/git/repository.ts";

/** What ran and what did not, in results. */
export const HOOKS_RUN = {
  type: "array",
  items: { type: "string" },
  description: "Hooks of the repository that ran.",
} as const;
/** And what did not. */
export const HOOKS_SKIPPED = {
  type: "array",
  items: { type: "string" },
  description: "Hooks of the repository that did not run.",
} as const;

/** What results say of hooks; nothing where there are none. */
export interface HooksTold {
  readonly hooks_run?: readonly string[];
  readonly hooks_skipped?: readonly string[];
}

/** Of names in githooks(5) those that are there: all skipped. */
export async function hooksSkipped(
  repository: Repository,
  names: readonly string[],
): Promise<HooksTold> {
  return told([], await hooksThere(repository, names));
}

/** The programs that hooks are, wherever the repository begins: judged as commands, and left out where they may not run. */
export function hookNeeds(
  git: GitSettings | undefined,
  repository: string,
  names: readonly string[],
): readonly Capability[] {
  if (git?.hooks !== "allow") return [];
  return foldersFrom(repository).flatMap((cwd) =>
    names.map((name) =>
      ({ kind: "process.spawn", argv: [programOf(name)], cwd, optional: true }) as const
    )
  );
}

/** Where the files of the repository begin that a linked worktree belongs to; null where that is not plain. */
function homeOf({ root, folder, common }: Repository): string | null {
  if (folder === common) return root;
  const [, home] = /^(?:(.+)\/)?\.git$/s.exec(common) ?? [];
  return common === ".git" ? "." : home ?? null;
}

/** As whoever runs it by hand would name it, from where the files begin. */
function programOf(name: string): string {
  return `.git/hooks/${name}`;
}

const NOTHING_DONE = "nothing was done";

/** The hooks of one call. */
export class Hooks {
  readonly #repository: Repository;
  readonly #context: ToolContext;
  readonly #there: readonly string[];
  /** The folder in which those were judged that may run; null where they do not lie there. */
  readonly #home: string | null;
  readonly #isPreview: boolean;
  readonly #ran = new Set<string>();

  private constructor(
    repository: Repository,
    context: ToolContext,
    found: {
      readonly there: readonly string[];
      readonly home: string | null;
      readonly isPreview: boolean;
    },
  ) {
    this.#repository = repository;
    this.#context = context;
    this.#there = found.there;
    this.#home = found.home;
    this.#isPreview = found.isPreview;
  }

  /** `names`: those that the call could run, or git would. */
  static async of(
    repository: Repository,
    context: ToolContext,
    names: readonly string[],
    isPreview = false,
  ): Promise<Hooks> {
    const there = await hooksThere(repository, names);
    const folder = there.length === 0 ? null : await hooksFolder(repository);
    const home = context.git.hooks === "allow" ? homeOf(repository) : null;
    const isUsual = home !== null && folder === within(home, ".git/hooks");
    return new Hooks(repository, context, { there, home: isUsual ? home : null, isPreview });
  }

  /** Whether it is there and lies where it may run: whether rules let it is seen when it does. */
  mayRun(name: string): boolean {
    return this.#home !== null && !this.#isPreview && this.#there.includes(name);
  }

  /** Runs it, where it is there and may. Throws GIT_ERROR where it ends with anything but 0. */
  async run(
    name: string,
    { words = [], stdin, message, left = NOTHING_DONE }: {
      readonly words?: readonly string[];
      readonly stdin?: string;
      readonly message?: string;
      /** How things stand where it stops the call. */
      readonly left?: string;
    } = {},
  ): Promise<string> {
    const outcome = await this.#start(name, { words, stdin, message });
    const kept = message ?? "";
    if (outcome === null) return kept;
    const { exitCode, signal, timedOut, cancelled, stdout, stderr } = outcome;
    if (cancelled || timedOut) this.#context.checkpoint();
    if (exitCode !== 0) {
      const said = printable(`${textOf(stdout)}${textOf(stderr)}`.trim(), 2000);
      throw new ToolError(
        "GIT_ERROR",
        `${this.#repository.tool}: the hook ${name} ended with ${
          timedOut ? "its time" : exitCode ?? signal
        }, and ${left}${said === "" ? "" : `; it said: ${said}`}`,
        { details: { hook: name, exit_code: exitCode, output: said } },
      );
    }
    if (message === undefined) return kept;
    if (outcome.message !== null) return outcome.message;
    throw new ToolError(
      "GIT_ERROR",
      `${this.#repository.tool}: the hook ${name} left no text in place of the message, and ${left}`,
    );
  }

  /** The message of a merge's commit, as the hooks for messages leave it. Throws GIT_ERROR. */
  async mergeMessage(message: string, left = NOTHING_DONE): Promise<string> {
    const prepared = await this.run("prepare-commit-msg", { message, words: ["merge"], left });
    return await this.run("commit-msg", { message: prepared, left });
  }

  /** Runs one that comes afterwards, whatever it ends with. */
  async after(name: string, words: readonly string[] = [], stdin?: string): Promise<void> {
    try {
      await this.#start(name, { words, stdin, message: undefined });
    } catch (error) {
      // What was done is done: that it did not run is told.
      if (!(error instanceof ToolError)) throw error;
    }
  }

  async #start(
    name: string,
    { words, stdin, message }: {
      readonly words: readonly string[];
      readonly stdin: string | undefined;
      readonly message: string | undefined;
    },
  ): Promise<HookOutcome | null> {
    if (this.#home === null || !this.mayRun(name)) return null;
    const { processes, timeoutMs } = this.#context;
    const outcome = await processes.runHook([programOf(name)], {
      words,
      cwd: this.#home,
      directory: this.#repository.root,
      stdin: stdin === undefined ? null : new TextEncoder().encode(stdin),
      timeoutMs,
      ...(message === undefined ? {} : { message: message.replace(/\n?$/, "\n") }),
    });
    if (outcome !== null) this.#ran.add(name);
    return outcome;
  }

  /** What ran and what did not. Of a preview what may run is neither. */
  get told(): HooksTold {
    const skipped = this.#isPreview && this.#home !== null
      ? []
      : this.#there.filter((name) => !this.#ran.has(name));
    return told([...this.#ran], skipped);
  }
}

function told(run: readonly string[], skipped: readonly string[]): HooksTold {
  return {
    ...(run.length === 0 ? {} : { hooks_run: run }),
    ...(skipped.length === 0 ? {} : { hooks_skipped: skipped }),
  };
}

async function hooksThere(
  repository: Repository,
  names: readonly string[],
): Promise<readonly string[]> {
  const folder = await hooksFolder(repository);
  return names.filter((name) => folder === null || isHook(repository, `${folder}/${name}`));
}

/** Where they lie; null for a place that cannot be looked at, where any may be. */
async function hooksFolder(repository: Repository): Promise<string | null> {
  const usual = `${repository.common}/hooks`;
  if (!repository.mayName("hookspath")) return usual;
  const { bytes, status } = await repository.git(
    ["config", "--includes", "-z", "--get", "core.hooksPath"],
    { good: [0, 1], own: true },
  );
  if (status === 1) return usual;
  const path = textOf(bytes).replace(/\0$/, "");
  if (path === "") return usual;
  if (path.startsWith("~") || path.split("/").includes("..")) return null;
  const known = path.startsWith("/")
    ? repository.files.display(path)
    : within(repository.root, path);
  return known.startsWith("/") ? null : known;
}

/** A file of that name that may be executed: git runs no other. */
function isHook({ files }: Repository, path: string): boolean {
  try {
    const found = files.find(path);
    return found !== null && (found.type === "symlink" || (found.mode & 0o111) !== 0);
  } catch (error) {
    if (error instanceof ToolError) return false;
    throw error;
  }
}
