/** Judges connections by the network rules of all policies. */

import type { ConnectCapability } from "../../core/capability.ts";
import { once } from "../../core/once.ts";
import { printable } from "../../core/printable.ts";
import type { CompiledPolicy } from "../_compiled.ts";
import { hostOf, isLoopbackHost, isPrivateHost } from "../match/addresses.ts";
import { type CommandRules, findCommand } from "../match/command_rules.ts";
import {
  compileNames,
  findConnection,
  findOwnRestriction,
  hostsFor,
  loopbackDenials,
  type NetworkRules,
  type RulesPlace,
} from "../match/network_rules.ts";
import type { SecretRule } from "../model.ts";
import type { CommandKnowledge } from "../../programs/table.ts";
import { assessCommand } from "../../programs/risk.ts";
import type { DeniedLoopback, ProgramNetwork, Started } from "../rulebook.ts";
import { allowed, denied, type Judged, ruled, shortList, strictest } from "./_verdict.ts";

const WHY = {
  host: "no rule names this host",
  tools:
    "no rule that names this host names this command: rules are for tools unless commands names programs",
  method: "no rule for this host names this method",
  private: "it lies on a private network and no rule for it sets allow_private",
  elsewhere:
    "web.proxy looks its name up, so that it may lie on a private network, and no rule for it sets allow_private " +
    "(names: here judges what it stands for)",
  invalid: "this is no host and port",
} as const;

/**
 * Judges a connection, and says what the rules were asked. `held`: programs reach on the loopback what their own call's
 * programs serve, so that no rule needs to allow it (those that deny or ask bind: those that deny in what the words do not
 * say too, see `deniedLoopbackOf`), and beyond that what rules give them by name.
 */
export function judgeConnection(
  policies: readonly CompiledPolicy[],
  capability: ConnectCapability,
  { held }: { readonly held: boolean },
): Judged {
  const { host, port, method, addresses, command } = capability;
  const place = `${printable(host, 100)}:${port}`;
  const action = `connecting to ${place}${
    method === undefined ? "" : ` with ${printable(method, 20)}`
  }${addresses === undefined ? "" : `, which is ${printable(addresses.join(", "), 200)},`}`;
  const isOwn = held && isOwnServer(capability);
  const verdicts = policies.flatMap((policy) => {
    const { source } = policy;
    const network = networkRulesFor(policy, command);
    if (network === null) return [];
    const restriction = isOwn ? findOwnRestriction(network, capability) : null;
    if (isOwn && restriction === null) return [];
    const finding = restriction ?? findConnection(network, capability, { held });
    if (finding.effect !== "unnamed") {
      return [ruled(finding.effect, "NETWORK_DENIED", action, finding.rule.reference)];
    }
    const granted = held && command !== undefined ? hostsFor(network, command) : network.granted;
    const hint = granted.length === 0
      ? "no host is allowed"
      : `allowed hosts: ${shortList(granted)}`;
    return [denied(
      "NETWORK_DENIED",
      `${action} is not allowed by ${source} ${networkKeyFor(command)}: ${
        WHY[finding.because === "private" && isUnseen(capability) ? "elsewhere" : finding.because]
      }; ${hint}`,
      { file: source, index: networkKeyFor(command) },
    )];
  });
  return {
    verdict: strictest(
      verdicts,
      allowed(`${action} is allowed${isOwn ? ", where its own call serves it" : ""}`),
    ),
    asked: () => [{ about: "host", connection: capability, held }],
  };
}

/** Whether nobody here can say what the host stands for. */
function isUnseen({ host, elsewhere }: ConnectCapability): boolean {
  const found = hostOf(host);
  return elsewhere === true && found !== null && !isPrivateHost(found);
}

/** The rules of a policy that a connection of such a command is held against; null where the policy has none. */
export function networkRulesFor(
  { network, childNetwork }: Pick<CompiledPolicy, "network" | "childNetwork">,
  command: Pick<Started, "child"> | undefined,
): NetworkRules | null {
  return command?.child === true ? childNetwork : network;
}

/** Where in a policy they stand. */
export function networkKeyFor(command: Pick<Started, "child"> | undefined): string {
  return command?.child === true ? "children.network" : "network";
}

/** Whether a program means what its own call serves: on the loopback, at a port of programs'. */
export function isOwnServer({ by, host, port, proxied }: ConnectCapability): boolean {
  const found = hostOf(host);
  return by === "program" && proxied !== true && port > 0 && found !== null &&
    isLoopbackHost(found);
}

/** What rules open to a program; null where a policy that speaks of hosts names none for it. */
export function networkOf(
  policies: readonly CompiledPolicy[],
  command: Started,
  secrets: readonly NamedSecret[],
): ProgramNetwork | null {
  const hosts: string[] = [];
  for (const policy of policies) {
    const network = networkRulesFor(policy, command);
    if (network === null) continue;
    const own = hostsFor(network, command);
    if (own.length === 0) return null;
    hosts.push(...own);
  }
  if (hosts.length === 0) return null;
  return {
    hosts: [...new Set(hosts)],
    secrets: secrets.filter(({ commands }) => findCommand(commands, command).effect !== "unnamed")
      .map(({ secret }) => secret),
  };
}

/**
 * What rules deny a program of what its own call serves; null for nothing. Rules that ask do so of what words say alone:
 * nobody is asked while a program runs, and only its own call is at the other end.
 */
export function deniedLoopbackOf(
  policies: readonly CompiledPolicy[],
  command: Started,
  knowledge: () => CommandKnowledge,
): DeniedLoopback | null {
  const commands = once(() => withStarted(command, knowledge()));
  const denials = policies.flatMap((policy) => {
    const rules = networkRulesFor(policy, command);
    return rules === null ? [] : loopbackDenials(rules, commands);
  });
  if (denials.length === 0) return null;
  return (access, { host, port }) => {
    const denial = denials.find(({ denies }) => denies(port));
    const shown = host.includes(":") ? `[${host}]` : host;
    const action = `${ACTIONS[access]} ${printable(shown, 100)}:${port}`;
    return denial === undefined
      ? null
      : ruled("deny", "NETWORK_DENIED", action, denial.rule.reference);
  };
}

const ACTIONS = { connect: "connecting to", listen: "listening at" } as const;

/** The command, and those that it would start itself: `env python3 x.py` is python3's, too. */
function withStarted(command: Started, knowledge: CommandKnowledge): readonly Started[] {
  const { inner } = assessCommand(command, command.program, knowledge);
  return [command, ...inner.map((argv) => ({ ...command, argv, program: null }))];
}

/** A secret with the commands that it is for. */
export interface NamedSecret {
  readonly secret: SecretRule;
  readonly commands: CommandRules;
}

/** Compiles the commands of secrets. */
export function compileSecrets(
  secrets: readonly SecretRule[],
  place: RulesPlace,
): readonly NamedSecret[] {
  return secrets.map((secret) => ({ secret, commands: compileNames(secret.commands, place) }));
}
