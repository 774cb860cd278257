/** The rules of a policy about connections: which hosts are reached, and by which key. */

import type { CommandPattern } from "../match/argv.ts";
import { HostError, type HostPattern, LOOPBACK, parseHostPattern } from "../match/host.ts";
import type { NetworkRule, SecretRule } from "../model.ts";
import {
  commandPattern,
  compiled,
  effectOf,
  effects,
  ONE_EFFECT,
  reason,
  sources,
} from "./_rule.ts";
import { key } from "./_web.ts";
import { variable } from "./section.ts";
import { converted, list, object, optional, otherwise, required } from "../../config/collection.ts";
import { type Field, flag, oneOf, text } from "../../config/field.ts";
import type { KeyPosition } from "../../config/key_position.ts";

/** RFC 9110, 5.1, as the headers of keys are. */
const HEADER = /^[A-Za-z0-9][A-Za-z0-9-]{0,63}$/;
const HTTPS = 443;
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

const hosts = list(compiled("a host such as *.example.org:443", parseHostPattern, HostError), {
  min: 1,
});

/** Hosts, or in their place the one word for what a call's programs serve each other. */
const hostsOrLoopback: Field<readonly HostPattern[]> = {
  schema: { anyOf: [hosts.schema, { const: LOOPBACK }] },
  read: (value, position) => hosts.read(value === LOOPBACK ? [value] : value, position),
};

/** What every rule about hosts says. */
const connections = {
  ...effects(hostsOrLoopback, "hosts"),
  methods: otherwise(
    list(oneOf(METHODS), { min: 1 }),
    null,
    "the HTTP methods it is about; all where left out",
  ),
  allow_private: otherwise(
    flag(),
    false,
    "true: these hosts may resolve to private, loopback and link-local addresses",
  ),
};

interface WrittenConnections {
  readonly allow?: readonly HostPattern[];
  readonly ask?: readonly HostPattern[];
  readonly deny?: readonly HostPattern[];
  readonly methods: readonly string[] | null;
  readonly allow_private: boolean;
  readonly commands?: readonly CommandPattern[];
  readonly reason?: string;
}

function networkRuleOf(rule: WrittenConnections, place: KeyPosition): NetworkRule | undefined {
  const named = effectOf(rule, place);
  if (named === undefined) return undefined;
  if (rule.allow_private && named.effect === "deny") {
    return place.in("allow_private").report("opens something in a rule that denies; leave it out");
  }
  return {
    effect: named.effect,
    hosts: sources(named.entries),
    methods: rule.methods,
    allowPrivate: rule.allow_private,
    ...(rule.commands === undefined ? {} : { commands: sources(rule.commands) }),
    ...(rule.reason === undefined ? {} : { reason: rule.reason }),
  };
}

/** One entry of `children.network`: the program that it is for is that of a child agent. */
export const childNetworkRule: Field<NetworkRule> = converted(
  object({ ...connections, reason }),
  networkRuleOf,
  ONE_EFFECT,
);

/** One entry of `network`. */
export const networkRule: Field<NetworkRule> = converted(
  object({
    ...connections,
    commands: optional(
      list(commandPattern, { min: 1 }),
      "the programs it is for, by the beginnings of their commands, and for no tool; else it is for tools, and " +
        "programs are bound only by what it denies or asks for",
    ),
    reason,
  }),
  (rule, place) =>
    rule.commands === undefined && rule.allow?.some(({ kind }) => kind === LOOPBACK) === true
      ? place.in("allow").report(
        "opens loopback, which is what the programs of one call serve each other, and names no programs; write " +
          "commands, or for tools localhost with allow_private: true",
      )
      : networkRuleOf(rule, place),
  ONE_EFFECT,
);

/** Of the connection and its framing: the proxy's own (RFC 9110, 7.6.1). */
const FRAMING_HEADERS =
  /^(?:host|connection|content-length|transfer-encoding|te|trailer|upgrade|expect|accept-encoding|proxy-.*)$/i;

/** An entry of `secrets`. */
export const secretRule: Field<SecretRule> = converted(
  object({
    host: required(
      compiled("a host such as api.example.org", parseHostPattern, HostError),
      "the host that the key is for, spoken to by https; host:port where that is not 443",
    ),
    header: required(
      text({
        what: "the name of a header",
        pattern: HEADER.source,
        check: (name) =>
          !HEADER.test(name)
            ? "is no name of a header: letters, digits and -"
            : FRAMING_HEADERS.test(name)
            ? "is a header of the connection, not one for a key"
            : null,
      }),
      "the header that the key goes into",
    ),
    value: required(key, "where the key is: { env: NAME } or { file: PATH }"),
    prefix: otherwise(
      text({
        what: "what stands before the key",
        pattern: "^[ -~]{1,100}$",
        check: (value) => /^[ -~]{1,100}$/.test(value) ? null : "is no printable ASCII",
      }),
      "",
      "what stands before the key in the header, as in 'Bearer '",
    ),
    commands: required(
      list(commandPattern, { min: 1 }),
      "the programs that may use it; a network rule must open the host to them",
    ),
    variable: otherwise(
      variable,
      null,
      "the variable in which they find the address that stands for the host, such as API_BASE_URL; else " +
        "TOOLGATE_ and the host: TOOLGATE_API_EXAMPLE_ORG",
    ),
  }),
  ({ host, header, value, prefix, commands, variable }, place) => {
    if (host.kind !== "exact") {
      return place.in("host").report("is not one host; a key is for one: write it whole");
    }
    return {
      host: host.host,
      port: host.port ?? HTTPS,
      header,
      prefix,
      key: value,
      commands: sources(commands),
      variable: variable ?? `TOOLGATE_${host.host.replaceAll(/[^A-Za-z0-9]/g, "_").toUpperCase()}`,
    };
  },
);
