/** The rules of a policy: paths, commands, hosts and endings, each with its effect. */

import { quoted } from "../../core/printable.ts";
import {
  type CommandPattern,
  matchesCommand,
  parseCommandPattern,
  PatternError,
  splitCommand,
} from "../match/argv.ts";
import { HostError, type HostPattern, parseHostPattern } from "../match/host.ts";
import { GlobError, parsePathGlob } from "../match/path.ts";
import {
  type CommandRule,
  type Effect,
  EFFECTS,
  type ExtensionRule,
  type NetworkRule,
  type PathRule,
  type Policy,
  type SecretRule,
} from "../model.ts";
import { key } from "./_web.ts";
import { variable } from "./section.ts";
import type { Starts } from "../../programs/spec.ts";
import { RISKS } from "../../core/tool.ts";
import { converted, list, object, optional, otherwise, required } from "../../config/collection.ts";
import { type Field, flag, oneOf, text } from "../../config/field.ts";
import { either, found } from "../../config/value_kind.ts";
import type { KeyPosition } from "../../config/key_position.ts";

const reason = optional(
  text({ what: "a sentence" }),
  "why, in words for whoever is refused or asked",
);

/** JSON Schema for what {@linkcode effectOf} holds. */
const ONE_EFFECT = { oneOf: EFFECTS.map((effect) => ({ required: [effect] })) };

/** The keys of the three effects, over one kind of list. */
function effects<T>(entries: Field<readonly T[]>, of: string) {
  return {
    allow: optional(entries, `${of} that are allowed`),
    ask: optional(entries, `${of} that need an approval`),
    deny: optional(entries, `${of} that are refused, whatever other rules say`),
  };
}

/** The one effect that a rule names, and its list. */
function effectOf<T>(
  rule: { readonly [E in Effect]?: readonly T[] },
  place: KeyPosition,
): { readonly effect: Effect; readonly entries: readonly T[] } | undefined {
  const named = EFFECTS.filter((effect) => rule[effect] !== undefined);
  const [effect] = named;
  const entries = effect === undefined ? undefined : rule[effect];
  if (effect === undefined || entries === undefined) {
    return place.report(`names no effect; write ${either(EFFECTS)} with a list`);
  }
  if (named.length > 1) {
    return place.report(
      `names ${named.join(" and ")}; a rule has one effect: write a rule for each`,
    );
  }
  return { effect, entries };
}

/** Text that a matcher compiles, as it compiled it: what is wrong with it comes from the matcher. `count`: of patterns. */
function compiled<T extends NonNullable<unknown>>(
  what: string,
  compile: (value: string) => T,
  failure: new (message: string) => Error,
  count: (made: T) => number = () => 1,
): Field<T> {
  return converted(text({ what }), (value, place) => {
    // Once there are too many nothing more is written out: that alone would take the time.
    if (!place.take(0)) return undefined;
    try {
      const made = compile(value);
      return place.take(count(made)) ? made : undefined;
    } catch (error) {
      if (error instanceof failure) {
        return place.report(`${found(value)} cannot be read: ${error.message}`);
      }
      throw error;
    }
  });
}

/** How many ways to write its words a command pattern names. */
function wordsIn({ tokens }: CommandPattern): number {
  return tokens.reduce((sum, { literals, wild }) => sum + literals.size + wild.length, 0);
}

/** The texts that patterns were compiled from. */
function sources(patterns: readonly { readonly source: string }[]): readonly string[] {
  return patterns.map((pattern) => pattern.source);
}

/** An entry of `paths`. */
export const pathRule: Field<PathRule> = converted(
  object({
    ...effects(list(oneOf(["read", "write"]), { min: 1 }), "kinds of access (read, write)"),
    match: required(
      list(
        compiled("a glob such as src/**", parsePathGlob, GlobError, ({ paths }) => paths.length),
        {
          min: 1,
        },
      ),
      "the globs it is about, relative to the workspace or absolute",
    ),
    reason,
  }),
  (rule, place) => {
    const named = effectOf(rule, place);
    if (named === undefined) return undefined;
    return {
      effect: named.effect,
      access: named.entries,
      match: sources(rule.match),
      ...(rule.reason === undefined ? {} : { reason: rule.reason }),
    };
  },
  ONE_EFFECT,
);

const example = compiled(
  "a command as it would be typed",
  (source) => ({ source, argv: splitCommand(source) }),
  PatternError,
);

const programNames = list(
  text({
    what: "the name of a program",
    pattern: "^[^/ ]+$",
    check: (name) =>
      /^[^/\s]+$/.test(name)
        ? null
        : "is no bare name: programs are named as they are found on the search path",
  }),
  { min: 1 },
);
const anyOrNone = oneOf(["none", "any"]);

/** What a program may start: nothing, anything, or these. */
const runs: Field<Starts> = {
  schema: { anyOf: [anyOrNone.schema, programNames.schema] },
  read: (value, position) =>
    Array.isArray(value) ? programNames.read(value, position) : anyOrNone.read(value, position),
};

const commandPattern = compiled(
  "a command such as git status",
  parseCommandPattern,
  PatternError,
  wordsIn,
);

/** An entry of `commands`. */
export const commandRule: Field<CommandRule> = converted(
  object({
    ...effects(
      list(
        commandPattern,
        { min: 1 },
      ),
      "beginnings of commands, word by word",
    ),
    runs: optional(
      runs,
      "what they may start themselves: none, any, or the names of programs; the kernel holds it",
    ),
    risk: optional(
      oneOf(RISKS),
      "of allow: how risky they may be by their own words, in place of risk.allow (rm -r, python3 -c)",
    ),
    exact: otherwise(flag(), false, "true: the pattern is the whole command, not its beginning"),
    except: optional(
      list(commandPattern, { min: 1 }),
      "of ask and deny: whole commands, from the first word to the last, that the rule leaves to other rules",
    ),
    reason,
    match: otherwise(
      list(example),
      [],
      "commands that this rule must match; checked when the policy is loaded",
    ),
    not_match: otherwise(
      list(example),
      [],
      "commands that this rule must not match; checked when the policy is loaded",
    ),
  }),
  (rule, place) => {
    const named = effectOf(rule, place);
    if (named === undefined) return undefined;
    if (rule.runs !== undefined && named.effect === "deny") {
      return place.in("runs").report("says what a refused command may start; leave it out");
    }
    if (rule.risk !== undefined && named.effect !== "allow") {
      return place.in("risk").report("is about commands that are allowed; leave it out");
    }
    if (rule.except !== undefined && named.effect === "allow") {
      return place.in("except").report(
        "is for rules that ask or deny: what a rule should not allow another one denies or asks for",
      );
    }
    let held = true;
    const must = (key: "match" | "not_match", expected: boolean) =>
      rule[key].forEach(({ source, argv }, index) => {
        const { exact, except = [] } = rule;
        const matched = named.entries.some((pattern) => matchesCommand(pattern, argv, { exact })) &&
          !except.some((pattern) => matchesCommand(pattern, argv, { exact: true }));
        if (matched === expected) return;
        held = false;
        place.in(key).at(index).report(
          `this rule ${expected ? "does not match" : "matches"} the example ${
            quoted(source)
          }; correct ${named.effect} or the example`,
        );
      });
    must("match", true);
    must("not_match", false);
    if (!held) return undefined;
    return {
      effect: named.effect,
      patterns: sources(named.entries),
      exact: rule.exact,
      ...(rule.except === undefined ? {} : { except: sources(rule.except) }),
      ...(rule.runs === undefined ? {} : { runs: rule.runs }),
      ...(rule.risk === undefined ? {} : { risk: rule.risk }),
      ...(rule.reason === undefined ? {} : { reason: rule.reason }),
      examples: { match: sources(rule.match), notMatch: sources(rule.not_match) },
    };
  },
  ONE_EFFECT,
);

/** RFC 9110, 5.1, as the headers of keys are. */
const HEADER = /^[A-Za-z0-9][A-Za-z0-9-]{0,63}$/;
const HTTPS = 443;
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

/** What every rule about hosts says. */
const connections = {
  ...effects(
    list(compiled("a host such as *.example.org:443", parseHostPattern, HostError), { min: 1 }),
    "hosts",
  ),
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
  networkRuleOf,
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

const ENDING = /^\.[^/*?\s]+$/;

const ending = converted(
  text({
    what: "an ending such as .exe",
    pattern: ENDING.source,
    check(value) {
      if (ENDING.test(value)) return null;
      const bare = value.replace(/^[*]?[.]?/, "");
      return /^[^/*?\s]+$/.test(bare)
        ? `is no ending: it starts with one dot, as in .${bare}`
        : "is no ending: write a dot and what follows it, as in .exe";
    },
  }),
  (value) => value.toLowerCase(),
);

const extensionRule: Field<ExtensionRule> = converted(
  object({
    allow: otherwise(list(ending), null, "the only endings that are allowed"),
    deny: otherwise(list(ending), [], "endings that are refused"),
  }),
  (rule, place) =>
    rule.allow === null && rule.deny.length === 0
      ? place.report("names no endings; write allow or deny with a list")
      : rule,
);

/** `extensions`. */
export const extensions: Field<NonNullable<Policy["extensions"]>> = object({
  read: otherwise(extensionRule, null, "by ending, what may be read"),
  write: otherwise(extensionRule, null, "by ending, what may be written"),
});
