import { assertEquals } from "@std/assert";
import { wordText } from "../../../src/shell/certain.ts";
import { withOwnTemporary } from "../../../src/shell/own_temporary.ts";
import { parseLine } from "../../../src/shell/parse_line.ts";

const OWN = "${TMPDIR:-/tmp}";

/** Everything that is a word of the plan, in order, as it reads now. */
function wordsOf(part: unknown): readonly string[] {
  if (typeof part !== "object" || part === null) return [];
  if (Array.isArray(part)) {
    const isWord = part.length > 0 && part.every((one) => ["text", "parameter"].includes(one.kind));
    return isWord ? [wordText(part)] : part.flatMap(wordsOf);
  }
  return Object.values(part).flatMap(wordsOf);
}

/** A line, and the words of it in which the folder stands. */
const MOVED: readonly (readonly [line: string, ...words: readonly string[]])[] = [
  ["echo a > /tmp/x", `${OWN}/x`],
  ["seq 3 2>&1 >> /tmp/x; tail -1 < /tmp/x", `${OWN}/x`, `${OWN}/x`],
  ["cp a /tmp", OWN],
  ["gcc -c a.c -o/tmp/a.o", `-o${OWN}/a.o`],
  ["npx esbuild a.ts --outfile=/tmp/a.js", `--outfile=${OWN}/a.js`],
  ["python3 a.py /tmp/x", `${OWN}/x`],
  ["timeout 5 cat /tmp/x", `${OWN}/x`],
  ["cd /tmp/d && ls", `${OWN}/d`],
  ["[ -f /tmp/x ] && [[ -d /tmp ]]", `${OWN}/x`, OWN],
  ["F=/tmp/x; cat $F", `${OWN}/x`],
  ["export D=/tmp/d", `D=${OWN}/d`],
  ["for f in /tmp/a b; do cat $f; done", `${OWN}/a`],
  ["bash -c 'cat /tmp/x'", `${OWN}/x`],
  ["echo $(cat /tmp/x)", `${OWN}/x`],
  ["cp a /tmp/p && /tmp/p b", `${OWN}/p`, `${OWN}/p`],
  ["cp a /tmp/p; timeout 5 /tmp/p", `${OWN}/p`, `${OWN}/p`],
  ["find . -exec /tmp/p {} ';'", `${OWN}/p`],
  ["cat /tmp/x; echo 'see /tmp/x'", `${OWN}/x`],
  ["cat /tmp/x $HOME/tmp/y src/tmp/z", `${OWN}/x`],
];

/** What says the name where it is text, or keeps it: nothing of such a line is another place. */
const KEPT: readonly string[] = [
  "echo /tmp/x",
  "printf '%s\\n' /tmp/x",
  "grep /tmp/x a.txt",
  "sed -n '/tmp/p' a.txt",
  "awk '/tmp/ { print }' a.txt",
  "perl -ne '/tmp/ && print' a.txt",
  "git commit -m /tmp/x",
  "git config core.hooksPath /tmp",
  "cat tmp/x /var/tmp/x /tmpfile",
  // Half of it would be.
  "find /tmp/d | sed 's#/tmp/d##'",
  "echo /tmp/x | xargs cat /tmp/y",
  "X=/tmp/a; [ $X = /tmp/a ]",
  "X=/tmp/a; [[ $X == /tmp/* ]]",
  "X=/tmp/a; case $X in /tmp/*) ls;; esac",
  "X=/tmp/a; echo ${X#/tmp/}",
  "cat > /tmp/a.py <<'END'\nopen('/tmp/b')\nEND",
  "python3 -c \"open('/tmp/b')\" > /tmp/a",
  "ln -s /tmp/x l",
  "echo /tmp/x > /tmp/y",
  "f() { echo; }; f /tmp/x; cat /tmp/x",
];

Deno.test("names in /tmp stand for a folder of one's own in what a line opens, and nowhere else", async () => {
  for (const [line, ...expected] of MOVED) {
    const plan = withOwnTemporary(await parseLine(line), () => true);
    const found = wordsOf(plan.root).filter((word) => word.includes(OWN));
    assertEquals([plan.temporary, ...found], ["kept", ...expected], line);
  }
  for (const line of KEPT) {
    const plan = await parseLine(line);
    assertEquals(withOwnTemporary(plan, () => true), plan, line);
  }
});

Deno.test("a name of the machine's stays one, beside others that are not", async () => {
  const isOwn = (path: string) => !path.startsWith("/tmp/ws");
  const of = async (line: string) => wordsOf(withOwnTemporary(await parseLine(line), isOwn).root);
  assertEquals(await of("cp /tmp/ws/a /tmp/b"), ["cp", "/tmp/ws/a", `${OWN}/b`]);
  assertEquals(await of("cat /tmp/ws/a"), ["cat", "/tmp/ws/a"]);
});
