/** From a command line and the environment to what governs this process: policies, workspace, agent. */

import type { PipeAgent } from "../serve/server.ts";
import { dirname } from "@std/path";
import type { CanonicalPath } from "../core/capability.ts";
import { type ErrorCode, ToolError } from "../core/errors.ts";
import {
  type CommandEngine,
  createEngine,
  createStayingEngine,
  type EngineOptions,
  type StayingEngine,
} from "../engine/create_engine.ts";
import { type PlacedPolicy, PolicyConflict } from "../policy/compile_rulebook.ts";
import { canonicalDirectory, canonicalize } from "../host/paths/canonicalize.ts";
import type { ProgramSharing } from "../engine/programs/program_sharing.ts";
import type { Recorder } from "../engine/recorder.ts";
import type { Telemetry } from "../engine/telemetry.ts";
import {
  type LoadedPolicy,
  type Policy,
  type SandboxMode,
  SILENT_POLICY,
} from "../policy/model.ts";
import { mayRegister } from "../policy/plugin_rules.ts";
import type { PluginManifest } from "../plugins/manifest.ts";
import { isWithin } from "../sandbox/within.ts";
import { environmentVariable, variable } from "./environment.ts";
import { formatOf } from "./format.ts";
import { guarded, realPath } from "./governing.ts";
import type { Invocation } from "./invocation.ts";
import { ParsedPolicies } from "./parsed_policies.ts";
import { policyFiles } from "./policy_files.ts";
import { type LoadedPlugins, NO_PLUGINS } from "./plugin/loaded_plugins.ts";
import { UsageError } from "./usage_error.ts";

/** A policy is written by people; what is larger is a mistake or an attack on the parser. */
const MAX_POLICY_BYTES = 8 * 1024 * 1024;
const SANDBOX_MODES: readonly SandboxMode[] = ["off", "auto", "required"];

/** What one start of the binary works under: policies, workspace, who asks, where it is logged. */
export interface Session {
  readonly policies: readonly PlacedPolicy[];
  /** The custom tools that they name. */
  readonly plugins: readonly PluginManifest[];
  /** Whether more may be registered over a pipe. */
  readonly registration: boolean;
  readonly workspace: CanonicalPath;
  /** Where the policies' own paths begin: the log is the same wherever an agent works. */
  readonly home: CanonicalPath;
  readonly agent: PipeAgent;
  readonly format: "json" | "text";
  readonly quiet: boolean;
  readonly telemetry: Telemetry | null;
  /** Null where no policy wants a log. */
  readonly auditLog: typeof import("./audit/audit_log.ts") | null;
}

/** Loads everything. Throws a UsageError that says what is wrong and where. */
export async function openSession(invocation: Invocation): Promise<Session> {
  const files = policyFiles(invocation);
  const parsed = new ParsedPolicies();
  const own = await loadPolicies(invocation, files, parsed);
  const plugins = await pluginsOf(own, files, invocation);
  const loaded = [...own, ...await overlays(invocation)];
  const policies = guarded(placePolicies(loaded, invocation), files, plugins, invocation);
  const named = agentOf(invocation);
  const { workspace } = policies.at(-1) as PlacedPolicy;
  parsed.keep(workspace);
  return {
    policies,
    plugins: plugins.manifests,
    registration: mayRegister(loaded),
    workspace,
    home: workspace,
    agent: { name: named ?? "root", pinned: named !== null },
    format: formatOf(invocation),
    quiet: invocation.switches.has("quiet"),
    telemetry: await telemetryOf(invocation),
    auditLog: wantsLog(policies) ? await import("./audit/audit_log.ts") : null,
  };
}

function wantsLog(policies: readonly PlacedPolicy[]): boolean {
  return policies.some(({ policy }) => (policy.audit?.file ?? null) !== null);
}

/** Where a log is wanted that was not loaded, nothing may run. */
function recorderOf(
  { auditLog, home }: Session,
  options: { readonly quickLogs: boolean },
): EngineOptions["audit"] {
  if (auditLog !== null) return auditLog.auditRecorder(home, options);
  return () => {
    throw new Error("a policy wants a log, and none was loaded");
  };
}

async function telemetryOf({ embedded }: Invocation): Promise<Telemetry | null> {
  if (embedded.telemetry !== true) return null;
  const { createTelemetry } = await import("../engine/telemetry.ts");
  // The runtime sends what goes to the console of such a build as log records, and prints nothing.
  return createTelemetry(embedded.version, (line) => console.warn(line));
}

/** The engine of a session for one call. Throws a UsageError where its policies contradict each other. */
export function openEngine(session: Session, { embedded }: Invocation): CommandEngine {
  const { policies, plugins, workspace } = session;
  try {
    return createEngine({
      policies,
      plugins,
      workspace,
      sealed: embedded.sealed,
      listing: embedded.listing ?? null,
      audit: recorderOf(session, { quickLogs: false }),
    }, { telemetry: session.telemetry });
  } catch (error) {
    throw conflict(error);
  }
}

/** What an engine has in common with others of its process. */
export interface OneOfMany {
  readonly sharing?: ProgramSharing;
  readonly recorder?: Recorder;
}

/** As {@linkcode openEngine}, for many calls. */
export async function openStayingEngine(
  session: Session,
  { embedded }: Invocation,
  { sharing, recorder }: OneOfMany = {},
): Promise<StayingEngine> {
  const { policies, plugins, workspace } = session;
  try {
    return await createStayingEngine({
      policies,
      plugins,
      workspace,
      sealed: embedded.sealed,
      listing: embedded.listing ?? null,
      audit: recorderOf(session, { quickLogs: true }),
      ...(sharing === undefined ? {} : { sharing }),
    }, { telemetry: session.telemetry, ...(recorder === undefined ? {} : { recorder }) });
  } catch (error) {
    throw conflict(error);
  }
}

/** What is to be thrown where policies contradict each other: that they do is a mistake of who starts this. */
export function conflict(error: unknown): unknown {
  return error instanceof PolicyConflict ? new UsageError(error.message) : error;
}

/** A flag's value, or its variable's. */
function setting(invocation: Invocation, name: string): string | null {
  return invocation.values[name]?.[0] ?? variable(name);
}

/** Who alone this process speaks for: as it is told, or was sealed; null where nobody says. Throws UsageError. */
export function agentOf(invocation: Invocation): string | null {
  const named = setting(invocation, "agent");
  if (named !== null && !/^[A-Za-z0-9._-]{1,128}$/.test(named)) {
    throw new UsageError("--agent takes letters, digits, '.', '_' and '-', at most 128");
  }
  const { agent = null } = invocation.embedded;
  if (agent !== null && named !== null && named !== agent) {
    throw new UsageError(`this binary is sealed for agent ${agent}; it speaks for no other`);
  }
  return named ?? agent;
}

async function loadPolicies(
  { embedded }: Invocation,
  files: readonly string[],
  parsed: ParsedPolicies,
): Promise<LoadedPolicy[]> {
  const loaded = embedded.sealed || files.length === 0 ? [embedded.policy] : [];
  for (const file of files) loaded.push(await loadPolicy(file, parsed));
  return loaded;
}

/** The custom tools of the policies: files follow what is built in, each with the folder that it lies in. */
async function pluginsOf(
  policies: readonly LoadedPolicy[],
  files: readonly string[],
  { embedded }: Invocation,
): Promise<LoadedPlugins> {
  if (policies.every(({ policy }) => policy.plugins === null)) return NO_PLUGINS;
  const { loadPlugins } = await import("./plugin/plugin_files.ts");
  const sources = policies.map(({ source, policy }, index) => {
    const file = files[index - (policies.length - files.length)];
    const folder = file === undefined ? null : dirname(realPath(file)) as CanonicalPath;
    return { source, rule: policy.plugins, folder };
  });
  return loadPlugins(sources, embedded.plugins ?? [], (file) => readPolicy(file, "plugin"));
}

/** One policy file, whole, or a UsageError with all its problems. */
export async function loadPolicy(
  file: string,
  parsed = new ParsedPolicies(),
): Promise<LoadedPolicy> {
  // Results name the rule behind a denial: by the file's name, since its place is nothing for an agent to know.
  return {
    source: file.split(/[\\/]/).at(-1) ?? file,
    policy: await policyOf(readPolicy(file), file, parsed),
  };
}

/** The policy of a text: as an earlier start parsed it, else parsed now. */
async function policyOf(text: string, file: string, before: ParsedPolicies): Promise<Policy> {
  const known = before.get(text);
  if (known !== null) return known;
  // The YAML parser is the largest part of the program and most starts need none.
  const { parsePolicy, renderProblems } = await import("../policy/parse/parse.ts");
  const parsed = parsePolicy(text, file);
  if ("problems" in parsed) {
    throw new UsageError(
      `the policy cannot be used; nothing runs\n${renderProblems(parsed.problems)}`,
    );
  }
  before.add(text, parsed.policy);
  return parsed.policy;
}

/** The text of a policy file, or of another that is read like one; a UsageError where it cannot be read. */
export function readPolicy(file: string, what = "policy"): string {
  try {
    const info = Deno.statSync(file);
    if (!info.isFile) throw new UsageError(`${what} ${file}: not a regular file`);
    if (info.size > MAX_POLICY_BYTES) {
      throw new UsageError(`${what} ${file}: ${info.size} bytes; at most ${MAX_POLICY_BYTES}`);
    }
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
      Deno.readFileSync(file),
    );
  } catch (error) {
    if (error instanceof UsageError) throw error;
    if (error instanceof TypeError) throw new UsageError(`${what} ${file}: not UTF-8 text`);
    if (error instanceof Deno.errors.NotFound) {
      throw new UsageError(`${what} ${file}: no such file`);
    }
    throw new UsageError(
      `${what} ${file}: cannot be read (${error instanceof Error ? error.name : "?"})`,
    );
  }
}

/** Flags and variables that tighten, as further policies: so the one rule for combining holds for them too. */
async function overlays(invocation: Invocation): Promise<LoadedPolicy[]> {
  const found: LoadedPolicy[] = [];
  const mode = setting(invocation, "sandbox");
  if (mode !== null) {
    const kernel = SANDBOX_MODES.find((known) => known === mode);
    if (kernel === undefined) {
      throw new UsageError(`--sandbox takes auto, required or off, not ${JSON.stringify(mode)}`);
    }
    found.push({ source: "--sandbox", policy: { ...SILENT_POLICY, sandbox: { kernel } } });
  }
  const log = setting(invocation, "audit");
  if (log !== null) {
    const file = canonicalize(Deno.cwd() as CanonicalPath, log);
    const audit = { file, redact: [], required: true, sync: null, maxSize: null };
    found.push({ source: "--audit", policy: { ...SILENT_POLICY, audit } });
  }
  const limits = environmentVariable("TOOLGATE_LIMITS");
  if (limits !== null) {
    const { parsePolicy, renderProblems } = await import("../policy/parse/parse.ts");
    const lines = limits.split(",").map((pair) => `  ${pair.trim().replace("=", ": ")}`);
    const parsed = parsePolicy(`version: 1\nlimits:\n${lines.join("\n")}\n`, "TOOLGATE_LIMITS");
    if ("problems" in parsed) throw new UsageError(renderProblems(parsed.problems));
    found.push({
      source: "TOOLGATE_LIMITS",
      policy: { ...SILENT_POLICY, limits: parsed.policy.limits },
    });
  }
  return found;
}

/** Each policy with its workspace: its own, or that of the one before; `--root` stands for all of them. */
function placePolicies(loaded: readonly LoadedPolicy[], invocation: Invocation): PlacedPolicy[] {
  const flag = invocation.values["root"]?.[0];
  const placed: PlacedPolicy[] = [];
  let workspace: CanonicalPath | null = flag === undefined ? null : directory(flag, "--root");
  for (const { source, policy } of loaded) {
    if (flag === undefined && (policy.workspace !== null || workspace === null)) {
      workspace = directory(policy.workspace ?? ".", `${source}: workspace`);
    }
    placed.push({ source, policy, workspace: workspace as CanonicalPath });
  }
  const narrowed = variable("root");
  if (flag === undefined && narrowed !== null) {
    placed.push({
      source: "TOOLGATE_ROOT",
      policy: SILENT_POLICY,
      workspace: directory(narrowed, "TOOLGATE_ROOT"),
    });
  }
  return placed;
}

function directory(path: string, what: string): CanonicalPath {
  let found: CanonicalPath;
  try {
    found = canonicalDirectory(path);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    const why = NO_DIRECTORY[error.code] ?? "cannot be reached";
    throw new UsageError(`${what}: ${why}: ${path}`);
  }
  if (isReadable(found) || isWithin(Deno.cwd(), found)) return found;
  // A sealed build, whose permissions start where it was started.
  throw new UsageError(`${what}: this build may read nothing there: ${path}`);
}

const NO_DIRECTORY: Partial<Record<ErrorCode, string>> = {
  FILE_NOT_FOUND: "no such directory",
  NOT_A_DIRECTORY: "not a directory",
};

function isReadable(path: CanonicalPath): boolean {
  return Deno.permissions.querySync({ name: "read", path }).state === "granted";
}
