/** `[[ … ]]`, `test` and `[` (bash(1), CONDITIONAL EXPRESSIONS; POSIX, test). */

import { joinedNameBytes } from "../../../core/name_text.ts";
import { ToolError } from "../../../core/errors.ts";
import type { TestExpression, Word } from "../../../core/plan.ts";
import { looksAtFiles } from "../../../shell/commands/file_test.ts";
import { numberOf } from "./expand/arithmetic.ts";
import { type Expander, expandText, patternOf, piecesOf } from "./expand/expand.ts";
import { escapeExtended, matchesExtended } from "./expand/extended_pattern.ts";
import { escaped, matchExtended } from "./_regular.ts";
import type { LineState } from "./_state.ts";

/** What tests ask of whoever runs them. */
export interface TestHost {
  readonly expander: Expander;
  /** Whether the file is as the operator says. Throws the ToolError that refuses to look at it. */
  testFile(operator: string, path: string, state: LineState): Promise<boolean>;
  /** `-nt`, `-ot`, `-ef` */
  compareFiles(operator: string, left: string, right: string, state: LineState): Promise<boolean>;
}

/** Whether the expression of a `[[` holds. */
export async function holds(
  expression: TestExpression,
  state: LineState,
  host: TestHost,
): Promise<boolean> {
  const text = (word: Word): Promise<string> => expandText(word, state, host.expander);
  switch (expression.op) {
    case "not":
      return !await holds(expression.operand, state, host);
    case "and":
      return await holds(expression.left, state, host) &&
        await holds(expression.right, state, host);
    case "or":
      return await holds(expression.left, state, host) ||
        await holds(expression.right, state, host);
    case "unary":
      return await unary(expression.operator, await text(expression.word), state, host);
    case "binary": {
      const { operator } = expression;
      const left = await text(expression.left);
      const ignoresCase = state.options.has("nocasematch");
      if (operator === "=~") {
        const pattern = await regularOf(expression.right, state, host.expander);
        const { parts, certain } = matchExtended(pattern, left, ignoresCase);
        state.matched = parts === null ? [] : certain || parts.length === 1 ? parts : null;
        return parts !== null;
      }
      if (operator === "==" || operator === "=" || operator === "!=") {
        const pattern = await patternOf(expression.right, state, host.expander, escapeExtended);
        return matchesExtended(pattern, left, ignoresCase) === (operator !== "!=");
      }
      const right = await text(expression.right);
      if (/^-(?:eq|ne|lt|le|gt|ge)$/.test(operator)) {
        return compared(operator, arithmetic(left, state), arithmetic(right, state));
      }
      return await binary(operator, left, right, state, host);
    }
  }
}

/** What is not quoted is an expression, what is stands for itself. */
async function regularOf(word: Word, state: LineState, expander: Expander): Promise<string> {
  const pieces = await piecesOf(word, state, expander);
  return pieces.map(({ kind, text }) => kind === "plain" ? [...text].map(escaped).join("") : text)
    .join("");
}

/** Operands of `-eq` in `[[` are expressions: of those only numbers, and variables that hold one. */
function arithmetic(text: string, state: LineState): bigint {
  const name = /^\s*([A-Za-z_]\w*)\s*$/.exec(text)?.[1];
  return name === undefined
    ? numberOf("an operand of [[", text)
    : numberOf(name, state.valueOf(name) ?? "");
}

/** `-n` and its like. */
export async function unary(
  operator: string,
  operand: string,
  state: LineState,
  host: TestHost,
): Promise<boolean> {
  switch (operator) {
    case "-n":
      return operand !== "";
    case "-z":
      return operand === "";
    case "-t":
      // What a call reads and writes is never a terminal.
      return false;
    case "-v":
      return isSet(operand, state);
    case "-o": {
      const known: Readonly<Record<string, boolean>> = { ...state.settings };
      const value = known[operand];
      if (value === undefined) throw refused(`-o ${operand}`);
      return value;
    }
    default:
      if (!looksAtFiles(operator)) throw refused(operator);
      return operand !== "" && await host.testFile(operator, operand, state);
  }
}

/** `=` and its like, of texts, and of numbers in digits. */
export async function binary(
  operator: string,
  left: string,
  right: string,
  state: LineState,
  host: TestHost,
): Promise<boolean> {
  switch (operator) {
    case "=":
    case "==":
      return left === right;
    case "!=":
      return left !== right;
    case "<":
      return inOrder(left, right, state);
    case ">":
      return inOrder(right, left, state);
    case "-nt":
    case "-ot":
    case "-ef":
      return await host.compareFiles(operator, left, right, state);
    default:
      return compared(operator, BigInt(left.trim()), BigInt(right.trim()));
  }
}

function compared(operator: string, left: bigint, right: bigint): boolean {
  switch (operator) {
    case "-eq":
      return left === right;
    case "-ne":
      return left !== right;
    case "-lt":
      return left < right;
    case "-le":
      return left <= right;
    case "-gt":
      return left > right;
    default:
      return left >= right;
  }
}

/** `-v NAME`, `-v LIST[1]`, `-v TABLE[key]`: keys as they are once they are expanded, and no others. */
function isSet(operand: string, state: LineState): boolean {
  const [, name, key] = /^([A-Za-z_]\w*)(?:\[([^\]["'`$\\@*]+)\])?$/s.exec(operand) ?? [];
  if (name === undefined) throw refused(`-v ${operand}`);
  if (key === undefined) return state.valueOf(name) !== undefined;
  const { variables } = state;
  if (variables.isTable(name)) return variables.element(name, key) !== undefined;
  if (!/^[0-9]{1,15}$/.test(key)) throw refused(`-v ${operand}`);
  return variables.element(name, BigInt(key)) !== undefined;
}

/** As strcoll(3) has it in the C locale; in others letters stand in an order that is not known here. */
function inOrder(left: string, right: string, state: LineState): boolean {
  const locale = ["LC_ALL", "LC_COLLATE", "LANG"].map((name) => state.valueOf(name) ?? "")
    .find((value) => value !== "") ?? "C";
  const plain = /^(?:C|POSIX)(?:\.|$)/.test(locale);
  const digits = [left, right].every((text) => /^[0-9.]*$/.test(text));
  const letters = [left, right].every((text) => /^[a-z]*$/.test(text));
  if (!plain && !digits && !letters) throw refused(`an order of texts in the locale ${locale}`);
  const [one, other] = [joinedNameBytes(left), joinedNameBytes(right)];
  for (let at = 0; at < Math.min(one.length, other.length); at++) {
    if (one[at] !== other[at]) return one[at]! < other[at]!;
  }
  return one.length < other.length;
}

function refused(what: string): ToolError {
  return new ToolError("COMMAND_UNPARSABLE", `a test was not made: ${what} is not known here`);
}
