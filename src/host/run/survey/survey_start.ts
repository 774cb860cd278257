/**
 * What is looked at before a program of a call is started: git's changes of working files, by git itself, and the trees
 * that it would take away or change one by one.
 */

import type { CanonicalPath, Program } from "../../../core/capability.ts";
import { lineVariables, namesGit } from "../../../core/git/settings.ts";
import type { Rulebook } from "../../../policy/rulebook.ts";
import { textAt } from "../../kernel/read_text.ts";
import { createKernelProbe } from "../../paths/path_probe.ts";
import { hold } from "../_hold.ts";
import type { GitLook, SurveyParts } from "./_parts.ts";
import type { ProcessesOptions } from "../program_options.ts";
import type { Starter } from "../starter.ts";

/** What it takes; `rulebook` is that of the run. */
export interface StartSurvey extends Pick<SurveyParts, "resolve"> {
  readonly rulebook:
    & SurveyParts["rulebook"]
    & Pick<Rulebook, "settings" | "effects" | "judgeBelow">;
  readonly options: ProcessesOptions;
  readonly starter: Starter;
}

/** Looking takes no longer than this. */
const PATIENCE_MS = 30_000;
/** Names that are looked at, in bytes: those of a merge of a hundred thousand files. */
const MOST_BYTES = 16 * 1024 * 1024;
/** Of a file that says where a repository lies, or where a search began, in bytes. */
const MOST_TEXT = 16 * 1024;

/** Throws the ToolError that refuses it. */
export async function surveyStart(
  parts: StartSurvey,
  program: Program,
  argv: readonly string[],
  directory: CanonicalPath,
): Promise<void> {
  if (namesGit(argv.slice(0, 1))) return await lookByGit(parts, program, argv, directory);
  const { rulebook, resolve, starter: { libc } } = parts;
  const spawned = { kind: "process.spawn", argv, cwd: directory } as const;
  const { writes, deletes } = rulebook.effects(spawned, program);
  const through = (files: typeof writes): readonly string[] =>
    files.flatMap((file) => file.through === true ? [file.path] : []);
  const trees = { changed: through(writes), removed: through(deletes) };
  if (trees.changed.length + trees.removed.length === 0) return;
  const { surveyTrees } = await import("./_trees.ts");
  const { entryAt } = createKernelProbe(libc);
  await surveyTrees({ libc, rulebook, resolve, entryAt }, trees, argv, directory);
}

async function lookByGit(
  { options, starter, rulebook, resolve }: StartSurvey,
  program: Program,
  argv: readonly string[],
  directory: CanonicalPath,
): Promise<void> {
  const { surveyGit } = await import("./_git.ts");
  const environment = new Map(Object.entries({
    ...lineVariables(options.grant.git),
    PATH: "/usr/bin:/bin",
    LC_ALL: "C.UTF-8",
    GIT_OPTIONAL_LOCKS: "0",
  }));
  const git: SurveyParts["git"] = async (words, directory, stdin): Promise<GitLook> => {
    const request = {
      cwd: directory,
      env: {},
      stdin: new TextEncoder().encode(stdin),
      timeoutMs: PATIENCE_MS,
    };
    const { grant } = options;
    const limits = { ...grant.limits, output: MOST_BYTES };
    const quiet = { ...options, listener: null, grant: { ...grant, limits } };
    const { exitCode, stdout, dropped } = await hold(quiet, starter, request, (run, launcher) => {
      const child = launcher.launch({
        program,
        argv: [argv[0] ?? "git", "--no-pager", ...words],
        directory,
        environment,
        descriptors: run.descriptors,
        use: { argv: ["git", "status"], starts: ["git", "git-*"], writes: [] },
      });
      run.release();
      return child.ended;
    });
    return { status: exitCode, bytes: stdout, cut: dropped.stdout > 0 };
  };
  await surveyGit(argv, directory, {
    rulebook,
    workspace: rulebook.settings.workspace,
    protocols: options.grant.git.protocols,
    resolve,
    git,
    text: (path) => textAt(starter.libc, path, MOST_TEXT),
  });
}
