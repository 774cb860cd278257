/** Repositories that run what somebody else wrote in them, as data: each leaves a marker where it comes to that. */

/** One trap. In all texts MARK stands for a command that leaves the marker. */
export interface HostileRepository {
  readonly name: string;
  /** Put behind `.git/config`. */
  readonly config?: string;
  /** Put into `.git/info/attributes`. */
  readonly attributes?: string;
  /** Further files, from the repository; a script where the text begins with `#!`. */
  readonly files?: Readonly<Record<string, string>>;
  /** What is done there before, by the shell, in the repository. */
  readonly script?: string;
  /** A command line of plain git that springs it: proof that the trap works. Null where this git knows none that does. */
  readonly springs: readonly string[] | null;
  /** Further ones that do. */
  readonly also?: readonly (readonly string[])[];
}

const SCRIPT = "#!/bin/sh\nMARK\n";
const ALL = "* filter=evil diff=evil merge=evil";

/** Names of githooks(5) that run on the client. */
const HOOKS = [
  ...["pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "post-checkout"],
  ...["pre-merge-commit", "post-merge", "post-rewrite", "post-index-change", "pre-push"],
  ...["reference-transaction", "pre-rebase", "pre-auto-gc", "applypatch-msg"],
];
const hooksIn = (folder: string) =>
  Object.fromEntries(HOOKS.map((name) => [`${folder}/${name}`, SCRIPT]));

export const HOSTILE_REPOSITORIES: readonly HostileRepository[] = [
  {
    name: "fsmonitor",
    config: '[core]\nfsmonitor = "MARK;false"',
    springs: ["status"],
    also: [
      ...[["diff"], ["add", "a"], ["commit", "-qam", "x"], ["ls-files", "-m"], ["stash"]],
      ...[["describe", "--dirty", "--always"], ["checkout", "-f", "side"], ["reset", "--hard"]],
      ...[["rm", "-qf", "b"], ["mv", "b", "moved"], ["grep", "x"], ["clean", "-n"]],
    ],
  },
  {
    name: "a filter that cleans",
    config: '[filter "evil"]\nclean = "MARK;cat"\nrequired = true',
    attributes: ALL,
    springs: ["add", "a"],
    also: [["diff"], ["stash"], ["commit", "-qam", "x"], ["hash-object", "a"], [
      "update-index",
      "a",
    ]],
  },
  {
    name: "a filter that runs on",
    config: '[filter "evil"]\nprocess = "MARK"',
    attributes: ALL,
    springs: ["add", "a"],
  },
  {
    name: "a filter that smudges",
    config: '[filter "evil"]\nsmudge = "MARK;cat"',
    attributes: ALL,
    springs: ["checkout", "HEAD", "--", "a"],
    also: [
      ...[["checkout", "-f", "side"], ["reset", "--hard"], ["restore", "a"], ["stash"]],
      ...[["archive", "-o", "x.tar", "HEAD"], ["worktree", "add", "-q", "wt"]],
      ...[["cat-file", "--filters", "HEAD:a"], ["checkout-index", "-f", "a"]],
    ],
  },
  {
    name: "a filter in odd letters",
    config: '[FILTER "evil"]\nCLEAN = "MARK;cat"',
    attributes: ALL,
    springs: ["add", "a"],
  },
  {
    name: "a filter behind another section on one line",
    config: '[core] bare = false\n[core][filter "evil"] clean = "MARK;cat"',
    attributes: ALL,
    springs: ["add", "a"],
  },
  {
    name: "a filter of the old form",
    config: '[filter.evil]\nclean = "MARK;cat"',
    attributes: ALL,
    springs: ["add", "a"],
  },
  {
    name: "a filter whose name holds what ends a key",
    config: '[filter "evil=x.clean"]\nclean = "MARK;cat"',
    attributes: "* filter=evil=x.clean",
    springs: ["add", "a"],
  },
  {
    name: "a filter of .gitattributes",
    config: '[filter "evil"]\nclean = "MARK;cat"',
    files: { ".gitattributes": `${ALL}\n` },
    springs: ["add", "a"],
  },
  {
    name: "attributes from elsewhere",
    config: '[core]\nattributesFile = traps/attributes\n[filter "evil"]\nclean = "MARK;cat"',
    files: { "traps/attributes": `${ALL}\n` },
    springs: ["add", "a"],
  },
  {
    name: "textconv",
    config: '[diff "evil"]\ntextconv = "MARK;cat"',
    attributes: ALL,
    springs: ["diff"],
    also: [
      ...[["show", "HEAD"], ["log", "-p", "-1"], ["diff", "--cached"], ["blame", "a"], [
        "diff",
        "-G",
        "x",
      ]],
      ...[["grep", "--textconv", "x"], ["cat-file", "--textconv", "HEAD:a"], [
        "diff",
        "HEAD~1",
        "side",
      ]],
    ],
  },
  {
    name: "a diff driver's command",
    config: '[diff "evil"]\ncommand = "MARK"',
    attributes: ALL,
    springs: ["diff"],
  },
  {
    name: "an external diff",
    config: '[diff]\nexternal = "MARK"',
    springs: ["diff"],
    also: [["show", "--ext-diff"], ["log", "-p", "-1", "--ext-diff"], ["diff", "HEAD~1", "side"]],
  },
  {
    name: "hooks",
    files: hooksIn(".git/hooks"),
    springs: ["commit", "-qm", "x"],
    also: [
      ...[["checkout", "-qf", "side"], ["merge", "--no-ff", "side"], [
        "push",
        "there",
        "main:pushed",
      ]],
      ...[["rebase", "--autostash", "side"], ["branch", "made"], ["tag", "made"], ["stash"], [
        "add",
        "a",
      ]],
      ...[["worktree", "add", "-q", "wt"], ["reset", "--hard", "HEAD~1"], [
        "fetch",
        "there",
        "side:made",
      ]],
      ...[["update-ref", "refs/heads/made", "HEAD"]],
    ],
  },
  {
    name: "hooks elsewhere",
    config: "[core]\nhooksPath = traps",
    files: hooksIn("traps"),
    springs: ["commit", "-qm", "x"],
  },
  {
    name: "a signing program",
    config: "[gpg]\nprogram = traps/sign\n[commit]\ngpgSign = true\n[log]\nshowSignature = true",
    files: { "traps/sign": SCRIPT },
    springs: ["commit", "-qm", "x"],
    also: [["tag", "-s", "-m", "x", "made"], ["commit", "-q", "--amend", "--no-edit"]],
  },
  {
    name: "an ssh signing program",
    config: '[gpg]\nformat = ssh\n[gpg "ssh"]\nprogram = traps/sign\n[commit]\ngpgSign = true\n' +
      "[user]\nsigningKey = key::ssh-ed25519 AAAA",
    files: { "traps/sign": SCRIPT },
    springs: ["commit", "-qm", "x"],
  },
  {
    name: "a command that finds the key to sign with",
    config:
      '[gpg]\nformat = ssh\n[gpg "ssh"]\ndefaultKeyCommand = "MARK"\n[commit]\ngpgSign = true',
    springs: ["commit", "-qm", "x"],
    also: [["tag", "-s", "-m", "x", "made"]],
  },
  {
    name: "an editor",
    config: '[core]\neditor = "MARK;true"',
    springs: ["commit", "--amend"],
  },
  { name: "an alias", config: '[alias]\nst = "!MARK"\nstatus = "!MARK"', springs: ["st"] },
  {
    name: "an included file",
    config: "[include]\npath = ../traps/included",
    files: { "traps/included": '[core]\nfsmonitor = "MARK;false"\n' },
    springs: ["status"],
  },
  {
    name: "a filter in an included file",
    config: '[includeIf "gitdir:**"]\npath = ../traps/included',
    files: { "traps/included": '[filter "evil"]\nclean = "MARK;cat"\n' },
    attributes: ALL,
    springs: ["add", "a"],
  },
  {
    name: "a filter in the worktree's own settings",
    config: "[extensions]\nworktreeConfig = true\n[core]\nrepositoryFormatVersion = 1",
    files: { ".git/config.worktree": '[filter "evil"]\nclean = "MARK;cat"\n' },
    attributes: ALL,
    springs: ["add", "a"],
  },
  {
    name: "a trailer's command",
    config: '[trailer "evil"]\ncommand = "MARK"\nifmissing = add\nkey = Evil',
    springs: ["commit", "-qm", "x", "--trailer", "Other: x"],
  },
  {
    name: "pagers",
    config:
      '[core]\npager = "MARK;cat"\n[pager]\nstatus = "MARK;cat"\nlog = "MARK;cat"\nshow = "MARK;cat"',
    // They need a terminal.
    springs: null,
  },
  {
    name: "a promised object over a transport that is a program",
    config: "[core]\nrepositoryFormatVersion = 1\n[extensions]\npartialClone = evil\n" +
      '[remote "evil"]\nurl = "ext::MARK"\npromisor = true\n[protocol "ext"]\nallow = always',
    springs: ["fetch", "evil"],
  },
  {
    name: "credentials and ssh",
    config:
      '[credential]\nhelper = "!MARK"\n[core]\nsshCommand = "MARK;false"\naskPass = traps/ask\n' +
      '[remote "origin"]\nurl = ssh://example.org/x',
    files: { "traps/ask": SCRIPT },
    springs: ["fetch", "origin"],
  },
  {
    name: "hooks of a remote",
    files: Object.fromEntries(
      ["pre-receive", "update", "post-receive", "post-update", "reference-transaction"].map((
        name,
      ) => [`.git/there.git/hooks/${name}`, SCRIPT]),
    ),
    springs: ["push", "there", "main:pushed"],
  },
  {
    name: "what a remote is called by",
    config:
      '[remote "there"]\nreceivepack = "MARK;git-receive-pack"\nuploadpack = "MARK;git-upload-pack"\n' +
      'vcs = evil\n[url "ext::MARK "]\ninsteadOf = .git/there.git\n[protocol "ext"]\nallow = always',
    springs: ["fetch", ".git/there.git"],
  },
  {
    name: "a merge driver",
    config: '[merge "evil"]\ndriver = "MARK;false"\n[merge]\ndefault = evil',
    attributes: ALL,
    springs: ["merge-tree", "--write-tree", "main", "side"],
  },
  {
    name: "an archiver",
    config: '[tar "evil"]\ncommand = "MARK;cat"',
    springs: ["archive", "--format=evil", "-o", "x.evil", "HEAD"],
  },
  {
    name: "a tool for differences",
    config: '[difftool]\nprompt = false\n[difftool "evil"]\ncmd = "MARK"',
    springs: ["difftool", "-y", "-t", "evil"],
  },
  {
    name: "a tool for differences that lies in the repository",
    config: '[difftool]\nprompt = false\n[difftool "meld"]\npath = traps/meld',
    files: { "traps/meld": SCRIPT },
    springs: ["difftool", "-y", "-t", "meld"],
  },
  {
    name: "a tool for merges, which shows differences, too",
    config: '[mergetool "evil3"]\ncmd = "MARK"',
    springs: ["difftool", "-y", "-t", "evil3"],
  },
  {
    name: "a browser",
    config: '[browser "evil"]\ncmd = "MARK;true"\n[web]\nbrowser = evil\n[help]\nformat = web\n' +
      "htmlPath = /usr/share/doc",
    springs: ["web--browse", "README"],
  },
  {
    name: "a way to a mail server",
    config: '[imap]\ntunnel = "MARK;false"\nfolder = x',
    // It takes letters on standard input.
    springs: null,
  },
  {
    name: "an editor of lists",
    config: '[sequence]\neditor = "MARK;true"',
    springs: ["rebase", "-i", "--autostash", "HEAD~1"],
  },
  {
    name: "a trailer's command of the new form",
    config: '[trailer "evil2"]\ncmd = "MARK"\nkey = Evil2',
    springs: ["commit", "-qm", "x", "--trailer", "evil2=x"],
  },
  {
    name: "a reader of manuals",
    config: '[man]\nviewer = evil\n[man "evil"]\ncmd = "MARK"',
    springs: ["help", "-m", "log"],
  },
  {
    name: "a proxy that is a program",
    config: '[core]\ngitProxy = traps/proxy\n[remote "far"]\nurl = git://far.invalid/x',
    files: { "traps/proxy": SCRIPT },
    springs: ["fetch", "far"],
    also: [["ls-remote", "far"], ["push", "far", "main"]],
  },
  {
    name: "a remote that is a program, for what names none",
    config:
      '[remote "outer"]\nurl = "ext::MARK"\n[branch "main"]\nremote = outer\nmerge = refs/heads/main\n' +
      '[protocol "ext"]\nallow = always',
    springs: ["pull"],
    also: [["fetch"], ["push", "outer", "main"], ["ls-remote", "outer"], ["remote", "update"]],
  },
  {
    name: "references of a repository beside",
    config: '[core]\nalternateRefsCommand = "MARK;true"',
    files: { ".git/objects/info/alternates": "../there.git/objects\n" },
    springs: ["fetch", "there", "side:made"],
  },
  {
    name: "a file that a branch includes",
    config: '[includeIf "onbranch:**"]\npath = ../traps/branch',
    files: { "traps/branch": '[diff]\nexternal = "MARK"\n' },
    springs: ["diff"],
  },
  {
    name: "settings of a submodule, and how it is brought up to date",
    config: '[submodule "sub"]\nupdate = "!MARK"\nactive = true\nurl = ./sub\nignore = none\n' +
      "[status]\nsubmoduleSummary = true",
    script: `git init -q sub && cd sub && echo 1 > x && git add x && git commit -qm one && cd .. &&
      printf '[submodule "sub"]\\npath = sub\\nurl = ./sub\\n' > .gitmodules &&
      git add sub .gitmodules && git commit -qm sub -- sub .gitmodules &&
      cd sub && echo 2 > x && git commit -qam two && echo 3 > x &&
      printf '[core]\\nfsmonitor = "MARK;false"\\n' >> .git/config`,
    springs: ["status"],
    also: [["diff"], ["submodule", "update"]],
  },
  {
    name: "a repository within that nobody made one",
    script: `cp -r .git/there.git within && git -C within config core.bare false &&
      git -C within config core.worktree .. && git -C within config core.fsmonitor "MARK;false"`,
    springs: ["-C", "within", "status"],
  },
];
