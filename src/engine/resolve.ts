/** From the words of a request to what they name on this machine: paths canonical, programs found. */

import { isAbsolute, join } from "@std/path";
import type {
  CanonicalPath,
  Capability,
  Program,
  ResolvedCapability,
  ResolvedSpawnCapability,
} from "../core/capability.ts";
import { canonicalize } from "../host/canonicalize.ts";
import { ToolError } from "../core/errors.ts";
import type { ProgramFinder } from "../host/programs.ts";

/** Every argument is looked at as a path, 2 µs each: more than this would hold up the pipe. */
const MAX_ARGUMENTS = 10_000;

export interface CapabilityResolver {
  /** Throws a ToolError where a path cannot be resolved (loops, too long, not a directory on the way). */
  resolve(capabilities: readonly Capability[]): readonly ResolvedCapability[];
}

export function createResolver(
  workspace: CanonicalPath,
  programs: ProgramFinder,
): CapabilityResolver {
  const resolveOne = (capability: Capability): ResolvedCapability => {
    switch (capability.kind) {
      case "fs.read":
      case "fs.write": {
        const { kind, path, tree, optional } = capability;
        return {
          kind,
          path: canonicalize(workspace, path),
          tree,
          requested: path,
          ...(optional === undefined ? {} : { optional }),
        };
      }
      case "process.spawn": {
        const { kind, argv } = capability;
        const cwd = canonicalize(workspace, capability.cwd);
        const program: Program | null = programs.find(argv[0] ?? "", cwd);
        return { kind, argv, cwd, program, operands: operandsOf(argv, cwd) };
      }
      case "net.connect":
      case "env.read":
        return capability;
    }
  };
  return {
    resolve: (capabilities) =>
      capabilities.flatMap((capability) => {
        try {
          return [resolveOne(capability)];
        } catch (error) {
          // What cannot be resolved is left out where the call can do without it.
          if (error instanceof ToolError && "optional" in capability) return [];
          throw error;
        }
      }),
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
