/**
 * The engine of a thread that only looks: it judges as any other, by the same way through, and answers calls that are allowed
 * and read what they name. Whatever else comes it leaves to the engine that it was drawn from, which judges for itself.
 */

import type { CanonicalPath } from "../core/capability.ts";
import type { CallRequest } from "../core/request.ts";
import type { Result } from "../core/result.ts";
import type { PluginManifest } from "../plugins/manifest.ts";
import type { PlacedPolicy } from "../policy/compile_rulebook.ts";
import type { Boundary } from "../sandbox/boundary.ts";
import type { Libc } from "../sandbox/kernel/libc.ts";
import { isWithoutLinks } from "../sandbox/kernel/open_without_links.ts";
import { createRegistry, type Registry } from "../tools/registry.ts";
import { Approvals, type Approver } from "./approvals/approvals.ts";
import { ArrivalOrder } from "./_arrival_order.ts";
import { PolicyBudgets } from "./budgets.ts";
import { compilePolicies } from "./compile_policies.ts";
import { type Engine, execute, type Follow } from "./execute.ts";
import { createPreparation } from "./judge/preparation.ts";
import { createResolver } from "./judge/resolve.ts";
import { type Counts, Metrics } from "./_metrics.ts";
import { NO_RECORDER } from "./_no_recorder.ts";
import { withPlugins } from "./plugin_registry.ts";
import { LookingRunner } from "./pool/looking_runner.ts";
import { enterThread } from "./pool/thread_parts.ts";
import { NO_PROGRAM_ENVIRONMENT } from "./programs/no_program_environment.ts";

/** What such a thread is told of the engine that it looks for; data that crosses between threads. */
export interface LookingSetup {
  readonly policies: readonly PlacedPolicy[];
  readonly plugins: readonly PluginManifest[];
  readonly workspace: CanonicalPath;
  readonly boundary: Boundary;
}

/** The tools, of which the one that most calls ask for is loaded meanwhile. */
export function lookingTools(): Registry {
  const registry = createRegistry();
  // What cannot be loaded fails where it is needed.
  void Promise.resolve(registry.get("read_file")).catch(() => {});
  return registry;
}

/** Binds this thread to the boundary, for ever, and looks. */
export class LookingEngine {
  readonly #engine: Engine;
  readonly #runner: LookingRunner;
  readonly #metrics: LateMetrics;

  private constructor(engine: Engine, runner: LookingRunner, metrics: LateMetrics) {
    this.#engine = engine;
    this.#runner = runner;
    this.#metrics = metrics;
  }

  /** `libc`: this thread's. Throws NATIVE_DENIED where the policy requires what this machine cannot hold. */
  static async open(
    { policies, plugins, workspace, boundary }: LookingSetup,
    builtIn: Registry,
    own: Libc | null = null,
  ): Promise<LookingEngine> {
    const registry = withPlugins(builtIn, plugins);
    // From source, modules are files outside the boundary: they are loaded before it closes.
    if (!Deno.build.standalone) await registry.loadAll();
    const rulebook = compilePolicies(policies, registry);
    const { settings } = rulebook;
    const { held, parts } = await enterThread(boundary, settings.sandbox, NO_PROGRAM_ENVIRONMENT, {
      durability: settings.durability,
      libc: own,
    });
    const { libc } = parts;
    const { layers, reasons } = held;
    const runner = new LookingRunner({
      rulebook,
      registry,
      parts,
      held: { layers, ...(reasons.length === 0 ? {} : { layers_missing: reasons }) },
    });
    const { files, prepare, programs } = createPreparation(rulebook);
    const metrics = new LateMetrics();
    return new LookingEngine(
      {
        registry,
        rulebook,
        resolver: createResolver(workspace, programs, {
          straight: (path) => libc !== null && isWithoutLinks(libc, path),
        }),
        files,
        prepare,
        runner,
        metrics,
        telemetry: null,
        recorder: NO_RECORDER,
        arrivalOrder: new ArrivalOrder(),
        budgets: new PolicyBudgets(() => null),
        approvals: new Approvals({ times: settings.approvals, now: Date.now, probe: noProbe }),
      },
      runner,
      metrics,
    );
  }

  /** Whether the tool of that name is one that only looks. */
  looks(tool: string): boolean {
    return this.#engine.registry.looks(tool);
  }

  /** Bytes of the longest request that the policy takes. */
  get requestBytes(): number {
    return this.#engine.rulebook.settings.limits.request;
  }

  /** The longest that a call of it may take, in milliseconds. */
  timeoutOf(tool: string): number {
    const { registry, rulebook } = this.#engine;
    return rulebook.timeoutOf(registry.canonicalName(tool) ?? tool);
  }

  /** Null where it is not for this thread to answer: nothing was done for it. One call at a time. */
  async look(call: CallRequest): Promise<Result | null> {
    this.#runner.hasRun();
    const result = await execute(this.#engine, call, UNFOLLOWED);
    const answers = this.#runner.hasRun();
    this.#metrics.settle(answers);
    return answers ? result : null;
  }

  /** What it has answered since this was asked for last. */
  takeCounts(): Counts {
    return this.#metrics.take();
  }
}

/** Counts a call once it is said that it is one of this engine's. */
class LateMetrics extends Metrics {
  #last: Parameters<Metrics["record"]> | null = null;

  override record(...call: Parameters<Metrics["record"]>): void {
    this.#last = call;
  }

  settle(counts: boolean): void {
    if (counts && this.#last !== null) super.record(...this.#last);
    this.#last = null;
  }
}

/** Whoever could agree is asked by the other engine. */
const NOBODY: Approver = {
  ask: () => Promise.resolve({ answer: "nobody", hint: "" }),
};

const UNFOLLOWED: Follow = { approver: NOBODY, onEvent: () => {}, onRunning: () => {} };

function noProbe(): never {
  throw new Error("a thread that only looks compares nothing");
}
