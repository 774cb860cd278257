/** What a command would read, write and connect to by its arguments: the effects of programs turned into capabilities. */

import type { Capability, Program, SpawnCapability } from "../../core/capability.ts";
import { type Effect, orderedEffects } from "../../programs/effects.ts";
import type { CommandKnowledge } from "../../programs/table.ts";
import type { Reach } from "../rulebook.ts";

/** What the command would touch. `program`: what was found for its first word. */
export function reachOf(
  command: SpawnCapability,
  program: Program | null,
  knowledge: CommandKnowledge,
): Reach {
  const { effects, probes, starts, touchesAnything, paths, project } = orderedEffects(
    command,
    program,
    knowledge,
  );
  return {
    capabilities: effects.flatMap((effect) => capabilitiesOf(effect, command, program)),
    probe: probes,
    runsFiles: touchesAnything || starts === "any",
    paths,
    project,
  };
}

/** What no word names is not asked for: it is granted as far as the rules allow it. */
function capabilitiesOf(
  effect: Effect,
  { argv, cwd }: SpawnCapability,
  program: Program | null,
): readonly Capability[] {
  switch (effect.kind) {
    case "set":
      return [{ kind: "env.read", name: effect.name, change: true }];
    case "connect":
      return [{
        kind: "net.connect",
        ...effect.to,
        by: "program",
        command: { argv, program, cwd },
      }];
    case "read":
    case "write":
    case "delete": {
      const { path, tree, implied, within } = effect.file;
      const kind = effect.kind === "read" ? "fs.read" : "fs.write";
      if (implied === true) return [];
      return [{ kind, path, tree, by: "program", ...(within === undefined ? {} : { within }) }];
    }
  }
}
