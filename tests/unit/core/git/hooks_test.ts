import { assertEquals } from "@std/assert";
import { hooksOf, hooksPathIn } from "../../../../src/core/git/hooks.ts";
import { gitWords } from "../../../../src/core/git/words.ts";

Deno.test("git: which hooks a command runs of its own accord", () => {
  const rows: readonly (readonly [line: string, hooks: string])[] = [
    ["git commit -m x", "pre-commit commit-msg prepare-commit-msg post-commit"],
    ["git commit --no-verify -m x", "prepare-commit-msg post-commit"],
    ["git commit -n -m x", "prepare-commit-msg post-commit"],
    ["git merge --no-verify b", "prepare-commit-msg post-merge"],
    ["git -C sub push -n origin", "pre-push"],
    ["git push --no-verify", ""],
    ["git switch b", "post-checkout"],
    ["git worktree add x", "post-checkout"],
    ["git worktree list", ""],
    ["git status", ""],
    ["git constructor", ""],
  ];
  for (const [line, hooks] of rows) {
    const words = gitWords(line.split(" "));
    assertEquals(words === null ? null : hooksOf(words).join(" "), hooks, line);
  }
});

Deno.test("git: where a repository's settings say that its hooks lie", () => {
  const rows: readonly (readonly [text: string, path: string | null])[] = [
    ["", null],
    ["[core]\n\tbare = false\n\thooksPath = .husky/_\n", ".husky/_"],
    ["[CORE] HooksPath=a\r\n", "a"],
    ['[core]\nhookspath = "a b"\n[user]\nhooksPath = c\n', "a b"],
    ["[core]\nhooksPath = a\n[core]\nhooksPath = b\n", "b"],
    ["[core]\nhooksPath =\n", null],
    ['[core "x"]\nhooksPath = a\n', null],
    ["# [core]\nhooksPath = a\n", null],
  ];
  for (const [text, path] of rows) assertEquals(hooksPathIn(text), path, JSON.stringify(text));
});
