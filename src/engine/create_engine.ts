/** Puts engines together: for one call, with no more loaded than that call takes, and for many. No call passes it. */

import type { CanonicalPath } from "../core/capability.ts";
import type { ToolDescription } from "../core/tool.ts";
import type { PlacedPolicy } from "../policy/compile_rulebook.ts";
import type { AuditSettings, Rulebook, Settings } from "../policy/rulebook.ts";
import type { Boundary } from "../sandbox/boundary.ts";
import { libcThatHolds } from "../sandbox/enter.ts";
import { permissionSetOf } from "../sandbox/permission_set.ts";
import type { PluginManifest } from "../plugins/manifest.ts";
import type { CarriedListing } from "../tools/listing.ts";
import { createRegistry, type Registry, TOOLS } from "../tools/registry.ts";
import { createBoundaries } from "./pool/boundaries.ts";
import { filesFromSource } from "./pool/carried_files.ts";
import { withEmbedded } from "../host/carried/carried.ts";
import { createIdentityProbe } from "../host/paths/identity.ts";
import { isThere } from "../host/kernel/stat.ts";
import type { RequestProbeOptions } from "../host/paths/request_probe.ts";
import { type Libc, openLibc } from "../sandbox/kernel/libc.ts";
import { isWithoutLinks } from "../sandbox/kernel/open_without_links.ts";
import { Approvals } from "./approvals/approvals.ts";
import { PolicyBudgets } from "./budgets.ts";
import { compilePolicies } from "./compile_policies.ts";
import type { Engine } from "./execute.ts";
import { createFreeRunner } from "./_free_runner.ts";
import { Metrics } from "./_metrics.ts";
import type { Telemetry } from "./telemetry.ts";
import { ArrivalOrder } from "./_arrival_order.ts";
import { NO_RECORDER } from "./_no_recorder.ts";
import { offeredTools } from "./offered_tools.ts";
import type { Recorder } from "./recorder.ts";
import { createPluginRegistry, type PluginRegistry } from "./plugin_registry.ts";
import { JobNumbers } from "./job_numbers.ts";
import { createPreparation } from "./judge/preparation.ts";
import { createResolver } from "./judge/resolve.ts";
import type { LookingSetup } from "./looking_engine.ts";
import type { ProgramSharing } from "./programs/program_sharing.ts";
import type { PoolParts } from "./pool/open_pool.ts";
import { createSingleRunner, type SingleRunnerOptions } from "./pool/single_runner.ts";
import { createStayingRunner } from "./pool/staying_runner.ts";
import type { Job, Runner, StayingRunner } from "./runner.ts";

/** What an engine is made of. */
export interface EngineOptions {
  readonly policies: readonly PlacedPolicy[];
  readonly workspace: CanonicalPath;
  /** The runtime's baked permissions are the policy's own. */
  readonly sealed: boolean;
  /** The custom tools of the policies. */
  readonly plugins?: readonly PluginManifest[];
  /** The built-in tools, where the build carries them as data. */
  readonly listing?: CarriedListing | null;
  /** Where there are other engines in this process. */
  readonly sharing?: ProgramSharing;
  /** What keeps the log that the policies want; not called where they want none. */
  readonly audit: (settings: AuditSettings, workspace: string) => Recorder;
}

/** What an engine is made of where it is not the usual: for builds that try the layers one by one. */
export interface EngineParts {
  readonly registry?: Registry;
  readonly rulebook?: (rulebook: Rulebook) => Rulebook;
  readonly permissionsOf?: (boundary: Boundary) => Deno.PermissionOptions;
  readonly recorder?: Recorder;
  /** Whose thread is another's, too, gives null: the single call then takes one of its own. */
  readonly alone?: SingleRunnerOptions["alone"];
  readonly telemetry?: Telemetry | null;
}

/** An engine, and what its commands need beside the way through. */
export interface CommandEngine extends Engine {
  /** The tools that the policy could allow the agent. */
  offered(agent: string): Promise<readonly ToolDescription[]>;
  /** What it was made of, and what holds the thread of a single call: for `explain`. */
  readonly policies: readonly PlacedPolicy[];
  boundaryOf(job: Job): Boundary;
}

/** An engine of many calls. */
export interface StayingEngine extends CommandEngine {
  readonly runner: StayingRunner;
  /** The custom tools, as they are now. */
  readonly plugins: PluginRegistry;
  /** Starts the thread that most calls need ahead of the first. */
  warm(): void;
  /** What a thread of its user's own is told that only looks: see `LookingEngine`. `permissions`: the runtime's, for it. */
  looking(): Promise<{
    readonly setup: LookingSetup;
    readonly permissions: Deno.PermissionOptions;
  }>;
  /** Begins what its first calls take before its workspace is there. */
  begin(): Promise<void>;
  /** What its programs may become of what they make in this folder, which is there by now: see {@linkcode WarmRunner}. */
  makeSpares(folder: string): void;
  /** What starts its programs, as soon as there is all that holds it: see {@linkcode WarmRunner}. */
  bind(made: readonly string[]): boolean;
}

/** The engine of one call: each layer is drawn from the call's grant. */
export function createEngine(options: EngineOptions, parts: EngineParts = {}): CommandEngine {
  const { engine, registry, pool, free } = createBase(options, parts);
  const alone = parts.alone ?? (() => {
    if (options.sealed) return { by: "runtime" };
    const libc = libcThatHolds(engine.rulebook.settings.sandbox);
    return libc === null ? null : { by: "kernel", libc };
  });
  const runner = createSingleRunner({ ...pool, registry, free, alone });
  return { ...engine, runner };
}

/** The engine of many calls: each layer is drawn from what the policy can allow. */
export async function createStayingEngine(
  options: EngineOptions,
  parts: EngineParts = {},
): Promise<StayingEngine> {
  const { engine, pool, free } = createBase(options, parts, kernelLooks());
  const runner = await createStayingRunner(pool, free);
  return {
    ...engine,
    plugins: pool.plugins,
    warm: runner.warm,
    async looking() {
      const { boundaries, permissionsOf, plugins: { manifests: plugins } } = pool;
      const { boundary } = boundaries.ofLane("read");
      const { policies, workspace } = options;
      const setup = { policies, plugins, workspace, boundary };
      const source = await filesFromSource();
      return { setup, permissions: permissionsOf(withEmbedded(boundary, source)) };
    },
    begin: runner.begin,
    makeSpares: runner.makeSpares,
    bind: runner.bind,
    runner,
  };
}

/** The engine as one caller of many has it: by a runner of its own, with counts of its own. */
export function engineOfOne(engine: StayingEngine, runner: StayingRunner): StayingEngine {
  return { ...engine, runner, metrics: new Metrics() };
}

/** What both kinds of engine are made of. */
interface Base {
  readonly registry: Registry;
  readonly pool: PoolParts;
  readonly free: Runner;
  readonly engine: Omit<CommandEngine, "runner">;
}

function createBase(
  { policies, workspace, audit, plugins: manifests = [], listing = null, sharing }: EngineOptions,
  { permissionsOf = permissionSetOf, ...parts }: EngineParts,
  looks: KernelLooks = {},
): Base {
  const plugins = createPluginRegistry(
    parts.registry ?? createRegistry(TOOLS, listing),
    manifests,
  );
  const { registry } = plugins;
  const compiled = compilePolicies(policies, registry);
  const rulebook = parts.rulebook?.(compiled) ?? compiled;
  const preparation = createPreparation(rulebook, sharing);
  const boundaries = createBoundaries(rulebook, preparation.programs);
  return {
    registry,
    pool: {
      rulebook,
      compiled,
      policies,
      plugins,
      preparation,
      boundaries,
      number: (sharing?.numbers ?? new JobNumbers()).next,
      permissionsOf,
    },
    free: createFreeRunner(rulebook, registry),
    engine: {
      registry,
      rulebook,
      resolver: createResolver(workspace, preparation.programs, looks),
      metrics: new Metrics(),
      telemetry: parts.telemetry ?? null,
      arrivalOrder: new ArrivalOrder(),
      budgets: new PolicyBudgets(rulebook.tokensOf),
      approvals: new Approvals({
        times: rulebook.settings.approvals,
        now: Date.now,
        probe: () => createIdentityProbe(openLibc()),
      }),
      recorder: parts.recorder ?? recorderOf(rulebook.settings, audit),
      files: preparation.files,
      prepare: preparation.prepare,
      offered: (agent) => offeredTools({ registry, rulebook }, agent),
      policies,
      boundaryOf: boundaries.shownOf,
    },
  };
}

type KernelLooks = Pick<RequestProbeOptions, "straight" | "there">;

/** By the kernel, whose library is opened with the first path; what cannot be told so is told by the runtime. */
function kernelLooks(): KernelLooks {
  let libc: Libc | null | undefined;
  const opened = (): Libc | null => libc ??= openLibc();
  const straight = (path: string): boolean => {
    const kernel = opened();
    return kernel !== null && isWithoutLinks(kernel, path);
  };
  // Where the runtime may not look nobody is told what is there.
  if (Deno.permissions.querySync({ name: "read" }).state !== "granted") return { straight };
  return {
    straight,
    there(path) {
      const kernel = opened();
      return kernel === null ? null : isThere(kernel, path);
    },
  };
}

function recorderOf({ audit, workspace }: Settings, open: EngineOptions["audit"]): Recorder {
  return audit === null ? NO_RECORDER : open(audit, workspace);
}
