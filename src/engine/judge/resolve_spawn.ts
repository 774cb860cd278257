/** From the words of a command to the program and the paths that they name. */

import type {
  CanonicalPath,
  Capability,
  Program,
  ResolvedSpawnCapability,
  SpawnCapability,
} from "../../core/capability.ts";
import { ToolError } from "../../core/errors.ts";
import { isWithin } from "../../sandbox/within.ts";
import type { PathProbe } from "../../host/paths/path_probe.ts";
import type { Rulebook } from "../../policy/rulebook.ts";
import type { Steps } from "../turns.ts";

/** Every argument is looked at as a path. */
const MAX_ARGUMENTS = 10_000;
/** The longest argument that a program can be given: MAX_ARG_STRLEN less its NUL (include/uapi/linux/binfmts.h). */
const LONGEST_ARGUMENT = 32 * 4096 - 1;
/** Bytes of all of them: a quarter of the stack that a program begins with, 8 MiB (execve(2), "Limits on size"). */
const MOST_BYTES = 2 * 1024 * 1024;

/**
 * Finds the program, the arguments that name what is there, and what the program would reach by them; step by step.
 * `paths`: how paths are looked at for this request.
 */
export type SpawnResolver = (capability: SpawnCapability, paths: PathProbe) => Steps<{
  readonly spawn: ResolvedSpawnCapability;
  readonly reached: readonly Capability[];
}>;

/** The resolver of commands. `find` looks for the program of a name, from a directory. */
export function createSpawnResolver(
  rulebook: Pick<Rulebook, "settings" | "reach">,
  find: (name: string, cwd: CanonicalPath) => Program | null,
): SpawnResolver {
  return function* (capability, paths) {
    refuseTooLong(capability);
    const cwd = paths.canonicalize(rulebook.settings.workspace, capability.cwd);
    const program = find(capability.argv[0] ?? "", cwd);
    if (capability.own !== undefined) {
      return { spawn: { ...capability, cwd, program, operands: [] }, reached: [] };
    }
    const { capabilities: reached, probe, runsFiles, paths: named, project } = rulebook.reach(
      capability,
      program,
    );
    const outside = !isWithin(rulebook.settings.workspace, cwd);
    const operands = yield* operandsOf(probe, { cwd, outside }, paths);
    const started = named.map((name) => ({ name, program: find(name, cwd) }));
    return {
      spawn: {
        ...{ ...capability, cwd, program, operands },
        ...(started.length === 0 ? {} : { started }),
        ...(runsFiles ? { runsFiles } : {}),
        ...(project.length === 0 ? {} : { project: projectOf(project, cwd, operands, paths) }),
      },
      reached,
    };
  };
}

/** Throws COMMAND_UNPARSABLE for what no program could be started with, before anybody takes the time to read it. */
function refuseTooLong({ argv, opened }: SpawnCapability): void {
  if (argv.length > MAX_ARGUMENTS) {
    throw new ToolError(
      "COMMAND_UNPARSABLE",
      `the command has ${argv.length} arguments; at most ${MAX_ARGUMENTS} can be judged`,
    );
  }
  let all = 0;
  for (const word of argv) {
    all += word.length;
    if (all > MOST_BYTES) {
      throw new ToolError(
        "COMMAND_UNPARSABLE",
        `the arguments have more than the ${MOST_BYTES} bytes that a program can be given; ` +
          "hand them over as standard input or in a file",
      );
    }
    // What no program is started with may be longer than one could be given.
    if (opened === true || word.length * 3 <= LONGEST_ARGUMENT) continue;
    const bytes = word.length > LONGEST_ARGUMENT ? word.length : encoder.encode(word).length;
    if (bytes <= LONGEST_ARGUMENT) continue;
    throw new ToolError(
      "COMMAND_UNPARSABLE",
      `an argument of ${bytes} bytes or more is longer than the ${LONGEST_ARGUMENT} that a program can be given; ` +
        "hand it over as standard input or in a file",
    );
  }
}

const encoder = new TextEncoder();

/**
 * Arguments that name something that is there: `x`, the value of `--option=x`, and the rest of `-ox`, since
 * programs accept all three.
 */
function* operandsOf(
  words: readonly string[],
  { cwd, outside }: { readonly cwd: CanonicalPath; readonly outside: boolean },
  paths: PathProbe,
): Steps<ResolvedSpawnCapability["operands"]> {
  const operands: ResolvedSpawnCapability["operands"][number][] = [];
  for (const word of words) {
    for (const requested of readingsOf(word)) {
      if (!paths.exists(cwd, requested)) continue;
      const path = outside ? reachable(cwd, requested, paths) : paths.canonicalize(cwd, requested);
      if (path !== null) operands.push({ requested, path, directory: paths.isDirectory(path) });
    }
    yield;
  }
  return operands;
}

/** Null where the system does not let it be looked at: of a folder outside the rules speak, and not of what is in it. */
function reachable(cwd: CanonicalPath, requested: string, paths: PathProbe): CanonicalPath | null {
  try {
    return paths.canonicalize(cwd, requested);
  } catch (error) {
    if (error instanceof ToolError) return null;
    throw error;
  }
}

/** Folders among the words in which such files are looked for (`make -C a`): nobody names more. */
const MOST_FOLDERS = 4;

/** Where it starts, and in folders that it is given. */
function projectOf(
  names: readonly string[],
  cwd: CanonicalPath,
  operands: ResolvedSpawnCapability["operands"],
  paths: PathProbe,
): NonNullable<ResolvedSpawnCapability["project"]> {
  const folders = operands.filter(({ directory }) => directory === true).slice(0, MOST_FOLDERS)
    .map(({ requested }) => `${requested}/`);
  return ["", ...new Set(folders)].flatMap((folder) =>
    names.flatMap((name) => {
      const requested = folder + name;
      try {
        return [{ requested, path: paths.canonicalize(cwd, requested) }];
      } catch (error) {
        // A link that leads nowhere that can be named: no program finds more there.
        if (error instanceof ToolError) return [];
        throw error;
      }
    })
  );
}

function readingsOf(argument: string): string[] {
  if (argument === "" || argument === "-" || argument === "--") return [];
  const readings = [argument];
  const equals = argument.indexOf("=");
  if (equals !== -1) readings.push(argument.slice(equals + 1));
  if (/^-[A-Za-z0-9]./.test(argument)) readings.push(argument.slice(2));
  return readings.filter((reading) => reading !== "");
}
