/** What a review says of a policy that loads, and still may not mean what it says. */

import { quoted } from "../../core/printable.ts";

/** One thing that its author should know. */
export interface PolicyWarning {
  /** The position of the policy among those reviewed: two may bear one name. */
  readonly policy: number;
  /** `commands[3].allow[0]`; empty for the file as a whole. */
  readonly key: string;
  readonly message: string;
  /** The reason that the rule gives for itself, where that says that it is meant: then it is no warning. */
  readonly accepted?: string;
}

/** A rule as warnings cite it. */
export interface RuleName {
  readonly policy: number;
  readonly source: string;
  /** `paths[3]` */
  readonly index: string;
}

/** `paths[1] and paths[4]` as the rule `own` would say it, with the names of other policies. */
export function cited(rules: Iterable<RuleName>, own: RuleName): string {
  const names = [
    ...new Set(
      [...rules].map(({ policy, source, index }) =>
        policy !== own.policy
          ? `${source} ${index}`
          : index === own.index
          ? "another entry of this rule"
          : index
      ),
    ),
  ];
  const shown = names.slice(0, 4);
  const more = names.length - shown.length;
  return shown.join(" and ") + (more > 0 ? ` and ${more} more` : "");
}

/** What a rule says, on one line. */
export function quotedPattern(text: string): string {
  return quoted(text, 80);
}
