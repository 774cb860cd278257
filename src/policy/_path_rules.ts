/** The path rules of one policy, compiled, for one access. */

import type { RuleReference } from "../core/errors.ts";
import { fold } from "./_fold.ts";
import { addGlob, createTrie, type Ordered, type TrieNode, walkTrie } from "./_path_trie.ts";
import { parseGlob, rootedSegments } from "./match_path.ts";
import type { Access, PathRule } from "./model.ts";

/** A rule as verdicts cite it. */
export interface CitedRule extends Ordered {
  readonly reference: RuleReference;
}

/**
 * Two trees. One holds what restricts (deny and ask): a rule there speaks for all below what it matches, and
 * ignores case where file systems do. The other holds what grants (allow and ask): exactly what it matches.
 */
export interface PathRules {
  readonly restricting: TrieNode<CitedRule>;
  readonly granting: TrieNode<CitedRule>;
  readonly fold: ((name: string) => string) | null;
  /** The globs that allow or ask, as written. */
  readonly granted: readonly string[];
}

/** How a path fares by the rules alone. `unnamed`: no rule grants it. */
export type PathFinding =
  | { readonly effect: "allow" | "ask" | "deny"; readonly rule: CitedRule }
  | { readonly effect: "unnamed" };

/** Compiles the rules for one access. Throws `GlobError` for a glob that the parser would have refused. */
export function compilePathRules(
  rules: readonly PathRule[],
  access: Access,
  options: {
    readonly source: string;
    readonly workspace: string;
    readonly caseInsensitive: boolean;
  },
): PathRules {
  const folding = options.caseInsensitive ? fold : null;
  const restricting = createTrie<CitedRule>();
  const granting = createTrie<CitedRule>();
  const granted: string[] = [];
  rules.forEach((rule, order) => {
    if (!rule.access.includes(access)) return;
    const cited: CitedRule = {
      order,
      reference: referenceTo(options.source, `paths[${order}]`, rule.reason),
    };
    for (const text of rule.match) {
      if (rule.effect !== "deny") granted.push(text);
      for (const path of parseGlob(text).paths) {
        const segments = rootedSegments(path, options.workspace);
        if (rule.effect !== "allow") addGlob(restricting, segments, rule.effect, cited, folding);
        if (rule.effect !== "deny") addGlob(granting, segments, rule.effect, cited, null);
      }
    }
  });
  return { restricting, granting, fold: folding, granted };
}

/** A reference with its reason where there is one. */
export function referenceTo(file: string, index: string, reason?: string): RuleReference {
  return reason === undefined ? { file, index } : { file, index, reason };
}

/** How a path, given as its names from the root, fares. */
export function findPath(rules: PathRules, names: readonly string[]): PathFinding {
  const { any } = walkTrie(rules.restricting, names, rules.fold);
  if (any.deny !== null) return { effect: "deny", rule: any.deny };
  const { here } = walkTrie(rules.granting, names, null);
  const granting = here.allow ?? here.ask;
  if (granting === null) return { effect: "unnamed" };
  // An asking rule also restricts, so `any.ask` holds it where only it grants.
  if (any.ask !== null) return { effect: "ask", rule: any.ask };
  return { effect: "allow", rule: granting };
}

/** Whether anything below a directory could be other than allowed; true when unsure. */
export function mayRestrictBelow(rules: PathRules, names: readonly string[]): boolean {
  const restrictions = walkTrie(rules.restricting, names, rules.fold);
  if (restrictions.live || restrictions.any.deny !== null || restrictions.any.ask !== null) {
    return true;
  }
  return !walkTrie(rules.granting, names, null).coversBelow;
}
