/** Verdicts: made, compared, put into words. */

import type { ErrorCode, RuleReference } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import { EFFECTS } from "../model.ts";
import type { Verdict } from "../rulebook.ts";
import type { Question } from "./question.ts";

/** A verdict, and what the rules were asked for it: put together only for those who ask why. */
export interface Judged {
  readonly verdict: Verdict;
  asked(): readonly Question[];
}

/** The verdict that lets it through; `rule` where one says so. */
export function allowed(reason: string, rule: RuleReference | null = null): Verdict {
  return { effect: "allow", code: null, reason, rule };
}

/** The verdict that refuses, with the code that the caller is answered. */
export function denied(
  code: ErrorCode,
  reason: string,
  rule: RuleReference | null = null,
): Verdict {
  return { effect: "deny", code, reason, rule };
}

/** The verdict that wants somebody to agree. */
export function asked(reason: string, rule: RuleReference): Verdict {
  return { effect: "ask", code: "APPROVAL_REQUIRED", reason, rule };
}

/** "running git push needs approval by policy/x.yaml commands[1] (leaves this machine)" for a rule that spoke. */
export function ruled(
  effect: Verdict["effect"],
  code: ErrorCode,
  action: string,
  rule: RuleReference,
): Verdict {
  const by = `by ${cite(rule)}`;
  switch (effect) {
    case "allow":
      return allowed(`${action} is allowed ${by}`, rule);
    case "ask":
      return asked(`${action} needs approval ${by}`, rule);
    case "deny":
      return denied(code, `${action} is denied ${by}`, rule);
  }
}

/** "policy/x.yaml commands[1] (leaves this machine)" */
export function cite({ file, index, reason }: RuleReference): string {
  return `${file} ${index}${reason === undefined ? "" : ` (${reason})`}`;
}

/** The strictest verdict, the first among equals. `otherwise` where there is none. */
export function strictest(verdicts: readonly Verdict[], otherwise: Verdict): Verdict {
  return verdicts.length === 0 ? otherwise : verdicts.reduce(stricter);
}

/** The stricter of two verdicts, the first where they are equal. */
export function stricter(one: Verdict, other: Verdict): Verdict {
  return EFFECTS.indexOf(other.effect) > EFFECTS.indexOf(one.effect) ? other : one;
}

/** At most `most` of the words, as in "a, b and 3 more". */
export function shortList(words: readonly string[], most = 8): string {
  const distinct = [...new Set(words)];
  const shown = distinct.slice(0, most).map((word) => printable(word, 60)).join(", ");
  const more = distinct.length - most;
  return more > 0 ? `${shown} and ${more} more` : shown;
}
