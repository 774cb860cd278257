/** Rules on paths that can never be the ones that decide. */

import type { PlacedPolicy } from "../_settings.ts";
import { parsePathGlob, rootedSegments } from "../match/path.ts";
import type { Access, Effect, PathRule } from "../model.ts";
import type { Budget } from "./_budget.ts";
import { type Covering, GlobCover } from "./_glob_cover.ts";
import { type NameSegment, namesOf, segmentAlphabet } from "./_segment_alphabet.ts";
import { mayMeet, type Sequence } from "./_sequence.ts";
import { cited, type PolicyWarning, quotedPattern, type RuleName } from "./_warning.ts";

type Cover = GlobCover<RuleName>;

/** One glob of one rule. */
interface Entry {
  readonly rule: PathRule;
  readonly name: RuleName;
  /** `paths[3].match[0]` */
  readonly key: string;
  readonly text: string;
  /** Its alternatives, from the root of the file system. */
  readonly alternatives: readonly Sequence<NameSegment>[];
}

const DOING = { read: "reading", write: "writing" } as const;

/**
 * Globs that never decide: all they match is denied, or asked for, by others; or is granted by no policy before; or
 * an earlier rule says the same. `reviewed`: how many of the policies, from the first, are to be spoken of.
 */
export function reviewPaths(
  policies: readonly PlacedPolicy[],
  reviewed: number,
  budget: Budget,
): readonly PolicyWarning[] {
  const entries = policies.map(entriesOf);
  const warnings: PolicyWarning[] = [];
  const stricter = {
    read: stricterCovers(entries, "read", budget),
    write: stricterCovers(entries, "write", budget),
  };
  entries.slice(0, reviewed).forEach((own, policy) => {
    const said = { read: new Earlier(budget), write: new Earlier(budget) };
    for (const entry of own) {
      const dead = entry.rule.access.flatMap((access) => {
        const why = whyDead(entry, stricter[access]) ??
          whyOutOfReach(entry, entries.slice(0, policy), access, budget);
        return why === null ? [] : [{ access, why }];
      });
      for (const { access, why } of dead) {
        const what = `${quotedPattern(entry.text)} can never ${entry.rule.effect} ${DOING[access]}`;
        warnings.push({ policy, key: entry.key, message: `${what}: ${why}` });
      }
      if (dead.length > 0) continue;
      const same = entry.rule.access.map((access) => said[access].coveredBy(entry));
      if (same.every((covering) => covering !== null)) {
        const by = cited(same.flatMap((covering) => [...covering]), entry.name);
        warnings.push({
          policy,
          key: entry.key,
          message: `${quotedPattern(entry.text)} never decides: ${by} says the same before it`,
        });
        continue;
      }
      for (const access of entry.rule.access) said[access].add(entry);
    }
  });
  return warnings;
}

function entriesOf(
  { policy: { paths }, workspace, source }: PlacedPolicy,
  policy: number,
): readonly Entry[] {
  return (paths ?? []).flatMap((rule, order) =>
    rule.match.map((text, at): Entry => ({
      rule,
      name: { policy, source, index: `paths[${order}]` },
      key: `paths[${order}].match[${at}]`,
      text,
      alternatives: parsePathGlob(text).paths.map((path) =>
        namesOf(rootedSegments(path, workspace))
      ),
    }))
  );
}

type StricterCovers = Readonly<Record<"deny" | "ask", Cover>>;

/** What any policy denies, and what any denies or asks for. */
function stricterCovers(
  entries: readonly (readonly Entry[])[],
  access: Access,
  budget: Budget,
): StricterCovers {
  const covers = { deny: new GlobCover<RuleName>(budget), ask: new GlobCover<RuleName>(budget) };
  for (const effect of ["deny", "ask"] as const) {
    for (const { rule, name, alternatives } of entries.flat()) {
      if (rule.effect !== effect || !rule.access.includes(access)) continue;
      // It takes less than its globs say.
      if (rule.outside !== undefined) continue;
      for (const names of alternatives) {
        if (effect === "deny") covers.deny.add(names, name);
        covers.ask.add(names, name);
      }
    }
  }
  return covers;
}

/** The rules that together take all that the entry takes. */
function coveringOf(entry: Entry, cover: Cover, above: boolean): Covering<RuleName> {
  const used = new Set<RuleName>();
  for (const names of entry.alternatives) {
    const covering = cover.covering(names, above);
    if (covering === null) return null;
    for (const rule of covering) used.add(rule);
  }
  return used;
}

function whyDead(entry: Entry, stricter: StricterCovers): string | null {
  const { effect } = entry.rule;
  if (effect === "deny") return null;
  const denied = coveringOf(entry, stricter.deny, true);
  if (denied !== null) {
    return `all that it matches is denied by ${
      cited(denied, entry.name)
    }; narrow that, or remove this`;
  }
  const asked = effect === "allow" ? coveringOf(entry, stricter.ask, true) : null;
  return asked === null
    ? null
    : `all that it matches is asked for or denied by ${cited(asked, entry.name)}`;
}

/** A further policy cannot give what one before it does not. */
function whyOutOfReach(
  entry: Entry,
  before: readonly (readonly Entry[])[],
  access: Access,
  budget: Budget,
): string | null {
  if (entry.rule.effect === "deny") return null;
  const alphabet = segmentAlphabet(budget);
  for (const [policy, others] of before.entries()) {
    // A further policy without rules on paths leaves them to the others.
    if (others.length === 0 && policy > 0) continue;
    const grants = others.filter(({ rule }) =>
      rule.effect !== "deny" && rule.access.includes(access)
    );
    const met = grants.some((grant) =>
      grant.alternatives.some((theirs) =>
        entry.alternatives.some((names) => mayMeet(names, theirs, alphabet, budget))
      )
    );
    if (!met) {
      const where = others[0]?.name.source ?? "the first policy";
      return `${where} allows none of what it matches, and a further policy can only tighten`;
    }
  }
  return null;
}

/** What the rules before, of one policy and access, already say. */
class Earlier {
  readonly #covers: Readonly<Record<Effect, Cover>>;

  constructor(budget: Budget) {
    this.#covers = {
      allow: new GlobCover(budget),
      ask: new GlobCover(budget),
      deny: new GlobCover(budget),
    };
  }

  add({ rule, name, alternatives }: Entry): void {
    if (rule.outside !== undefined) return;
    for (const names of alternatives) this.#covers[rule.effect].add(names, name);
  }

  /** What denies also holds below what it matches; what grants, asked or not, does so for exactly that. */
  coveredBy(entry: Entry): Covering<RuleName> {
    const { effect } = entry.rule;
    return coveringOf(entry, this.#covers[effect], effect === "deny");
  }
}
