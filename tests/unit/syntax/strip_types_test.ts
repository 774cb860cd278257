import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { parse } from "acorn";
import ts from "typescript";
import { stripTypes } from "../../../src/syntax/strip_types.ts";

const ROOT = fromFileUrl(new URL("../../..", import.meta.url));

function stripped(text: string): string {
  const result = stripTypes(text, "typescript");
  assert("text" in result, JSON.stringify(result));
  return result.text;
}

/** What the code means, wherever it stands. */
function treeOf(text: string): string {
  const tree = parse(text, { ecmaVersion: "latest", sourceType: "module" });
  return JSON.stringify(tree, (key, value) => {
    if (key === "start" || key === "end" || key === "raw") return undefined;
    if (typeof value === "bigint") return String(value);
    return Array.isArray(value) ? value.filter((node) => !saysNothing(node)) : value;
  });
}

/** What stands in the place of a type, and what the compiler adds. */
function saysNothing(node: { type?: string; directive?: string } & Record<string, unknown> | null) {
  if (node?.type === "EmptyStatement" || node?.directive === "use strict") return true;
  return node?.type === "ExportNamedDeclaration" && node["declaration"] === null &&
    node["source"] === null && Array.isArray(node["specifiers"]) && node["specifiers"].length === 0;
}

function compiled(text: string): string {
  const { outputText } = ts.transpileModule(text, {
    compilerOptions: {
      target: ts.ScriptTarget.ESNext,
      module: ts.ModuleKind.ESNext,
      verbatimModuleSyntax: true,
      useDefineForClassFields: true,
      removeComments: true,
    },
  });
  return outputText;
}

function assertSameMeaning(text: string, what: string): void {
  assertEquals(treeOf(stripped(text)), treeOf(compiled(text)), what);
}

const samples: readonly string[] = [
  "let a: number = 1;",
  "let a = 1\ninterface X { y: string }\n(function () {})()",
  "type T = string\n;[1].forEach(() => {})",
  "const x = y as unknown\n(z)",
  "const x = y as T\n[z]",
  "const x = (y as any)(z) satisfies string;",
  "const x = y!\n.z!(a!)!;",
  "const f = async <\n  T,\n>(x: T): Promise<T> => x;",
  "const f = (x: number): \n  | string\n  | number => x;",
  "const f = <T,>(x: T, y?: string) => x;",
  "function f(this: Window, a?: string, ...b: number[]): asserts a is string {}",
  "function f(this: Window) {}",
  "function f(a: string): void;\nfunction f(a: number): void;\nfunction f(a: unknown) {}",
  "export function f(a: string): void;\nexport function f(a: unknown) {}",
  "export default function f(a: string): void;\nexport default function f(a: unknown) {}",
  "export default interface X {}\nexport const y = 1;",
  'import type { A } from "a"; import { type B, c, type D } from "b"; c();',
  'import { type B } from "b";',
  "const a = 1; type T = string; export { a, type T };",
  'export type { A } from "a"; export type * from "b"; export * from "c";',
  "class A<T> extends B<T> implements C, D<E> { private readonly x: T = 1; declare y: string; z!: number; w?: string; static #p: string = ''; [key: string]: unknown; abstract: number = 1; readonly = 2; constructor(a: number) { super(); } private static async *m<U>(this: A<U>, u: U): AsyncGenerator<U> {} m2?(): void; get g(): string { return ''; } override o(): void {} }",
  "abstract class A { abstract x: string; abstract m(): void; private y = 1\n  public ['z'] = 2\n  m3() {} }",
  "export abstract class A<T> {}",
  "const c = class<T> implements I {};",
  "declare const a: number; declare function f(): void; declare global { interface W {} } declare module 'x' {} declare class Q {} declare enum E {}",
  "f<string>(a); new Map<string, number>(); f?.<string>(a); const g = f<number>; tag<string>`x`;",
  "for (const x of y as string[]) {} for (let i: number = 0;;) {}",
  "let x!: string; try {} catch (e: unknown) {}",
  "const x = <T>y; const a = [...(b as string[])];",
  "const { a, b }: { a: string; b: number } = c; const [d]: [string] = e;",
  "const o = { m<T>(x: T): T { return x; }, async *g(): AsyncGenerator<void> {}, get p(): string { return ''; } };",
  "label: for (;;) { type T = string; break label; }",
  "switch (a as string) { case b as string: type T = 1; }",
  "const x = a < b, y = c > (d);",
  "const emoji = '😀' as string; type É = 1;",
  "enum: for (;;) break enum;".replaceAll("enum", "l"),
  "export const a = 1 as const, b: string = '';",
  "let f = function <T>(x: T): x is T { return true; };",
  "if (a) { interface X {} }\n`x`",
  "const a = b as any as string\n/re/g",
  "let x: typeof import('a');",
  "a = b satisfies C\n++d",
];

Deno.test("stripTypes(): what is left means what the compiler makes of it", () => {
  for (const sample of samples) assertSameMeaning(sample, sample);
});

Deno.test("stripTypes(): the source of this repository means the same without its types", async () => {
  let count = 0;
  // Of one hand: another third of it shows no construct that the first does not.
  const files = (await Array.fromAsync(filesBelow(join(ROOT, "src")))).sort();
  for (const file of files.filter((_, at) => at % 3 === 0)) {
    const text = Deno.readTextFileSync(file);
    // Parameter properties make code.
    if (!("text" in stripTypes(text, "typescript"))) continue;
    assertSameMeaning(text, file);
    count++;
  }
  assert(count > 200, `${count}`);
});

async function* filesBelow(folder: string): AsyncGenerator<string> {
  for await (const entry of Deno.readDir(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory) yield* filesBelow(path);
    else if (/(?<!\.d)\.ts$/.test(entry.name)) yield path;
  }
}

Deno.test("stripTypes(): every character stays where it stood", () => {
  for (const sample of samples) {
    const text = stripped(sample);
    assertEquals(text.length, sample.length);
    assertEquals(text.split("\n").length, sample.split("\n").length);
  }
});

const refused: [string, string, number, number][] = [
  ["let a = 1;\n enum E { A }", "constant object", 2, 2],
  ["namespace N { export const a = 1; }", "functions and constants", 1, 1],
  ["class A { constructor(private x: number) {} }", "declare and assign", 1, 23],
  ["import a = require('a');", "import ... from", 1, 1],
  ["let a = 1;\nexport = a;", "export default", 2, 1],
  ["@d class A {}", "call the function", 1, 1],
  ["const x = <T\n>y;", "x as T", 1, 11],
  ["let x: = 1;", "", 1, 8],
  ["const 😀", "", 1, 7],
];

Deno.test("stripTypes(): what is no type is refused with its place and what to write", () => {
  for (const [text, message, line, column] of refused) {
    const result = stripTypes(text, "typescript");
    assert("problem" in result, text);
    assertStringIncludes(result.problem.message, message);
    assertEquals([result.problem.line, result.problem.column], [line, column], text);
  }
  const deep = stripTypes("[".repeat(200_000), "typescript");
  assert("problem" in deep);
});

Deno.test("stripTypes(): tells what a module imports and exports, types aside", () => {
  const text = `import type { A } from "a"; import fs from "node:fs"; import "./b.ts";
export * from "c"; export { x as default, y } from "d"; const z = await import("e"); import(z);
export const { p } = z, q = 1; export function preview() {} export type T = 1; export class K {}`;
  const result = stripTypes(text, "typescript");
  assert("imports" in result);
  assertEquals(result.imports.map(({ specifier, line }) => [specifier, line]), [
    ["node:fs", 1],
    ["./b.ts", 1],
    ["c", 2],
    ["d", 2],
    ["e", 2],
    [null, 2],
  ]);
  assertEquals(result.exports, ["default", "y", "q", "preview", "K"]);
  const script = stripTypes("export default 1; let a: string;", "javascript");
  assert("problem" in script);
});
