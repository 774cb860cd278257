/** What stands before the subcommand of a git command (git(1)). Pure. */

/** A command of git, and what it is told before its subcommand. */
export interface LedGit {
  /** What its `-C` name, one after the other. */
  readonly folders: readonly string[];
  /** Options that it has beside those, in their order. */
  readonly leading: readonly string[];
  /** An option by which it would look elsewhere, or otherwise; null for none. */
  readonly elsewhere: string | null;
  /** Where the subcommand stands. */
  readonly at: number;
  readonly subcommand: string;
  readonly rest: readonly string[];
}

const FLAGS: ReadonlySet<string> = new Set([
  ...["-p", "--paginate", "-P", "--no-pager", "--no-optional-locks", "--no-replace-objects"],
  ...["--no-lazy-fetch", "--no-advice", "--literal-pathspecs", "--glob-pathspecs"],
  ...["--noglob-pathspecs", "--icase-pathspecs"],
]);
const VALUED: ReadonlySet<string> = new Set([
  ...["--git-dir", "--work-tree", "--namespace", "--super-prefix", "--attr-source", "--config-env"],
]);

/** Settings by which it looks into other repositories, or shows more than its words say (git-config(1)). */
const ELSEWHERE =
  /^(?:diff\.submodule|am\.threeway|commit\.verbose|stash\.showincludeuntracked|core\.worktree|core\.bare|safe\.|submodule\.)/i;

/** Null without a subcommand. */
export function ledGit(argv: readonly string[]): LedGit | null {
  const [folders, leading]: [string[], string[]] = [[], []];
  let elsewhere: string | null = null;
  for (let at = 1; at < argv.length; at++) {
    const word = argv[at]!;
    if (word === "-C") folders.push(argv[++at] ?? "");
    else if (word === "-c") {
      const setting = argv[++at] ?? "";
      leading.push(word, setting);
      if (ELSEWHERE.test(setting)) elsewhere ??= `-c ${setting}`;
    } else if (FLAGS.has(word)) leading.push(word);
    else if (!word.startsWith("-")) {
      return { folders, leading, elsewhere, at, subcommand: word, rest: argv.slice(at + 1) };
    } else {
      elsewhere ??= word.replace(/=.*/s, "");
      if (VALUED.has(word)) at++;
    }
  }
  return null;
}
