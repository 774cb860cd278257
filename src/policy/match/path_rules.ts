/** The path rules of one policy, compiled, for one access. */

import type { RuleReference } from "../../core/errors.ts";
import { fold } from "./_fold.ts";
import {
  addGlob,
  coversBelow,
  createTrie,
  endingsOfWalk,
  hitsAt,
  isLive,
  nextNames,
  type Ordered,
  placeAt,
  placeBelow,
  stepInto,
  stepPast,
  type TrieNode,
  type TriePlace,
  withAllBelow,
} from "./_path_trie.ts";
import type { NameRule } from "./name_filter.ts";
import { parsePathGlob, rootedSegments, segmentsOf } from "./path.ts";
import type { Access, Effect, PathRule } from "../model.ts";

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
  /** Of the workspace, in which most paths lie: walks of these begin where all of them would come by. */
  readonly workspace: {
    readonly names: readonly string[];
    readonly restricting: TriePlace<CitedRule>;
    readonly granting: TriePlace<CitedRule>;
  };
  /** The globs that allow or ask, as written. */
  readonly granted: readonly string[];
  /** How many rules the policy has, those for the other access included. */
  readonly count: number;
}

/** A rule that speaks for what was asked, by one of its patterns. */
export interface Match {
  readonly rule: CitedRule;
  readonly effect: Effect;
  /** The glob, command pattern or host, as written. */
  readonly pattern: string;
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
      for (const path of parsePathGlob(text).paths) {
        const segments = rootedSegments(path, options.workspace);
        const ending = { rule: cited, effect: rule.effect, pattern: text };
        const { outside } = rule;
        if (rule.effect !== "allow") addGlob(restricting, segments, ending, folding, outside);
        if (rule.effect !== "deny") addGlob(granting, segments, ending, null, outside);
      }
    }
  });
  const names = segmentsOf(options.workspace);
  const workspace = {
    names,
    restricting: placeAt(restricting, names, folding),
    granting: placeAt(granting, names, null),
  };
  return { restricting, granting, fold: folding, workspace, granted, count: rules.length };
}

/**
 * These rules with one more behind them that allows all of a folder, which like every other yields to those that ask or
 * deny. For each run of programs anew: what restricts is shared.
 */
export function withFolder(rules: PathRules, folder: string, source: string): PathRules {
  const { count: order, workspace } = rules;
  const pattern = `${folder}/**`;
  const rule: CitedRule = { order, reference: referenceTo(source, `paths[${order}]`) };
  const ending = { rule, effect: "allow", pattern } as const;
  const granting = withAllBelow(rules.granting, segmentsOf(folder), ending);
  return {
    ...rules,
    granting,
    workspace: { ...workspace, granting: placeAt(granting, workspace.names, null) },
    granted: [...rules.granted, pattern],
    count: order + 1,
  };
}

/** A reference with its reason where there is one. */
export function referenceTo(file: string, index: string, reason?: string): RuleReference {
  return reason === undefined ? { file, index } : { file, index, reason };
}

/** How a path, given as its names from the root, fares. */
export function findPath(rules: PathRules, names: readonly string[]): PathFinding {
  const { any } = placeOfPath(rules, "restricting", names);
  if (any.deny !== null) return { effect: "deny", rule: any.deny };
  const here = hitsAt(placeOfPath(rules, "granting", names));
  const granting = here.allow ?? here.ask;
  if (granting === null) return { effect: "unnamed" };
  // An asking rule also restricts, so `any.ask` holds it where only it grants.
  if (any.ask !== null) return { effect: "ask", rule: any.ask };
  return { effect: "allow", rule: granting };
}

function placeOfPath(
  rules: PathRules,
  tree: "restricting" | "granting",
  names: readonly string[],
): TriePlace<CitedRule> {
  const fold = tree === "restricting" ? rules.fold : null;
  const { workspace } = rules;
  return workspace.names.every((name, at) => names[at] === name)
    ? placeBelow(workspace[tree], names.slice(workspace.names.length), fold)
    : placeAt(rules[tree], names, fold);
}

/** All rules that speak for a path, in their order: what `findPath` draws its finding from, by the same walk. */
export function matchPath(rules: PathRules, names: readonly string[]): readonly Match[] {
  const { any } = endingsOfWalk(rules.restricting, names, rules.fold);
  const { here } = endingsOfWalk(rules.granting, names, null);
  return inOrder([...any, ...[...here].filter(({ effect }) => effect === "allow")]);
}

/** Each pattern of each rule once, in the order of the rules. */
export function inOrder(matches: readonly Match[]): readonly Match[] {
  const distinct = new Map(
    matches.map((match) => [`${match.rule.order} ${match.pattern}`, match]),
  );
  return [...distinct.values()].sort((a, b) => a.rule.order - b.rule.order);
}

/** How the entries of one directory fare by the rules alone, for those who go through a tree from its root. */
export interface PathPlace {
  /** The effect of `findPath`; `unnamed` is a denial. */
  effectOf(name: string): Effect;
  /** Of the directory of that name: this one where nothing else is known of it. */
  into(name: string): PathPlace;
  /** Whether anything below could be other than allowed; true when unsure. */
  readonly mayRestrict: boolean;
  /** What some rule says of names here; null where that cannot be told by names as they are written. */
  named(): readonly NameRule[] | null;
  /** The effect of `effectOf` on all names that fit none of `named`. */
  usual(): Effect;
}

/** The place of a directory, given as its names from the root. */
export function pathPlace(rules: PathRules, names: readonly string[]): PathPlace {
  return placeOf(
    rules.fold,
    placeAt(rules.restricting, names, rules.fold),
    placeAt(rules.granting, names, null),
  );
}

/** Once all below is granted, it stays so: `granting` is then walked no further. */
function placeOf(
  fold: PathRules["fold"],
  restricting: TriePlace<CitedRule>,
  granting: TriePlace<CitedRule>,
): PathPlace {
  const covered = coversBelow(granting);
  const live = isLive(restricting);
  const { any: above } = restricting;
  const effectAt = (
    { any }: TriePlace<CitedRule>,
    grantingAt: () => TriePlace<CitedRule>,
  ): Effect => {
    if (any.deny !== null) return "deny";
    if (!covered) {
      const here = hitsAt(grantingAt());
      if (here.allow === null && here.ask === null) return "deny";
    }
    return any.ask === null ? "allow" : "ask";
  };
  return {
    mayRestrict: live || above.deny !== null || above.ask !== null || !covered,
    effectOf(name) {
      return effectAt(
        live ? stepInto(restricting, name, fold) : restricting,
        () => stepInto(granting, name, null),
      );
    },
    named() {
      if (live && fold !== null) return null;
      return [...live ? nextNames(restricting) : [], ...covered ? [] : nextNames(granting)];
    },
    usual: () => effectAt(stepPast(restricting), () => stepPast(granting)),
    into(name) {
      const restrictingBelow = live ? stepInto(restricting, name, fold) : restricting;
      const grantingBelow = covered ? granting : stepInto(granting, name, null);
      return restrictingBelow === restricting && grantingBelow === granting
        ? this
        : placeOf(fold, restrictingBelow, grantingBelow);
    },
  };
}
