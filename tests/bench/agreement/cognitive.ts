/**
 * Cognitive complexity of JavaScript, beside Sonar's own rule for it (`eslint-plugin-sonarjs`, `cognitive-complexity`). The
 * rule is not what Sonar's paper says: it counts functions within others apart, no `||` nor `??`, and no recursion. So both
 * are read here once more, from the compiler's tree: where each has the number that its rules give, the difference is that
 * of the rules.
 */

import { join } from "@std/path";
import ts from "typescript";
import { COGNITIVE_OF_PYTHON } from "./_cognitive_python.ts";
import { type Ask, comparedNumbers, printed, pythonLibrary, sourcesOf } from "./_compared.ts";
import type { Agreement } from "./profiles.ts";

/** Where the paper and Sonar's rule for JavaScript part. */
interface Rules {
  /** `||` counts. */
  readonly either: boolean;
  /** What stands in functions within counts for those around them. */
  readonly inner: boolean;
  /** A function that calls itself counts one more. */
  readonly recursion: boolean;
}

const PAPER: Rules = { either: true, inner: true, recursion: true };
const RULE: Rules = { either: false, inner: false, recursion: false };

const REASONS: Readonly<Record<keyof Rules, string>> = {
  either: "Sonar's rule for JavaScript counts no ||; the paper does",
  inner: "Sonar's rule for JavaScript counts functions within others apart; the paper adds them",
  recursion: "Sonar's rule for JavaScript counts no recursion; the paper does",
};

/** Of what the plug-in adds beyond its own rules. */
const BY_PAPER =
  "the paper, read from the compiler's tree, has ours; theirs is not what its rules say either";

/** Has ESLint say the complexity of each function. Its own place is where the plug-in lies beside it. */
const CONFIGURATION = `const { createRequire } = require("node:module");
const sonarjs = createRequire(process.argv[1])("eslint-plugin-sonarjs");
const rules = { "sonarjs/cognitive-complexity": ["error", 0] };
const linterOptions = { noInlineConfig: true, reportUnusedDisableDirectives: "off" };
module.exports = [{ files: ["**/*.js"], plugins: { sonarjs }, rules, linterOptions }];
`;

interface Linted {
  readonly filePath: string;
  readonly messages: readonly {
    readonly ruleId: string | null;
    readonly line: number;
    readonly message: string;
  }[];
}

/** A line where the sources and ESLint with the plug-in are here. */
export function cognitiveOfJavaScript(ask: Ask): readonly Agreement[] {
  const root = sourcesOf("javascript");
  const linted = root === null ? null : lintedIn(root);
  if (root === null || linted === null) return [];
  const theirs = linted.flatMap(({ filePath, messages }) =>
    messages.filter(({ ruleId }) => ruleId !== null).map(({ line, message }) =>
      [
        `${filePath.slice(root.length + 1)}:${line}`,
        Number(/from (\d+) to/.exec(message)?.[1]),
      ] as const
    )
  );
  const { functions } = ask(root, "measure_code_complexity", { max_results: 100_000 });
  const ours = (functions as readonly { file: string; line: number; cognitive: number }[])
    .map(({ file, line, cognitive }) => [`${file}:${line}`, cognitive] as const);
  const read = new Map<string, ReadonlyMap<number, readonly ts.Node[]>>();
  return [comparedNumbers(
    "cognitive complexity of JavaScript",
    "eslint-plugin-sonarjs",
    single(theirs),
    single(ours),
    (key, own, other) => {
      const [, file = "", line = ""] = /^(.*):(\d+)$/.exec(key) ?? [];
      const found = read.get(file) ?? functionsOf(join(root, file));
      read.set(file, found);
      const [node, ...more] = found.get(Number(line)) ?? [];
      if (node === undefined || more.length > 0) return null;
      if (complexity(node, PAPER) !== own) return null;
      if (complexity(node, RULE) !== other) return BY_PAPER;
      const names = Object.keys(REASONS) as (keyof Rules)[];
      return names.filter((name) => complexity(node, { ...PAPER, [name]: false }) !== own)
        .map((name) => REASONS[name]).join("; ");
    },
  )];
}

/** A line where Python has `cognitive_complexity`: a difference is explained where the paper has the number that is ours. */
export function cognitiveOfPython(ask: Ask): readonly Agreement[] {
  const root = pythonLibrary();
  const text = root === null ? null : printed("python3", ["-c", COGNITIVE_OF_PYTHON], root);
  if (root === null || text === null) return [];
  const rows = JSON.parse(text) as readonly (readonly [
    file: string,
    line: number,
    theirs: number,
    paper: number,
    habit: string,
  ])[];
  const read = new Map<string, { readonly paper: number; readonly habit: string }>(
    rows.map(([file, line, , paper, habit]) => [`${file}:${line}`, { paper, habit }] as const),
  );
  const { functions } = ask(root, "measure_code_complexity", { max_results: 100_000 });
  const ours = (functions as readonly { file: string; line: number; cognitive: number }[])
    .map(({ file, line, cognitive }) => [`${file}:${line}`, cognitive] as const);
  return [comparedNumbers(
    "cognitive complexity of Python",
    "cognitive_complexity",
    single(rows.map(([file, line, theirs]) => [`${file}:${line}`, theirs])),
    single(ours),
    (key, own) => {
      const { paper, habit } = read.get(key) ?? { paper: -1, habit: "" };
      return own === paper ? `the paper, read from Python's tree, has ours; theirs ${habit}` : null;
    },
  )];
}

function lintedIn(root: string): readonly Linted[] | null {
  const file = Deno.makeTempFileSync({ prefix: "toolgate-bench-", suffix: ".cjs" });
  try {
    Deno.writeTextFileSync(file, CONFIGURATION);
    // Findings make it end with 1.
    const line = 'eslint --no-config-lookup -c "$1" -f json . ; test $? -le 1';
    const text = printed("sh", ["-c", line, "sh", file], root);
    return text === null || text === "" ? null : JSON.parse(text) as readonly Linted[];
  } finally {
    Deno.removeSync(file);
  }
}

/** Two functions that begin in one line cannot be told apart. */
function single(entries: readonly (readonly [string, number])[]): ReadonlyMap<string, number> {
  const groups = Map.groupBy(entries, ([key]) => key);
  return new Map([...groups.values()].flatMap((list) => list.length === 1 ? list : []));
}

/** Functions of a file, by the lines that they begin in. */
function functionsOf(path: string): ReadonlyMap<number, readonly ts.Node[]> {
  const text = Deno.readTextFileSync(path);
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS);
  const found = new Map<number, ts.Node[]>();
  const visit = (node: ts.Node): void => {
    if (isFunction(node)) {
      const line = file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;
      found.set(line, [...found.get(line) ?? [], node]);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function isFunction(node: ts.Node): node is ts.FunctionLikeDeclaration {
  return ts.isFunctionLike(node) && (node as ts.FunctionLikeDeclaration).body !== undefined;
}

/** By the rules, from the compiler's tree. */
function complexity(root: ts.Node, rules: Rules): number {
  let [own, inner, recursive, structured] = [0, 0, 0, false];
  const within = [root];
  const known = new Set<ts.Node>();
  const visit = (node: ts.Node, nesting: number, isOwn: boolean): void => {
    const add = (amount: number) => isOwn ? own += amount : inner += amount;
    const all = (nodes: readonly (ts.Node | undefined)[], level: number) =>
      nodes.forEach((each) => each !== undefined && visit(each, level, isOwn));
    const structure = (heads: readonly (ts.Node | undefined)[], bodies: readonly ts.Node[]) => {
      add(1 + nesting);
      if (isOwn) structured = true;
      all(heads, nesting);
      all(bodies, nesting + 1);
    };
    if (isFunction(node)) {
      within.push(node);
      if (rules.inner) ts.forEachChild(node, (child) => visit(child, nesting + 1, false));
      within.pop();
    } else if (ts.isIfStatement(node)) {
      const isElseIf = ts.isIfStatement(node.parent) && node.parent.elseStatement === node;
      if (isElseIf) add(1);
      else structure([], []);
      all([node.expression], nesting);
      all([node.thenStatement], nesting + 1);
      const other = node.elseStatement;
      if (other !== undefined && !ts.isIfStatement(other)) add(1);
      if (other !== undefined) all([other], ts.isIfStatement(other) ? nesting : nesting + 1);
    } else if (ts.isForStatement(node)) {
      structure([node.initializer, node.condition, node.incrementor], [node.statement]);
    } else if (ts.isForInStatement(node) || ts.isForOfStatement(node)) {
      structure([node.initializer, node.expression], [node.statement]);
    } else if (ts.isWhileStatement(node) || ts.isDoStatement(node)) {
      structure([node.expression], [node.statement]);
    } else if (ts.isSwitchStatement(node)) structure([node.expression], node.caseBlock.clauses);
    else if (ts.isCatchClause(node)) structure([node.variableDeclaration], [node.block]);
    else if (ts.isConditionalExpression(node)) {
      structure([node.condition], [node.whenTrue, node.whenFalse]);
    } else {
      if (ts.isBreakOrContinueStatement(node) && node.label !== undefined) add(1);
      if (isLogical(node) && !isLogical(outOfBrackets(node.parent))) {
        const signs = signsOf(node, rules.either);
        add(signs.filter((sign, at) => counts(sign, rules) && sign !== signs[at - 1]).length);
      }
      const around = within.at(-1) ?? root;
      if (ts.isCallExpression(node) && !known.has(around) && calls(node.expression, around)) {
        known.add(around);
        if (isOwn) recursive++;
        else if (rules.recursion) inner++;
      }
      ts.forEachChild(node, (child) => visit(child, nesting, isOwn));
    }
  };
  ts.forEachChild(root, (child) => visit(child, 0, true));
  return own + (structured ? inner : 0) + (rules.recursion ? recursive : 0);
}

function counts(sign: ts.SyntaxKind, { either }: Rules): boolean {
  return sign === ts.SyntaxKind.AmpersandAmpersandToken ||
    (either && sign === ts.SyntaxKind.BarBarToken);
}

function isLogical(node: ts.Node): node is ts.BinaryExpression {
  return ts.isBinaryExpression(node) && SIGNS.includes(node.operatorToken.kind);
}

const SIGNS: readonly ts.SyntaxKind[] = [
  ts.SyntaxKind.AmpersandAmpersandToken,
  ts.SyntaxKind.BarBarToken,
  ts.SyntaxKind.QuestionQuestionToken,
];

function outOfBrackets(node: ts.Node): ts.Node {
  return ts.isParenthesizedExpression(node) ? outOfBrackets(node.parent) : node;
}

/** In the order of the text; the paper says nothing of `??`. */
function signsOf(node: ts.Node, isPaper: boolean): readonly ts.SyntaxKind[] {
  if (ts.isParenthesizedExpression(node)) return signsOf(node.expression, isPaper);
  if (!isLogical(node)) return [];
  const sign = node.operatorToken.kind;
  const isSaid = !isPaper || sign !== ts.SyntaxKind.QuestionQuestionToken;
  return [...signsOf(node.left, isPaper), ...isSaid ? [sign] : [], ...signsOf(node.right, isPaper)];
}

function nameOf(node: ts.Node): string | null {
  const own = (node as ts.FunctionLikeDeclaration).name;
  if (own !== undefined) return own.getText();
  return ts.isVariableDeclaration(node.parent) ? node.parent.name.getText() : null;
}

/** Whether a function calls itself: a member by `this` alone, for its bare name is another's. */
function calls(called: ts.Expression, root: ts.Node): boolean {
  const name = nameOf(root);
  const isMember = ts.isMethodDeclaration(root) || ts.isAccessor(root);
  if (ts.isIdentifier(called)) return !isMember && called.text === name;
  return isMember && ts.isPropertyAccessExpression(called) && called.name.text === name &&
    called.expression.kind === ts.SyntaxKind.ThisKeyword;
}
