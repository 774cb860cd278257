/** The rules of a policy: paths, commands and endings, each with its effect. */

import { quoted } from "../../core/printable.ts";
import {
  type CommandPattern,
  matchesCommand,
  parseCommandPattern,
  PatternError,
  splitCommand,
} from "../match/argv.ts";
import { GlobError, parsePathGlob } from "../match/path.ts";
import {
  type CommandRule,
  type Effect,
  EFFECTS,
  type ExtensionRule,
  type PathRule,
  type Policy,
} from "../model.ts";
import type { Starts } from "../../programs/spec.ts";
import { RISKS } from "../../core/tool.ts";
import { converted, list, object, optional, otherwise, required } from "../../config/collection.ts";
import { type Field, flag, oneOf, text } from "../../config/field.ts";
import { either, found } from "../../config/value_kind.ts";
import { programLimits, timeout } from "./section.ts";
import type { KeyPosition } from "../../config/key_position.ts";

/** Why a rule is there. */
export const reason = optional(
  text({ what: "a sentence" }),
  "why, in words for whoever is refused or asked",
);

/** JSON Schema for what {@linkcode effectOf} holds. */
export const ONE_EFFECT = { oneOf: EFFECTS.map((effect) => ({ required: [effect] })) };

/** The keys of the three effects, over one kind of list. */
export function effects<T>(entries: Field<readonly T[]>, of: string) {
  return {
    allow: optional(entries, `${of} that are allowed`),
    ask: optional(entries, `${of} that need an approval`),
    deny: optional(entries, `${of} that are refused, whatever other rules say`),
  };
}

/** The one effect that a rule names, and its list. */
export function effectOf<T>(
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
export function compiled<T extends NonNullable<unknown>>(
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
export function sources(patterns: readonly { readonly source: string }[]): readonly string[] {
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
    outside: optional(
      list(
        text({
          what: "the name of a folder",
          pattern: "^[^/*?\\[\\]{}\\\\]+$",
          check: (name) =>
            /^[^/*?[\]{}\\]+$/.test(name) && name !== "." && name !== ".."
              ? null
              : "is no plain name of a folder, such as node_modules",
        }),
        { min: 1 },
      ),
      "of ask and deny: names of folders, wherever they lie, into which no ** of the globs reaches",
    ),
    reason,
  }),
  (rule, place) => {
    const named = effectOf(rule, place);
    if (named === undefined) return undefined;
    const { outside } = rule;
    if (outside !== undefined && named.effect === "allow") {
      return place.in("outside").report(
        "is for rules that ask or deny: what a rule should not allow another one denies or asks for",
      );
    }
    if (outside !== undefined && !rule.match.some(({ source }) => source.includes("**"))) {
      return place.in("outside").report("is about the ** of globs, and none has one; leave it out");
    }
    return {
      effect: named.effect,
      access: named.entries,
      match: sources(rule.match),
      ...(outside === undefined ? {} : { outside }),
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

/** The beginning of a command. */
export const commandPattern = compiled(
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
    limits: optional(
      programLimits,
      "what they get of these in place of the policy's own limits, all that one line starts by the rule together",
    ),
    timeout: optional(timeout, "the longest that one of them may run; never longer than its call"),
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
    for (const key of ["limits", "timeout"] as const) {
      if (rule[key] !== undefined && named.effect === "deny") {
        return place.in(key).report("says what a refused command may use; leave it out");
      }
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
      ...(rule.limits === undefined ? {} : { limits: rule.limits }),
      ...(rule.timeout === undefined ? {} : { timeoutMs: rule.timeout }),
      ...(rule.reason === undefined ? {} : { reason: rule.reason }),
      examples: { match: sources(rule.match), notMatch: sources(rule.not_match) },
    };
  },
  ONE_EFFECT,
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
