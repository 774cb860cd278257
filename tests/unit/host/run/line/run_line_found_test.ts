/** Scripts that `find` is to start and that the line runs itself: what they come to, as bash and GNU's find have it. */

import { assert, assertEquals } from "@std/assert";
import type { LineCommand } from "../../../../../src/host/run/line/line_host.ts";
import { parseLine } from "../../../../../src/shell/parse_line.ts";
import { withDirectory } from "../../files/_temporary.ts";
import { compareWithBash, fill, runLine, text } from "./_line.ts";

const LINES = [
  `find . -name '*.txt' -exec sh -c 'for f; do echo "got $f"; done' _ {} +`,
  `find . -name '*.txt' -exec bash -c 'mv "$1" "\${1%.txt}.md"' _ {} \\;; echo $?`,
  `find . -name '*.txt' -exec sh -c 'cp "$0" "$0.bak"' {} \\;`,
  `find sub -name '*.txt' -exec sh -c 'echo $1; exit 3' _ {} \\;; echo $?`,
  `find sub -name '*.txt' -exec sh -c 'echo $1; exit 3' _ {} +; echo $?`,
  `find sub -name '*.txt' -exec sh -c 'echo $1; exit 255' _ {} \\;; echo $?`,
  `find . nodir -name '*.txt' -exec sh -c 'x=$1; echo \${x##*/}' _ {} \\; 2>/dev/null; echo $?`,
  `find . -type f -name '*.txt' -exec sh -c 'mkdir -p out && cp "$1" "out/$(basename "$1")"' _ {} \\;`,
  `find . -name '*.txt' -exec sh -c 'while read -r l; do echo "$1: $l"; done < "$1"' _ {} \\;`,
  `find . -name 'sp*' -exec sh -c 'echo "$1" "$2"; x=\${2:-}' _ {} two \\;`,
  `find . -name nothing -exec sh -c 'echo "$1"; x=1; exit $x' _ {} +; echo $?`,
  `echo input | find sub -name d.txt -exec sh -c 'read x; echo "$1 $x"' _ {} \\;`,
  `find sub -name d.txt -exec sh -c 'head -1 > "$1"' _ {} \\; < a.txt`,
  `D=sub; find "$D" -name '*.txt' -exec sh -c 'echo "\${1#sub/}"' _ {} \\;`,
  `X=1 find sub -name d.txt -exec sh -c 'echo "[$X]$1"; y=$1' _ {} \\;`,
  `find sub -name '*.txt' -exec sh -c 'echo "\${1%.txt}"' _ {} \\; > list; cat list`,
  `find . \\( -name d.txt -o -name e.txt \\) -exec bash -c 'n=$(basename "$1" .txt); echo "\${n^^}"' _ {} \\;`,
  `find . -path ./sub -prune -o -name '*.md' -exec sh -c 'printf "%s\\n" "\${1#./}"' _ {} \\;`,
  `set -e; find sub -name d.txt -exec sh -c 'for i in 1 2; do echo $i; false; done' _ {} \\;; echo on`,
  `find sub -name d.txt -exec sh -c 'for i in 1; do false; done' _ {} + || echo failed`,
  `set -e; find sub -name d.txt -exec sh -c 'for i in 1; do false; done' _ {} +; echo never`,
  `if find sub -name d.txt -exec sh -c 'for f; do rm "$f"; done' _ {} +; then ls sub; fi`,
  `find . -maxdepth 1 -name '*.txt' -exec sh -c 'sed s/a/b/ "$1" > "$1.new" && mv "$1.new" "$1"' _ {} \\;`,
  `find . -name '*.txt' -exec sh -c 'set -e; false; echo never' _ {} \\;; echo $?`,
];

Deno.test("a script that is started with what find finds", () => compareWithBash(LINES));

Deno.test("what comes to be found only while it goes on is none of it, whatever find comes to first", async () => {
  const line =
    `find . -name '*.txt' -exec sh -c 'for i in 1; do cp "$1" "$1.txt"; done' _ {} \\;; ls *.txt`;
  await withDirectory(async (directory) => {
    fill(directory);
    const { stdout } = await runLine(line, directory);
    assertEquals(text(stdout).includes(".txt.txt.txt"), false);
    assertEquals(text(stdout).match(/\.txt\.txt/g)?.length, 4);
  });
});

Deno.test("each of its commands is judged with the words that it has", async () => {
  const line = `find sub -name '*.txt' -exec sh -c 'for i in 1; do cat "$1"; done' _ {} \\;`;
  await withDirectory(async (directory) => {
    fill(directory);
    const judged: string[] = [];
    const judge = ({ argv }: LineCommand): Promise<null> => {
      judged.push((argv ?? []).join(" "));
      return Promise.resolve(null);
    };
    await runLine(line, directory, { judge });
    assertEquals(judged.filter((one) => one.startsWith("cat")).sort(), [
      "cat sub/d.txt",
      "cat sub/deep/e.txt",
    ]);
  });
});

/** As find(1) does them; the policy says what it thinks of them. */
const LEFT = [
  `find . -exec sh -c 'a "$1"' _ {} \\;`,
  `find . -exec sh -c 'x=$1' _ {} \\; -print`,
  `find . -print -exec sh -c 'x=$1' _ {} \\;`,
  `find . -exec grep x {} \\; -exec sh -c 'x=$1' _ {} \\;`,
  `find . -execdir sh -c 'x=$1' _ {} \\;`,
  `find . -exec sh -c 'echo {}' \\;`,
  `find . -exec sh -c 'x=$1' _ a{} \\;`,
  `find . -exec sh -lc 'x=$1' _ {} \\;`,
  `find . -exec sh a.sh {} \\;`,
  `find . -exec sh -c '$(' _ {} \\;`,
  `X=$Y find . -exec sh -c 'x=$1' _ {} \\;`,
];

Deno.test("all other forms are left to find", async () => {
  for (const line of LEFT) {
    const { root } = await parseLine(line);
    assert(root.kind === "simple" && root.feeds === undefined, line);
  }
});
