import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { ToolError } from "../../../src/core/errors.ts";
import type {
  CompoundPlan,
  PlanNode,
  Redirection,
  ShellSettings,
  Word,
} from "../../../src/core/plan.ts";
import { parseLine, parseShellCall } from "../../../src/shell/parse_line.ts";

/** A plan in short: words in brackets, what is known only at run time in angle brackets. */
function shown(node: PlanNode): string {
  switch (node.kind) {
    case "simple": {
      const assigned = node.assignments.map(({ name, value }) => `${name}=${word(value)} `).join(
        "",
      );
      return `${assigned}${words(node.words)}${node.redirections.map(redirection).join("")}`;
    }
    case "pipeline":
      return `${node.negated ? "! " : ""}${node.stages.map(shown).join(" | ")}`;
    case "list": {
      const operators = { always: ";", success: "&&", failure: "||" };
      return node.items.map((item, index) =>
        `${index === 0 ? "" : ` ${operators[item.when]} `}${shown(item.node)}`
      ).join("");
    }
    case "group": {
      const [open, close] = node.subshell ? "()" : "{}";
      const on = settings(node.settings);
      const from = node.opened === undefined ? "" : `${node.opened[0]}:`;
      return `${from}${open}${on}${shown(node.body)}${close}${
        node.redirections.map(redirection).join("")
      }`;
    }
    case "time":
      return `time${node.posix ? " -p" : ""} ${shown(node.body)}`;
    case "background":
      return `${shown(node.body)} &`;
    case "function":
      return `${node.name}() ${shown(node.body)}`;
    default:
      return `${compound(node)}${node.redirections.map(redirection).join("")}`;
  }
}

function compound(node: CompoundPlan): string {
  switch (node.kind) {
    case "for":
      return `for ${node.name} ${words(node.words)} {${shown(node.body)}}`;
    case "while":
      return `${node.until ? "until" : "while"} {${shown(node.test)}} {${shown(node.body)}}`;
    case "if": {
      const clauses = node.clauses.map(({ test, body }) => `if {${shown(test)}} {${shown(body)}}`);
      const rest = node.otherwise === null ? [] : [`{${shown(node.otherwise)}}`];
      return [...clauses, ...rest].join(" else ");
    }
    case "case": {
      const arms = node.arms.map(({ patterns, body }) =>
        `${words(patterns)} {${body === null ? "" : shown(body)}}`
      );
      return `case ${word(node.word)} ${arms.join(" ")}`;
    }
    case "test":
      return `[[ ${JSON.stringify(node.expression)} ]]`;
    case "arithmetic":
      return `((${JSON.stringify(node.expression)}))`;
    case "count": {
      const parts = [node.first, node.test, node.step].map((part) => JSON.stringify(part));
      return `for ((${parts.join("; ")})) {${shown(node.body)}}`;
    }
  }
}

function words(list: readonly Word[]): string {
  return `[${list.map(word).join(", ")}]`;
}

function word(parts: Word): string {
  if (parts.length === 0) return "''";
  return parts.map((part) => {
    switch (part.kind) {
      case "text":
        return part.text === "" ? "''" : part.text;
      case "glob":
        return `<${part.text}>`;
      case "blank":
        return "␣";
      case "home":
        return "<~>";
      case "process":
        return `<${part.access === "read" ? "<" : ">"}(${shown(part.body)})>`;
      case "substitution":
        return `<${part.quoted ? '"' : ""}${shown(part.body)}>`;
      case "arithmetic":
        return `<${part.quoted ? '"' : ""}${JSON.stringify(part.expression)}>`;
      case "parameter": {
        const { name, quoted, operation } = part;
        const rest = operation === null
          ? ""
          : "word" in operation
          ? ` ${operation.operator} ${word(operation.word)}`
          : ` ${operation.operator}`;
        return `<${quoted ? '"' : ""}$${name}${rest}>`;
      }
    }
  }).join("");
}

function redirection(one: Redirection): string {
  switch (one.kind) {
    case "duplicate":
      return ` ${one.descriptor}=&${one.from}`;
    case "close":
      return ` ${one.descriptor}=-`;
    case "text":
      return ` ${one.descriptor}=${JSON.stringify(word(one.text))}`;
    default:
      return ` ${one.descriptor}=${one.kind}:${word(one.target)}`;
  }
}

function settings({ errexit, nounset, pipefail }: ShellSettings): string {
  const on = [errexit && "-e", nounset && "-u", pipefail && "-o pipefail"].filter(Boolean);
  return on.length === 0 ? "" : `set ${on.join(" ")}: `;
}

const PLANS: readonly (readonly [line: string, plan: string])[] = [
  // Words.
  ["git status", "[git, status]"],
  ["  git \t status  ", "[git, status]"],
  ["\n# note\ngit status # short\n# more\n\n", "[git, status]"],
  ["echo 'a b' \"c d\" e\\ f", "[echo, a b, c d, e f]"],
  ['echo "\\$x \\`y\\` \\"z\\" \\\\ \\n"', '[echo, $x `y` "z" \\ \\n]'],
  ["echo '$x `y` \"z\" \\'", '[echo, $x `y` "z" \\]'],
  ["echo a'b'\"c\"\\d", "[echo, abcd]"],
  ["echo '' \"\"", "[echo, '', '']"],
  ['echo \\\n a\\\nb "c\\\nd"', "[echo, ab, cd]"],
  ["echo a#b c# '#d'", "[echo, a#b, c#, #d]"],
  ["grep \"end$\" 'a|b'", "[grep, end$, a|b]"],
  ['grep "(a$|b$)" x$', "[grep, (a$|b$), x$]"],
  ["git show HEAD~1 HEAD^ stash@{0}", "[git, show, HEAD~1, HEAD^, stash@{0}]"],
  ["find . -name '*.ts' -exec cat {} \\;", "[find, ., -name, *.ts, -exec, cat, {}, ;]"],
  ["[ -f x ]", "[[, -f, x, ]]"],
  ["\\if then", "[if, then]"],
  ["'if' fi", "[if, fi]"],
  ["echo if { } !", "[echo, if, {, }, !]"],
  ["echo FOO=bar --x=y", "[echo, FOO=bar, --x=y]"],
  ["echo é 日本 a\u00a0b", "[echo, é, 日本, a\u00a0b]"],
  ["echo 'a\nb' \"a\rb\"", "[echo, a\nb, a\rb]"],
  ["./run.sh", "[./run.sh]"],
  ['echo "$"x', "[echo, $x]"],
  ["echo $'a\\tb\\x41\\101\\u00e9\\'\\\\'", "[echo, a\tbAAé'\\]"],
  ["git commit -m 'rm -rf /; $(x) `y` > z'", "[git, commit, -m, rm -rf /; $(x) `y` > z]"],
  ["rm -- -rf", "[rm, --, -rf]"],
  // Patterns, braces, home.
  ["ls *.ts a? [a-z]x [!ab] [[:digit:]]", "[ls, <*>.ts, a<?>, <[a-z]>x, <[!ab]>, <[[:digit:]]>]"],
  ["ls '*'.ts \"?\" \\*", "[ls, *.ts, ?, *]"],
  ["ls [ a[", "[ls, [, a[]"],
  ["mkdir -p src/{a,b}/{c,d}", "[mkdir, -p, src/a/c, src/a/d, src/b/c, src/b/d]"],
  ["cp x{,.bak}", "[cp, x, x.bak]"],
  ["touch f{1..3} g{3..1}", "[touch, f1, f2, f3, g3, g2, g1]"],
  ["echo {a} {} a{b", "[echo, {a}, {}, a{b]"],
  ["ls ~ ~/x a~ a/~", "[ls, <~>, <~>/x, a~, a/~]"],
  // Parameters and substitutions.
  ['echo $A ${B} "$C" "a${D}b" $?', "[echo, <$A>, <$B>, ''<\"$C>, a<\"$D>b, <$?>]"],
  ['echo ${A:-b} ${A+c} "${A:?d e}"', "[echo, <$A :- b>, <$A + c>, ''<\"$A :? d e>]"],
  ["echo ${A:-$B} ${A:-'b c'}", "[echo, <$A :- <$B>>, <$A :- b c>]"],
  ['echo ${#A} ${A#*/} "${A%%.*}"', "[echo, <$A length>, <$A # <*>/>, ''<\"$A %% .<*>>]"],
  ["echo $A[0] $A.b", "[echo, <$A><[0]>, <$A>.b]"],
  ['echo $(ls) "$(cat a | wc)" `id`', "[echo, <[ls]>, ''<\"[cat, a] | [wc]>, <[id]>]"],
  ["echo $(echo $(echo a))", "[echo, <[echo, <[echo, a]>]>]"],
  ["echo $(< f)", "[echo, <[cat] 0=read:f>]"],
  ["echo $(set -e; a; b)", "[echo, <(set -e: [a] ; [b])>]"],
  ["A=1 B=$C ls", 'A=1 B=<"$C> [ls]'],
  ["A=*.x; B=~/y; C=", "A=*.x [] ; B=<~>/y [] ; C='' []"],
  ["export A=1 B=$C D", '[export, A=1, B=<"$C>, D]'],
  // Lists, pipelines, groups.
  ["a; b", "[a] ; [b]"],
  ["a;", "[a]"],
  ["a\nb\n\nc", "[a] ; [b] ; [c]"],
  ["a && b || c; d", "[a] && [b] || [c] ; [d]"],
  ["a &&\n  b |\n c", "[a] && [b] | [c]"],
  ["a | b | c", "[a] | [b] | [c]"],
  ["a |& b", "[a] 2=&1 | [b]"],
  ["a > x |& b", "[a] 1=write:x 2=&1 | [b]"],
  ["! a | b", "! [a] | [b]"],
  ["! a", "! [a]"],
  ["(a; b) > x", "([a] ; [b]) 1=write:x"],
  ["{ a; b; } 2>&1 | c", "{[a] ; [b]} 2=&1 | [c]"],
  ["{\na\n}", "{[a]}"],
  ["( (a) )", "(([a]))"],
  ["a # b\n# c\nd # e", "[a] ; [d]"],
  // Redirections.
  ["a > x 2>&1 < y >> z", "[a] 1=write:x 2=&1 0=read:y 1=append:z"],
  ["> x", "[] 1=write:x"],
  ["2> x a", "[a] 2=write:x"],
  ["a &> x; b &>> y; c >& z", "[a] 1=write:x 2=&1 ; [b] 1=append:y 2=&1 ; [c] 1=write:z 2=&1"],
  ["a >| x <> y 2>&- >&2", "[a] 1=write:x 0=read-write:y 2=- 1=&2"],
  ["a > $X.txt", "[a] 1=write:<$X>.txt"],
  ["a2>x", "[a2] 1=write:x"],
  ["cat <<E\na $B `c`\n\\$d \"e'\nE", '[cat] 0="a <\\"$B> <\\"[c]>\\n$d \\"e\'\\n"'],
  ["cat <<'E' > x\nrm -rf / $(y)\nE\nls", '[cat] 0="rm -rf / $(y)\\n" 1=write:x ; [ls]'],
  ["cat <<-E; b\n\ta\n\t\tc\n\tE\nd", '[cat] 0="a\\nc\\n" ; [b] ; [d]'],
  ["cat <<A <<B\n1\nA\n2\nB", '[cat] 0="1\\n" 0="2\\n"'],
  ["cat <<E\nE", "[cat] 0=\"''\""],
  ['cat <<< "a $B"', '[cat] 0="a <\\"$B>\\n"'],
  ['echo "$(cat <<E\nhi\nE\n)"', '[echo, \'\'<"[cat] 0="hi\\n">]'],
  // What the shell itself does.
  ["set -euo pipefail; a; b", "set -e -u -o pipefail: [a] ; [b]"],
  ["set -e\nset -o pipefail && a", "set -e -o pipefail: [a]"],
  ["(set -e; a; b)", "(set -e: [a] ; [b])"],
  ["cd src && ls; cd -- x", "[cd, src] && [ls] ; [cd, x]"],
  ["exit; exit 3; exit $?", "[exit] ; [exit, 3] ; [exit, <$?>]"],
  ["command ls -l; command -- ls; command -v ls", "[ls, -l] ; [ls] ; [command, -v, ls]"],
  ["command if", "[if]"],
  ["exec ls -l", "{[ls, -l] ; [exit]}"],
  ["unset A B", "[unset, A, B]"],
  ["bash -c 'ls | wc' > x", "bash:([ls] | [wc]) 1=write:x"],
  ["sh -ec 'a; b'", "sh:(set -e: [a] ; [b])"],
  ["bash -lc \"set -o pipefail; a 'b c'\"", "bash:(set -o pipefail: [a, b c])"],
  ["bash -o pipefail -c a", "bash:(set -o pipefail: [a])"],
  ["A=1 bash -c 'b $A'", "([export, A=1] ; bash:([b, <$A>]))"],
  ["env A=1 sh -c 'b $A'", "([export, A=1] ; env:(sh:([b, <$A>])))"],
  ["env -i sh -c b", "[env, -i, sh, -c, b]"],
  ["env A=$X sh -c b", "[env, A=<$X>, sh, -c, b]"],
  ["bash -c 'echo $0 \"$1\"' x 'y z'", "bash:([echo, x, y z])"],
  ["bash -c \"bash -c 'ls'\"", "bash:(bash:([ls]))"],
  // What comes out only when it runs, and what bash has beyond POSIX.
  ["ls &", "[ls] &"],
  ["ls & wc", "[ls] & ; [wc]"],
  ["for x; do ls; done", 'for x [<"$@>] {[ls]}'],
  ["for x do ls; done", 'for x [<"$@>] {[ls]}'],
  ["while :; do set -e; ls; done", "while {[:]} {[set, -e] ; [ls]}"],
  ["read", "[read]"],
  ["read -p x y", "[read, -p, x, y]"],
  ["IFS=$X read y", 'IFS=<"$X> [read, y]'],
  ["f() { ls; }", "f() {[ls]}"],
  ["function f { ls; }", "f() {[ls]}"],
  ["$X ls", "[<$X>, ls]"],
  ["$(echo ls)", "[<[echo, ls]>]"],
  ["l*", "[l<*>]"],
  ["a${X}", "[a<$X>]"],
  ["cat$IFS/etc/passwd", "[cat<$IFS>/etc/passwd]"],
  ["eval ls", "[eval, ls]"],
  ["\\eval ls", "[eval, ls]"],
  ["command eval ls", "[eval, ls]"],
  [". x", "[., x]"],
  ["source x", "[source, x]"],
  ["trap ls EXIT", "[trap, ls, EXIT]"],
  ["declare x=1", "[declare, x=1]"],
  ["readonly x=1", "[readonly, x=1]"],
  ["ls; set -e", "[ls] ; [set, -e]"],
  ["set a b", "[set, a, b]"],
  ["a=(1 2)", "a='' []"],
  ["a[0]=1", "a=1 []"],
  ["a+=1", "a=1 []"],
  ["IFS=x; ls", "IFS=x [] ; [ls]"],
  ["echo $RANDOM", "[echo, <$RANDOM>]"],
  ["echo $$", "[echo, <$$>]"],
  ["echo $@ $*", "[echo, <$@>, <$*>]"],
  ["echo ${!x}", "[echo, <$x>]"],
  ["echo $1", "[echo, <$1>]"],
  ["bash -c 'echo $1'", "bash:([echo, <$1>])"],
  ["bash -c 'echo $1' a 'b c'", "bash:([echo, <$1>])"],
  ["echo ${x/a/b}", "[echo, <$x replace>]"],
  ["echo ${x:1:2}", "[echo, <$x slice>]"],
  ["echo ${x^^}", "[echo, <$x ^^ ''>]"],
  ["echo ${x:=y}", "[echo, <$x := y>]"],
  ["echo ${x[0]}", "[echo, <$x>]"],
  ["cat <(ls)", "[cat, <<([ls])>]"],
  ["tee >(ls)", "[tee, <>([ls])>]"],
  ["ls {a,'b'}", "[ls, a, b]"],
  ["ls {a,{b,c}}", "[ls, a, b, c]"],
  ["ls {01..3}", "[ls, 01, 02, 03]"],
  ["cat <<E\nx", '[cat] 0="x\\n"'],
  ['bash x.sh; bash -c "$X"', "[bash, x.sh] ; [bash, -c, ''<\"$X>]"],
];

Deno.test("lines that are understood", async (t) => {
  for (const [line, expected] of PLANS) {
    await t.step(line, async () => {
      const plan = await parseLine(line);
      assertEquals(settings(plan.settings) + shown(plan.root), expected);
      assertEquals(plan.line, line);
    });
  }
});

Deno.test("what only bash reads so is told", async () => {
  for (
    const line of ["a | b && (c) > d 2>&1", "cat <<E\n$X\nE", "ls *.ts ${A:-b}", "bash -c 'a'"]
  ) {
    assertEquals((await parseLine(line)).posix, true, line);
  }
  for (const line of ["a &> b", "a |& b", "a <<< b", "a {b,c}", "a $'b'", "a >& b", "a [^b]"]) {
    assertEquals((await parseLine(line)).posix, false, line);
  }
});

Deno.test("words that are a shell with its script are a plan, others are not", async () => {
  const plan = await parseShellCall(["bash", "-lc", "ls | wc"]);
  assert(plan !== null);
  assertEquals(shown(plan.root), "bash:([ls] | [wc])");
  for (const argv of [["ls", "-c", "x"], ["bash", "x.sh"], ["bash"], ["/bin/bash", "-c", "ls"]]) {
    assertEquals(await parseShellCall(argv), null);
  }
  await assertRejects(() => parseShellCall(["sh", "-c", "select x in a; do b; done"]), ToolError);
});

const REFUSED: readonly (readonly [line: string, construct: string, position: number])[] = [
  ["", "empty", 1],
  ["   ", "empty", 4],
  ["# only a comment", "empty", 17],
  ["''", "empty", 1],
  ["() ", "empty", 2],
  ["coproc ls", "background", 1],
  ["time", "time", 1],
  ["time; ls", "time", 1],
  ["if true; then exec 2>&1; fi", "exec", 15],
  ["f() { exec 2>&1; }; f", "exec", 7],
  ["true && exec 2>&1", "exec", 9],
  ["exec 2>&1 | cat", "exec", 1],
  ["eval 'exec 2>&1'", "exec", 1],
  ["trap 'echo bye' EXIT; exec 2>&1; ls", "exec", 23],
  ["exec", "exec", 1],
  ["exec -a x", "exec", 1],
  ["let", "let", 1],
  ["let x=$(ls)", "let", 5],
  ["let x=*", "let", 5],
  ['let y=3 "x = $y"', "let", 1],
  ["echo $(((x=3) + $x))", "arithmetic", 17],
  ["((x++, y=$x))", "arithmetic", 10],
  ["pushd +1", "directory", 1],
  ["popd -n", "directory", 1],
  ["getopts ab", "getopts", 1],
  ["getopts ab $x", "getopts", 1],
  ["builtin ls", "builtin", 1],
  ["read -t 0", "read", 1],
  ["read -n $N x", "read", 1],
  ["for PS4 in a; do ls; done", "special", 5],
  ["for x in a; do ls", "syntax", 18],
  ["if ls; fi", "syntax", 8],
  ["if true; then ls; else; fi", "empty", 23],
  ["break", "builtin", 1],
  ["for x in a; do break 2; done", "builtin", 16],
  ["for x in a; do (break); done", "builtin", 17],
  ["for x in a; do ls | continue; done", "builtin", 21],
  ["for x in a; do $(break); done", "builtin", 18],
  ["read -r $X", "read", 1],
  ["IFS=, ls", "special", 1],
  ["exit 1 2", "builtin", 1],
  ["cd -P x", "directory", 1],
  ["cd a b", "directory", 1],
  ["select x in a; do ls; done", "select", 1],
  ["for ((i=0;i<3)); do ls; done", "syntax", 14],
  ["foo(bar", "syntax", 4],
  ["ls @(a|b)", "extended", 5],
  ["ls !(a)", "extended", 5],
  ["ls (a)", "syntax", 4],
  ["[[ a == a(a) ]]", "syntax", 10],
  ["[[ a == @(a b) ]]", "extended", 12],
  ["case a in @(a|b)) ls;; esac", "extended", 12],
  ["trap ls USR1", "trap", 1],
  ["trap", "trap", 1],
  ["local x=1", "declaration", 1],
  ["return", "builtin", 1],
  ["echo() { ls; }", "function", 1],
  ["cd() { ls; }", "function", 1],
  ["IFS=, ls", "special", 1],
  ["IFS=, $X", "special", 1],
  ["set -o vi", "set", 1],
  ["shopt -s extglob", "extended", 1],
  ["shopt -s nullglob extglob", "extended", 1],
  ["shopt -s autocd", "set", 1],
  ["declare -n x=y", "attribute", 1],
  ["declare -ix y=1", "attribute", 1],
  ["declare -g -i y=1", "attribute", 1],
  ["f() { local -u y=a; }", "attribute", 7],
  ["declare -ft f", "declaration", 1],
  ["declare -p", "declaration", 1],
  ["echo ${!x@}", "parameter", 6],
  ["echo ${x///y}", "parameter", 11],
  ["[[ a =~ \\d ]]", "glob", 9],
  ["((cat <<E\nx\nE\n) )", "dialect", 1],
  ["fc -s", "evaluation", 1],
  ["alias ls=rm", "builtin", 1],
  ["enable -f x y", "builtin", 1],
  ["builtin ls", "builtin", 1],
  ["mapfile -C ls x", "read", 1],
  ["mapfile -n x", "read", 1],
  ["mapfile -n ls x", "read", 1],
  ["export $X", "declaration", 1],
  ["export", "declaration", 1],
  ["set -v; ls", "set", 1],
  ["exec", "exec", 1],
  ["exec -a x ls", "exec", 1],
  ["ls 3>&1", "given", 1],
  ["ls 3>x", "given", 1],
  ["ls 1>&3 3>x", "given", 1],
  ["ls 10>x", "descriptor", 4],
  ["ls {x}>y", "descriptor", 4],
  ["cd a b", "directory", 1],
  ["BASH_ENV=x ls", "special", 1],
  ["PWD=x", "special", 1],
  ["echo ${x@P}", "parameter", 6],
  ["echo \"${x:-'a'}\"", "parameter", 12],
  ["echo $((08))", "arithmetic", 9],
  ["echo $[1+1]", "arithmetic", 6],
  ["echo `echo \\`id\\``", "backquote", 6],
  ["ls ~root", "tilde", 4],
  ["ls x=~/y", "tilde", 6],
  ["ls [a$X]", "glob", 4],
  ["cat <<E", "heredoc", 5],
  ["cat <<$X\n$X", "dialect", 7],
  ["! ! ls", "dialect", 3],
  ['echo "x', "quote", 6],
  ["echo 'x", "quote", 6],
  ["echo $'x", "quote", 6],
  ["echo x\\", "escape", 7],
  ["echo $'\\xff'", "escape", 8],
  ["echo $'\\0'", "escape", 8],
  ["echo a\rb", "control", 7],
  ["echo a\x1bb", "control", 7],
  ["echo a\0b", "control", 7],
  ["echo \ud800", "control", 6],
  ["fi", "syntax", 1],
  ["ls |", "syntax", 5],
  ["ls &&", "syntax", 6],
  ["; ls", "syntax", 1],
  ["ls;; wc", "syntax", 3],
  ["ls)", "syntax", 3],
  ["(ls", "syntax", 4],
  ["{ ls", "syntax", 5],
  ["ls }; }", "syntax", 7],
  ["echo $(ls", "syntax", 6],
  ["echo $(foo(bar)", "syntax", 11],
  ["ls >", "syntax", 4],
];

Deno.test("all else is refused by name, with its place and what to do", async (t) => {
  for (const [line, construct, position] of REFUSED) {
    await t.step(line, async () => {
      const error = await assertRejects(() => parseLine(line), ToolError);
      assertEquals(error.code, "COMMAND_UNPARSABLE");
      assertEquals(error.details, { construct, position }, error.message);
      assertStringIncludes(error.message, "it is not run: ");
    });
  }
});

Deno.test("a line has its bounds", async () => {
  const construct = async (line: string) =>
    (await assertRejects(() => parseLine(line), ToolError)).details?.["construct"];
  const many = (count: number) => Array.from({ length: count }, () => "ls").join("; ");
  await parseLine(many(500));
  assertEquals(await construct(many(501)), "many");
  const deep = (levels: number) => "( ".repeat(levels) + "ls" + ")".repeat(levels);
  await parseLine(deep(8));
  assertEquals(await construct(deep(9)), "deep");
  assertEquals(await construct("echo " + "$(echo ".repeat(9) + ")".repeat(9)), "deep");
  const tooLong = await assertRejects(() => parseLine("echo " + "x".repeat(200_000)), ToolError);
  assertStringIncludes(tooLong.message, "at most 131072");
  await assertRejects(() => parseLine("(".repeat(100_000)), ToolError);
});
