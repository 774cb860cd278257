/** Lines that must do what bash does: output, errors with what the shell itself says, status, files. */

import { assert, assertEquals } from "@std/assert";
import { inCopy, runByShell, runLine, type Said, said } from "./_line.ts";

const BASH = "/bin/bash";

/** Without what bash puts before its own messages: who speaks, and from which line. */
function plain({ stdout, stderr, status }: Said): Said {
  const strip = (text: string): string => text.replaceAll(/^\/bin\/bash: line [0-9]+: /gm, "");
  return { stdout: strip(stdout), stderr: strip(stderr), status };
}

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

/** Runs each by both. */
async function compare(lines: readonly string[]): Promise<void> {
  for (const line of lines) {
    const ours = await inCopy(async (directory) => {
      const outcome = await runLine(line, directory);
      assert(outcome.refusal === null && !outcome.timedOut, `${line}: ${outcome.refusal}`);
      return said(outcome);
    });
    const theirs = await inCopy(async (directory) =>
      plain(await runByShell(BASH, line, directory))
    );
    assertEquals(ours, theirs, line);
  }
}

Deno.test("what could not be started or opened is told where bash tells it", () =>
  compare(MESSAGES));
