/** Complexity of functions, beside radon, lizard and gocognit. */

import { join } from "@std/path";
import { CYCLOMATIC_OF_PYTHON, RADON_RULES } from "./_cyclomatic_python.ts";
import { type Ask, comparedNumbers, printed, pythonLibrary, sourcesOf } from "./_compared.ts";
import type { Agreement } from "./profiles.ts";

interface Measured {
  readonly file: string;
  readonly name: string;
  readonly line: number;
  readonly end_line: number;
  readonly cyclomatic: number;
  readonly cognitive: number;
  readonly parameters: number;
}

/** What each counts that McCabe's measure, as this tool has it, does not: by words of a function's text. */
type Habits = readonly (readonly [pattern: RegExp, reason: string])[];

/** Lizard 1.24, `lizard_languages/`. */
const LIZARD: Readonly<Record<string, Habits>> = {
  rust: [
    [/\blet\b[^=;]*=[^;]*\belse\s*\{/, "lizard counts no let … else"],
    [/\?/, "lizard counts each ? of Rust"],
    [/\bmatch\b/, "lizard counts a match once, whatever its arms"],
    [/\bwhere\b|\bif let\b|\bwhile let\b|\|/, "closures: apart here, within there"],
  ],
  java: [
    [/\bnew\s+[\w.<>?, ]+\([^)]*\)\s*\{/, "lizard adds the methods of anonymous classes"],
    [/->/, "lizard adds lambdas"],
  ],
  cpp: [
    [/^\s*#\s*(el)?if/m, "lizard counts #if"],
    [/\[[=&\w, ]*\]\s*[({]/, "lizard adds lambdas"],
    [/^[^{]*\)[^{;]*:[^{]*[?&|]/, "lizard leaves out what initializers before the body decide"],
  ],
  c: [[/^\s*#\s*(el)?if/m, "lizard counts #if"]],
  go: [
    [/\bfunc\s*\(/, "lizard adds function literals"],
    [/\bcase\b/, "lizard counts no case of a switch over types, nor of select"],
  ],
};

/** Gocognit 1.2, `gocognit.go`. */
const GOCOGNIT: Habits = [
  [/\} else \{/, "gocognit nests nothing in an else; the paper does"],
  [/\([^()]*(&&|\|\|)/, "gocognit begins anew at parentheses; Sonar's own rules do not"],
  [/\bfunc\s*\(/, "gocognit counts function literals apart"],
  [/^/, "direct recursion: once here; there each call by the bare name, and none by the receiver"],
];

/** A line for each program and each language whose sources are here. */
export function complexities(ask: Ask): readonly Agreement[] {
  return [
    ...byRadon(ask),
    ...Object.keys(LIZARD).flatMap((each) => byLizard(ask, each)),
    ...byGocognit(ask),
  ];
}

function byRadon(ask: Ask): readonly Agreement[] {
  const root = pythonLibrary();
  const text = root === null ? null : printed("radon", ["cc", "-j", "--no-assert", "."], root);
  if (root === null || text === null) return [];
  const blocks = Object.entries(JSON.parse(text) as Record<string, readonly RadonBlock[]>);
  const theirs = blocks.flatMap(([file, list]) =>
    Array.isArray(list) ? list.flatMap((block) => functionsOf(block, file)) : []
  );
  const ours = measure(ask, root, ".");
  return [comparedNumbers(
    "cyclomatic complexity of Python",
    "radon",
    onceOnly(theirs),
    onceOnly(ours.map(({ file, line, cyclomatic }) => [`${file}:${line}`, cyclomatic])),
    byRules(root),
  )];
}

/** What is not by radon's rules, or ours not McCabe's, stays unexplained. */
function byRules(root: string): (key: string, ours: number, theirs: number) => string | null {
  const text = printed("python3", ["-c", CYCLOMATIC_OF_PYTHON], root) ?? "[]";
  const rows = JSON.parse(text) as readonly (readonly [
    file: string,
    line: number,
    mccabe: number,
    radon: number,
    rules: readonly string[],
  ])[];
  const read = new Map<string, (typeof rows)[number]>(
    rows.map((row) => [`${row[0]}:${row[1]}`, row] as const),
  );
  return (key, ours, theirs) => {
    const [, , mccabe, radon, rules] = read.get(key) ?? ["", 0, -1, -1, []];
    return ours === mccabe && theirs === radon
      ? rules.map((rule) => RADON_RULES[rule]).join("; ")
      : null;
  };
}

interface RadonBlock {
  readonly type: string;
  readonly lineno: number;
  readonly complexity: number;
  readonly closures?: readonly RadonBlock[];
}

/** Methods stand beside their class; functions within stand in theirs. */
function functionsOf(block: RadonBlock, file: string): readonly (readonly [string, number])[] {
  if (block.type === "class") return [];
  const { lineno, complexity, closures = [] } = block;
  const within = closures.flatMap((each) => functionsOf(each, file));
  return [[`${file.replace(/^\.\//, "")}:${lineno}`, complexity], ...within];
}

function byLizard(ask: Ask, language: string): readonly Agreement[] {
  const root = sourcesOf(language);
  const text = root === null ? null : printed("lizard", ["--csv", "-l", language, "."], root);
  if (root === null || text === null) return [];
  const rows = text.split("\n").map((line) =>
    [...line.matchAll(/"([^"]*)"|([^,]+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "")
  ).filter(({ length }) => length >= 10);
  const ours = measure(ask, root, ".");
  const habits = LIZARD[language] ?? [];
  const keyOf = (row: readonly string[]) => `${(row[6] ?? "").replace(/^\.\//, "")}:${row.at(-2)}`;
  return ([["cyclomatic", 1], ["parameters", 3]] as const).map(([measure, column]) =>
    comparedNumbers(
      `${measure} of ${language}`,
      "lizard",
      onceOnly(rows.map((row) => [keyOf(row), Number(row[column])])),
      onceOnly(ours.map((each) => [`${each.file}:${each.line}`, each[measure]])),
      measure === "cyclomatic" ? explained(root, ours, habits) : recounted(root),
    )
  );
}

/** McCabe's measure of C from its words and signs alone. */
function decisionsIn(text: string): number {
  const plain = text.replaceAll(
    /\/\*[^]*?\*\/|\/\/.*$|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/gm,
    "",
  );
  return 1 + [...plain.matchAll(/\b(?:if|for|while|case|catch)\b|&&|\|\||\?/g)].length;
}

/** Lists of parameters are counted once more, in the text: lizard's count is then not what it says it is. */
function recounted(root: string): (key: string, ours: number) => string | null {
  return (key, ours) => {
    const [, file = "", line = "1"] = /^(.*):(\d+)$/.exec(key) ?? [];
    const text = Deno.readTextFileSync(join(root, file)).split("\n").slice(Number(line) - 1)
      .join("\n");
    if (/^[A-Z][A-Z0-9_]+\s*\(/.test(text)) {
      return "a macro's call with a body: no list of parameters";
    }
    const list = parameterList(file, text);
    return list !== null && partsOf(list) === ours
      ? "the list in the text has as many as here: there receivers and commas of types count, and what has no name or is an array does not"
      : null;
  };
}

/** What stands between a function's brackets; null where that cannot be told from the text. */
function parameterList(file: string, text: string): string | null {
  const isMethod = /^func\s*\(/.test(text);
  let from = 0;
  for (let skipped = 0; skipped <= (isMethod ? 1 : 0); skipped++) {
    const rest = text.slice(from);
    const operator = /^[^({;]*operator\s*\(\s*\)/.exec(rest)?.[0].length ?? 0;
    const generics = file.endsWith(".rs")
      ? /^[^(]*?fn \w+<(?:[^()]|\([^()]*\))*?>\s*(?=\()/.exec(rest)?.[0].length ?? 0
      : 0;
    const open = rest.indexOf("(", Math.max(operator, generics));
    if (open < 0) return null;
    const end = closingOf(rest, open);
    if (end < 0) return null;
    if (skipped === (isMethod ? 1 : 0)) return rest.slice(open + 1, end);
    from += end + 1;
  }
  return null;
}

function closingOf(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    if (text[at] === "(") depth++;
    else if (text[at] === ")" && --depth === 0) return at;
  }
  return -1;
}

/** Parts between commas that lie in no brackets. */
function partsOf(list: string): number {
  const plain = list.replaceAll(/\/\*[^]*?\*\/|\/\/.*$/gm, "").replaceAll(/->|<-/g, "").trim()
    .replace(/,$/, "");
  if (plain === "" || plain === "void") return 0;
  let [depth, count] = [0, 1];
  for (const sign of plain) {
    if ("([{<".includes(sign)) depth++;
    else if (")]}>".includes(sign)) depth--;
    else if (sign === "," && depth === 0) count++;
  }
  return count;
}

function byGocognit(ask: Ask): readonly Agreement[] {
  const root = sourcesOf("go");
  const text = root === null ? null : printed("gocognit", ["-json", "."], root);
  if (root === null || text === null) return [];
  const theirs = JSON.parse(text) as readonly {
    readonly Complexity: number;
    readonly Pos: { readonly Filename: string; readonly Line: number };
  }[];
  const ours = measure(ask, root, ".");
  return [comparedNumbers(
    "cognitive complexity of Go",
    "gocognit",
    onceOnly(theirs.map(({ Pos, Complexity }) => [`${Pos.Filename}:${Pos.Line}`, Complexity])),
    onceOnly(ours.map(({ file, line, cognitive }) => [`${file}:${line}`, cognitive])),
    explained(root, ours, GOCOGNIT),
  )];
}

function measure(ask: Ask, root: string, path: string): readonly Measured[] {
  const { functions } = ask(root, "measure_code_complexity", { path, max_results: 100_000 });
  return functions as readonly Measured[];
}

/** Two functions that begin in one line cannot be told apart. */
function onceOnly(entries: readonly (readonly [string, number])[]): ReadonlyMap<string, number> {
  const groups = Map.groupBy(entries, ([key]) => key);
  return new Map(
    [...groups].flatMap(([key, list]) =>
      list.length === 1 ? [[key, list[0]?.[1] ?? 0] as const] : []
    ),
  );
}

function explained(
  root: string,
  ours: readonly Measured[],
  habits: Habits,
): (key: string) => string | null {
  const spans = new Map(ours.map((each) => [`${each.file}:${each.line}`, each]));
  return (key) => {
    const span = spans.get(key);
    if (span === undefined) return null;
    const lines = Deno.readTextFileSync(join(root, span.file)).split("\n");
    const text = lines.slice(span.line, span.end_line).join("\n");
    const habit = habits.find(([pattern]) => pattern.test(text))?.[1];
    if (habit !== undefined) return habit;
    const isOfC = /\.(c|cc|cpp|h|hpp)$/.test(span.file);
    return isOfC && decisionsIn(`${lines[span.line - 1]}\n${text}`) === span.cyclomatic
      ? "the text has as many words and signs that decide as are counted here: lizard takes some && for references"
      : null;
  };
}
