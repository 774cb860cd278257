/** Lines that must do what bash does: output, errors with what the shell itself says, status, files. */

import { assertEquals, assertRejects } from "@std/assert";
import { ToolError } from "../../../../../src/core/errors.ts";
import { withDirectory } from "../../files/_temporary.ts";
import { compareWithBash, fill, runByShell, runLine, said } from "./_line.ts";

/** Where the shell's own messages go, and the statuses of what could not be started or opened. */
const MESSAGES = [
  "nope",
  "nope 2>&1 | tail -5",
  "nope |& tail -5",
  "nope 2>/dev/null; echo $?",
  "nope 2>&1; echo $?",
  "nope 2>&-; echo $?",
  "{ nope; } 2>&1 | cat",
  "{ nope; echo b >&2; } 2>/dev/null; echo $?",
  "(nope) 2>&1 | cat",
  "echo $(nope 2>&1)",
  'X=$(nope 2>/dev/null); echo "$? [$X]"',
  "nope | cat; echo $?",
  "echo a | nope; echo $?",
  "nope || true",
  "nope && echo never || echo else",
  "! nope; echo $?",
  "nope 2>/dev/null || echo none",
  "set -e; nope; echo never",
  "set -e; nope 2>/dev/null || true; echo on",
  "set -o pipefail; nope 2>/dev/null | cat",
  "./sub; echo $?",
  "sub/; echo $?",
  "./a.txt 2>&1; echo $?",
  "./missing; echo $?",
  "./missing 2>&1 | wc -l",
  "nodir/x 2>/dev/null; echo $?",
  "a.txt/x; echo $?",
  "cat <nofile 2>&1 | cat",
  "cat 2>&1 <nofile | cat",
  "cat 2>/dev/null <nofile; echo $?",
  "echo x >sub 2>/dev/null; echo $?",
  "echo x 2>&1 >sub | cat",
  "{ cat 2>&1 <nofile; } | wc -l",
  "{ cat; } 2>&1 <nofile | wc -l",
  "echo x >nodir/x || echo else",
  "cd nowhere",
  "cd a.txt; echo $?",
  "cd nowhere 2>&1 | cat",
  "cd nowhere 2>/dev/null || echo else",
];

Deno.test("what could not be started or opened is told where bash tells it", () =>
  compareWithBash(MESSAGES));

/** What words, variables and redirections become, and how a line ends that cannot go on. */
const EXPANSIONS = [
  "env | grep ^PWD= | wc -l",
  "cd sub; env | grep PWD= | sort",
  'cd sub; cd deep; echo "$PWD" "$OLDPWD"',
  "A=1 B=$A env | grep '^[AB]=' | sort",
  "A=1; A=2 B=$A env | grep '^[AB]=' | sort",
  'A=1 B=${A}2; echo "$B"',
  'A=1 B=$A true; echo "[$A$B]"',
  'A=5 >nodir/x 2>/dev/null; echo "$? [$A]"',
  'A=5 2>/dev/null >nodir/x; echo "$? [$A]"',
  "echo x 2>/dev/null >$WORDS; echo $?; ls",
  "{ echo x >$WORDS; } 2>/dev/null; echo $?; ls",
  'echo x >"$WORDS"; ls',
  "{ echo x >$NOPE; } 2>/dev/null; echo $?",
  "echo x >*.md; cat c.md",
  "echo x >>*.md; cat c.md",
  "echo x &>*.md; cat c.md",
  "{ echo x >*.txt; } 2>/dev/null; echo $?; ls",
  "echo x >q*; ls",
  "echo x >'*.md'; ls; cat c.md",
  "cat <*.md",
  "cat 2>/dev/null <$STAR; echo $?",
  "{ cat; } <*.md",
  "{ echo x >new >$WORDS; } 2>/dev/null; ls",
  "{ echo x >$WORDS >new; } 2>/dev/null; ls",
  "X=a.txt; cat <$X; echo y >>$X; cat $X",
  "F=new; echo x >$F.txt; ls",
  "echo ${e:?}; echo never",
  "{ echo ${e:?}; } || echo never",
  "(echo ${e:?}); echo $?",
  "echo $(echo ${e:?}); echo $?",
  "X=$(echo ${e:?}); echo $?",
  "echo a | echo ${e:?}; echo $?",
  "echo a | { echo ${e:?}; }; echo $?",
  "(echo a | echo ${e:?}; echo $?)",
  "bash -c 'echo ${e:?}'; echo $?",
  "sh -c 'echo ${e:?}' 2>/dev/null; echo $?",
  "sh -c '(echo ${e:?})' 2>/dev/null; echo $?",
  "set -u; echo $zz; echo never",
  "set -u; (echo $zz); echo $?",
  "set -u; echo ${#zz}",
  "set -u; echo ${zz#a}",
  "set -u; echo ${zz:-d} ${zz+x}",
  "set -e; echo $(false; echo in); echo after",
  'set -e; X=$(false; echo on); echo "$X"',
  "set -e; X=$(set -e; false; echo on); echo never",
  "set -e; X=$(false); echo never",
  "bash -ec 'echo $(false; echo in)'",
  "sh -ec 'echo $(false; echo in); echo after'",
  "{ timeout -s KILL 0.1 sleep 5; } 2>/dev/null; echo $?",
  "(exit 257); echo $?",
];

Deno.test("words, variables and redirections come out as bash has them", () =>
  compareWithBash(EXPANSIONS));

/** What timeout(1) runs by a shell the line runs itself, for so long. */
const TIMED = [
  "timeout 500 bash -c 'for f in *.txt; do echo \"$f $0 $1\"; done' a b; echo $?",
  "timeout 500 sh -c 'exit 7'; echo $?",
  "timeout 0.2 bash -c 'while :; do :; done'; echo $?",
  "timeout 0.2 sh -c 'sleep 2000; echo never'; echo $?",
  "timeout --preserve-status 0.2 bash -c 'sleep 2000'; echo $?",
  "{ timeout -s KILL 0.2 bash -c 'sleep 2000'; } 2>/dev/null; echo $?",
  "timeout --signal=int 0.2 bash -c 'sleep 2000'; echo $?",
  "timeout 0.2 bash -c 'sleep 2000 | sleep 2100 & wait'; echo $?",
  "echo in | timeout 500 bash -c 'cat; cd sub; ls' > out; cat out; pwd | wc -l",
  "timeout 500 bash -c 'timeout 0.2 sh -c \"sleep 2000\"; echo $?'; echo $?",
  "(timeout 900 sh -c 'sleep 20' & kill $!; wait $!; echo $?)",
  "timeout 0 bash -c 'echo on'; timeout 1m bash -c 'echo $#' a b",
];

Deno.test("timeout of a shell ends what the line runs for it", () => compareWithBash(TIMED));

/** What `set -x` says. */
const TRACED = [
  "set -x; A=1 B='x y'; echo \"$A $B\" 'q' '' \"it's\" a=b '~x' '#'; set +x; echo off",
  "set -x; eval 'echo ev'; x=$(echo sub; echo $(echo deep)); (echo in)",
  "set -ex; f() { echo \"in $1\"; }; f 'a b'; { set +x; } 2>/dev/null; false; echo never",
  "set -euxo pipefail; cd sub; C=3 ls; D=4 true",
  "set -x; echo a > out; echo b 2>/dev/null; set -o xtrace; nope 2>/dev/null",
];

Deno.test("set -x says of commands what bash says of them", () => compareWithBash(TRACED));

/** Where a command stands. */
const PLACES = [
  'echo $LINENO\necho "$LINENO ${LINENO} $((LINENO + 1))"\n\n{\necho $LINENO\n}',
  "for i in 1 2; do\n  echo $LINENO\ndone; (echo $LINENO; x=$(echo $LINENO); echo $x)",
  "bash -c 'echo $LINENO\necho $LINENO'",
];

Deno.test("LINENO is the line that a command stands in", () => compareWithBash(PLACES));

/** Variables that are set for nobody, and elements that are taken away. */
const TAKEN = [
  "while read -r a b _; do echo \"$b $a\"; done <<< $'x y z\\nq w e r'; for _ in 1 2; do echo i; done",
  'a=(a b c d); unset \'a[1]\' \'a[-1]\'; echo "${!a[@]} ${a[*]}"; i=0; unset "a[i]"; echo "${!a[@]}"',
  "declare -A m=([x]=1 [y]=2 [z w]=3); k='z w'; unset \"m[$k]\" 'm[x]' 'm[none]'; echo \"${!m[@]}\"",
  "t=text; unset 't[0]'; echo \"${t-none}\"; unset 'none[3]'; echo $?",
];

/** Whether there is an element. */
const THERE = [
  "declare -A h=([x]=1 [e]= [a b]=2); k='a b'; [[ -v h[x] ]]; echo $?; [[ -v h[e] ]]; echo $?; [[ -v h[n] ]]; echo $?; [[ -v \"h[$k]\" ]]; echo $?",
  'a=(p "" q); for i in 0 1 2 3; do [[ -v a[$i] ]]; echo $?; done; test -v "a[2]"; echo $?; [[ -v none[1] ]]; echo $?; s=x; [[ -v s[0] ]]; echo $?',
  "a=(x); [[ -v a ]]; echo $?; declare -A h=([x]=1); [[ -v h ]]; echo $?; [ -v 'h[x]' ]; echo $?",
];

Deno.test("-v looks for elements", () => compareWithBash(THERE));

Deno.test("elements are taken away, and _ is anybody's", () => compareWithBash(TAKEN));

const FOLDERS = [
  "cd nowhere/..; echo $?; ls",
  "cd a.txt/..; echo $?",
  "cd sub/nowhere/../..; echo $?; ls",
  "cd sub/..; ls",
  "cd sub/deep/../..; ls | head -1",
  "cd ./sub/.; cd ..; ls | head -1",
  'cd sub; cd ../other; echo "$PWD" "$OLDPWD"; pwd',
  "cd sub//deep/; pwd",
];

Deno.test("cd goes where it does in bash", () => compareWithBash(FOLDERS));

Deno.test("through a link, a line is where it came to by name; what is behind it by .. is refused", async () => {
  await withDirectory(async (directory) => {
    fill(directory);
    Deno.symlinkSync("sub/deep", `${directory}/link`);
    const line = 'cd link; pwd; echo "$PWD"; ls';
    const ours = said(await runLine(line, directory));
    assertEquals(ours, await runByShell("/bin/bash", line, directory));
    for (const line of ["cd link/..; touch new", "cd link && cd .. && touch new"]) {
      const error = await assertRejects(() => runLine(line, directory), ToolError, "symbolic link");
      assertEquals(error.code, "COMMAND_UNPARSABLE");
    }
    assertEquals([...Deno.readDirSync(directory)].some(({ name }) => name === "new"), false);
  });
});

Deno.test("words that come out in a form that only a shell has do not run", async () => {
  await withDirectory(async (directory) => {
    for (const line of ["O=-l; kill $O", "pwd --help", "printf -x"]) {
      await assertRejects(() => runLine(line, directory), ToolError, "only a shell has");
    }
  });
});

/** Numbers are given anew to what runs beside a line, once those that had them were waited for. */
const BESIDE = [
  "(exit 3) & wait $!; echo $?; sleep 20 & kill %1; wait %1; echo $?",
  "(exit 3) & p=$!; wait $p; (exit 4) & wait $!; sleep 20 & kill %1; wait %1; echo $?; wait $p; echo $?",
  "sleep 20 & (exit 3) & wait $!; sleep 21 & kill %2; wait %2; echo $?; kill %1; wait %1; echo $?",
  "(exit 5) & wait -n; echo $?; wait -n; echo $?; wait $!; echo $?",
  "(exit 5) & wait $!; wait -n; echo $?; { kill %1; } 2>/dev/null; echo $?",
];

Deno.test("jobs have the numbers that they have in bash", () => compareWithBash(BESIDE));

/** What stands before git is done by the line: git reads here until somebody ends it, or says what it was given. */
const BEFORE_GIT = [
  "echo x | timeout 500 git hash-object --stdin",
  "timeout 0.3 git hash-object --stdin < <(sleep 20 2>/dev/null); echo $?",
  "timeout --preserve-status 0.3 git hash-object --stdin < <(sleep 20 2>/dev/null); echo $?",
  "timeout 500 git hash-object nope 2>/dev/null; echo $?",
  "if timeout 500 git hash-object nope 2>/dev/null; then echo yes; else echo no; fi",
  "set -e; nice git hash-object nope 2>/dev/null; echo never",
  'X=a.txt; A=1 env B=2 nohup nice -n 1 git hash-object "$X" > out 2>/dev/null; cat out',
  "git() { echo mine; }; timeout 500 git hash-object a.txt; env git hash-object a.txt; git",
  'cd sub; X=$(timeout 500 git hash-object d.txt); echo "$X"',
  'f() { timeout 500 git hash-object "$@"; }; f a.txt b.txt',
  "env GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=a.b GIT_CONFIG_VALUE_0=c git config a.b",
  'A=x; env GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=a.b GIT_CONFIG_VALUE_0="$A" git config a.b; echo $GIT_CONFIG_COUNT',
  "set -x; A=1 timeout 500 git hash-object a.txt; env B='x y' nice git hash-object a.txt",
  "timeout 500 git hash-object a.txt & wait; timeout 500 git hash-object nope 2>/dev/null | cat; echo ${PIPESTATUS[0]}",
];

Deno.test("programs that only start git", () => compareWithBash(BEFORE_GIT));
