/**
 * What is looked at before a program of a call is started: git's changes of working files, by git itself, what find would
 * change, by the search itself, and the trees that others would take away, change or copy one by one.
 */

import type { CanonicalPath, Program } from "../../../core/capability.ts";
import { lineVariables, namesGit } from "../../../core/git/settings.ts";
import { baseName } from "../../../core/path_text.ts";
import type { Rulebook } from "../../../policy/rulebook.ts";
import { textAt } from "../../kernel/read_text.ts";
import { createKernelProbe } from "../../paths/path_probe.ts";
import { searchOf } from "../../../core/find_words.ts";
import { hold } from "../_hold.ts";
import type { Launch } from "../_launcher.ts";
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
  const effectsOf = (words: readonly string[], of: Program | null) =>
    rulebook.effects({ kind: "process.spawn", argv: words, cwd: directory }, of);
  const treeParts = () => ({ libc, rulebook, resolve, entryAt: createKernelProbe(libc).entryAt });
  if (FINDERS.has(baseName(argv[0] ?? ""))) {
    const search = searchOf(argv);
    if (search === null || !mayDeny(parts)) return;
    const { surveyFind } = await import("./_find.ts");
    const own = {
      ...treeParts(),
      effectsOf: (words: readonly string[]) => effectsOf(words, null),
      search: (words: readonly string[], starts: readonly string[]) =>
        look(parts, {
          program,
          argv: words,
          directory,
          environment: PLAIN,
          stdin: "",
          use: { argv: [argv[0] ?? "", ...starts], starts: [], writes: [] },
        }),
    };
    return await surveyFind(own, search, argv, directory);
  }
  const { reads, writes, deletes } = effectsOf(argv, program);
  const through = (files: typeof writes) => files.filter((file) => file.through !== undefined);
  const trees = { read: through(reads), changed: through(writes), removed: through(deletes) };
  if (trees.read.length + trees.changed.length + trees.removed.length === 0) return;
  const { surveyTrees } = await import("./_trees.ts");
  await surveyTrees(treeParts(), trees, argv, directory);
}

const FINDERS: ReadonlySet<string> = new Set(["find", "gfind"]);
/** What a look is started with. */
const PLAIN: ReadonlyMap<string, string> = new Map([["PATH", "/usr/bin:/bin"], [
  "LC_ALL",
  "C.UTF-8",
]]);

function mayDeny({ rulebook }: StartSurvey): boolean {
  return rulebook.scope.write.some((root) => rulebook.mayDenyBelow("write", root));
}

/** Runs a program to look, for what it prints. */
async function look(
  { options, starter }: StartSurvey,
  { stdin, ...launch }: Pick<Launch, "program" | "argv" | "directory" | "environment" | "use"> & {
    readonly stdin: string;
  },
): Promise<GitLook> {
  const request = {
    cwd: launch.directory,
    env: {},
    stdin: new TextEncoder().encode(stdin),
    timeoutMs: PATIENCE_MS,
  };
  const { grant } = options;
  const limits = { ...grant.limits, output: MOST_BYTES };
  const quiet = { ...options, listener: null, grant: { ...grant, limits } };
  const { exitCode, stdout, dropped } = await hold(quiet, starter, request, (run, launcher) => {
    const child = launcher.launch({ ...launch, descriptors: run.descriptors });
    run.release();
    return child.ended;
  });
  return { status: exitCode, bytes: stdout, cut: dropped.stdout > 0 };
}

async function lookByGit(
  parts: StartSurvey,
  program: Program,
  argv: readonly string[],
  directory: CanonicalPath,
): Promise<void> {
  const { options, starter, rulebook, resolve } = parts;
  const { surveyGit } = await import("./_git.ts");
  const environment = new Map([
    ...Object.entries(lineVariables(options.grant.git)),
    ...PLAIN,
    ["GIT_OPTIONAL_LOCKS", "0"] as const,
  ]);
  const git: SurveyParts["git"] = (words, directory, stdin) =>
    look(parts, {
      program,
      argv: [argv[0] ?? "git", "--no-pager", ...words],
      directory,
      environment,
      stdin,
      use: { argv: ["git", "status"], starts: ["git", "git-*"], writes: [] },
    });
  await surveyGit(argv, directory, {
    rulebook,
    workspace: rulebook.settings.workspace,
    protocols: options.grant.git.protocols,
    resolve,
    git,
    text: (path) => textAt(starter.libc, path, MOST_TEXT),
  });
}
