/** `xargs` as the line does it: what its input becomes, and how it ends, as GNU's does. */

import { assertEquals } from "@std/assert";
import type { SimplePlan } from "../../../../../src/core/plan.ts";
import { parseLine } from "../../../../../src/shell/parse_line.ts";
import { compareWithBash } from "./_line.ts";

const LINES = [
  "ls *.md | xargs touch; ls",
  "printf 'a b\\n\\n  c\\td \\n' | xargs -n1 mkdir; ls -d a b c d",
  `printf "'a b' \\"c'd\\" e\\\\\\\\ f g\\\\'h '' i''j\\n" | xargs mkdir -v`,
  "printf 'x\\ny\\n\\n z \\n' | xargs -I{} mkdir -v 'd-{}-{}'",
  "printf 'x y\\nz\\n' | xargs -I@ sh -c 'echo \"<@>\"'",
  "printf 'x y\\nz\\n' | xargs -i sh -c 'printf \"%s.\" \"$@\"' _ {}",
  "printf 'p q\\0r\\0\\0' | xargs -0 mkdir -v 2>/dev/null; ls",
  "printf 'p,q,,r' | xargs -d, -n2 sh -c 'echo \"[$0|$1]\"'",
  "printf 'p\\tq' | xargs -d '\\t' touch; ls",
  "printf 'p q' | xargs -d '\\n' touch; ls",
  "seq 7 | xargs -n3 sh -c 'echo $# $0 $1'",
  "seq 7 | xargs --max-args=3 --max-procs=1 sh -c 'echo $#'",
  "printf '1 2\\n3\\n4 \\n5\\n6\\n' | xargs -L2 sh -c 'echo $# \"$@\"' _",
  "printf '1 2\\n\\n\\n3\\n' | xargs -L1 sh -c 'echo $# \"$@\"' _",
  "true | xargs mkdir -v; echo $?",
  "true | xargs touch empty; ls empty",
  "true | xargs -r touch none; ls none 2>/dev/null; echo $?",
  "printf '\\n \\n' | xargs -I{} touch {}; echo $?",
  "printf 'a \"b\\n' | xargs touch 2>/dev/null; echo $?; ls",
  "printf 'a b' | xargs sh -c 'exit 3'; echo $?",
  "printf 'a b' | xargs -n1 sh -c 'echo $0; exit 255' 2>/dev/null; echo $?",
  "printf 'a b' | xargs -n1 sh -c 'nope' 2>/dev/null; echo $?",
  "printf 'a' | xargs nope 2>/dev/null; echo $?",
  "echo x | xargs sh -c 'cat; echo $0'",
  "set -e; echo a | xargs sh -c 'exit 3' || echo caught; echo on",
  "set -e; echo a | xargs sh -c 'exit 3'; echo never",
  "echo a.txt | A=1 xargs sh -c 'echo $A; A=2; cd sub'; echo \"[$A]\"; pwd | grep -c sub",
  "cd sub; ls | xargs -I{} cp {} {}.copy; ls",
  "f() { ls *.txt | head -1 | xargs sed s/alpha/omega/; }; f; for i in 1 2; do echo $i | xargs mkdir; done; ls -d 1 2",
  "xargs touch < c.md; ls",
  "xargs -n1 touch <<< 'one two'; ls one two",
  "echo $(echo a b | xargs -n1 sh -c 'echo $0$0')",
  "seq 3000 | xargs sh -c 'echo $#'",
  "seq 100000 200000 | xargs sh -c 'echo $#'",
  // Neither ends before the other has begun.
  `seq 2 | xargs -P2 -n1 sh -c 'touch got$0; until test -e got1 && test -e got2; do sleep 0.01; done; echo $0' | sort`,
  "seq 4 | xargs -P0 -n1 sh -c 'echo $0' | sort",
  "echo b.txt a.txt | xargs -n1 rm -v; ls",
  "x='-n1'; echo a b | xargs $x echo",
  "echo 1 | xargs -I{} sh -c 'exit {}'; echo $?",
  "echo \"it's\" | xargs -d '\\n' -I{} sh -c 'echo \"{}\"'",
];

Deno.test("xargs makes of its input what GNU's does, and ends as that does", () =>
  compareWithBash(LINES));

/** Whether the line does it itself, by the words of the line. */
async function feeds(line: string): Promise<number | undefined> {
  const { root } = await parseLine(line);
  return (root as SimplePlan).feeds;
}

Deno.test("the line does what changes something, or may; what only reads is the program's", async () => {
  for (
    const [line, at] of [
      ["xargs rm", 1],
      ["xargs -0 -n 5 rm -f", 4],
      ["xargs sed -i s/a/b/", 1],
      ["xargs git show", 1],
      ["xargs -I{} sh -c 'echo {}'", 2],
      ["xargs true", undefined],
      ["xargs", undefined],
      ["xargs grep -n x", undefined],
      ["xargs wc -l", undefined],
      // Not known here, and judged as the program's.
      ["xargs -a list rm", undefined],
      ["xargs -p rm", undefined],
      ["xargs -n1 -I{} rm {}", undefined],
      ["xargs -I{} {} x", undefined],
      ["xargs cd", undefined],
      ["xargs eval", undefined],
      ['xargs "$X" rm', undefined],
    ] as const
  ) assertEquals(await feeds(line), at, line);
});
