/** What arithmetic expressions come to: whole numbers of 64 bits, which wrap around as the machine's do. */

import { ToolError } from "../../../../core/errors.ts";
import type { Arithmetic, OneElement } from "../../../../core/plan.ts";
import type { Expander } from "./expander.ts";
import type { LineState } from "../_state.ts";
import { unbound } from "./unbound.ts";

/** A variable, or an element of one. */
interface Place {
  readonly name: string;
  readonly subscript?: OneElement;
}

/**
 * The value. Throws COMMAND_UNPARSABLE for what bash would take further than numbers: a variable that holds an expression,
 * a division by 0.
 */
export async function calculate(
  expression: Arithmetic,
  state: LineState,
  expander: Expander,
): Promise<bigint> {
  const value = (one: Arithmetic): Promise<bigint> => calculate(one, state, expander);
  const variable = async ({ name, subscript }: Place): Promise<bigint> => {
    const key = subscript === undefined ? null : await keyIn(subscript, state, expander);
    const text = key === null ? state.valueOf(name) : state.variables.element(name, key);
    // Of an array that has any the element is not asked for.
    const asked = key === null || state.variables.count(name) === 0;
    if (text === undefined && state.settings.nounset && asked) {
      return await expander.fail(unbound(name, state), state);
    }
    return numberOf(name, text ?? "");
  };
  const assign = async ({ name, subscript }: Place, number: bigint): Promise<bigint> => {
    const wrapped = BigInt.asIntN(64, number);
    const key = subscript === undefined ? null : await keyIn(subscript, state, expander);
    await expander.allowVariable(name, state);
    if (key === null) state.assign(name, String(wrapped));
    else state.variables.assignElement(name, key, String(wrapped));
    return wrapped;
  };
  switch (expression.op) {
    case "number":
      return BigInt(expression.digits);
    case "variable":
      return await variable(expression);
    case "substitution":
      return numberOf("$(…)", await expander.substitute(expression.body, state));
    case "word":
      return numberOf("$…", await expander.text(expression.word, state));
    case "unary":
      return applied(expression.operator, await value(expression.operand));
    case "choice":
      return await value(await value(expression.test) === 0n ? expression.no : expression.yes);
    case "assign": {
      const { operator } = expression;
      const before = operator === "" ? 0n : await variable(expression);
      const number = await value(expression.value);
      return await assign(
        expression,
        operator === "" ? number : combined(operator, before, number),
      );
    }
    case "step": {
      const before = await variable(expression);
      const after = await assign(expression, before + BigInt(expression.by));
      return expression.before ? before : after;
    }
    case "binary": {
      const { operator } = expression;
      const left = await value(expression.left);
      if (operator === "&&" && left === 0n) return 0n;
      if (operator === "||" && left !== 0n) return 1n;
      return combined(operator, left, await value(expression.right));
    }
  }
}

/** Which element a subscript names. */
export async function keyOf(
  subscript: OneElement,
  state: LineState,
  expander: Expander,
): Promise<bigint | string> {
  return subscript.kind === "index"
    ? await calculate(subscript.expression, state, expander)
    : await expander.text(subscript.word, state);
}

/** Keys that bash would take for more than text where they stand in an expression are not used there. */
async function keyIn(
  subscript: OneElement,
  state: LineState,
  expander: Expander,
): Promise<bigint | string> {
  const key = await keyOf(subscript, state, expander);
  if (typeof key === "string" && !/^[^\s$`"'\\[\]](?:[^$`"'\\[\]\n]*[^\s$`"'\\[\]])?$/.test(key)) {
    throw refused(`the key ${JSON.stringify(key.slice(0, 40))} is one that shells read anew`);
  }
  return key;
}

/** Values are numbers as the line itself may write them; nothing is 0. Throws as {@linkcode calculate}. */
export function numberOf(name: string, text: string): bigint {
  const plain = /^\s*([-+]?)(0[xX][0-9A-Fa-f]{1,15}|0[0-7]{0,18}|[1-9][0-9]{0,17})\s*$/.exec(text);
  if (plain === null) {
    if (text.trim() === "" && !name.startsWith("$")) return 0n;
    throw refused(`${name} came out as ${JSON.stringify(text.slice(0, 40))}, which is no number`);
  }
  const [, sign, digits = ""] = plain;
  const number = BigInt(/^0[0-7]/.test(digits) ? `0o${digits.slice(1)}` : digits);
  return sign === "-" ? -number : number;
}

function applied(operator: string, value: bigint): bigint {
  switch (operator) {
    case "-":
      return BigInt.asIntN(64, -value);
    case "!":
      return truth(value === 0n);
    case "~":
      return ~value;
    default:
      return value;
  }
}

function combined(operator: string, left: bigint, right: bigint): bigint {
  const number = resultOf(operator, left, right);
  return typeof number === "boolean" ? truth(number) : BigInt.asIntN(64, number);
}

function resultOf(operator: string, left: bigint, right: bigint): bigint | boolean {
  switch (operator) {
    case ",":
      return right;
    case "+":
      return left + right;
    case "-":
      return left - right;
    case "*":
      return left * right;
    case "/":
      return left / divisor(right);
    case "%":
      return left % divisor(right);
    case "**":
      return power(left, right);
    case "<<":
      return left << shift(right);
    case ">>":
      return left >> shift(right);
    case "&":
      return left & right;
    case "|":
      return left | right;
    case "^":
      return left ^ right;
    case "==":
      return left === right;
    case "!=":
      return left !== right;
    case "<":
      return left < right;
    case ">":
      return left > right;
    case "<=":
      return left <= right;
    case ">=":
      return left >= right;
    default:
      // The sides of && and || that are left.
      return right !== 0n;
  }
}

function divisor(value: bigint): bigint {
  if (value === 0n) throw refused("it divides by 0");
  return value;
}

/** What the machine does with others is its own. */
function shift(value: bigint): bigint {
  if (value < 0n || value > 63n) throw refused(`it shifts by ${value}`);
  return value;
}

/** Wrapped around on the way: what is thrown away never comes back. */
function power(base: bigint, exponent: bigint): bigint {
  if (exponent < 0n) throw refused("an exponent is less than 0");
  let [result, square] = [1n, base];
  for (let left = exponent; left > 0n; left >>= 1n) {
    if ((left & 1n) === 1n) result = BigInt.asIntN(64, result * square);
    square = BigInt.asIntN(64, square * square);
  }
  return result;
}

function truth(value: boolean): bigint {
  return value ? 1n : 0n;
}

function refused(what: string): ToolError {
  return new ToolError(
    "COMMAND_UNPARSABLE",
    `an arithmetic expression was not calculated: ${what}`,
  );
}
