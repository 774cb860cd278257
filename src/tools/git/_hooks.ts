/** Hooks of a repository: those that a policy lets run, as the programs that they are, and the others by name. */

import type { Capability } from "../../core/capability.ts";
import { ToolError } from "../../core/errors.ts";
import type { GitSettings } from "../../core/git_settings.ts";
import { printable } from "../../core/printable.ts";
import type { HookOutcome, ToolContext } from "../../core/tool.ts";
import { textOf } from "../../toolkit/git/names.ts";
import { within } from "../../toolkit/git/place.ts";
import { foldersFrom, type Repository } from "../../toolkit/git/repository.ts";

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

/** As whoever runs it by hand would name it, from where the files begin. */
function programOf(name: string): string {
  return `.git/hooks/${name}`;
}

/** The hooks of one call. */
export class Hooks {
  readonly #repository: Repository;
  readonly #context: ToolContext;
  readonly #there: readonly string[];
  /** Whether they lie where those were judged that may run. */
  readonly #mayRun: boolean;
  readonly #isPreview: boolean;
  readonly #ran = new Set<string>();

  private constructor(
    repository: Repository,
    context: ToolContext,
    found: {
      readonly there: readonly string[];
      readonly mayRun: boolean;
      readonly isPreview: boolean;
    },
  ) {
    this.#repository = repository;
    this.#context = context;
    this.#there = found.there;
    this.#mayRun = found.mayRun;
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
    const mayRun = context.git.hooks === "allow" &&
      folder === within(repository.root, ".git/hooks");
    return new Hooks(repository, context, { there, mayRun, isPreview });
  }

  /** Runs it, where it is there and may. Throws GIT_ERROR where it ends with anything but 0. */
  async run(
    name: string,
    { words = [], stdin, message }: {
      readonly words?: readonly string[];
      readonly stdin?: string;
      readonly message?: string;
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
        }, and nothing was done${said === "" ? "" : `; it said: ${said}`}`,
        { details: { hook: name, exit_code: exitCode, output: said } },
      );
    }
    if (message === undefined) return kept;
    if (outcome.message !== null) return outcome.message;
    throw new ToolError(
      "GIT_ERROR",
      `${this.#repository.tool}: the hook ${name} left no text in place of the message, and nothing was done`,
    );
  }

  /** The message of a merge's commit, as the hooks for messages leave it. Throws GIT_ERROR. */
  async mergeMessage(message: string): Promise<string> {
    const prepared = await this.run("prepare-commit-msg", { message, words: ["merge"] });
    return await this.run("commit-msg", { message: prepared });
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
    if (!this.#mayRun || this.#isPreview || !this.#there.includes(name)) return null;
    const { processes, timeoutMs } = this.#context;
    const outcome = await processes.runHook([programOf(name)], {
      words,
      cwd: this.#repository.root,
      stdin: stdin === undefined ? null : new TextEncoder().encode(stdin),
      timeoutMs,
      ...(message === undefined ? {} : { message: message.replace(/\n?$/, "\n") }),
    });
    if (outcome !== null) this.#ran.add(name);
    return outcome;
  }

  /** What ran and what did not. Of a preview what may run is neither. */
  get told(): HooksTold {
    const skipped = this.#isPreview && this.#mayRun
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
