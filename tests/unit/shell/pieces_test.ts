import { assert, assertEquals, assertRejects } from "@std/assert";
import { ToolError } from "../../../src/core/errors.ts";
import { MOST_PIECES, piecesOf } from "../../../src/shell/_pieces.ts";
import { lowerCommand } from "../../../src/shell/lower_command.ts";
import { parseLine } from "../../../src/shell/parse_line.ts";
import { Random } from "../../random.ts";

const TABLE: readonly (readonly [string, number])[] = [
  ["", 0],
  ["a", 0],
  ["src/core/a.ts,b:c@d%e-f", 0],
  ["a b", 1],
  ["a | b", 3],
  ["echo 'a b | c; $x'", 2],
  ['echo "a b | c"', 2],
  ['echo "a $x `b` \\" c" d', 7],
  ["a\\ b", 1],
  ["cat <<'E'\na b c\nE\nd", 103],
  ["cat <<E\na $b c\nE\n", 104],
  ["cat <<-E\na b\n\tE\nd e", 104],
  ["cat <<E\nnever ended", 104],
  ["cat <<<a", 2],
  ["cat <<\\E\n$a `b`\nE\n", 103],
  ["'never closed", 1],
  ['"never closed', 1],
];

Deno.test("words and signs count, text in quotes and here-documents does not", () => {
  for (const [source, count] of TABLE) assertEquals(piecesOf(source), count, source);
});

Deno.test("counting ends soon after the most", () => {
  assert(piecesOf(" ".repeat(1_000_000)) <= MOST_PIECES + 1);
  assert(piecesOf("<<E\n".repeat(30_000)) <= MOST_PIECES + 100);
  assert(piecesOf(`"${"$".repeat(1_000_000)}"`) <= MOST_PIECES + 2);
});

/** What parsers take long for: each of these, as often as a line can hold it, took 0.1 to 17 s. */
const DEAR = [
  "{",
  "[",
  "a ",
  "<<E ",
  "<<E\n",
  "a;",
  "\\?>x=",
  "{a,b} ",
  "x=1 ",
  "~ ",
  '"$(',
  "$((",
  "${x:-",
  "${x//",
];
const LENGTH = 125_000;

async function construct(line: string): Promise<unknown> {
  return (await assertRejects(() => parseLine(line), ToolError)).details?.["construct"];
}

Deno.test("a line of more words and signs than are read is refused before it is parsed", async () => {
  for (const piece of DEAR) {
    assertEquals(await construct(piece.repeat(LENGTH / piece.length)), "long", piece);
  }
  const random = new Random(14);
  for (let run = 0; run < 100; run++) {
    const unit = Array.from({ length: 1 + random.below(3) }, () => random.pick(DEAR)).join("");
    const line = unit.repeat(Math.floor(LENGTH / unit.length));
    // Within quotes the rest may be text; then it is at most one word.
    if (piecesOf(line) > MOST_PIECES) assertEquals(await construct(line), "long", unit);
  }
});

Deno.test("scripts within words count with the line that they stand in", async () => {
  const script = "a ".repeat(6_000);
  assertEquals(await construct(`sh -c '${script}'; sh -c '${script}'`), "long");
  const { root } = await parseLine(`sh -c '${script}'`);
  assertEquals(root.kind, "group");
  const twice = ["env", "sh", "-c", `ls ${script}`, "sh", "-c", `ls ${script}`];
  await assertRejects(
    () => lowerCommand({ argv: twice, cwd: ".", redirections: [], variables: [] }),
    ToolError,
    "more than 10,000 words",
  );
  await assertRejects(
    () =>
      lowerCommand({
        argv: ["env", ...Array(51).fill("sh")],
        cwd: ".",
        redirections: [],
        variables: [],
      }),
    ToolError,
    "51 words name a shell",
  );
});

Deno.test("what people write is read, long as it may be", async () => {
  const lines = [
    `rm ${Array.from({ length: 5_000 }, (_, at) => `src/file${at}.ts`).join(" ")}`,
    `cat > a.ts <<'EOF'\n${"const a = `${b}`; // { [ ( $x\n".repeat(4_000)}EOF\n`,
    `cat > a.txt <<EOF\n${"plain words of a text, and more; | & < >\n".repeat(3_000)}EOF\n`,
    `git commit -m "${"a line of a message (and more)\n".repeat(3_000)}"`,
    `python3 -c '${'print("a b c", {1: [2]})\n'.repeat(4_000)}'`,
  ];
  for (const line of lines) assertEquals((await parseLine(line)).line.length, line.length);
});
