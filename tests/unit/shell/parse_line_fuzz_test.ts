/** Lines that are understood, read by real shells: they must see the same words, and start nothing else. */

import { assert, assertEquals } from "@std/assert";
import { ToolError } from "../../../src/core/errors.ts";
import type { Plan, Word } from "../../../src/core/plan.ts";
import { certainText, isCertain } from "../../../src/shell/certain.ts";
import { lowerPlan } from "../../../src/shell/lower_command.ts";
import { parseLine } from "../../../src/shell/parse_line.ts";
import { Random } from "../../random.ts";

async function accepted(line: string): Promise<Plan | null> {
  try {
    return await parseLine(line);
  } catch (error) {
    if (error instanceof ToolError && error.code === "COMMAND_UNPARSABLE") return null;
    throw error;
  }
}

/** `sh`, and `bash` where there is one. */
function shells(): readonly string[] {
  try {
    Deno.statSync("/bin/bash");
    return ["/bin/sh", "/bin/bash"];
  } catch {
    return ["/bin/sh"];
  }
}

/** A shell that can find no program, should a line hold one after all. */
async function shell(
  program: string,
  script: string,
  options: { readonly args?: readonly string[]; readonly cwd?: string } = {},
): Promise<string> {
  const child = new Deno.Command(program, {
    args: ["-c", script, "sh", ...options.args ?? []],
    clearEnv: true,
    env: { PATH: "/nonexistent", LC_ALL: "C.UTF-8", HOME: "/nonexistent" },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  });
  const { stdout } = await child.output();
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(stdout);
}

/** Lists of words, each behind its length. */
function lists(text: string): readonly (readonly string[])[] {
  const fields = text.split("\0");
  const found: string[][] = [];
  for (let at = 0; at < fields.length - 1;) {
    const count = Number(fields[at]);
    found.push(fields.slice(at + 1, at + 1 + count));
    at += 1 + count;
  }
  return found;
}

/** What words are made of: all that means something to a shell, and some letters. */
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
  "$'a\\x41'",
  "{a,b}",
  "{1..3}",
  "..",
  "if",
  "cd",
  "A=1",
  "é",
  "🦕",
  "\u00a0",
  "\r",
] as const;

Deno.test("words of one program split exactly as sh and bash split them", async () => {
  const random = new Random(20_251_121);
  const lines: {
    readonly line: string;
    readonly argv: readonly string[];
    readonly posix: boolean;
  }[] = [];
  for (let round = 0; round < 12_000; round++) {
    const length = 1 + random.below(9);
    const body = Array.from({ length }, () => random.pick(PIECES)).join("");
    // A word first, so that leading blanks and comments mean the same behind `set --`.
    const line = random.below(3) === 0 ? body : `w ${body}`;
    const plan = await accepted(line);
    if (plan === null || plan.root.kind !== "simple" || /^[\s#]/.test(line)) continue;
    const { words, assignments, redirections } = plan.root;
    if (assignments.length + redirections.length > 0 || !isCertain(plan.root)) continue;
    const argv = words.map((word) => certainText(word) ?? "");
    if (["cd", "exit", "export", "unset", "command", "exec", "set"].includes(argv[0] ?? "")) {
      continue;
    }
    lines.push({ line, argv, posix: plan.posix });
  }
  assert(lines.length > 1000, `only ${lines.length} lines were accepted`);
  for (const program of shells()) {
    const mine = lines.filter(({ posix }) => posix || program === "/bin/bash");
    for (let from = 0; from < mine.length; from += 1000) {
      const some = mine.slice(from, from + 1000);
      const script = some.map(({ line }) => `set -- ${line}\nprintf '%s\\0' "$#" "$@"`).join("\n");
      const split = lists(await shell(program, script));
      some.forEach(({ line, argv }, index) => {
        assertEquals(split[index], argv, `${program}: ${JSON.stringify(line)}`);
      });
    }
  }
});

/** What lines are made of: programs that are nowhere, and all that puts them together. */
const PARTS = [
  ...["a", "b", "c x", "d 'y z'", 'e "f g"', "h\\ i", "A=1 j", "! k"],
  ...[" ; ", " && ", " || ", " | ", "\n", ";", "|", "&&", "||", " |& ", " & ", " # c\n"],
  ...["( ", " )", "{ ", "; }", "\n}", "$(l m)", '"$(n)"', "`o`", "$A", "${A:-p}", '"${B:-$(q)}"'],
  ...[
    " > f1",
    " 2>&1",
    " < f2",
    " <<E\nr $(s)\nE\n",
    " <<'E'\n$(t)\nE\n",
    " <<<u",
    " &> f3",
    " >> f1",
  ],
  ...[
    "sh -c 'v | w'",
    'bash -c "x; y"',
    "command z",
    "exec aa",
    "bb {1,2}",
    "cc *",
    "set -e; ",
    "cd ff",
    "exit",
  ],
  ...[
    "if",
    "do",
    "eval dd",
    "trap ee EXIT",
    "<(gg)",
    "f(){ hh; }",
    "export A=2",
    "true",
    "false",
    ":",
    "'",
    '"',
  ],
  ...[
    "$((1))",
    "$'ii'",
    "coproc jj",
    "time kk",
    "time",
    "function",
    "[[ -f x ]]",
    "\\",
    "&",
    "(",
    ")",
    "{",
    "}",
  ],
] as const;

/** Whether it holds a program whose name is known only when it runs, or what runs beside a shell that may end before it. */
function isOpen(part: unknown): boolean {
  if (typeof part !== "object" || part === null) return false;
  const { kind, words } = part as { readonly kind?: string; readonly words?: readonly Word[] };
  if (kind === "process" || kind === "background") return true;
  const name = words?.[0] === undefined ? "" : certainText(words[0]);
  const open = kind === "simple" && (name === null || (name === "eval" && !("script" in part)));
  return open || Object.values(part).some(isOpen);
}

/** Every program that a line starts, told by bash itself: it finds none, and hands the name over, in one write. */
const TELL = `command_not_found_handle() { printf '%s\\0' "\${1//$'\\n'/_}" >&9; }
exec 9>&1 >/dev/null 2>/dev/null </dev/null
for line in "$@"; do
  printf '=\\0' >&9
  ( eval "$line"
    wait )
done
`;

Deno.test("bash starts nothing that a line was not found to start", async () => {
  const cwd = Deno.makeTempDirSync({ prefix: "toolgate-test-" });
  try {
    Deno.mkdirSync(`${cwd}/ff`);
    Deno.writeTextFileSync(`${cwd}/f2`, "");
    const random = new Random(20_251_122);
    const lines: { readonly line: string; readonly programs: ReadonlySet<string> }[] = [];
    for (let round = 0; round < 40_000 && lines.length < 3000; round++) {
      const length = 2 + random.below(7);
      const line = Array.from({ length }, () => random.pick(PARTS)).join(random.once(3) ? " " : "");
      const plan = await accepted(line);
      // What is known only when it runs is judged then; what nobody waits for tells when it likes.
      if (plan === null || isOpen(plan.root)) continue;
      const needs = await lowerPlan(plan, ".");
      const programs = needs.flatMap((need) =>
        need.kind === "process.spawn" ? [need.argv[0]!.replaceAll("\n", "_")] : []
      );
      lines.push({ line, programs: new Set(programs) });
    }
    assert(lines.length > 1500, `only ${lines.length} lines were accepted`);
    let count = 0;
    for (let from = 0; from < lines.length; from += 500) {
      const args = lines.slice(from, from + 500).map(({ line }) => line);
      let index = from - 1;
      for (const name of (await shell("/bin/bash", TELL, { args, cwd })).split("\0").slice(0, -1)) {
        if (name === "=") {
          index++;
          continue;
        }
        count++;
        const { line, programs } = lines[index]!;
        assert(
          programs.has(name),
          `${JSON.stringify(line)} starts ${name}, found were ${[...programs]}`,
        );
      }
      assertEquals(index, Math.min(from + 500, lines.length) - 1);
    }
    assert(count > 3000, `only ${count} programs were started`);
  } finally {
    Deno.removeSync(cwd, { recursive: true });
  }
});
