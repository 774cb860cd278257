/** What several policies come to together: every rule in order of strictness, every setting, each with its source. */

import { type Risk, RISKS } from "../core/tool.ts";
import { formatDuration } from "../config/duration.ts";
import { DEFAULTS, type Effect, EFFECTS, type LoadedPolicy, type Policy } from "./model.ts";
import type { Starts } from "../programs/spec.ts";
import type { Settings } from "./rulebook.ts";
import { formatSize } from "../config/size.ts";
import { limitText } from "./limit_text.ts";

/** A rule and where it stands. */
export interface MergedRule {
  readonly file: string;
  /** `paths[3]` */
  readonly index: string;
  readonly effect: Effect;
  /** `read`, `write`; null where the section knows none. */
  readonly access: readonly string[] | null;
  readonly match: readonly string[];
  /** What narrows it further: `exact`, `runs: none`, `GET`, `allow_private`. */
  readonly only: readonly string[];
  readonly reason: string | null;
}

/** The sections of a policy that are lists of rules. */
export const RULE_SECTIONS = ["paths", "commands", "network"] as const;
/** One of {@linkcode RULE_SECTIONS}. */
export type RuleSection = (typeof RULE_SECTIONS)[number];

/** The rules of all policies, the strictest first; those of one strictness in the order in which they are written. */
export function mergedRules(
  policies: readonly LoadedPolicy[],
): Readonly<Record<RuleSection, readonly MergedRule[]>> {
  const byStrictness = (rules: readonly MergedRule[]) =>
    rules.toSorted((a, b) => EFFECTS.indexOf(b.effect) - EFFECTS.indexOf(a.effect));
  return {
    paths: byStrictness(
      policies.flatMap(({ source, policy }) =>
        (policy.paths ?? []).map((
          { effect, access, match, outside = [], reason = null },
          order,
        ) => ({
          file: source,
          index: `paths[${order}]`,
          effect,
          access,
          match,
          only: outside.map((name) => `outside ${name}`),
          reason,
        }))
      ),
    ),
    commands: byStrictness(
      policies.flatMap(({ source, policy }) =>
        (policy.commands ?? []).map((
          { effect, patterns, exact, runs, risk, limits = {}, timeoutMs, reason = null },
          order,
        ) => ({
          file: source,
          index: `commands[${order}]`,
          effect,
          access: null,
          match: patterns,
          only: [
            ...(exact ? ["exact"] : []),
            ...runsWords(runs),
            ...(risk === undefined ? [] : [`risk: ${risk}`]),
            ...Object.entries(limits).map(([name, value]) =>
              `limits.${name}: ${limitText(name, value)}`
            ),
            ...(timeoutMs === undefined ? [] : [`timeout: ${formatDuration(timeoutMs)}`]),
          ],
          reason,
        }))
      ),
    ),
    network: byStrictness(
      policies.flatMap(({ source, policy }) =>
        (policy.network ?? []).map((
          { effect, hosts, methods, allowPrivate, commands = [], reason = null },
          order,
        ) => ({
          file: source,
          index: `network[${order}]`,
          effect,
          access: null,
          match: hosts,
          only: [
            ...methods ?? [],
            ...(allowPrivate ? ["allow_private"] : []),
            ...(commands.length === 0 ? [] : [`commands: [${commands.join(", ")}]`]),
          ],
          reason,
        }))
      ),
    ),
  };
}

/** One setting in the words of the policy language. */
export interface MergedSetting {
  /** `limits.read` */
  readonly key: string;
  /** As a policy would say it. */
  readonly value: unknown;
  /** The policies that say so; empty: it is the default. */
  readonly from: readonly string[];
}

interface SettingReader {
  readonly key: string;
  /** What one policy says of it; null or undefined: nothing. */
  readonly own: (policy: Policy) => unknown;
  readonly effective: (settings: Settings, risk: Thresholds) => unknown;
  readonly shown?: (value: never) => unknown;
}

type Thresholds = { readonly allow: Risk; readonly ask: Risk };

const LIMIT_NAMES = Object.keys(DEFAULTS.limits) as (keyof typeof DEFAULTS.limits)[];
const SIZES: ReadonlySet<string> = new Set([
  "read",
  "write",
  "output",
  "response",
  "request",
  "memory",
]);

const READERS: readonly SettingReader[] = [
  { key: "risk.allow", own: ({ risk }) => risk?.allow, effective: (_, risk) => risk.allow },
  { key: "risk.ask", own: ({ risk }) => risk?.ask, effective: (_, risk) => risk.ask },
  { key: "shell.mode", own: ({ shell }) => shell?.mode, effective: ({ shell }) => shell },
  {
    key: "environment.pass",
    own: ({ environment }) => environment?.pass,
    effective: ({ environment }) => environment.pass,
  },
  {
    key: "environment.set",
    own: ({ environment }) => environment === null ? null : Object.keys(environment.set),
    // Names alone: values may be secrets.
    effective: ({ environment }) => Object.keys(environment.set),
  },
  {
    key: "timeouts.default",
    own: ({ timeouts }) => timeouts?.default,
    effective: ({ timeoutMs }) => timeoutMs,
    shown: formatDuration,
  },
  {
    key: "timeouts.kill_grace",
    own: ({ timeouts }) => timeouts?.killGrace,
    effective: ({ killGraceMs }) => killGraceMs,
    shown: formatDuration,
  },
  {
    key: "durability",
    own: ({ durability }) => durability,
    effective: ({ durability }) => durability,
  },
  ...LIMIT_NAMES.map((name): SettingReader => ({
    key: `limits.${name}`,
    own: ({ limits }) => limits?.[name],
    effective: ({ limits }) => limits[name],
    ...(SIZES.has(name) ? { shown: formatSize } : {}),
  })),
  ...(["kernel", "bubblewrap", "network", "system", "temporary", "caches"] as const).map((
    name,
  ): SettingReader => ({
    key: `sandbox.${name}`,
    own: ({ sandbox }) => sandbox?.[name],
    effective: ({ sandbox }) => sandbox[name] ?? "(built in)",
  })),
  {
    key: "approvals.remember",
    own: ({ approvals }) => approvals?.rememberMs,
    effective: ({ approvals }) => approvals.rememberMs,
    shown: formatDuration,
  },
  {
    key: "approvals.expire",
    own: ({ approvals }) => approvals?.expireMs,
    effective: ({ approvals }) => approvals.expireMs,
    shown: formatDuration,
  },
  {
    key: "audit.file",
    own: ({ audit }) => audit?.file,
    effective: ({ audit }) => audit?.file ?? "(none)",
  },
  ...(["redact", "required", "sync"] as const).map((name): SettingReader => ({
    key: `audit.${name}`,
    own: ({ audit }) => audit?.[name],
    effective: ({ audit }) => audit?.[name],
  })),
  {
    key: "audit.max_size",
    own: ({ audit }) => audit?.maxSize,
    effective: ({ audit }) => audit?.maxSize,
    shown: formatSize,
  },
  ...(["hooks", "filters", "protocols", "worktrees", "identity"] as const).map((
    name,
  ): SettingReader => ({
    key: `git.${name}`,
    own: ({ git }) => git?.[name],
    effective: ({ git }) => git[name] ?? "(none)",
  })),
  {
    key: "callers",
    own: ({ callers }) => callers,
    effective: ({ callers }) =>
      callers?.map(({ uid, agent }) => `${uid}: ${agent}`) ?? "(the gate's own user)",
  },
  {
    key: "secrets",
    own: ({ secrets }) => secrets,
    // Where keys are, never what they are.
    effective: ({ secrets }) =>
      secrets.length === 0
        ? "(none)"
        : secrets.map(({ host, port, header, commands }) =>
          `${header} for ${host}:${port}, ${commands.join(", ")}`
        ),
  },
  {
    key: "children",
    own: ({ children }) => children,
    effective: ({ children }) => children ?? "(none)",
  },
  {
    key: "recovery",
    own: ({ recovery }) => recovery,
    effective: ({ recovery }) => Object.keys(recovery).length === 0 ? "(none)" : recovery,
  },
];

/** Every setting as it holds. `settings`: those of all the policies together. */
export function mergedSettings(
  policies: readonly LoadedPolicy[],
  settings: Settings,
): readonly MergedSetting[] {
  const risk = mergedRisk(policies);
  return READERS.flatMap(({ key, own, effective, shown }) => {
    const value = effective(settings, risk);
    if (value === undefined) return [];
    const speaking = policies.filter(({ policy }) => isSaid(own(policy)));
    const same = speaking.filter(({ policy }) =>
      JSON.stringify(own(policy)) === JSON.stringify(value)
    );
    // Lists that are narrowed come from all that speak of them.
    const from = (same.length > 0 ? same.slice(0, 1) : speaking).map(({ source }) => source);
    return [{
      key,
      value: typeof value === "number" && shown !== undefined ? shown(value as never) : value,
      from,
    }];
  });
}

function isSaid(value: unknown): boolean {
  return value !== null && value !== undefined;
}

/** The highest risks that no policy asks about, and that none denies. */
function mergedRisk(policies: readonly LoadedPolicy[]): Thresholds {
  const [first, ...further] = policies.map(({ policy }) => policy.risk);
  const all = [first ?? DEFAULTS.risk, ...further.flatMap((risk) => risk ?? [])];
  const lowest = (risks: readonly Risk[]): Risk =>
    RISKS[Math.min(...risks.map((risk) => RISKS.indexOf(risk)))] ?? "safe";
  return { allow: lowest(all.map(({ allow }) => allow)), ask: lowest(all.map(({ ask }) => ask)) };
}

/** `runs: none`, `runs: [sh, git]`; nothing where the rule does not say. */
function runsWords(runs: Starts | undefined): readonly string[] {
  if (runs === undefined) return [];
  return [`runs: ${typeof runs === "string" ? runs : `[${runs.join(", ")}]`}`];
}
