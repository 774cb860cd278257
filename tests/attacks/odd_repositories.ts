/**
 * Repositories that lead out of where they lie, hold trees that no git makes, or files that are none, as data: nothing
 * runs there by itself, but what git does with them can read, write or wait elsewhere.
 */

/** One of them. In its texts OUT stands for a folder outside, which has `secret`, `dir`, `repo` and `bare.git`. */
export interface OddRepository {
  readonly name: string;
  /** What makes it one, by the shell in a repository with a file `a`, branches `main` and `side`, and a remote `there`. */
  readonly script: string;
  /**
   * What plain git does there that it must not: prints HUSH, changes something outside, or does not end. Null where this
   * git minds by itself.
   */
  readonly harms: string | null;
}

/** A commit of `side` with a tree of these lines of git-mktree(1), beside what there is. */
const tree = (lines: string) =>
  `b=$(echo x | git hash-object -w --stdin)
h=$(printf '#!/bin/sh\\ntouch OUT/ran\\n' | git hash-object -w --stdin)
hooks=$(printf "040000 tree $(printf "100755 blob $h\\tpost-checkout\\n" | git mktree)\\thooks\\n" | git mktree)
file=$(printf "100644 blob $b\\tpwned\\n" | git mktree)
out=$(printf OUT/dir | git hash-object -w --stdin)
t=$({ git ls-tree HEAD; printf "${lines}"; } | git mktree)
c=$(git commit-tree -p HEAD -m odd $t) && echo $c > .git/refs/heads/side
cp -rf .git/objects/. .git/there.git/objects && echo $c > .git/there.git/refs/heads/side`;

/** As {@linkcode tree}, of one entry by its bytes: names that git-mktree(1) does not take. */
const named = (mode: string, name: string) =>
  `b=$(echo x | git hash-object -w --stdin)
t=$({ git cat-file tree HEAD; perl -e 'print "${mode} ${name}\\0", pack("H*", $ARGV[0])' $b; } |
  git hash-object -t tree -w --stdin --literally)
c=$(git commit-tree -p HEAD -m odd $t) && echo $c > .git/refs/heads/side`;

/** The index with an extension of its own kind behind its entries. */
const index = (extension: string) =>
  `perl -MDigest::SHA=sha1 -e 'local $/; open F, "<", ".git/index"; binmode F; $d = <F>;
$d = substr($d, 0, -20) . ${extension}; open F, ">", ".git/index"; binmode F; print F $d, sha1($d)'`;

const link = (...names: readonly (readonly [name: string, to: string])[]) =>
  names.map(([name, to]) => `rm -rf ${name}; ln -s ${to} ${name}`).join("\n");
const moved = (name: string) => `mv ${name} OUT/moved && ln -s OUT/moved ${name}`;
const settings = (text: string) => `printf '${text}' >> .git/config`;

const SHOWS = "git log -p --all; git cat-file -p $(git -C OUT/repo rev-parse HEAD:hushed)";

export const ODD_REPOSITORIES: readonly OddRepository[] = [
  {
    name: "a .git file that leads out",
    script: "rm -rf .git && echo gitdir: OUT/repo/.git > .git",
    harms: "git log -p",
  },
  {
    name: "a .git that is a link",
    script: "rm -rf .git && ln -s OUT/repo/.git .git",
    harms: SHOWS,
  },
  { name: "a commondir outside", script: "echo OUT/repo/.git > .git/commondir", harms: SHOWS },
  {
    name: "a linked worktree of a repository outside",
    script: `mv .git gg && mkdir -p gg/worktrees/x && cd gg/worktrees/x &&
      echo ref: refs/heads/main > HEAD && echo OUT/repo/.git > commondir && cd ../../.. &&
      cp gg/index gg/worktrees/x && echo "gitdir: gg/worktrees/x" > .git`,
    harms: "git log -p",
  },
  {
    name: "working files outside",
    script: settings("[core]\\nworktree = OUT/dir\\n"),
    harms: "export GIT_DIR=.git; git add -A && git diff --cached",
  },
  {
    name: "working files outside, by the settings of a worktree",
    script: settings(
      "[core]\\nrepositoryFormatVersion = 1\\n[extensions]\\nworktreeConfig = true\\n",
    ) + " && printf '[core]\\nworktree = OUT/dir\\n' > .git/config.worktree",
    harms: "export GIT_DIR=.git; git add -A && git diff --cached",
  },
  {
    name: "objects of a repository outside",
    script: "echo OUT/repo/.git/objects > .git/objects/info/alternates",
    harms: SHOWS,
  },
  {
    name: "objects outside by way of others inside",
    script: `mkdir -p inner/info && echo OUT/repo/.git/objects > inner/info/alternates &&
      echo ../../inner > .git/objects/info/alternates`,
    harms: SHOWS,
  },
  {
    name: "objects outside by a quoted name",
    script: `printf '# x\\n"OUT/repo/.git\\\\057objects"\\n' > .git/objects/info/alternates`,
    harms: SHOWS,
  },
  {
    name: "objects beside each other's",
    script: `mkdir -p x/objects/info && echo ../../.git/objects > x/objects/info/alternates &&
      echo ../../x/objects > .git/objects/info/alternates`,
    harms: null,
  },
  { name: "objects that are a link", script: moved(".git/objects"), harms: "git add -A" },
  {
    name: "packs that are a link",
    script: `git -C OUT/repo repack -adq; ${
      link([".git/objects/pack", "OUT/repo/.git/objects/pack"])
    }`,
    harms: SHOWS,
  },
  { name: "refs that are a link", script: moved(".git/refs"), harms: "git branch made" },
  { name: "branches that are a link", script: moved(".git/refs/heads"), harms: "git branch made" },
  { name: "logs that are a link", script: moved(".git/logs"), harms: "git branch made" },
  {
    name: "a log that is a link",
    script: link([".git/logs/HEAD", "OUT/secret"]),
    harms: "git commit -q --allow-empty -m x",
  },
  {
    name: "an ignore file that is a link",
    script: link([".git/info/exclude", "OUT/secret"]),
    harms: null,
  },
  {
    name: "messages that are links to what is not there",
    script: link([".git/COMMIT_EDITMSG", "OUT/made"], [".git/MERGE_MSG", "OUT/made"]),
    harms: "git commit -q --allow-empty -m x",
  },
  {
    name: "what git keeps of a merge, as links to what is not there",
    script: link([".git/rr-cache", "OUT/dir"]) + "\n" + settings("[rerere]\\nenabled = true\\n"),
    harms: "git stash -q; git merge side",
  },
  {
    name: "parts of worktrees that are a link",
    script: link([".git/worktrees", "OUT/dir"]),
    harms: null,
  },
  {
    name: "a worktree that is outside",
    script: `mkdir -p .git/worktrees/x && cd .git/worktrees/x && echo OUT/dir/.git > gitdir &&
      echo ../.. > commondir && echo ref: refs/heads/side > HEAD`,
    harms: null,
  },
  {
    name: "files that are links out",
    script: link(["a", "OUT/secret"], [".gitattributes", "OUT/secret"], [".mailmap", "OUT/secret"]),
    harms: null,
  },
  {
    name: "a HEAD that leads out",
    script: "printf 'ref: ../../OUT/x\\n' > .git/HEAD",
    harms: null,
  },
  {
    name: "a HEAD that is a link out",
    script: link([".git/HEAD", "OUT/secret"]),
    harms: null,
  },
  {
    name: "branches with names of options",
    script: `h=$(git rev-parse HEAD); for n in -D --output=OUT/made --upload-pack=x; do
      mkdir -p "$(dirname -- ".git/refs/heads/$n")"; echo $h > ".git/refs/heads/$n"; done`,
    harms: null,
  },
  { name: "a tree with hooks in .git", script: tree("040000 tree $hooks\\t.git\\n"), harms: null },
  {
    name: "a tree with .git in other letters",
    script: settings("[core]\\nprotectNTFS = false\\nprotectHFS = false\\nignoreCase = true\\n") +
      "\n" + tree("040000 tree $hooks\\t.GIT\\n040000 tree $hooks\\tgit~1\\n"),
    harms: null,
  },
  { name: "a tree that climbs", script: tree("040000 tree $file\\t..\\n"), harms: null },
  { name: "a tree with itself", script: tree("040000 tree $file\\t.\\n"), harms: null },
  { name: "a tree with a path for a name", script: named("100644", "../pwned"), harms: null },
  { name: "a tree with no name", script: named("100644", ""), harms: null },
  {
    name: "a tree with a link and a folder of one name",
    script: tree("120000 blob $out\\tzz\\n040000 tree $file\\tzz\\n"),
    harms: null,
  },
  { name: "an index with what it must know", script: index('"qqqq\\0\\0\\0\\4abcd"'), harms: null },
  {
    name: "an index that is another's part",
    script: index('"link\\0\\0\\0\\24" . ("x" x 20)'),
    harms: null,
  },
  {
    name: "an index with a length of no end",
    script: index('"TREE\\x7f\\xff\\xff\\xff"'),
    harms: null,
  },
  {
    name: "settings that are a pipe",
    script: "rm .git/config && mkfifo .git/config",
    harms: "git status",
  },
  {
    name: "a HEAD that is a pipe",
    script: "rm .git/HEAD && mkfifo .git/HEAD",
    harms: "git status",
  },
  {
    name: "refs that are a pipe",
    script: "mkfifo .git/packed-refs",
    harms: "git log nothing",
  },
  {
    name: "attributes that are a pipe",
    script: "mkfifo .gitattributes",
    harms: "git diff",
  },
  {
    name: "settings that are a folder",
    script: "rm .git/config && mkdir .git/config",
    harms: null,
  },
  {
    name: "objects in more folders than anybody has",
    script: "seq -f /nowhere/%.0f 1 50000 > .git/objects/info/alternates",
    harms: null,
  },
  {
    name: "files that settings read",
    script: settings(
      "[core]\\nexcludesFile = OUT/secret\\n[commit]\\ntemplate = OUT/secret\\n" +
        "[mailmap]\\nfile = OUT/secret\\n[format]\\nsignatureFile = OUT/secret\\n[include]\\npath = OUT/secret\\n",
    ),
    harms: "git format-patch --stdout -1",
  },
  {
    name: "a remote outside",
    script: settings('[remote "far"]\\nurl = OUT/repo\\npushurl = OUT/bare.git\\n'),
    harms: "git push far main",
  },
  {
    name: "a remote that is a link out",
    script: "rm -rf .git/there.git && ln -s OUT/bare.git .git/there.git",
    harms: "git push there main",
  },
];
