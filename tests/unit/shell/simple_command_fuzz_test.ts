/** Lines that are accepted, split by a real shell: it must see exactly the same words. */

import { assert, assertEquals } from "@std/assert";
import { ToolError } from "../../../src/core/errors.ts";
import { parseSimpleCommand } from "../../../src/shell/simple_command.ts";
import { Random } from "../../random.ts";

const LINES = 12_000;

/** What lines are made of: all that means something to a shell, and some words. */
const PIECES = [
  ..." '\"\\$`#~*?[]{}()|&;<>!=,.:^%@+-/",
  ..."ab1",
  " ",
  " ",
  " ",
  "\t",
  "\n",
  "\\\n",
  "\\ ",
  "''",
  '""',
  "'a b'",
  '"a b"',
  '"a$"',
  "$HOME",
  "${x}",
  "$(a)",
  "{a,b}",
  "..",
  "if",
  "time",
  "cd",
  "A=1",
  "2>",
  "é",
  "🦕",
  "\u00a0",
  "\r",
  "\v",
] as const;

/** `sh`, and `bash` where there is one. */
function shells(): readonly string[] {
  try {
    Deno.statSync("/bin/bash");
    return ["/bin/sh", "/bin/bash"];
  } catch {
    return ["/bin/sh"];
  }
}

async function accepted(line: string): Promise<readonly string[] | null> {
  try {
    return await parseSimpleCommand(line);
  } catch (error) {
    if (error instanceof ToolError && error.code === "COMMAND_UNPARSABLE") return null;
    throw error;
  }
}

/**
 * The words of each line, by a shell that runs nothing of them: `set --` takes the line's words, `printf` writes
 * them. Only lines that were accepted come here, so the line holds no command but its own words.
 */
async function splitByShell(shell: string, lines: readonly string[]): Promise<readonly string[][]> {
  const script = lines.map((line) => `set -- ${line}\nprintf '%s\\0' "$#" "$@"`).join("\n");
  const child = new Deno.Command(shell, {
    args: ["-s"],
    clearEnv: true,
    // No program can be found, should a line hold one after all.
    env: { PATH: "/nonexistent", LC_ALL: "C.UTF-8", HOME: "/home/someone" },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  const written = writer.write(new TextEncoder().encode(script)).then(() => writer.close());
  const { stdout, stderr } = await child.output();
  await written;
  assertEquals(new TextDecoder().decode(stderr), "");
  const fields = new TextDecoder("utf-8", { ignoreBOM: true }).decode(stdout).split("\0");
  const words: string[][] = [];
  for (let at = 0; at < fields.length - 1;) {
    const count = Number(fields[at]);
    words.push(fields.slice(at + 1, at + 1 + count));
    at += 1 + count;
  }
  return words;
}

Deno.test("accepted lines split exactly as sh and bash split them", async () => {
  const random = new Random(20_251_121);
  const lines: string[] = [];
  const expected: (readonly string[])[] = [];
  for (let round = 0; round < LINES; round++) {
    const length = 1 + random.below(9);
    const body = Array.from({ length }, () => random.pick(PIECES)).join("");
    // A word first, so that leading blanks and comments mean the same behind `set --`.
    const line = random.below(3) === 0 ? body : `w ${body}`;
    const argv = await accepted(line);
    if (argv === null || /^[\s#]/.test(line)) continue;
    lines.push(line);
    expected.push(argv);
  }
  assert(lines.length > 1000, `only ${lines.length} lines were accepted`);
  for (const shell of shells()) {
    const split = await splitByShell(shell, lines);
    lines.forEach((line, index) => {
      assertEquals(split[index], expected[index], `${shell}: ${JSON.stringify(line)}`);
    });
  }
});

Deno.test("what follows the words never comes through", async () => {
  const sentinel = "touch sentinel";
  const tails = [
    ";",
    "&",
    "|",
    "&&",
    "||",
    "\n",
    "|&",
    ";;",
    "\n\n",
    ")",
    "`",
    "$(",
    "<(",
    ">(",
    "&>",
  ];
  const words = ["ls", "ls -la", "'ls'", "ls \\\n", "ls # c", "ls ''", 'ls "x"', "ls x\\"];
  for (const word of words) {
    for (const tail of tails) {
      for (const blank of ["", " "]) {
        const argv = await accepted(`${word}${blank}${tail}${blank}${sentinel}`);
        // Only inside a comment or behind a backslash can it be plain text.
        if (argv !== null) assertEquals(argv[0], "ls", `${word}${blank}${tail}`);
      }
    }
  }
});
