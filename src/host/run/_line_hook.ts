/** Runs a hook that a git of a line has come to: judged as a command of the line, and held by itself, not as part of git. */

import type { CanonicalPath } from "../../core/capability.ts";
import { ToolError } from "../../core/errors.ts";
import { type GitSettings, lineVariables } from "../../core/git/settings.ts";
import { baseName } from "../../core/path_text.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import { AT_FDCWD, OPEN, openWithoutLinks } from "../../sandbox/kernel/open_without_links.ts";
import { isWithin } from "../../sandbox/within.ts";
import type { HookStart } from "../broker/handed_rules.ts";
import { close, isWritable, writeSome } from "../kernel/pipes.ts";
import { plainTextAt } from "../kernel/read_text.ts";
import { statAt } from "../kernel/stat.ts";
import type { Launch, Launcher } from "./_launcher.ts";
import { grantedHook } from "./granted_programs.ts";
import type { LineHost } from "./line/line_host.ts";
import { Stopped } from "./line/run_line.ts";
import type { ProcessesOptions } from "./program_options.ts";

/** What running one takes of the line. */
export interface LineHookParts {
  readonly libc: Libc;
  readonly launcher: Launcher;
  readonly git: GitSettings;
  readonly workspace: CanonicalPath;
  /** The run's own folder; null where it has none. */
  readonly folder: CanonicalPath | null;
  /** That of the git. */
  readonly environment: ReadonlyMap<string, string>;
  readonly allow: LineHost["allow"];
  readonly startable: (
    argv: readonly string[],
    directory: CanonicalPath,
  ) => Pick<Launch, "program" | "agreed"> | null;
}

/** Of what git tells its hooks by variables: what they are about (githooks(5), git(1)). */
const TOLD: ReadonlySet<string> = new Set([
  ...["GIT_INDEX_FILE", "GIT_PREFIX", "GIT_REFLOG_ACTION", "GIT_WORK_TREE", "GIT_DIR"],
  ...["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_DATE"],
]);

/** Their first word is a file with a message, in the repository's own folder, which they may change. */
const OF_MESSAGES: ReadonlySet<string> = new Set([
  "applypatch-msg",
  "commit-msg",
  "prepare-commit-msg",
]);
/** Where git keeps those, in its own folder or a worktree's part of it (gitrepository-layout(5)). */
const MESSAGES =
  /^(?:worktrees\/[^/]+\/)?(?:COMMIT_EDITMSG|MERGE_MSG|SQUASH_MSG|rebase-(?:apply\/final-commit|merge\/message))$/;
/** Messages are lines, and some have a diff in them. */
const LONGEST_MESSAGE = 1 << 20;
/** O_TRUNC (include/uapi/asm-generic/fcntl.h), and who may read a message. */
const TRUNCATE = 0o1000;
const MODE = 0o600;

/** What a pipe that can be written to takes at once (include/uapi/linux/limits.h). */
const PIPE_BUF = 4096;
/** What git hears of a hook that cannot be run to its end. */
const FAILED = 1;

/** What runs the hooks of a git that is started alone, as far as the call was granted them before. */
export function grantedHooks(
  { grant }: Pick<ProcessesOptions, "grant">,
  { own, ...parts }: Pick<LineHookParts, "libc" | "launcher" | "environment"> & {
    readonly own: { readonly temporary: CanonicalPath | null };
  },
): Pick<Launch, "runHook"> {
  const { git, workspace } = grant;
  if (git.hooks === "deny") return {};
  const found = (argv: readonly string[], directory: CanonicalPath) =>
    grantedHook(grant, argv, directory);
  const line: LineHookParts = {
    ...parts,
    git,
    workspace,
    folder: own.temporary,
    startable: (argv, directory) => found(argv, directory),
    allow({ argv, directory }) {
      if (argv !== null && found(argv, directory) !== null) return Promise.resolve();
      return Promise.reject(new ToolError("COMMAND_DENIED", "it was not granted to this call"));
    },
  };
  return { runHook: (start, home) => runLineHook(line, start, home) };
}

/** Its status; 0 where the policy does not let it run, as if it were not there. */
export async function runLineHook(
  parts: LineHookParts,
  start: HookStart,
  home: CanonicalPath,
): Promise<number> {
  try {
    return await run(parts, start, home);
  } catch (error) {
    if (error instanceof Stopped) return FAILED;
    if (!(error instanceof ToolError)) throw error;
    parts.launcher.hookCame(start.name, false);
    if (error.code === "COMMAND_DENIED") return 0;
    // Where git says what its hooks say, unless that would have to wait for whoever reads.
    const bytes = new TextEncoder().encode(
      `the hook ${start.name} was not run: ${error.message}\n`,
    );
    const [, , told] = start.descriptors;
    if (isWritable(parts.libc, told)) writeSome(parts.libc, told, bytes.subarray(0, PIPE_BUF));
    return FAILED;
  } finally {
    for (const descriptor of start.descriptors) close(parts.libc, descriptor);
  }
}

async function run(parts: LineHookParts, start: HookStart, home: CanonicalPath): Promise<number> {
  const { libc, launcher, git, workspace, environment, allow, startable } = parts;
  const { name, words, directory, variables, descriptors } = start;
  // As whoever runs it by hand would name it, from where the files begin.
  const argv = [`.git/hooks/${name}`];
  if (typeof statAt(libc, AT_FDCWD, `${home}/${argv[0]}`) === "number") return 0;
  if (!isWithin(workspace, directory)) return FAILED;
  await allow({ argv, directory: home, redirections: [], variables: [] });
  const program = startable(argv, home);
  if (program === null) return 0;
  const message = messageOf(parts, start, home);
  if (message !== null) put(libc, message.aside, message.text, true);
  const child = launcher.launch({
    ...program,
    argv: [...argv, ...(message === null ? words : [message.aside, ...words.slice(1)])],
    held: argv,
    directory,
    // Editors are what people have: nobody is there to edit anything.
    environment: new Map([
      ...environment,
      ...Object.entries(lineVariables(git)),
      ...toldBy(variables),
      ["GIT_EDITOR", ":"],
    ]),
    descriptors,
  });
  launcher.hookCame(name, true);
  const ended = await child.ended;
  // As shells say it (POSIX, 2.8.2).
  const status = ended.code ?? 128 + ended.number;
  if (message === null) return status;
  // What it left there may be a link to what it cannot read itself, or a pipe.
  const after = plainTextAt(libc, message.aside, LONGEST_MESSAGE);
  if (after === null) return FAILED;
  if (after !== message.text) put(libc, message.path, after, false);
  return status;
}

/** What git says of what the hook is about. */
function toldBy(variables: readonly string[]): readonly (readonly [string, string])[] {
  return variables.flatMap((one) => {
    const cut = one.indexOf("=");
    const name = one.slice(0, cut);
    return TOLD.has(name) ? [[name, one.slice(cut + 1)] as const] : [];
  });
}

interface Message {
  readonly path: string;
  readonly text: string;
  /** Where the hook finds it, and may change it. */
  readonly aside: string;
}

/** The message that the first word names; null where it names nothing of the kind, and the hook is given the word itself. */
function messageOf(
  { libc, folder }: LineHookParts,
  { name, words: [word], directory }: HookStart,
  home: CanonicalPath,
): Message | null {
  if (folder === null || word === undefined || !OF_MESSAGES.has(name)) return null;
  const path = word.startsWith("/") ? word : `${directory}/${word}`;
  // Git is not alone in saying so, where it starts what somebody else wrote (git-rebase(1), --exec).
  if (!path.startsWith(`${home}/.git/`)) return null;
  if (!MESSAGES.test(path.slice(`${home}/.git/`.length))) return null;
  const text = plainTextAt(libc, path, LONGEST_MESSAGE);
  return text === null ? null : { path, text, aside: `${folder}/${baseName(path)}` };
}

/** Puts a text into a file, which no link leads to. Throws NATIVE_DENIED. */
function put(libc: Libc, path: string, text: string, makes: boolean): void {
  const flags = OPEN.WRONLY | OPEN.NONBLOCK | TRUNCATE | (makes ? OPEN.CREAT : 0);
  const file = openWithoutLinks(libc, path, flags, makes ? MODE : 0);
  const bytes = new TextEncoder().encode(text);
  const isWhole = file >= 0 &&
    libc.transfer(libc.numbers.write, file, bytes, bytes.length) === bytes.length;
  if (file >= 0) close(libc, file);
  if (!isWhole) throw new ToolError("NATIVE_DENIED", `"${path}" cannot be written for a hook`);
}
