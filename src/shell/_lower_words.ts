/** What words, expressions and redirections of a plan need: whatever runs, is set or is opened for them. */

import type {
  Arithmetic,
  Assignment,
  Operation,
  Redirection,
  SimplePlan,
  Subscript,
  TestExpression,
  Word,
} from "../core/plan.ts";
import { certainText } from "./certain.ts";
import { fileTest, looksAtFiles } from "./commands/file_test.ts";
import {
  certainTargets,
  type KnownFolder,
  localChange,
  lowerRedirection,
  type Needs,
  placeOf,
  ready,
} from "./_needs.ts";

/** What the value of an assignment takes. */
export function lowerAssigned(
  { value, list = [], subscript }: Assignment,
  cwd: KnownFolder,
  needs: Needs,
): void {
  lowerSubstitutions(value, cwd, needs);
  lowerSubscript(subscript, cwd, needs);
  for (const element of list) {
    lowerSubstitutions(element.value, cwd, needs);
    lowerSubscript(element.subscript ?? undefined, cwd, needs);
  }
}

function lowerSubscript(subscript: Subscript | undefined, cwd: KnownFolder, needs: Needs): void {
  if (subscript?.kind === "index") lowerArithmetic(subscript.expression, cwd, needs);
  if (subscript?.kind === "key") lowerSubstitutions(subscript.word, cwd, needs);
}

/** What `[[ -f NAME ]]` looks at is judged as for the test(1) that it is. */
export function lowerTest(expression: TestExpression, cwd: KnownFolder, needs: Needs): void {
  switch (expression.op) {
    case "not":
      return lowerTest(expression.operand, cwd, needs);
    case "and":
    case "or":
      lowerTest(expression.left, cwd, needs);
      return lowerTest(expression.right, cwd, needs);
    case "unary":
      return lowerTested(expression.operator, [expression.word], cwd, needs);
    case "binary":
      return lowerTested(expression.operator, [expression.left, expression.right], cwd, needs);
  }
}

function lowerTested(
  operator: string,
  words: readonly Word[],
  cwd: KnownFolder,
  needs: Needs,
): void {
  words.forEach((word) => lowerSubstitutions(word, cwd, needs));
  if (!looksAtFiles(operator) || cwd === null) return;
  for (const word of words) {
    const argv = fileTest(certainText(word));
    if (argv !== null) needs.found.push(ready({ kind: "process.spawn", argv, cwd }));
  }
}

/** Substitutions run before the command that they stand in, as subshells. */
export function lowerSubstitutions(
  word: SimplePlan["words"][number],
  cwd: KnownFolder,
  needs: Needs,
): void {
  for (const part of word) {
    if (part.kind === "substitution") needs.lower(part.body, cwd);
    if (part.kind === "arithmetic") lowerArithmetic(part.expression, cwd, needs);
    if (part.kind === "process") needs.lower(part.body, cwd);
    if (part.kind === "parameter") {
      lowerOperation(part.operation, cwd, needs);
      lowerSubscript(part.subscript, cwd, needs);
    }
  }
}

function lowerOperation(operation: Operation | null, cwd: KnownFolder, needs: Needs): void {
  if (operation === null) return;
  if ("word" in operation) lowerSubstitutions(operation.word, cwd, needs);
  if (operation.operator === "slice" && "offset" in operation) {
    lowerArithmetic(operation.offset, cwd, needs);
    if (operation.length !== null) lowerArithmetic(operation.length, cwd, needs);
  }
  if ("pattern" in operation) {
    lowerSubstitutions(operation.pattern, cwd, needs);
    lowerSubstitutions(operation.replacement, cwd, needs);
  }
}

/** The variables that it sets, and what it has run. */
export function lowerArithmetic(expression: Arithmetic, cwd: KnownFolder, needs: Needs): void {
  if (expression.op === "substitution") needs.lower(expression.body, cwd);
  if (expression.op === "word") lowerSubstitutions(expression.word, cwd, needs);
  if (expression.op === "assign" || expression.op === "step") {
    needs.found.push(localChange(expression.name));
  }
  if ("subscript" in expression) lowerSubscript(expression.subscript, cwd, needs);
  for (const part of partsOf(expression)) lowerArithmetic(part, cwd, needs);
}

function partsOf(expression: Arithmetic): readonly Arithmetic[] {
  switch (expression.op) {
    case "unary":
      return [expression.operand];
    case "binary":
      return [expression.left, expression.right];
    case "choice":
      return [expression.test, expression.yes, expression.no];
    case "assign":
      return [expression.value];
    default:
      return [];
  }
}

/** Of a command that is lowered by itself: only what runs inside its redirections. */
export function lowerRedirected(redirection: Redirection, cwd: KnownFolder, needs: Needs): void {
  if ("target" in redirection) lowerSubstitutions(redirection.target, cwd, needs);
  if (redirection.kind === "text") lowerSubstitutions(redirection.text, cwd, needs);
}

/** What redirections take of what is no program, which has them judged itself. */
export function lowerRedirections(
  redirections: readonly Redirection[],
  cwd: KnownFolder,
  needs: Needs,
): void {
  for (const redirection of redirections) {
    lowerRedirected(redirection, cwd, needs);
    for (const { kind, target } of certainTargets([redirection])) {
      const path = placeOf(cwd, target);
      // What is opened elsewhere is judged when it is.
      if (path !== null) {
        lowerRedirection(kind, path).forEach((one) => needs.found.push(ready(one)));
      }
    }
  }
}
