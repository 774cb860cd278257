/**
 * What stands in for the machine in the tests of the engine: a tool, a runner, a record, an approver. Each does what it
 * is told and notes what it was asked, so that a test sees the whole way of a call and its order.
 */

import type { ResolvedCapability } from "../../../src/core/capability.ts";
import type { CallRequest } from "../../../src/core/request.ts";
import { JSON_NULL } from "../../../src/core/result.ts";
import type { Tool } from "../../../src/core/tool.ts";
import {
  type ApprovalAnswer,
  Approvals,
  type PendingApproval,
} from "../../../src/engine/approvals/approvals.ts";
import { createIdentityProbe } from "../../../src/host/paths/identity.ts";
import { ArrivalOrder } from "../../../src/engine/_arrival_order.ts";
import { PolicyBudgets } from "../../../src/engine/budgets.ts";
import { Metrics } from "../../../src/engine/_metrics.ts";
import {
  type CommandEngine,
  createEngine,
  type EngineParts,
} from "../../../src/engine/create_engine.ts";
import type { Engine, Follow } from "../../../src/engine/execute.ts";
import type { CapabilityResolver } from "../../../src/engine/judge/resolve.ts";
import type { CallRecord, Recorder } from "../../../src/engine/recorder.ts";
import type { Job, JobEvent, Outcome, Running } from "../../../src/engine/runner.ts";
import type { Policy } from "../../../src/policy/model.ts";
import { createRegistry, type Registry } from "../../../src/tools/registry.ts";
import { canonical, policy, program, rulebook, WORKSPACE } from "../policy/_fixtures.ts";

/** What a call of no output and no error comes to. */
export const NOTHING: Outcome = { output: JSON_NULL, error: null, usage: {} };

/** A tool that reads what `path` names, with other parts where they are given. */
export function toolOf(parts: Partial<Tool> = {}): Tool {
  return {
    name: "look",
    category: "util",
    description: "Looks at a file.",
    risk: "safe",
    permission: "file_read",
    input: { type: "object", properties: { path: { type: "string" } } },
    output: { type: "object" },
    describe: () => "Look",
    capabilities: (
      { path = "a" }: { readonly path?: string },
    ) => [{ kind: "fs.read", path, tree: false }],
    run: () => ({}),
    ...parts,
  } as Tool;
}

/** A registry of these tools alone. */
export function registryOf(...tools: readonly Tool[]): Registry {
  return createRegistry(
    tools.map((tool) => ({ name: tool.name, load: () => Promise.resolve({ default: tool }) })),
  );
}

/** A request of that tool by `root`, as a caller sends it. */
export function requestOf(tool: string, parts: Partial<CallRequest> = {}): CallRequest {
  return {
    id: "1",
    tool,
    args: {},
    agent: "root",
    timeoutMs: null,
    preview: false,
    stream: false,
    ...parts,
  };
}

/** Takes each path for one of the workspace, and each program for one of the system. */
export const RESOLVER: CapabilityResolver = resolverOf((capabilities) =>
  capabilities.map((capability): ResolvedCapability => {
    switch (capability.kind) {
      case "fs.read":
      case "fs.write": {
        const { path: requested } = capability;
        return { ...capability, requested, path: canonical(`${WORKSPACE}/${requested}`) };
      }
      case "process.spawn":
        return {
          ...capability,
          cwd: canonical(WORKSPACE),
          program: program(capability.argv[0] ?? ""),
          operands: [],
        };
      default:
        return capability;
    }
  })
);

/** A resolver that does so at once. */
export function resolverOf(resolve: CapabilityResolver["resolve"]): CapabilityResolver {
  return {
    resolve,
    // deno-lint-ignore require-yield
    *resolveInSteps(capabilities) {
      return resolve(capabilities);
    },
    near: () => ({ names: [], untrusted: null }),
    missingNetwork: () => null,
  };
}

/** What a world is made of where it is not the usual. */
export interface WorldOptions {
  readonly policies?: readonly Partial<Policy>[];
  readonly registry?: Registry;
  /** How a job ends; with {@linkcode NOTHING} unless told. */
  readonly run?: (job: Job, onEvent: (event: JobEvent) => void) => Promise<Outcome>;
  /** Thrown instead of writing the decision down. */
  readonly unrecordable?: Error;
  /** The clock of approvals: milliseconds since 1970. */
  readonly now?: () => number;
  readonly parts?: Partial<Engine>;
}

/** An engine, and what happened in it. */
export interface World {
  readonly engine: Engine;
  /** Jobs that its runner was given. */
  readonly jobs: readonly Job[];
  /** Each step of each call, in order: `begin`, `decided allow`, `run look`, `cancel look`, `ended OK`. */
  readonly steps: readonly string[];
}

/** An engine whose machine is not there. */
export function worldOf(options: WorldOptions = {}): World {
  const { policies = [], registry = registryOf(toolOf()), run = () => Promise.resolve(NOTHING) } =
    options;
  const jobs: Job[] = [];
  const steps: string[] = [];
  const record: CallRecord = {
    decided(_tool, _input, { effect }) {
      if (options.unrecordable !== undefined) throw options.unrecordable;
      steps.push(`decided ${effect}`);
    },
    approval: (_tool, { answer }) => steps.push(`approval ${answer}`),
    ended(result) {
      steps.push(`ended ${result.error?.code ?? "OK"}`);
      return result;
    },
  };
  const recorder: Recorder = {
    begin() {
      steps.push("begin");
      return record;
    },
  };
  const canonicalToolName = (name: string) => registry.canonicalName(name) ?? name;
  const book = rulebook(policies, { canonicalToolName });
  const { now = Date.now } = options;
  const engine: Engine = {
    registry,
    rulebook: book,
    resolver: RESOLVER,
    runner: {
      run(job, onEvent): Running {
        jobs.push(job);
        steps.push(`run ${job.tool.name}`);
        return {
          outcome: run(job, onEvent),
          cancel: () => {
            steps.push(`cancel ${job.tool.name}`);
          },
        };
      },
      close: () => Promise.resolve(),
    },
    prepare: (capabilities) => book.prepare(capabilities),
    files: () => Promise.reject(new Error("no files here")),
    metrics: new Metrics(),
    arrivalOrder: new ArrivalOrder(),
    budgets: new PolicyBudgets(book.tokensOf),
    approvals: new Approvals({
      times: book.settings.approvals,
      now,
      probe: () => createIdentityProbe(null),
    }),
    recorder,
    telemetry: null,
    ...options.parts,
  };
  return { engine, jobs, steps };
}

/** The engine of a real folder under these policies, each named `p1.yaml`, `p2.yaml`, …; no log is kept. */
export function openEngine(
  root: string,
  ...policies: readonly Partial<Policy>[]
): CommandEngine {
  const workspace = canonical(root);
  return createEngine({
    policies: policies.map((sections, at) => ({
      source: `p${at + 1}.yaml`,
      policy: policy(sections),
      workspace,
    })),
    workspace,
    sealed: false,
    audit: noLog,
  }, FREE_THREAD);
}

/** The thread of the tests stays free: what it gave up for one call all others would miss. */
export const FREE_THREAD: EngineParts = { alone: () => null };

/** Following a call to nowhere: no events, nobody to ask. */
export const FOLLOW: Follow = {
  onEvent: () => {},
  onRunning: () => {},
  approver: { ask: () => Promise.resolve({ answer: "nobody", hint: "nobody is here" }) },
};

/** Follows a call and answers its questions, each with the next answer; notes what was asked. */
export function answering(...answers: readonly ApprovalAnswer[]): {
  readonly follow: Follow;
  readonly asked: readonly PendingApproval[];
} {
  const asked: PendingApproval[] = [];
  const ask = (pending: PendingApproval): Promise<ApprovalAnswer> => {
    asked.push(pending);
    const answer = answers[asked.length - 1];
    if (answer === undefined) throw new Error(`asked ${asked.length} times`);
    return Promise.resolve(answer);
  };
  return { follow: { ...FOLLOW, approver: { ask } }, asked };
}

/** For engines of policies that want none. */
export function noLog(): never {
  throw new Error("no policy here wants a log");
}
