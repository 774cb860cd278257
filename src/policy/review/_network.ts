/** Rules on hosts that can never be the ones that decide. */

import { hostOf, isPrivateHost } from "../match/addresses.ts";
import type { PlacedPolicy } from "../_settings.ts";
import { type HostPattern, LOOPBACK, matchesHost, parseHostPattern } from "../match/host.ts";
import type { NetworkRule } from "../model.ts";
import { type Budget, spend } from "./_budget.ts";
import { cited, type PolicyWarning, quotedPattern, type RuleName } from "./_warning.ts";

interface Entry {
  readonly rule: NetworkRule;
  readonly name: RuleName;
  /** `network[3].allow[0]` */
  readonly key: string;
  readonly text: string;
  readonly host: HostPattern;
}

/** Hosts that never decide: others catch all of them more strictly, an earlier rule says the same, or they are private. */
export function reviewNetwork(
  policies: readonly PlacedPolicy[],
  reviewed: number,
  budget: Budget,
): readonly PolicyWarning[] {
  const entries = policies.map(entriesOf);
  const restricting = entries.flat().filter(({ rule }) => rule.effect !== "allow");
  return entries.slice(0, reviewed).flatMap((own, policy) =>
    own.flatMap((entry, at) => {
      const why = whyNever(entry, { restricting, earlier: own.slice(0, at) }, budget) ??
        whyWide(entry);
      return why === null
        ? []
        : [{ policy, key: entry.key, message: `${quotedPattern(entry.text)} ${why}` }];
    })
  );
}

function entriesOf(
  { policy: { network }, source }: PlacedPolicy,
  policy: number,
): readonly Entry[] {
  return (network ?? []).flatMap((rule, order) =>
    rule.hosts.map((text, at): Entry => ({
      rule,
      name: { policy, source, index: `network[${order}]` },
      key: `network[${order}].${rule.effect}[${at}]`,
      text,
      host: parseHostPattern(text),
    }))
  );
}

function whyNever(
  entry: Entry,
  { restricting, earlier }: {
    readonly restricting: readonly Entry[];
    readonly earlier: readonly Entry[];
  },
  budget: Budget,
): string | null {
  const { rule: { effect }, name } = entry;
  const byOther = (others: readonly Entry[], fits: (other: Entry) => boolean) =>
    others.find((other) => spend(budget) && covers(other, entry) && fits(other));
  const denying = effect === "deny"
    ? undefined
    : byOther(restricting, ({ rule }) => rule.effect === "deny");
  if (denying !== undefined) {
    return `can never ${effect}: ${cited([denying.name], name)} denies all of it`;
  }
  const asking = effect === "allow" ? byOther(restricting, () => true) : undefined;
  if (asking !== undefined) {
    return `can never allow: ${cited([asking.name], name)} asks for all of it`;
  }
  if (effect === "allow" && !entry.rule.allowPrivate && isSecluded(entry.host)) {
    return "can never allow: it lies on this machine or a private network; add allow_private: true";
  }
  const same = byOther(
    earlier,
    ({ rule }) =>
      rule.effect === effect &&
      (effect === "deny" || rule.allowPrivate || !entry.rule.allowPrivate),
  );
  return same === undefined
    ? null
    : `never decides: ${cited([same.name], name)} says the same before it`;
}

/** Whether one speaks for every connection that the other speaks for. */
function covers(wide: Entry, narrow: Entry): boolean {
  const { port } = wide.host;
  if (!isForAll(wide.rule, narrow.rule)) return false;
  if (port !== null && port !== narrow.host.port) return false;
  const methods = narrow.rule.methods;
  const theirs = wide.rule.methods;
  if (theirs !== null && (methods === null || !methods.every((one) => theirs.includes(one)))) {
    return false;
  }
  switch (narrow.host.kind) {
    case "any":
      return wide.host.kind === "any";
    case "suffix":
      return wide.host.kind === "any" ||
        (wide.host.kind === "suffix" &&
          (narrow.host.host === wide.host.host ||
            narrow.host.host.endsWith(`.${wide.host.host}`)));
    case "exact":
      return matchesHost({ ...wide.host, port: null }, narrow.host.host, 1);
    case LOOPBACK:
      return wide.host.kind === "any" || wide.host.kind === LOOPBACK;
  }
}

/** What a program can be led to send is what its rule lets it send: one that opens everything holds nothing. */
function whyWide({ rule: { effect, commands }, host: { kind } }: Entry): string | null {
  if (effect !== "allow" || commands === undefined || kind === LOOPBACK) return null;
  if (kind === "any") {
    return "opens every public host to these programs: name the hosts that they need";
  }
  const all = commands.find((command) => /^\*(?:\s|$)/.test(command));
  return all === undefined
    ? null
    : `is opened to whatever ${quotedPattern(all)} starts: name the programs that need it`;
}

/** Whether a rule is for all that the other is for. One that restricts and names no programs binds them too. */
function isForAll(wide: NetworkRule, narrow: NetworkRule): boolean {
  if (wide.commands === undefined) return narrow.commands === undefined || wide.effect !== "allow";
  return narrow.commands?.every((command) => wide.commands?.includes(command)) === true;
}

function isSecluded({ kind, host }: HostPattern): boolean {
  const found = kind === "exact" ? hostOf(host) : null;
  return found !== null && isPrivateHost(found);
}
