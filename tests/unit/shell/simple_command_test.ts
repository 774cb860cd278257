import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { ToolError } from "../../../src/core/errors.ts";
import { parseSimpleCommand } from "../../../src/shell/simple_command.ts";

Deno.test("a line of one program with plain words is split as sh splits it", async () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ["git status", ["git", "status"]],
    ["  git \t status  ", ["git", "status"]],
    ["\n# note\ngit status # short\n# more\n\n", ["git", "status"]],
    ["echo 'a b' \"c d\" e\\ f", ["echo", "a b", "c d", "e f"]],
    ['echo "\\$x \\`y\\` \\"z\\" \\\\ \\n"', ["echo", '$x `y` "z" \\ \\n']],
    ["echo '$x `y` \"z\" \\'", ["echo", '$x `y` "z" \\']],
    ["echo a'b'\"c\"\\d", ["echo", "abcd"]],
    ["echo '' \"\"", ["echo", "", ""]],
    ['echo \\\n a\\\nb "c\\\nd"', ["echo", "ab", "cd"]],
    ["echo a#b c# '#d'", ["echo", "a#b", "c#", "#d"]],
    ["grep \"end$\" 'a|b'", ["grep", "end$", "a|b"]],
    ['grep "(a$|b$)" x$', ["grep", "(a$|b$)", "x$"]],
    ["git show HEAD~1 HEAD^ stash@{0}", ["git", "show", "HEAD~1", "HEAD^", "stash@{0}"]],
    ["find . -name '*.ts' -exec cat {} \\;", [
      "find",
      ".",
      "-name",
      "*.ts",
      "-exec",
      "cat",
      "{}",
      ";",
    ]],
    ["[ -f x ]", ["[", "-f", "x", "]"]],
    ["\\if then", ["if", "then"]],
    ["'if' fi", ["if", "fi"]],
    ["echo if { } !", ["echo", "if", "{", "}", "!"]],
    ["echo FOO=bar --x=y", ["echo", "FOO=bar", "--x=y"]],
    ["echo é 日本 a\u00a0b", ["echo", "é", "日本", "a\u00a0b"]],
    ["echo 'a\nb'", ["echo", "a\nb"]],
    ["./run.sh", ["./run.sh"]],
    ['echo "$"x', ["echo", "$x"]],
  ];
  for (const [line, argv] of cases) assertEquals(await parseSimpleCommand(line), argv, line);
});

Deno.test("everything else is refused with its name, its place, and what to do", async () => {
  const cases: readonly (readonly [string, string, number, string])[] = [
    ["", "empty", 1, "name one"],
    ["   ", "empty", 1, "name one"],
    ["# only a comment", "empty", 1, "name one"],
    ["''", "empty", 1, "name one"],
    ["ls | wc", "pipeline", 4, "one program a call"],
    ["ls |& wc", "pipeline", 4, "one program a call"],
    ["ls && wc", "list", 4, "one program a call"],
    ["ls || wc", "list", 4, "one program a call"],
    ["ls; wc", "list", 5, "one program a call"],
    ["ls;", "list", 3, "one program a call"],
    ["ls\nwc", "newline", 4, "one program a call"],
    ["ls # x \\\nwc", "newline", 10, "one program a call"],
    ["ls &", "background", 3, "leave out the &"],
    ["coproc ls", "background", 1, "leave out the &"],
    ["! ls", "reserved", 1, "one program a call"],
    ["time ls", "reserved", 1, "one program a call"],
    ["if true; then ls; fi", "compound", 1, "one program a call"],
    ["for x in a; do ls; done", "compound", 1, "one program a call"],
    ["(ls)", "compound", 1, "one program a call"],
    ["{ ls; }", "compound", 1, "one program a call"],
    ["[[ -f x ]]", "compound", 1, "one program a call"],
    ["foo(bar", "compound", 4, "one program a call"],
    ["f() { ls; }", "function", 1, "one program a call"],
    ["ls > out", "redirection", 4, "write_file"],
    ["ls 2>&1", "redirection", 4, "stderr come back"],
    ["ls &> out", "redirection", 4, "write_file"],
    ["cat < in", "redirection", 5, "stdin"],
    ["cat <<E\nx\nE", "redirection", 5, "stdin"],
    ["cat <<< x", "redirection", 5, "stdin"],
    ["> out", "redirection", 1, "write_file"],
    ["A=1 ls", "assignment", 1, "env"],
    ["A=1", "assignment", 1, "env"],
    ["export A=1", "assignment", 8, "env"],
    ["export A", "environment", 1, "env"],
    ["cd src", "directory", 1, "cwd"],
    ["eval ls", "builtin", 1, "only programs"],
    ["\\cd src", "directory", 1, "cwd"],
    [". x", "builtin", 1, "only programs"],
    ["echo $HOME", "variable", 6, "single quotes"],
    ['echo "a ${HOME}"', "variable", 9, "single quotes"],
    ['echo $"x"', "dialect", 6, "single quotes"],
    ["echo $1", "variable", 6, "single quotes"],
    ["echo $(ls)", "substitution", 6, "inner command"],
    ['echo "`ls`"', "substitution", 7, "inner command"],
    ["echo $((1+1))", "arithmetic", 6, "single quotes"],
    ["echo $'a'", "dialect", 6, "single quotes"],
    ["cat <(ls)", "redirection", 5, "stdin"],
    ["ls *.ts", "glob", 4, "name the files"],
    ["ls a?", "glob", 5, "name the files"],
    ["ls [ab]", "glob", 4, "name the files"],
    ["ls {a,b}", "brace", 4, "write out"],
    ["ls {1..3}", "brace", 4, "write out"],
    ["ls ~", "tilde", 4, "write the path"],
    ["ls ~root/x", "tilde", 4, "write the path"],
    ["ls x=~/y", "tilde", 6, "write the path"],
    ['echo "x', "quote", 6, "close it"],
    ["echo 'x", "quote", 6, "close it"],
    ["echo x\\", "escape", 7, "leave it out"],
    ["echo a\rb", "control", 7, "argv"],
    ["echo a\0b", "control", 7, "argv"],
    ["echo \ud800", "control", 6, "argv"],
    ["fi", "syntax", 1, "argv"],
    ["echo 🦕 | wc", "pipeline", 8, "one program a call"],
  ];
  for (const [line, construct, position, part] of cases) {
    const error = await assertRejects(() => parseSimpleCommand(line), ToolError, undefined, line);
    assertEquals(error.code, "COMMAND_UNPARSABLE");
    assertEquals(error.details, { construct, position }, JSON.stringify(line));
    assertStringIncludes(error.message, part);
  }
});

Deno.test("a line too long to be an argument is not read", async () => {
  const error = await assertRejects(
    () => parseSimpleCommand("echo " + "x".repeat(200_000)),
    ToolError,
  );
  assertEquals(error.code, "COMMAND_UNPARSABLE");
});
