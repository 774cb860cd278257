/** What the words of git say that it makes beside commits. */

import { assertEquals } from "@std/assert";
import { type GitMaking, gitMaking } from "../../../../src/core/git/making.ts";
import { gitWords } from "../../../../src/core/git/words.ts";

function makingOf(line: string): GitMaking | null {
  const words = gitWords(line.split(" "));
  return words === null ? null : gitMaking(words);
}

function copy(from: string, into: string, trees: readonly string[] | null = ["HEAD"]): GitMaking {
  return { kind: "repository", into, bare: false, from, trees };
}

const EMPTY = { kind: "repository", bare: false, from: null, trees: null } as const;
const ROWS: readonly (readonly [line: string, making: GitMaking | null])[] = [
  ["git init", { ...EMPTY, into: "." }],
  ["git init -q -b main x", { ...EMPTY, into: "x" }],
  ["git init --initial-branch=main -- -x", { ...EMPTY, into: "-x" }],
  ["git init --bare x", { ...EMPTY, into: "x", bare: true }],
  ["git init a b", null],
  ["git init --help", null],
  ["git clone x/y.git", copy("x/y.git", "y")],
  ["git clone ../y/.git/", copy("../y/.git/", "y")],
  ["git clone -b dev . y", copy(".", "y", ["refs/heads/dev", "refs/tags/dev"])],
  ["git clone -bdev . y", copy(".", "y", ["refs/heads/dev", "refs/tags/dev"])],
  ["git clone -qn . y", copy(".", "y", null)],
  ["git clone --bare y", { kind: "repository", into: "y.git", bare: true, from: "y", trees: null }],
  ["git clone .", null],
  ["git clone", null],
  ["git worktree add -q x", { kind: "worktree", into: "x", trees: ["refs/heads/x", "HEAD"] }],
  ["git worktree add -b n a/x", { kind: "worktree", into: "a/x", trees: ["HEAD"] }],
  ["git worktree add x -", { kind: "worktree", into: "x", trees: ["@{-1}"] }],
  ["git worktree add --no-checkout x y", { kind: "worktree", into: "x", trees: null }],
  ["git worktree remove -f x", { kind: "worktree removal", at: "x" }],
  ["git worktree prune --expire now", { kind: "worktree records" }],
  ["git worktree list", null],
  ["git worktree", null],
  ["git submodule status", null],
  ["git submodule", null],
  ["git commit -m x", null],
];

Deno.test("git's words say what it makes, and where", () => {
  for (const [line, making] of ROWS) assertEquals([line, makingOf(line)], [line, making]);
});

Deno.test("what could write more than git is given is told by its name", () => {
  const rows: readonly (readonly [line: string, says: string])[] = [
    ["git init --template=x", "git init --template "],
    ["git init --separate-git-dir x", "git init --separate-git-dir "],
    ["git clone -c a.b=c x", "git clone -c "],
    ["git clone --mirror x", "git clone --mirror "],
    ["git clone -qs x", "git clone -qs "],
    ["git worktree add --guess-remote x", "git worktree add --guess-remote "],
    ["git worktree move a b", "git worktree move "],
    ["git pull", "git pull "],
    ["git submodule -q update", "git submodule update "],
  ];
  for (const [line, says] of rows) {
    const making = makingOf(line);
    const why = making?.kind === "beyond" ? making.why : "";
    assertEquals([line, why.slice(0, says.length)], [line, says]);
  }
});
