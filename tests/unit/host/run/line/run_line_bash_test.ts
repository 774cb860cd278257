/** Lines that must do what bash does: output, errors with what the shell itself says, status, files. */

import { compareWithBash } from "./_line.ts";

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
