/** What is known of git, by subcommand: git(1) and the pages of its commands. */

import type {
  OptionsLiteral,
  OptionSpec,
  ProgramTable,
  SubcommandLiteral,
  ValueKind,
} from "./spec.ts";

const DANGER = { risk: "dangerous", because: "runs a program, writes or destroys" } as const;

function dangerous(is: ValueKind, optional?: true): OptionSpec {
  return { is, ...DANGER, ...(optional === undefined ? {} : { optional }) };
}

/** So that a message is no file; what else stands there is looked at. */
const TEXTS: OptionsLiteral = {
  "-m --message --author --date --grep -S -G -n --max-count --since --until --after --before":
    "text",
  "--format --pretty -c --skip -L --committer -b -B --abbrev --color --decorate --sort": "text",
  "--points-at --contains -e --diff-filter --word-diff-regex -U --unified": "text",
  "-F --file -C --git-dir --work-tree --pathspec-from-file": "read",
  "--output": "write",
};

/** git-apply(1), git-am(1): how patches are read. */
const PATCHING: OptionsLiteral = {
  "-p -C --directory --exclude --include --whitespace --patch-format": "text",
  "--build-fake-ancestor": "write",
};

const READS: SubcommandLiteral = {
  risk: "safe",
  repository: "reads",
  options: {
    ...TEXTS,
    "--output": dangerous("write"),
    "--ext-diff --textconv --filters --no-index --contents": dangerous("flag"),
    "-O": dangerous("read", true),
    "--open-files-in-pager": dangerous("command", true),
  },
};

/** A setting for this call: many name programs. */
const SETTING: OptionSpec = { ...dangerous("command"), form: "setting" };

/** Transports run programs: `ext::`, `--upload-pack`. */
const REMOTE: SubcommandLiteral = {
  risk: "moderate",
  repository: "changes",
  transport: true,
  options: {
    ...TEXTS,
    "--upload-pack --receive-pack --exec": dangerous("command"),
    "-u": dangerous("flag"),
    "-c --config": SETTING,
    "--template": dangerous("read"),
  },
  starts: ["git", "git-*", "ssh"],
};

/** Of a repository on this machine it asks by a line for the shell. */
const PEER = {
  ...REMOTE,
  starts: ["git", "git-*", "ssh", "sh"],
} as const satisfies SubcommandLiteral;

const RUNS: SubcommandLiteral = {
  risk: "dangerous",
  because: "runs commands, sets what git runs, or deletes",
  repository: "changes",
  options: TEXTS,
};

const CHANGES: SubcommandLiteral = {
  risk: "moderate",
  repository: "changes",
  transport: true,
  options: TEXTS,
};

/** What those of its commands start that are scripts of the shell's (git-sh-setup(1)). */
const OF_SCRIPTS = [
  ...["git", "git-*", "sh", "sed", "basename", "dirname", "uname", "cat", "tr", "cut"],
  ...["gettext.sh", "gettext", "envsubst"],
] as const;

/** Git and what belongs to it. */
export const GIT: ProgramTable = {
  git: {
    risk: "safe",
    operands: "probe...",
    options: TEXTS,
    before: {
      "-C": "read",
      "--git-dir --work-tree": "read",
      "--namespace --super-prefix --attr-source": "text",
      "-c": { is: "command", form: "setting", risk: "dangerous", because: "changes what git runs" },
      "--config-env": { is: "text", risk: "dangerous", because: "changes what git runs" },
      "--exec-path": {
        is: "text",
        optional: true,
        risk: "dangerous",
        because: "changes what git runs",
      },
      "-p --paginate -P --no-pager --bare --no-replace-objects --no-lazy-fetch --no-optional-locks":
        "flag",
      "--no-advice --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs":
        "flag",
      "--html-path --man-path --info-path": "flag",
    },
    subcommands: {
      "status log diff show blame describe rev-parse rev-list ls-files ls-tree cat-file shortlog":
        READS,
      "merge-base name-rev for-each-ref diff-tree show-ref count-objects version": READS,
      // Names, of which nothing is read.
      "check-ignore": { ...READS, operands: "text..." },
      grep: {
        ...READS,
        options: {
          "-e": "text",
          "-f": "read",
          "-m --max-count -A --after-context -B --before-context -C --context --max-depth --threads":
            "text",
          "-O --open-files-in-pager": dangerous("command", true),
          "--output": dangerous("write"),
          "--ext-diff --textconv --no-index": dangerous("flag"),
        },
      },
      "fetch remote": PEER,
      pull: REMOTE,
      "ls-remote": {
        ...PEER,
        repository: "reads",
        options: {
          "-u --upload-pack --exec": dangerous("command"),
          "-c --config": SETTING,
          "-o --server-option --sort": "text",
        },
      },
      clone: {
        ...REMOTE,
        operands: "probe folder",
        options: {
          "-u --upload-pack": dangerous("command"),
          "-c --config": SETTING,
          "--exec --receive-pack": dangerous("command"),
          "--template": dangerous("read"),
          "-b --branch -o --origin -j --jobs --depth --shallow-since --shallow-exclude": "text",
          "--server-option --filter --revision": "text",
          "--reference --reference-if-able --bundle-uri": "read",
          "--separate-git-dir": "folder",
        },
        starts: PEER.starts,
      },
      init: { ...REMOTE, operands: "folder" },
      archive: {
        ...REMOTE,
        options: {
          "-o --output": "write",
          "--exec": dangerous("command"),
          "--remote --prefix --format": "text",
          "--upload-pack --receive-pack": dangerous("command"),
          "-u": dangerous("flag"),
          "-c --config": SETTING,
          "--template": dangerous("read"),
        },
      },
      push: {
        ...PEER,
        options: {
          "-f --force --mirror -d --delete --prune": dangerous("flag"),
          "--receive-pack --exec": dangerous("command"),
          "-o --push-option --repo": "text",
        },
      },
      rebase: {
        ...CHANGES,
        options: {
          "-x --exec": dangerous("command"),
          "-i --interactive": dangerous("flag"),
          "-s --strategy -X --strategy-option -C --onto --whitespace": "text",
        },
      },
      reset: { ...CHANGES, options: { ...TEXTS, "--hard": dangerous("flag") } },
      apply: {
        ...CHANGES,
        operands: "read...",
        options: { ...PATCHING, "--unsafe-paths": dangerous("flag") },
      },
      am: { ...CHANGES, operands: "read...", options: { ...TEXTS, ...PATCHING } },
      mv: { ...CHANGES, operands: "delete... write", copies: true },
      rm: { ...CHANGES, operands: "delete..." },
      worktree: { ...CHANGES, operands: "text folder probe..." },
      bundle: { ...CHANGES, operands: "text write probe..." },
      "format-patch": {
        ...CHANGES,
        operands: "probe...",
        options: { ...TEXTS, "-o --output-directory": "into", "--suffix": "suffix" },
      },
      "add commit checkout switch restore stash merge branch tag cherry-pick revert notes": CHANGES,
      // Before git 2.40 a script of the shell's.
      bisect: { ...RUNS, commandAfter: "run", starts: OF_SCRIPTS },
      // A script of the shell's, whose first words say what it does.
      submodule: {
        ...RUNS,
        commandAfter: "foreach",
        tamedBy: "status summary",
        starts: OF_SCRIPTS,
      },
      "merge-index": { ...RUNS, commandAfter: "" },
      difftool: {
        ...RUNS,
        options: { "-x --extcmd": dangerous("command"), "-t --tool": "text" },
      },
      "filter-branch": {
        ...RUNS,
        options: {
          "--setup --env-filter --tree-filter --index-filter --parent-filter": dangerous("command"),
          "--msg-filter --commit-filter --tag-name-filter": dangerous("command"),
        },
      },
      "send-email": {
        ...RUNS,
        options: {
          ...TEXTS,
          "--sendmail-cmd --to-cmd --cc-cmd --header-cmd": dangerous("command"),
        },
      },
      config: { ...RUNS, tamedBy: "--get --get-all --get-regexp --list -l get list" },
      "clean mergetool daemon instaweb credential fast-import hook maintenance svn p4 web--browse":
        RUNS,
      "upload-pack receive-pack http-backend shell remote-ext remote-fd for-each-repo gui citool":
        RUNS,
    },
    starts: ["git", "git-*"],
    // Its repository.
    beyond: "workspace",
  },
};
