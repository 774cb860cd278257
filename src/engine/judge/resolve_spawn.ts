/** From the words of a command to the program and the paths that they name. */

import type {
  CanonicalPath,
  Capability,
  Program,
  ResolvedSpawnCapability,
  SpawnCapability,
} from "../../core/capability.ts";
import { ToolError } from "../../core/errors.ts";
import type { PathProbe } from "../../host/paths/path_probe.ts";
import type { Rulebook } from "../../policy/rulebook.ts";

/** Every argument is looked at as a path, 2 µs each: more than this would hold up the pipe. */
const MAX_ARGUMENTS = 10_000;

/** Finds the program, the arguments that name what is there, and what the program would reach by them. */
export type SpawnResolver = (capability: SpawnCapability) => {
  readonly spawn: ResolvedSpawnCapability;
  readonly reached: readonly Capability[];
};

/** The resolver of commands. `find` looks for the program of a name, from a directory. */
export function createSpawnResolver(
  rulebook: Pick<Rulebook, "settings" | "reach">,
  paths: PathProbe,
  find: (name: string, cwd: CanonicalPath) => Program | null,
): SpawnResolver {
  return (capability) => {
    const { argv } = capability;
    if (argv.length > MAX_ARGUMENTS) {
      throw new ToolError(
        "COMMAND_UNPARSABLE",
        `the command has ${argv.length} arguments; at most ${MAX_ARGUMENTS} can be judged`,
      );
    }
    const cwd = paths.canonicalize(rulebook.settings.workspace, capability.cwd);
    const program = find(argv[0] ?? "", cwd);
    if (capability.own !== undefined) {
      return { spawn: { ...capability, cwd, program, operands: [] }, reached: [] };
    }
    const { capabilities: reached, probe, runsFiles } = rulebook.reach(capability, program);
    const operands = operandsOf(probe, cwd, paths);
    return {
      spawn: { ...capability, cwd, program, operands, ...(runsFiles ? { runsFiles } : {}) },
      reached,
    };
  };
}

/**
 * Arguments that name something that is there: `x`, the value of `--option=x`, and the rest of `-ox`, since
 * programs accept all three.
 */
function operandsOf(
  words: readonly string[],
  cwd: CanonicalPath,
  paths: PathProbe,
): ResolvedSpawnCapability["operands"] {
  return words.flatMap(readingsOf).filter((requested) => paths.exists(cwd, requested))
    .map((requested) => {
      const path = paths.canonicalize(cwd, requested);
      return { requested, path, directory: paths.isDirectory(path) };
    });
}

function readingsOf(argument: string): string[] {
  if (argument === "" || argument === "-" || argument === "--") return [];
  const readings = [argument];
  const equals = argument.indexOf("=");
  if (equals !== -1) readings.push(argument.slice(equals + 1));
  if (/^-[A-Za-z0-9]./.test(argument)) readings.push(argument.slice(2));
  return readings.filter((reading) => reading !== "");
}
