/**
 * What is known of interpreters: a file of the workspace is theirs to run; code in an argument, from an address or on
 * stdin is not. From their manuals and GTFOBins' classes "shell", "command" and "library load".
 */

import type { OptionsLiteral, OptionSpec, ProgramLiteral, ProgramTable } from "./spec.ts";

/** Reads commands where it would run a file. */
export const PROMPTS: OptionSpec = {
  is: "flag",
  risk: "dangerous",
  because: "runs code from its arguments",
};

/** A shell line is not judged here: with `-c`, or without a file, nothing says what would run. */
const SHELL: ProgramLiteral = {
  risk: "moderate",
  options: {
    "-c --command -C --init-command": "code",
    "-s": PROMPTS,
    "-e -f -u -v -x -n -l -i -p -r --login --norc --noprofile --posix": "flag",
  },
  runs: {},
  wraps: {
    by: "unknown",
    because: "a shell's line is not judged; name the program and its arguments",
  },
  review: {
    ways: [["script.sh"], ["-c", "PROGRAM"]],
    instead: "name the programs that the scripts start",
  },
};

function interpreter(
  options: OptionsLiteral,
  review?: { readonly file: string; readonly code: string; readonly instead: string },
): ProgramLiteral {
  return {
    risk: "moderate",
    options,
    runs: { tells: "-v" },
    ...(review === undefined ? {} : {
      review: { ways: [[review.file], [review.code, "CODE"]], instead: review.instead },
    }),
  };
}

const behindIt = { file: "script", code: "-e", instead: "write the script behind it" };

/** python(1): `-c` and `-m` end its own options. */
export const PYTHON: ProgramLiteral = {
  risk: "moderate",
  options: {
    "-c": "code",
    "-m": "module",
    "-i": PROMPTS,
    "-W -X --check-hash-based-pycs": "text",
    "-B -b -d -E -h -I -O -P -q -R -s -S -t -u -v -V -x": "flag",
  },
  runs: {
    tells: "-V -VV",
    // Of the standard library: those that run a statement, an expression or another module of their arguments,
    // read code from stdin, load what they unpickle, or start other programs.
    modules:
      "timeit code pdb bdb cProfile profile runpy trace asyncio idlelib pickle pstats webbrowser " +
      "sqlite3 pydoc IPython ipykernel _pyrepl",
  },
  review: {
    ways: [["script.py"], ["-c", "CODE"]],
    instead: 'write what it is for, such as "python3 -m pytest"',
  },
};

/** node(1). */
export const NODE: ProgramLiteral = {
  risk: "moderate",
  grammar: "node",
  options: {
    "-e --eval -p --print": "code",
    "-r --require --import --loader --experimental-loader": "library",
    // Files that may hold NODE_OPTIONS and so any of these.
    "--env-file --env-file-if-exists --experimental-config-file --experimental-default-config-file":
      "library",
    "--openssl-config --snapshot-blob": "library",
    "-i --interactive --inspect --inspect-brk --inspect-wait": PROMPTS,
    "-C --conditions --title --input-type --test-concurrency --test-name-pattern": "text",
    "--test-skip-pattern --test-timeout --test-shard --disable-warning": "text",
    "--test-reporter --test-global-setup": "input",
    "-c -v --test --watch --check --no-warnings --trace-warnings --enable-source-maps --test-only":
      "flag",
    "--experimental-strip-types --experimental-transform-types --experimental-test-coverage":
      "flag",
  },
  runs: { finds: "--test", tells: "-v" },
  subcommands: {
    inspect: { risk: "dangerous", because: "runs code that it reads" },
  },
  review: {
    ways: [["script.js"], ["-e", "CODE"]],
    instead: 'write "npm test" or "node --test"',
  },
};

/** Starts commands from its arguments, its files or its prompt. */
const PROMPT: ProgramLiteral = {
  risk: "dangerous",
  inspect: "prompt",
  because: "runs commands from its arguments and its files",
};

/** Shells and interpreters of languages. */
export const INTERPRETERS: ProgramTable = {
  "sh bash dash zsh ksh mksh ash fish csh tcsh pwsh rbash yash elvish nu": SHELL,
  "python python2 python3 pypy pypy3": PYTHON,
  ipython: {
    ...PYTHON,
    options: {
      "-c": "code",
      "-i": PROMPTS,
      "-m": "module",
      "-B -b -d -E -I -O -P -q -s -S -u -v -x": "flag",
    },
  },
  "node nodejs": NODE,
  deno: {
    risk: "moderate",
    options: {
      "--preload --import": "library",
      // deno task's: a line of its shell.
      "--eval": { is: "command", risk: "dangerous", because: "runs code from its arguments" },
    },
    runs: { remote: true },
    subcommands: {
      "eval repl x install jupyter": {
        risk: "dangerous",
        because: "runs code from its arguments",
      },
      "run serve test bench task compile cache doc info add remove": { risk: "moderate" },
      "check fmt lint": { risk: "moderate", onlyReads: true },
    },
    review: {
      ways: [["run", "-A", "script.ts"], ["eval", "CODE"]],
      instead: 'write "deno {check,fmt,lint,test}"',
    },
  },
  bun: {
    risk: "moderate",
    options: { "-e --eval -p --print": "code", "-r --preload --import --require": "library" },
    runs: { remote: true },
    subcommands: {
      "x repl create exec": { risk: "dangerous", because: "runs code from its arguments" },
      "run test build install add": { risk: "moderate" },
    },
    review: { ways: [["script.ts"], ["-e", "CODE"]], instead: 'write "bun test"' },
  },
  perl: interpreter({
    "-e -E": "code",
    // perlrun(1): the pattern of -F is put into the program as it is.
    "-M -m -d -F": "code",
    "-i": PROMPTS,
    "-w -W -X -t -T -c -v -n -p -a -l -s": "flag",
  }, { file: "script.pl", code: "-e", instead: 'write the script, as in "perl tools/check.pl"' }),
  ruby: interpreter({
    "-e": "code",
    "-r": "library",
    "-i": PROMPTS,
    "-w -W -c -v -n -p -a -l -s --disable-gems": "flag",
  }, { file: "script.rb", code: "-e", instead: 'write the script, as in "ruby tools/check.rb"' }),
  php: interpreter(
    { "-r -R -B -E -d -a": "code", "-z --zend-extension": "library", "-f --file": "input" },
    { file: "script.php", code: "-r", instead: 'write the script, as in "php tools/check.php"' },
  ),
  lua: interpreter({ "-e": "code", "-l": "library", "-i": PROMPTS }, behindIt),
  luajit: interpreter({ "-e -j": "code", "-l": "library", "-i": PROMPTS }, behindIt),
  "Rscript": interpreter({ "-e": "code" }, behindIt),
  julia: interpreter({ "-e -E --eval --print": "code", "-L --load": "library" }, behindIt),
  "tclsh osascript": interpreter({ "-e": "code" }, behindIt),
  guile: interpreter({ "-c -e -l": "code" }, behindIt),
  expect: {
    risk: "dangerous",
    because: "starts another program",
    wraps: {
      by: "unknown",
      because: "expect starts another program in a way that is not judged",
    },
    review: { ways: [["script"], ["-e", "CODE"]], instead: "write the script behind it" },
  },
  racket: interpreter({ "-e -f -l -r": "code" }),
  elixir: interpreter({ "-e --eval -r": "code" }),
  erl: interpreter({ "-eval -s -run": "code" }),
  "R ghc groovy": interpreter({ "-e": "code" }),
  "gdb lldb": {
    ...PROMPT,
    review: { ways: [["-c", "!PROGRAM"]], instead: "leave changes to the file tools" },
  },
  "sqlite sqlite3 psql mysql irb": PROMPT,
};
