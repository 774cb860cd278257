/**
 * The options of git's commands that show contents (git-log(1), git-diff(1), git-format-patch(1), git-grep(1),
 * git-archive(1)), apart by what they do: select, ask for contents, or say how those are shown.
 */

/** What the words are. */
export interface ShowOptions {
  /** Those by which git selects commits and names; not how many, where only some that it comes to count. */
  readonly selecting: readonly string[];
  readonly operands: readonly string[];
  /** How many operands stand before `--`; null without one. */
  readonly cut: number | null;
  /** Contents are shown, or what is shown hangs on them. */
  readonly contents: boolean;
  readonly follows: boolean;
  /** Of a search: what is looked for is said by an option, and by no operand. */
  readonly patterns: boolean;
  /** Where each operand stands. */
  readonly places: readonly number[];
  /** Where options stand by which git takes commits of its own accord, by refs. */
  readonly refs: readonly number[];
  /** An option by which it takes commits from elsewhere: from logs of refs, or a merge under way. */
  readonly others: string | null;
}

/** Commands with the same options. */
export type ShowFamily = "log" | "diff" | "format-patch" | "grep" | "archive";

/** `name`: alone; `name=`: with a value, behind it or in the next word; `name[=`: with one behind it, if any. */
interface Table {
  /** How many commits. */
  readonly counts: string;
  /** By contents: which commits are shown hangs on those. */
  readonly searches: string;
  /** By names, or what counts as a change. */
  readonly filters: string;
  readonly selects: string;
  readonly contents: string;
  readonly shows: string;
}

const NONE = { counts: "", searches: "", filters: "", selects: "", contents: "" } as const;

const DIFF: Table = {
  counts: "",
  searches: "-S= -G= -I= --ignore-matching-lines= --pickaxe-regex --pickaxe-all",
  filters:
    "--diff-filter= --find-object= -w -b --ignore-space-change --ignore-all-space --ignore-blank-lines " +
    "--ignore-space-at-eol --ignore-cr-at-eol",
  selects: "--cached --staged --merge-base -m --root -r -t -R " +
    "-M[= -C[= -B[= --find-renames[= --find-copies[= --find-copies-harder --no-renames --break-rewrites[= -l= " +
    "--rename-empty --no-rename-empty --ita-invisible-in-index --ita-visible-in-index",
  contents:
    "-p -u --patch -U= --unified= --cc -c --diff-merges= --remerge-diff --word-diff[= --word-diff-regex= " +
    "--color-words[= --color-moved[= --color-moved-ws= -W --function-context --no-function-context " +
    "--patch-with-stat --patch-with-raw --binary -a --text --check " +
    "--inter-hunk-context= --output-indicator-new= --output-indicator-old= " +
    "--output-indicator-context= --ws-error-highlight= --dd",
  shows:
    "--stat[= --shortstat --numstat --dirstat[= --dirstat-by-file[= --cumulative --summary --compact-summary " +
    "--name-only --name-status --raw -z --abbrev[= --no-abbrev --full-index --color[= --no-color --no-color-moved " +
    "--line-prefix= -D --irreversible-delete " +
    "--minimal --patience --histogram --diff-algorithm= " +
    "--indent-heuristic --no-indent-heuristic --anchored= --src-prefix= --dst-prefix= --no-prefix " +
    "--default-prefix --exit-code --quiet -q -s --no-patch --no-ext-diff --no-textconv --ignore-submodules[= " +
    "--relative[= --no-relative --no-commit-id --output= --stat-width= --stat-name-width= --stat-count= " +
    "--stat-graph-width= --combined-all-paths",
};

/** Of a merge that stopped, by whose part of it. */
const SIDES = "-0 -1 -2 -3 --base --ours --theirs";

const COMMITS =
  "--all --branches[= --tags[= --remotes[= --glob= --exclude= --reflog -g --walk-reflogs --merges " +
  "--no-merges --first-parent --reverse --topo-order --date-order --author-date-order --not --ignore-missing " +
  "--simplify-merges --full-history --sparse --dense --simplify-by-decoration --ancestry-path[= --left-right " +
  "--left-only --right-only --cherry-pick --cherry-mark --cherry --boundary --do-walk --no-walk[= --min-parents= " +
  "--max-parents= --no-min-parents --no-max-parents --invert-grep --all-match -i --regexp-ignore-case -E -F -P " +
  "--basic-regexp --extended-regexp --fixed-strings --perl-regexp --author= --committer= " +
  "--grep= --grep-reflog= --since= --after= --until= --before= --max-age= --min-age= --since-as-filter= " +
  "--show-pulls --merge --single-worktree";
const COUNTS = "--max-count= --skip=";

const LOG: Table = {
  counts: `-n= ${COUNTS}`,
  searches: DIFF.searches,
  filters: `${DIFF.filters} --follow`,
  selects: `${DIFF.selects} ${COMMITS}`,
  contents: DIFF.contents,
  shows:
    `${DIFF.shows} --oneline --graph --no-graph --abbrev-commit --no-abbrev-commit --format= --pretty[= ` +
    "--date= --relative-date --decorate[= --no-decorate --decorate-refs= --decorate-refs-exclude= --source " +
    "--log-size --show-signature --encoding= --expand-tabs[= --no-expand-tabs --notes[= --no-notes " +
    "--show-notes[= --parents --children --use-mailmap --no-use-mailmap --mailmap --no-mailmap --clear-decorations " +
    "--no-diff-merges --show-linear-break[= --no-show-signature",
};

const PATCHES: Table = {
  counts: COUNTS,
  searches: DIFF.searches,
  filters: DIFF.filters,
  selects: LOG.selects,
  contents: DIFF.contents,
  shows:
    `${DIFF.shows} --stdout -o= --output-directory= -n -N -k -s --numbered --no-numbered --keep-subject ` +
    "--signoff --cover-letter --no-cover-letter --subject-prefix= --rfc --suffix= --start-number= -v= " +
    "--reroll-count= --zero-commit --numbered-files --no-binary --always --no-stat --attach[= --inline[= " +
    "--no-attach --thread[= --no-thread --in-reply-to= --to= --cc= --from[= --no-from --no-to --no-cc --add-header= " +
    "--signature= --no-signature --signature-file= --encode-email-headers --no-encode-email-headers --progress " +
    "--filename-max-length= --force-in-body-from --no-force-in-body-from --no-notes --notes[= --no-base " +
    "--cover-from-description= --description-file= --base= --ignore-if-in-upstream",
};

const GREP: Table = {
  ...NONE,
  shows: "-i -v -w -h -H -l -L -n -c -q -o -z -E -G -P -F -I -a -r -W -p --cached --untracked " +
    "--no-exclude-standard --exclude-standard --no-recurse-submodules --no-recursive --recursive --name-only " +
    "--files-with-matches --files-without-match --count --color[= --no-color --break --heading --show-function " +
    "--function-context --and --or --not --all-match --quiet --null --full-name --column --line-number " +
    "--ignore-case --word-regexp --invert-match --extended-regexp --basic-regexp --fixed-strings --perl-regexp " +
    "--text --no-textconv --only-matching ( ) -e= -f= -m= --max-count= -A= -B= -C= --after-context= " +
    "--before-context= --context= --max-depth= --threads=",
};

const ARCHIVE: Table = {
  ...NONE,
  shows:
    "-v --verbose -l --list --worktree-attributes -0 -1 -2 -3 -4 -5 -6 -7 -8 -9 --format= --prefix= -o= " +
    "--output= --mtime=",
};

const TABLES: Readonly<Record<ShowFamily, Table>> = {
  log: LOG,
  diff: { ...DIFF, selects: `${DIFF.selects} ${SIDES}` },
  "format-patch": PATCHES,
  grep: GREP,
  archive: ARCHIVE,
};

/** What git-rev-parse(1) takes the place of. */
const BY_REFS: ReadonlySet<string> = new Set(
  "--all --branches --tags --remotes --glob --exclude --not".split(" "),
);
const FROM_ELSEWHERE: ReadonlySet<string> = new Set(
  "--reflog -g --walk-reflogs --merge".split(" "),
);

const DOES = ["shows", "contents", "selects", "filters", "searches", "counts"] as const;

/** The words of a command behind its subcommand; the first option that is not known, where there is one. */
export function readOptions(family: ShowFamily, rest: readonly string[]): ShowOptions | string {
  const table = TABLES[family];
  const known = new Map(
    DOES.flatMap((does) =>
      table[does].split(" ").filter((one) => one !== "").map((one) =>
        [
          one.replace(/\[?=$/, ""),
          { does, takes: one.endsWith("[=") ? "perhaps" : one.endsWith("=") ? "one" : "none" },
        ] as const
      )
    ),
  );
  const [selecting, counting]: [string[], string[]] = [[], []];
  let filters = false;
  const operands: string[] = [];
  const [places, refs]: [number[], number[]] = [[], []];
  let others: string | null = null;
  let [cut, contents, follows, patterns]: [number | null, boolean, boolean, boolean] = [
    null,
    false,
    false,
    false,
  ];
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at]!;
    if (word === "--") {
      cut = operands.length;
      operands.push(...rest.slice(at + 1));
      places.push(...rest.slice(at + 1).map((_, index) => at + 1 + index));
      break;
    }
    // `(` and `)` are options of a search.
    if (!known.has(word) && (!word.startsWith("-") || word === "-")) {
      operands.push(word);
      places.push(at);
      continue;
    }
    const found = optionOf(word, known, family);
    if (found === null) return word.replace(/=.*/s, "");
    const words = found.next ? rest.slice(at, at + 2) : [word];
    if (found.next && words.length < 2) return word;
    const { does, name } = found;
    if (family !== "grep" && BY_REFS.has(name)) refs.push(...words.map((_, index) => at + index));
    if (family !== "grep" && FROM_ELSEWHERE.has(name)) others ??= name;
    at += words.length - 1;
    if (does === "counts") counting.push(...words);
    else if (does !== "shows" && does !== "contents") selecting.push(...words);
    filters ||= does === "filters" || does === "searches";
    contents ||= does === "contents" || does === "searches";
    follows ||= name === "--follow";
    patterns ||= family === "grep" && /^-[a-zA-Z]*[ef]/.test(word);
  }
  const chosen = filters ? selecting : [...selecting, ...counting];
  return { selecting: chosen, operands, cut, contents, follows, patterns, places, refs, others };
}

interface Found {
  readonly name: string;
  readonly does: keyof Table;
  /** Its value is the next word. */
  readonly next: boolean;
}

type Known = ReadonlyMap<
  string,
  { readonly does: keyof Table; readonly takes: "none" | "one" | "perhaps" }
>;

function optionOf(word: string, known: Known, family: ShowFamily): Found | null {
  const whole = known.get(word);
  if (whole !== undefined) return { name: word, does: whole.does, next: whole.takes === "one" };
  if (word.startsWith("--")) {
    const name = word.replace(/=.*/s, "");
    const long = known.get(name);
    if (long === undefined || long.takes === "none" || name === word) return null;
    return { name, does: long.does, next: false };
  }
  // A number of commits, or of lines around.
  if (/^-\d+$/.test(word) && family !== "archive" && family !== "diff") {
    return { name: word, does: family === "grep" ? "shows" : "counts", next: false };
  }
  const first = known.get(word.slice(0, 2));
  if (first !== undefined && first.takes !== "none") {
    return { name: word.slice(0, 2), does: first.does, next: false };
  }
  return family === "grep" ? clusterOf(word, known) : null;
}

/** Letters of a search: the last of them may have a value, behind it or in the next word. */
function clusterOf(word: string, known: Known): Found | null {
  for (let at = 1; at < word.length; at++) {
    const letter = known.get(`-${word[at]}`);
    if (letter === undefined) return null;
    if (letter.takes === "one") {
      return { name: `-${word[at]}`, does: "shows", next: at === word.length - 1 };
    }
  }
  return { name: word, does: "shows", next: false };
}
