/** A thread that some layers hold and others do not, to find out what each keeps in: calls that no policy was asked about. */

import type { CanonicalPath, Program } from "../../core/capability.ts";
import type { ErrorCode } from "../../core/errors.ts";
import { invalidArguments, parseArguments } from "../../core/parse_arguments.ts";
import { jsonText } from "../../core/result.ts";
import type { Grant } from "../../policy/grant.ts";
import type { PlacedPolicy } from "../../policy/compile_rulebook.ts";
import type { NetworkRule, Sandbox } from "../../policy/model.ts";
import type { Boundary } from "../../sandbox/boundary.ts";
import { permissionSetOf } from "../../sandbox/permission_set.ts";
import { SYSTEM_PATHS } from "../../sandbox/system_paths.ts";
import type { Engine } from "../execute.ts";
import { subjectOf } from "../judge/decide_call.ts";
import { programEnvironmentOf } from "../programs/program_environment.ts";
import { JobNumbers } from "../job_numbers.ts";
import { WorkerPool } from "./worker_pool.ts";

/** `runtime`: the permission set and no kernel; `kernel`: the kernel's rules, and the permissions of the process. */
export type TriedLayer = "runtime" | "kernel" | "both";

/** What is tried, and on what. */
export interface TrialOptions {
  /** Those of the session: threads compile them. */
  readonly policies: readonly PlacedPolicy[];
  readonly layer: TriedLayer;
  /** The one folder that the thread may read and write. */
  readonly inside: CanonicalPath;
  /** Programs that it may start; none: it starts none. */
  readonly programs: readonly Program[];
  /** The one port of 127.0.0.1 that it may connect to; none where left out. */
  readonly port?: number;
}

/** How an attempt ended. */
export interface Attempted {
  readonly error: { readonly code: ErrorCode; readonly message: string } | null;
  /** What a program printed, both streams. */
  readonly output: string;
}

/** A thread with one layer closed and the others open, which is asked to do things. */
export interface Trial {
  read(path: CanonicalPath): Promise<Attempted>;
  write(path: CanonicalPath): Promise<Attempted>;
  /** `program`: what is started for `argv[0]`, one of those that may be or not. */
  start(program: Program, argv: readonly string[]): Promise<Attempted>;
  /** Asks a server on 127.0.0.1 for a page, whatever it then says. */
  connect(port: number): Promise<Attempted>;
  close(): Promise<void>;
}

/**
 * Milliseconds for one attempt: a program that hangs is no answer, but on a busy machine a thread takes seconds to begin.
 */
const ATTEMPT_MS = 30_000;

const LOOPBACK = "127.0.0.1";
const ANYWHERE: NetworkRule = {
  effect: "allow",
  hosts: [LOOPBACK],
  methods: null,
  allowPrivate: true,
};

/** Starts the thread with the first attempt. */
export function openTrial(engine: Engine, options: TrialOptions): Trial {
  const { policies, layer, inside, programs, port } = options;
  const { settings } = engine.rulebook;
  const boundary: Boundary = {
    read: [inside],
    write: [inside],
    connect: port === undefined ? [] : [`${LOOPBACK}:${port}`],
    spawn: programs.length === 0 ? null : {
      programs: programs.map(({ start }) => start),
      system: SYSTEM_PATHS,
      read: [inside],
      write: [inside],
      list: [],
      network: false,
    },
  };
  const kernel = layer === "runtime" ? "off" : "auto";
  const sandbox: Sandbox = { ...settings.sandbox, kernel, temporary: false, caches: "off" };
  const pool = new WorkerPool({
    number: new JobNumbers().next,
    rulebook: { ...engine.rulebook, settings: { ...settings, sandbox } },
    policies: policies.map(({ policy, source }) => ({
      source,
      // What the layer below holds is found out where the policy's own layer holds nothing.
      policy: port === undefined ? policy : { ...policy, network: [ANYWHERE], web: null },
      workspace: inside,
    })),
    boundaryOf: () => ({ boundary, state: "trial" }),
    permissionsOf: layer === "kernel" ? () => "inherit" : permissionSetOf,
    programEnvironment: () => programEnvironmentOf({ ...settings, sandbox }, () => null, null),
    writing: () => ({ boundary, state: "trial" }),
    watch: () => null,
  });
  const nothing: Grant = {
    workspace: inside,
    read: [],
    write: [],
    spawn: [],
    connect: [],
    limits: settings.limits,
    backups: settings.backups,
    git: settings.git,
    timeoutMs: ATTEMPT_MS,
    killGraceMs: 0,
  };
  const attempt = async (
    name: string,
    args: Readonly<Record<string, unknown>>,
    granted: Partial<Grant>,
  ): Promise<Attempted> => {
    const tool = await engine.registry.get(name);
    const parsed = parseArguments(tool.input, args);
    if ("problems" in parsed) throw invalidArguments(tool.name, parsed.problems);
    const grant = { ...nothing, ...granted };
    const subject = subjectOf(tool, "root");
    const input = await tool.complete?.(parsed.value) ?? parsed.value;
    const job = { tool, input, grant, preview: false, stream: false, subject };
    const { outcome } = pool.run(job, () => {});
    await pool.drainUntil(outcome);
    const { error, output } = await outcome;
    const { stdout = "", stderr = "" } = (JSON.parse(jsonText(output)) ?? {}) as Record<
      string,
      string
    >;
    return { error, output: stdout + stderr };
  };
  return {
    read: (path) =>
      attempt("read_file", { path: "file" }, { read: [{ requested: "file", path, tree: false }] }),
    write: (path) =>
      attempt("write_file", { path: "file", content: "doctor", create_dirs: false }, {
        write: [{ requested: "file", path, tree: false }],
      }),
    start: (program, argv) =>
      attempt("run_command", { argv }, { spawn: [{ argv, program, cwd: inside }] }),
    connect: (to) =>
      attempt("fetch_url", { url: `http://${LOOPBACK}:${to}/`, format: "bytes" }, {
        connect: [`${LOOPBACK}:${to}`],
      }),
    close: () => pool.close(),
  };
}
