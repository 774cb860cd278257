/**
 * What is looked at before a program of a call is started: git's changes of working files, by git itself, what find would
 * change, by the search itself, what archives would pack and unpack, as they say it, and the trees that others would take
 * away, change or copy one by one.
 */

import type { CanonicalPath, Program } from "../../../core/capability.ts";
import { lineVariables, namesGit } from "../../../core/git/settings.ts";
import { ToolError } from "../../../core/errors.ts";
import { baseName } from "../../../core/path_text.ts";
import { printable, quoted } from "../../../core/printable.ts";
import type { Listing } from "../../../core/listing/model.ts";
import type { Effects, Rulebook } from "../../../policy/rulebook.ts";
import { AT_FDCWD } from "../../../sandbox/kernel/open_without_links.ts";
import { statAt } from "../../kernel/stat.ts";
import { textAt } from "../../kernel/read_text.ts";
import { createKernelProbe } from "../../paths/path_probe.ts";
import { searchOf } from "../../../core/find_words.ts";
import { hold } from "../_hold.ts";
import type { Launch } from "../_launcher.ts";
import type { Shown } from "./git_showing.ts";
import { LooksHere } from "./known_looks.ts";
import type { GitLook, SurveyParts } from "./_parts.ts";
import type { ProcessesOptions } from "../program_options.ts";
import type { Starter } from "../starter.ts";

/** What it takes; `rulebook` is that of the run. */
export interface StartSurvey extends Pick<SurveyParts, "resolve"> {
  readonly rulebook:
    & SurveyParts["rulebook"]
    & Pick<Rulebook, "settings" | "effects" | "judgeBelow">;
  /** The program that a name means there. */
  readonly find: (name: string, directory: CanonicalPath) => Program | null;
  readonly options: ProcessesOptions;
  readonly starter: Starter;
  /** Milliseconds that the call has in all. */
  readonly timeoutMs: number;
  /** Told when the call ends before that has been looked at. */
  readonly ended: AbortSignal | null;
}

/** Looking takes no longer than this. */
const PATIENCE_MS = 30_000;
/** Names that are looked at, in bytes: those of a merge of a hundred thousand files. */
const MOST_BYTES = 16 * 1024 * 1024;
/** Of a file that says where a repository lies, or where a search began, in bytes. */
const MOST_TEXT = 16 * 1024;

/**
 * Throws the ToolError that refuses it. Of a git that shows contents what is left out of those: such a one is started with
 * no variables that have it look elsewhere (`requireOwnPlace`). `input`: what it reads; null where that is looked at by
 * `surveyInput`.
 */
export async function surveyStart(
  parts: StartSurvey,
  program: Program,
  argv: readonly string[],
  { directory, input }: { readonly directory: CanonicalPath; readonly input: Uint8Array | null },
): Promise<Shown | null> {
  if (namesGit(argv.slice(0, 1))) return await lookByGit(parts, program, argv, directory);
  await surveyOthers(parts, program, argv, { directory, input });
  return null;
}

/** Whether it may be that what a command reads has to be known whole before it is started. */
export function mayReadNames(
  { rulebook }: Pick<StartSurvey, "rulebook">,
  argv: readonly string[],
): boolean {
  return mayName(argv) && mayDeny(rulebook);
}

/**
 * As {@linkcode surveyStart}, of a command that reads its names: what it read, looked at; null where it reads none. `read`:
 * takes that, up to so many bytes, null for more.
 */
export async function surveyInput(
  parts: StartSurvey,
  program: Program,
  argv: readonly string[],
  { directory, read }: {
    readonly directory: CanonicalPath;
    readonly read: (most: number) => Promise<Uint8Array | null>;
  },
): Promise<Uint8Array | null> {
  const { commands } = parts.rulebook.effects(
    { kind: "process.spawn", argv, cwd: directory },
    program,
  );
  const { listingOf } = await import("../../../core/listing/listing.ts");
  const fed = wholeOf(argv, commands).flatMap((words) => {
    const listing = listingOf(words);
    return listing?.fed === true ? [{ words, listing }] : [];
  });
  if (fed.length === 0) return null;
  const input = await read(MOST_FED);
  if (input === null) throw tooMuchFed(argv);
  for (const { words, listing } of fed) {
    await surveyNames(parts, listing, words, { directory, input });
  }
  return input;
}

/** What a program reads that has to be known whole before it starts is no more than this. */
const MOST_FED = 64 * 1024 * 1024;

/** What is fed to it is more than can be looked at before. */
function tooMuchFed(argv: readonly string[]): ToolError {
  return new ToolError(
    "RESOURCE_LIMIT",
    `${quoted(printable(argv.join(" "), 200))} reads more than ${
      MOST_FED / 1024 / 1024
    } MiB that would have to be looked at before, as the policy denies names; ` +
      "it was not started: put what it reads into a file",
  );
}

/** Few programs come to what their words do not name: of all others no more is asked. */
function mayName(argv: readonly string[]): boolean {
  return argv.some((word) => LISTS.has(baseName(word)));
}

const LISTS: ReadonlySet<string> = new Set(["tar", "gtar", "zip", "unzip", "patch"]);

/** It, and those that it starts with words that are all known and where it stands itself. */
function wholeOf(
  argv: readonly string[],
  commands: Effects["commands"],
): readonly (readonly string[])[] {
  return [argv, ...commands.flatMap(({ words, whole }) => whole ? [words] : [])];
}

async function surveyOthers(
  parts: StartSurvey,
  program: Program,
  argv: readonly string[],
  { directory, input }: { readonly directory: CanonicalPath; readonly input: Uint8Array | null },
): Promise<void> {
  const { rulebook } = parts;
  const { reads, writes, deletes, commands } = rulebook.effects(
    { kind: "process.spawn", argv, cwd: directory },
    program,
  );
  for (const command of namesGit(argv) ? commands : []) {
    const { words, whole } = command;
    if (!namesGit(words.slice(0, 1))) continue;
    const git = parts.find(words[0] ?? "", directory);
    if (git !== null) await lookByGit(parts, git, words, directory, whole ? "within" : "unknown");
  }
  let says = false;
  for (const words of mayDeny(rulebook) ? wholeOf(argv, commands) : []) {
    if (FINDERS.has(baseName(words[0] ?? ""))) {
      says = true;
      await surveySearch(parts, words, argv, directory);
    }
    if (!mayName(words.slice(0, 1))) continue;
    const { listingOf } = await import("../../../core/listing/listing.ts");
    const listing = listingOf(words);
    if (listing === null) continue;
    says = true;
    if (!listing.fed || input !== null) {
      await surveyNames(parts, listing, words, { directory, input });
    }
  }
  const through = (files: typeof writes) => files.filter((file) => file.through !== undefined);
  const trees = { read: through(reads), changed: through(writes), removed: through(deletes) };
  if (says || trees.read.length + trees.changed.length + trees.removed.length === 0) return;
  const { surveyTrees } = await import("./_trees.ts");
  await surveyTrees(treeParts(parts), trees, argv, directory);
}

function treeParts({ rulebook, resolve, starter: { libc } }: StartSurvey) {
  return { libc, rulebook, resolve, entryAt: createKernelProbe(libc).entryAt };
}

/** What find would do with what it finds. */
async function surveySearch(
  parts: StartSurvey,
  words: readonly string[],
  argv: readonly string[],
  directory: CanonicalPath,
): Promise<void> {
  const search = searchOf(words);
  if (search === null) return;
  const { surveyFind, tooManyCommands } = await import("./_find.ts");
  if (search === "too many") throw tooManyCommands(argv);
  const program = parts.find(words[0] ?? "", directory);
  if (program === null) return;
  const own = {
    ...treeParts(parts),
    effectsOf: (words: readonly string[]) =>
      parts.rulebook.effects({ kind: "process.spawn", argv: words, cwd: directory }, null),
    search: (argv: readonly string[], starts: readonly string[]) =>
      look(parts, {
        program,
        argv,
        directory,
        environment: PLAIN,
        stdin: new Uint8Array(),
        use: { argv: [words[0] ?? "", ...starts], starts: [], writes: [] },
      }),
  };
  await surveyFind(own, search, argv, directory);
}

/** What a program says itself that it would come to. */
async function surveyNames(
  parts: StartSurvey,
  listing: Listing,
  words: readonly string[],
  around: { readonly directory: CanonicalPath; readonly input: Uint8Array | null },
): Promise<void> {
  const { directory } = around;
  const { libc } = parts.starter;
  const program = parts.find(words[0] ?? "", directory);
  if (program === null) return;
  const { surveyListed } = await import("./_listed.ts");
  const own = {
    ...treeParts(parts),
    text: (path: CanonicalPath) => textAt(libc, path, MOST_BYTES),
    ask: (argv: readonly string[], reads: readonly string[], input: Uint8Array) =>
      look(parts, {
        program,
        argv,
        directory,
        environment: PLAIN,
        stdin: input,
        use: { argv: ["find", ...reads], starts: UNPACKERS, writes: [] },
      }),
  };
  await surveyListed(own, listing, words, around);
}

/** Programs that tar(1) has an archive unpacked by. */
const UNPACKERS = ["gzip", "bzip2", "xz", "lzip", "lzma", "lzop", "zstd", "compress"];
const FINDERS: ReadonlySet<string> = new Set(["find", "gfind"]);
/** What a look is started with. */
const PLAIN: ReadonlyMap<string, string> = new Map([["PATH", "/usr/bin:/bin"], [
  "LC_ALL",
  "C.UTF-8",
]]);

function mayDeny(rulebook: StartSurvey["rulebook"]): boolean {
  const { scope } = rulebook;
  return scope.write.some((root) => rulebook.mayDenyBelow("write", root)) ||
    scope.read.some((root) => rulebook.mayDenyBelow("read", root));
}

/** Runs a program to look, for what it prints. */
async function look(
  { options, starter, timeoutMs, ended }: StartSurvey,
  { stdin, ...launch }: Pick<Launch, "program" | "argv" | "directory" | "environment" | "use"> & {
    readonly stdin: Uint8Array;
  },
): Promise<GitLook> {
  const request = {
    cwd: launch.directory,
    env: {},
    stdin,
    timeoutMs: Math.min(PATIENCE_MS, timeoutMs),
  };
  const { grant } = options;
  const limits = { ...grant.limits, output: MOST_BYTES };
  const signal = ended === null ? options.signal : AbortSignal.any([options.signal, ended]);
  const quiet = { ...options, signal, listener: null, grant: { ...grant, limits } };
  const { exitCode, stdout, dropped, timedOut, cancelled } = await hold(
    quiet,
    starter,
    request,
    (run, launcher) => {
      const child = launcher.launch({ ...launch, descriptors: run.descriptors });
      run.release();
      return child.ended;
    },
  );
  if (timedOut || cancelled) {
    throw new ToolError(
      timedOut ? "TIMEOUT" : "CANCELLED",
      `${
        quoted(printable(launch.argv[0] ?? "", 80))
      } was not started: what it would touch is more than ` +
        "can be looked at in the time that the call has",
    );
  }
  return { status: exitCode, bytes: stdout, cut: dropped.stdout > 0 };
}

/** `started`: by another program, some of whose words may not be known before. */
async function lookByGit(
  parts: StartSurvey,
  program: Program,
  argv: readonly string[],
  directory: CanonicalPath,
  started: "alone" | "within" | "unknown" = "alone",
): Promise<Shown | null> {
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
      stdin: new TextEncoder().encode(stdin),
      use: { argv: ["git", "status"], starts: ["git", "git-*"], writes: [] },
    });
  const { workspace } = rulebook.settings;
  if (started === "alone") {
    await surveyGit(argv, directory, {
      rulebook,
      workspace,
      protocols: options.grant.git.protocols,
      resolve,
      git,
      text: (path) => textAt(starter.libc, path, MOST_TEXT),
    });
  }
  const { surveyShowing } = await import("./git_showing.ts");
  const looks = (directory: CanonicalPath) =>
    new LooksHere(starter.knownLooks, { rules: options.rulebook, libc: starter.libc, directory });
  const isThere = (directory: CanonicalPath, name: string) => {
    const path = name.startsWith("/") ? name : `${directory}/${name}`;
    return typeof statAt(starter.libc, AT_FDCWD, path) !== "number";
  };
  const own = { rulebook, workspace, resolve, git, looks, isThere };
  return await surveyShowing(argv, directory, own, started);
}

/** Who commits and how things are shown: by these git looks nowhere else. */
const HARMLESS_VARIABLES: ReadonlySet<string> = new Set([
  ...["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_DATE", "GIT_COMMITTER_NAME"],
  ...["GIT_COMMITTER_EMAIL", "GIT_COMMITTER_DATE", "GIT_TERMINAL_PROMPT", "GIT_OPTIONAL_LOCKS"],
  ...["GIT_PAGER", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_REFLOG_ACTION", "GIT_MERGE_AUTOEDIT"],
]);

/** PATH_DENIED where a line has given git variables by which it would not show what was looked at. */
export function requireOwnPlace(
  argv: readonly string[],
  environment: ReadonlyMap<string, string>,
  given: Readonly<Record<string, string>>,
): void {
  const odd = [...environment].find(([name, value]) =>
    name.startsWith("GIT_") && !HARMLESS_VARIABLES.has(name) && given[name] !== value
  );
  if (odd === undefined) return;
  throw new ToolError(
    "PATH_DENIED",
    `${quoted(printable(argv.join(" "), 200))} was not started, as the policy denies names and ${
      odd[0]
    } ` +
      "can have it show others than were looked at; leave it out, and say by -C where the repository is",
  );
}
