/** Loops, conditions, `case`, `read` and `cd` must do what bash does: output, status, files. */

import { assertEquals } from "@std/assert";
import { ToolError } from "../../../../../src/core/errors.ts";
import { withDirectory } from "../../files/_temporary.ts";
import { compareWithBash, fill, runLine, said } from "./_line.ts";

const LINES = [
  "for f in a b c; do echo $f; done",
  'for f in *.txt; do wc -l "$f"; done',
  "for i in 1 2 3; do if [ $i = 2 ]; then continue; fi; echo $i; done",
  "for i in 1 2 3; do [ $i = 2 ] && break; echo $i; done; echo end $?",
  "for i in {1..4}; do for j in a b; do if [ $j$i = b2 ]; then continue 2; fi; [ $i = 4 ] && break 2; echo $i$j; done; done",
  'for f in $(ls); do echo "<$f>"; done',
  'for f in nope*; do echo "$f"; done',
  "for x in; do echo no; done; echo $?",
  'for x in "a b" c; do echo "$x"; done > out; cat out',
  "for x in a b; do echo $x; done | sort -r",
  "for x in a b; do cat; done < a.txt",
  "if [ -f a.txt ]; then echo yes; else echo no; fi",
  "if [ -f nope ]; then echo yes; elif [ -d sub ]; then echo dir; else echo no; fi; echo $?",
  "if false; then echo x; fi; echo $?",
  "if ! grep -q nothere a.txt; then echo missing; fi",
  "if true; then false; fi; echo $?",
  'while read -r line; do echo "[$line]"; done < a.txt',
  'while read line; do echo "[$line]"; done < b.txt',
  'cat a.txt | while read -r a b; do echo "$b|$a"; done',
  'while IFS=: read -r a b c; do echo "$a-$b-$c"; done < b.txt',
  'while IFS= read -r l; do echo "<$l>"; done < b.txt',
  'while read -r l || [ -n "$l" ]; do echo "<$l>"; done < last',
  'read -r x y < a.txt; echo "$x,$y"; echo $?',
  "read x < /dev/null; echo $?",
  "printf 'a\\\\tb\\nc\\\\\\nd\\n' | while read l; do echo \"$l\"; done",
  "printf 'a\\\\tb\\nc\\\\\\nd\\n' | while read -r l; do echo \"$l\"; done",
  "printf 'a:b:\\nx:y:z:\\n:\\n::\\n' | while IFS=: read -r a b; do echo \"$a|$b\"; done",
  "printf ' a b  c  \\n' | while read -r a b; do echo \"<$a><$b>\"; done",
  "printf 'a , b,c ,\\n' | while IFS=', ' read -r a b c; do echo \"<$a><$b><$c>\"; done",
  "printf '1\\n2\\n3\\n' | { read a; read b; cat; echo $a$b; }",
  "i=a; until [ $i = aaaa ]; do i=${i}a; echo $i; done",
  "while true; do echo once; break; done; echo $?",
  "while false; do echo no; done; echo $?",
  "case a.txt in *.txt) echo text;; *) echo other;; esac",
  'case "$HOME" in /*) echo abs;; *) echo rel;; esac',
  "for f in a.txt c.md sub; do case $f in *.txt|*.log) echo t $f;; *.md) echo m $f;; *) echo o $f;; esac; done",
  "case x in a|b) echo ab;; esac; echo $?",
  'case "a*" in "a*") echo literal;; esac',
  "p='a*'; case abc in $p) echo pattern;; esac; case abc in \"$p\") echo no;; *) echo quoted;; esac",
  "case x in (x) echo paren;; esac",
  "case x in x) ;; esac; echo $?",
  "case 5 in [0-9]) echo digit;; esac",
  "for d in sub sub/deep; do (cd $d && pwd | sed 's#.*/##'); done",
  'cd "$(dirname sub/d.txt)" && ls',
  "cd sub; cd -; ls",
  "cd nope; echo $?; ls",
  "d=sub; cd $d && cd .. && ls",
  "cd sub && for f in *; do echo $f; done; cd .. && ls",
  "set -e; for i in 1 2; do false; echo no; done; echo never",
  "set -e; if false; then echo x; fi; echo here",
  "set -e; for i in 1; do false && true; done; echo here",
  "set -e; while false; do :; done; echo here",
  "set -e; if true; then false; fi; echo no",
  "set -e; ! false; for i in a; do ! true; done; echo here",
  'for i in 1 2 3; do echo $i; done | while read x; do echo "got $x"; done',
  "for i in 1 2; do for j in x y; do echo $i$j >> out; done; done; cat out",
  "for i in 1 2 3; do (exit $i); echo $?; done",
  "for i in 1 2; do exit 3; done; echo no",
  'x=$(for i in a b; do echo $i; done); echo "$x"',
  'echo "$(if true; then echo in; fi)"',
  "for i in 1 2 3\ndo\n  echo $i\ndone",
  "if true\nthen\n  # comment\n  echo yes\nfi",
  "while read -r a; do\ncat <<EOF\n$a!\nEOF\ndone < a.txt",
  "for i in 1 2; do echo $i; done 2>&1 | cat -n",
  "{ for i in 1 2; do echo $i; done; } > out; cat out",
  "if { true; false; }; then echo a; else echo b; fi",
  "if (exit 3); then :; else echo $?; fi",
  'while read -r f; do [ -e "$f" ] || echo "missing $f"; done <<< "a.txt"',
  'ls | while read f; do test -d "$f" && echo "dir $f"; done',
  'for f in *.txt; do mv "$f" "${f%.txt}.bak"; done; ls',
  "for f in *.txt; do cp $f sub/; done && ls sub",
  "for n in 3 1 2; do echo $n; done | sort | { read a; echo first $a; }",
  "for i in 1 2 3; do echo $i; sleep 0; done | head -1",
  "false || for i in 1; do echo or; done",
  "true && if true; then echo and; fi",
  "for i in 1; do :; done && echo ok",
  "! for i in 1; do false; done; echo $?",
  "set -o pipefail; for i in 1 2; do false; done | cat; echo $?",
  "set -u; for i in 1; do echo $i; done; echo $nope",
  "for i in a b; do export V=$i; env | grep ^V=; done",
  "for i in a; do V=$i env | grep ^V=; done",
  'for f in ./*.md; do head -1 "$f"; done',
  'if [ "$(cat last)" = "no newline" ]; then echo eq; fi',
  "if grep -q one a.txt && [ -d sub ]; then echo both; fi",
  'if [ -n "$nope" ] || [ -z "$nope" ]; then echo z; fi',
  "while :; do break; done; echo $?",
  "for i in 1 2 3 4 5 6 7 8 9 10; do true; done; echo $i",
  'i=; while [ "$i" != xxx ]; do i=x$i; continue; echo no; done; echo $i',
  "for x in 1; do for y in 1; do break 2; done; echo no; done; echo out",
  "(for i in 1 2; do break; done; echo sub)",
  "for i in 1; do case $i in 1) break;; esac; done; echo $i",
  "for i in 1 2; do { break; }; done; echo $i",
];

Deno.test("loops and conditions do what bash does", () => compareWithBash(LINES));

Deno.test("what becomes known while a loop runs is judged then, each time, and ends the line where it is refused", () =>
  withDirectory(async (directory) => {
    fill(directory);
    const judged: string[] = [];
    const outcome = await runLine(
      'for f in a.txt b.txt c.md; do cat "$f"; done; echo after',
      directory,
      {
        judge({ argv }) {
          judged.push((argv ?? []).join(" "));
          const denied = argv?.[1] === "b.txt";
          return Promise.resolve(denied ? new ToolError("PATH_DENIED", "not b.txt") : null);
        },
      },
    );
    assertEquals(judged, ["cat a.txt", "cat b.txt"]);
    assertEquals(outcome.refusal?.code, "PATH_DENIED");
    assertEquals(said(outcome).stdout, "alpha\nbeta\n");
  }));

Deno.test("a loop without end ends on time, whether it starts programs or none", () =>
  withDirectory(async (directory) => {
    const lines = [
      "while :; do :; done",
      "until false; do sleep 0; done",
      "yes | while read x; do x=; done",
    ];
    for (const line of lines) {
      const outcome = await runLine(line, directory, { timeoutMs: 200, killGraceMs: 100 });
      assertEquals(outcome.timedOut, true, line);
    }
  }));

Deno.test("what read leaves belongs to the next program, from a file and from a pipe", () =>
  compareWithBash([
    "{ read -r a; cat; echo $a; } < b.txt",
    "cat b.txt | { read -r a; cat; echo $a; }",
    "while read -r a; do head -1; done < b.txt",
  ]));
