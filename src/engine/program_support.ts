/**
 * What calls that start programs need and others do not: finding programs, the operands of commands, kernel rules
 * for programs, their surroundings. Loaded with the first such call.
 */

import { isAbsolute, join } from "@std/path";
import type {
  CanonicalPath,
  ResolvedSpawnCapability,
  SpawnCapability,
} from "../core/capability.ts";
import { ToolError } from "../core/errors.ts";
import { canonicalize } from "../host/canonicalize.ts";
import { createCarver } from "../host/carve.ts";
import { killGroup } from "../host/processes.ts";
import { createProgramFinder } from "../host/programs.ts";
import type { Rulebook } from "../policy/rulebook.ts";
import type { SpawnBoundary } from "../sandbox/boundary.ts";
import { SYSTEM_PATHS } from "../sandbox/system_paths.ts";
import { removeSurroundings, surroundingsOf } from "./surroundings.ts";
import type { ProgramSurroundings } from "./thread_parts.ts";

/** Every argument is looked at as a path, 2 µs each: more than this would hold up the pipe. */
const MAX_ARGUMENTS = 10_000;

export interface ProgramSupport {
  readonly surroundings: ProgramSurroundings;
  /** Finds the program, and the arguments that name what is there. */
  resolve(capability: SpawnCapability): ResolvedSpawnCapability;
  /** As the workspace is now; `state` changes when it does. */
  boundary(): { readonly spawn: SpawnBoundary; readonly state: string };
  /** SIGKILL for a process group whose thread is gone. */
  killGroup(id: number): void;
  close(): void;
}

export function createProgramSupport(rulebook: Rulebook): ProgramSupport {
  const { scope, settings } = rulebook;
  const { workspace, sandbox } = settings;
  const system = sandbox.system ?? SYSTEM_PATHS;
  const finder = createProgramFinder(workspace, system);
  const carver = createCarver(rulebook);
  const surroundings = surroundingsOf(settings);
  const { temporaryRoot } = surroundings;
  return {
    surroundings,
    resolve({ kind, argv, cwd: requested }) {
      const cwd = canonicalize(workspace, requested);
      const program = finder.find(argv[0] ?? "", cwd);
      return { kind, argv, cwd, program, operands: operandsOf(argv, cwd) };
    },
    boundary() {
      if (sandbox.bubblewrap === "required") {
        throw new ToolError(
          "NATIVE_DENIED",
          "sandbox.bubblewrap is required, and this version starts no program in bubblewrap; " +
            "auto or off let the kernel's rules hold programs",
        );
      }
      const { read, write, list, fingerprint } = carver.carve();
      const programs = scope.programs === "any"
        ? "any" as const
        : [...new Set(scope.programs.flatMap((name) => finder.find(name, workspace)?.start ?? []))];
      return {
        spawn: {
          programs,
          system,
          read,
          write: temporaryRoot === null ? write : [...write, temporaryRoot as CanonicalPath],
          list,
          network: sandbox.network === "allow",
        },
        state: fingerprint,
      };
    },
    killGroup,
    close: () => removeSurroundings(surroundings),
  };
}

/**
 * Arguments that name something that is there: `x`, the value of `--option=x`, and the rest of `-ox`, since
 * programs accept all three.
 */
function operandsOf(
  argv: readonly string[],
  cwd: CanonicalPath,
): ResolvedSpawnCapability["operands"] {
  if (argv.length > MAX_ARGUMENTS) {
    throw new ToolError(
      "COMMAND_UNPARSABLE",
      `the command has ${argv.length} arguments; at most ${MAX_ARGUMENTS} can be judged`,
    );
  }
  const operands = [];
  for (const argument of argv.slice(1)) {
    for (const requested of readingsOf(argument)) {
      if (!exists(cwd, requested)) continue;
      const path = canonicalize(cwd, requested);
      operands.push({ requested, path, directory: isDirectory(path) });
    }
  }
  return operands;
}

/** What cannot be looked at counts as a file: more rules are about those. */
function isDirectory(path: CanonicalPath): boolean {
  try {
    return Deno.lstatSync(path).isDirectory;
  } catch {
    return false;
  }
}

/** What cannot be looked at counts as there: it is judged, not passed over. */
function exists(cwd: CanonicalPath, path: string): boolean {
  if (path.includes("\0")) return false;
  try {
    Deno.lstatSync(isAbsolute(path) ? path : join(cwd, path));
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) {
      return false;
    }
    // A name that no file system takes (ENAMETOOLONG) has no class of its own.
    return !(error instanceof Error && error.message.includes("os error 36"));
  }
}

function readingsOf(argument: string): string[] {
  if (argument === "" || argument === "-" || argument === "--") return [];
  const readings = [argument];
  const equals = argument.indexOf("=");
  if (equals !== -1) readings.push(argument.slice(equals + 1));
  if (/^-[A-Za-z0-9]./.test(argument)) readings.push(argument.slice(2));
  return readings.filter((reading) => reading !== "");
}
