/** Compiles policies to the rulebook that everything else asks; what few requests need is loaded when one does. */

import type { CompiledPolicy } from "./_compiled.ts";
import { judgeBelow, judgePath, mayDenyBelow } from "./judge/path.ts";
import { effectiveRisk, judgeAgent, judgeRisk, judgeTool } from "./judge/subject.ts";
import { compilePathRules, type PathRules, withFolder as withAllOf } from "./match/path_rules.ts";
import { combineSettings, type PlacedPolicy } from "./_settings.ts";
import type { CanonicalPath } from "../core/capability.ts";
import { PERMISSION_GROUPS, type PermissionGroup, RISKS } from "../core/tool.ts";
import { decide, decideInSteps, holdsPrograms, type Judges } from "./judge/decide.ts";
import { compileAgents, matchAgent } from "./match/agent.ts";
import { type Access, DEFAULTS, type PathRule, type ToolRule } from "./model.ts";
import type { PolicyScope, Rulebook, Settings, Subject } from "./rulebook.ts";
import { scopeOf } from "./_scope.ts";

export { type PlacedPolicy, PolicyConflict } from "./_settings.ts";

/** What compiling needs to know of the machine and the tools. */
export interface RulebookOptions {
  /** The built-in list behind `sandbox.system`. */
  readonly system: readonly string[];
  /** Paths that commands may read whatever `sandbox.system` says (`/dev/null`). */
  readonly devices?: readonly string[];
  /** Whether file systems ignore case here (macOS, Windows): rules that deny or ask then do too. */
  readonly caseInsensitive?: boolean;
  /** The canonical name of a tool, which policies may also name by its aliases. */
  readonly canonicalToolName?: (name: string) => string;
  /** Where the judges of programs and connections come from: rulebooks that share it load them once. */
  readonly actions?: ActionSource;
}

/** The judges of programs and connections, loaded. */
export type Actions = typeof import("./judge/actions.ts");

/** Where the judges of programs and connections are: the larger part of the policy's code. */
export interface ActionSource {
  /** Throws where they were not prepared: then nothing is decided, and nothing runs. */
  get(): Actions;
  /** See {@linkcode Rulebook.prepare}. */
  prepare: Rulebook["prepare"];
}

/** A source that loads them with the first capability that needs them. */
export function createActionSource(): ActionSource {
  let loaded: Actions | null = null;
  return {
    get() {
      if (loaded === null) throw new Error("decide() was called before prepare()");
      return loaded;
    },
    prepare(capabilities) {
      if (loaded !== null || !capabilities.some(isAction)) return null;
      return import("./judge/actions.ts").then((module) => {
        loaded = module;
      });
    },
  };
}

function isAction({ kind }: { readonly kind: string }): boolean {
  return kind === "process.spawn" || kind === "net.connect";
}

/**
 * Compiles one or more policies, the first being the base and each further one only tightening it. `prepare` is to be
 * awaited before `decide`. Throws {@linkcode PolicyConflict} where they cannot hold together.
 */
export function compileRulebook(
  policies: readonly PlacedPolicy[],
  options: RulebookOptions,
): Rulebook {
  const { actions = createActionSource() } = options;
  const settings = combineSettings(policies, options.system);
  const compiled = policies.map((placed, position) =>
    compilePolicy(placed, options, actions, position === 0)
  );
  const judges: Judges = {
    policies: compiled,
    actions: actions.get,
    settings,
    knowledge: once(() =>
      actions.get().compileKnowledge(policies.map(({ policy }) => policy.programs))
    ),
    system: [...(settings.sandbox.system ?? options.system), ...(options.devices ?? [])],
  };
  const scope = once(() => scopeOf(policies));
  const secrets = once(() =>
    actions.get().compileSecrets(settings.secrets, {
      source: policies[0]?.source ?? "",
      workspace: settings.workspace,
      caseInsensitive: options.caseInsensitive ?? false,
    })
  );
  const limitsUse = policies.some(({ policy: { commands } }) =>
    commands?.some(({ limits, timeoutMs }) => (limits ?? timeoutMs) !== undefined) === true
  );
  const limitsRuns = limitsUse ||
    policies.some(({ policy: { commands, network } }) =>
      commands?.some(({ runs }) => runs !== undefined) === true ||
      network?.some((rule) => rule.commands !== undefined) === true
    );
  const rulebookOf = (judges: Judges): Rulebook => {
    const { policies: compiled } = judges;
    return {
      settings,
      get scope() {
        return scope();
      },
      judgePath: (access, path, kind = "file") => judgePath(compiled, { access, path, kind }),
      judgeBelow: (access, directory) => judgeBelow(compiled, access, directory),
      mayDenyBelow: (access, directory) => mayDenyBelow(compiled, access, directory),
      prepare: actions.prepare,
      reach: (command, program) => actions.get().reachOf(command, program, judges.knowledge()),
      effects: (command, program) =>
        actions.get().judgedEffects(compiled, command, program, judges.knowledge()),
      limitsRuns,
      networkOf: (command) =>
        holdsPrograms(settings) ? actions.get().networkOf(compiled, command, secrets()) : null,
      deniedLoopbackOf: (command) =>
        actions.get().deniedLoopbackOf(compiled, command, judges.knowledge),
      limitsOf: (command) =>
        limitsUse ? actions.get().limitsOf(compiled, command, judges.knowledge()) : null,
      withFolder: (folder) =>
        rulebookOf({ ...judges, policies: compiled.map((policy) => withFolder(policy, folder)) }),
      decide: (subject, capabilities) => decide(judges, subject, capabilities),
      decideInSteps: (subject, capabilities) => decideInSteps(judges, subject, capabilities),
      offers: (subject) => offers(compiled, scope(), settings, subject),
      permissionsOf: (agent) => permissionsOf(compiled, agent),
      tokensOf: (agent) => tokensOf(compiled, agent),
      worksApart: (agent) => worksApart(compiled, agent),
      timeoutOf: (tool) => timeoutOf(compiled, tool, settings.timeoutMs),
    };
  };
  return rulebookOf(judges);
}

/** The policy with one more path rule. */
function withFolder(compiled: CompiledPolicy, folder: CanonicalPath): CompiledPolicy {
  const { paths, source } = compiled;
  if (paths === null) return compiled;
  const own = ofEachAccess((access) => withAllOf(paths[access], folder, source));
  // The other sections are compiled when they are first asked for, here as there.
  return Object.create(compiled, { paths: { value: own, enumerable: true } });
}

function worksApart(policies: readonly CompiledPolicy[], agent: string): boolean {
  return policies.some(({ agents }) =>
    agents !== null && matchAgent(agents, agent)?.rule.worktree === true
  );
}

function permissionsOf(
  policies: readonly CompiledPolicy[],
  agent: string,
): readonly PermissionGroup[] | null {
  if (judgeAgent(policies, agent, null).effect === "deny") return null;
  return PERMISSION_GROUPS.filter((group) => judgeAgent(policies, agent, group).effect === "allow");
}

function tokensOf(policies: readonly CompiledPolicy[], agent: string): number | null {
  const budgets = policies.flatMap(({ agents }) =>
    agents === null ? [] : matchAgent(agents, agent)?.rule.tokens ?? []
  );
  return budgets.length === 0 ? null : Math.min(...budgets);
}

function canonicalName(tool: string, { canonicalToolName }: RulebookOptions): string {
  return canonicalToolName?.(tool) ?? tool;
}

/**
 * The base policy denies by the sections it leaves out; a further one adds nothing by them. Sections are compiled
 * when they are first asked for: a single call needs one or two of them.
 */
function compilePolicy(
  { source, policy, workspace }: PlacedPolicy,
  options: RulebookOptions,
  actions: ActionSource,
  base: boolean,
): CompiledPolicy {
  const context = { source, workspace, caseInsensitive: options.caseInsensitive ?? false };
  const rules = policy.paths ?? (base ? [] : null);
  const commands = once(() => actions.get().compileCommandRules(policy.commands ?? [], context));
  const network = once(() => actions.get().compileNetworkRules(policy.network ?? [], context));
  const ofChildren = policy.children?.network ?? null;
  const childNetwork = once(() =>
    actions.get().compileChildNetwork(ofChildren ?? [], policy.network ?? [], context)
  );
  const agents = policy.agents ?? (base ? DEFAULTS.agents : null);
  return {
    source,
    workspace,
    paths: rules === null ? null : compilePaths(rules, { source, workspace }, options),
    extensions: {
      read: policy.extensions?.read ?? null,
      write: policy.extensions?.write ?? null,
    },
    get commands() {
      return policy.commands !== null || base ? commands() : null;
    },
    get network() {
      return policy.network !== null || base ? network() : null;
    },
    get childNetwork() {
      return policy.network !== null || ofChildren !== null || base ? childNetwork() : null;
    },
    tools: compileTools(policy.tools ?? {}, options),
    agents: agents === null ? null : compileAgents(agents),
    limits: { ...(base ? DEFAULTS.limits : {}), ...policy.limits },
    risk: policy.risk ?? (base ? DEFAULTS.risk : null),
  };
}

function compilePaths(
  rules: readonly PathRule[],
  place: Pick<PlacedPolicy, "source" | "workspace">,
  { caseInsensitive = false }: RulebookOptions,
): NonNullable<CompiledPolicy["paths"]> {
  const context = { ...place, caseInsensitive };
  return ofEachAccess((access) => compilePathRules(rules, access, context));
}

/** Each made when it is first asked for. */
function ofEachAccess(make: (access: Access) => PathRules): NonNullable<CompiledPolicy["paths"]> {
  const read = once(() => make("read"));
  const write = once(() => make("write"));
  return {
    get read() {
      return read();
    },
    get write() {
      return write();
    },
  };
}

/** Makes the value when it is first asked for, and keeps it. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}

/** By canonical name. A tool named twice, by alias and by name, is held by the stricter of each value. */
function compileTools(
  rules: Readonly<Record<string, ToolRule>>,
  options: RulebookOptions,
): CompiledPolicy["tools"] {
  const tools = new Map<string, { readonly key: string; readonly rule: ToolRule }>();
  for (const [key, rule] of Object.entries(rules)) {
    const name = canonicalName(key, options);
    const known = tools.get(name);
    tools.set(
      name,
      known === undefined ? { key, rule } : {
        key: rule.enabled === false ? key : known.key,
        rule: stricterTool(known.rule, rule),
      },
    );
  }
  return tools;
}

function stricterTool(a: ToolRule, b: ToolRule): ToolRule {
  const risks = [a.risk, b.risk].filter((risk) => risk !== undefined);
  const timeouts = [a.timeoutMs, b.timeoutMs].filter((timeout) => timeout !== undefined);
  const risk = RISKS.findLast((one) => risks.includes(one));
  return {
    enabled: a.enabled !== false && b.enabled !== false,
    ...(risk === undefined ? {} : { risk }),
    ...(timeouts.length === 0 ? {} : { timeoutMs: Math.min(...timeouts) }),
  };
}

/** The tool's own timeout by the first policy, or the default; further policies only lower it. */
function timeoutOf(policies: readonly CompiledPolicy[], tool: string, otherwise: number): number {
  const own = policies.flatMap(({ tools }) => tools.get(tool)?.rule.timeoutMs ?? []);
  return own.length === 0 ? otherwise : Math.min(...own);
}

function offers(
  policies: readonly CompiledPolicy[],
  scope: PolicyScope,
  settings: Settings,
  subject: Subject,
): boolean {
  if (!canEver(scope, subject.permission)) return false;
  if (subject.permission === "agent_spawn" && settings.children === null) return false;
  // Whatever the arguments: the risk is judged at its lowest, and paths and commands not at all.
  const lowest = subject.riskOfPrograms ? subject.leastRisk ?? "safe" : subject.risk;
  const { risk } = effectiveRisk(policies, subject.tool, lowest);
  return judgeTool(policies, subject.tool).effect !== "deny" &&
    judgeAgent(policies, subject.agent, subject.permission).effect !== "deny" &&
    judgeRisk(policies, "", () => ({ risk, because: "" })).effect !== "deny";
}

function canEver(scope: PolicyScope, permission: PermissionGroup | null): boolean {
  switch (permission) {
    case "file_read":
      return scope.read.length > 0;
    case "file_write":
    case "file_modify":
      return scope.write.length > 0;
    case "code_execution":
      return scope.programs.length > 0;
    case "network_access":
      return scope.connect.length > 0;
    default:
      return true;
  }
}
