/** What is looked at before a program of a call is started: git's changes of working files, by git itself. */

import type { CanonicalPath, Program } from "../../core/capability.ts";
import { lineVariables, namesGit } from "../../core/git_settings.ts";
import type { Rulebook } from "../../policy/rulebook.ts";
import { textAt } from "../kernel/read_text.ts";
import { hold } from "./_hold.ts";
import type { GitLook, SurveyParts } from "./_survey_parts.ts";
import type { ProcessesOptions } from "./program_options.ts";
import type { Starter } from "./starter.ts";

/** What it takes; `rulebook` is that of the run. */
export interface StartSurvey extends Pick<SurveyParts, "resolve"> {
  readonly rulebook: SurveyParts["rulebook"] & Pick<Rulebook, "settings">;
  readonly options: ProcessesOptions;
  readonly starter: Starter;
}

/** Looking takes no longer than this. */
const PATIENCE_MS = 30_000;
/** Names that are looked at, in bytes: those of a merge of a hundred thousand files. */
const MOST_BYTES = 16 * 1024 * 1024;
/** Of a file that says where a repository lies, or where a search began, in bytes. */
const MOST_TEXT = 16 * 1024;

/** Whether there is anything to look at. */
export function isSurveyed(argv: readonly string[] | null): argv is readonly string[] {
  return argv !== null && namesGit(argv.slice(0, 1));
}

/** Throws the ToolError that refuses it. */
export async function surveyStart(
  { options, starter, rulebook, resolve }: StartSurvey,
  program: Program,
  argv: readonly string[],
  directory: CanonicalPath,
): Promise<void> {
  const { surveyGit } = await import("./git_survey.ts");
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
