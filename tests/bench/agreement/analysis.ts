/** What the tools of analysis say of real sources, beside what the tools of the field say of the same. */

import { join } from "@std/path";
import ts from "typescript";
import { ROOT } from "../../../scripts/compile.ts";
import type { Agreement } from "./profiles.ts";

/** What is compared: the sources of this repository, and what Python brings along. */
const TREE = join(ROOT, "src");

const POLICY = `version: 1
paths: [{ allow: [read], match: ["**"] }]
limits: { entries: 100000, output: 64MiB }
timeouts: { default: 300s }
`;

/** Differences of which each tells something. */
const SHOWN = 8;

interface Outlined {
  readonly path: string;
  readonly lines: { readonly code: number; readonly comment: number; readonly blank: number };
  readonly symbols: readonly {
    readonly name: string;
    readonly line: number;
    readonly kind: string;
  }[];
}

/** A line for each program that is here; those that are not are left out. */
export async function analysisAgreement(binary: string): Promise<readonly Agreement[]> {
  const folder = await Deno.makeTempDir({ prefix: "toolgate-bench-" });
  try {
    const policy = join(folder, "policy.yaml");
    await Deno.writeTextFile(policy, POLICY);
    const ask = (root: string, tool: string, ...args: readonly string[]) =>
      answerOf(binary, root, ["call", tool, ...args, "--policy", policy, "--format", "json"]);
    const library = pythonLibrary();
    const own = outline(ask, TREE);
    return [
      symbolsByCompiler(own),
      ...(library === null ? [] : symbolsByTags(outline(ask, library), library)),
      ...linesByCloc(own, TREE),
      ...importsByMadge(ask),
    ];
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

type Ask = (root: string, tool: string, ...args: readonly string[]) => Record<string, unknown>;

function answerOf(binary: string, root: string, args: readonly string[]): Record<string, unknown> {
  const { stdout } = new Deno.Command(binary, { args: [...args], cwd: root, stderr: "null" })
    .outputSync();
  const { output, error } = JSON.parse(new TextDecoder().decode(stdout));
  if (output === null) throw new Error(`${args[1]}: ${error.message}`);
  return output;
}

function outline(ask: Ask, root: string): readonly Outlined[] {
  return ask(root, "analyze_code_structure", "max_symbols=100000")["files"] as readonly Outlined[];
}

/** What a program of the field prints; null where it is not here. */
function printed(program: string, args: readonly string[], cwd: string): string | null {
  try {
    const { success, stdout } = new Deno.Command(program, {
      args: [...args],
      cwd,
      stderr: "null",
    }).outputSync();
    return success ? new TextDecoder().decode(stdout) : null;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

/** Of two lists with repetitions: what both have, and what one of them has. */
function compared(
  subject: string,
  against: string,
  theirs: readonly string[],
  ours: readonly string[],
): Agreement {
  const left = new Map<string, number>();
  for (const each of theirs) left.set(each, (left.get(each) ?? 0) + 1);
  const more: string[] = [];
  let same = 0;
  for (const each of ours) {
    const count = left.get(each) ?? 0;
    if (count === 0) more.push(`only here: ${each}`);
    else {
      left.set(each, count - 1);
      same++;
    }
  }
  const less = [...left].filter(([, count]) => count > 0).map(([each]) => `only there: ${each}`);
  const differences = [...less, ...more];
  return {
    subject,
    against,
    compared: same + differences.length,
    same,
    differences: differences.slice(0, SHOWN),
  };
}

function symbolsByCompiler(files: readonly Outlined[]): Agreement {
  const ours = files.flatMap(({ path, symbols }) => symbols.map(({ name }) => `${path} ${name}`));
  const theirs = files.flatMap(({ path }) => {
    const text = Deno.readTextFileSync(join(TREE, path));
    return declaredIn(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true))
      .map((name) => `${path} ${name}`);
  });
  return compared("symbols of TypeScript", "its compiler", theirs, ours);
}

/** Names of what an outline has: declarations, members, and variables that are local to no function. */
function declaredIn(file: ts.SourceFile): readonly string[] {
  const found: string[] = [];
  const bind = (name: ts.BindingName): void => {
    if (ts.isIdentifier(name)) found.push(name.text);
    else for (const each of name.elements) if (ts.isBindingElement(each)) bind(each.name);
  };
  const visit = (node: ts.Node, isLocal: boolean): void => {
    if (ts.isConstructorDeclaration(node)) found.push("constructor");
    else if (isNamed(node) && node.name !== undefined) found.push(node.name.getText(file));
    else if (ts.isVariableStatement(node) && !isLocal) {
      for (const { name } of node.declarationList.declarations) bind(name);
    }
    const isFunction = ts.isFunctionLike(node) && !ts.isMethodSignature(node);
    ts.forEachChild(node, (child) => visit(child, isLocal || isFunction));
  };
  visit(file, false);
  return found;
}

function isNamed(node: ts.Node): node is ts.Node & { readonly name?: ts.Node } {
  return ts.isFunctionDeclaration(node) || ts.isClassDeclaration(node) ||
    ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) ||
    ts.isEnumDeclaration(node) || ts.isEnumMember(node) || ts.isModuleDeclaration(node) ||
    ts.isMethodDeclaration(node) || ts.isPropertyDeclaration(node) || ts.isAccessor(node) ||
    ((ts.isPropertySignature(node) || ts.isMethodSignature(node)) &&
      ts.isInterfaceDeclaration(node.parent));
}

/** Where Python's own packages lie; null where there is no Python. */
function pythonLibrary(): string | null {
  const script = "import email, os; print(os.path.dirname(email.__file__))";
  return printed("python3", ["-c", script], ROOT)?.trim() ?? null;
}

function symbolsByTags(files: readonly Outlined[], root: string): readonly Agreement[] {
  const args = ["--languages=Python", "--fields=+nK", "--output-format=json", "-f", "-"];
  const text = printed("ctags", [...args, ...files.map(({ path }) => path)], root);
  if (text === null) return [];
  const kinds = ["class", "function", "member", "variable"];
  const theirs = text.split("\n").filter((line) => line !== "")
    .map((line) => JSON.parse(line) as { path: string; line: number; name: string; kind: string })
    .filter(({ kind, name }) => kinds.includes(kind) && name !== "_")
    .map(({ path, line, name }) => `${path}:${line} ${name}`);
  const ours = files.flatMap(({ path, symbols }) =>
    symbols.filter(({ kind }) => kind !== "type").map(({ name, line }) => `${path}:${line} ${name}`)
  );
  return [compared("symbols of Python", "universal-ctags", theirs, ours)];
}

/** Line by line: cloc says how many, so what differs is how many fewer one has of each. */
function linesByCloc(files: readonly Outlined[], root: string): readonly Agreement[] {
  const text = printed("cloc", ["--by-file", "--json", "--quiet", "--skip-uniqueness", "."], root);
  if (text === null) return [];
  const counted = JSON.parse(text) as Record<string, Outlined["lines"]>;
  const differences: string[] = [];
  let [lines, same] = [0, 0];
  for (const { path, lines: own } of files) {
    const theirs = counted[`./${path}`];
    if (theirs === undefined) continue;
    for (const kind of ["code", "comment", "blank"] as const) {
      lines += Math.max(theirs[kind], own[kind]);
      same += Math.min(theirs[kind], own[kind]);
      if (theirs[kind] !== own[kind]) {
        differences.push(`${path}: ${own[kind]} lines of ${kind}, there ${theirs[kind]}`);
      }
    }
  }
  const shown = differences.slice(0, SHOWN);
  return [{
    subject: "kinds of lines",
    against: "cloc",
    compared: lines,
    same,
    differences: shown,
  }];
}

function importsByMadge(ask: Ask): readonly Agreement[] {
  const text = printed("madge", ["--json", "--extensions", "ts", "."], TREE);
  if (text === null) return [];
  const theirs = Object.entries(JSON.parse(text) as Record<string, readonly string[]>)
    .flatMap(([from, others]) => others.map((to) => `${from} → ${to}`));
  const { edges } = ask(TREE, "analyze_dependencies") as {
    edges: readonly { readonly from: string; readonly to: string }[];
  };
  const ours = [...new Set(edges.map(({ from, to }) => `${from} → ${to}`))];
  return [compared("imports", "madge", theirs, ours)];
}
