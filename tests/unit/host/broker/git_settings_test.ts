import { assertEquals } from "@std/assert";
import { settlesNothingElse } from "../../../../src/host/broker/_git_settings.ts";

const BEFORE = `[core]
\tbare = false
\tautocrlf
# kept
[user]
\tname = Ada
[remote "origin"]
\turl = ../remote.git
[branch "main"]
\tremote = origin
\tmerge = refs/heads/main
`;

const renamed = BEFORE.replace('[branch "main"]', '[branch "re \\"named\\""]');

/** A change, and whether it is git's to make. */
const CASES: readonly (readonly [string, string, boolean])[] = [
  ["nothing", BEFORE, true],
  ["a branch renamed", renamed, true],
  ["a branch's section gone", BEFORE.replace(/\[branch[^]*/, ""), true],
  ["who commits", BEFORE.replace("Ada", '"Somebody # else"'), true],
  ["an address", `${BEFORE}[user]\n\temail = a@example.org\n`, true],
  ["another value of the same key", `${BEFORE}[user]\n\tname = Bob\n`, true],
  ["a comment", `; no more\n${BEFORE}`, true],
  ["what it follows", BEFORE.replace("refs/heads/main", "refs/heads/x-1"), true],
  ["a pager", `${BEFORE}[core]\n\tpager = sh -c id\n`, false],
  ["hooks", BEFORE.replace("bare = false", "bare = false\n\thooksPath = x"), false],
  ["a key gone", BEFORE.replace("\tbare = false\n", ""), false],
  ["an alias", `${BEFORE}[alias]\n\tst = !id\n`, false],
  ["an include", `${BEFORE}[include]\n\tpath = ../x\n`, false],
  ["a filter", `${BEFORE}[filter "x"]\n\tclean = id\n`, false],
  ["a remote's address", BEFORE.replace("../remote.git", "ext::sh -c id"), false],
  ["an address as a branch's remote", BEFORE.replace("= origin", "= ext::sh -c id"), false],
  ["an option as one", BEFORE.replace("= origin", "= --upload-pack=id"), false],
  ["another key of a branch", `${BEFORE}[branch "x"]\n\tmergeOptions = -s x\n`, false],
  ["a user's section about something", `${BEFORE}[user "x"]\n\tname = y\n`, false],
  ["a signing key", `${BEFORE}[user]\n\tsigningKey = x\n`, false],
  ["a key behind its section", `${BEFORE}[core] pager = id\n`, false],
  ["a line that goes on", BEFORE.replace("Ada", "Ada\\\n[core]"), false],
  ["an escape", BEFORE.replace("Ada", "Ada\\n[core]\\n\\tpager = id"), false],
  ["a section in two parts", `${BEFORE}[branch.x]\n\tremote = origin\n`, false],
  ["a return in a line", BEFORE.replace("Ada", "Ada\r[core]\rpager=id"), false],
];

/** Of a repository that is begun: what is in it at the end, and whether that is git's to write. */
const BEGUN: readonly (readonly [string, boolean])[] = [
  ["[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n", true],
  ["[extensions]\n\tobjectformat = sha256\n", true],
  ['[remote "origin"]\n\turl = /w/a b\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n', true],
  ['[remote "origin"]\n\turl = "/w/a;b"\n\ttagOpt = --no-tags\n', true],
  ['[remote "origin"]\n\turl = https://example.org/x.git\n', true],
  ['[remote "origin"]\n\turl = ext::sh -c id\n', false],
  ['[remote "origin"]\n\turl = --upload-pack=id\n', false],
  ['[remote "origin"]\n\turl = /w/a\n\tuploadpack = id\n', false],
  ["[remote]\n\turl = /w/a\n", false],
  ["[core]\n\tfsmonitor = id\n", false],
  ['[core "x"]\n\tbare = false\n', false],
  ["[core]\n\tworktree = ../x\n", false],
];

Deno.test("of a repository that it begins git settles what it is and what it is a copy of", () => {
  for (const [text, expected] of BEGUN) {
    assertEquals(settlesNothingElse("", text, "beginning"), expected, text);
    assertEquals(settlesNothingElse("", text), false, text);
  }
});

Deno.test("git settles who commits and what a branch follows, and nothing else", () => {
  for (const [what, after, expected] of CASES) {
    assertEquals(settlesNothingElse(BEFORE, after), expected, what);
  }
  assertEquals(settlesNothingElse("[core\n", "[core\n"), false, "what is not understood");
});
