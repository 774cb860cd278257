/** Tries one layer alone: a call that the policy layer would refuse, with the other layers opened. */

import type { CanonicalPath, Program } from "../core/capability.ts";
import { invalidArguments, parseArguments } from "../core/parse_arguments.ts";
import type { Grant } from "../policy/grant.ts";
import type { PlacedPolicy } from "../policy/compile_lazily.ts";
import type { Sandbox } from "../policy/model.ts";
import type { Boundary } from "../sandbox/boundary.ts";
import { permissionSetOf } from "../sandbox/permission_set.ts";
import { SYSTEM_PATHS } from "../sandbox/system_paths.ts";
import type { Engine } from "./execute.ts";
import { NO_SURROUNDINGS } from "./thread_parts.ts";
import { WorkerPool } from "./worker_pool.ts";

/** `holds` true: the attempt was stopped, and the same on what is allowed was not. */
export interface Tried {
  readonly holds: boolean;
  readonly detail: string;
}

export interface TryPlace {
  /** Those of the session: threads compile them. */
  readonly policies: readonly PlacedPolicy[];
  /** Allowed; holds a file named `file`. */
  readonly inside: CanonicalPath;
  /** A file that is not. */
  readonly target: CanonicalPath;
  readonly program?: Program;
}

/** Opens a thread that only the layer holds, reads `target` with it, and then what it may read. */
export async function tryLayer(
  engine: Engine,
  layer: "runtime" | "landlock" | "programs",
  place: TryPlace,
): Promise<Tried> {
  const { inside, target, program } = place;
  const { settings } = engine.rulebook;
  const boundary: Boundary = {
    read: [inside],
    write: [],
    connect: [],
    spawn: program === undefined ? null : {
      programs: [program.start],
      system: SYSTEM_PATHS,
      read: [inside],
      write: [],
      list: [],
      network: false,
    },
  };
  const sandbox: Sandbox = { ...settings.sandbox, kernel: layer === "runtime" ? "off" : "auto" };
  const pool = new WorkerPool({
    rulebook: { ...engine.rulebook, settings: { ...settings, sandbox } },
    policies: place.policies.map((policy) => ({ ...policy, workspace: inside })),
    boundaryOf: () => ({ boundary, state: "try" }),
    permissionsOf: layer === "landlock" ? () => "inherit" : permissionSetOf,
    surroundings: () => NO_SURROUNDINGS,
    killGroup: () => {},
  });
  const attempt = async (path: CanonicalPath): Promise<string | null> => {
    const grant: Grant = {
      workspace: inside,
      read: program === undefined ? [{ requested: "file", path, tree: false }] : [],
      write: [],
      spawn: program === undefined ? [] : [{ argv: ["cat", path], program, cwd: inside }],
      connect: [],
      limits: settings.limits,
      backups: settings.backups,
      timeoutMs: settings.timeoutMs,
      killGraceMs: settings.killGraceMs,
    };
    const tool = await engine.registry.get(program === undefined ? "read_file" : "run_command");
    const words = program === undefined ? { path: "file" } : { argv: ["cat", path] };
    const parsed = parseArguments(tool.input, words);
    if ("problems" in parsed) throw invalidArguments(tool.name, parsed.problems);
    const input = parsed.value;
    const { outcome } = pool.run({ tool, input, grant, preview: false, stream: false }, () => {});
    await pool.drainUntil(outcome);
    const { error } = await outcome;
    return error === null ? null : `${error.code}: ${error.message.replaceAll(path, "the file")}`;
  };
  try {
    const refused = await attempt(target);
    const allowed = await attempt(`${inside}/file` as CanonicalPath);
    if (refused === null) return { holds: false, detail: "it was read" };
    if (allowed !== null) {
      return { holds: false, detail: `what is allowed is refused too: ${allowed}` };
    }
    return { holds: true, detail: "refused; what is allowed is read" };
  } finally {
    await pool.close();
  }
}
