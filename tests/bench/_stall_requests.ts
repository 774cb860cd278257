/** Requests that are grown from pieces of what each parser, matcher and resolver of the main thread reads. */

import type { Random } from "../random.ts";

/** A text to be: pieces that come once, pieces that come again and again, and pieces that come last. */
export interface Growth {
  readonly head: readonly string[];
  readonly repeated: readonly string[];
  readonly tail: readonly string[];
}

/** One parser: what its texts are made of, and the request that a text comes in. */
export interface Reader {
  readonly name: string;
  readonly pieces: readonly string[];
  /** The words or the text of a growth come in one of these. `words`: the pieces, each a word where that matters. */
  readonly request: (words: readonly string[]) => Readonly<Record<string, unknown>>;
}

const run = (args: Readonly<Record<string, unknown>>) => ({ tool: "run_command", args });
const argv = (...words: readonly string[]) => run({ argv: words });
/** Longest word that is taken (MAX_ARG_STRLEN): a text over it comes in several. */
const WORD = 131_000;

/** Parts of the text that fit into a word each. */
function cut(words: readonly string[]): readonly string[] {
  const text = words.join("");
  return Array.from(
    { length: Math.ceil(text.length / WORD) },
    (_, at) => text.slice(at * WORD, (at + 1) * WORD),
  );
}

const text = (
  name: string,
  pieces: readonly string[],
  request: (text: string) => Readonly<Record<string, unknown>>,
): Reader => ({ name, pieces, request: (words) => request(words.join("")) });

/** A program with a text of its own in one argument, or in as many as it takes. */
const script = (name: string, pieces: readonly string[], before: readonly string[]): Reader => ({
  name,
  pieces,
  request: (words) => {
    const [option = ""] = before.slice(-1);
    const parts = cut(words).slice(0, 120);
    const apart = option.startsWith("-")
      ? parts.flatMap((part, at) => at === 0 ? [part] : [option, part])
      : parts;
    return argv(...before, ...apart);
  },
});

/** A program with its pieces as words. */
const words = (
  name: string,
  pieces: readonly string[],
  before: readonly string[] = [],
): Reader => ({
  name,
  pieces,
  request: (all) => argv(...before, ...all.slice(0, 9_990)),
});

const SHELL = [
  "a",
  " ",
  "$(",
  ")",
  "`",
  "'",
  '"',
  "$'",
  "{",
  "}",
  "{a,b}",
  "{1..9}",
  "${x",
  "${x:-",
  "${x//",
  "((",
  "|",
  "||",
  "&&",
  ";",
  "\n",
  "<",
  ">",
  "<<",
  "<<E\n",
  "<<<",
  "2>&1",
  "\\",
  "#",
  "*",
  "[a-",
  "?",
  "!",
  "=",
  "x=",
  "a b ",
  "~",
  "/",
  "..",
  "if ",
  "for x in ",
  "do ",
  "cat a;",
  "cat a|",
  "sh -c '",
  "é",
  "$x",
] as const;
const WRAPPERS = [
  "xargs",
  "env",
  "nice",
  "timeout",
  "5",
  "-n",
  "find",
  ".",
  "-exec",
  ";",
  "{}",
  "+",
  "sh",
  "-c",
  "a",
  "X=1",
  "--",
  "-I",
  "-i",
  "-u",
  "nohup",
  "time",
  "stdbuf",
  "-o0",
  "setsid",
  "sudo",
  "-S",
  "cat a",
  "ls",
  "bash",
  "awk",
  "sed",
  "e touch x",
  "git",
  "rebase",
  "tar",
  "--to-command=x",
  "-print",
  "ionice",
  "command",
] as const;
const OPTIONS = [
  "-",
  "--",
  "a",
  "=",
  "-a",
  "-f",
  "-x",
  "-I",
  "--x",
  "--x=",
  "/",
  "..",
  "./",
  "x/",
  "@",
  ":",
  ",",
  "{",
  "}",
  "-c",
  "alias.x=!",
  "core.pager=",
  "ext::",
  "%",
  " ",
  "--exec=",
  "http://",
  "\\",
  "*",
  "-o",
  "x=y",
] as const;
const AWK = [
  "{",
  "}",
  "(",
  ")",
  '"',
  "'",
  "/",
  "\\",
  "|",
  "|&",
  "system(",
  "getline",
  "print",
  ">",
  ">>",
  " ",
  "\n",
  ";",
  "a",
  "=",
  '"a"',
  "$1",
  "#",
  ",",
  "cmd",
  'x="y"',
  "1",
  "\t",
  '\\"',
  "-",
  "e",
] as const;
const SED = [
  "s/",
  "/",
  "a",
  "b",
  ";",
  "\n",
  "{",
  "}",
  "\\",
  "y/",
  "e ",
  "w x",
  "r x",
  ":",
  "1,",
  "$!",
  "i\\",
  "c",
  "[",
  "]",
  "[^",
  "|",
  " ",
  "0~3",
  "s,",
  ",",
  "/e",
  "/w",
  "#",
  "\\n",
  "&",
] as const;
const PATHS = [
  "a",
  "/",
  "..",
  "../",
  "./",
  "//",
  "a/",
  "é",
  ".",
  "\\",
  "src/",
  "l0",
  " ",
  "\u0000",
] as const;
const GLOBS = [
  "*",
  "**",
  "**/",
  "?",
  "[a",
  "[",
  "]",
  "{",
  "}",
  "{a,b}",
  ",",
  "a",
  "/",
  "!",
  "\\",
  "(",
  ")",
  "|",
  "@(",
  "+(",
  ".",
  "*a",
  "[!",
  "-",
  "]*",
] as const;
const REGEX = [
  "a",
  "(",
  ")",
  "(?:",
  "*",
  "+",
  "{1,9}",
  "{9}",
  "?",
  "|",
  "[",
  "]",
  "[^",
  "-",
  "\\",
  "\\d",
  "\\b",
  "^",
  "$",
  ".",
  "(?=",
  "(?<",
  "(?<n>",
  "\\1",
  "\\k<n>",
  "\\p{L}",
  "(a*)*",
  "(?!",
  "}",
  ">",
  "\\u{",
  "é",
] as const;
const PATCH = [
  "*** Begin Patch\n",
  "*** Update File: a\n",
  "*** Add File: a\n",
  "*** Delete File: a\n",
  "*** Move to: b\n",
  "@@\n",
  "@@ a\n",
  "@@ -1 +1 @@\n",
  "@@ -1,9 +1,9 @@\n",
  "--- a/a\n",
  "+++ b/a\n",
  "diff --git a/a b/a\n",
  "+a\n",
  "-a\n",
  " a\n",
  "\n",
  "a",
  "rename from a\n",
  "rename to b\n",
  "*** End Patch\n",
  "\\ No newline at end of file\n",
  "index 0..1\n",
  "GIT binary patch\n",
  "\t",
  '"',
  "a b/",
  "\\",
  "deleted file mode 100644\n",
] as const;
const JSON_PIECES = [
  "[",
  "]",
  "{",
  "}",
  ",",
  ":",
  '"',
  "\\",
  "0",
  "1e9",
  "null",
  '"a":',
  '"a":1,',
  '{"a":',
  "[[",
  "[]",
  "{},",
  " ",
  "\\u0041",
  "\\ud800",
  "é",
  '"id":1,',
  "-",
  ".",
  "true",
  '"args":{',
  '""',
  "1,",
  '"",',
] as const;

/** Letters that are long as JSON or as UTF-8, halves of them, and what begins something in a language. */
const CONTENT = [
  "\n",
  "\u0001",
  "a",
  "é",
  "\ud83e\udd95",
  "\ud83e",
  "\u202e",
  "\u0301",
  "a: b\n",
  "- ",
  "{",
  "[",
  '"',
  "\\",
  "(",
  "<a>",
  "1,",
  "x=1\n",
  "#",
  "`",
  "$(",
] as const;

const REQUEST = '{"id":1,"tool":"read_file","args":{"path":"a","x":';

/** Every way in which text of a request reaches code of the main thread. */
export const READERS: readonly Reader[] = [
  text("shell line", SHELL, (command) => run({ command })),
  script("shell line in an argument", SHELL, ["sh", "-c"]),
  script("shell line in find -exec", SHELL, ["find", ".", "-exec", "sh", "-c"]),
  words("programs that start others", WRAPPERS),
  words("nested xargs", WRAPPERS, ["xargs"]),
  words("nested env", WRAPPERS, ["env"]),
  words("find", WRAPPERS, ["find"]),
  script("awk", AWK, ["awk"]),
  script("awk variables", AWK, ["awk", "{print}", "-v"]),
  script("sed", SED, ["sed"]),
  script("sed scripts", SED, ["sed", "-e"]),
  script("python", SHELL, ["python3", "-c"]),
  words("interpreters", [...OPTIONS, "-m", "timeit", "-W", "x", "a.py"], ["python3"]),
  words("make", [...OPTIONS, "-sf-", "SHELL=x", "all"], ["make"]),
  script("git -c", OPTIONS, ["git", "-c"]),
  words("git", [...OPTIONS, ...WRAPPERS, "log", "bisect", "run", "submodule", "foreach"], ["git"]),
  words("tar", [...OPTIONS, "-cf", "--checkpoint-action=exec=x", "-C", "I"], ["tar"]),
  words("curl", [...OPTIONS, "-d", "@a", "http://[::1]/", "//"], ["curl"]),
  words("zip", [...OPTIONS, "-T", "-TT"], ["zip"]),
  words("cp", [...OPTIONS, ...PATHS.filter((one) => one !== "\u0000")], ["cp"]),
  words("a program that is not known", OPTIONS, ["nosuch"]),
  script("one argument", OPTIONS, ["nosuch"]),
  text("path", PATHS, (path) => ({ tool: "read_file", args: { path } })),
  words("paths", PATHS.filter((one) => one !== "\u0000"), ["cat"]),
  text("directory", PATHS, (cwd) => run({ argv: ["ls"], cwd })),
  {
    name: "variables",
    pieces: ["A", "B_", "a=", "LD_", "é"],
    request: (all) =>
      run({ argv: ["ls"], env: Object.fromEntries(all.map((one, at) => [`${one}${at}`, one])) }),
  },
  text("glob", GLOBS, (glob) => ({ tool: "find_files", args: { glob } })),
  text(
    "file pattern",
    GLOBS,
    (glob) => ({ tool: "search_files", args: { pattern: "a", file_pattern: glob } }),
  ),
  text("search pattern", REGEX, (pattern) => ({ tool: "search_files", args: { pattern } })),
  text("code pattern", [
    "(",
    ")",
    "$A",
    "$$$A",
    "{",
    "}",
    "a",
    ";",
    "\n",
    '"',
    "_",
    "@a",
    "#eq? ",
    "[",
    "]",
  ], (pattern) => ({ tool: "find_code_patterns", args: { pattern } })),
  text("patch", PATCH, (patch) => ({ tool: "apply_patch", args: { patch } })),
  text(
    "edit",
    ["a", "\n", " ", "é", "\t"],
    (old) => ({ tool: "edit_file", args: { path: "a", edits: [{ old, new: "b" }] } }),
  ),
  {
    name: "edits",
    pieces: ["a", "b", "\n"],
    request: (all) => ({
      tool: "edit_file",
      args: { path: "a", edits: all.map((old) => ({ old, new: "b" })) },
    }),
  },
  text(
    "content",
    ["a", "{", "\n", "- ", ": ", "é", "&a ", "*a "],
    (content) => ({ tool: "write_file", args: { path: "a.yaml", content } }),
  ),
  {
    name: "files of git",
    pieces: PATHS,
    request: (files) => ({ tool: "git_add", args: { files } }),
  },
  text(
    "message of git",
    ["a", "\n", "-", ":"],
    (message) => ({ tool: "git_commit", args: { message } }),
  ),
  {
    name: "files to analyse",
    pieces: PATHS,
    request: (files) => ({ tool: "measure_code_complexity", args: { files } }),
  },
  {
    name: "files to lint",
    pieces: PATHS,
    request: (files) => ({ tool: "run_linter", args: { files } }),
  },
  text(
    "help",
    ["a", "_", "-", ".", " ", "read", "file"],
    (topic) => ({ tool: "get_help", args: { tool: topic } }),
  ),
  text("name of a tool", ["read_file", "a", "_", ".", "-", "é"], (tool) => ({ tool, args: {} })),
  {
    name: "names of arguments",
    pieces: ["path", "a", "pathh", "__proto__", "é"],
    request: (all) => ({
      tool: "read_file",
      args: Object.fromEntries(all.map((one, at) => [`${one}${at % 50_000}`, at])),
    }),
  },
  text(
    "agent",
    ["a", "*", "-", "é"],
    (agent) => ({ tool: "read_file", args: { path: "a" }, agent }),
  ),
  text(
    "manifest",
    ["a", "{", "}", "|", "\\", "\n"],
    (name) => ({ op: "register", manifest: { name, run: [name], args: {} } }),
  ),
  {
    name: "names of a manifest",
    pieces: ["a", "name", "é", "{", "x.y"],
    request: (all) => ({
      op: "register",
      // More are refused whatever they are.
      manifest: Object.fromEntries(all.slice(0, 19_900).map((one, at) => [`${one}${at}`, one])),
    }),
  },
  text("approval", ["a", "_", "é"], (approval) => ({ op: "approve", approval })),
  text("why not", ["a", "\n", "é", "\u202e"], (reason) => ({
    op: "reject",
    approval: "ap_0",
    reason,
  })),
  text("what is cancelled", ["a", "\\", "\n"], (target) => ({ op: "cancel", target })),
  text("operation", ["a", "_", "ping"], (op) => ({ op })),
  text("token", ["a", "_", "é"], (token) => ({ op: "hello", token })),
  {
    name: "terms of a token",
    pieces: ["a", "**", "{a,b}", "/"],
    request: (all) => ({ op: "token", agent: "a", paths: [{ allow: ["read"], match: all }] }),
  },
  {
    name: "words of arguments",
    pieces: ["path=a", "a=", "=", "path", "é"],
    request: (words) => ({ tool: "read_file", words }),
  },
  ...["b.txt", "b.json", "b.toml", "b.yaml", "b.py", "b.ts", "b.css", "b.html", "b.sh"].map((
    path,
  ) =>
    text(
      `content of ${path}`,
      CONTENT,
      (content) => ({ tool: "write_file", args: { path, content } }),
    )
  ),
  text("standard input", CONTENT, (stdin) => run({ argv: ["cat"], stdin })),
  text("address", ["a", ".", "/", "%41", "é", "@", ":", "[", "xn--", "?a=b"], (rest) => ({
    tool: "fetch_url",
    args: { url: `http://a${rest}` },
  })),
  text("body of a request", CONTENT, (body) => ({
    tool: "fetch_url",
    args: { url: "http://127.0.0.1:1/", method: "POST", body },
  })),
  text("ref of git", ["a", "/", ".", "@{", "~1", "^", ":"], (ref) => ({
    tool: "git_show",
    args: { ref },
  })),
  {
    name: "JSON",
    pieces: JSON_PIECES,
    request: (all) => ({ line: `${REQUEST}${all.join("").replaceAll("\n", "")}}}` }),
  },
];

/** Pieces taken by chance. */
export function randomGrowth(random: Random, pieces: readonly string[]): Growth {
  const some = (most: number) =>
    Array.from({ length: random.below(most + 1) }, () => random.pick(pieces));
  return { head: some(2), repeated: [random.pick(pieces), ...some(3)], tail: some(2) };
}

/** One piece of it another. */
export function mutate(random: Random, growth: Growth, pieces: readonly string[]): Growth {
  const part = random.pick(["head", "repeated", "repeated", "tail"] as const);
  const changed = [...growth[part]];
  const at = random.below(changed.length + 1);
  if (random.once(2) || changed.length < 2) {
    changed.splice(at, random.below(2), random.pick(pieces));
  } else changed.splice(at, 1);
  return { ...growth, [part]: changed.length === 0 ? [random.pick(pieces)] : changed };
}

/** The pieces of a growth, up to some characters. */
export function grown({ head, repeated, tail }: Growth, length: number): readonly string[] {
  const once = Math.max(1, repeated.join("").length);
  const times = Math.max(1, Math.min(Math.floor(length / once), 4_000_000));
  return [...head, ...Array.from({ length: times }, () => repeated).flat(), ...tail];
}
