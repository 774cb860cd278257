/** The settings of several policies made one: the strictest value of each. */

import type { CanonicalPath } from "../core/capability.ts";
import type { Durability } from "../core/files.ts";
import type { GitSettings } from "../core/git/settings.ts";
import type { Limits } from "../core/tool.ts";
import { lies } from "./judge/path.ts";
import { liesInAny } from "./match/path_sets.ts";
import {
  type BackupLimits,
  type CallerRule,
  type ChildrenRule,
  DEFAULTS,
  DURABILITIES,
  type GitRule,
  type Recovery,
  type Sandbox,
  type SandboxMode,
  type SecretRule,
  SYNC_MODES,
} from "./model.ts";
import { type PlacedPolicy, PolicyConflict } from "./_placed.ts";
import { combineWebs, keyVariables } from "./_web.ts";
import type { AuditSettings, Settings } from "./rulebook.ts";

export { type PlacedPolicy, PolicyConflict };

/**
 * Combines the settings, in the order of the policies. `system`: the built-in list behind `sandbox.system`.
 * Throws {@linkcode PolicyConflict} where a further policy would widen the workspace or the environment.
 */
export function combineSettings(
  policies: readonly PlacedPolicy[],
  system: readonly string[],
): Settings {
  const timeouts = policies.map(({ policy }) => policy.timeouts);
  const approvals = policies.map(({ policy }) => policy.approvals);
  return {
    workspace: narrowestWorkspace(policies),
    limits: combineLimits(policies.map(({ policy }) => policy.limits)),
    backups: combineBackups(policies.map(({ policy }) => policy.backups)),
    durability: strongest(policies.map(({ policy }) => policy.durability)),
    timeoutMs: least(DEFAULTS.timeouts.default, timeouts.map((one) => one?.default)),
    killGraceMs: least(DEFAULTS.timeouts.killGrace, timeouts.map((one) => one?.killGrace)),
    environment: combineEnvironments(policies),
    sandbox: combineSandboxes(policies.map(({ policy }) => policy.sandbox), system),
    shell: policies.some(({ policy }) => policy.shell?.mode === "direct") ||
        policies[0]?.policy.shell?.mode !== "sh"
      ? "direct"
      : "sh",
    approvals: {
      rememberMs: least(DEFAULTS.approvals.rememberMs, approvals.map((one) => one?.rememberMs)),
      expireMs: least(DEFAULTS.approvals.expireMs, approvals.map((one) => one?.expireMs)),
    },
    recovery: combineRecoveries(policies.map(({ policy }) => policy.recovery)),
    audit: combineAudits(policies),
    web: combineWebs(policies),
    secrets: combineSecrets(policies),
    git: combineGits(policies),
    callers: combineCallers(policies),
    children: combineChildren(policies),
  };
}

/** A further policy can only name some of those that the first one names. */
function combineSecrets([first, ...further]: readonly PlacedPolicy[]): readonly SecretRule[] {
  let secrets = first?.policy.secrets ?? [];
  for (const { source, policy } of further) {
    if (policy.secrets === null) continue;
    const named = policy.secrets.map((one) => JSON.stringify(one));
    const own = new Set(secrets.map((one) => JSON.stringify(one)));
    const other = named.findIndex((one) => !own.has(one));
    if (other !== -1) {
      throw new PolicyConflict(
        `${source} secrets[${other}]: ${first?.source} has no such secret; a further policy cannot add any`,
      );
    }
    secrets = secrets.filter((one) => named.includes(JSON.stringify(one)));
  }
  return secrets;
}

/** A further policy can only have fewer of them, less deep, for less long: it starts no other program. */
function combineChildren([first, ...further]: readonly PlacedPolicy[]): ChildrenRule | null {
  let rule = first?.policy.children ?? null;
  for (const { source, policy: { children } } of further) {
    if (children === null) continue;
    const words = (one: ChildrenRule) => [one.protocol, ...one.command].join("\0");
    if (rule === null || words(rule) !== words(children)) {
      throw new PolicyConflict(
        `${source} children.command: ${first?.source} starts ${
          rule === null ? "none" : "another"
        }; a further policy cannot change that`,
      );
    }
    rule = {
      command: rule.command,
      protocol: rule.protocol,
      // A clone has less in common with the workspace.
      isolation: [rule, children].some(({ isolation }) => isolation === "clone")
        ? "clone"
        : "worktree",
      max: Math.min(rule.max, children.max),
      depth: Math.min(rule.depth, children.depth),
      timeout: Math.min(rule.timeout, children.timeout),
      // Who says it at all has children judged by such rules, each policy's own.
      network: rule.network ?? children.network,
    };
  }
  return rule;
}

/** A further policy can only name callers that those before it name. */
function combineCallers(
  [first, ...further]: readonly PlacedPolicy[],
): readonly CallerRule[] | null {
  let callers = first?.policy.callers ?? null;
  for (const { source, policy } of further) {
    const { callers: others } = policy;
    if (others === null) continue;
    if (callers === null) {
      throw new PolicyConflict(
        `${source} callers: ${first?.source} lets the gate's own user in alone; a further policy cannot add any`,
      );
    }
    callers = callers.filter(({ uid, agent }) =>
      others.some((other) => other.uid === uid && other.agent === agent)
    );
  }
  return callers;
}

/** A further policy can only take hooks, filters and protocols away; what it says of places and names counts where none did before. */
function combineGits(policies: readonly PlacedPolicy[]): GitSettings {
  const { git } = DEFAULTS;
  const sections: readonly (GitRule | null)[] = policies.map(({ policy }) => policy.git);
  const [first, ...further] = sections.map((section) => section?.protocols ?? null);
  return {
    hooks: sections[0]?.hooks === "allow" && sections.every((one) => one?.hooks !== "deny")
      ? "allow"
      : git.hooks,
    filters: (sections[0]?.filters ?? git.filters).filter((one) =>
      sections.every((section) =>
        (section?.filters ?? null) === null || section?.filters?.includes(one)
      )
    ),
    protocols: (first ?? git.protocols).filter((one) =>
      further.every((others) => others === null || others.includes(one))
    ),
    worktrees: sections.find((one) => one?.worktrees)?.worktrees ?? git.worktrees,
    identity: sections.find((one) => one?.identity)?.identity ?? git.identity,
    home: policies[0]?.home ?? git.home,
  };
}

function narrowestWorkspace(policies: readonly PlacedPolicy[]): CanonicalPath {
  const [first, ...further] = policies;
  if (first === undefined) throw new RangeError("no policy was given; one is needed");
  return further.reduce((before, placed) => {
    if (lies(placed.workspace, before.workspace)) return placed;
    throw new PolicyConflict(
      `${placed.source} workspace: it lies outside the workspace of ${before.source}; ` +
        "a further policy can only narrow it",
    );
  }, first).workspace;
}

/** The first value stands in for what the first policy leaves out; the others only lower it. */
function least(otherwise: number, values: readonly (number | null | undefined)[]): number {
  const [first, ...further] = values;
  return Math.min(first ?? otherwise, ...further.map((value) => value ?? Infinity));
}

function combineLimits(sections: readonly (Partial<Limits> | null)[]): Limits {
  const limit = (name: keyof Limits) =>
    least(DEFAULTS.limits[name], sections.map((section) => section?.[name]));
  return {
    read: limit("read"),
    write: limit("write"),
    output: limit("output"),
    response: limit("response"),
    request: limit("request"),
    entries: limit("entries"),
    depth: limit("depth"),
    matches: limit("matches"),
    memory: limit("memory"),
    processes: limit("processes"),
    file: limit("file"),
    cpu: limit("cpu"),
    concurrency: limit("concurrency"),
  };
}

/** Whoever lets backups go takes something away: a further policy can only keep more. */
function combineBackups([first, ...further]: readonly (BackupLimits | null)[]): BackupLimits {
  const most = (limit: keyof BackupLimits): number | null => {
    const start = first?.[limit] ?? null;
    return start === null ? null : Math.max(start, ...further.map((one) => one?.[limit] ?? 0));
  };
  return { keep: most("keep"), ageMs: most("ageMs") };
}

/** What survives the most of what any of them asks for. */
function strongest(asked: readonly (Durability | null)[]): Durability {
  const indices = asked.map((one) => DURABILITIES.indexOf(one ?? DEFAULTS.durability));
  return DURABILITIES[Math.max(...indices)] ?? "full";
}

/** What the first policy wants tried; a further one that speaks of recovery can only have less of it. */
function combineRecoveries([first, ...further]: readonly (Recovery | null)[]): Recovery {
  let combined: Recovery = first ?? {};
  for (const section of further) {
    if (section === null) continue;
    const { timeout, network, permission, alternatives, degraded } = combined;
    const common = Object.entries(alternatives ?? {}).flatMap(([tool, tools]) => {
      const kept = tools.filter((name) => section.alternatives?.[tool]?.includes(name));
      return kept.length === 0 ? [] : [[tool, kept] as const];
    });
    combined = {
      ...(timeout === undefined || section.timeout === undefined ? {} : {
        timeout: {
          retries: Math.min(timeout.retries, section.timeout.retries),
          factor: Math.min(timeout.factor, section.timeout.factor),
        },
      }),
      ...(network === undefined || section.network === undefined ? {} : {
        network: {
          retries: Math.min(network.retries, section.network.retries),
          backoffMs: Math.max(network.backoffMs, section.network.backoffMs),
        },
      }),
      ...(permission === "ask" && section.permission === "ask" ? { permission } : {}),
      ...(degraded === true && section.degraded === true ? { degraded } : {}),
      ...(common.length === 0 ? {} : { alternatives: Object.fromEntries(common) }),
    };
  }
  return combined;
}

/** A further policy may want a log, and more of it: it cannot take the log of another to where it is not looked for. */
function combineAudits(policies: readonly PlacedPolicy[]): AuditSettings | null {
  let file: string | null = null;
  let source = "";
  for (const placed of policies) {
    const named = placed.policy.audit?.file ?? null;
    if (named === null || named === file) continue;
    if (file !== null) {
      throw new PolicyConflict(
        `${placed.source} audit.file: ${source} keeps the log elsewhere; a further policy cannot move it`,
      );
    }
    file = named;
    source = placed.source;
  }
  if (file === null) return null;
  const rules = policies.map(({ policy }) => policy.audit).filter((rule) => rule !== null);
  const { audit } = DEFAULTS;
  const said = rules.map(({ required }) => required).filter((required) => required !== null);
  const syncs = rules.map(({ sync }) => sync).filter((sync) => sync !== null);
  return {
    file,
    redact: [...new Set(rules.flatMap(({ redact }) => redact))],
    required: said.length === 0 ? audit.required : said.includes(true),
    sync: syncs.length === 0
      ? audit.sync
      : syncs.reduce((a, b) => SYNC_MODES.indexOf(b) > SYNC_MODES.indexOf(a) ? b : a),
    maxSize: rules.find(({ maxSize }) => maxSize !== null)?.maxSize ?? audit.maxSize,
  };
}

function combineEnvironments(policies: readonly PlacedPolicy[]): Settings["environment"] {
  const [first, ...further] = policies;
  const start = first?.policy.environment ?? DEFAULTS.environment;
  let pass: readonly string[] = [...new Set(start.pass)];
  const set = new Map(Object.entries(start.set));
  const setBy = new Map([...set.keys()].map((name) => [name, first?.source ?? ""]));
  for (const { source, policy } of further) {
    if (policy.environment === null) continue;
    for (const [name, value] of Object.entries(policy.environment.set)) {
      const key = `${source} environment.set.${name}`;
      const known = set.get(name);
      if (known === undefined && !pass.includes(name)) {
        throw new PolicyConflict(
          `${key}: ${first?.source} neither passes nor sets it; a further policy can only narrow the environment`,
        );
      }
      if (known !== undefined && known !== value) {
        throw new PolicyConflict(`${key}: ${setBy.get(name)} sets it to another value`);
      }
      set.set(name, value);
      if (known === undefined) setBy.set(name, source);
    }
    const kept = policy.environment.pass;
    pass = pass.filter((name) => kept.includes(name));
  }
  const keys = keyVariables(policies.map(({ policy }) => policy));
  return {
    // Keys of the web's providers and those of `secrets` are Toolgate's own: no program gets them.
    pass: pass.filter((name) => !set.has(name) && !keys.has(name)),
    set: Object.fromEntries(set),
  };
}

const STRICTNESS: Readonly<Record<SandboxMode, number>> = { off: 0, auto: 1, required: 2 };

function combineSandboxes(
  sections: readonly (Partial<Sandbox> | null)[],
  system: readonly string[],
): Sandbox {
  const [first, ...further] = sections;
  let combined: Sandbox = { ...DEFAULTS.sandbox, ...first };
  for (const section of further) {
    if (section === null) continue;
    combined = {
      kernel: stricter(combined.kernel, section.kernel),
      bubblewrap: stricter(combined.bubblewrap, section.bubblewrap),
      network: section.network === "deny" ? "deny" : combined.network,
      system: narrower(combined.system, section.system ?? null, system),
      temporary: combined.temporary || section.temporary === true,
      caches: section.caches === "off" ? "off" : combined.caches,
    };
  }
  return combined;
}

function stricter(a: SandboxMode, b: SandboxMode | undefined): SandboxMode {
  return b !== undefined && STRICTNESS[b] > STRICTNESS[a] ? b : a;
}

/** What lies in both lists; null stands for the built-in one. */
function narrower(
  a: readonly string[] | null,
  b: readonly string[] | null,
  builtIn: readonly string[],
): readonly string[] | null {
  if (b === null) return a;
  return intersectPaths(a ?? builtIn, b);
}

/** The entries of each list that lie in the other: together what both cover. */
export function intersectPaths<P extends string>(a: readonly P[], b: readonly P[]): P[] {
  const [inA, inB] = [new Set<string>(a), new Set<string>(b)];
  const common = [
    ...a.filter((path) => liesInAny(path, inB)),
    ...b.filter((path) => liesInAny(path, inA)),
  ];
  return [...new Set(common)];
}
