/** Constructs of bash beside bash: `exec` with redirections, `let`, folders on a stack, `getopts`, `read` in parts, `time`. */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { ToolError } from "../../../../../src/core/errors.ts";
import type { LineCommand } from "../../../../../src/host/run/line/line_host.ts";
import { withDirectory } from "../../files/_temporary.ts";
import { rulebookOf } from "../../_rulebook.ts";
import { compareWithBash, fill, runByShell, runLine, said } from "./_line.ts";

const EXEC = [
  "exec 3<a.txt; read -u 3 x; echo $x; exec 3<&-; echo after",
  "exec 3>out; echo hi >&3; exec 3>&-; cat out",
  "exec >out; echo hi",
  "exec >out 2>&1; echo hi; ls nofile; cat out >&2",
  "exec 2>&1; ls nofile",
  "exec 2>/dev/null; ls nofile; echo $?",
  "exec >nodir/x; echo hi $?",
  "exec >nodir/x && echo hi; echo after $?",
  "exec >nodir/x || echo else; echo after $?",
  "set -e; exec >nodir/x; echo never",
  "set -e; exec 2>/dev/null; ls nofile; echo never",
  "set -e; exec >nodir/x || echo else",
  "(exec >out; echo in); echo outside; cat out",
  'x=$(exec 2>&1; ls nofile); echo "$x"',
  "exec <a.txt; read x; echo $x; cat",
  "exec 3<a.txt 4<b.txt; read -u 4 x; read -u 3 y; echo $x $y",
  "exec 3>&1; echo hi >&3; { echo err >&2; } 2>&3",
  "exec 5<>new; echo hi >&5; cat new",
];

Deno.test("exec with redirections holds to the end of its shell", () => compareWithBash(EXEC));

const TIME = [
  "{ time ls; } 2>/dev/null",
  "{ time { ls; false; }; } 2>/dev/null; echo $?",
  "set -e; { time { false; echo never; }; } 2>/dev/null",
  "{ time exit 3; } 2>/dev/null",
  "f() { time return 2; } 2>/dev/null; f; echo $?",
  "for i in 1 2; do { time break; } 2>/dev/null; done; echo $i",
];

Deno.test("what time stands before ends as it would without it", () => compareWithBash(TIME));

const FOLDERS = [
  "pushd sub >/dev/null; pwd | grep -c sub; popd >/dev/null; ls",
  "pushd sub; pushd deep; dirs; popd; popd; popd; echo $?",
  "pushd; echo $?",
  "pushd sub >/dev/null; pushd >/dev/null; ls; pushd > /dev/null; ls",
  "pushd nope; echo $?",
  "HOME=$PWD; pushd sub; dirs",
  "(pushd sub >/dev/null; ls); ls",
];

Deno.test("pushd, popd and dirs keep the folders that bash keeps", () => compareWithBash(FOLDERS));

const GETOPTS = [
  "getopts ab: o -a; echo $? $o $OPTIND",
  'while getopts "ab:" o -a -b v; do echo $o $OPTARG; done; echo $OPTIND',
  'f() { local OPTIND o; while getopts ":x:y" o; do case $o in x) echo x=$OPTARG;; y) echo y;; \\?) echo bad $OPTARG;; :) echo need $OPTARG;; esac; done; shift $((OPTIND-1)); echo "rest $*"; }; f -x 1 -y z; f -yx2 a b; f -q; f -x; f -y -- -x',
  'getopts ab: o -z; echo $? $o $OPTIND "[$OPTARG]"',
  'getopts b: o -b; echo "$o $OPTARG" $OPTIND',
  'set -- -a -bv file; while getopts ab: o; do echo "$o:$OPTARG:$OPTIND"; done; shift $((OPTIND - 1)); echo $1',
  'set -- -abv; while getopts ab: o; do echo "$o:$OPTARG:$OPTIND"; done',
  "getopts a o; echo $? $o",
  "getopts a o x -a; echo $? $o $OPTIND",
  "echo $OPTIND",
  "set -- b c; f() { getopts b o; echo $o; }; f -b",
  "f() { getopts a o -a; }; f; echo $OPTIND",
  "OPTIND=2; getopts ab o -a -b; echo $o",
];

Deno.test("getopts takes words apart as bash does", () => compareWithBash(GETOPTS));

const READ = [
  "read -t 100 x <<<hi; echo $x",
  "read -t100 x <a.txt; echo $? $x",
  "until [ -e over ]; do sleep 0.02; done | { read -t 0.1 x; echo $?; > over; }",
  "{ printf ab; > said; until [ -e over ]; do sleep 0.02; done; } | " +
  '{ until [ -e said ]; do sleep 0.02; done; read -t 0.2 x; echo $? "$x"; > over; }',
  "read -n 3 x <<<hello; echo $x",
  "read -n1 -r x <<<hello; echo $x",
  "read -rn 1 x <<<y; echo $x",
  "read -N 2 x <<<hello; echo $x",
  'read -N 8 x < a.txt; echo "$x"',
  'read -N 80 x < a.txt; echo $? "$x"',
  'read -n 80 x < a.txt; echo $? "$x"',
  'read -n 5 x y <<<"a b c d"; echo "$x|$y"',
  '{ read -n 2 x; read -n 2 y; cat; } < a.txt; echo "$x $y"',
  "read -n 2 x <<<'a\\bc'; echo \"$x\"",
  "read -rs x <<<hi; echo $x",
  "read -p 'q? ' -r x <<<hi; echo $x",
  "read -d: x <<<a:b; echo $x",
  "read -rd '' x < a.txt; echo $? \"$x\"",
  'read -ra arr <<<"a b c"; echo ${arr[1]}',
  'while read -rn1 c; do echo "<$c>"; done <<<abc',
];

Deno.test("read takes as many characters as bash, and waits as long", () => compareWithBash(READ));

const REST = [
  'echo $"hi there" $"a $WORDS"b; x=$"v"; echo "$x"',
  "set +x; echo on; set +xe; false; echo $?; set +v",
  "set -e; set +ex; false; echo $?",
  "let x=1+2; echo $x",
  'let "x = 5 * 3" y=2; echo $x $y',
  "let x++ || echo zero; echo $x",
  "let x=0; echo $?",
  'let "x=1, y=x+1"; echo $y',
  "let 'x=4'; echo $x",
  "let x; echo $?",
  "set -e; let x=0; echo never",
  "case a in a) echo 1;& b) echo 2;; c) echo 3;; esac",
  "case a in a) echo 1;;& a*) echo 2;; *) echo 3;; esac",
  "case a in a) false;& b) ;; esac; echo $?",
  "case x in a) echo 1;& b) echo 2;; esac; echo $?",
  "case a in a) ;& b) echo 2;; esac",
  "case ab in a*) echo 1;;& x) echo no;& b) echo b;;& *b) echo 4;; esac",
  "echo $((1,2)) $((10#08)) $((16#ff)) $((2#101)) $((x=5, x+1))",
  "for ((i=0,j=9; i<j; i++,j--)); do echo $i$j; done",
  "(( x=1, y=x+1 )); echo $y",
  "builtin echo hi",
  "builtin cd sub && ls",
  "sleep 0.01 & disown %1; wait; echo ok",
  "let 'y = 3' 'x = y * 2'; echo $x",
  'y=3; let "x = $y * 2"; echo $x',
];

Deno.test("let, ;&, bases, commas and builtin come out as in bash", () => compareWithBash(REST));

const DEEP = [
  "shopt -s globstar; ls **/*.txt",
  "shopt -s globstar; echo **",
  "shopt -s globstar; echo **/",
  "shopt -s globstar; echo sub/**",
  "shopt -s globstar; echo sub/**/",
  "shopt -s globstar; echo **/*.md **/e.txt",
  "shopt -s globstar; echo **/deep/*",
  "shopt -s globstar nullglob; for f in **/*.md; do echo $f; done",
  "shopt -s globstar dotglob; echo **",
  "shopt -s globstar; echo **/**/*.txt",
  "shopt -s globstar; cd sub; echo ../**/d.txt ./**",
  "shopt -u globstar; echo **/*.txt",
  "shopt -s globstar; echo **/nothing nodir/**",
  "shopt -s globstar; echo \"**\" '**'/x; mkdir -p p/q/r; touch p/q/r/z; echo p/**/z p/**/q p/**",
];

Deno.test("** goes where it goes in bash", () => compareWithBash(DEEP));

const BLANKS = [
  "echo ${y:?need 2}",
  "(: ${y:?need <file> (or *)}) ; echo $?",
  "(: ${1:?usage: f NAME | x & y; z}); echo $?",
  "printf '<%s>' ${x:-a b  c} \"${x:-a b}\"; x=1; printf '[%s]' ${x:+d e} ${x:+\"f g\" h}",
  "printf '<%s>' ${x:=a b}; echo \"$x\"",
  'x=${y:-a b}; echo "$x"',
  "cat <<E\n${y:-a b} ${z:+c d}\nE",
  '[[ ${y:-a b} == "a b" ]] && echo same',
  "for i in ${L:-1 2 3}; do echo $i; done",
  "bash -c 'echo ${y:-a b}' ; sh -c 'echo ${y:-a b}'",
  "IFS=,; printf '<%s>' \"${x:-a b,c}\" ${x:-d}",
];

Deno.test("blanks in the word of an operation split it as in bash", () => compareWithBash(BLANKS));

Deno.test("time tells the clock and the processors on standard error, in bash's form and in POSIX's", async () => {
  await withDirectory(async (directory) => {
    const bash = said(await runLine("time sleep 0.05", directory));
    const found = /^\nreal\t0m([0-9]+\.[0-9]{3})s\nuser\t0m0\.[0-9]{3}s\nsys\t0m0\.[0-9]{3}s\n$/
      .exec(
        bash.stderr,
      );
    assert(found !== null && Number(found[1]) >= 0.05, bash.stderr);
    const posix = said(await runLine("time -p true", directory));
    assertMatch(
      posix.stderr,
      /^real [0-9]+\.[0-9]{2}\nuser [0-9]+\.[0-9]{2}\nsys [0-9]+\.[0-9]{2}\n$/,
    );
    const busy = said(await runLine("time seq 300000 | sort -n >/dev/null", directory));
    const user = /user\t0m([0-9.]+)s/.exec(busy.stderr)?.[1];
    assert(Number(user) > 0.02, busy.stderr);
  });
});

Deno.test("** and words with separators that bash reads in ways of its own are not run", async () => {
  await withDirectory(async (directory) => {
    fill(directory);
    for (const line of ["shopt -s globstar; echo **/sub/**", "IFS=,; echo ${x:-a,b}"]) {
      const error = await assertRejects(() => runLine(line, directory), ToolError);
      assertEquals(error.code, "COMMAND_UNPARSABLE", line);
    }
    // Through a link it does not go.
    Deno.symlinkSync("sub", `${directory}/link`);
    const line = "shopt -s globstar; echo link/** **/e.txt **";
    assertEquals(
      said(await runLine(line, directory)),
      await runByShell("/bin/bash", line, directory),
    );
  });
});

Deno.test("what a line has started itself it ends without being judged; any other process is judged", async () => {
  await withDirectory(async (directory) => {
    const asked: string[] = [];
    const judge = (command: LineCommand) => {
      asked.push(command.argv?.join(" ") ?? "");
      return Promise.resolve(
        command.argv?.[0] === "kill" ? new ToolError("COMMAND_DENIED", "denied by the test") : null,
      );
    };
    for (
      const line of [
        "sleep 30 & kill $!; wait $!; echo $?",
        "sleep 30 & p=$!; kill -9 $p; wait $p; echo $?",
        "sleep 30 & kill -s TERM %1; wait %1; echo $?",
        "kill %1; echo $?",
      ]
    ) {
      const ours = said(await runLine(line, directory, { judge }));
      assertEquals(ours.stdout, (await runByShell("/bin/bash", line, directory)).stdout, line);
    }
    // The shell of the line is this process.
    for (const line of ["kill $$; echo x", "sleep 9 & kill -9 $! $$"]) {
      const refusal = await runLine(line, directory, { judge }).then(
        (one) => one.refusal,
        (error) => error,
      );
      assertEquals(refusal?.code, "COMMAND_UNPARSABLE", line);
    }
    assertEquals(asked.filter((one) => one.startsWith("kill")), []);
    const child = new Deno.Command("sleep", { args: ["3000"] }).spawn();
    try {
      for (
        const line of [
          `kill ${child.pid}`,
          `x=${child.pid}; kill $x`,
          `sleep 3000 & kill $! ${child.pid}`,
        ]
      ) {
        const refusal = await runLine(line, directory, { judge }).then(
          (one) => one.refusal,
          (error) => error,
        );
        assertEquals(refusal?.code, "COMMAND_DENIED", line);
      }
      // It is there yet.
      Deno.kill(child.pid, "SIGCONT");
    } finally {
      child.kill("SIGKILL");
      await child.status;
    }
  });
});

Deno.test("a file that exec opens is judged as one that a command opens", async () => {
  await withDirectory(async (directory) => {
    fill(directory);
    const rulebook = rulebookOf(directory, {
      paths: [
        { effect: "allow", access: ["read", "write"], match: ["**"] },
        { effect: "deny", access: ["read", "write"], match: ["c.md", "sub/d.txt"] },
      ],
    });
    const judge = () => Promise.resolve(new ToolError("PATH_DENIED", "denied by the test"));
    for (
      const line of [
        "exec >c.md; echo pwned",
        "F=c.md; exec 3<$F; cat <&3",
        "echo on; exec 4<sub/d.txt; cat <&4",
        "exec 3<>c.md; echo pwned >&3",
      ]
    ) {
      const wish = { rulebook, judge };
      const error = await assertRejects(() => runLine(line, directory, wish), ToolError);
      assertEquals(error.code, "PATH_DENIED", line);
      assertEquals(Deno.readTextFileSync(`${directory}/c.md`), "# title\n", line);
    }
  });
});
