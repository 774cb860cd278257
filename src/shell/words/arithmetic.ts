/** Reads arithmetic expressions (POSIX, 2.6.4, and bash(1), ARITHMETIC EVALUATION): the operators of C on whole numbers. */

import type { Arithmetic, OneElement } from "../../core/plan.ts";
import { isSetByShell, isSpecialVariable } from "../special_variables.ts";
import type { WordContext } from "./parts.ts";
import type { Scanner } from "./scanner.ts";
import { Refused } from "../_constructs.ts";

/** Operators on two sides, those that bind least first; each level goes from left to right. */
const LEVELS: readonly (readonly string[])[] = [
  ["||"],
  ["&&"],
  ["|"],
  ["^"],
  ["&"],
  ["==", "!="],
  ["<=", ">=", "<", ">"],
  ["<<", ">>"],
  ["+", "-"],
  ["*", "/", "%"],
];
/** All that one could be the beginning of, the longer first. */
const OPERATOR =
  /^(?:<<=|>>=|\*\*|\+\+|--|[-+*/%&|^]=|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%<>&|^!~?:=,])/;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*/;
/** Numbers that all shells read alike: no bases, and no more digits than 64 bits surely hold. */
const NUMBER = /^(?:0[xX][0-9A-Fa-f]{1,15}|0[0-7]{0,18}|[1-9][0-9]{0,17})(?![0-9A-Za-z_#@.])/;
/** `BASE#DIGITS`, in the bases whose letters mean the same in both cases. */
const BASED = /^([2-9]|[12][0-9]|3[0-6])#([0-9A-Za-z]{1,12})(?![0-9A-Za-z_#@.])/;
const MOST_DEPTH = 100;

/** Null where a digit is none of the base. */
function valueIn(base: number, digits: string): bigint | null {
  let value = 0n;
  for (const digit of digits) {
    const one = parseInt(digit, 36);
    if (one >= base) return null;
    value = value * BigInt(base) + BigInt(one);
  }
  return value < 1n << 62n ? value : null;
}

/** The expression at the scanner, up to what cannot belong to it. Throws {@linkcode Refused}. */
export function readArithmetic(scanner: Scanner, context: WordContext): Arithmetic {
  return new Reader(scanner, context).sequence();
}

/** Past blanks and newlines, which say nothing in an expression. */
export function skipSpace(scanner: Scanner): void {
  while (/^[ \t\n]$/.test(scanner.character)) scanner.at++;
}

/** Whether calculating it twice would come to something else. */
function changes(expression: Arithmetic): boolean {
  switch (expression.op) {
    case "number":
    case "variable":
      return false;
    case "unary":
      return changes(expression.operand);
    case "binary":
      return changes(expression.left) || changes(expression.right);
    case "choice":
      return [expression.test, expression.yes, expression.no].some(changes);
    default:
      return true;
  }
}

class Reader {
  readonly #scanner: Scanner;
  readonly #context: WordContext;
  #depth = 0;
  /** Variables that are set further left: what stands behind a `$` was put in before that. */
  readonly #set = new Set<string>();

  constructor(scanner: Scanner, context: WordContext) {
    this.#scanner = scanner;
    this.#context = context;
  }

  #rest(): string {
    const { source, at, end } = this.#scanner;
    return source.slice(at, end);
  }

  /** The operator that stands next; empty for none. */
  #operator(): string {
    skipSpace(this.#scanner);
    return OPERATOR.exec(this.#rest())?.[0] ?? "";
  }

  #refuse(): never {
    throw new Refused("arithmetic", this.#scanner.at);
  }

  /** `a, b` */
  sequence(): Arithmetic {
    let left = this.choice();
    while (this.#operator() === ",") {
      this.#scanner.at++;
      left = { op: "binary", operator: ",", left, right: this.choice() };
    }
    return left;
  }

  /** Assignments and `?:`, which go from right to left. */
  choice(): Arithmetic {
    if (++this.#depth > MOST_DEPTH) throw new Refused("deep", this.#scanner.at);
    const test = this.#level(0);
    if (this.#operator() !== "?") {
      this.#depth--;
      return test;
    }
    this.#scanner.at++;
    const yes = this.choice();
    if (this.#operator() !== ":") this.#refuse();
    this.#scanner.at++;
    const no = this.choice();
    this.#depth--;
    return { op: "choice", test, yes, no };
  }

  #level(level: number): Arithmetic {
    const operators = LEVELS[level];
    if (operators === undefined) return this.#power();
    let left = this.#level(level + 1);
    for (;;) {
      const operator = this.#operator();
      if (!operators.includes(operator)) return left;
      this.#scanner.at += operator.length;
      left = { op: "binary", operator, left, right: this.#level(level + 1) };
    }
  }

  /** `2 ** 3 ** 2` is `2 ** (3 ** 2)`. */
  #power(): Arithmetic {
    const left = this.#unary();
    if (this.#operator() !== "**") return left;
    this.#scanner.at += 2;
    if (++this.#depth > MOST_DEPTH) throw new Refused("deep", this.#scanner.at);
    const right = this.#power();
    this.#depth--;
    return { op: "binary", operator: "**", left, right };
  }

  #unary(): Arithmetic {
    const operator = this.#operator();
    if (operator === "++" || operator === "--") {
      this.#scanner.at += 2;
      skipSpace(this.#scanner);
      const name = this.#name();
      const subscript = this.#subscript(name);
      this.#set.add(name);
      const variable = { name, ...(subscript === null ? {} : { subscript }) };
      return { op: "step", ...variable, by: operator === "++" ? 1 : -1, before: false };
    }
    if (!["-", "+", "!", "~"].includes(operator)) return this.#operand();
    this.#scanner.at++;
    if (++this.#depth > MOST_DEPTH) throw new Refused("deep", this.#scanner.at);
    const operand = this.#unary();
    this.#depth--;
    return { op: "unary", operator, operand };
  }

  #name(): string {
    const name = NAME.exec(this.#rest())?.[0];
    if (name === undefined) this.#refuse();
    if (isSpecialVariable(name)) throw new Refused("special", this.#scanner.at);
    this.#scanner.at += name.length;
    return name;
  }

  #operand(): Arithmetic {
    const scanner = this.#scanner;
    skipSpace(scanner);
    const { character } = scanner;
    if (character === "(") {
      scanner.at++;
      const inner = this.sequence();
      skipSpace(scanner);
      scanner.expect(")");
      return inner;
    }
    if (character === "$") return this.#expansion();
    if (/[0-9]/.test(character)) {
      const based = BASED.exec(this.#rest());
      if (based !== null) {
        const [whole, base = "", digits = ""] = based;
        const value = valueIn(Number(base), digits);
        if (value === null) this.#refuse();
        scanner.at += whole.length;
        return { op: "number", digits: String(value) };
      }
      const text = NUMBER.exec(this.#rest())?.[0];
      if (text === undefined) this.#refuse();
      scanner.at += text.length;
      const octal = /^0[0-7]/.test(text) ? `0o${text.slice(1)}` : text;
      return { op: "number", digits: String(BigInt(octal)) };
    }
    const name = this.#name();
    const subscript = this.#subscript(name);
    if (subscript !== null && isSetByShell(name)) {
      if (this.#assigns()) throw new Refused("array", scanner.at);
      const part = { kind: "parameter", name, quoted: true, operation: null, subscript } as const;
      return { op: "word", word: [part] };
    }
    const variable = { name, ...(subscript === null ? {} : { subscript }) };
    return this.#changed(variable) ?? { op: "variable", ...variable };
  }

  /** Behind a name: which element of it, null for none. */
  #subscript(name: string): OneElement | null {
    const scanner = this.#scanner;
    if (scanner.character !== "[") return null;
    const subscript = this.#context.subscript(scanner, name);
    if (subscript.kind === "all") throw new Refused("array", scanner.at);
    // Shells are of two minds on how often they calculate it.
    if (subscript.kind === "index" && changes(subscript.expression)) {
      throw new Refused("array", scanner.at);
    }
    return subscript;
  }

  /** Whether what stands next changes what stands before it. */
  #assigns(): boolean {
    const operator = this.#operator();
    return /^(?:\+\+|--|=)$/.test(operator) ||
      (/^[-+*/%&|^<>]+=$/.test(operator) && !["<=", ">="].includes(operator));
  }

  /** What is done to the variable that was just read; null for nothing. */
  #changed(
    variable: { readonly name: string; readonly subscript?: OneElement },
  ): Arithmetic | null {
    const { name } = variable;
    const operator = this.#operator();
    if (isSetByShell(name)) return null;
    if (operator === "++" || operator === "--") {
      this.#scanner.at += 2;
      this.#set.add(name);
      return { op: "step", ...variable, by: operator === "++" ? 1 : -1, before: true };
    }
    if (!this.#assigns()) return null;
    this.#scanner.at += operator.length;
    const value = this.choice();
    this.#set.add(name);
    return { op: "assign", ...variable, operator: operator.slice(0, -1), value };
  }

  /** `$NAME`, `${NAME}`, `$(…)`, `$((…))`: what comes out must be one number. */
  #expansion(): Arithmetic {
    const scanner = this.#scanner;
    if (scanner.startsWith("$((")) return this.#within();
    if (scanner.startsWith("$(")) {
      if (this.#set.size > 0) this.#refuse();
      const { body, end } = this.#context.substitution(scanner.at);
      scanner.at = end;
      return { op: "substitution", body };
    }
    const plain = /^\$(?:\{[A-Za-z_]\w*\}|[A-Za-z_]\w*)/.exec(this.#rest())?.[0];
    const name = plain?.replace(/[${}]/g, "");
    if (this.#set.size > 0 && (name === undefined || this.#set.has(name))) this.#refuse();
    if (plain !== undefined && name !== undefined && !isSpecialVariable(name)) {
      scanner.at += plain.length;
      return { op: "variable", name };
    }
    return { op: "word", word: this.#context.parameter(scanner) };
  }

  /** `$((…))`, whose value shells put in before they read what stands around it: so neither may set variables. */
  #within(): Arithmetic {
    const scanner = this.#scanner;
    if (this.#set.size > 0) this.#refuse();
    scanner.at += 3;
    if (++this.#depth > MOST_DEPTH) throw new Refused("deep", scanner.at);
    const inner = this.sequence();
    this.#depth--;
    skipSpace(scanner);
    scanner.expect("))");
    if (this.#set.size > 0) this.#refuse();
    return inner;
  }
}
