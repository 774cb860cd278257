/**
 * TypeScript → JavaScript by taking the types away and nothing else: what is left stands where it stood, so that errors
 * name the line and the column of the source.
 */

import { parse, type ParserOptions } from "@babel/parser";
import { problemAt, type SyntaxProblem, TOO_DEEP } from "./problem.ts";

/** A text without types, and what a module's text tells of it; or what is wrong with it. */
export type StrippedModule =
  | {
    readonly text: string;
    /** Where it imports from, types aside; null for what is known only when it runs. */
    readonly imports: readonly ModuleImport[];
    /** Names that it exports, types aside. */
    readonly exports: readonly string[];
  }
  | { readonly problem: SyntaxProblem };

/** What a module imports and on which line, from 1. `specifier` null: it is computed. */
export interface ModuleImport {
  readonly specifier: string | null;
  readonly line: number;
}

/** A node of the parser's tree, by what is asked of it here. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly loc: { readonly start: { readonly line: number; readonly column: number } };
  // deno-lint-ignore no-explicit-any
  readonly [key: string]: any;
}

/** Syntax that makes code, and what to write in its place. */
const NOT_TYPES: Readonly<Record<string, string>> = {
  TSEnumDeclaration: "an enum is no type alone; write a constant object",
  TSModuleDeclaration: "a namespace is no type alone; write functions and constants",
  TSParameterProperty: "a parameter property makes a field; declare and assign the field",
  TSImportEqualsDeclaration: "import = is no module syntax; write import ... from",
  TSExportAssignment: "export = is no module syntax; write export default",
  Decorator: "decorators are not understood by the engine; call the function",
};

/** Nodes that are types and nothing else, wherever they stand. */
const TYPES: ReadonlySet<string> = new Set([
  "TSTypeAnnotation",
  "TSTypeParameterDeclaration",
  "TSTypeParameterInstantiation",
]);

/** Statements and members of classes that are types and nothing else. */
const TYPE_STATEMENTS: ReadonlySet<string> = new Set([
  "TSInterfaceDeclaration",
  "TSTypeAliasDeclaration",
  "TSDeclareFunction",
  "TSDeclareMethod",
  "TSIndexSignature",
  "TSNamespaceExportDeclaration",
]);

const MODIFIERS = /\b(?:public|private|protected|readonly|abstract|override|declare)\b/g;

/** `javascript`: nothing is stripped, imports and exports are told all the same. Never throws for any text. */
export function stripTypes(text: string, language: "typescript" | "javascript"): StrippedModule {
  const plugins: NonNullable<ParserOptions["plugins"]> = language === "typescript"
    ? ["typescript", "decorators"]
    : [];
  try {
    const { program } = parse(text, {
      sourceType: "module",
      createParenthesizedExpressions: true,
      plugins,
    });
    const stripper = new Stripper(text);
    stripper.visit(program as unknown as Node);
    return { text: stripper.text(), imports: stripper.imports, exports: stripper.exports };
  } catch (error) {
    return { problem: problemOf(text, error) };
  }
}

/** What ends the stripping: syntax that has no place in a module. */
class NotErasable extends Error {
  constructor(readonly node: Node, message: string) {
    super(message);
  }
}

function problemOf(text: string, error: unknown): SyntaxProblem {
  if (error instanceof NotErasable) return problemAt(text, error.node.start, error.message);
  if (error instanceof SyntaxError && "pos" in error) {
    // The parser puts the place behind its sentence.
    return problemAt(text, Number(error.pos), error.message.replace(/ \(\d+:\d+\)$/, ""));
  }
  if (error instanceof RangeError) return TOO_DEEP;
  throw error;
}

class Stripper {
  readonly imports: ModuleImport[] = [];
  readonly exports: string[] = [];
  readonly #source: string;
  /** What takes the place of a range of the source; none overlaps another. */
  readonly #edits: { readonly start: number; readonly end: number; readonly text: string }[] = [];

  constructor(source: string) {
    this.#source = source;
  }

  text(): string {
    const parts: string[] = [];
    let at = 0;
    for (const { start, end, text } of this.#edits.sort((a, b) => a.start - b.start)) {
      // What lies in a range that is gone already.
      if (start < at) continue;
      parts.push(this.#source.slice(at, start), text);
      at = end;
    }
    return parts.join("") + this.#source.slice(at);
  }

  /** Blanks, and line breaks where they were; `mark` in place of the first character, `last` of the last. */
  #blank(start: number, end: number, mark = "", last = ""): void {
    const blank = this.#source.slice(start, end).replaceAll(/[^\n\r\u2028\u2029]/g, " ");
    const text = mark + blank.slice(mark.length, blank.length - last.length) + last;
    this.#edits.push({ start, end, text });
  }

  /** A statement or member goes: what stood before it must not go on with what comes after it. */
  #drop(node: Node): void {
    this.#blank(node.start, node.end, ";");
  }

  visit(node: Node): void {
    const { type } = node;
    if (node["declare"] === true || TYPE_STATEMENTS.has(type)) return this.#drop(node);
    if (TYPES.has(type)) return this.#blank(node.start, node.end);
    const refusal = NOT_TYPES[type];
    if (refusal !== undefined) throw new NotErasable(node, refusal);
    switch (type) {
      case "ImportDeclaration":
        if (node["importKind"] === "type") return this.#drop(node);
        this.#import(node["source"]);
        return this.#specifiers(node["specifiers"], "importKind");
      case "ImportExpression":
        this.#import(node["source"]);
        break;
      case "ExportAllDeclaration":
        if (node["exportKind"] === "type") return this.#drop(node);
        return this.#import(node["source"]);
      case "ExportNamedDeclaration":
        if (this.#exportNamed(node)) return;
        break;
      case "ExportDefaultDeclaration":
        if (isTypeStatement(node["declaration"])) return this.#drop(node);
        this.exports.push("default");
        break;
      case "TSAsExpression":
      case "TSSatisfiesExpression":
        this.#blank(node["expression"].end, node.end, "", this.#continues(node) ? ";" : "");
        return this.visit(node["expression"]);
      case "TSNonNullExpression":
      case "TSInstantiationExpression":
        this.#blank(node["expression"].end, node.end);
        return this.visit(node["expression"]);
      case "TSTypeAssertion":
        if (this.#source.slice(node.start, node["expression"].start).includes("\n")) {
          throw new NotErasable(node, "<T>x over several lines; write x as T");
        }
        this.#blank(node.start, node["expression"].start);
        return this.visit(node["expression"]);
      case "ClassDeclaration":
      case "ClassExpression":
        this.#classHead(node);
        break;
      case "ClassProperty":
      case "ClassPrivateProperty":
      case "ClassAccessorProperty":
      case "ClassMethod":
      case "ClassPrivateMethod":
        if (node["abstract"] === true) return this.#drop(node);
        this.#member(node);
        break;
      case "Identifier":
        if (node["optional"] === true) this.#mark("?", node.start + node["name"].length);
        break;
      case "VariableDeclarator":
        if (node["definite"] === true) this.#mark("!", node["id"].start + node["id"].name.length);
        break;
      case "ArrowFunctionExpression":
        this.#arrow(node);
        break;
      default:
        if (type.startsWith("TS")) throw new NotErasable(node, "this syntax cannot be stripped");
    }
    this.#thisParameter(node);
    for (const [key, value] of Object.entries(node)) {
      if (key === "implements") continue;
      for (const child of Array.isArray(value) ? value : [value]) {
        if (isNode(child)) this.visit(child);
      }
    }
  }

  #import(source: Node): void {
    const specifier = source.type === "StringLiteral" ? source["value"] as string : null;
    this.imports.push({ specifier, line: source.loc.start.line });
  }

  /** Types among names in braces go with the comma behind them. */
  #specifiers(specifiers: readonly Node[], kind: "importKind" | "exportKind"): void {
    for (const specifier of specifiers) {
      if (specifier[kind] !== "type") continue;
      const comma = /^\s*,/.exec(this.#source.slice(specifier.end))?.[0].length ?? 0;
      this.#blank(specifier.start, specifier.end + comma);
    }
  }

  /** Whether all of it is gone. */
  #exportNamed(node: Node): boolean {
    const declaration: Node | null = node["declaration"];
    if (node["exportKind"] === "type" || (declaration !== null && isTypeStatement(declaration))) {
      this.#drop(node);
      return true;
    }
    if (node["source"] !== null && node["source"] !== undefined) this.#import(node["source"]);
    const specifiers: readonly Node[] = node["specifiers"];
    this.#specifiers(specifiers, "exportKind");
    for (const { exported, exportKind } of specifiers) {
      if (exportKind !== "type") this.exports.push(exported.name ?? exported.value);
    }
    if (declaration === null) return true;
    const names: readonly Node[] = declaration["declarations"] ?? [declaration];
    for (const { id } of names) if (typeof id?.name === "string") this.exports.push(id.name);
    return false;
  }

  #classHead(node: Node): void {
    const { abstract, implements: list, body } = node;
    if (abstract === true) {
      const word = "abstract";
      const at = this.#source.indexOf(word, node.start);
      this.#blank(at, at + word.length);
    }
    const [first]: readonly Node[] = list ?? [];
    if (first === undefined) return;
    const from = this.#source.lastIndexOf("implements", first.start);
    const last = list.at(-1) as Node;
    this.#blank(from, Math.min(last.end, body.start));
  }

  #member(node: Node): void {
    const { key, computed, optional, definite } = node;
    const head = this.#source.slice(node.start, key.start);
    for (const { index, 0: word } of head.matchAll(MODIFIERS)) {
      // Where nothing stands before it any more, what stood before the member must end.
      this.#blank(node.start + index, node.start + index + word.length, index === 0 ? ";" : "");
    }
    const end = computed === true ? this.#source.indexOf("]", key.end) + 1 : key.end;
    if (optional === true) this.#mark("?", end);
    if (definite === true) this.#mark("!", end);
  }

  /** The next such character goes. */
  #mark(character: string, from: number): void {
    const at = this.#source.indexOf(character, from);
    this.#blank(at, at + 1);
  }

  /** No line may break between `async` and `(`, nor between `)` and `=>`: the parenthesis moves over the break. */
  #arrow(node: Node): void {
    const parameters: Node | null | undefined = node["typeParameters"];
    if (isNode(parameters) && this.#breaks(parameters)) {
      const open = this.#source.indexOf("(", parameters.end);
      this.#blank(parameters.start, open + 1, "(");
    }
    const returns: Node | null | undefined = node["returnType"];
    if (isNode(returns) && this.#breaks(returns)) {
      const close = this.#source.lastIndexOf(")", returns.start);
      this.#blank(close, returns.end, "", ")");
    }
  }

  #breaks({ start, end }: Node): boolean {
    return /[\n\r]/.test(this.#source.slice(start, end));
  }

  #thisParameter({ params }: Node): void {
    const [first]: readonly Node[] = Array.isArray(params) ? params : [];
    if (first?.type !== "Identifier" || first["name"] !== "this") return;
    const comma = /^\s*,/.exec(this.#source.slice(first.end))?.[0].length ?? 0;
    this.#blank(first.start, first.end + comma);
  }

  /** Whether the next line would go on with the expression, which the type before it ended. */
  #continues({ end }: Node): boolean {
    return /^[^\S\n\r]*[\n\r]\s*[(\[`]/.test(this.#source.slice(end, end + 1_000));
  }
}

function isTypeStatement(node: Node): boolean {
  return node["declare"] === true || TYPE_STATEMENTS.has(node.type);
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value &&
    "loc" in value && typeof value.type === "string" && value.type !== "CommentBlock" &&
    value.type !== "CommentLine";
}
